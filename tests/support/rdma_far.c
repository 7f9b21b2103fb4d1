/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_far.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_thread.h"
#include "test.h"

/* Address space alone, until it is written to. */
#define SHARED_BYTES ((size_t)1024 * 1024 * 1024)
#define REPORT_BYTES 4096
#define PATIENCE_S   60 /* for one step */
#define ALIGNMENT    ((size_t)4096)

/* At the beginning of the shared memory: the step that runs, or is to run. */
struct call {
	rdma_step_t step;
	struct rdma_side *side;
	uint8_t args[RDMA_FAR_ARGS_BYTES];
};

static struct {
	pid_t pid; /* 0: there is none */
	int socket;
	int report; /* a file of what it prints */
	uint8_t *shared;
	size_t used;
	bool is_calling;
} far;

bool rdma_far_is_there(void)
{
	return far.pid != 0;
}

void *rdma_far_alloc(size_t len)
{
	void *memory = far.shared + far.used;

	far.used += (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	assert_true(far.used <= SHARED_BYTES);
	return memory;
}

/* --- the other process ----------------------------------------------------------------------- */

/* The only test that it runs: steps, until the caller hangs up. */
static void serve(void **state)
{
	struct call *call = (struct call *)(void *)far.shared;
	char word;

	(void)state;
	while (recv(far.socket, &word, 1, 0) == 1) {
		call->step(call->side, call->args);
		assert_int_equal(send(far.socket, &word, 1, MSG_NOSIGNAL), 1);
	}
}

static void be_far(void)
{
	const struct CMUnitTest tests[] = { TEST(serve) };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it cannot fail */
	if (dup2(far.report, STDOUT_FILENO) < 0 || dup2(far.report, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	/* In plain text: it is printed as the reason of a failure only. */
	(void)unsetenv("CMOCKA_MESSAGE_OUTPUT");
	cmocka_set_message_output(CM_OUTPUT_STDOUT);
	cmocka_set_test_filter(NULL); /* which was meant for the tests here */
	exit(cmocka_run_group_tests(tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* --- this one -------------------------------------------------------------------------------- */

void rdma_far_begin(void)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int sockets[2];

	/* It would not be in the fork, and hold its locks there for ever. */
	if (engine_thread_find() != 0)
		fail_msg("a test before this one has failed, and left its contexts behind");

	far.shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(far.shared != MAP_FAILED);
	far.used = 0;
	(void)rdma_far_alloc(sizeof(struct call));
	far.report = memfd_create("report", MFD_CLOEXEC);
	assert_true(far.report >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	(void)fflush(NULL); /* or both print it */
	far.is_calling = false;
	far.socket = sockets[1];
	far.pid = fork();
	assert_true(far.pid >= 0);
	if (far.pid == 0) {
		(void)close(sockets[0]);
		be_far();
	}
	(void)close(sockets[1]);
	far.socket = sockets[0];
	assert_int_equal(
	    setsockopt(far.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
}

static void print_report(void)
{
	static char text[REPORT_BYTES];
	ssize_t len = pread(far.report, text, sizeof(text) - 1, 0);

	text[len > 0 ? len : 0] = '\0';
	print_error("the other process has failed: %s\n", text);
}

void rdma_far_start(struct rdma_side *side, rdma_step_t step, const void *args, size_t len)
{
	struct call *call = (struct call *)(void *)far.shared;
	char word = 0;

	assert_true(len <= sizeof(call->args) && !far.is_calling);
	call->step = step;
	call->side = side;
	if (len > 0)
		memcpy(call->args, args, len);
	far.is_calling = true;
	if (send(far.socket, &word, 1, MSG_NOSIGNAL) != 1)
		fail_msg("the other process takes no step");
}

void rdma_far_wait(void *args, size_t len)
{
	const struct call *call = (const struct call *)(const void *)far.shared;
	char word;

	if (recv(far.socket, &word, 1, 0) != 1)
		fail_msg("a step was not done in the other process");
	far.is_calling = false;
	if (len > 0)
		memcpy(args, call->args, len);
}

void rdma_far_call(struct rdma_side *side, rdma_step_t step, void *args, size_t len)
{
	rdma_far_start(side, step, args, len);
	rdma_far_wait(args, len);
}

void rdma_far_end(void)
{
	pid_t pid = far.pid;
	int status = -1;

	if (pid == 0)
		return;
	far.pid = 0;
	if (far.is_calling) /* whatever it is at, nobody waits for it any more */
		(void)kill(pid, SIGTERM);
	(void)close(far.socket);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status != 0)
		print_report();
	(void)close(far.report);
	assert_int_equal(munmap(far.shared, SHARED_BYTES), 0);
	assert_int_equal(status, 0);
}
