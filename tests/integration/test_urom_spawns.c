/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers, one after the other, for a daemon that may have few descriptors: nothing of those that
 * have ended is kept.
 *
 *     test_urom_spawns [COUNT]
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define DEFAULT_COUNT 100
#define WARM_UP       20
#define MAX_FDS       256

/* More memory than after the first ones. Sanitizers keep what was freed. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MAX_GROWTH_KIB (32 * 1024)
#else
#define MAX_GROWTH_KIB 512
#endif

static unsigned int num_workers = DEFAULT_COUNT;

struct usage {
	unsigned int num_fds;
	unsigned long kib;
};

static unsigned int count_fds(pid_t pid)
{
	char path[64];
	unsigned int count = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static unsigned long count_kib(pid_t pid)
{
	char path[64], line[256];
	unsigned long kib = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "VmRSS: %lu kB", &kib) == 1)
			break;
	}
	fclose(file);
	assert_true(kib > 0);
	return kib;
}

static struct usage usage_of(pid_t pid)
{
	return (struct usage){ count_fds(pid), count_kib(pid) };
}

static void spawn_one(struct urom_host *host)
{
	struct doca_urom_worker *worker = urom_host_run_worker(host, DOCA_UROM_WORKER_ID_ANY);

	urom_host_stop_worker(host, worker);
	urom_host_destroy_worker(host, worker);
}

static void workers_one_after_another_leave_nothing_behind(void **state)
{
	struct urom_rig *rig = *state;
	struct usage before, after;
	pid_t pids[UROM_PROCS_MAX];
	struct urom_host host;
	struct rlimit limit;

	/* The daemon has it from this process, and may not raise it. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(limit.rlim_max, MAX_FDS);
	urom_host_init_running(&host);
	for (unsigned int i = 0; i < WARM_UP; i++)
		spawn_one(&host);
	before = usage_of(rig->daemon);
	for (unsigned int i = WARM_UP; i < num_workers; i++)
		spawn_one(&host);
	after = usage_of(rig->daemon);
	print_message("%u workers: %u descriptors and %lu KiB at the end, %u and %lu after %u\n",
		      num_workers, after.num_fds, after.kib, before.num_fds, before.kib, WARM_UP);
	assert_int_equal(after.num_fds, before.num_fds);
	assert_true(after.kib <= before.kib + MAX_GROWTH_KIB);
	/* A stop is answered when the process is gone: there is no zombie, either. */
	assert_int_equal(urom_procs_children(rig->daemon, NULL, pids), 0);
	urom_host_fini(&host);
}

int main(int argc, char **argv)
{
	const struct rlimit limit = { MAX_FDS, MAX_FDS };
	const struct CMUnitTest tests[] = {
		UROM_TEST(workers_one_after_another_leave_nothing_behind),
	};

	if (argc > 1)
		num_workers = (unsigned int)strtoul(argv[1], NULL, 10);
	if (argc > 2 || num_workers <= WARM_UP) {
		fprintf(stderr, "usage: %s [COUNT], more than %d\n", argv[0], WARM_UP);
		return 2;
	}
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
		perror("setrlimit");
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
