/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_procs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
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

/* "PID (NAME) STATE ...", the name being anything; fields 14 and 15 are the ticks. */
static bool read_stat(pid_t pid, struct stat_line *line)
{
	char text[LINE_BYTES];
	const char *at;
	uint64_t user, system;

	if (!read_file(pid, "stat", text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (at == NULL)
		return false;
	if (sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		   &line->state, &user, &system) != 3)
		return false;
	line->ticks = user + system;
	return true;
}

static bool has_part(pid_t pid, const char *part)
{
	char text[LINE_BYTES * 4];

	return part == NULL ||
	       (read_file(pid, "cmdline", text, sizeof(text)) && strstr(text, part) != NULL);
}

/* Adds those that one thread has, of which a file of its own tells. Returns the new count. */
static size_t add_children(pid_t parent, const char *thread, const char *part,
			   pid_t pids[UROM_PROCS_MAX], size_t count)
{
	char name[64], text[LINE_BYTES * 4], *rest = NULL;

	(void)snprintf(name, sizeof(name), "task/%.20s/children", thread);
	if (!read_file(parent, name, text, sizeof(text)))
		return count;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		const pid_t pid = atoi(word);

		if (!has_part(pid, part))
			continue;
		assert_true(count < UROM_PROCS_MAX);
		pids[count++] = pid;
	}
	return count;
}

size_t urom_procs_children(pid_t parent, const char *part, pid_t pids[UROM_PROCS_MAX])
{
	struct dirent *entry;
	char path[64];
	size_t count = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	dir = opendir(path);
	if (dir == NULL)
		return 0; /* it is gone, and has none */
	while ((entry = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]))
			count = add_children(parent, entry->d_name, part, pids, count);
	}
	closedir(dir);
	return count;
}

bool urom_procs_is_there(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
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

	while (urom_procs_is_there(pid)) {
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

/* "RUN WAITED SLICES", the first two in nanoseconds. */
static bool read_schedule(pid_t pid, uint64_t *run_ns, uint64_t *waited_ns)
{
	char text[LINE_BYTES];

	return read_file(pid, "schedstat", text, sizeof(text)) &&
	       sscanf(text, "%" SCNu64 " %" SCNu64, run_ns, waited_ns) == 2;
}

uint64_t urom_procs_delay_ns(pid_t pid)
{
	uint64_t run_ns, waited_ns;

	return read_schedule(pid, &run_ns, &waited_ns) ? waited_ns : 0;
}

bool urom_procs_is_delayed(pid_t pid, uint64_t *run_ns)
{
	const uint64_t before_ns = *run_ns;
	uint64_t waited_ns;

	return read_schedule(pid, run_ns, &waited_ns) && *run_ns == before_ns &&
	       urom_procs_state(pid) == 'R';
}
