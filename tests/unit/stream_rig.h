/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STREAM_RIG_H_
#define STREAM_RIG_H_

/* A stream, and the other end of its socket as bare bytes or as another stream. */

#include "test.h"
#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"

#define STREAM_MAX_PAYLOAD (16u << 20)

struct stream_rig {
	struct chan_stream stream;
	struct chan_stream peer; /* of the same socket as peer_fd */
	int peer_fd;             /* -1: closed */
};

void stream_rig_init(struct stream_rig *rig);
void stream_rig_fini(struct stream_rig *rig);

/* Closes the other end. */
void stream_rig_hang_up(struct stream_rig *rig);

/* Writes bytes to the other end; all of them must fit. */
void stream_rig_write(struct stream_rig *rig, const void *bytes, size_t len);

/* The same for a frame with a piece of so many bytes of one value. */
void stream_rig_write_frame(struct stream_rig *rig, const struct wire_header *header,
			    uint8_t value);

/* A COMMAND whose payload is len bytes made from the id. */
doca_error_t stream_send_command(struct chan_stream *stream, uint64_t id, size_t len);

/* Is the message such a command? Fails the test otherwise. */
void stream_check_command(const struct chan_message *message, uint64_t id, size_t len);

/* The next message, which must come and be such a command. */
void stream_expect_command(struct chan_stream *stream, uint64_t id, size_t len);

/* What receiving must say instead. */
void stream_expect(struct chan_stream *stream, doca_error_t result);

/* Lets `from` send and `to` receive until one whole message is there. */
void stream_pass(struct chan_stream *from, struct chan_stream *to, struct chan_message *message);

#endif /* STREAM_RIG_H_ */
