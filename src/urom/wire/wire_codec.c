/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/wire.h"

#include <string.h>

#define LENGTH_SIZE 4 /* before bytes, texts and lists */

static const char *const result_texts[] = {
	[WIRE_OK] = "well-formed",
	[WIRE_TRUNCATED] = "cut short",
	[WIRE_TRAILING] = "longer than its fields",
	[WIRE_TOO_LONG] = "over a limit of its fields",
	[WIRE_BAD_VALUE] = "holding a value that cannot be",
	[WIRE_UNKNOWN] = "of an unknown type",
	[WIRE_NO_MEMORY] = "too big for the memory",
};
_Static_assert(sizeof(result_texts) / sizeof(result_texts[0]) == WIRE_NUM_RESULTS,
	       "a text for each result");

const char *wire_result_text(enum wire_result result)
{
	return (unsigned int)result < WIRE_NUM_RESULTS ? result_texts[result] : "undefined";
}

/* What is left to read. */
struct reader {
	const uint8_t *at;
	size_t left;
};

/* The room that is left to write into. */
struct writer {
	uint8_t *at;
	size_t left;
};

/* Bytes of an integer of each kind, in the record and on the wire; 0: it is no integer. */
static const size_t integer_sizes[] = {
	[WIRE_BOOL] = sizeof(bool),
	[WIRE_U8] = sizeof(uint8_t),
	[WIRE_U16] = sizeof(uint16_t),
	[WIRE_U32] = sizeof(uint32_t),
	[WIRE_U64] = sizeof(uint64_t),
	[WIRE_FIXED] = 0,
	[WIRE_BYTES] = 0,
	[WIRE_TEXT] = 0,
	[WIRE_LIST] = 0,
};
_Static_assert(sizeof(integer_sizes) / sizeof(integer_sizes[0]) == WIRE_NUM_KINDS,
	       "a size for each kind");
_Static_assert(sizeof(bool) == 1, "a bool is a byte of the record");

static enum wire_result put_bytes(struct writer *writer, const void *bytes, size_t len)
{
	if (len > writer->left)
		return WIRE_TOO_LONG;
	if (len > 0)
		memcpy(writer->at, bytes, len);
	writer->at += len;
	writer->left -= len;
	return WIRE_OK;
}

static enum wire_result put_integer(struct writer *writer, uint64_t value, size_t size)
{
	uint8_t bytes[sizeof(value)];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	return put_bytes(writer, bytes, size);
}

/* The next len bytes; NULL: there are not so many. */
static const uint8_t *get_bytes(struct reader *reader, size_t len)
{
	const uint8_t *bytes = reader->at;

	if (len > reader->left)
		return NULL;
	reader->at += len;
	reader->left -= len;
	return bytes;
}

static enum wire_result get_integer(struct reader *reader, size_t size, uint64_t *value)
{
	const uint8_t *bytes = get_bytes(reader, size);

	if (bytes == NULL)
		return WIRE_TRUNCATED;
	*value = 0;
	for (size_t i = 0; i < size; i++)
		*value |= (uint64_t)bytes[i] << (8 * i);
	return WIRE_OK;
}

static uint64_t load_integer(const void *member, enum wire_kind kind)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value;

	memcpy(&value, member, integer_sizes[kind]);
	if (kind == WIRE_U16)
		return value.u16;
	if (kind == WIRE_U32)
		return value.u32;
	return kind == WIRE_U64 ? value.u64 : value.u8;
}

static void store_integer(void *member, enum wire_kind kind, uint64_t value)
{
	const uint8_t u8 = (uint8_t)value;
	const uint16_t u16 = (uint16_t)value;
	const uint32_t u32 = (uint32_t)value;
	const void *from = &u8;

	if (kind == WIRE_U16)
		from = &u16;
	else if (kind == WIRE_U32)
		from = &u32;
	else if (kind == WIRE_U64)
		from = &value;
	memcpy(member, from, integer_sizes[kind]);
}

static enum wire_result read_record(const struct wire_message *message, struct reader *reader,
				    void *record);

static enum wire_result check_list(const struct wire_field *field, const struct wire_bytes *list)
{
	struct reader reader = { .at = list->data, .left = list->len };

	while (reader.left > 0) {
		size_t before = reader.left;

		if (read_record(field->element, &reader, NULL) != WIRE_OK)
			return WIRE_BAD_VALUE;
		if (reader.left == before) /* an element without fields would never end */
			return WIRE_BAD_VALUE;
	}
	return WIRE_OK;
}

/* What a value of variable length holds, within its limit. */
static enum wire_result check_content(const struct wire_field *field,
				      const struct wire_bytes *bytes)
{
	if (field->kind == WIRE_LIST)
		return check_list(field, bytes);
	if (field->kind == WIRE_TEXT && bytes->len > 0 &&
	    memchr(bytes->data, 0, bytes->len) != NULL)
		return WIRE_BAD_VALUE;
	return WIRE_OK;
}

static enum wire_result write_variable(const struct wire_field *field,
				       const struct wire_bytes *bytes, struct writer *writer)
{
	enum wire_result result;

	if (bytes->len > field->limit)
		return WIRE_TOO_LONG;
	result = check_content(field, bytes);
	if (result == WIRE_OK)
		result = put_integer(writer, bytes->len, LENGTH_SIZE);
	if (result == WIRE_OK)
		result = put_bytes(writer, bytes->data, bytes->len);
	return result;
}

static enum wire_result write_field(const struct wire_field *field, const void *record,
				    struct writer *writer)
{
	const void *member = (const char *)record + field->offset;
	const size_t size = integer_sizes[field->kind];

	if (size > 0)
		return put_integer(writer, load_integer(member, field->kind), size);
	if (field->kind == WIRE_FIXED)
		return put_bytes(writer, member, field->limit);
	return write_variable(field, member, writer);
}

enum wire_result wire_encode(const struct wire_message *message, const void *record, void *body,
			     size_t size, size_t *len)
{
	struct writer writer = { .at = body, .left = size };

	for (size_t i = 0; i < message->num_fields; i++) {
		enum wire_result result = write_field(&message->fields[i], record, &writer);

		if (result != WIRE_OK)
			return result;
	}
	*len = size - writer.left;
	return WIRE_OK;
}

static size_t field_size(const struct wire_field *field, const void *record)
{
	const struct wire_bytes *bytes;

	if (integer_sizes[field->kind] > 0)
		return integer_sizes[field->kind];
	if (field->kind == WIRE_FIXED)
		return field->limit;
	bytes = (const void *)((const char *)record + field->offset);
	return LENGTH_SIZE + (size_t)bytes->len;
}

size_t wire_encoded_size(const struct wire_message *message, const void *record)
{
	size_t size = 0;

	for (size_t i = 0; i < message->num_fields; i++)
		size += field_size(&message->fields[i], record);
	return size;
}

static enum wire_result read_integer(const struct wire_field *field, struct reader *reader,
				     void *member)
{
	enum wire_result result;
	uint64_t value;

	result = get_integer(reader, integer_sizes[field->kind], &value);
	if (result != WIRE_OK)
		return result;
	if (field->kind == WIRE_BOOL && value > 1)
		return WIRE_BAD_VALUE;
	if (member != NULL)
		store_integer(member, field->kind, value);
	return WIRE_OK;
}

static enum wire_result read_variable(const struct wire_field *field, struct reader *reader,
				      struct wire_bytes *member)
{
	struct wire_bytes bytes;
	enum wire_result result;
	uint64_t len;

	result = get_integer(reader, LENGTH_SIZE, &len);
	if (result != WIRE_OK)
		return result;
	if (len > field->limit)
		return WIRE_TOO_LONG;
	bytes.len = (uint32_t)len;
	bytes.data = get_bytes(reader, bytes.len);
	if (bytes.data == NULL)
		return WIRE_TRUNCATED;
	result = check_content(field, &bytes);
	if (result == WIRE_OK && member != NULL)
		*member = bytes;
	return result;
}

/* member: where the value goes; NULL: it is only checked. */
static enum wire_result read_field(const struct wire_field *field, struct reader *reader,
				   void *member)
{
	const uint8_t *bytes;

	if (integer_sizes[field->kind] > 0)
		return read_integer(field, reader, member);
	if (field->kind != WIRE_FIXED)
		return read_variable(field, reader, member);
	bytes = get_bytes(reader, field->limit);
	if (bytes == NULL)
		return WIRE_TRUNCATED;
	if (member != NULL)
		memcpy(member, bytes, field->limit);
	return WIRE_OK;
}

static enum wire_result read_record(const struct wire_message *message, struct reader *reader,
				    void *record)
{
	for (size_t i = 0; i < message->num_fields; i++) {
		const struct wire_field *field = &message->fields[i];
		void *member = record != NULL ? (char *)record + field->offset : NULL;
		enum wire_result result = read_field(field, reader, member);

		if (result != WIRE_OK)
			return result;
	}
	return WIRE_OK;
}

enum wire_result wire_decode(const struct wire_message *message, const void *body, size_t len,
			     void *record)
{
	struct reader reader = { .at = body, .left = len };
	enum wire_result result = read_record(message, &reader, NULL);

	if (result != WIRE_OK)
		return result;
	if (reader.left > 0)
		return WIRE_TRAILING;
	reader = (struct reader){ .at = body, .left = len };
	return read_record(message, &reader, record);
}

bool wire_list_next(struct wire_bytes *list, const struct wire_message *element, void *record)
{
	struct reader reader = { .at = list->data, .left = list->len };

	if (list->len == 0 || read_record(element, &reader, record) != WIRE_OK)
		return false;
	list->data = reader.at;
	list->len = (uint32_t)reader.left;
	return true;
}
