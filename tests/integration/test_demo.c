/* SPDX-License-Identifier: BSD-3-Clause */
/* The demonstration, which must show all that it says and leave nothing behind. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

/* In the environment of the demo and of all that it starts, by which these are known. */
#define MARK        "OPENUROM_TEST_DEMO"
#define ENV_BYTES   65536
#define PATIENCE_NS UINT64_C(10000000000)

/* A directory of its own for temporary files, and a variable by which processes are known. */
struct demo {
	char dir[64];
	char tmpdir[96];
	char mark[64];
	const char *env[3];
	struct program program;
};

static const char *const argv_all[] = { DEMO_SCRIPT, BUILD_DIR, NULL };

static struct demo *demo_begin(void)
{
	static struct demo demo;

	(void)snprintf(demo.dir, sizeof(demo.dir), "/tmp/test_demo.XXXXXX");
	assert_non_null(mkdtemp(demo.dir));
	(void)snprintf(demo.tmpdir, sizeof(demo.tmpdir), "TMPDIR=%s", demo.dir);
	(void)snprintf(demo.mark, sizeof(demo.mark), MARK "=%d", (int)getpid());
	demo.env[0] = demo.tmpdir;
	demo.env[1] = demo.mark;
	return &demo;
}

static bool has_mark(const char *pid, const char *mark)
{
	static char text[ENV_BYTES];
	char path[300];
	bool is_found = false;
	FILE *file;
	size_t len;

	(void)snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	file = fopen(path, "re");
	if (file == NULL)
		return false; /* gone, or somebody else's */
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	for (size_t at = 0; at < len && !is_found; at += strlen(text + at) + 1)
		is_found = strcmp(text + at, mark) == 0;
	fclose(file);
	return is_found;
}

static unsigned int count_processes(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int found = 0;

	assert_non_null(proc);
	while ((entry = readdir(proc)) != NULL) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			found += has_mark(entry->d_name, mark);
	}
	closedir(proc);
	return found;
}

/* No process and no file; what was killed may take a moment to be gone. */
static void check_nothing_is_left(struct demo *demo)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (count_processes(demo->mark) > 0 && test_now_ns() < deadline)
		usleep(2000);
	assert_int_equal(count_processes(demo->mark), 0);
	if (rmdir(demo->dir) != 0)
		fail_msg("%s: %s", demo->dir, strerror(errno));
}

static void demo_shows_everything_and_leaves_nothing(void **state)
{
	const char *const marks[] = { "demo: a daemon, process ",
				      "demo: service file: 127.0.0.1 dpu 127.0.0.1:",
				      "found plugin worker_graph, version 1",
				      "group 0 has workers 0 2\n",
				      "group 1 has workers 1 3\n",
				      "the destination holds \"",
				      "demo: done",
				      NULL };
	struct demo *demo = demo_begin();
	char line[80];

	(void)state;
	if (program_run(&demo->program, argv_all, demo->env) != 0)
		fail_msg("%s%s", demo->program.out, demo->program.err);
	assert_string_equal(demo->program.err, "");
	program_check_marks(demo->program.out, marks);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(line, sizeof(line), "worker %d is running on processor %d, process ",
			       i, i);
		assert_non_null(strstr(demo->program.out, line));
		(void)snprintf(line, sizeof(line), "worker %d received loopback data %d\n", i,
			       1000 + i);
		assert_non_null(strstr(demo->program.out, line));
	}
	check_nothing_is_left(demo);
}

static void demo_that_is_interrupted_leaves_nothing(void **state)
{
	static const struct {
		int signal_number;
		const char *when;
	} cases[] = {
		{ SIGTERM, "demo: a daemon, process " },
		{ SIGINT, "found plugin worker_graph" },
		{ SIGHUP, " is running on processor " },
		{ SIGTERM, "received loopback data" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct demo *demo = demo_begin();

		program_start(&demo->program, argv_all, demo->env);
		program_wait_for(&demo->program, cases[i].when);
		/* Ctrl-C goes to all of the terminal's group. */
		assert_int_equal(
		    kill(cases[i].signal_number == SIGINT ? -demo->program.pid : demo->program.pid,
			 cases[i].signal_number),
		    0);
		(void)program_wait(&demo->program); /* it may have been over already */
		check_nothing_is_left(demo);
	}
}

static void demo_without_its_programs_fails(void **state)
{
	const char *const argv[] = { DEMO_SCRIPT, "/nonexistent", NULL };
	struct demo *demo = demo_begin();

	(void)state;
	assert_int_equal(program_run(&demo->program, argv, demo->env), 1);
	assert_non_null(strstr(demo->program.err, "make builds it"));
	check_nothing_is_left(demo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(demo_shows_everything_and_leaves_nothing),
		TEST(demo_that_is_interrupted_leaves_nothing),
		TEST(demo_without_its_programs_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
