/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_WIRE_FRAME_H_
#define WIRE_WIRE_FRAME_H_

/*
 * Frames: a header of fixed size and a piece of a message's body. A stream carries frames one after
 * the other. A long message is cut into pieces that follow each other, so that a receiver's memory
 * grows with what has come, not with what was claimed.
 */

#include "urom/wire/wire.h"

#define WIRE_HEADER_SIZE 16

/* The largest piece, and the largest message put together of pieces, in bytes. */
#define WIRE_MAX_PIECE (64u << 10)
#define WIRE_MAX_BODY  ((16u << 20) + 4096)

struct wire_header {
	uint32_t len; /* of the piece behind it, bytes */
	uint16_t type;
	bool has_more; /* the next frame goes on with this message */
	uint64_t id;   /* of the exchange: an answer bears that of its request */
};

/* Writes WIRE_HEADER_SIZE bytes; header->len is at most WIRE_MAX_PIECE. */
void wire_header_encode(const struct wire_header *header, void *bytes);

/*
 * Reads WIRE_HEADER_SIZE bytes.
 * Results: TOO_LONG: the piece. BAD_VALUE: unknown flags.
 */
enum wire_result wire_header_decode(const void *bytes, struct wire_header *header);

/* A message of which pieces have come. Zeroed memory is none. */
struct wire_assembly {
	struct wire_header header; /* of its first frame; len counts all pieces so far */
	uint8_t *body;             /* owned; NULL as long as there was nothing to keep */
	size_t capacity;
	bool is_begun;
};

/*
 * Adds a frame, whose piece is header->len bytes, copied. *is_whole: the message is complete, its
 * type and id in assembly->header, its body of header.len bytes in assembly->body until the next
 * call. max_body: at most WIRE_MAX_BODY; it may change from call to call.
 * Results: TOO_LONG: over max_body bytes. BAD_VALUE: a piece of another message in between.
 * NO_MEMORY. After any of them the assembly is empty.
 */
enum wire_result wire_assembly_add(struct wire_assembly *assembly, const struct wire_header *header,
				   const void *piece, size_t max_body, bool *is_whole);

/* Frees what it holds; it may be used again. */
void wire_assembly_fini(struct wire_assembly *assembly);

#endif /* WIRE_WIRE_FRAME_H_ */
