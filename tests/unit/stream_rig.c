/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream_rig.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLUGIN      0x4
#define PATIENCE_MS 20000

void stream_rig_init(struct stream_rig *rig)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	chan_stream_init(&rig->stream, fds[0]);
	chan_stream_init(&rig->peer, fds[1]);
	rig->peer_fd = fds[1];
}

void stream_rig_fini(struct stream_rig *rig)
{
	chan_stream_fini(&rig->stream);
	stream_rig_hang_up(rig);
}

void stream_rig_hang_up(struct stream_rig *rig)
{
	chan_stream_fini(&rig->peer);
	rig->peer_fd = -1;
}

void stream_rig_write(struct stream_rig *rig, const void *bytes, size_t len)
{
	assert_int_equal(write(rig->peer_fd, bytes, len), len);
}

void stream_rig_write_frame(struct stream_rig *rig, const struct wire_header *header, uint8_t value)
{
	uint8_t *frame = malloc(WIRE_HEADER_SIZE + header->len);

	assert_non_null(frame);
	wire_header_encode(header, frame);
	memset(frame + WIRE_HEADER_SIZE, value, header->len);
	stream_rig_write(rig, frame, WIRE_HEADER_SIZE + header->len);
	free(frame);
}

static uint8_t pattern(uint64_t id, size_t i)
{
	return (uint8_t)(i * 13 + i / 255 + id);
}

doca_error_t stream_send_command(struct chan_stream *stream, uint64_t id, size_t len)
{
	uint8_t *payload = malloc(len + 1);
	const struct wire_command command = {
		.plugin = PLUGIN,
		.context = id,
		.payload = { payload, (uint32_t)len },
	};
	doca_error_t result;

	assert_non_null(payload);
	for (size_t i = 0; i < len; i++)
		payload[i] = pattern(id, i);
	result = chan_stream_send(stream, WIRE_COMMAND, id, &command);
	memset(payload, 0xee, len); /* it was encoded */
	free(payload);
	return result;
}

void stream_check_command(const struct chan_message *message, uint64_t id, size_t len)
{
	struct wire_command command;
	const uint8_t *payload;

	assert_int_equal(message->type, WIRE_COMMAND);
	assert_int_equal(message->id, id);
	assert_success(chan_message_decode(message, &command));
	assert_int_equal(command.plugin, PLUGIN);
	assert_int_equal(command.context, id);
	assert_int_equal(command.payload.len, len);
	payload = command.payload.data;
	for (size_t i = 0; i < len; i++) {
		if (payload[i] != pattern(id, i))
			fail_msg("byte %zu is %u, not %u", i, payload[i], pattern(id, i));
	}
}

void stream_expect_command(struct chan_stream *stream, uint64_t id, size_t len)
{
	struct chan_message message;

	assert_success(chan_stream_receive(stream, &message));
	stream_check_command(&message, id, len);
}

void stream_expect(struct chan_stream *stream, doca_error_t result)
{
	struct chan_message message;

	assert_error(chan_stream_receive(stream, &message), result);
}

void stream_pass(struct chan_stream *from, struct chan_stream *to, struct chan_message *message)
{
	doca_error_t result;

	do {
		struct pollfd watched = { .fd = to->fd, .events = POLLIN };

		assert_success(chan_stream_flush(from));
		result = chan_stream_receive(to, message);
		if (result == DOCA_ERROR_AGAIN && !chan_stream_is_sending(from))
			assert_true(poll(&watched, 1, PATIENCE_MS) > 0);
	} while (result == DOCA_ERROR_AGAIN);
	assert_success(result);
}
