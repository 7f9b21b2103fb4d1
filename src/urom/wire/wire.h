/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_WIRE_H_
#define WIRE_WIRE_H_

/*
 * Messages between hosts, daemon and workers. A message is a C record, described by a table of its
 * fields; both directions and docs/wire.md come from that table. On the wire a field is an integer
 * in little-endian order, or bytes behind their length. Decoding trusts nothing: it stays inside
 * the body, holds every limit of the table and takes only a body that is used up exactly.
 *
 * This room depends on nothing but the C library, never logs, and allocates only in wire_frame.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_result {
	WIRE_OK,
	WIRE_TRUNCATED, /* the body ends before its fields do */
	WIRE_TRAILING,  /* bytes are left behind the last field */
	WIRE_TOO_LONG,  /* a field is over its limit, or does not fit into the buffer */
	WIRE_BAD_VALUE, /* text with a NUL, a flag that is neither 0 nor 1, a list that is none */
	WIRE_UNKNOWN,   /* no message of that type */
	WIRE_NO_MEMORY,
	WIRE_NUM_RESULTS,
};

/* A phrase for each result; never NULL. */
const char *wire_result_text(enum wire_result result);

/* Bytes of somebody else: the encoder's caller, or the body that was decoded. */
struct wire_bytes {
	const void *data; /* borrowed; NULL only when len is 0 */
	uint32_t len;
};

enum wire_kind {
	WIRE_BOOL,  /* bool; one byte, 0 or 1 */
	WIRE_U8,    /* uint8_t */
	WIRE_U16,   /* uint16_t */
	WIRE_U32,   /* uint32_t */
	WIRE_U64,   /* uint64_t */
	WIRE_FIXED, /* uint8_t[limit] */
	WIRE_BYTES, /* struct wire_bytes of at most limit bytes */
	WIRE_TEXT,  /* the same without a NUL in it */
	WIRE_LIST,  /* the same, in it records of one message, for wire_list_next() */
	WIRE_NUM_KINDS,
};

struct wire_message;

struct wire_field {
	const char *name;
	enum wire_kind kind;
	uint32_t offset;                    /* in the record */
	uint32_t limit;                     /* bytes, where the kind has one */
	const struct wire_message *element; /* of a list */
};

struct wire_message {
	const char *name;
	uint16_t type; /* 0: it comes only as a part of others */
	size_t record_size;
	const struct wire_field *fields;
	size_t num_fields;
};

/* The bytes that a record takes. */
size_t wire_encoded_size(const struct wire_message *message, const void *record);

/*
 * Writes a record into body, of at most size bytes; *len is how many, on success only.
 * Results: TOO_LONG, BAD_VALUE.
 */
enum wire_result wire_encode(const struct wire_message *message, const void *record, void *body,
			     size_t size, size_t *len);

/*
 * Reads a body of len bytes; the record is written on success only. Its bytes, texts and lists
 * point into the body.
 * Results: TRUNCATED, TRAILING, TOO_LONG, BAD_VALUE.
 */
enum wire_result wire_decode(const struct wire_message *message, const void *body, size_t len,
			     void *record);

/*
 * Takes the first record off a list that wire_decode() has accepted, and shortens the list; false
 * when it is empty.
 */
bool wire_list_next(struct wire_bytes *list, const struct wire_message *element, void *record);

#endif /* WIRE_WIRE_H_ */
