/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands and notifications: what a plugin gets, what a host gets back, and what goes wrong. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "worker_rig.h"

#define NUM_ORDERED 2000

static struct rig rig;
static struct rig_host host;

static int worker_begin(void **state)
{
	static const struct rig_config config = {
		.plugins = { "worker_play_a", "worker_play_event" },
	};

	rig_begin(state);
	rig_start(&rig, &config);
	host_attach(&host, &rig);
	return 0;
}

static int worker_end(void **state)
{
	host_close(&host);
	rig_stop(&rig);
	return test_end(state);
}

#define WORKER_TEST(name) RIG_OVER_EACH(name, worker_begin, worker_end)

static void fill(uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i * 13 + len);
}

static void bytes_of_any_length_come_back(void **state)
{
	uint8_t bytes[64];

	(void)state;
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		const struct rig_note *note;

		fill(bytes, len);
		note = host_run(&host, RIG_ID(len % 2), PLAY_ECHO, 0, bytes, len, DOCA_SUCCESS);
		assert_int_equal(note->len, len);
		assert_memory_equal(note->payload, bytes, len);
	}
}

static void a_command_is_one_block_with_zeros_behind_it(void **state)
{
	uint8_t bytes[17];

	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		const size_t len = i % sizeof(bytes);
		const struct rig_note *note;
		const struct play_block *block;

		fill(bytes, len);
		note = host_run(&host, RIG_ID(0), PLAY_BLOCK, 0, bytes, len, DOCA_SUCCESS);
		assert_int_equal(note->len, sizeof(*block));
		block = (const void *)note->payload;
		assert_int_equal(block->type, RIG_ID(0));
		assert_int_equal(block->dest_id, host.connection);
		assert_int_equal(block->len, sizeof(struct play_cmd) + len);
		assert_int_equal(block->misalignment, 0);
		assert_true(block->room >= 64);
		assert_int_equal(block->num_zeros, 64);
	}
}

/* As many at once as do not fit into one message of the channel's, nor into one turn. */
static void notifications_come_in_the_order_of_commands(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < NUM_ORDERED; i++)
		host_send(&host, RIG_ID(0), i, PLAY_ECHO, 0, &i, sizeof(i));
	for (uint32_t i = 0; i < NUM_ORDERED; i++) {
		const struct rig_note *note = host_take_end(&host, i, DOCA_SUCCESS);

		assert_memory_equal(note->payload, &i, sizeof(i));
	}
}

static void commands_end_in_any_order(void **state)
{
	(void)state;
	host_send(&host, RIG_ID(0), 1, PLAY_HOLD, 0, "one", 3);
	host_send(&host, RIG_ID(0), 2, PLAY_HOLD, 0, "two", 3);
	host_send(&host, RIG_ID(0), 3, PLAY_ECHO, 0, NULL, 0);
	host_send(&host, RIG_ID(0), 4, PLAY_RELEASE, 0, NULL, 0);
	(void)host_take_end(&host, 3, DOCA_SUCCESS);
	assert_memory_equal(host_take_end(&host, 1, DOCA_SUCCESS)->payload, "one", 3);
	assert_memory_equal(host_take_end(&host, 2, DOCA_SUCCESS)->payload, "two", 3);
	(void)host_take_end(&host, 4, DOCA_SUCCESS);
}

static void an_error_without_a_notification_ends_the_command(void **state)
{
	const struct rig_note *note;

	(void)state;
	note =
	    host_run(&host, RIG_ID(0), PLAY_FAILS, DOCA_ERROR_IN_USE, NULL, 0, DOCA_ERROR_IN_USE);
	assert_int_equal(note->len, 0);
	host_check_quiet(&host, RIG_ID(0));
}

static void an_error_with_a_notification_is_told_once(void **state)
{
	const struct rig_note *note;

	(void)state;
	note = host_run(&host, RIG_ID(0), PLAY_FAILS_TOLD, DOCA_ERROR_NOT_FOUND, "why", 3,
			DOCA_ERROR_NOT_FOUND);
	assert_int_equal(note->len, 3);
	assert_memory_equal(note->payload, "why", 3);
	host_check_quiet(&host, RIG_ID(0));
}

/* What was under way before comes first: it was there first. */
static void an_error_passes_no_other_notification(void **state)
{
	(void)state;
	host_send(&host, RIG_ID(0), 1, PLAY_HOLD, 0, NULL, 0);
	host_send(&host, RIG_ID(0), 2, PLAY_RELEASE, 0, NULL, 0);
	host_send(&host, RIG_ID(0), 3, PLAY_FAILS, DOCA_ERROR_AGAIN, NULL, 0);
	(void)host_take_end(&host, 1, DOCA_SUCCESS);
	(void)host_take_end(&host, 2, DOCA_SUCCESS);
	(void)host_take_end(&host, 3, DOCA_ERROR_AGAIN);
}

static void a_command_that_is_too_short_ends_with_the_plugin_s_error(void **state)
{
	(void)state;
	host_send_raw(&host, RIG_ID(0), 1, "x", 1);
	(void)host_take_end(&host, 1, DOCA_ERROR_INVALID_VALUE);
	host_send_raw(&host, RIG_ID(0), 2, NULL, 0);
	(void)host_take_end(&host, 2, DOCA_ERROR_INVALID_VALUE);
	(void)host_run(&host, RIG_ID(0), PLAY_NUM_OPS, 0, NULL, 0, DOCA_ERROR_INVALID_VALUE);
	host_check_quiet(&host, RIG_ID(0));
}

static void a_command_that_is_left_in_the_list_ends(void **state)
{
	(void)state;
	(void)host_run(&host, RIG_ID(0), PLAY_LEFT, DOCA_ERROR_FULL, NULL, 0, DOCA_ERROR_FULL);
	host_check_quiet(&host, RIG_ID(0));
	rig_expect_log(&rig, "takes no command from its list");
	(void)host_run(&host, RIG_ID(0), PLAY_LEFT, DOCA_SUCCESS, NULL, 0, DOCA_ERROR_UNEXPECTED);
	host_check_quiet(&host, RIG_ID(0));
}

static void a_second_notification_is_dropped(void **state)
{
	(void)state;
	rig_expect_log(&rig, "or a second time, is dropped");
	(void)host_run(&host, RIG_ID(0), PLAY_TWICE, 0, "once", 4, DOCA_SUCCESS);
	host_check_quiet(&host, RIG_ID(0));
}

static void a_notification_for_another_connection_is_dropped(void **state)
{
	(void)state;
	(void)host_run(&host, RIG_ID(0), PLAY_ASTRAY, 4711, "mine", 4, DOCA_SUCCESS);
	host_check_quiet(&host, RIG_ID(0));
}

static void a_notification_of_the_whole_limit_comes(void **state)
{
	const struct rig_note *note;

	(void)state;
	note = host_run(&host, RIG_ID(0), PLAY_SIZED, RIG_MAX_MESSAGE - 32, NULL, 0, DOCA_SUCCESS);
	assert_int_equal(note->len, RIG_MAX_MESSAGE - 32);
	for (size_t i = 0; i < note->len; i++)
		assert_int_equal(note->payload[i], 'x');
}

/* The plugin aborts when it is to pack more than there is room for. */
static void a_notification_over_the_limit_is_too_big(void **state)
{
	static const uint32_t sizes[] = { RIG_MAX_MESSAGE - 31, RIG_MAX_MESSAGE, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct rig_note *note =
		    host_run(&host, RIG_ID(0), PLAY_SIZED, sizes[i], NULL, 0, DOCA_ERROR_TOO_BIG);

		assert_int_equal(note->len, 0);
	}
	host_check_quiet(&host, RIG_ID(0));
}

static void the_limit_is_that_of_the_host(void **state)
{
	static struct rig_host small;
	uint8_t bytes[512 - 24 - sizeof(struct play_cmd)] = { 0 };

	(void)state;
	host_open(&small, &rig, 512);
	host_show(&small, small.connection, small.ticket);
	host_wait(&small, &small.is_attached);
	(void)host_run(&small, RIG_ID(0), PLAY_SIZED, 512 - 32, NULL, 0, DOCA_SUCCESS);
	(void)host_run(&small, RIG_ID(0), PLAY_SIZED, 512 - 31, NULL, 0, DOCA_ERROR_TOO_BIG);
	(void)host_run(&host, RIG_ID(0), PLAY_SIZED, 512 - 31, NULL, 0, DOCA_SUCCESS);
	/* The longest command, whose echo fits because its header is longer than the command's. */
	(void)host_run(&small, RIG_ID(0), PLAY_ECHO, 0, bytes, sizeof(bytes), DOCA_SUCCESS);
	host_close(&small);
}

static void a_command_of_the_whole_limit_comes(void **state)
{
	uint8_t bytes[RIG_MAX_MESSAGE - 24 - sizeof(struct play_cmd)];
	const struct rig_note *note;

	(void)state;
	fill(bytes, sizeof(bytes));
	note = host_run(&host, RIG_ID(0), PLAY_ECHO, 0, bytes, sizeof(bytes), DOCA_SUCCESS);
	assert_int_equal(note->len, sizeof(bytes));
	assert_memory_equal(note->payload, bytes, sizeof(bytes));
}

static void a_command_over_the_limit_ends_the_connection(void **state)
{
	uint8_t bytes[RIG_MAX_MESSAGE - 24 - sizeof(struct play_cmd) + 1] = { 0 };

	(void)state;
	host_send(&host, RIG_ID(0), 1, PLAY_ECHO, 0, bytes, sizeof(bytes));
	host_wait_closed(&host);
	assert_int_equal(host.num_notes, 0);
}

static void the_packed_length_is_what_counts(void **state)
{
	const struct rig_note *note;

	(void)state;
	note = host_run(&host, RIG_ID(0), PLAY_PACK_SAYS, 35, "abcdef", 6, DOCA_SUCCESS);
	assert_int_equal(note->len, 3);
	assert_memory_equal(note->payload, "abc", 3);
	note = host_run(&host, RIG_ID(0), PLAY_PACK_SAYS, 32, "abcdef", 6, DOCA_SUCCESS);
	assert_int_equal(note->len, 0);
}

static void a_packed_length_that_cannot_be_is_not_believed(void **state)
{
	(void)state;
	rig_expect_log(&rig, "notif_pack gives a length that cannot be");
	(void)host_run(&host, RIG_ID(0), PLAY_PACK_SAYS, 31, NULL, 0, DOCA_ERROR_UNEXPECTED);
	(void)host_run(&host, RIG_ID(0), PLAY_PACK_SAYS, RIG_MAX_MESSAGE + 1, NULL, 0,
		       DOCA_ERROR_UNEXPECTED);
	host_check_quiet(&host, RIG_ID(0));
}

static void a_notification_that_cannot_be_packed_ends_the_command(void **state)
{
	const struct rig_note *note;

	(void)state;
	rig_expect_log(&rig, "notif_pack failed");
	note = host_run(&host, RIG_ID(0), PLAY_PACK_FAILS, DOCA_ERROR_IO_FAILED, "bytes", 5,
			DOCA_ERROR_IO_FAILED);
	assert_int_equal(note->len, 0);
	host_check_quiet(&host, RIG_ID(0));
}

static void notifications_count_whatever_progress_returns(void **state)
{
	static const doca_error_t odd[] = { DOCA_ERROR_EMPTY, DOCA_ERROR_AGAIN,
					    DOCA_ERROR_IN_PROGRESS, DOCA_ERROR_DRIVER };

	(void)state;
	rig_expect_log(&rig, "progress gives an error");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		const struct rig_note *note =
		    host_run(&host, RIG_ID(0), PLAY_PROGRESS, odd[i], "here", 4, DOCA_SUCCESS);

		assert_memory_equal(note->payload, "here", 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORKER_TEST(bytes_of_any_length_come_back),
		WORKER_TEST(a_command_is_one_block_with_zeros_behind_it),
		WORKER_TEST(notifications_come_in_the_order_of_commands),
		WORKER_TEST(commands_end_in_any_order),
		WORKER_TEST(an_error_without_a_notification_ends_the_command),
		WORKER_TEST(an_error_with_a_notification_is_told_once),
		WORKER_TEST(an_error_passes_no_other_notification),
		WORKER_TEST(a_command_that_is_too_short_ends_with_the_plugin_s_error),
		WORKER_TEST(a_command_that_is_left_in_the_list_ends),
		WORKER_TEST(a_second_notification_is_dropped),
		WORKER_TEST(a_notification_for_another_connection_is_dropped),
		WORKER_TEST(a_notification_of_the_whole_limit_comes),
		WORKER_TEST(a_notification_over_the_limit_is_too_big),
		WORKER_TEST(the_limit_is_that_of_the_host),
		WORKER_TEST(a_command_of_the_whole_limit_comes),
		WORKER_TEST(a_command_over_the_limit_ends_the_connection),
		WORKER_TEST(the_packed_length_is_what_counts),
		WORKER_TEST(a_packed_length_that_cannot_be_is_not_believed),
		WORKER_TEST(a_notification_that_cannot_be_packed_ends_the_command),
		WORKER_TEST(notifications_count_whatever_progress_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
