/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process uses, while it runs and when it has ended. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/daemon/process/pidfd.h"
#include "urom/daemon/process/usage.h"

#define FILLED_BYTES (UINT64_C(64) << 20)
#define PATIENCE_MS  20000

/* A child that has filled some memory and waits for its end. */
static void start(struct uromd_pidfd *child)
{
	int fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *filled = malloc(FILLED_BYTES);

		if (filled == NULL)
			_exit(EXIT_FAILURE);
		memset(filled, getpid() & 1, FILLED_BYTES);
		(void)!write(fds[1], filled, 1);
		for (;;)
			(void)pause();
	}
	close(fds[1]);
	assert_success(uromd_pidfd_init(child, pid));
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
}

static void kill_and_await(const struct uromd_pidfd *child)
{
	struct pollfd end = { .fd = child->pidfd, .events = POLLIN };

	uromd_pidfd_signal(child, SIGKILL);
	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
}

static void process_that_runs_is_seen_as_it_is(void **state)
{
	struct uromd_usage usage = { 0 };
	struct uromd_pidfd child;

	(void)state;
	start(&child);
	assert_true(uromd_usage_read(child.pid, &usage));
	assert_true(usage.filled_bytes >= FILLED_BYTES);
	assert_true(usage.memory_bytes >= usage.filled_bytes);
	assert_true(usage.num_files >= 3);
	assert_int_equal(uromd_pidfd_most_filled(&child), 0); /* that is for its end */
	uromd_pidfd_end(&child);
}

static void last_look_at_one_that_has_ended_stays(void **state)
{
	struct uromd_usage before = { 0 }, after;
	struct uromd_pidfd child;

	(void)state;
	start(&child);
	assert_true(uromd_usage_read(child.pid, &before));
	kill_and_await(&child);
	after = before;
	assert_true(uromd_usage_read(child.pid, &after));
	assert_int_equal(after.memory_bytes, before.memory_bytes);
	assert_int_equal(after.filled_bytes, before.filled_bytes);
	assert_int_equal(after.num_files, before.num_files);
	uromd_pidfd_end(&child);
}

static void most_that_was_filled_is_known_until_the_reaping(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;

	(void)state;
	start(&child);
	kill_and_await(&child);
	assert_true(uromd_pidfd_most_filled(&child) >= FILLED_BYTES);
	assert_true(uromd_pidfd_reap(&child, &info));
	assert_int_equal(uromd_pidfd_most_filled(&child), 0);
	uromd_pidfd_fini(&child);
}

static void nobody_uses_nothing(void **state)
{
	struct uromd_pidfd child;
	struct uromd_usage usage;
	siginfo_t info;
	pid_t pid;

	(void)state;
	start(&child);
	pid = child.pid;
	kill_and_await(&child);
	assert_true(uromd_pidfd_reap(&child, &info));
	assert_false(uromd_usage_read(pid, &usage));
	uromd_pidfd_fini(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(process_that_runs_is_seen_as_it_is),
		TEST(last_look_at_one_that_has_ended_stays),
		TEST(most_that_was_filled_is_known_until_the_reaping),
		TEST(nobody_uses_nothing),
	};

	return cmocka_run_group_tests_name("daemon_usage", tests, NULL, NULL);
}
