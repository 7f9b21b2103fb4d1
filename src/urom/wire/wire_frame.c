/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/wire_frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FLAG_MORE      1u
#define FIRST_CAPACITY 4096

/* The header is a record as any other, with its flags still in one. */
struct raw_header {
	uint32_t len;
	uint16_t type;
	uint16_t flags;
	uint64_t id;
};

#define RAW_FIELD(field, field_kind)                                                               \
	{                                                                                          \
		.name = #field, .kind = (field_kind), .offset = offsetof(struct raw_header, field) \
	}

static const struct wire_field header_fields[] = {
	RAW_FIELD(len, WIRE_U32),
	RAW_FIELD(type, WIRE_U16),
	RAW_FIELD(flags, WIRE_U16),
	RAW_FIELD(id, WIRE_U64),
};

static const struct wire_message header_message = {
	.name = "HEADER",
	.record_size = sizeof(struct raw_header),
	.fields = header_fields,
	.num_fields = sizeof(header_fields) / sizeof(header_fields[0]),
};

void wire_header_encode(const struct wire_header *header, void *bytes)
{
	const struct raw_header raw = {
		.len = header->len,
		.type = header->type,
		.flags = header->has_more ? FLAG_MORE : 0,
		.id = header->id,
	};
	size_t len;

	/* Cannot fail: integers always fit into their own size. */
	(void)wire_encode(&header_message, &raw, bytes, WIRE_HEADER_SIZE, &len);
}

enum wire_result wire_header_decode(const void *bytes, struct wire_header *header)
{
	struct raw_header raw;
	enum wire_result result;

	result = wire_decode(&header_message, bytes, WIRE_HEADER_SIZE, &raw);
	if (result != WIRE_OK)
		return result;
	if ((raw.flags & ~FLAG_MORE) != 0)
		return WIRE_BAD_VALUE;
	if (raw.len > WIRE_MAX_PIECE)
		return WIRE_TOO_LONG;
	*header = (struct wire_header){
		.len = raw.len,
		.type = raw.type,
		.has_more = (raw.flags & FLAG_MORE) != 0,
		.id = raw.id,
	};
	return WIRE_OK;
}

/*
 * Makes room for len bytes in all. It doubles, so that many small pieces cost little, but not over
 * max_body, of which len is a part.
 */
static enum wire_result assembly_reserve(struct wire_assembly *assembly, size_t len,
					 size_t max_body)
{
	size_t capacity = assembly->capacity > 0 ? assembly->capacity : FIRST_CAPACITY;
	uint8_t *body;

	if (len <= assembly->capacity)
		return WIRE_OK;
	while (capacity < len)
		capacity *= 2;
	if (capacity > max_body)
		capacity = max_body;
	body = realloc(assembly->body, capacity);
	if (body == NULL)
		return WIRE_NO_MEMORY;
	assembly->body = body;
	assembly->capacity = capacity;
	return WIRE_OK;
}

static enum wire_result assembly_append(struct wire_assembly *assembly,
					const struct wire_header *header, const void *piece,
					size_t max_body)
{
	size_t len = assembly->header.len;
	enum wire_result result;

	if (header->type != assembly->header.type || header->id != assembly->header.id)
		return WIRE_BAD_VALUE;
	/* The bound may have sunk below what has come. */
	if (len > max_body || header->len > max_body - len)
		return WIRE_TOO_LONG;
	result = assembly_reserve(assembly, len + header->len, max_body);
	if (result != WIRE_OK)
		return result;
	if (header->len > 0)
		memcpy(assembly->body + len, piece, header->len);
	assembly->header.len += header->len;
	return WIRE_OK;
}

enum wire_result wire_assembly_add(struct wire_assembly *assembly, const struct wire_header *header,
				   const void *piece, size_t max_body, bool *is_whole)
{
	enum wire_result result;

	assert(max_body <= WIRE_MAX_BODY);
	if (!assembly->is_begun) {
		/* One big message must not hold its memory for as long as the session lives. */
		if (assembly->capacity > FIRST_CAPACITY)
			wire_assembly_fini(assembly);
		assembly->header = *header;
		assembly->header.len = 0;
		assembly->is_begun = true;
	}
	result = assembly_append(assembly, header, piece, max_body);
	if (result != WIRE_OK) {
		wire_assembly_fini(assembly);
		return result;
	}
	*is_whole = !header->has_more;
	if (*is_whole)
		assembly->is_begun = false;
	return WIRE_OK;
}

void wire_assembly_fini(struct wire_assembly *assembly)
{
	free(assembly->body);
	assembly->body = NULL;
	assembly->capacity = 0;
	assembly->header = (struct wire_header){ .len = 0 };
	assembly->is_begun = false;
}
