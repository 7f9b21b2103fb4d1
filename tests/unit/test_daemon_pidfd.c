/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A child is signalled until it was reaped, and nobody afterwards: its pid may be another's then.
 * The calls by which anybody could be hit are counted.
 */

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/daemon/process/pidfd.h"

#define PATIENCE_MS 20000

int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
int __real_pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned int flags);
int __wrap_pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned int flags);
int __real_pidfd_open(pid_t pid, unsigned int flags);
int __wrap_pidfd_open(pid_t pid, unsigned int flags);

static unsigned int num_by_pid, num_by_fd;
static bool has_no_pidfds;

int __wrap_kill(pid_t pid, int number)
{
	num_by_pid++;
	return __real_kill(pid, number);
}

int __wrap_pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned int flags)
{
	num_by_fd++;
	return __real_pidfd_send_signal(fd, number, info, flags);
}

int __wrap_pidfd_open(pid_t pid, unsigned int flags)
{
	return has_no_pidfds ? -1 : __real_pidfd_open(pid, flags);
}

static int setup(void **state)
{
	num_by_pid = 0;
	num_by_fd = 0;
	has_no_pidfds = false;
	return test_begin(state);
}

#define CHILD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, test_end)

/* A child that waits, as the leader of a group; with a fd, one more, which alone writes there. */
static pid_t start(int fd)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0) {
		(void)setpgid(pid, pid); /* whoever comes first */
		return pid;
	}
	(void)setpgid(0, 0);
	if (fd >= 0 && fork() > 0)
		close(fd);
	else if (fd >= 0)
		(void)!write(fd, "x", 1);
	for (;;)
		(void)pause();
}

static void await_end(const struct uromd_pidfd *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };

	assert_int_equal(poll(&end, 1, PATIENCE_MS), 1);
}

static void check_nobody_is_signalled(const struct uromd_pidfd *process)
{
	const unsigned int by_pid = num_by_pid, by_fd = num_by_fd;

	uromd_pidfd_signal(process, SIGTERM);
	uromd_pidfd_kill_group(process);
	assert_int_equal(num_by_pid, by_pid);
	assert_int_equal(num_by_fd, by_fd);
}

static void signal_goes_by_the_pidfd(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;

	(void)state;
	assert_success(uromd_pidfd_init(&child, start(-1)));
	uromd_pidfd_signal(&child, SIGTERM);
	await_end(&child);
	assert_true(uromd_pidfd_reap(&child, &info));
	assert_int_equal(info.si_code, CLD_KILLED);
	assert_int_equal(info.si_status, SIGTERM);
	assert_int_equal(num_by_fd, 1);
	assert_int_equal(num_by_pid, 0);
	uromd_pidfd_fini(&child);
}

static void one_that_has_not_ended_is_not_reaped(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;

	(void)state;
	assert_success(uromd_pidfd_init(&child, start(-1)));
	assert_false(uromd_pidfd_look(&child, &info));
	assert_false(uromd_pidfd_reap(&child, &info));
	assert_int_not_equal(child.pid, 0);
	uromd_pidfd_end(&child);
}

static void nobody_is_signalled_after_the_reaping(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;

	(void)state;
	assert_success(uromd_pidfd_init(&child, start(-1)));
	uromd_pidfd_kill_group(&child);
	await_end(&child);
	assert_true(uromd_pidfd_reap(&child, &info));
	check_nobody_is_signalled(&child);
	assert_false(uromd_pidfd_reap(&child, &info));
	uromd_pidfd_end(&child);
	check_nobody_is_signalled(&child);
}

/* The group keeps its name as long as its leader is a zombie, so the rest of it can be killed. */
static void group_is_killed_while_its_leader_is_a_zombie(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;
	int fds[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_success(uromd_pidfd_init(&child, start(fds[1])));
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	uromd_pidfd_signal(&child, SIGKILL);
	await_end(&child);
	assert_true(uromd_pidfd_look(&child, &info));
	assert_int_equal(info.si_status, SIGKILL);
	uromd_pidfd_kill_group(&child);
	assert_true(uromd_pidfd_reap(&child, &info));
	/* The last one with the pipe is gone: it ends. */
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
	uromd_pidfd_fini(&child);
}

static void end_leaves_no_zombie(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;
	pid_t pid;

	(void)state;
	pid = start(-1);
	assert_success(uromd_pidfd_init(&child, pid));
	uromd_pidfd_end(&child);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED), -1);
	check_nobody_is_signalled(&child);
}

static void one_that_cannot_be_watched_is_not_left(void **state)
{
	struct uromd_pidfd child;
	siginfo_t info;
	pid_t pid;

	(void)state;
	pid = start(-1);
	has_no_pidfds = true;
	assert_true(uromd_pidfd_init(&child, pid) != DOCA_SUCCESS);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED), -1);
	check_nobody_is_signalled(&child);
	uromd_pidfd_end(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(signal_goes_by_the_pidfd),
		CHILD_TEST(one_that_has_not_ended_is_not_reaped),
		CHILD_TEST(nobody_is_signalled_after_the_reaping),
		CHILD_TEST(group_is_killed_while_its_leader_is_a_zombie),
		CHILD_TEST(end_leaves_no_zombie),
		CHILD_TEST(one_that_cannot_be_watched_is_not_left),
	};

	return cmocka_run_group_tests_name("daemon_pidfd", tests, NULL, NULL);
}
