/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_samples.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "test.h"

#define PATIENCE_S  60
#define PATIENCE_NS UINT64_C(60000000000)
#define MAX_ARGS    24

#define TEXT        "moved by a test"

/* Two programs, the first of which is started first and, when it only looks on, ends last. */
struct pair_case {
	const char *programs[2];
	bool has_resource;            /* the memory of the first is reached */
	bool looks_on;                /* the first wants a second Enter, when the other is done */
	const char *text_flags[2][2]; /* short and long; NULL: none */
	const char *marks[2][4];      /* in this order; NULL: no more */
};

static const struct pair_case pair_cases[] = {
	{
	    { "doca_rdma_receive", "doca_rdma_send" },
	    .text_flags = { { NULL }, { "-s", "--send-string" } },
	    .marks = { { "Submitting RDMA receive task", "RDMA receive task was done Successfully",
			 "Got from sender: \"" TEXT "\"", NULL },
		       { "Submitting RDMA send task that sends \"" TEXT "\" to receiver",
			 "RDMA send task was done successfully", NULL } },
	},
	{
	    { "doca_rdma_receive_immediate", "doca_rdma_send_immediate" },
	    .text_flags = { { NULL }, { "-s", "--send-string" } },
	    .marks = { { "Got from sender: \"" TEXT "\" with immediate: 43981", NULL },
		       { "with immediate value 43981 to receiver",
			 "RDMA send with immediate task was done successfully", NULL } },
	},
	{
	    { "doca_rdma_read_responder", "doca_rdma_read_requester" },
	    .has_resource = true,
	    .looks_on = true,
	    .text_flags = { { "-r", "--read-string" }, { NULL } },
	    .marks = { { "Wait till the requester has finished reading and press enter", NULL },
		       { "Submitting RDMA read task", "RDMA read task was done Successfully",
			 "Read from responder: \"" TEXT "\"", NULL } },
	},
	{
	    { "doca_rdma_write_responder", "doca_rdma_write_requester" },
	    .has_resource = true,
	    .looks_on = true,
	    .text_flags = { { NULL }, { "-w", "--write-string" } },
	    .marks = { { "Wait till the requester has finished writing and press enter",
			 "Requester has written: \"" TEXT "\"", NULL },
		       { "Submitting RDMA write task that writes \"" TEXT "\" to the responder",
			 "RDMA write task was done Successfully",
			 "Written to responder \"" TEXT "\"", NULL } },
	},
	{
	    { "doca_rdma_write_immediate_responder", "doca_rdma_write_immediate_requester" },
	    .has_resource = true,
	    .text_flags = { { NULL }, { "-w", "--write-string" } },
	    .marks = { { "Submitting RDMA receive task", "RDMA receive task was done Successfully",
			 "Requester has written: \"" TEXT "\" with immediate data: 43981", NULL },
		       { "RDMA write task with immediate was done Successfully",
			 "Written to responder \"" TEXT "\" with immediate value 43981", NULL } },
	},
};

_Static_assert(sizeof(pair_cases) / sizeof(pair_cases[0]) == RDMA_SAMPLES_NUM_PAIRS,
	       "a case for each pair");

void sample_place_init(struct sample_place *place)
{
	(void)snprintf(place->dir, sizeof(place->dir), "/tmp/openurom-rdma-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	for (int i = 0; i < 2; i++)
		(void)snprintf(place->descriptors[i], RDMA_SAMPLES_PATH_BYTES, "%s/%d.desc",
			       place->dir, i);
	(void)snprintf(place->resource, RDMA_SAMPLES_PATH_BYTES, "%s/resource", place->dir);
}

void sample_place_fini(const struct sample_place *place)
{
	assert_int_equal(rmdir(place->dir), 0);
}

/* In the new process. */
static void set_environment(const struct sample_run *run, int side)
{
	if ((run->networks[side] != 0 && setns(run->networks[side], CLONE_NEWNET) != 0) ||
	    setenv("DOCA_RDMA_SOCKETS", run->sockets, 1) != 0 ||
	    (run->devices[side] != NULL && setenv("DOCA_SOFT_DEVICES", run->devices[side], 1) != 0))
		_exit(EXIT_FAILURE);
}

void sample_start(struct sample *program, const char *const *argv, const struct sample_run *run,
		  int side)
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
		set_environment(run, side);
		alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(EXIT_FAILURE);
	}
	close(fds[0]);
	program->keys = fds[1];
}

static void press_enter(const struct sample *program)
{
	assert_int_equal(write(program->keys, "\n", 1), 1);
}

int sample_end(struct sample *program)
{
	int status = -1;

	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	close(program->keys);
	rewind(program->out);
	program->text[fread(program->text, 1, RDMA_SAMPLES_BYTES - 1, program->out)] = '\0';
	fclose(program->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(const struct sample *program, int status, const char *const *marks)
{
	/* What each sample says, in this order. */
	static const char *const life[] = {
		"Starting the sample",
		"RDMA context is running",
		"RDMA context finished initialization",
		"RDMA context entered into stopping state. Any inflight tasks will be flushed",
		"RDMA context has been stopped",
		"Sample finished successfully",
		NULL,
	};

	if (status != 0)
		fail_msg("status %d: %s", status, program->text);
	program_check_marks(program->text, life);
	program_check_marks(program->text, marks);
}

void sample_wait_for_file(const char *path)
{
	uint64_t deadline = test_now_ns() + PATIENCE_NS;
	struct stat found;

	while (stat(path, &found) != 0 || found.st_size == 0) {
		if (test_now_ns() > deadline)
			fail_msg("%s was never written", path);
		usleep(1000); /* it looks again: there is no event */
	}
}

/* Short and long, by name. */
enum flag {
	FLAG_DEVICE,
	FLAG_GID_INDEX,
	FLAG_LOCAL,
	FLAG_REMOTE,
	FLAG_RESOURCE,
	FLAG_TRANSPORT,
};

static const char *const flags[][2] = {
	[FLAG_DEVICE] = { "-d", "--device" },
	[FLAG_GID_INDEX] = { "-g", "--gid-index" },
	[FLAG_LOCAL] = { "-ld", "--local-descriptor-path" },
	[FLAG_REMOTE] = { "-re", "--remote-descriptor-path" },
	[FLAG_RESOURCE] = { "-m", "--remote-resource-descriptor-path" },
	[FLAG_TRANSPORT] = { "-tt", "--transport-type" },
};

static int add_flag(const char **argv, int argc, const struct sample_run *run, enum flag flag,
		    const char *value)
{
	argv[argc++] = flags[flag][run->has_long_names ? 1 : 0];
	argv[argc++] = value;
	return argc;
}

static const char *transport_of(const struct sample_run *run)
{
	return run->transport != NULL ? run->transport : "RC";
}

/* The first program is the target then, and the second writes nothing. */
static bool is_dc(const struct sample_run *run)
{
	return strcmp(transport_of(run), "DC") == 0;
}

static void start_one(struct sample *program, const struct pair_case *one, int which,
		      const struct sample_place *place, const struct sample_run *run)
{
	const char *argv[MAX_ARGS] = { NULL };
	char path[RDMA_SAMPLES_PATH_BYTES];
	int argc = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", SAMPLES_DIR, one->programs[which]);
	argv[argc++] = path;
	argc = add_flag(argv, argc, run, FLAG_DEVICE, "soft_lo");
	argc = add_flag(argv, argc, run, FLAG_GID_INDEX, run->gid_index);
	argc = add_flag(argv, argc, run, FLAG_TRANSPORT, transport_of(run));
	argc = add_flag(argv, argc, run, FLAG_LOCAL, place->descriptors[which]);
	argc = add_flag(argv, argc, run, FLAG_REMOTE, place->descriptors[1 - which]);
	argc = add_flag(argv, argc, run, FLAG_RESOURCE, place->resource);
	if (one->text_flags[which][0] != NULL) {
		argv[argc++] = one->text_flags[which][run->has_long_names ? 1 : 0];
		argv[argc++] = TEXT;
	}
	sample_start(program, argv, run, which);
	if (!is_dc(run) || which == 0)
		sample_wait_for_file(place->descriptors[which]);
}

static void run_pair(const struct pair_case *one, const struct sample_run *run)
{
	struct sample programs[2];
	struct sample_place place;
	int status;

	sample_place_init(&place);
	for (int i = 0; i < 2; i++)
		start_one(&programs[i], one, i, &place, run);
	if (one->has_resource)
		sample_wait_for_file(place.resource);
	if (is_dc(run))
		assert_int_not_equal(access(place.descriptors[1], F_OK), 0);
	press_enter(&programs[0]);
	press_enter(&programs[1]);
	status = sample_end(&programs[1]);
	check(&programs[1], status, one->marks[1]);
	if (one->looks_on)
		press_enter(&programs[0]);
	status = sample_end(&programs[0]);
	check(&programs[0], status, one->marks[0]);
	sample_place_fini(&place);
}

void sample_run_pairs(const struct sample_run *run)
{
	for (size_t i = 0; i < RDMA_SAMPLES_NUM_PAIRS; i++)
		run_pair(&pair_cases[i], run);
}
