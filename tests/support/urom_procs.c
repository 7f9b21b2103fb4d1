/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_procs.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(10000000000)
#define LINE_BYTES  1024
#define NS_PER_S    UINT64_C(1000000000)
#define POLL_PAUSE  2000000 /* ns between two looks */

struct stat_line {
	char state;
	pid_t parent;
	uint64_t ticks; /* in user and in system mode */
};

static bool read_file(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	size_t len;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	len = fread(text, 1, size - 1, file);
	fclose(file);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\0')
			text[i] = ' '; /* between the words of a command line */
	}
	text[len] = '\0';
	return len > 0;
}

/* "PID (NAME) STATE PARENT ...", the name being anything; fields 14 and 15 are the ticks. */
static bool read_stat(pid_t pid, struct stat_line *line)
{
	char text[LINE_BYTES];
	const char *at;
	uint64_t user, system;
	int parent;

	if (!read_file(pid, "stat", text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (at == NULL)
		return false;
	if (sscanf(at + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		   &line->state, &parent, &user, &system) != 4)
		return false;
	line->parent = parent;
	line->ticks = user + system;
	return true;
}

static bool is_such_child(pid_t pid, pid_t parent, const char *part)
{
	char text[LINE_BYTES * 4];
	struct stat_line line;

	if (!read_stat(pid, &line) || line.parent != parent)
		return false;
	if (part == NULL)
		return true;
	return read_file(pid, "cmdline", text, sizeof(text)) && strstr(text, part) != NULL;
}

size_t urom_procs_children(pid_t parent, const char *part, pid_t pids[UROM_PROCS_MAX])
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		pid_t pid = atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]) || !is_such_child(pid, parent, part))
			continue;
		assert_true(count < UROM_PROCS_MAX);
		pids[count++] = pid;
	}
	closedir(dir);
	return count;
}

char urom_procs_state(pid_t pid)
{
	struct stat_line line;

	return read_stat(pid, &line) ? line.state : '\0';
}

static void pause_between_looks(void)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = POLL_PAUSE }, NULL);
}

void urom_procs_wait_gone(pid_t pid)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (urom_procs_state(pid) != '\0') {
		if (test_now_ns() > end)
			fail_msg("process %d is still there, in state %c", (int)pid,
				 urom_procs_state(pid));
		pause_between_looks();
	}
}

void urom_procs_wait_children(pid_t parent, const char *part, size_t count)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	pid_t pids[UROM_PROCS_MAX];
	size_t found;

	while ((found = urom_procs_children(parent, part, pids)) != count) {
		if (test_now_ns() > end)
			fail_msg("process %d has %zu children with \"%s\", not %zu", (int)parent,
				 found, part != NULL ? part : "", count);
		pause_between_looks();
	}
}

uint64_t urom_procs_cpu_ns(pid_t pid)
{
	struct stat_line line;

	assert_true(read_stat(pid, &line));
	return line.ticks * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* "RUN WAITED SLICES", in nanoseconds. */
uint64_t urom_procs_delay_ns(pid_t pid)
{
	char text[LINE_BYTES];
	uint64_t waited;

	if (!read_file(pid, "schedstat", text, sizeof(text)) ||
	    sscanf(text, "%*u %" SCNu64, &waited) != 1)
		return 0;
	return waited;
}
