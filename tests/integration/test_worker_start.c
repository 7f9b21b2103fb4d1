/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's start: what it says to the daemon, and what it calls in its plugins and when. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "worker_rig.h"

static struct rig rig;
static struct rig_host host;

/* trap 40 */
static void plugins_are_called_in_order(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_event" },
	};

	(void)state;
	rig_start(&rig, &config);
	rig_stop(&rig);
	assert_string_equal(rig.traced, "worker_play_a: urom_plugin_get_iface\n"
					"worker_play_a: urom_plugin_get_version\n"
					"worker_play_a: open\n"
					"worker_play_a: addr of no room\n"
					"worker_play_a: addr of its room\n"
					"worker_play_event: urom_plugin_get_iface\n"
					"worker_play_event: urom_plugin_get_version\n"
					"worker_play_event: open\n"
					"worker_play_event: addr of no room\n"
					"worker_play_event: addr of its room\n"
					"worker_play_event: urom_plugin_get_event_fd\n"
					"worker_play_event: close\n"
					"worker_play_a: close\n");
}

static void addresses_of_plugins_are_told(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_b", "worker_play_event" },
		.env = { "PLAY_NO_ADDR=worker_play_b" },
	};

	(void)state;
	rig_start(&rig, &config);
	assert_string_equal(rig.plugin_addrs[0], "worker_play_a" PLAY_ADDR);
	assert_string_equal(rig.plugin_addrs[1], "");
	assert_string_equal(rig.plugin_addrs[2], "worker_play_event" PLAY_ADDR);
	rig_stop(&rig);
}

static void commands_reach_the_plugin_of_their_id(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_b", "worker_play_event" },
	};

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	for (unsigned int i = 0; i < 3; i++) {
		const struct rig_note *note;
		const struct play_block *block;

		note = host_run(&host, RIG_ID(i), PLAY_BLOCK, 0, NULL, 0, DOCA_SUCCESS);
		block = (const void *)note->payload;
		assert_int_equal(block->type, RIG_ID(i));
	}
	(void)host_run(&host, RIG_NO_ID, PLAY_ECHO, 0, NULL, 0, DOCA_ERROR_NOT_SUPPORTED);
	(void)host_run(&host, RIG_ID(0) | RIG_ID(1), PLAY_ECHO, 0, NULL, 0,
		       DOCA_ERROR_NOT_SUPPORTED);
	(void)host_run(&host, 0, PLAY_ECHO, 0, NULL, 0, DOCA_ERROR_NOT_SUPPORTED);
	host_close(&host);
	rig_stop(&rig);
}

static void a_plugin_that_does_not_open_ends_the_start(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_b", "worker_play_event" },
		.env = { "PLAY_REFUSES=worker_play_b" },
	};

	(void)state;
	rig_start_fails(&rig, &config, DOCA_ERROR_DRIVER,
			"plugin worker_play_b: open failed: DOCA_ERROR_DRIVER");
	/* No call of the one that failed, and those before it are closed. */
	assert_string_equal(rig.traced, "worker_play_a: urom_plugin_get_iface\n"
					"worker_play_a: urom_plugin_get_version\n"
					"worker_play_a: open\n"
					"worker_play_a: addr of no room\n"
					"worker_play_a: addr of its room\n"
					"worker_play_b: urom_plugin_get_iface\n"
					"worker_play_b: urom_plugin_get_version\n"
					"worker_play_b: open\n"
					"worker_play_a: close\n");
}

static void a_plugin_for_a_later_interface_is_refused(void **state)
{
	static const struct rig_config config = {
		.env = { "PLAY_NEWER=worker_play_a" },
	};

	(void)state;
	rig_start_fails(&rig, &config, DOCA_ERROR_UNSUPPORTED_VERSION,
			"plugin worker_play_a is for interface 0x3040000");
}

static void a_file_that_is_none_ends_the_start(void **state)
{
	static const struct rig_config config = { .plugins = { "/nowhere/worker_x.so" } };

	(void)state;
	rig_start_fails(&rig, &config, DOCA_ERROR_INITIALIZATION,
			"plugin worker_x cannot be loaded: /nowhere/worker_x.so");
}

static void a_library_that_is_no_plugin_ends_the_start(void **state)
{
	static const struct rig_config config = { .plugins = { TEST_NO_PLUGIN } };

	(void)state;
	rig_start_fails(&rig, &config, DOCA_ERROR_NOT_SUPPORTED, "has no urom_plugin_get_iface");
}

static void a_plugin_that_dies_takes_the_worker_along(void **state)
{
	static const struct rig_config config = {
		.env = { "PLAY_DIES=worker_play_a" },
	};
	const struct wire_welcome record = { .magic = WIRE_MAGIC, .version = WIRE_VERSION_MAX };

	(void)state;
	rig_spawn(&rig, &config);
	rig_send(&rig, WIRE_WELCOME, 0, &record);
	rig_wait_signal(&rig, SIGKILL);
}

static void environment_and_processors_are_those_it_was_started_with(void **state)
{
	static const struct rig_config config = {
		.env = { "PLAY_TEST=a value, with blanks" },
		.cpu = 1,
	};
	const struct rig_note *note;
	cpu_set_t only;

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	note = host_run(&host, RIG_ID(0), PLAY_GETENV, 0, "PLAY_TEST", 9, DOCA_SUCCESS);
	assert_string_equal((const char *)note->payload, "a value, with blanks");
	note = host_run(&host, RIG_ID(0), PLAY_CPUS, 0, NULL, 0, DOCA_SUCCESS);
	CPU_ZERO(&only);
	CPU_SET(0, &only);
	assert_int_equal(note->len, sizeof(only));
	assert_memory_equal(note->payload, &only, sizeof(only));
	host_close(&host);
	rig_stop(&rig);
}

static void domain_lookups_find_nothing(void **state)
{
	static const struct rig_config config = { 0 };
	static const uint32_t expected[] = {
		DOCA_ERROR_NOT_FOUND,     DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_FOUND,
		DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_FOUND,     DOCA_ERROR_INVALID_VALUE,
		DOCA_ERROR_NOT_FOUND,     DOCA_ERROR_INVALID_VALUE,
	};
	const struct rig_note *note;

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	note = host_run(&host, RIG_ID(0), PLAY_LOOK_UP, 0, NULL, 0, DOCA_SUCCESS);
	assert_int_equal(note->len, sizeof(expected));
	assert_memory_equal(note->payload, expected, sizeof(expected));
	host_close(&host);
	rig_stop(&rig);
}

static void its_life_is_in_the_log(void **state)
{
	static const struct rig_config config = { .log_level = "50" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	host_close(&host);
	host_attach(&host, &rig);
	rig_check_log(&rig, "worker 77: started as process");
	rig_check_log(&rig, "worker_play_a");
	rig_check_log(&rig, "127.0.0.1:");
	rig_check_log(&rig, "host 1000 (test): attached over tcp");
	rig_check_log(&rig, "host 1001 (test): attached over tcp");
	rig_check_log(&rig, "host 1000: its connection is lost");
	host_close(&host);
	rig_stop(&rig);
}

static void level_10_is_silent(void **state)
{
	static const struct rig_config config = { .log_level = "10" };

	(void)state;
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	(void)host_run(&host, RIG_ID(0), PLAY_ECHO, 0, NULL, 0, DOCA_SUCCESS);
	(void)host_run(&host, RIG_ID(0), PLAY_LEFT, DOCA_SUCCESS, NULL, 0, DOCA_ERROR_UNEXPECTED);
	host_close(&host);
	rig_stop(&rig);
	assert_int_equal(rig.log_len, 0);
}

static void a_refusal_of_the_daemon_ends_it(void **state)
{
	static const struct rig_config config = { 0 };
	const struct wire_refused record = {
		.magic = WIRE_MAGIC,
		.version_min = 2,
		.version_max = 9,
		.error = DOCA_ERROR_UNSUPPORTED_VERSION,
		.reason = { "too old", 7 },
	};

	(void)state;
	rig_spawn(&rig, &config);
	rig_send(&rig, WIRE_REFUSED, 0, &record);
	rig_expect_log(&rig, "the daemon refuses this worker: too old");
	rig_wait_exit(&rig, EXIT_FAILURE);
}

static void a_welcome_in_another_version_ends_it(void **state)
{
	static const struct rig_config config = { 0 };
	const struct wire_welcome record = { .magic = WIRE_MAGIC, .version = WIRE_VERSION_MAX + 1 };

	(void)state;
	rig_spawn(&rig, &config);
	rig_send(&rig, WIRE_WELCOME, 0, &record);
	rig_expect_log(&rig, "the daemon speaks version 2");
	rig_wait_exit(&rig, EXIT_FAILURE);
}

static void another_message_than_a_welcome_ends_it(void **state)
{
	static const struct rig_config config = { 0 };
	const struct wire_empty nothing = { 0 };

	(void)state;
	rig_spawn(&rig, &config);
	rig_send(&rig, WIRE_SHUTDOWN, 0, &nothing);
	rig_expect_log(&rig, "DOCA_ERROR_CONNECTION_ABORTED");
	rig_wait_exit(&rig, EXIT_FAILURE);
}

static void a_daemon_that_hangs_up_ends_it(void **state)
{
	static const struct rig_config config = { 0 };

	(void)state;
	rig_spawn(&rig, &config);
	chan_stream_fini(&rig.control);
	rig_expect_log(&rig, "DOCA_ERROR_NOT_CONNECTED");
	rig_wait_exit(&rig, EXIT_FAILURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plugins_are_called_in_order),
		TEST(addresses_of_plugins_are_told),
		TEST(commands_reach_the_plugin_of_their_id),
		TEST(a_plugin_that_does_not_open_ends_the_start),
		TEST(a_plugin_for_a_later_interface_is_refused),
		TEST(a_file_that_is_none_ends_the_start),
		TEST(a_library_that_is_no_plugin_ends_the_start),
		TEST(a_plugin_that_dies_takes_the_worker_along),
		TEST(environment_and_processors_are_those_it_was_started_with),
		TEST(domain_lookups_find_nothing),
		TEST(its_life_is_in_the_log),
		TEST(level_10_is_silent),
		TEST(a_refusal_of_the_daemon_ends_it),
		TEST(a_welcome_in_another_version_ends_it),
		TEST(another_message_than_a_welcome_ends_it),
		TEST(a_daemon_that_hangs_up_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
