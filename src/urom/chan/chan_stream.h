/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_STREAM_H_
#define CHAN_CHAN_STREAM_H_

/*
 * Messages over a stream socket that does not block: the control path, and what the TCP channel is
 * made of. One thread's. Whoever owns it waits for the descriptor: readable, and writable as long
 * as chan_stream_is_sending().
 */

#include <stdbool.h>

#include "urom/chan/chan_message.h"
#include "urom/wire/wire_frame.h"

/* Zeroed memory is none. */
struct chan_stream {
	int fd; /* owned, if is_open; it stays until chan_stream_fini() */
	bool is_open;
	bool is_deaf;    /* the peer takes nothing any more */
	bool has_ended;  /* and nothing comes */
	size_t max_body; /* bytes of a message that may come; may be changed at any time */
	size_t max_out;  /* bytes that may wait to be sent; 0: no limit */
	struct wire_assembly assembly;
	uint8_t *in; /* owned: what was read and is not taken yet */
	size_t in_at;
	size_t in_len; /* bytes from in_at on */
	size_t in_capacity;
	uint8_t *out; /* owned: what waits to be sent */
	size_t out_at;
	size_t out_len; /* bytes from out_at on */
	size_t out_capacity;
};

/*
 * Makes a stream of a connected socket, or of one that is connecting, and has it not block.
 * fd: taken.
 */
void chan_stream_init(struct chan_stream *stream, int fd);

/* Closes the socket and frees all. Accepts zeroed memory and one that has ended. */
void chan_stream_fini(struct chan_stream *stream);

/*
 * Encodes a message and sends what the socket takes; the rest waits.
 * Errors: INVALID_VALUE: a field is over its limit. FULL: over max_out, nothing of it was sent.
 * NO_MEMORY. CONNECTION_RESET: the peer is gone. Nothing is logged.
 */
doca_error_t chan_stream_send(struct chan_stream *stream, uint16_t type, uint64_t id,
			      const void *record);

/* Sends on what waits. Errors: CONNECTION_RESET. */
doca_error_t chan_stream_flush(struct chan_stream *stream);

static inline bool chan_stream_is_sending(const struct chan_stream *stream)
{
	return stream->out_len > 0;
}

/* Were more bytes read than those of the messages that were received? */
static inline bool chan_stream_has_bytes(const struct chan_stream *stream)
{
	return stream->in_len > 0;
}

/*
 * The next message that has come whole; it is lent until the next chan_stream_receive() or
 * chan_stream_fini(). The descriptor does not tell of what was read with an earlier message, so who
 * does not go on to AGAIN comes back without waiting. A call reads a bounded number of bytes.
 * Errors: AGAIN: none yet. CONNECTION_RESET: the peer has closed, or the connection is lost.
 * CONNECTION_ABORTED: what comes is no message, or one over max_body. NO_MEMORY. All but AGAIN
 * are the end of the stream. Nothing is logged.
 */
doca_error_t chan_stream_receive(struct chan_stream *stream, struct chan_message *message);

/* Was something read that may be the next message? Else the descriptor tells of it. */
static inline bool chan_stream_has_rest(const struct chan_stream *stream)
{
	return stream->in_len >= WIRE_HEADER_SIZE && !stream->has_ended;
}

#endif /* CHAN_CHAN_STREAM_H_ */
