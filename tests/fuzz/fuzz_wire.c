/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bytes of a stranger on a port of the UROM service. The first byte says what they are: the body of
 * a message, or frames on a stream. What is decoded keeps the limits of the table, lies within the
 * body and is encoded as just these bytes; lists end; what is put together is what came.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script.h"
#include "urom/wire/wire_frame.h"
#include "urom/wire/wire_messages.h"

/* First bytes from here on: frames, with a limit by the low bits. */
#define FRAMES      0x80

#define RECORD_SIZE 512
#define FILLER      0xee

struct record {
	_Alignas(max_align_t) uint8_t bytes[RECORD_SIZE];
};

/* A copy of its own, so that the sanitizer sees a step behind it. */
static uint8_t *copy_of(const void *bytes, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	CHECK(copy != NULL);
	if (len > 0)
		memcpy(copy, bytes, len);
	return copy;
}

static void check_list(const struct wire_field *field, struct wire_bytes list)
{
	while (list.len > 0) {
		const uint8_t *before = list.data;
		const uint32_t len_before = list.len;
		struct record element;
		size_t size;

		CHECK(wire_list_next(&list, field->element, &element));
		size = wire_encoded_size(field->element, &element);
		CHECK(size > 0 && list.len == len_before - size);
		CHECK(list.data == before + size);
	}
	CHECK(!wire_list_next(&list, field->element, NULL));
}

static void check_field(const struct wire_field *field, const struct record *record,
			const uint8_t *body, size_t len)
{
	struct wire_bytes bytes;
	const uint8_t *data;

	if (field->kind == WIRE_BOOL)
		CHECK(record->bytes[field->offset] <= 1);
	if (field->kind != WIRE_BYTES && field->kind != WIRE_TEXT && field->kind != WIRE_LIST)
		return;
	memcpy(&bytes, record->bytes + field->offset, sizeof(bytes));
	data = bytes.data;
	CHECK(bytes.len <= field->limit);
	CHECK(data >= body && data <= body + len && bytes.len <= (size_t)(body + len - data));
	if (field->kind == WIRE_TEXT)
		CHECK(memchr(data, 0, bytes.len) == NULL);
	if (field->kind == WIRE_LIST)
		check_list(field, bytes);
}

static void check_encodes_as(const struct wire_message *message, const struct record *record,
			     const uint8_t *body, size_t len)
{
	uint8_t *again = copy_of(body, len);
	size_t again_len = 0;

	memset(again, FILLER, len);
	CHECK(wire_encoded_size(message, record) == len);
	CHECK(wire_encode(message, record, again, len, &again_len) == WIRE_OK);
	CHECK(again_len == len && memcmp(again, body, len) == 0);
	if (len > 0)
		CHECK(wire_encode(message, record, again, len - 1, &again_len) == WIRE_TOO_LONG);
	free(again);
}

static void check_message(const struct wire_message *message, const uint8_t *bytes, size_t len)
{
	uint8_t *body = copy_of(bytes, len);
	struct record record, untouched;
	enum wire_result result;

	memset(&record, FILLER, sizeof(record));
	memset(&untouched, FILLER, sizeof(untouched));
	result = wire_decode(message, body, len, &record);
	if (result == WIRE_OK) {
		for (size_t i = 0; i < message->num_fields; i++)
			check_field(&message->fields[i], &record, body, len);
		check_encodes_as(message, &record, body, len);
	} else {
		CHECK(result != WIRE_UNKNOWN && result < WIRE_NO_MEMORY);
		CHECK(memcmp(&record, &untouched, sizeof(record)) == 0);
	}
	free(body);
}

/* What has come of a message so far, kept in the simplest way. */
struct model {
	struct wire_header first;
	uint8_t *body;
	size_t len;
	bool is_begun;
};

static void model_drop(struct model *model)
{
	free(model->body);
	*model = (struct model){ .body = NULL };
}

/* What the assembly has to answer. */
static enum wire_result model_add(struct model *model, const struct wire_header *header,
				  const uint8_t *piece, size_t max_body)
{
	if (!model->is_begun)
		model->first = *header;
	model->is_begun = true;
	if (header->type != model->first.type || header->id != model->first.id)
		return WIRE_BAD_VALUE;
	if (model->len + header->len > max_body)
		return WIRE_TOO_LONG;
	model->body = realloc(model->body, model->len + header->len + 1);
	CHECK(model->body != NULL);
	memcpy(model->body + model->len, piece, header->len);
	model->len += header->len;
	return WIRE_OK;
}

static void check_whole(const struct model *model, const struct wire_assembly *assembly)
{
	const struct wire_message *message = wire_message_find(model->first.type);

	CHECK(assembly->header.type == model->first.type);
	CHECK(assembly->header.id == model->first.id);
	CHECK(assembly->header.len == model->len);
	CHECK(model->len == 0 || memcmp(assembly->body, model->body, model->len) == 0);
	if (message != NULL)
		check_message(message, assembly->body, assembly->header.len);
}

static void check_frame(struct model *model, struct wire_assembly *assembly,
			const struct wire_header *header, const uint8_t *bytes, size_t max_body)
{
	enum wire_result expected = model_add(model, header, bytes, max_body);
	uint8_t *piece = copy_of(bytes, header->len);
	bool is_whole = header->has_more;

	CHECK(wire_assembly_add(assembly, header, piece, max_body, &is_whole) == expected);
	free(piece);
	if (expected != WIRE_OK) {
		CHECK(assembly->body == NULL && !assembly->is_begun);
		model_drop(model);
		return;
	}
	CHECK(is_whole == !header->has_more);
	if (!is_whole)
		return;
	check_whole(model, assembly);
	model_drop(model);
}

/* The header at the start of what is left, or false. */
static bool take_header(const uint8_t *bytes, size_t left, struct wire_header *header)
{
	uint8_t again[WIRE_HEADER_SIZE];
	uint8_t *copy;
	enum wire_result result;

	if (left < WIRE_HEADER_SIZE)
		return false;
	copy = copy_of(bytes, WIRE_HEADER_SIZE);
	result = wire_header_decode(copy, header);
	free(copy);
	if (result != WIRE_OK)
		return false;
	CHECK(header->len <= WIRE_MAX_PIECE);
	wire_header_encode(header, again);
	CHECK(memcmp(again, bytes, WIRE_HEADER_SIZE) == 0);
	return true;
}

static void check_stream(const uint8_t *bytes, size_t left, const size_t max_bodies[4],
			 unsigned int select)
{
	struct wire_assembly assembly = { .body = NULL };
	struct model model = { .body = NULL };
	struct wire_header header;

	while (take_header(bytes, left, &header)) {
		bytes += WIRE_HEADER_SIZE;
		left -= WIRE_HEADER_SIZE;
		if (header.len > left)
			break;
		/* The limit changes on the way. */
		check_frame(&model, &assembly, &header, bytes, max_bodies[select++ % 4]);
		bytes += header.len;
		left -= header.len;
	}
	model_drop(&model);
	wire_assembly_fini(&assembly);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const struct wire_message *const parts[] = {
		&wire_preamble_message,    &wire_plugin_message, &wire_entry_message,
		&wire_plugin_addr_message, &wire_id_message,     &wire_counter_message,
	};
	static const size_t max_bodies[][4] = { { WIRE_MAX_BODY, WIRE_MAX_BODY, WIRE_MAX_BODY,
						  WIRE_MAX_BODY },
						{ 64, 64, 64, 64 },
						{ 64, 32, 8, 0 },
						{ 5000, 6000, 7000, 4000 } };
	const struct wire_message *message;
	size_t num_parts = sizeof(parts) / sizeof(parts[0]);

	if (size == 0)
		return 0;
	if (input[0] >= FRAMES) {
		check_stream(input + 1, size - 1, max_bodies[input[0] % 4], input[0] / 4 % 4);
		return 0;
	}
	message = wire_message_find(input[0]);
	if (message == NULL)
		message = parts[input[0] % num_parts];
	check_message(message, input + 1, size - 1);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const struct script_shape shape = script_frames(1);

	if (size == 0 || data[0] < FRAMES)
		return LLVMFuzzerMutate(data, size, max_size);
	return script_mutate(&shape, data, size, max_size, seed);
}
