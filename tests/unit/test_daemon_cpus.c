/* SPDX-License-Identifier: BSD-3-Clause */

/* Lists of processors, and which real ones stand behind the advertised ones. */

#include <string.h>

#include "core/export.h"
#include "test.h"
#include "urom/daemon/config/cpus.h"

/* Reads a list that must be right and compares it with the processors named. */
static void check_list(const char *list, const unsigned int *cpus, size_t n)
{
	uint8_t wanted[WIRE_CPUSET_SIZE] = { 0 }, set[WIRE_CPUSET_SIZE];

	for (size_t i = 0; i < n; i++)
		wanted[cpus[i] / 8] |= (uint8_t)(1u << (cpus[i] % 8));
	memset(set, 0xa5, sizeof(set));
	assert_success(uromd_cpus_parse(list, set));
	assert_memory_equal(set, wanted, sizeof(set));
}

#define CHECK_LIST(list, ...)                                           \
	do {                                                            \
		const unsigned int cpus[] = { __VA_ARGS__ };            \
                                                                        \
		check_list((list), cpus, sizeof(cpus) / sizeof(*cpus)); \
	} while (0)

static void lists_are_those_of_taskset(void **state)
{
	(void)state;
	CHECK_LIST("0", 0);
	CHECK_LIST("0-3", 0, 1, 2, 3);
	CHECK_LIST("5,1", 1, 5);
	CHECK_LIST("0-1,8,16-23:4", 0, 1, 8, 16, 20);
	CHECK_LIST("7-7", 7);
	CHECK_LIST("3,3,2-4", 2, 3, 4);
	CHECK_LIST("0-1023:1023", 0, 1023);
	CHECK_LIST("1023", 1023);
}

static void what_is_no_list_changes_nothing(void **state)
{
	static const char *const lists[] = {
		"",         ",",
		"0,",       ",0",
		"0,,1",     "a",
		"0x1",      "-1",
		"1-",       "3-1",
		"0-2:",     "0-2:0",
		"1024",     "0-1024",
		" 0",       "0 ",
		"0-3:2:1",  "+1",
		"0-4:1025", "99999999999999999999",
		"0;1",      "0-99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(lists); i++) {
		uint8_t set[WIRE_CPUSET_SIZE], before[WIRE_CPUSET_SIZE];

		memset(set, 0xa5, sizeof(set));
		memcpy(before, set, sizeof(set));
		if (uromd_cpus_parse(lists[i], set) != DOCA_ERROR_INVALID_VALUE)
			fail_msg("\"%s\" was taken for a list", lists[i]);
		assert_memory_equal(set, before, sizeof(set));
	}
}

static cpu_set_t allow(const unsigned int *cpus, size_t n)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		CPU_SET(cpus[i], &set);
	return set;
}

static const unsigned int two_and_five[] = { 2, 5 };

static void init(struct uromd_cpus *cpus, const char *list)
{
	const cpu_set_t allowed = allow(two_and_five, 2);
	struct uromd_failure failure;

	assert_success(uromd_cpus_init(cpus, &allowed, list, &failure));
}

static void set_of(uint8_t *set, const char *list)
{
	assert_success(uromd_cpus_parse(list, set));
}

/* What stands behind the part of the advertised set that a list names. */
static void check_mapped(const struct uromd_cpus *cpus, const char *list, const unsigned int *real,
			 size_t n)
{
	const cpu_set_t wanted = allow(real, n);
	uint8_t set[WIRE_CPUSET_SIZE];
	cpu_set_t mapped;

	set_of(set, list);
	assert_true(uromd_cpus_is_part(cpus, set));
	memset(&mapped, 0xa5, sizeof(mapped));
	uromd_cpus_map(cpus, set, &mapped);
	assert_true(CPU_EQUAL(&mapped, &wanted));
}

static void without_a_list_those_that_are_allowed_are_advertised(void **state)
{
	uint8_t advertised[WIRE_CPUSET_SIZE];
	struct uromd_cpus cpus;

	(void)state;
	init(&cpus, NULL);
	set_of(advertised, "2,5");
	assert_memory_equal(cpus.advertised, advertised, sizeof(advertised));
	check_mapped(&cpus, "5", (const unsigned int[]){ 5 }, 1);
	check_mapped(&cpus, "2,5", two_and_five, 2);
}

static void with_a_list_the_nth_allowed_stands_behind_number_n(void **state)
{
	uint8_t advertised[WIRE_CPUSET_SIZE];
	struct uromd_cpus cpus;

	(void)state;
	init(&cpus, "0-7");
	set_of(advertised, "0-7");
	assert_memory_equal(cpus.advertised, advertised, sizeof(advertised));
	check_mapped(&cpus, "0", (const unsigned int[]){ 2 }, 1);
	check_mapped(&cpus, "1", (const unsigned int[]){ 5 }, 1);
	check_mapped(&cpus, "6", (const unsigned int[]){ 2 }, 1);
	check_mapped(&cpus, "0,2,4", (const unsigned int[]){ 2 }, 1);
	check_mapped(&cpus, "3-4", two_and_five, 2);
}

static void a_set_is_a_part_or_none(void **state)
{
	uint8_t set[WIRE_CPUSET_SIZE] = { 0 };
	struct uromd_cpus cpus;

	(void)state;
	init(&cpus, "0-7,1023");
	assert_false(uromd_cpus_is_part(&cpus, set));
	set_of(set, "7,1023");
	assert_true(uromd_cpus_is_part(&cpus, set));
	set_of(set, "7,8");
	assert_false(uromd_cpus_is_part(&cpus, set));
	set_of(set, "1022");
	assert_false(uromd_cpus_is_part(&cpus, set));
}

static void a_wrong_list_is_named(void **state)
{
	const cpu_set_t allowed = allow(two_and_five, 2);
	struct uromd_failure failure;
	struct uromd_cpus cpus;

	(void)state;
	assert_error(uromd_cpus_init(&cpus, &allowed, "0-7,x", &failure), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(failure.error, DOCA_ERROR_INVALID_VALUE);
	assert_non_null(strstr(failure.reason, "0-7,x"));
}

static void nothing_allowed_is_an_error(void **state)
{
	const cpu_set_t allowed = allow(NULL, 0);
	struct uromd_failure failure;
	struct uromd_cpus cpus;

	(void)state;
	assert_error(uromd_cpus_init(&cpus, &allowed, "0", &failure), DOCA_ERROR_INVALID_VALUE);
}

static void the_system_tells_what_is_allowed(void **state)
{
	cpu_set_t allowed, wanted;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(wanted), &wanted), 0);
	memset(&allowed, 0xa5, sizeof(allowed));
	assert_success(uromd_cpus_get_allowed(&allowed));
	assert_true(CPU_EQUAL(&allowed, &wanted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists_are_those_of_taskset),
		TEST(what_is_no_list_changes_nothing),
		TEST(without_a_list_those_that_are_allowed_are_advertised),
		TEST(with_a_list_the_nth_allowed_stands_behind_number_n),
		TEST(a_set_is_a_part_or_none),
		TEST(a_wrong_list_is_named),
		TEST(nothing_allowed_is_an_error),
		TEST(the_system_tells_what_is_allowed),
	};

	return cmocka_run_group_tests_name("daemon_cpus", tests, NULL, NULL);
}
