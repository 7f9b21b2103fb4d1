/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RDMA samples in pairs, as the guide runs them: each side writes its descriptor and waits for
 * Enter, which it gets from here when the other has written its own.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define OUTPUT_BYTES 16384
#define PATIENCE_S   60
#define PATIENCE_NS  UINT64_C(60000000000)
#define MAX_ARGS     16
#define PATH_BYTES   256

#define TEXT         "moved by a test"

/* Two programs, the first of which is started first and, when it only looks on, ends last. */
struct pair_case {
	const char *programs[2];
	bool has_resource; /* the memory of the first is reached */
	bool looks_on;     /* the first wants a second Enter, when the other is done */
	const char *text_flags[2];
	const char *marks[2][4]; /* NULL: no more */
};

static const struct pair_case pair_cases[] = {
	{
	    { "doca_rdma_receive", "doca_rdma_send" },
	    .text_flags = { NULL, "-s" },
	    .marks = { { "RDMA receive task was done Successfully", "Got from sender: \"" TEXT "\"",
			 NULL },
		       { "RDMA send task was done successfully", NULL } },
	},
	{
	    { "doca_rdma_receive_immediate", "doca_rdma_send_immediate" },
	    .text_flags = { NULL, "-s" },
	    .marks = { { "Got from sender: \"" TEXT "\" with immediate: 43981", NULL },
		       { "with immediate value 43981 to receiver",
			 "RDMA send with immediate task was done successfully", NULL } },
	},
	{
	    { "doca_rdma_read_responder", "doca_rdma_read_requester" },
	    .has_resource = true,
	    .looks_on = true,
	    .text_flags = { "-r", NULL },
	    .marks = { { "Wait till the requester has finished reading and press enter", NULL },
		       { "Submitting RDMA read task", "RDMA read task was done Successfully",
			 "Read from responder: \"" TEXT "\"", NULL } },
	},
	{
	    { "doca_rdma_write_responder", "doca_rdma_write_requester" },
	    .has_resource = true,
	    .looks_on = true,
	    .text_flags = { NULL, "-w" },
	    .marks = { { "Wait till the requester has finished writing and press enter",
			 "Requester has written: \"" TEXT "\"", NULL },
		       { "RDMA write task was done Successfully",
			 "Written to responder \"" TEXT "\"", NULL } },
	},
	{
	    { "doca_rdma_write_immediate_responder", "doca_rdma_write_immediate_requester" },
	    .has_resource = true,
	    .text_flags = { NULL, "-w" },
	    .marks = { { "RDMA receive task was done Successfully",
			 "Requester has written: \"" TEXT "\" with immediate data: 43981", NULL },
		       { "RDMA write task with immediate was done Successfully",
			 "Written to responder \"" TEXT "\" with immediate value 43981", NULL } },
	},
};

#define NUM_PAIRS (sizeof(pair_cases) / sizeof(pair_cases[0]))

struct program {
	pid_t pid;
	int keys; /* its standard input */
	FILE *out;
	char text[OUTPUT_BYTES];
};

/* A directory of this test, and the files in it. */
struct place {
	char dir[PATH_BYTES / 2];
	char descriptors[2][PATH_BYTES];
	char resource[PATH_BYTES];
};

static void place_init(struct place *place)
{
	(void)snprintf(place->dir, sizeof(place->dir), "/tmp/openurom-rdma-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	for (int i = 0; i < 2; i++)
		(void)snprintf(place->descriptors[i], PATH_BYTES, "%s/%d.desc", place->dir, i);
	(void)snprintf(place->resource, PATH_BYTES, "%s/resource", place->dir);
}

/* The samples have removed what they wrote. */
static void place_fini(const struct place *place)
{
	assert_int_equal(rmdir(place->dir), 0);
}

static void start(struct program *program, const char *const *argv, const char *sockets)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	program->out = tmpfile();
	assert_non_null(program->out);
	fflush(NULL);
	program->pid = fork();
	assert_true(program->pid >= 0);
	if (program->pid == 0) {
		if (dup2(fds[0], STDIN_FILENO) < 0 ||
		    dup2(fileno(program->out), STDOUT_FILENO) < 0 ||
		    dup2(fileno(program->out), STDERR_FILENO) < 0)
			_exit(EXIT_FAILURE);
		close(fds[0]);
		close(fds[1]);
		setenv("DOCA_RDMA_SOCKETS", sockets, 1);
		alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(EXIT_FAILURE);
	}
	close(fds[0]);
	program->keys = fds[1];
}

static void press_enter(const struct program *program)
{
	assert_int_equal(write(program->keys, "\n", 1), 1);
}

/* Its exit status; its output is in text. */
static int end(struct program *program)
{
	int status = -1;

	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	close(program->keys);
	rewind(program->out);
	program->text[fread(program->text, 1, OUTPUT_BYTES - 1, program->out)] = '\0';
	fclose(program->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(const struct program *program, int status, const char *const *marks)
{
	if (status != 0 || strstr(program->text, "Sample finished successfully") == NULL)
		fail_msg("status %d: %s", status, program->text);
	for (; *marks != NULL; marks++) {
		if (strstr(program->text, *marks) == NULL)
			fail_msg("\"%s\" is not in: %s", *marks, program->text);
	}
}

/* The file is there, and has something in it. */
static void wait_for_file(const char *path)
{
	uint64_t deadline = test_now_ns() + PATIENCE_NS;
	struct stat found;

	while (stat(path, &found) != 0 || found.st_size == 0) {
		if (test_now_ns() > deadline)
			fail_msg("%s was never written", path);
		usleep(1000); /* it looks again: there is no event */
	}
}

static void start_one(struct program *program, const struct pair_case *one, int which,
		      const struct place *place, const char *gid_index, const char *sockets)
{
	const char *argv[MAX_ARGS] = { NULL };
	char path[PATH_BYTES];
	int argc = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", SAMPLES_DIR, one->programs[which]);
	argv[argc++] = path;
	argv[argc++] = "-d";
	argv[argc++] = "soft_lo";
	argv[argc++] = "-g";
	argv[argc++] = gid_index;
	argv[argc++] = "-ld";
	argv[argc++] = place->descriptors[which];
	argv[argc++] = "-re";
	argv[argc++] = place->descriptors[1 - which];
	if (one->has_resource) {
		argv[argc++] = "-m";
		argv[argc++] = place->resource;
	}
	if (one->text_flags[which] != NULL) {
		argv[argc++] = one->text_flags[which];
		argv[argc++] = TEXT;
	}
	start(program, argv, sockets);
	wait_for_file(place->descriptors[which]);
}

static void run_pair(const struct pair_case *one, const char *gid_index, const char *sockets)
{
	struct program programs[2];
	struct place place;
	int status;

	place_init(&place);
	for (int i = 0; i < 2; i++)
		start_one(&programs[i], one, i, &place, gid_index, sockets);
	if (one->has_resource)
		wait_for_file(place.resource);
	press_enter(&programs[0]);
	press_enter(&programs[1]);
	status = end(&programs[1]);
	check(&programs[1], status, one->marks[1]);
	if (one->looks_on)
		press_enter(&programs[0]);
	status = end(&programs[0]);
	check(&programs[0], status, one->marks[0]);
	place_fini(&place);
}

static void run_all(const char *gid_index, const char *sockets)
{
	for (size_t i = 0; i < NUM_PAIRS; i++)
		run_pair(&pair_cases[i], gid_index, sockets);
}

static void pairs_work_over_unix_sockets(void **state)
{
	(void)state;
	run_all("0", "unix");
}

static void pairs_work_over_ipv4(void **state)
{
	(void)state;
	run_all("0", "tcp");
}

static void pairs_work_over_ipv6(void **state)
{
	(void)state;
	run_all("1", "tcp");
}

/* One program alone, which must end with an error that says so. */
static void assert_fails(const char *const *argv, const char *keys, const char *mark)
{
	struct program program;
	int status;

	start(&program, argv, "unix");
	if (keys != NULL)
		assert_int_equal(write(program.keys, keys, strlen(keys)), (ssize_t)strlen(keys));
	close(program.keys);
	program.keys = dup(STDERR_FILENO); /* closed once more by end() */
	status = end(&program);
	if (status == 0 || strstr(program.text, mark) == NULL)
		fail_msg("status %d, not about \"%s\": %s", status, mark, program.text);
}

static void faults_of_the_user_are_told(void **state)
{
	const char *const program = SAMPLES_DIR "/doca_rdma_receive";
	struct place place;
	FILE *file;

	(void)state;
	place_init(&place);
	assert_fails((const char *const[]){ program, NULL }, NULL, "device");
	assert_fails((const char *const[]){ program, "-d", "none", NULL }, NULL, "none");
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     "\n", "Failed to open the file");
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     NULL, "the input has ended");
	file = fopen(place.descriptors[0], "w");
	assert_non_null(file);
	fclose(file);
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     "\n", "already exists");
	assert_int_equal(unlink(place.descriptors[0]), 0);
	place_fini(&place);
}

static void long_names_work_too(void **state)
{
	struct program program;

	(void)state;
	start(&program,
	      (const char *const[]){ SAMPLES_DIR "/doca_rdma_write_requester", "--help", NULL },
	      "unix");
	assert_int_equal(end(&program), 0);
	assert_non_null(strstr(program.text, "--local-descriptor-path"));
	assert_non_null(strstr(program.text, "--write-string"));
	assert_non_null(strstr(program.text, "--gid-index"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pairs_work_over_unix_sockets), TEST(pairs_work_over_ipv4),
		TEST(pairs_work_over_ipv6),         TEST(faults_of_the_user_are_told),
		TEST(long_names_work_too),
	};

	(void)signal(SIGPIPE, SIG_IGN); /* a program that has ended takes no keys */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
