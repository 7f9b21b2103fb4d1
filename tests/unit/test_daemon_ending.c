/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a child, as the daemon's loop is told of it. The call that waits is led here by the
 * linker: for a while it may find that a child that has ended cannot be reaped, as when a tracer
 * has it first.
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/daemon/process/ending.h"

#define MS_NS       UINT64_C(1000000)
#define HELD_MS     200
#define PATIENCE_MS 30000
#define TURN_US     UINT64_C(10000)

/* Looks at one that is held: one at once, and then no more than one every 20 ms. */
#define MAX_LOOKS (HELD_MS / 20 + 2)

__typeof__(waitid) __real_waitid;
__typeof__(waitid) __wrap_waitid;

static uint64_t held_until_ns;
static unsigned int num_looks;
static sd_event *event;
static struct uromd_pidfd child;
static struct uromd_ending ending;
static unsigned int num_ends;

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	num_looks++;
	return test_now_ns() < held_until_ns ? 0 : __real_waitid(type, id, info, options);
}

static void on_end(void *arg)
{
	assert_ptr_equal(arg, &child);
	num_ends++;
	uromd_ending_fini(&ending);
}

/* A child that waits for a signal, and is watched. */
static int begin(void **state)
{
	const int ret = test_begin(state);
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	held_until_ns = 0;
	num_looks = 0;
	num_ends = 0;
	assert_true(sd_event_new(&event) >= 0);
	assert_success(uromd_pidfd_init(&child, pid));
	assert_int_equal(uromd_ending_watch(&ending, event, &child, on_end, &child), 0);
	return ret;
}

static int end(void **state)
{
	uromd_ending_fini(&ending);
	held_until_ns = 0;
	uromd_pidfd_end(&child);
	event = sd_event_unref(event);
	return test_end(state);
}

static void turn(void)
{
	assert_true(sd_event_run(event, TURN_US) >= 0);
}

static void run_until_ended(void)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_MS * MS_NS;

	while (num_ends == 0 && test_now_ns() < end_ns)
		turn();
	assert_int_equal(num_ends, 1);
}

static void end_is_told_once(void **state)
{
	siginfo_t info;

	(void)state;
	turn();
	assert_int_equal(num_ends, 0);
	uromd_pidfd_signal(&child, SIGTERM);
	run_until_ended();
	assert_true(uromd_pidfd_reap(&child, &info));
	assert_int_equal(info.si_status, SIGTERM);
	turn();
	assert_int_equal(num_ends, 1);
}

static void one_that_cannot_be_reaped_is_looked_at_again_and_not_at_every_turn(void **state)
{
	siginfo_t info;

	(void)state;
	held_until_ns = test_now_ns() + HELD_MS * MS_NS;
	uromd_pidfd_signal(&child, SIGTERM);
	run_until_ended();
	assert_true(test_now_ns() >= held_until_ns);
	assert_true(num_looks > 1 && num_looks <= MAX_LOOKS);
	assert_true(uromd_pidfd_reap(&child, &info));
	assert_int_equal(info.si_code, CLD_KILLED);
}

static void end_is_told_when_somebody_else_has_reaped_it(void **state)
{
	siginfo_t info;

	(void)state;
	uromd_pidfd_signal(&child, SIGTERM);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	run_until_ended();
	assert_false(uromd_pidfd_look(&child, &info));
}

static void nobody_is_told_who_does_not_watch_any_more(void **state)
{
	(void)state;
	held_until_ns = test_now_ns() + PATIENCE_MS * MS_NS;
	uromd_pidfd_signal(&child, SIGTERM);
	while (num_looks == 0)
		turn();
	uromd_ending_fini(&ending);
	uromd_ending_fini(&ending);
	held_until_ns = 0;
	for (int i = 0; i < 5; i++)
		turn();
	assert_int_equal(num_ends, 0);
}

#define ENDING_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENDING_TEST(end_is_told_once),
		ENDING_TEST(one_that_cannot_be_reaped_is_looked_at_again_and_not_at_every_turn),
		ENDING_TEST(end_is_told_when_somebody_else_has_reaped_it),
		ENDING_TEST(nobody_is_told_who_does_not_watch_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
