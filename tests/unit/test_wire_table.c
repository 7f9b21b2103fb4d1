/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of messages: what the codec takes for granted, and what wire_messages.h promises. */

#include <string.h>

#include "test.h"
#include "urom/wire/wire_frame.h"
#include "urom/wire/wire_messages.h"
#include "wire_rig.h"

static void types_and_names_are_unique(void **state)
{
	const struct wire_message *message, *other;

	(void)state;
	for (size_t n = 0; (message = rig_message_at(n)) != NULL; n++) {
		assert_int_equal(message->type != 0, wire_message_at(n) == message);
		for (size_t m = 0; m < n && (other = rig_message_at(m)) != NULL; m++) {
			assert_string_not_equal(message->name, other->name);
			if (message->type != 0)
				assert_int_not_equal(message->type, other->type);
		}
	}
}

static void message_is_found_by_its_type_alone(void **state)
{
	size_t num_found = 0, num_messages = 0;

	(void)state;
	while (wire_message_at(num_messages) != NULL) {
		const struct wire_message *message = wire_message_at(num_messages++);

		assert_ptr_equal(wire_message_find(message->type), message);
	}
	for (unsigned int type = 0; type <= UINT16_MAX; type++)
		num_found += wire_message_find((uint16_t)type) != NULL ? 1 : 0;
	assert_int_equal(num_found, num_messages);
	assert_null(wire_message_find(0));
	assert_null(wire_message_at(SIZE_MAX));
}

static size_t member_size(const struct wire_field *field)
{
	if (rig_is_variable(field->kind))
		return sizeof(struct wire_bytes);
	return field->kind == WIRE_FIXED ? field->limit : rig_integer_size(field->kind);
}

static size_t member_alignment(const struct wire_field *field)
{
	if (rig_is_variable(field->kind))
		return alignof(struct wire_bytes);
	return field->kind == WIRE_FIXED ? 1 : rig_integer_size(field->kind);
}

/* In the order of the wire they follow each other in the record too; only padding is between. */
static void fields_are_the_members_of_the_record_in_order(void **state)
{
	const struct wire_message *message;
	const struct wire_field *field;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		size_t end = 0;

		FOR_EACH_FIELD(field, message)
		{
			size_t alignment = member_alignment(field);

			assert_int_equal(field->offset,
					 (end + alignment - 1) / alignment * alignment);
			end = field->offset + member_size(field);
		}
		assert_true(end <= message->record_size);
		assert_true(message->num_fields == 0 || message->record_size - end < 8);
	}
}

/* The largest element of a list fits into it. */
static void check_element(const struct wire_field *list)
{
	struct rig_record record;

	assert_int_equal(list->element->type, 0);
	assert_true(list->element->num_fields > 0);
	rig_fill(list->element, RIG_MOST, &record);
	assert_true(wire_encoded_size(list->element, &record) <= list->limit);
}

static void fields_have_what_their_kind_needs(void **state)
{
	const struct wire_message *message;
	const struct wire_field *field;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			assert_true(field->kind < WIRE_NUM_KINDS);
			assert_int_equal(field->limit > 0, rig_integer_size(field->kind) == 0);
			assert_int_equal(field->element != NULL, field->kind == WIRE_LIST);
			if (field->kind == WIRE_LIST)
				check_element(field);
		}
	}
}

static void lists_hold_the_elements_that_their_names_say(void **state)
{
	static const struct {
		uint16_t type;
		const char *name;
		const struct wire_message *element;
	} rows[] = {
		{ WIRE_WELCOME, "plugins", &wire_plugin_message },
		{ WIRE_WORKER_START, "environment", &wire_entry_message },
		{ WIRE_WORKER_STARTED, "plugin_addrs", &wire_plugin_addr_message },
		{ WIRE_GROUP, "worker_ids", &wire_id_message },
		{ WIRE_STATUS, "counters", &wire_counter_message },
		{ WIRE_WORKER_READY, "plugin_addrs", &wire_plugin_addr_message },
	};
	const struct wire_message *message;
	const struct wire_field *field;
	size_t num_lists = 0;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		FOR_EACH_FIELD(field, message)
		{
			if (field->kind != WIRE_LIST)
				continue;
			assert_true(num_lists < sizeof(rows) / sizeof(rows[0]));
			assert_int_equal(message->type, rows[num_lists].type);
			assert_string_equal(field->name, rows[num_lists].name);
			assert_ptr_equal(field->element, rows[num_lists].element);
			num_lists++;
		}
	}
	assert_int_equal(num_lists, sizeof(rows) / sizeof(rows[0]));
}

static void largest_body_can_be_put_together(void **state)
{
	const struct wire_message *message;
	struct rig_record record;

	(void)state;
	FOR_EACH_MESSAGE(message)
	{
		rig_fill(message, RIG_MOST, &record);
		assert_true(wire_encoded_size(message, &record) <= WIRE_MAX_BODY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(types_and_names_are_unique),
		TEST(message_is_found_by_its_type_alone),
		TEST(fields_are_the_members_of_the_record_in_order),
		TEST(fields_have_what_their_kind_needs),
		TEST(lists_hold_the_elements_that_their_names_say),
		TEST(largest_body_can_be_put_together),
	};

	return cmocka_run_group_tests_name("wire_table", tests, rig_create, rig_destroy);
}
