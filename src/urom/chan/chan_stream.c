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

/*
 * The descriptor is closed by chan_stream_fini() alone: whoever waits for it must be able to take
 * it off his list first, before another gets its number.
 */

/* A buffer that holds a whole frame never waits for room; small streams stay small. */
#define FIRST_CAPACITY 4096
#define KEPT_CAPACITY  (256u << 10)

/* Of one call, so that no peer keeps its caller busy for ever, as with pieces that never end. */
#define MAX_READS 32

void chan_stream_init(struct chan_stream *stream, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	*stream = (struct chan_stream){ .fd = fd, .is_open = true, .max_body = WIRE_MAX_BODY };
	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK); /* cannot fail on a socket */
}

void chan_stream_fini(struct chan_stream *stream)
{
	if (stream->is_open)
		close(stream->fd);
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

	/* Not for a few bytes: a long queue that moves slowly would be copied each time. */
	if (stream->out_at + stream->out_len + len > stream->out_capacity &&
	    stream->out_at > stream->out_len) {
		memmove(stream->out, stream->out + stream->out_at, stream->out_len);
		stream->out_at = 0;
	}
	while (capacity < stream->out_at + stream->out_len + len)
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
	if (!stream->is_open || stream->is_deaf)
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
	stream->out_at = 0;
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
	size_t capacity = stream->in_capacity > 0 ? stream->in_capacity : FIRST_CAPACITY;
	uint8_t *grown;

	if (stream->in_len == 0)
		stream->in_at = 0;
	if (stream->in_at + need <= stream->in_capacity)
		return DOCA_SUCCESS;
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

/*
 * Reads until there are need bytes. *num_reads: how often the socket was asked in this call.
 * Errors: AGAIN, CONNECTION_RESET, NO_MEMORY.
 */
static doca_error_t in_fill(struct chan_stream *stream, size_t need, unsigned int *num_reads)
{
	doca_error_t result;

	if (stream->in_len >= need)
		return DOCA_SUCCESS;
	result = in_reserve(stream, need);
	while (result == DOCA_SUCCESS && stream->in_len < need) {
		size_t end = stream->in_at + stream->in_len;
		ssize_t got;

		if ((*num_reads)++ == MAX_READS)
			return DOCA_ERROR_AGAIN;
		got = recv(stream->fd, stream->in + end, stream->in_capacity - end, MSG_DONTWAIT);
		if (got > 0)
			stream->in_len += (size_t)got;
		else if (got < 0 && (errno == EAGAIN || errno == ENOTCONN)) /* or connecting */
			result = stream->is_deaf ? DOCA_ERROR_CONNECTION_RESET : DOCA_ERROR_AGAIN;
		else if (got == 0 || errno != EINTR)
			result = DOCA_ERROR_CONNECTION_RESET;
	}
	return result;
}

static size_t max_body_of(const struct chan_stream *stream)
{
	return stream->max_body < WIRE_MAX_BODY ? stream->max_body : WIRE_MAX_BODY;
}

/* Looked at before its bytes are read, so that they are not kept for nothing. */
static bool is_too_long(const struct chan_stream *stream, const struct wire_header *header)
{
	size_t len = stream->assembly.is_begun ? stream->assembly.header.len : 0;
	size_t max_body = max_body_of(stream);

	return len > max_body || header->len > max_body - len;
}

/* Takes a frame that is there whole. Errors: as of the assembly; AGAIN: the message goes on. */
static doca_error_t in_take_frame(struct chan_stream *stream, const struct wire_header *header,
				  struct chan_message *message)
{
	const uint8_t *piece = stream->in + stream->in_at + WIRE_HEADER_SIZE;
	enum wire_result added;
	bool is_whole;

	stream->in_at += WIRE_HEADER_SIZE + header->len;
	stream->in_len -= WIRE_HEADER_SIZE + header->len;
	if (!header->has_more && !stream->assembly.is_begun) {
		*message = (struct chan_message){ header->type, header->id, piece, header->len };
		return DOCA_SUCCESS;
	}
	added = wire_assembly_add(&stream->assembly, header, piece, max_body_of(stream), &is_whole);
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

/* *is_frame: one was taken, so another may be there. */
static doca_error_t receive_frame(struct chan_stream *stream, unsigned int *num_reads,
				  struct chan_message *message, bool *is_frame)
{
	struct wire_header header;
	doca_error_t result;

	*is_frame = false;
	result = in_fill(stream, WIRE_HEADER_SIZE, num_reads);
	if (result != DOCA_SUCCESS)
		return result;
	if (wire_header_decode(stream->in + stream->in_at, &header) != WIRE_OK ||
	    is_too_long(stream, &header))
		return DOCA_ERROR_CONNECTION_ABORTED;
	result = in_fill(stream, WIRE_HEADER_SIZE + header.len, num_reads);
	if (result != DOCA_SUCCESS)
		return result;
	*is_frame = true;
	return in_take_frame(stream, &header, message);
}

doca_error_t chan_stream_receive(struct chan_stream *stream, struct chan_message *message)
{
	doca_error_t result;
	unsigned int num_reads = 0;
	bool is_frame;

	if (!stream->is_open || stream->has_ended)
		return DOCA_ERROR_CONNECTION_RESET;
	/* What was lent is not any more. */
	if (!stream->assembly.is_begun)
		wire_assembly_fini(&stream->assembly);
	/* A message of many pieces may be there whole. */
	do
		result = receive_frame(stream, &num_reads, message, &is_frame);
	while (result == DOCA_ERROR_AGAIN && is_frame);
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN)
		return result;
	stream->is_deaf = true;
	stream->has_ended = true;
	stream->out_len = 0;
	return result;
}
