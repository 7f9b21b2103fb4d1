/* SPDX-License-Identifier: BSD-3-Clause */
/* How a worker ends: asked to, left alone, stuck, crashed. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "test.h"
#include "urom/worker/limits.h"
#include "worker_rig.h"

static struct rig rig;
static struct rig_host host;

static const struct rig_config usual = { 0 };

static void assert_closed(void)
{
	assert_non_null(strstr(rig.traced, "worker_play_a: close\n"));
}

static void sigterm_is_a_good_end(void **state)
{
	(void)state;
	rig_start(&rig, &usual);
	host_attach(&host, &rig);
	assert_int_equal(kill(rig.pid, SIGTERM), 0);
	host_wait_closed(&host);
	host_close(&host);
	rig_check_log(&rig, "a signal asks for the end");
	rig_wait_exit(&rig, UROMW_EXIT_ENDED);
	assert_closed();
}

static void an_end_of_the_control_path_is_a_good_end(void **state)
{
	(void)state;
	rig_start(&rig, &usual);
	host_attach(&host, &rig);
	host_send(&host, RIG_ID(0), 1, PLAY_HOLD, 0, NULL, 0);
	host_check_quiet(&host, RIG_ID(0));
	chan_stream_fini(&rig.control);
	host_wait_closed(&host);
	host_close(&host);
	rig_wait_exit(&rig, UROMW_EXIT_ENDED);
	assert_closed();
}

/* It never comes to sleep, and sees the signal all the same. */
static void a_busy_worker_can_be_ended(void **state)
{
	(void)state;
	rig_start(&rig, &usual);
	host_attach(&host, &rig);
	for (uint32_t i = 0; i < RIG_MAX_NOTES; i++)
		host_send(&host, RIG_ID(0), i, PLAY_ECHO, 0, NULL, 0);
	assert_int_equal(kill(rig.pid, SIGTERM), 0);
	host_wait_closed(&host);
	host_close(&host);
	rig_wait_exit(&rig, UROMW_EXIT_ENDED);
	assert_closed();
}

static void a_message_that_is_none_of_a_daemon_s_ends_it(void **state)
{
	const struct wire_empty nothing = { 0 };

	(void)state;
	rig_start(&rig, &usual);
	rig_expect_log(&rig, "given up over a message DETACHED");
	rig_send(&rig, WIRE_DETACHED, 0, &nothing);
	rig_wait_exit(&rig, UROMW_EXIT_FAILED);
	assert_closed();
}

static void a_ticket_that_cannot_be_ends_it(void **state)
{
	static const struct wire_ticket bad[] = {
		{ .connection = 1, .version = WIRE_VERSION_MAX + 1, .max_message = 4096 },
		{ .connection = 1, .version = WIRE_VERSION_MAX, .max_message = 127 },
		{ .connection = 1, .version = WIRE_VERSION_MAX, .max_message = 4097 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rig_start(&rig, &usual);
		rig_expect_log(&rig, "given up over a message TICKET");
		rig_send(&rig, WIRE_TICKET, 1, &bad[i]);
		rig_wait_exit(&rig, UROMW_EXIT_FAILED);
	}
}

static void the_same_ticket_twice_ends_it(void **state)
{
	const struct wire_ticket ticket = {
		.connection = 1,
		.version = WIRE_VERSION_MAX,
		.max_message = 4096,
	};
	struct wire_empty known;

	(void)state;
	rig_start(&rig, &usual);
	rig_expect_log(&rig, "given up over a message TICKET");
	rig_send(&rig, WIRE_TICKET, 1, &ticket);
	rig_take(&rig, WIRE_TICKET_KNOWN, 1, &known);
	rig_send(&rig, WIRE_TICKET, 2, &ticket);
	rig_wait_exit(&rig, UROMW_EXIT_FAILED);
}

static void a_stuck_plugin_is_ended(void **state)
{
	static const struct rig_config config = { .plugin_timeout = "1" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	host_send(&host, RIG_ID(0), 1, PLAY_SPINS, UINT32_MAX, NULL, 0);
	rig_expect_log(&rig, "plugin worker_play_a: worker_cmd has not returned for 1 s");
	rig_wait_exit(&rig, UROMW_EXIT_STUCK);
	host_wait_closed(&host);
	host_close(&host);
}

static void a_slow_plugin_is_warned_about(void **state)
{
	static const struct rig_config config = { .plugin_timeout = "0" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	rig_expect_log(&rig, "plugin worker_play_a: worker_cmd has not returned for 5 s");
	(void)host_run(&host, RIG_ID(0), PLAY_SPINS, 7000, NULL, 0, DOCA_SUCCESS);
	host_close(&host);
	rig_stop(&rig);
}

static void a_silent_worker_says_nothing_of_it(void **state)
{
	static const struct rig_config config = { .plugin_timeout = "1", .log_level = "10" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	host_send(&host, RIG_ID(0), 1, PLAY_SPINS, UINT32_MAX, NULL, 0);
	rig_wait_exit(&rig, UROMW_EXIT_STUCK);
	assert_int_equal(rig.log_len, 0);
	host_wait_closed(&host);
	host_close(&host);
}

static void a_plugin_that_does_not_close_is_not_waited_for(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_b" },
		.env = { "PLAY_STAYS=worker_play_b" },
	};
	const struct wire_empty nothing = { 0 };

	(void)state;
	rig_start(&rig, &config);
	rig_expect_log(&rig, "plugin worker_play_b: close has not returned");
	rig_send(&rig, WIRE_SHUTDOWN, 0, &nothing);
	rig_wait_exit(&rig, UROMW_EXIT_STUCK);
}

static void a_crash_is_seen_as_one(void **state)
{
	/* A sanitizer's own handler would turn it into an exit, and another complain of UCX's. */
	static const struct rig_config config = {
		.env = { "ASAN_OPTIONS=handle_segv=0",
			 "TSAN_OPTIONS=handle_segv=0:report_signal_unsafe=0" },
	};

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	host_send(&host, RIG_ID(0), 1, PLAY_CRASHES, 0, NULL, 0);
	rig_wait_signal(&rig, SIGSEGV);
	host_wait_closed(&host);
	host_close(&host);
}

/* Its control path stays open, so only its parent's end tells. */
static void an_orphan_ends(void **state)
{
	static const struct rig_config config = { .has_parent = true };

	(void)state;
	rig_start(&rig, &config);
	rig_expect_log(&rig, "the daemon is gone");
	rig_orphan(&rig);
	rig_wait_exit(&rig, UROMW_EXIT_ORPHAN);
}

static void an_orphan_ends_in_the_middle_of_a_call(void **state)
{
	static const struct rig_config config = { .has_parent = true, .plugin_timeout = "0" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	host_send(&host, RIG_ID(0), 1, PLAY_SPINS, UINT32_MAX, NULL, 0);
	rig_expect_log(&rig, "the daemon is gone");
	rig_orphan(&rig);
	rig_wait_exit(&rig, UROMW_EXIT_ORPHAN);
	host_wait_closed(&host);
	host_close(&host);
}

#define END_TEST(name) RIG_OVER(tcp, name, rig_begin, test_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_OVER_EACH(sigterm_is_a_good_end, rig_begin, test_end),
		RIG_OVER_EACH(an_end_of_the_control_path_is_a_good_end, rig_begin, test_end),
		RIG_OVER_EACH(a_busy_worker_can_be_ended, rig_begin, test_end),
		END_TEST(a_message_that_is_none_of_a_daemon_s_ends_it),
		END_TEST(a_ticket_that_cannot_be_ends_it),
		END_TEST(the_same_ticket_twice_ends_it),
		RIG_OVER_EACH(a_stuck_plugin_is_ended, rig_begin, test_end),
		END_TEST(a_slow_plugin_is_warned_about),
		END_TEST(a_silent_worker_says_nothing_of_it),
		END_TEST(a_plugin_that_does_not_close_is_not_waited_for),
		RIG_OVER_EACH(a_crash_is_seen_as_one, rig_begin, test_end),
		END_TEST(an_orphan_ends),
		END_TEST(an_orphan_ends_in_the_middle_of_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
