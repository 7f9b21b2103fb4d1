/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands that are not ended. */
#include "urom/worker/outstanding.h"

#include <stdlib.h>

#include "test.h"
#include "urom/worker/conns.h"
#include "urom/worker/limits.h"
#include "urom/worker/plugin_host.h"

#define NUM_HOSTS (UROMW_MAX_OUTSTANDING / UROMW_MAX_HOST_OUTSTANDING + 1)

static struct uromw_outstanding table;
static struct uromw_host hosts[NUM_HOSTS];
static struct uromw_plugin plugin;
static bool fails_realloc;

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails_realloc ? NULL : __real_reallocarray(old, count, size);
}

static int table_begin(void **state)
{
	test_begin(state);
	for (unsigned int i = 0; i < NUM_HOSTS; i++)
		hosts[i] = (struct uromw_host){ .connection = i };
	plugin = (struct uromw_plugin){ .id = 1 };
	return 0;
}

static int table_end(void **state)
{
	uromw_outstanding_fini(&table);
	fails_realloc = false;
	return test_end(state);
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, table_begin, table_end)

static doca_error_t try_add(struct uromw_host *host, uint64_t context, uint64_t *urom_context)
{
	const struct uromw_command command = {
		.host = host,
		.plugin = &plugin,
		.context = context,
		.id = context + 1,
	};

	return uromw_outstanding_add(&table, &command, urom_context);
}

static uint64_t add(struct uromw_host *host, uint64_t context)
{
	uint64_t urom_context;

	assert_success(try_add(host, context, &urom_context));
	return urom_context;
}

/* The command of a number, which is there. Out of line: that fail_msg() does not return the
 * compiler cannot see. */
__attribute__((noinline)) static struct uromw_command *found(uint64_t urom_context)
{
	struct uromw_command *command = uromw_outstanding_find(&table, urom_context);

	if (command == NULL)
		fail_msg("command 0x%llx is not there", (unsigned long long)urom_context);
	return command;
}

static void end(uint64_t urom_context)
{
	uromw_outstanding_remove(&table, found(urom_context));
}

static void a_command_is_found_by_its_number(void **state)
{
	uint64_t numbers[3000];

	(void)state;
	/* More than the table begins with: what was added before it grows is found after. */
	for (uint64_t i = 0; i < 3000; i++)
		numbers[i] = add(&hosts[i % 3], i);
	for (uint64_t i = 0; i < 3000; i++) {
		const struct uromw_command *command = found(numbers[i]);

		assert_ptr_equal(command->host, &hosts[i % 3]);
		assert_ptr_equal(command->plugin, &plugin);
		assert_int_equal(command->context, i);
		assert_int_equal(command->id, i + 1);
	}
	assert_int_equal(table.count, 3000);
}

static void numbers_are_never_0_nor_the_same_again(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		const uint64_t number = add(&hosts[0], i);

		assert_int_not_equal(number, 0);
		assert_int_not_equal(number, last);
		end(number);
		last = number;
	}
	assert_int_equal(table.num_slots, 1024);
}

static void an_ended_command_is_not_found_when_its_place_is_taken(void **state)
{
	const uint64_t first = add(&hosts[0], 1);
	uint64_t second;

	(void)state;
	end(first);
	assert_null(uromw_outstanding_find(&table, first));
	second = add(&hosts[1], 2);
	assert_int_equal((uint32_t)first, (uint32_t)second);
	assert_null(uromw_outstanding_find(&table, first));
	assert_ptr_equal(found(second)->host, &hosts[1]);
}

static void a_generation_that_runs_over_begins_at_1(void **state)
{
	uint64_t number = add(&hosts[0], 1);

	(void)state;
	table.slots[(uint32_t)number].generation = UINT32_MAX;
	end(number | (uint64_t)UINT32_MAX << 32);
	number = add(&hosts[0], 2);
	assert_int_equal(number >> 32, 1);
}

static void numbers_of_nothing_are_not_found(void **state)
{
	const uint64_t number = add(&hosts[0], 1);

	(void)state;
	assert_null(uromw_outstanding_find(&table, 0));
	assert_null(uromw_outstanding_find(&table, number + 1));
	assert_null(uromw_outstanding_find(&table, number + (UINT64_C(1) << 32)));
	assert_null(uromw_outstanding_find(&table, UINT64_MAX));
	assert_non_null(uromw_outstanding_find(&table, number));
}

static void hosts_and_plugins_know_how_many_they_have(void **state)
{
	const uint64_t number = add(&hosts[0], 1);

	(void)state;
	(void)add(&hosts[0], 2);
	(void)add(&hosts[1], 3);
	assert_int_equal(hosts[0].num_outstanding, 2);
	assert_int_equal(hosts[1].num_outstanding, 1);
	assert_int_equal(plugin.num_outstanding, 3);
	end(number);
	assert_int_equal(hosts[0].num_outstanding, 1);
	assert_int_equal(plugin.num_outstanding, 2);
}

static void a_host_s_commands_are_dropped_and_no_others(void **state)
{
	uint64_t dropped[500], kept[500];

	(void)state;
	for (uint64_t i = 0; i < 500; i++) {
		dropped[i] = add(&hosts[0], i);
		kept[i] = add(&hosts[1], i);
	}
	uromw_outstanding_drop(&table, &hosts[0]);
	assert_int_equal(hosts[0].num_outstanding, 0);
	assert_int_equal(table.count, 500);
	assert_int_equal(plugin.num_outstanding, 500);
	for (uint64_t i = 0; i < 500; i++) {
		assert_null(uromw_outstanding_find(&table, dropped[i]));
		assert_int_equal(found(kept[i])->context, i);
	}
	uromw_outstanding_drop(&table, &hosts[0]);
}

static void one_host_has_a_limit(void **state)
{
	uint64_t number = 0;

	(void)state;
	for (uint64_t i = 0; i < UROMW_MAX_HOST_OUTSTANDING; i++)
		number = add(&hosts[0], i);
	assert_error(try_add(&hosts[0], 0, &number), DOCA_ERROR_FULL);
	(void)add(&hosts[1], 0);
	end(number);
	(void)add(&hosts[0], 1);
}

static void all_together_have_a_limit(void **state)
{
	uint64_t number = 0;

	(void)state;
	for (uint64_t i = 0; i < UROMW_MAX_OUTSTANDING; i++)
		number = add(&hosts[i / UROMW_MAX_HOST_OUTSTANDING], i);
	assert_error(try_add(&hosts[NUM_HOSTS - 1], 0, &number), DOCA_ERROR_FULL);
	assert_int_equal(hosts[NUM_HOSTS - 1].num_outstanding, 0);
	end(number);
	(void)add(&hosts[NUM_HOSTS - 1], 1);
}

static void no_memory_is_told_and_survived(void **state)
{
	uint64_t number;

	(void)state;
	fails_realloc = true;
	assert_error(try_add(&hosts[0], 1, &number), DOCA_ERROR_NO_MEMORY);
	fails_realloc = false;
	for (uint64_t i = 0; i < 1024; i++)
		number = add(&hosts[0], i);
	fails_realloc = true;
	assert_error(try_add(&hosts[0], 1, &number), DOCA_ERROR_NO_MEMORY);
	assert_non_null(uromw_outstanding_find(&table, number));
	end(number);
	(void)add(&hosts[0], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(a_command_is_found_by_its_number),
		TABLE_TEST(numbers_are_never_0_nor_the_same_again),
		TABLE_TEST(an_ended_command_is_not_found_when_its_place_is_taken),
		TABLE_TEST(a_generation_that_runs_over_begins_at_1),
		TABLE_TEST(numbers_of_nothing_are_not_found),
		TABLE_TEST(hosts_and_plugins_know_how_many_they_have),
		TABLE_TEST(a_host_s_commands_are_dropped_and_no_others),
		TABLE_TEST(one_host_has_a_limit),
		TABLE_TEST(all_together_have_a_limit),
		TABLE_TEST(no_memory_is_told_and_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
