/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The codec by itself, with tables of the test's own: one of every kind of field, lists in lists,
 * elements without fields. test_wire_messages.c has the messages of the protocol.
 */

#include <string.h>

#include "test.h"
#include "urom/wire/wire.h"
#include "wire_rig.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct pair {
	uint8_t key;
	struct wire_bytes value; /* text, 2 bytes at most */
};

static const struct wire_field pair_fields[] = {
	{ "key", WIRE_U8, offsetof(struct pair, key), 0, NULL },
	{ "value", WIRE_TEXT, offsetof(struct pair, value), 2, NULL },
};

static const struct wire_message pair_message = { "PAIR", 0, sizeof(struct pair), pair_fields,
						  COUNT(pair_fields) };

/* Not in the order of the record, as a table may have it. */
struct every {
	bool flag;
	uint64_t u64;
	uint8_t u8;
	uint32_t u32;
	uint16_t u16;
	uint8_t fixed[3];
	struct wire_bytes bytes; /* 4 */
	struct wire_bytes text;  /* 4 */
	struct wire_bytes pairs; /* 16 */
};

static const struct wire_field every_fields[] = {
	{ "u8", WIRE_U8, offsetof(struct every, u8), 0, NULL },
	{ "u16", WIRE_U16, offsetof(struct every, u16), 0, NULL },
	{ "flag", WIRE_BOOL, offsetof(struct every, flag), 0, NULL },
	{ "u32", WIRE_U32, offsetof(struct every, u32), 0, NULL },
	{ "bytes", WIRE_BYTES, offsetof(struct every, bytes), 4, NULL },
	{ "fixed", WIRE_FIXED, offsetof(struct every, fixed), 3, NULL },
	{ "u64", WIRE_U64, offsetof(struct every, u64), 0, NULL },
	{ "pairs", WIRE_LIST, offsetof(struct every, pairs), 16, &pair_message },
	{ "text", WIRE_TEXT, offsetof(struct every, text), 4, NULL },
};

static const struct wire_message every_message = { "EVERY", 1, sizeof(struct every), every_fields,
						   COUNT(every_fields) };

static const struct every golden_record = {
	.flag = true,
	.u64 = UINT64_C(0x1112131415161718),
	.u8 = 0x21,
	.u32 = 0x31323334,
	.u16 = 0x4142,
	.fixed = { 0x51, 0x00, 0x53 },
	.bytes = { "\0\1", 2 },
	.text = { "text", 4 },
	.pairs = { "\x61\0\0\0\0\x62\2\0\0\0xy", 12 },
};

/* clang-format off */
static const uint8_t golden[] = {
	0x21,
	0x42, 0x41,
	0x01,
	0x34, 0x33, 0x32, 0x31,
	0x02, 0x00, 0x00, 0x00, 0x00, 0x01,
	0x51, 0x00, 0x53,
	0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
	0x0c, 0x00, 0x00, 0x00,
	0x61, 0x00, 0x00, 0x00, 0x00,
	0x62, 0x02, 0x00, 0x00, 0x00, 'x', 'y',
	0x04, 0x00, 0x00, 0x00, 't', 'e', 'x', 't',
};
/* clang-format on */

/* Offsets in these bytes. */
#define AT_FLAG        3
#define AT_BYTES_LEN   8
#define AT_LIST_LEN    25
#define AT_LIST        29
#define AT_SECOND_LEN  35
#define AT_SECOND_TEXT 39
#define AT_TEXT_LEN    41
#define AT_TEXT        45

/* A message of one list, whose elements the test chooses. */
struct holder {
	struct wire_bytes list;
};

static enum wire_result decode_list(const struct wire_message *element, uint32_t limit,
				    const void *body, size_t len, struct holder *holder)
{
	const struct wire_field field = { "list", WIRE_LIST, 0, limit, element };
	const struct wire_message message = { "HOLDER", 1, sizeof(*holder), &field, 1 };
	uint8_t *guarded = rig_guarded(len);

	memcpy(guarded, body, len);
	return wire_decode(&message, guarded, len, holder);
}

/* --- the bytes --- */

static void every_kind_is_written_in_the_order_of_the_table(void **state)
{
	uint8_t *body = rig_guarded(sizeof(golden));
	size_t len = 0;

	(void)state;
	assert_int_equal(wire_encoded_size(&every_message, &golden_record), sizeof(golden));
	assert_int_equal(wire_encode(&every_message, &golden_record, body, sizeof(golden), &len),
			 WIRE_OK);
	assert_int_equal(len, sizeof(golden));
	assert_memory_equal(body, golden, sizeof(golden));
}

static void every_kind_is_read(void **state)
{
	struct rig_record record, expected;

	(void)state;
	memcpy(&expected, &golden_record, sizeof(golden_record));
	assert_int_equal(rig_decode(&every_message, golden, sizeof(golden), &record), WIRE_OK);
	rig_check_same(&every_message, &record, &expected);
}

static void what_varies_is_borrowed_from_the_body(void **state)
{
	struct every record;

	(void)state;
	assert_int_equal(wire_decode(&every_message, golden, sizeof(golden), &record), WIRE_OK);
	assert_ptr_equal(record.bytes.data, golden + AT_BYTES_LEN + 4);
	assert_ptr_equal(record.pairs.data, golden + AT_LIST);
	assert_ptr_equal(record.text.data, golden + AT_TEXT);
}

/* Padding is nobody's: neither sent, so that memory does not leak out, nor written. */
static void padding_stays_out_of_it(void **state)
{
	struct every record;
	uint8_t bytes[sizeof(record)];
	uint8_t body[sizeof(golden)];
	size_t len;

	(void)state;
	memset(&record, 0xee, sizeof(record));
	assert_int_equal(wire_decode(&every_message, golden, sizeof(golden), &record), WIRE_OK);
	memcpy(bytes, &record, sizeof(record));
	for (size_t i = offsetof(struct every, flag) + 1; i < offsetof(struct every, u64); i++)
		assert_int_equal(bytes[i], 0xee);
	assert_int_equal(wire_encode(&every_message, &record, body, sizeof(body), &len), WIRE_OK);
	assert_memory_equal(body, golden, sizeof(golden));
}

static void larger_buffer_is_not_filled_up(void **state)
{
	uint8_t body[sizeof(golden) + 16];
	size_t len;

	(void)state;
	memset(body, 0xee, sizeof(body));
	assert_int_equal(wire_encode(&every_message, &golden_record, body, sizeof(body), &len),
			 WIRE_OK);
	assert_int_equal(len, sizeof(golden));
	for (size_t i = len; i < sizeof(body); i++)
		assert_int_equal(body[i], 0xee);
}

static void message_without_fields_is_no_bytes(void **state)
{
	const struct wire_message message = { "EMPTY", 1, 1, NULL, 0 };
	uint8_t record = 7;
	size_t len = 7;

	(void)state;
	assert_int_equal(wire_encoded_size(&message, &record), 0);
	assert_int_equal(wire_encode(&message, &record, NULL, 0, &len), WIRE_OK);
	assert_int_equal(len, 0);
	assert_int_equal(wire_decode(&message, NULL, 0, &record), WIRE_OK);
	assert_int_equal(wire_decode(&message, "x", 1, &record), WIRE_TRAILING);
	assert_int_equal(record, 7);
}

/* --- what is refused --- */

static void damaged_body_is_refused_for_what_it_is(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		enum wire_result expected;
	} rows[] = {
		{ AT_FLAG, 0, WIRE_OK },
		{ AT_FLAG, 2, WIRE_BAD_VALUE },
		{ AT_FLAG, 255, WIRE_BAD_VALUE },
		{ AT_BYTES_LEN, 1, WIRE_TOO_LONG }, /* all behind it is shifted */
		{ AT_BYTES_LEN, 5, WIRE_TOO_LONG },
		{ AT_BYTES_LEN + 1, 1, WIRE_TOO_LONG },
		{ AT_BYTES_LEN + 3, 0x80, WIRE_TOO_LONG },
		{ AT_LIST_LEN, 17, WIRE_TOO_LONG },
		{ AT_LIST_LEN, 11, WIRE_BAD_VALUE }, /* within the last element */
		{ AT_LIST_LEN, 6, WIRE_BAD_VALUE },
		{ AT_LIST_LEN, 13, WIRE_BAD_VALUE },
		{ AT_LIST + 1, 1, WIRE_BAD_VALUE }, /* the first element reaches into the second */
		{ AT_SECOND_LEN, 0, WIRE_BAD_VALUE },
		{ AT_SECOND_LEN, 1, WIRE_BAD_VALUE },
		{ AT_SECOND_LEN, 3, WIRE_BAD_VALUE }, /* over the element's limit */
		{ AT_SECOND_TEXT, 0, WIRE_BAD_VALUE },
		{ AT_TEXT_LEN, 3, WIRE_TRAILING },
		{ AT_TEXT_LEN, 5, WIRE_TOO_LONG },
		{ AT_TEXT_LEN + 3, 1, WIRE_TOO_LONG },
		{ AT_TEXT, 0, WIRE_BAD_VALUE },
		{ AT_TEXT + 3, 0, WIRE_BAD_VALUE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rig_record record;
		uint8_t body[sizeof(golden)];

		memcpy(body, golden, sizeof(golden));
		body[rows[i].at] = rows[i].value;
		rig_poison(&record);
		assert_int_equal(rig_decode(&every_message, body, sizeof(body), &record),
				 rows[i].expected);
		assert_int_equal(rig_is_poisoned(&record), rows[i].expected != WIRE_OK);
	}
}

static void record_that_cannot_be_read_is_not_written(void **state)
{
	static const struct {
		struct wire_bytes bytes, text, pairs;
		enum wire_result expected;
	} rows[] = {
		{ { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, WIRE_OK },
		{ { "\0\0\0\0", 4 }, { "text", 4 }, { NULL, 0 }, WIRE_OK },
		{ { "\0\0\0\0\0", 5 }, { NULL, 0 }, { NULL, 0 }, WIRE_TOO_LONG },
		{ { NULL, 0 }, { "text5", 5 }, { NULL, 0 }, WIRE_TOO_LONG },
		{ { NULL, 0 }, { "", UINT32_MAX }, { NULL, 0 }, WIRE_TOO_LONG },
		{ { NULL, 0 }, { "", 1 }, { NULL, 0 }, WIRE_BAD_VALUE },
		{ { NULL, 0 }, { "abc", 4 }, { NULL, 0 }, WIRE_BAD_VALUE },
		{ { NULL, 0 }, { NULL, 0 }, { "a\1\0\0\0b", 6 }, WIRE_OK },
		{ { NULL, 0 }, { NULL, 0 }, { "a\2\0\0\0b", 6 }, WIRE_BAD_VALUE },
		{ { NULL, 0 }, { NULL, 0 }, { "a\1\0\0\0\0", 6 }, WIRE_BAD_VALUE },
		{ { NULL, 0 }, { NULL, 0 }, { "a", 1 }, WIRE_BAD_VALUE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct every record = { .bytes = rows[i].bytes,
					.text = rows[i].text,
					.pairs = rows[i].pairs };
		uint8_t body[128];
		size_t len = 7;

		assert_int_equal(wire_encode(&every_message, &record, body, sizeof(body), &len),
				 rows[i].expected);
		assert_int_equal(len == 7, rows[i].expected != WIRE_OK);
	}
}

/* --- lists --- */

static void list_is_read_element_by_element(void **state)
{
	struct wire_bytes list = golden_record.pairs;
	struct pair pair;

	(void)state;
	assert_true(wire_list_next(&list, &pair_message, &pair));
	assert_int_equal(pair.key, 0x61);
	assert_int_equal(pair.value.len, 0);
	assert_true(wire_list_next(&list, &pair_message, &pair));
	assert_int_equal(pair.key, 0x62);
	assert_int_equal(pair.value.len, 2);
	assert_memory_equal(pair.value.data, "xy", 2);
	assert_int_equal(list.len, 0);
	assert_false(wire_list_next(&list, &pair_message, &pair));
}

static void empty_list_has_no_element(void **state)
{
	struct wire_bytes list = { NULL, 0 };
	struct pair pair = { .key = 7 };

	(void)state;
	assert_false(wire_list_next(&list, &pair_message, &pair));
	assert_int_equal(pair.key, 7);
}

static void list_of_very_many_elements_is_read_to_its_end(void **state)
{
	enum {
		NUM_PAIRS = 100000,
		PAIR_SIZE = 5
	};
	static uint8_t body[4 + NUM_PAIRS * PAIR_SIZE];
	struct holder holder;
	struct pair pair;
	size_t num_read = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		body[i] = (uint8_t)((sizeof(body) - 4) >> (8 * i));
	for (size_t i = 0; i < NUM_PAIRS; i++)
		body[4 + i * PAIR_SIZE] = (uint8_t)i;
	assert_int_equal(decode_list(&pair_message, sizeof(body) - 4, body, sizeof(body), &holder),
			 WIRE_OK);
	while (wire_list_next(&holder.list, &pair_message, &pair)) {
		assert_int_equal(pair.key, (uint8_t)num_read);
		num_read++;
	}
	assert_int_equal(num_read, NUM_PAIRS);
}

static void list_that_was_not_accepted_ends_where_it_is_wrong(void **state)
{
	struct wire_bytes list = { "a\0\0\0\0b\3\0\0\0xyz", 13 };
	struct pair pair;

	(void)state;
	assert_true(wire_list_next(&list, &pair_message, &pair));
	assert_false(wire_list_next(&list, &pair_message, &pair));
	assert_int_equal(list.len, 8);
}

static void lists_in_lists_are_checked_to_the_bottom(void **state)
{
	static const struct wire_field inner_field = { "pairs", WIRE_LIST, 0, 11, &pair_message };
	static const struct wire_message inner = { "INNER", 0, sizeof(struct holder), &inner_field,
						   1 };
	static const struct {
		const char *body;
		size_t len;
		enum wire_result expected;
	} rows[] = {
		{ "\4\0\0\0\0\0\0\0", 8, WIRE_OK },
		{ "\x0d\0\0\0\0\0\0\0\5\0\0\0a\0\0\0\0", 17, WIRE_OK },
		{ "\x0d\0\0\0\0\0\0\0\5\0\0\0a\1\0\0\0", 17, WIRE_BAD_VALUE },
		{ "\x0d\0\0\0\0\0\0\0\6\0\0\0a\0\0\0\0", 17, WIRE_BAD_VALUE },
		{ "\x0d\0\0\0\0\0\0\0\4\0\0\0a\0\0\0\0", 17, WIRE_BAD_VALUE },
		{ "\x10\0\0\0\x0c\0\0\0a\0\0\0\0b\2\0\0\0xy", 20, WIRE_BAD_VALUE }, /* 12, not 11 */
	};
	struct holder holder;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(decode_list(&inner, 64, rows[i].body, rows[i].len, &holder),
				 rows[i].expected);
}

static void list_of_elements_without_fields_can_only_be_empty(void **state)
{
	static const struct wire_message nothing = { "NOTHING", 0, 1, NULL, 0 };
	struct holder holder;

	(void)state;
	assert_int_equal(decode_list(&nothing, 64, "\0\0\0\0", 4, &holder), WIRE_OK);
	assert_int_equal(decode_list(&nothing, 64, "\1\0\0\0x", 5, &holder), WIRE_BAD_VALUE);
}

static void claimed_length_is_not_believed(void **state)
{
	struct holder holder;

	(void)state;
	assert_int_equal(decode_list(&pair_message, UINT32_MAX, "\xff\xff\xff\xff", 4, &holder),
			 WIRE_TRUNCATED);
	assert_int_equal(decode_list(&pair_message, UINT32_MAX, "\2\0\0\0a", 5, &holder),
			 WIRE_TRUNCATED);
}

/* --- words --- */

static void every_result_has_a_text_of_its_own(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < WIRE_NUM_RESULTS; i++) {
		const char *text = wire_result_text((enum wire_result)i);

		assert_true(strlen(text) > 0);
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(text, wire_result_text((enum wire_result)j));
	}
	assert_string_equal(wire_result_text(WIRE_NUM_RESULTS), "undefined");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_is_written_in_the_order_of_the_table),
		TEST(every_kind_is_read),
		TEST(what_varies_is_borrowed_from_the_body),
		TEST(padding_stays_out_of_it),
		TEST(larger_buffer_is_not_filled_up),
		TEST(message_without_fields_is_no_bytes),
		TEST(damaged_body_is_refused_for_what_it_is),
		TEST(record_that_cannot_be_read_is_not_written),
		TEST(list_is_read_element_by_element),
		TEST(empty_list_has_no_element),
		TEST(list_of_very_many_elements_is_read_to_its_end),
		TEST(list_that_was_not_accepted_ends_where_it_is_wrong),
		TEST(lists_in_lists_are_checked_to_the_bottom),
		TEST(list_of_elements_without_fields_can_only_be_empty),
		TEST(claimed_length_is_not_believed),
		TEST(every_result_has_a_text_of_its_own),
	};

	return cmocka_run_group_tests_name("wire_codec", tests, rig_create, rig_destroy);
}
