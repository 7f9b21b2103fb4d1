/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_thread.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define NAME       "doca-rdma\n"
#define LINE_BYTES 1024

/* One of the thread's files; false: it is gone. */
static bool open_file(const char *thread, const char *name, FILE **file)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/task/%.16s/%s", thread, name);
	*file = fopen(path, "re");
	return *file != NULL;
}

static bool has_name(const char *thread)
{
	char name[sizeof(NAME)] = "";
	FILE *file;
	bool is_it;

	if (!open_file(thread, "comm", &file))
		return false;
	is_it = fgets(name, sizeof(name), file) != NULL && strcmp(name, NAME) == 0;
	(void)fclose(file);
	return is_it;
}

pid_t engine_thread_find(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t found = 0;

	assert_non_null(dir);
	while (found == 0 && (entry = readdir(dir)) != NULL) {
		if (has_name(entry->d_name))
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	(void)closedir(dir);
	return found;
}

/* What stands behind key in its status. */
static void read_status(pid_t thread, const char *key, char *value, size_t len)
{
	char line[LINE_BYTES], name[16];
	FILE *file;

	(void)snprintf(name, sizeof(name), "%d", (int)thread);
	assert_true(open_file(name, "status", &file));
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		(void)snprintf(value, len, "%s", line + strlen(key));
		(void)fclose(file);
		return;
	}
	(void)fclose(file);
	fail_msg("the status of a thread has no %s", key);
}

bool engine_thread_sleeps(pid_t thread)
{
	char state[LINE_BYTES];

	read_status(thread, "State:\t", state, sizeof(state));
	return state[0] == 'S';
}

uint64_t engine_thread_blocked_signals(pid_t thread)
{
	char mask[LINE_BYTES];

	read_status(thread, "SigBlk:\t", mask, sizeof(mask));
	return strtoull(mask, NULL, 16);
}

uint64_t engine_thread_cpu_ms(pid_t thread)
{
	/* Behind the name, which is in parentheses, eleven fields stand before the times. */
	static const char format[] =
	    "%*d (%*[^)]) %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64 " %" SCNu64;
	uint64_t user, system;
	char name[16];
	FILE *file;

	(void)snprintf(name, sizeof(name), "%d", (int)thread);
	assert_true(open_file(name, "stat", &file));
	assert_int_equal(fscanf(file, format, &user, &system), 2);
	(void)fclose(file);
	return (user + system) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}
