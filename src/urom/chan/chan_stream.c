/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "urom/wire/wire_messages.h"

/* A buffer that holds a whole frame never waits for room; small streams stay small. */
#define FIRST_CAPACITY 4096
#define KEPT_CAPACITY  (256u << 10)

void chan_stream_init(struct chan_stream *stream, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	*stream = (struct chan_stream){ .fd = fd, .max_body = WIRE_MAX_BODY };
	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK); /* cannot fail on a socket */
}

static void stream_end(struct chan_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
	stream->out_len = 0;
}

void chan_stream_fini(struct chan_stream *stream)
{
	if (stream->fd > 0)
		stream_end(stream);
	wire_assembly_fini(&stream->assembly);
	free(stream->in);
	free(stream->out);
	*stream = (struct chan_stream){ .fd = -1 };
}

/* --- Sending --- */

/* Makes room for len bytes behind what waits. */
static doca_error_t out_reserve(struct chan_stream *stream, size_t len)
{
	size_t capacity = stream->out_capacity > 0 ? stream->out_capacity : FIRST_CAPACITY;
	uint8_t *grown;

	if (stream->out_len == 0)
		stream->out_at = 0;
	if (stream->out_at + stream->out_len + len <= stream->out_capacity)
		return DOCA_SUCCESS;
	if (stream->out_at > 0) {
		memmove(stream->out, stream->out + stream->out_at, stream->out_len);
		stream->out_at = 0;
	}
	while (capacity < stream->out_len + len)
		capacity *= 2;
	if (capacity == stream->out_capacity)
		return DOCA_SUCCESS;
	grown = realloc(stream->out, capacity);
	if (grown == NULL)
		return DOCA_ERROR_NO_MEMORY;
	stream->out = grown;
	stream->out_capacity = capacity;
	return DOCA_SUCCESS;
}

/* Has a body of len bytes, already behind the room of its first header, cut into frames. */
static void out_frame(uint8_t *at, size_t len, uint16_t type, uint64_t id)
{
	size_t num_pieces = len == 0 ? 1 : (len + WIRE_MAX_PIECE - 1) / WIRE_MAX_PIECE;

	/* From the last piece on, so that each moves into room that is free. */
	for (size_t i = num_pieces; i-- > 0;) {
		size_t offset = i * WIRE_MAX_PIECE;
		size_t piece_len = len - offset < WIRE_MAX_PIECE ? len - offset : WIRE_MAX_PIECE;
		uint8_t *frame = at + offset + i * WIRE_HEADER_SIZE;
		const struct wire_header header = {
			.len = (uint32_t)piece_len,
			.type = type,
			.has_more = i + 1 < num_pieces,
			.id = id,
		};

		memmove(frame + WIRE_HEADER_SIZE, at + WIRE_HEADER_SIZE + offset, piece_len);
		wire_header_encode(&header, frame);
	}
}

static size_t framed_size(size_t len)
{
	size_t num_pieces = len == 0 ? 1 : (len + WIRE_MAX_PIECE - 1) / WIRE_MAX_PIECE;

	return len + num_pieces * WIRE_HEADER_SIZE;
}

doca_error_t chan_stream_send(struct chan_stream *stream, uint16_t type, uint64_t id,
			      const void *record)
{
	const struct wire_message *message = wire_message_find(type);
	enum wire_result encoded;
	doca_error_t result;
	size_t len, size;
	uint8_t *at;

	assert(message != NULL);
	if (stream->fd < 0 || stream->is_deaf)
		return DOCA_ERROR_CONNECTION_RESET;
	len = wire_encoded_size(message, record);
	if (len > WIRE_MAX_BODY)
		return DOCA_ERROR_INVALID_VALUE;
	size = framed_size(len);
	if (stream->max_out > 0 && stream->out_len + size > stream->max_out)
		return DOCA_ERROR_FULL;
	result = out_reserve(stream, size);
	if (result != DOCA_SUCCESS)
		return result;
	at = stream->out + stream->out_at + stream->out_len;
	encoded = wire_encode(message, record, at + WIRE_HEADER_SIZE, len, &len);
	if (encoded != WIRE_OK)
		return chan_error_from_wire(encoded);
	out_frame(at, len, type, id);
	stream->out_len += size;
	return chan_stream_flush(stream);
}

doca_error_t chan_stream_flush(struct chan_stream *stream)
{
	while (stream->out_len > 0) {
		ssize_t sent = send(stream->fd, stream->out + stream->out_at, stream->out_len,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		/* ENOTCONN: it is connecting still. */
		if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN))
			return DOCA_SUCCESS;
		if (sent < 0) {
			/* What the peer has said before it went can still be received. */
			stream->is_deaf = true;
			stream->out_len = 0;
			return DOCA_ERROR_CONNECTION_RESET;
		}
		stream->out_at += (size_t)sent;
		stream->out_len -= (size_t)sent;
	}
	/* One long message must not hold its memory for as long as the stream lives. */
	if (stream->out_capacity > KEPT_CAPACITY) {
		free(stream->out);
		stream->out = NULL;
		stream->out_capacity = 0;
	}
	return DOCA_SUCCESS;
}

/* --- Receiving --- */

/* Makes room for need bytes from in_at on. */
static doca_error_t in_reserve(struct chan_stream *stream, size_t need)
{
	uint8_t *grown;
	size_t capacity = stream->in_capacity > 0 ? stream->in_capacity : FIRST_CAPACITY;

	if (stream->in_at > 0) {
		memmove(stream->in, stream->in + stream->in_at, stream->in_len);
		stream->in_at = 0;
	}
	while (capacity < need)
		capacity *= 2;
	if (capacity == stream->in_capacity)
		return DOCA_SUCCESS;
	grown = realloc(stream->in, capacity);
	if (grown == NULL)
		return DOCA_ERROR_NO_MEMORY;
	stream->in = grown;
	stream->in_capacity = capacity;
	return DOCA_SUCCESS;
}

/* Reads until there are need bytes. Errors: AGAIN, CONNECTION_RESET, NO_MEMORY. */
static doca_error_t in_fill(struct chan_stream *stream, size_t need)
{
	while (stream->in_len < need) {
		size_t end = stream->in_at + stream->in_len;
		doca_error_t result;
		ssize_t got;

		if (stream->in_at + need > stream->in_capacity) {
			result = in_reserve(stream, need);
			if (result != DOCA_SUCCESS)
				return result;
			end = stream->in_at + stream->in_len;
		}
		got = recv(stream->fd, stream->in + end, stream->in_capacity - end, MSG_DONTWAIT);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EAGAIN || errno == ENOTCONN))
			return DOCA_ERROR_AGAIN;
		if (got <= 0)
			return DOCA_ERROR_CONNECTION_RESET;
		stream->in_len += (size_t)got;
	}
	return DOCA_SUCCESS;
}

/* Takes a frame that is there whole. Errors: as of the assembly; AGAIN: the message goes on. */
static doca_error_t in_take_frame(struct chan_stream *stream, const struct wire_header *header,
				  struct chan_message *message)
{
	const uint8_t *piece = stream->in + stream->in_at + WIRE_HEADER_SIZE;
	size_t max_body = stream->max_body < WIRE_MAX_BODY ? stream->max_body : WIRE_MAX_BODY;
	enum wire_result added;
	bool is_whole;

	stream->in_at += WIRE_HEADER_SIZE + header->len;
	stream->in_len -= WIRE_HEADER_SIZE + header->len;
	if (!header->has_more && !stream->assembly.is_begun) {
		if (header->len > max_body)
			return DOCA_ERROR_CONNECTION_ABORTED;
		*message = (struct chan_message){ header->type, header->id, piece, header->len };
		return DOCA_SUCCESS;
	}
	added = wire_assembly_add(&stream->assembly, header, piece, max_body, &is_whole);
	if (added == WIRE_NO_MEMORY)
		return DOCA_ERROR_NO_MEMORY;
	if (added != WIRE_OK)
		return DOCA_ERROR_CONNECTION_ABORTED;
	if (!is_whole)
		return DOCA_ERROR_AGAIN;
	*message = (struct chan_message){
		.type = stream->assembly.header.type,
		.id = stream->assembly.header.id,
		.body = stream->assembly.body,
		.len = stream->assembly.header.len,
	};
	return DOCA_SUCCESS;
}

static doca_error_t receive_frame(struct chan_stream *stream, struct chan_message *message,
				  bool *is_frame)
{
	struct wire_header header;
	doca_error_t result;

	*is_frame = false;
	result = in_fill(stream, WIRE_HEADER_SIZE);
	if (result != DOCA_SUCCESS)
		return result;
	if (wire_header_decode(stream->in + stream->in_at, &header) != WIRE_OK)
		return DOCA_ERROR_CONNECTION_ABORTED;
	result = in_fill(stream, WIRE_HEADER_SIZE + header.len);
	if (result != DOCA_SUCCESS)
		return result;
	*is_frame = true;
	return in_take_frame(stream, &header, message);
}

doca_error_t chan_stream_receive(struct chan_stream *stream, struct chan_message *message)
{
	doca_error_t result = DOCA_ERROR_CONNECTION_RESET;
	bool is_frame = true;

	/* A message of many pieces may be there whole. */
	while (stream->fd >= 0 && is_frame) {
		result = receive_frame(stream, message, &is_frame);
		if (result != DOCA_ERROR_AGAIN)
			break;
	}
	if (DOCA_IS_ERROR(result) && result != DOCA_ERROR_AGAIN)
		stream_end(stream);
	return result;
}
