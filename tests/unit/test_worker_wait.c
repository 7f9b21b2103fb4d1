/* SPDX-License-Identifier: BSD-3-Clause */
/* How often plugins are polled, and what the watchdog makes of a call that lasts. */
#include "urom/worker/wait.h"

#include <doca_log.h>

#include "test.h"
#include "urom/worker/watchdog.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static void soon_after_activity_plugins_are_polled_often(void **state)
{
	(void)state;
	assert_int_equal(uromw_wait_tick(0, 0, false), 100 * US);
	assert_int_equal(uromw_wait_tick(10 * MS - 1, 100 * US, false), 100 * US);
	assert_int_equal(uromw_wait_tick(5 * MS, 0, true), 100 * US);
}

static void later_on_the_sleep_grows_from_1_to_50_ms(void **state)
{
	static const uint64_t ticks_ms[] = { 1, 2, 4, 8, 16, 32, 50, 50 };
	uint64_t last = 100 * US;

	(void)state;
	for (size_t i = 0; i < sizeof(ticks_ms) / sizeof(ticks_ms[0]); i++) {
		last = uromw_wait_tick(10 * MS, last, false);
		assert_int_equal(last, ticks_ms[i] * MS);
	}
	assert_int_equal(uromw_wait_tick(UINT64_MAX / 2, 0, false), MS);
}

static void with_commands_it_grows_to_1_ms(void **state)
{
	uint64_t last = 100 * US;

	(void)state;
	for (unsigned int i = 0; i < 10; i++) {
		last = uromw_wait_tick(3600 * 1000 * MS, last, true);
		assert_int_equal(last, MS);
	}
	/* Commands that come to a plugin which has slept for long. */
	assert_int_equal(uromw_wait_tick(10 * MS, 50 * MS, true), MS);
}

/* The watchdog's lines go to standard error, which these tests need for themselves. */
static void begin_watchdog(unsigned int timeout_s)
{
	uromw_watch_end();
	assert_int_equal(uromw_watchdog_look(), -1);
	uromw_watchdog_set(timeout_s, DOCA_LOG_LEVEL_DISABLE);
}

static void a_call_over_its_time_ends_the_process(void **state)
{
	(void)state;
	begin_watchdog(3);
	uromw_watch_begin("x", 0, WIRE_CALL_WORKER_CMD);
	assert_int_equal(uromw_watchdog_look(), -1); /* 0 s, for all that is known */
	assert_int_equal(uromw_watchdog_look(), -1);
	assert_int_equal(uromw_watchdog_look(), -1);
	assert_int_equal(uromw_watchdog_look(), UROMW_EXIT_STUCK);
	uromw_watch_end();
}

static void each_call_has_its_own_time(void **state)
{
	(void)state;
	begin_watchdog(2);
	for (unsigned int i = 0; i < 10; i++) {
		uromw_watch_begin("x", 0, WIRE_CALL_PROGRESS);
		assert_int_equal(uromw_watchdog_look(), -1);
		assert_int_equal(uromw_watchdog_look(), -1);
		uromw_watch_end();
	}
}

static void no_call_has_no_time(void **state)
{
	(void)state;
	begin_watchdog(1);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(uromw_watchdog_look(), -1);
}

static void without_a_timeout_a_call_may_last(void **state)
{
	(void)state;
	begin_watchdog(0);
	uromw_watch_begin("x", 0, WIRE_CALL_WORKER_CMD);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(uromw_watchdog_look(), -1);
	uromw_watch_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(soon_after_activity_plugins_are_polled_often),
		TEST(later_on_the_sleep_grows_from_1_to_50_ms),
		TEST(with_commands_it_grows_to_1_ms),
		TEST(a_call_over_its_time_ends_the_process),
		TEST(each_call_has_its_own_time),
		TEST(no_call_has_no_time),
		TEST(without_a_timeout_a_call_may_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
