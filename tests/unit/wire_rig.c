/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire_rig.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"
#include "urom/wire/wire_frame.h"
#include "urom/wire/wire_messages.h"

#define POISON     0xee
#define LENGTH     4 /* before what varies, in bytes */
#define SMALL_LEN  3
#define SMALL_LIST 3 /* elements */

/* More than any field takes, none of it 0. */
#define NUM_BYTES (WIRE_MAX_BODY + 4096)

static uint8_t *pages; /* of the guarded memory, the guard excepted */
static size_t num_page_bytes;
static uint8_t *text;
static uint8_t *list_bytes;

const struct wire_message *rig_message_at(size_t n)
{
	static const struct wire_message *const parts[] = {
		&wire_preamble_message,    &wire_plugin_message, &wire_entry_message,
		&wire_plugin_addr_message, &wire_id_message,     &wire_counter_message,
	};
	size_t num_messages = 0;

	while (wire_message_at(num_messages) != NULL)
		num_messages++;
	if (n < num_messages)
		return wire_message_at(n);
	n -= num_messages;
	return n < sizeof(parts) / sizeof(parts[0]) ? parts[n] : NULL;
}

const struct wire_field *rig_field_at(const struct wire_message *message, size_t i)
{
	return i < message->num_fields ? &message->fields[i] : NULL;
}

int rig_create(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	num_page_bytes = (NUM_BYTES + page - 1) / page * page;
	pages = mmap(NULL, num_page_bytes + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	text = malloc(NUM_BYTES);
	if (pages == MAP_FAILED || text == NULL ||
	    mprotect(pages + num_page_bytes, page, PROT_NONE) != 0)
		return -1;
	for (size_t i = 0; i < NUM_BYTES; i++)
		text[i] = (uint8_t)(1 + i % 255);
	return 0;
}

int rig_destroy(void **state)
{
	(void)state;
	free(text);
	free(list_bytes);
	return munmap(pages, num_page_bytes + (size_t)sysconf(_SC_PAGESIZE));
}

uint8_t *rig_guarded(size_t size)
{
	assert_true(size <= num_page_bytes);
	return pages + num_page_bytes - size;
}

bool rig_is_variable(enum wire_kind kind)
{
	return kind == WIRE_BYTES || kind == WIRE_TEXT || kind == WIRE_LIST;
}

size_t rig_integer_size(enum wire_kind kind)
{
	static const size_t sizes[WIRE_NUM_KINDS] = {
		[WIRE_BOOL] = 1, [WIRE_U8] = 1, [WIRE_U16] = 2, [WIRE_U32] = 4, [WIRE_U64] = 8,
	};

	return sizes[kind];
}

/* --- the encoder --- */

static void *member_of(const struct wire_field *field, const struct rig_record *record)
{
	return (void *)(uintptr_t)(record->bytes + field->offset);
}

static size_t size_of(const struct wire_message *message, const struct rig_record *record)
{
	size_t size = 0;

	for (size_t i = 0; i < message->num_fields; i++) {
		const struct wire_field *field = &message->fields[i];
		const struct wire_bytes *bytes = member_of(field, record);

		if (rig_is_variable(field->kind))
			size += LENGTH + bytes->len;
		else
			size += field->kind == WIRE_FIXED ? field->limit
							  : rig_integer_size(field->kind);
	}
	return size;
}

static uint8_t *put_number(uint8_t *to, uint64_t value, size_t size)
{
	for (; size > 0; size--, value /= 256)
		*to++ = (uint8_t)(value % 256);
	return to;
}

static uint8_t *put_integer(uint8_t *to, const void *member, enum wire_kind kind)
{
	if (kind == WIRE_BOOL)
		return put_number(to, *(const bool *)member ? 1 : 0, 1);
	if (kind == WIRE_U8)
		return put_number(to, *(const uint8_t *)member, 1);
	if (kind == WIRE_U16)
		return put_number(to, *(const uint16_t *)member, 2);
	if (kind == WIRE_U32)
		return put_number(to, *(const uint32_t *)member, 4);
	return put_number(to, *(const uint64_t *)member, 8);
}

static uint8_t *put_field(uint8_t *to, const struct wire_field *field,
			  const struct rig_record *record)
{
	const struct wire_bytes *bytes = member_of(field, record);

	if (rig_integer_size(field->kind) > 0)
		return put_integer(to, bytes, field->kind);
	if (field->kind == WIRE_FIXED) {
		memcpy(to, bytes, field->limit);
		return to + field->limit;
	}
	to = put_number(to, bytes->len, LENGTH);
	if (bytes->len > 0)
		memcpy(to, bytes->data, bytes->len);
	return to + bytes->len;
}

static uint8_t *put_record(uint8_t *to, const struct wire_message *message,
			   const struct rig_record *record)
{
	for (size_t i = 0; i < message->num_fields; i++)
		to = put_field(to, &message->fields[i], record);
	return to;
}

uint8_t *rig_encode(const struct wire_message *message, const struct rig_record *record,
		    size_t *len)
{
	uint8_t *body;

	*len = size_of(message, record);
	body = malloc(*len + 1); /* a body may be empty */
	assert_non_null(body);
	assert_ptr_equal(put_record(body, message, record), body + *len);
	return body;
}

/* --- filling --- */

static void fill_integer(void *member, enum wire_kind kind, enum rig_fill fill, unsigned int seed)
{
	uint64_t value = 0;

	if (fill == RIG_MOST)
		value = UINT64_MAX;
	if (fill == RIG_SMALL)
		value = UINT64_C(0x0102030405060708) * (1 + seed % 16);
	if (kind == WIRE_BOOL)
		*(bool *)member = fill != RIG_LEAST;
	else if (kind == WIRE_U8)
		*(uint8_t *)member = (uint8_t)value;
	else if (kind == WIRE_U16)
		*(uint16_t *)member = (uint16_t)value;
	else if (kind == WIRE_U32)
		*(uint32_t *)member = (uint32_t)value;
	else
		*(uint64_t *)member = value;
}

static void fill_plain(const struct wire_field *field, enum rig_fill fill, unsigned int seed,
		       struct rig_record *record)
{
	uint8_t *member = member_of(field, record);

	if (field->kind != WIRE_FIXED) {
		fill_integer(member, field->kind, fill, seed);
		return;
	}
	for (uint32_t i = 0; i < field->limit; i++) {
		if (fill == RIG_SMALL)
			member[i] = (uint8_t)(i + seed);
		else
			member[i] = fill == RIG_MOST ? UINT8_MAX : 0;
	}
}

/* An element all of whose bytes of variable length are extra in number. Returns its size. */
static size_t put_element(uint8_t *to, const struct wire_message *element, size_t extra)
{
	struct rig_record record;

	memset(&record, 0, sizeof(record));
	for (size_t i = 0; i < element->num_fields; i++) {
		const struct wire_field *field = &element->fields[i];
		size_t len = extra < field->limit ? extra : field->limit;

		if (!rig_is_variable(field->kind)) {
			fill_plain(field, RIG_SMALL, (unsigned int)extra, &record);
			continue;
		}
		rig_stretch(field, (uint32_t)len, &record);
		extra -= len;
	}
	assert_int_equal(extra, 0);
	return (size_t)(put_record(to, element, &record) - to);
}

static size_t most_extra(const struct wire_message *element)
{
	size_t most = 0;

	for (size_t i = 0; i < element->num_fields; i++) {
		if (rig_is_variable(element->fields[i].kind))
			most += element->fields[i].limit;
	}
	return most;
}

/* Elements that take size bytes in all. */
static void put_list(uint8_t *to, const struct wire_message *element, size_t size)
{
	struct rig_record empty;
	size_t least, most;

	memset(&empty, 0, sizeof(empty));
	least = size_of(element, &empty);
	most = least + most_extra(element);
	while (size > 0) {
		/* What is left must do for one more, or be nothing. */
		size_t take = size <= most ? size : size - least;

		take = put_element(to, element, (take < most ? take : most) - least);
		to += take;
		size -= take;
	}
}

static void fill_list(const struct wire_field *field, enum rig_fill fill, struct rig_record *record)
{
	struct wire_bytes *list = member_of(field, record);

	*list = (struct wire_bytes){ .data = NULL };
	if (fill == RIG_LEAST)
		return;
	free(list_bytes);
	list_bytes = malloc(field->limit);
	assert_non_null(list_bytes);
	list->data = list_bytes;
	if (fill == RIG_MOST) {
		put_list(list_bytes, field->element, field->limit);
		list->len = field->limit;
		return;
	}
	for (size_t i = 0; i < SMALL_LIST; i++)
		list->len += (uint32_t)put_element(list_bytes + list->len, field->element,
						   most_extra(field->element) > 0 ? i : 0);
}

void rig_fill_field(const struct wire_field *field, enum rig_fill fill, struct rig_record *record)
{
	static const uint32_t lens[] = { 0, SMALL_LEN, UINT32_MAX };

	if (field->kind == WIRE_LIST)
		fill_list(field, fill, record);
	else if (rig_is_variable(field->kind))
		rig_stretch(field, lens[fill] < field->limit ? lens[fill] : field->limit, record);
	else
		fill_plain(field, fill, field->offset, record);
}

void rig_fill(const struct wire_message *message, enum rig_fill fill, struct rig_record *record)
{
	assert_true(message->record_size <= sizeof(*record));
	memset(record, 0, sizeof(*record));
	for (size_t i = 0; i < message->num_fields; i++)
		rig_fill_field(&message->fields[i], fill, record);
}

void rig_stretch(const struct wire_field *field, uint32_t len, struct rig_record *record)
{
	struct wire_bytes *bytes = member_of(field, record);

	assert_true(len <= NUM_BYTES);
	*bytes = (struct wire_bytes){ .data = len > 0 ? text : NULL, .len = len };
}

/* --- decoding --- */

enum wire_result rig_decode(const struct wire_message *message, const void *body, size_t len,
			    struct rig_record *record)
{
	uint8_t *guarded = rig_guarded(len);

	memcpy(guarded, body, len);
	return wire_decode(message, guarded, len, record);
}

static void check_same_field(const struct wire_field *field, const void *a, const void *b)
{
	const struct wire_bytes *bytes_a = a;
	const struct wire_bytes *bytes_b = b;

	if (rig_integer_size(field->kind) > 0) {
		assert_memory_equal(a, b, rig_integer_size(field->kind));
	} else if (field->kind == WIRE_FIXED) {
		assert_memory_equal(a, b, field->limit);
	} else {
		assert_int_equal(bytes_a->len, bytes_b->len);
		if (bytes_a->len > 0)
			assert_memory_equal(bytes_a->data, bytes_b->data, bytes_a->len);
	}
}

void rig_check_same(const struct wire_message *message, const struct rig_record *a,
		    const struct rig_record *b)
{
	for (size_t i = 0; i < message->num_fields; i++) {
		const struct wire_field *field = &message->fields[i];

		check_same_field(field, member_of(field, a), member_of(field, b));
	}
}

void rig_poison(struct rig_record *record)
{
	memset(record, POISON, sizeof(*record));
}

bool rig_is_poisoned(const struct rig_record *record)
{
	for (size_t i = 0; i < sizeof(record->bytes); i++) {
		if (record->bytes[i] != POISON)
			return false;
	}
	return true;
}
