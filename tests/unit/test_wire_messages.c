/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every message of the protocol, gone through by its table: what is written, that it is read as it
 * was, and that nothing else is taken. test_wire_table.c looks at the table itself.
 */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom/wire/wire_messages.h"
#include "wire_rig.h"

/* Writes it as the second opinion does, and gets it back from there. */
static void check_travels(const struct wire_message *message, const struct rig_record *record)
{
	struct rig_record decoded = { .bytes = { 0 } };
	size_t expected_len, len = SIZE_MAX;
	uint8_t *expected = rig_encode(message, record, &expected_len);
	uint8_t *body = rig_guarded(expected_len);

	assert_int_equal(wire_encoded_size(message, record), expected_len);
	assert_int_equal(wire_encode(message, record, body, expected_len, &len), WIRE_OK);
	assert_int_equal(len, expected_len);
	assert_memory_equal(body, expected, len);
	assert_int_equal(wire_decode(message, body, len, &decoded), WIRE_OK);
	rig_check_same(message, &decoded, record);
	free(expected);
}

/* Refused, and nothing written. */
static void check_not_decoded(const struct wire_message *message, const uint8_t *body, size_t len,
			      enum wire_result expected)
{
	struct rig_record record;

	rig_poison(&record);
	assert_int_equal(rig_decode(message, body, len, &record), expected);
	assert_true(rig_is_poisoned(&record));
}

static void check_refused_both_ways(const struct wire_message *message,
				    const struct rig_record *record, enum wire_result expected)
{
	size_t body_len, len = 7;
	uint8_t *body = rig_encode(message, record, &body_len);

	assert_int_equal(wire_encode(message, record, rig_guarded(body_len), body_len, &len),
			 expected);
	assert_int_equal(len, 7);
	check_not_decoded(message, body, body_len, expected);
	free(body);
}

/* --- what travels --- */

static void every_message_travels(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		for (unsigned int fill = 0; fill < RIG_NUM_FILLS; fill++) {
			rig_fill(message, (enum rig_fill)fill, &record);
			check_travels(message, &record);
		}
	}
}

static void every_field_travels_at_each_of_its_edges(void **state)
{
	const struct wire_message *message;
	const struct wire_field *field;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			rig_fill(message, RIG_SMALL, &record);
			rig_fill_field(field, RIG_LEAST, &record);
			check_travels(message, &record);
			rig_fill(message, RIG_LEAST, &record);
			rig_fill_field(field, RIG_MOST, &record);
			check_travels(message, &record);
		}
	}
}

static void body_lies_anywhere(void **state)
{
	const struct wire_message *message;
	struct rig_record record, decoded;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		size_t len;
		uint8_t *body;

		rig_fill(message, RIG_SMALL, &record);
		body = rig_encode(message, &record, &len);
		for (size_t shift = 1; shift < 8; shift++) {
			uint8_t *at = rig_guarded(len + shift);

			memcpy(at, body, len);
			assert_int_equal(wire_decode(message, at, len, &decoded), WIRE_OK);
			rig_check_same(message, &decoded, &record);
		}
		free(body);
	}
}

/* --- what does not --- */

static void field_over_its_limit_is_refused_both_ways(void **state)
{
	const struct wire_message *message;
	const struct wire_field *field;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			if (!rig_is_variable(field->kind))
				continue;
			rig_fill(message, RIG_SMALL, &record);
			rig_stretch(field, field->limit + 1, &record);
			check_refused_both_ways(message, &record, WIRE_TOO_LONG);
		}
	}
}

static void every_truncation_is_refused(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		size_t len;
		uint8_t *body;

		rig_fill(message, RIG_SMALL, &record);
		body = rig_encode(message, &record, &len);
		for (size_t cut = 0; cut < len; cut++)
			check_not_decoded(message, body, cut, WIRE_TRUNCATED);
		free(body);
	}
}

static void bytes_behind_the_last_field_are_refused(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		uint8_t longer[1024] = { 0 };
		size_t len;
		uint8_t *body;

		rig_fill(message, RIG_SMALL, &record);
		body = rig_encode(message, &record, &len);
		memcpy(longer, body, len);
		for (size_t more = 1; more < 20; more++)
			check_not_decoded(message, longer, len + more, WIRE_TRAILING);
		free(body);
	}
}

/* Refused, or taken at its word: then it is written as just these bytes. */
static void check_changed(const struct wire_message *message, const uint8_t *body, size_t len)
{
	struct rig_record record;
	uint8_t again[1024];
	size_t again_len;
	enum wire_result result;

	rig_poison(&record);
	result = rig_decode(message, body, len, &record);
	if (result != WIRE_OK) {
		assert_true(result != WIRE_UNKNOWN && result < WIRE_NO_MEMORY);
		assert_true(rig_is_poisoned(&record));
		return;
	}
	assert_int_equal(wire_encoded_size(message, &record), len);
	assert_int_equal(wire_encode(message, &record, again, sizeof(again), &again_len), WIRE_OK);
	assert_int_equal(again_len, len);
	assert_memory_equal(again, body, len);
}

static void every_changed_byte_is_refused_or_meant(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		size_t len;
		uint8_t *body;

		rig_fill(message, RIG_SMALL, &record);
		body = rig_encode(message, &record, &len);
		for (size_t at = 0; at < len; at++) {
			for (unsigned int change = 1; change < 256; change++) {
				body[at] ^= (uint8_t)change;
				check_changed(message, body, len);
				body[at] ^= (uint8_t)change;
			}
		}
		free(body);
	}
}

static void buffer_that_is_too_small_is_not_left(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		size_t size;

		rig_fill(message, RIG_SMALL, &record);
		size = wire_encoded_size(message, &record);
		for (size_t room = 0; room < size; room++) {
			size_t len = 7;

			assert_int_equal(
			    wire_encode(message, &record, rig_guarded(room), room, &len),
			    WIRE_TOO_LONG);
			assert_int_equal(len, 7);
		}
	}
}

/* Sets all bytes of a field, which is small, in an encoded message to those given. */
static void check_with_bytes(const struct wire_message *message, const struct wire_field *field,
			     const void *data, uint32_t len, enum wire_result expected)
{
	struct rig_record record;

	rig_fill(message, RIG_SMALL, &record);
	*(struct wire_bytes *)(void *)(record.bytes + field->offset) =
	    (struct wire_bytes){ .data = data, .len = len };
	check_refused_both_ways(message, &record, expected);
}

static void nul_in_a_text_is_refused_both_ways(void **state)
{
	static const char *const texts[] = { "\0bc", "a\0c", "ab\0" };
	const struct wire_message *message;
	const struct wire_field *field;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			for (size_t i = 0; i < 3 && field->kind == WIRE_TEXT; i++)
				check_with_bytes(message, field, texts[i], 3, WIRE_BAD_VALUE);
		}
	}
}

/* Each list ends in the middle of its last element, or holds what no element is. */
static void list_of_no_elements_is_refused_both_ways(void **state)
{
	static const uint8_t ones[] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
					255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };
	const struct wire_message *message;
	const struct wire_field *field;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			struct wire_bytes list;

			if (field->kind != WIRE_LIST)
				continue;
			check_with_bytes(message, field, ones, sizeof(ones), WIRE_BAD_VALUE);
			rig_fill(message, RIG_SMALL, &record);
			memcpy(&list, record.bytes + field->offset, sizeof(list));
			list.len--;
			*(struct wire_bytes *)(void *)(record.bytes + field->offset) = list;
			check_refused_both_ways(message, &record, WIRE_BAD_VALUE);
		}
	}
}

/* --- the bytes themselves --- */

/* Fails unless the record is written as these bytes. */
static void check_bytes(const struct wire_message *message, const void *record,
			const void *expected, size_t expected_len)
{
	uint8_t body[512];
	size_t len;

	assert_int_equal(wire_encode(message, record, body, sizeof(body), &len), WIRE_OK);
	assert_int_equal(len, expected_len);
	assert_memory_equal(body, expected, len);
}

static void hello_is_these_bytes(void **state)
{
	static const char expected[] = "ONEUROM1"
				       "\x02\x01\x04\x03" /* versions */
				       "\x01\x00\x40\x02" /* role, byte order, pointers, auth */
				       "\x00\x00\x03\x03" /* API */
				       "\x00\x10\x00\x00" /* largest message */
				       "0123456789abcdefghijklmnopqrstuv"
				       "\x04\x00\x00\x00host"
				       "\x02\x00\x00\x00\x00\xff";
	struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = 0x0102,
		.version_max = 0x0304,
		.role = WIRE_ROLE_HOST,
		.pointer_bits = 64,
		.auth = WIRE_AUTH_MUNGE,
		.api_version = 0x03030000,
		.max_message = 4096,
		.host = { "host", 4 },
		.proof = { "\0\xff", 2 },
	};

	(void)state;
	memcpy(hello.nonce, "0123456789abcdefghijklmnopqrstuv", sizeof(hello.nonce));
	check_bytes(wire_message_find(WIRE_HELLO), &hello, expected, sizeof(expected) - 1);
}

static void notification_is_these_bytes(void **state)
{
	static const char expected[] = "\x00\x00\x00\x00\x00\x00\x00\x80" /* plugin */
				       "\x01\x00\x00\x00\x00\x00\x00\x00" /* context */
				       "\x15\x00\x00\x00"                 /* status */
				       "\x03\x00\x00\x00"
				       "a\0b";
	const struct wire_notify notify = {
		.plugin = UINT64_C(1) << 63,
		.context = 1,
		.status = 21,
		.payload = { "a\0b", 3 },
	};

	(void)state;
	check_bytes(wire_message_find(WIRE_NOTIFY), &notify, expected, sizeof(expected) - 1);
}

static void group_is_these_bytes(void **state)
{
	static const char expected[] = "\x10\x00\x00\x00"
				       "\x01\x00\x00\x00\x00\x00\x00\x00"
				       "\xfe\xff\xff\xff\xff\xff\xff\xff";
	const struct wire_group group = { .worker_ids = { expected + 4, 16 } };

	(void)state;
	check_bytes(wire_message_find(WIRE_GROUP), &group, expected, sizeof(expected) - 1);
}

static void message_that_says_all_by_its_type_has_no_bytes(void **state)
{
	static const uint16_t types[] = { WIRE_WORKER_STOPPED, WIRE_TICKET_KNOWN, WIRE_SHUTDOWN,
					  WIRE_ATTACHED,       WIRE_DETACH,       WIRE_DETACHED };
	struct wire_empty record = { .nothing = 7 };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		check_bytes(wire_message_find(types[i]), &record, "", 0);
		assert_int_equal(wire_decode(wire_message_find(types[i]), NULL, 0, &record),
				 WIRE_OK);
	}
	assert_int_equal(record.nothing, 7);
}

/* What a peer of another version has sent beyond the preamble is not looked at. */
static void preamble_is_read_from_hello_and_refusal(void **state)
{
	static const uint16_t types[] = { WIRE_HELLO, WIRE_REFUSED };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct wire_message *message = wire_message_find(types[i]);
		struct wire_preamble preamble = { .magic = 0 };
		struct rig_record record;
		size_t len;
		uint8_t *body;

		rig_fill(message, RIG_MOST, &record);
		memcpy(record.bytes, &(uint64_t){ WIRE_MAGIC }, sizeof(uint64_t));
		body = rig_encode(message, &record, &len);
		assert_int_equal(
		    wire_decode(&wire_preamble_message, body, WIRE_PREAMBLE_SIZE, &preamble),
		    WIRE_OK);
		assert_true(preamble.magic == WIRE_MAGIC);
		assert_int_equal(preamble.version_min, UINT16_MAX);
		assert_int_equal(preamble.version_max, UINT16_MAX);
		free(body);
	}
}

static void answers_to_hello_begin_with_the_magic(void **state)
{
	static const uint16_t types[] = { WIRE_HELLO, WIRE_CHALLENGE, WIRE_WELCOME, WIRE_REFUSED };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct wire_field *first = wire_message_find(types[i])->fields;

		assert_string_equal(first->name, "magic");
		assert_int_equal(first->kind, WIRE_U64);
		assert_int_equal(first->offset, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_message_travels),
		TEST(every_field_travels_at_each_of_its_edges),
		TEST(body_lies_anywhere),
		TEST(field_over_its_limit_is_refused_both_ways),
		TEST(every_truncation_is_refused),
		TEST(bytes_behind_the_last_field_are_refused),
		TEST(every_changed_byte_is_refused_or_meant),
		TEST(buffer_that_is_too_small_is_not_left),
		TEST(nul_in_a_text_is_refused_both_ways),
		TEST(list_of_no_elements_is_refused_both_ways),
		TEST(hello_is_these_bytes),
		TEST(notification_is_these_bytes),
		TEST(group_is_these_bytes),
		TEST(message_that_says_all_by_its_type_has_no_bytes),
		TEST(preamble_is_read_from_hello_and_refusal),
		TEST(answers_to_hello_begin_with_the_magic),
	};

	return cmocka_run_group_tests_name("wire_messages", tests, rig_create, rig_destroy);
}
