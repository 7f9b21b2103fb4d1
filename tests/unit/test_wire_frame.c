/* SPDX-License-Identifier: BSD-3-Clause */

/* Headers as bytes, and messages that come in pieces. */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom/wire/wire_frame.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint8_t golden[WIRE_HEADER_SIZE] = { 0x00, 0x00, 0x01, 0x00, 0x12, 0x11, 0x01, 0x00,
						  0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21 };

static const struct wire_header golden_header = {
	.len = WIRE_MAX_PIECE,
	.type = 0x1112,
	.has_more = true,
	.id = UINT64_C(0x2122232425262728),
};

static bool has_memory = true;
static size_t largest_block;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	if (!has_memory)
		return NULL;
	if (size > largest_block)
		largest_block = size;
	return __real_realloc(old, size);
}

static int setup(void **state)
{
	has_memory = true;
	largest_block = 0;
	return test_begin(state);
}

/* Of a piece of the message of type 5 and id 77. */
static struct wire_header header_of(size_t len, bool has_more)
{
	return (
	    struct wire_header){ .len = (uint32_t)len, .type = 5, .has_more = has_more, .id = 77 };
}

static enum wire_result add(struct wire_assembly *assembly, const char *piece, bool has_more,
			    size_t max_body, bool *is_whole)
{
	const struct wire_header header = header_of(strlen(piece), has_more);
	char *copy = malloc(strlen(piece) + 1);
	enum wire_result result;

	assert_non_null(copy);
	memcpy(copy, piece, header.len);
	result = wire_assembly_add(assembly, &header, copy, max_body, is_whole);
	free(copy); /* nobody may point there */
	return result;
}

static void add_part(struct wire_assembly *assembly, const char *piece)
{
	bool is_whole = true;

	assert_int_equal(add(assembly, piece, true, 100, &is_whole), WIRE_OK);
	assert_false(is_whole);
}

/* The last piece; the message is then this one. */
static void add_last(struct wire_assembly *assembly, const char *piece, const char *message)
{
	bool is_whole = false;

	assert_int_equal(add(assembly, piece, false, 100, &is_whole), WIRE_OK);
	assert_true(is_whole);
	assert_int_equal(assembly->header.type, 5);
	assert_int_equal(assembly->header.id, 77);
	assert_int_equal(assembly->header.len, strlen(message));
	if (assembly->header.len > 0)
		assert_memory_equal(assembly->body, message, assembly->header.len);
}

static void check_empty(const struct wire_assembly *assembly)
{
	assert_null(assembly->body);
	assert_int_equal(assembly->capacity, 0);
	assert_false(assembly->is_begun);
}

/* --- headers --- */

static void header_is_these_bytes(void **state)
{
	uint8_t bytes[WIRE_HEADER_SIZE + 1] = { [WIRE_HEADER_SIZE] = 0xee };

	(void)state;
	wire_header_encode(&golden_header, bytes);
	assert_memory_equal(bytes, golden, sizeof(golden));
	assert_int_equal(bytes[WIRE_HEADER_SIZE], 0xee);
}

static void header_is_read(void **state)
{
	struct wire_header header;

	(void)state;
	assert_int_equal(wire_header_decode(golden, &header), WIRE_OK);
	assert_int_equal(header.len, golden_header.len);
	assert_int_equal(header.type, golden_header.type);
	assert_true(header.has_more);
	assert_true(header.id == golden_header.id);
}

static void every_changed_byte_of_a_header_is_refused_or_meant(void **state)
{
	uint8_t bytes[WIRE_HEADER_SIZE], again[WIRE_HEADER_SIZE];

	(void)state;
	memcpy(bytes, golden, sizeof(golden));
	for (unsigned int i = 0; i < 255 * WIRE_HEADER_SIZE; i++) {
		uint8_t change = (uint8_t)(1 + i % 255);
		struct wire_header header = { .len = 7 };
		enum wire_result result;

		bytes[i / 255] ^= change;
		result = wire_header_decode(bytes, &header);
		if (result == WIRE_OK) {
			assert_true(header.len <= WIRE_MAX_PIECE);
			wire_header_encode(&header, again);
			assert_memory_equal(again, bytes, sizeof(bytes));
		} else {
			assert_int_equal(header.len, 7);
		}
		bytes[i / 255] ^= change;
	}
}

static void header_that_cannot_be_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		enum wire_result expected;
	} rows[] = {
		{ 6, 0, WIRE_OK },           { 6, 2, WIRE_BAD_VALUE }, { 6, 3, WIRE_BAD_VALUE },
		{ 6, 0x80, WIRE_BAD_VALUE }, { 7, 1, WIRE_BAD_VALUE }, { 7, 0x80, WIRE_BAD_VALUE },
		{ 0, 1, WIRE_TOO_LONG },                        /* one byte over the limit */
		{ 3, 0x80, WIRE_TOO_LONG },  { 4, 0, WIRE_OK }, /* which types there are is not the
								   header's business */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t bytes[WIRE_HEADER_SIZE];
		struct wire_header header;

		memcpy(bytes, golden, sizeof(golden));
		bytes[rows[i].at] = rows[i].value;
		assert_int_equal(wire_header_decode(bytes, &header), rows[i].expected);
	}
}

/* What a port that speaks something else says first. */
static void foreign_protocol_is_no_header(void **state)
{
	static const char *const openings[] = {
		"GET / HTTP/1.1\r\n",
		"HTTP/1.1 400 Bad",
		"SSH-2.0-OpenSSH_",
		"220 mail ESMTP\r\n ",
		"\x15\x03\x01\x00\x02\x02\x50\x15\x03\x01\x00\x02\x02\x50\x15",
	};
	struct wire_header header;

	(void)state;
	for (size_t i = 0; i < COUNT(openings); i++)
		assert_int_not_equal(wire_header_decode(openings[i], &header), WIRE_OK);
}

/* --- pieces --- */

static void message_of_one_piece_is_whole_at_once(void **state)
{
	struct wire_assembly assembly = { .body = NULL };

	(void)state;
	add_last(&assembly, "message", "message");
	wire_assembly_fini(&assembly);
	check_empty(&assembly);
}

static void pieces_are_put_together(void **state)
{
	struct wire_assembly assembly = { .body = NULL };

	(void)state;
	add_part(&assembly, "a m");
	add_part(&assembly, "e");
	add_part(&assembly, "");
	add_last(&assembly, "ssage", "a message");
	wire_assembly_fini(&assembly);
}

static void empty_pieces_are_a_message_too(void **state)
{
	struct wire_assembly assembly = { .body = NULL };

	(void)state;
	add_last(&assembly, "", "");
	add_part(&assembly, "");
	add_last(&assembly, "", "");
	add_part(&assembly, "");
	add_last(&assembly, "late", "late");
	wire_assembly_fini(&assembly);
}

static void message_without_bytes_needs_no_memory(void **state)
{
	struct wire_assembly assembly = { .body = NULL };

	(void)state;
	has_memory = false;
	add_last(&assembly, "", "");
	assert_null(assembly.body);
}

static void one_message_after_the_other(void **state)
{
	struct wire_assembly assembly = { .body = NULL };

	(void)state;
	add_part(&assembly, "a longer ");
	add_last(&assembly, "one", "a longer one");
	add_last(&assembly, "short", "short");
	add_part(&assembly, "an");
	add_last(&assembly, "other", "another");
	wire_assembly_fini(&assembly);
}

/* The id belongs to the exchange: the next message may have the same, or not. */
static void next_message_may_be_of_any_type_and_id(void **state)
{
	const struct wire_header other = { .type = 6, .id = 78 };
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole = false;

	(void)state;
	add_last(&assembly, "first", "first");
	assert_int_equal(wire_assembly_add(&assembly, &other, NULL, 100, &is_whole), WIRE_OK);
	assert_true(is_whole);
	assert_int_equal(assembly.header.type, 6);
	assert_int_equal(assembly.header.id, 78);
	assert_int_equal(assembly.header.len, 0);
	wire_assembly_fini(&assembly);
}

static void piece_of_another_message_in_between_is_refused(void **state)
{
	static const struct wire_header others[] = { { .type = 6, .id = 77 },
						     { .type = 5, .id = 78 } };

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++) {
		struct wire_assembly assembly = { .body = NULL };
		bool is_whole = true;

		add_part(&assembly, "begun");
		assert_int_equal(wire_assembly_add(&assembly, &others[i], "", 100, &is_whole),
				 WIRE_BAD_VALUE);
		assert_true(is_whole); /* untouched */
		check_empty(&assembly);
	}
}

static void message_over_the_limit_is_refused(void **state)
{
	static const struct {
		const char *first;
		const char *second;
		enum wire_result expected;
	} rows[] = {
		{ "12345", "678", WIRE_OK }, { "12345", "6789", WIRE_TOO_LONG },
		{ "", "12345678", WIRE_OK }, { "", "123456789", WIRE_TOO_LONG },
		{ "12345678", "", WIRE_OK }, { "12345678", "9", WIRE_TOO_LONG },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wire_assembly assembly = { .body = NULL };
		bool is_whole = false;

		assert_int_equal(add(&assembly, rows[i].first, true, 8, &is_whole), WIRE_OK);
		assert_int_equal(add(&assembly, rows[i].second, false, 8, &is_whole),
				 rows[i].expected);
		assert_int_equal(is_whole, rows[i].expected == WIRE_OK);
		if (rows[i].expected != WIRE_OK)
			check_empty(&assembly);
		wire_assembly_fini(&assembly);
	}
}

static void first_piece_over_the_limit_is_refused(void **state)
{
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole = false;

	(void)state;
	assert_int_equal(add(&assembly, "x", false, 0, &is_whole), WIRE_TOO_LONG);
	check_empty(&assembly);
	assert_int_equal(add(&assembly, "", false, 0, &is_whole), WIRE_OK);
	assert_true(is_whole);
}

static void limit_that_sinks_below_what_has_come_holds(void **state)
{
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole = false;

	(void)state;
	add_part(&assembly, "123456789");
	assert_int_equal(add(&assembly, "x", false, 8, &is_whole), WIRE_TOO_LONG);
	assert_false(is_whole);
	check_empty(&assembly);
}

static void assembly_is_used_again_after_a_refusal(void **state)
{
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole;

	(void)state;
	add_part(&assembly, "lost");
	assert_int_equal(add(&assembly, "too long", true, 8, &is_whole), WIRE_TOO_LONG);
	add_part(&assembly, "ag");
	add_last(&assembly, "ain", "again");
	wire_assembly_fini(&assembly);
	add_last(&assembly, "and again", "and again");
	wire_assembly_fini(&assembly);
}

static void no_memory_for_the_first_piece(void **state)
{
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole = true;

	(void)state;
	has_memory = false;
	assert_int_equal(add(&assembly, "first", false, 100, &is_whole), WIRE_NO_MEMORY);
	assert_true(is_whole); /* untouched */
	check_empty(&assembly);
	has_memory = true;
	add_last(&assembly, "then", "then");
	wire_assembly_fini(&assembly);
}

static void no_memory_for_more(void **state)
{
	static uint8_t piece[WIRE_MAX_PIECE];
	const struct wire_header header = header_of(sizeof(piece), true);
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole = true;

	(void)state;
	add_part(&assembly, "some");
	has_memory = false;
	assert_int_equal(wire_assembly_add(&assembly, &header, piece, WIRE_MAX_BODY, &is_whole),
			 WIRE_NO_MEMORY);
	check_empty(&assembly);
}

/* The longest message there can be, and memory for it and no more. */
static void longest_message_is_put_together(void **state)
{
	static uint8_t piece[WIRE_MAX_PIECE];
	struct wire_assembly assembly = { .body = NULL };
	size_t left = WIRE_MAX_BODY;
	bool is_whole = false;

	(void)state;
	while (left > 0) {
		size_t len = left < sizeof(piece) ? left : sizeof(piece);
		const struct wire_header header = header_of(len, len < left);

		memset(piece, (int)(left / WIRE_MAX_PIECE % 251), len);
		assert_false(is_whole);
		assert_int_equal(
		    wire_assembly_add(&assembly, &header, piece, WIRE_MAX_BODY, &is_whole),
		    WIRE_OK);
		left -= len;
	}
	assert_true(is_whole);
	assert_int_equal(assembly.header.len, WIRE_MAX_BODY);
	for (size_t i = 0; i < WIRE_MAX_BODY; i += WIRE_MAX_PIECE)
		assert_int_equal(assembly.body[i], (WIRE_MAX_BODY - i) / WIRE_MAX_PIECE % 251);
	assert_int_equal(largest_block, WIRE_MAX_BODY);
	wire_assembly_fini(&assembly);
}

/* Around the steps in which it grows. */
static void memory_is_enough_for_any_length(void **state)
{
	static const char piece[2 * 8192 + 2] = { 0 };
	static const size_t lens[] = { 1, 4095, 4096, 4097, 8191, 8192, 8193, 16384, 16385 };

	(void)state;
	for (size_t i = 0; i < COUNT(lens); i++) {
		const struct wire_header header = header_of(lens[i], false);
		struct wire_assembly assembly = { .body = NULL };
		bool is_whole;

		largest_block = 0;
		assert_int_equal(
		    wire_assembly_add(&assembly, &header, piece, lens[i] + 1, &is_whole), WIRE_OK);
		assert_int_equal(largest_block, assembly.capacity);
		assert_true(assembly.capacity >= lens[i]);
		wire_assembly_fini(&assembly);
	}
}

/* Memory follows what has come, not what may come. */
static void few_bytes_take_little_memory(void **state)
{
	struct wire_assembly assembly = { .body = NULL };
	bool is_whole;

	(void)state;
	assert_int_equal(add(&assembly, "few", true, WIRE_MAX_BODY, &is_whole), WIRE_OK);
	assert_true(largest_block <= 4096);
	wire_assembly_fini(&assembly);
}

#define FRAME_TEST(name) cmocka_unit_test_setup_teardown(name, setup, test_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRAME_TEST(header_is_these_bytes),
		FRAME_TEST(header_is_read),
		FRAME_TEST(every_changed_byte_of_a_header_is_refused_or_meant),
		FRAME_TEST(header_that_cannot_be_is_refused),
		FRAME_TEST(foreign_protocol_is_no_header),
		FRAME_TEST(message_of_one_piece_is_whole_at_once),
		FRAME_TEST(pieces_are_put_together),
		FRAME_TEST(empty_pieces_are_a_message_too),
		FRAME_TEST(message_without_bytes_needs_no_memory),
		FRAME_TEST(one_message_after_the_other),
		FRAME_TEST(next_message_may_be_of_any_type_and_id),
		FRAME_TEST(piece_of_another_message_in_between_is_refused),
		FRAME_TEST(message_over_the_limit_is_refused),
		FRAME_TEST(first_piece_over_the_limit_is_refused),
		FRAME_TEST(limit_that_sinks_below_what_has_come_holds),
		FRAME_TEST(assembly_is_used_again_after_a_refusal),
		FRAME_TEST(no_memory_for_the_first_piece),
		FRAME_TEST(no_memory_for_more),
		FRAME_TEST(longest_message_is_put_together),
		FRAME_TEST(memory_is_enough_for_any_length),
		FRAME_TEST(few_bytes_take_little_memory),
	};

	return cmocka_run_group_tests_name("wire_frame", tests, NULL, NULL);
}
