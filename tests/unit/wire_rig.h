/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_RIG_H_
#define WIRE_RIG_H_

/*
 * Records of any message, filled by its table, and a second opinion on their bytes: an encoder that
 * knows no limits and shares nothing with that of src/urom/wire. Bodies lie before memory that
 * cannot be touched, so that a step too far is seen without a sanitizer too.
 */

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "urom/wire/wire.h"

/* Room for the record of any message. */
struct rig_record {
	alignas(max_align_t) uint8_t bytes[512];
};

/* What all fields of a record are. */
enum rig_fill {
	RIG_LEAST, /* 0, or empty */
	RIG_SMALL, /* bytes that differ, three of them where the length varies, three elements */
	RIG_MOST,  /* all ones; as many bytes as the limit allows, lists included */
	RIG_NUM_FILLS,
};

/* The n-th message, behind them those that are only a part of others; NULL: there are no more. */
const struct wire_message *rig_message_at(size_t n);

/* The i-th field, or NULL. */
const struct wire_field *rig_field_at(const struct wire_message *message, size_t i);

#define FOR_EACH_MESSAGE(message) \
	for (size_t n_ = 0; ((message) = rig_message_at(n_)) != NULL; n_++)

#define FOR_EACH_FIELD(field, message) \
	for (size_t i_ = 0; ((field) = rig_field_at(message, i_)) != NULL; i_++)

/* For cmocka: around all tests of a program. */
int rig_create(void **state);
int rig_destroy(void **state);

/* size bytes, the last ones before the end of what can be touched; for one user at a time. */
uint8_t *rig_guarded(size_t size);

/* What the record points at is valid until the next fill; a record has one list at most. */
void rig_fill(const struct wire_message *message, enum rig_fill fill, struct rig_record *record);

/* The same for one of its fields. */
void rig_fill_field(const struct wire_field *field, enum rig_fill fill, struct rig_record *record);

/* Makes a field of bytes, text or list len bytes long, the bytes of a list being no elements. */
void rig_stretch(const struct wire_field *field, uint32_t len, struct rig_record *record);

/* A body, limits or not; owned, to be freed. */
uint8_t *rig_encode(const struct wire_message *message, const struct rig_record *record,
		    size_t *len);

/* wire_decode() of a copy that ends where memory does. */
enum wire_result rig_decode(const struct wire_message *message, const void *body, size_t len,
			    struct rig_record *record);

/* Do all fields have the same values? Fails the test otherwise. */
void rig_check_same(const struct wire_message *message, const struct rig_record *a,
		    const struct rig_record *b);

/* Bytes that no record has got from anybody, and whether all of them still are. */
void rig_poison(struct rig_record *record);
bool rig_is_poisoned(const struct rig_record *record);

/* Of a kind: may its length vary? */
bool rig_is_variable(enum wire_kind kind);

/* The bytes of an integer of that kind, or 0. */
size_t rig_integer_size(enum wire_kind kind);

#endif /* WIRE_RIG_H_ */
