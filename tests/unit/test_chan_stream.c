/* SPDX-License-Identifier: BSD-3-Clause */

/* Messages over a stream socket: whole ones, pieces, bounds, and every way in which it ends. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/export.h"
#include "stream_rig.h"

static struct stream_rig rig;

static int setup(void **state)
{
	test_begin(state);
	stream_rig_init(&rig);
	return 0;
}

static int teardown(void **state)
{
	stream_rig_fini(&rig);
	return test_end(state);
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* The frames of a command, as the other end would get them; owned, to be freed. */
static uint8_t *frames_of(uint64_t id, size_t payload_len, size_t *len)
{
	uint8_t *bytes;

	assert_success(stream_send_command(&rig.stream, id, payload_len));
	bytes = malloc(payload_len + 4096);
	assert_non_null(bytes);
	*len = 0;
	while (chan_stream_is_sending(&rig.stream) || *len == 0) {
		ssize_t got = read(rig.peer_fd, bytes + *len, payload_len + 4096 - *len);

		assert_true(got > 0);
		*len += (size_t)got;
		assert_success(chan_stream_flush(&rig.stream));
	}
	for (;;) {
		ssize_t got = read(rig.peer_fd, bytes + *len, payload_len + 4096 - *len);

		if (got <= 0)
			return bytes;
		*len += (size_t)got;
	}
}

static void message_passes_unchanged(void **state)
{
	(void)state;

	assert_success(stream_send_command(&rig.stream, 9, 1000));

	stream_expect_command(&rig.peer, 9, 1000);
	stream_expect(&rig.peer, DOCA_ERROR_AGAIN);
}

static void messages_of_one_read_come_one_by_one(void **state)
{
	(void)state;
	for (uint64_t id = 0; id < 20; id++)
		assert_success(stream_send_command(&rig.stream, id, id * 10));

	for (uint64_t id = 0; id < 20; id++) {
		stream_expect_command(&rig.peer, id, id * 10);
		/* What the descriptor does not tell of any more. */
		assert_true(chan_stream_has_rest(&rig.peer) == (id < 19));
	}
	stream_expect(&rig.peer, DOCA_ERROR_AGAIN);
}

static void message_without_a_body_passes(void **state)
{
	const struct wire_empty nothing = { 0 };
	struct chan_message message;

	(void)state;
	assert_success(chan_stream_send(&rig.stream, WIRE_SHUTDOWN, 3, &nothing));

	assert_success(chan_stream_receive(&rig.peer, &message));
	assert_int_equal(message.type, WIRE_SHUTDOWN);
	assert_int_equal(message.id, 3);
	assert_int_equal(message.len, 0);
}

static void unknown_type_is_handed_on(void **state)
{
	const struct wire_header header = { .len = 5, .type = 999, .id = 4 };
	struct chan_message message;
	struct wire_command command;

	(void)state;
	stream_rig_write_frame(&rig, &header, 'x');

	assert_success(chan_stream_receive(&rig.stream, &message));
	assert_int_equal(message.type, 999);
	assert_string_equal(chan_message_name(&message), "?");
	assert_error(chan_message_decode(&message, &command), DOCA_ERROR_CONNECTION_ABORTED);
}

static void one_byte_at_a_time_is_enough(void **state)
{
	size_t len;
	uint8_t *bytes = frames_of(5, 300, &len);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
		stream_rig_write(&rig, bytes + i, 1);
	}
	stream_expect_command(&rig.stream, 5, 300);
	free(bytes);
}

static void pieces_come_in_any_portions(void **state)
{
	static const size_t portions[] = { 1, 15, 16, 17, 4095, 4096, 4097, 65535, 65536, 65552 };
	size_t len;
	uint8_t *bytes = frames_of(6, 300000, &len);

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(portions); i++) {
		size_t at = 0;

		while (at < len) {
			/* Small ones across the first headers alone, or it would take long. */
			size_t portion =
			    at % 65552 < 1000 || portions[i] > 1000 ? portions[i] : 64000;
			size_t part = portion < len - at ? portion : len - at;

			stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
			stream_rig_write(&rig, bytes + at, part);
			at += part;
		}
		stream_expect_command(&rig.stream, 6, 300000);
	}
	free(bytes);
}

static void sizes_around_a_piece_pass(void **state)
{
	static const size_t lens[] = { WIRE_MAX_PIECE - 21, WIRE_MAX_PIECE - 20,
				       WIRE_MAX_PIECE - 19, 2 * WIRE_MAX_PIECE - 20,
				       2 * WIRE_MAX_PIECE - 19 };
	struct chan_message message;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(lens); i++) {
		assert_success(stream_send_command(&rig.stream, i, lens[i]));
		stream_pass(&rig.stream, &rig.peer, &message);
		stream_check_command(&message, i, lens[i]);
	}
}

static void longest_message_passes_and_is_not_kept(void **state)
{
	struct chan_message message;

	(void)state;
	assert_success(stream_send_command(&rig.stream, 1, STREAM_MAX_PAYLOAD));
	assert_true(chan_stream_is_sending(&rig.stream));

	stream_pass(&rig.stream, &rig.peer, &message);

	stream_check_command(&message, 1, STREAM_MAX_PAYLOAD);
	assert_false(chan_stream_is_sending(&rig.stream));
	assert_in_range(rig.stream.out_capacity, 0, 256u << 10);
	stream_expect(&rig.peer, DOCA_ERROR_AGAIN);
	assert_int_equal(rig.peer.assembly.capacity, 0);
	assert_in_range(rig.peer.in_capacity, 0, 256u << 10);
}

static void messages_wait_in_order(void **state)
{
	struct chan_message message;

	(void)state;
	for (uint64_t id = 1; id <= 200; id++)
		assert_success(stream_send_command(&rig.stream, id, 10000 + id));
	assert_true(chan_stream_is_sending(&rig.stream));

	for (uint64_t id = 1; id <= 200; id++) {
		stream_pass(&rig.stream, &rig.peer, &message);
		stream_check_command(&message, id, 10000 + id);
		/* Others go on being sent meanwhile. */
		assert_success(stream_send_command(&rig.peer, id, 10));
		stream_expect_command(&rig.stream, id, 10);
	}
}

static void queue_that_never_empties_does_not_grow(void **state)
{
	struct chan_message message;
	size_t capacity;

	(void)state;
	while (rig.stream.out_len < 1u << 20)
		assert_success(stream_send_command(&rig.stream, 1, 10000));
	capacity = rig.stream.out_capacity;

	for (unsigned int i = 0; i < 2000; i++) {
		stream_pass(&rig.stream, &rig.peer, &message);
		assert_success(stream_send_command(&rig.stream, 1, 10000));
	}
	assert_in_range(rig.stream.out_capacity, 0, 4 * capacity);
}

static void message_over_max_out_is_refused_whole(void **state)
{
	doca_error_t result;
	uint64_t num_sent = 0;
	struct chan_message message;

	(void)state;
	rig.stream.max_out = 100000;
	for (;;) {
		result = stream_send_command(&rig.stream, num_sent + 1, 3000);
		if (result != DOCA_SUCCESS)
			break;
		num_sent++;
	}

	assert_error(result, DOCA_ERROR_FULL);
	assert_in_range(rig.stream.out_len, 100000 - 4000, 100000);
	for (uint64_t id = 1; id <= num_sent; id++) {
		stream_pass(&rig.stream, &rig.peer, &message);
		stream_check_command(&message, id, 3000);
	}
	assert_success(stream_send_command(&rig.stream, 7, 3000));
	stream_expect_command(&rig.peer, 7, 3000);
}

static void message_of_just_max_out_is_sent(void **state)
{
	(void)state;
	rig.stream.max_out = WIRE_HEADER_SIZE + 20 + 100;

	assert_error(stream_send_command(&rig.stream, 1, 101), DOCA_ERROR_FULL);
	assert_success(stream_send_command(&rig.stream, 2, 100));

	stream_expect_command(&rig.peer, 2, 100);
}

static void field_over_its_limit_is_refused_whole(void **state)
{
	(void)state;
	assert_error(stream_send_command(&rig.stream, 1, STREAM_MAX_PAYLOAD + 1),
		     DOCA_ERROR_INVALID_VALUE);
	assert_error(stream_send_command(&rig.stream, 1, WIRE_MAX_BODY), DOCA_ERROR_INVALID_VALUE);
	assert_false(chan_stream_is_sending(&rig.stream));

	assert_success(stream_send_command(&rig.stream, 2, 10));
	stream_expect_command(&rig.peer, 2, 10);
}

static void message_over_max_body_is_aborted(void **state)
{
	(void)state;
	rig.peer.max_body = 120;
	assert_success(stream_send_command(&rig.stream, 1, 100));
	assert_success(stream_send_command(&rig.stream, 2, 101));
	assert_success(stream_send_command(&rig.stream, 3, 1));

	stream_expect_command(&rig.peer, 1, 100);
	stream_expect(&rig.peer, DOCA_ERROR_CONNECTION_ABORTED);
	stream_expect(&rig.peer, DOCA_ERROR_CONNECTION_RESET);
}

static void piece_over_max_body_is_aborted_before_it_comes(void **state)
{
	const struct wire_header header = { .len = 101, .type = WIRE_COMMAND };
	uint8_t bytes[WIRE_HEADER_SIZE];

	(void)state;
	rig.stream.max_body = 100;
	wire_header_encode(&header, bytes);
	stream_rig_write(&rig, bytes, sizeof(bytes));

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_ABORTED);
}

static void pieces_over_max_body_are_aborted(void **state)
{
	const struct wire_header header = { .len = 60, .type = WIRE_COMMAND, .has_more = true };

	(void)state;
	rig.stream.max_body = 100;
	stream_rig_write_frame(&rig, &header, 1);
	stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	stream_rig_write_frame(&rig, &header, 1);

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_ABORTED);
}

static void max_body_that_sinks_holds_at_once(void **state)
{
	const struct wire_header header = { .len = 60, .type = WIRE_COMMAND, .has_more = true };
	const struct wire_header empty = { .len = 0, .type = WIRE_COMMAND };

	(void)state;
	stream_rig_write_frame(&rig, &header, 1);
	stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	rig.stream.max_body = 10;
	stream_rig_write_frame(&rig, &empty, 1);

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_ABORTED);
}

static void max_body_over_the_protocol_s_is_that(void **state)
{
	const struct wire_header header = { .len = WIRE_MAX_PIECE, .has_more = true };
	size_t num_pieces = WIRE_MAX_BODY / WIRE_MAX_PIECE;
	struct chan_message message;

	(void)state;
	rig.stream.max_body = SIZE_MAX;
	for (size_t i = 0; i < num_pieces; i++) {
		stream_rig_write_frame(&rig, &header, 1);
		stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	}
	stream_rig_write_frame(&rig, &header, 1);

	assert_error(chan_stream_receive(&rig.stream, &message), DOCA_ERROR_CONNECTION_ABORTED);
}

static void garbage_is_aborted(void **state)
{
	static const char garbage[] = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n";

	(void)state;
	stream_rig_write(&rig, garbage, sizeof(garbage));

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_ABORTED);
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
	assert_error(stream_send_command(&rig.stream, 1, 1), DOCA_ERROR_CONNECTION_RESET);
}

static void piece_of_another_message_is_aborted(void **state)
{
	(void)state;
	stream_rig_write_frame(
	    &rig, &(struct wire_header){ .len = 5, .type = 50, .has_more = true, .id = 1 }, 1);
	stream_rig_write_frame(&rig, &(struct wire_header){ .len = 5, .type = 50, .id = 2 }, 1);

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_ABORTED);
}

static void words_before_the_end_are_heard(void **state)
{
	(void)state;
	for (uint64_t id = 1; id <= 3; id++)
		assert_success(stream_send_command(&rig.peer, id, 100));
	stream_rig_hang_up(&rig);

	for (uint64_t id = 1; id <= 3; id++)
		stream_expect_command(&rig.stream, id, 100);
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
}

static void words_before_the_end_are_heard_by_one_who_sends(void **state)
{
	(void)state;
	assert_success(stream_send_command(&rig.peer, 1, 100));
	stream_rig_hang_up(&rig);

	assert_error(stream_send_command(&rig.stream, 1, 10), DOCA_ERROR_CONNECTION_RESET);
	assert_error(stream_send_command(&rig.stream, 1, 10), DOCA_ERROR_CONNECTION_RESET);
	assert_false(chan_stream_is_sending(&rig.stream));

	stream_expect_command(&rig.stream, 1, 100);
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
}

static void end_within_a_frame_is_a_reset(void **state)
{
	size_t len;
	uint8_t *bytes = frames_of(5, 300, &len);

	(void)state;
	stream_rig_write(&rig, bytes, len - 1);
	free(bytes);
	stream_rig_hang_up(&rig);

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
}

static void descriptor_stays_open_after_the_end(void **state)
{
	(void)state;
	stream_rig_hang_up(&rig);
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);

	/* Whoever waits for it takes it off the list before another gets its number. */
	assert_true(fcntl(rig.stream.fd, F_GETFD) >= 0);
	assert_true(rig.stream.is_open);
}

static void socket_does_not_block(void **state)
{
	(void)state;
	assert_true((fcntl(rig.stream.fd, F_GETFL) & O_NONBLOCK) != 0);
}

static void fini_ends_streams_in_any_state(void **state)
{
	const struct wire_header more = { .len = 60, .type = WIRE_COMMAND, .has_more = true };
	struct chan_stream stream = { .fd = 0 };
	struct chan_message message;

	(void)state;
	chan_stream_fini(&stream); /* zeroed: standard input must not be closed */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	chan_stream_fini(&stream); /* finished */
	assert_error(chan_stream_receive(&stream, &message), DOCA_ERROR_CONNECTION_RESET);
	assert_error(stream_send_command(&stream, 1, 1), DOCA_ERROR_CONNECTION_RESET);

	stream_rig_write_frame(&rig, &more, 1); /* part of a message, and part of a frame */
	stream_rig_write(&rig, "abc", 3);
	stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	assert_success(stream_send_command(&rig.stream, 1, STREAM_MAX_PAYLOAD));
	assert_true(chan_stream_is_sending(&rig.stream)); /* and messages that wait */
}

static void descriptor_zero_is_one_as_any_other(void **state)
{
	struct chan_stream stream;
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int fds[2], flags;

	(void)state;
	assert_true(saved >= 0);
	close(STDIN_FILENO);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(fds[0], 0);
	chan_stream_init(&stream, fds[0]);
	chan_stream_fini(&stream);
	flags = fcntl(STDIN_FILENO, F_GETFD);
	close(fds[1]);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);

	assert_int_equal(flags, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM_TEST(message_passes_unchanged),
		STREAM_TEST(messages_of_one_read_come_one_by_one),
		STREAM_TEST(message_without_a_body_passes),
		STREAM_TEST(unknown_type_is_handed_on),
		STREAM_TEST(one_byte_at_a_time_is_enough),
		STREAM_TEST(pieces_come_in_any_portions),
		STREAM_TEST(sizes_around_a_piece_pass),
		STREAM_TEST(longest_message_passes_and_is_not_kept),
		STREAM_TEST(messages_wait_in_order),
		STREAM_TEST(queue_that_never_empties_does_not_grow),
		STREAM_TEST(message_over_max_out_is_refused_whole),
		STREAM_TEST(message_of_just_max_out_is_sent),
		STREAM_TEST(field_over_its_limit_is_refused_whole),
		STREAM_TEST(message_over_max_body_is_aborted),
		STREAM_TEST(piece_over_max_body_is_aborted_before_it_comes),
		STREAM_TEST(pieces_over_max_body_are_aborted),
		STREAM_TEST(max_body_that_sinks_holds_at_once),
		STREAM_TEST(max_body_over_the_protocol_s_is_that),
		STREAM_TEST(garbage_is_aborted),
		STREAM_TEST(piece_of_another_message_is_aborted),
		STREAM_TEST(words_before_the_end_are_heard),
		STREAM_TEST(words_before_the_end_are_heard_by_one_who_sends),
		STREAM_TEST(end_within_a_frame_is_a_reset),
		STREAM_TEST(descriptor_stays_open_after_the_end),
		STREAM_TEST(socket_does_not_block),
		STREAM_TEST(fini_ends_streams_in_any_state),
		STREAM_TEST(descriptor_zero_is_one_as_any_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
