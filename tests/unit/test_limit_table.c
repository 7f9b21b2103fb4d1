/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of limits: its bounds, as an operator meets them, and the counters beside it. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/export.h"
#include "test.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/base/throttle.h"
#include "urom/daemon/config/args.h"
#include "urom/daemon/counters.h"

#define TEXT_BYTES    32
#define USEC_PER_SEC  UINT64_C(1000000)
#define LONG_AGO_USEC (1000 * USEC_PER_SEC)

static bool is_taken(enum uromd_limit_id id, const char *text, uint64_t *value)
{
	struct uromd_failure failure = { .error = DOCA_SUCCESS };
	char argument[64];

	if (uromd_limit_parse(id, text, value, &failure) == DOCA_SUCCESS)
		return true;
	/* Whoever is refused is told which argument it was. */
	assert_int_equal(failure.error, DOCA_ERROR_INVALID_VALUE);
	(void)snprintf(argument, sizeof(argument), "--%s: %s is not ", uromd_limits[id].name, text);
	assert_int_equal(strncmp(failure.reason, argument, strlen(argument)), 0);
	return false;
}

static void check_taken(enum uromd_limit_id id, uint64_t number, bool is_expected)
{
	char text[TEXT_BYTES];
	uint64_t value = 1;

	(void)snprintf(text, sizeof(text), "%lu", number);
	if (is_taken(id, text, &value) != is_expected)
		fail_msg("--%s %s", uromd_limits[id].name, text);
	if (is_expected)
		assert_int_equal(value, number);
}

static void bounds_of_every_limit_hold(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_limit *limit = &uromd_limits[id];

		check_taken(id, 0, limit->least == 0 || limit->zero != UROMD_ZERO_IS_NUMBER);
		check_taken(id, limit->least, true);
		check_taken(id, limit->most, true);
		check_taken(id, limit->most + 1, false);
		check_taken(id, UINT64_MAX, false);
		if (limit->least > 1)
			check_taken(id, limit->least - 1, false);
	}
}

static void every_default_is_within_its_bounds(void **state)
{
	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		assert_non_null(uromd_limits[id].name);
		assert_true(strlen(uromd_limits[id].name) <= WIRE_MAX_COUNTER_NAME);
		assert_true(uromd_limits[id].least <= uromd_limits[id].most);
		check_taken(id, uromd_limits[id].usual, true);
	}
}

static void garbage_is_no_limit(void **state)
{
	static const char *const texts[] = {
		"",    "x",    "-1",  "+64",  " 64",
		"64 ", "0x40", "1e3", "64.0", "1000000000000000000000",
		"K",   "64KB", "64k", "64T",  "99999999999999G",
	};
	uint64_t value;

	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		for (size_t i = 0; i < CORE_ARRAY_LEN(texts); i++) {
			if (is_taken(id, texts[i], &value))
				fail_msg("--%s %s", uromd_limits[id].name, texts[i]);
		}
	}
}

static void bytes_take_suffixes_and_nothing_else_does(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "65536K", 65536 * UINT64_C(1024) },
		{ "128M", 128 * UINT64_C(1048576) },
		{ "2G", 2 * UINT64_C(1073741824) },
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		assert_true(is_taken(UROMD_LIMIT_MEMORY, rows[i].text, &value));
		assert_int_equal(value, rows[i].value);
	}
	assert_true(is_taken(UROMD_LIMIT_MESSAGE, "8K", &value));
	assert_int_equal(value, 8192);
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		if (!uromd_limits[id].is_bytes)
			assert_false(is_taken(id, "1K", &value));
	}
}

/* --- As arguments --- */

static void settle(struct uromd_config *config, const char *name, const char *text,
		   struct uromd_failure *failure, doca_error_t expected)
{
	char argument[64];
	/* The worker's program: any will do. Its user is said only by root. A cookie would want a
	 * place of its own. */
	char *argv[] = { (char *)(uintptr_t) "doca_urom_daemon",
			 (char *)(uintptr_t) "--worker",
			 (char *)(uintptr_t) "/bin/sh",
			 (char *)(uintptr_t) "--auth",
			 (char *)(uintptr_t) "none",
			 argument,
			 (char *)(uintptr_t)text,
			 geteuid() == 0 ? (char *)(uintptr_t) "--worker-user" : NULL,
			 (char *)(uintptr_t) "root",
			 NULL };

	(void)snprintf(argument, sizeof(argument), "--%s", name);
	assert_success(uromd_args_parse(geteuid() == 0 ? 9 : 7, argv, config));
	assert_error(uromd_config_settle(config, failure), expected);
}

static void every_limit_is_an_argument(void **state)
{
	struct uromd_failure failure;
	struct uromd_config config;
	char text[TEXT_BYTES];

	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_limit *limit = &uromd_limits[id];

		(void)snprintf(text, sizeof(text), "%lu", limit->least);
		settle(&config, limit->name, text, &failure, DOCA_SUCCESS);
		for (unsigned int other = 0; other < UROMD_NUM_LIMITS; other++)
			assert_int_equal(config.limits.of[other],
					 other == id ? limit->least : uromd_limits[other].usual);
		uromd_config_fini(&config);
	}
}

static void argument_out_of_its_bounds_is_named(void **state)
{
	struct uromd_failure failure;
	struct uromd_config config;
	char text[TEXT_BYTES];

	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_limit *limit = &uromd_limits[id];

		(void)snprintf(text, sizeof(text), "%lu", limit->most + 1);
		settle(&config, limit->name, text, &failure, DOCA_ERROR_INVALID_VALUE);
		assert_non_null(strstr(failure.reason, limit->name));
		uromd_config_fini(&config);
	}
}

/* --- As documents --- */

/* The whole file. */
static const char *read_document(const char *path)
{
	static char text[1 << 18];
	FILE *file = fopen(path, "r");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	assert_true(len < sizeof(text) - 1);
	text[len] = '\0';
	fclose(file);
	return text;
}

static void guide_has_the_row_of_every_limit(void **state)
{
	const char *guide = read_document(TEST_GUIDE);

	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_limit *limit = &uromd_limits[id];
		char usual[UROMD_LIMIT_TEXT], bounds[UROMD_LIMIT_TEXT], row[512];

		(void)snprintf(row, sizeof(row), "\n| `--%s` | %s | %s | %s |", limit->name,
			       limit->what, uromd_limit_value_text(id, limit->usual, usual),
			       uromd_limit_bounds_text(id, bounds));
		if (strstr(guide, row) == NULL)
			fail_msg("docs/service-guide.md lacks the row:%s", row);
	}
}

static void manual_has_every_limit_with_its_default(void **state)
{
	const char *manual = read_document(TEST_MANUAL);

	(void)state;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_limit *limit = &uromd_limits[id];
		char name[64], usual[UROMD_LIMIT_TEXT], text[UROMD_LIMIT_TEXT];
		const char *entry, *found, *end;

		(void)snprintf(name, sizeof(name), "*--%s* _", limit->name);
		entry = strstr(manual, name);
		if (entry == NULL)
			fail_msg("the manual lacks %s", name);
		end = strstr(entry, "\n\n");
		(void)snprintf(text, sizeof(text), "Default %s",
			       uromd_limit_value_text(id, limit->usual, usual));
		found = strstr(entry, text);
		if (found == NULL || found > end)
			fail_msg("the manual lacks \"%s\" for %s", text, name);
	}
}

/* --- Counters --- */

static void counter_keeps_the_highest_value(void **state)
{
	struct uromd_counters counters = { 0 };
	const struct uromd_counter *counter = &counters.of[UROMD_LIMIT_WORKERS];

	(void)state;
	uromd_counter_set(&counters, UROMD_LIMIT_WORKERS, 3);
	uromd_counter_set(&counters, UROMD_LIMIT_WORKERS, 1);
	uromd_counter_hit(&counters, UROMD_LIMIT_WORKERS);
	assert_int_equal(counter->value, 1);
	assert_int_equal(counter->highest, 3);
	assert_int_equal(counter->num_hits, 1);
	assert_int_equal(counters.of[UROMD_LIMIT_SESSIONS].num_hits, 0);
}

static void failure_over_a_limit_names_its_argument(void **state)
{
	struct uromd_failure failure;

	(void)state;
	assert_error(uromd_limit_fail(&failure, DOCA_ERROR_FULL, UROMD_LIMIT_WORKERS,
				      "the service has %d workers already", 3),
		     DOCA_ERROR_FULL);
	assert_string_equal(failure.reason,
			    "the service has 3 workers already; --max-workers of the "
			    "daemon sets that limit");
}

/* --- Lines about strangers --- */

static unsigned int take(struct uromd_throttles *throttles, unsigned int count, uint64_t now_usec)
{
	unsigned int num_taken = 0;

	for (unsigned int i = 0; i < count; i++)
		num_taken += uromd_throttle_take(throttles, UROMD_THROTTLE_REFUSED, now_usec);
	return num_taken;
}

static void lines_come_in_a_burst_and_then_at_a_rate(void **state)
{
	struct uromd_throttles throttles = { 0 };
	uint64_t now_usec = LONG_AGO_USEC;

	(void)state;
	assert_int_equal(take(&throttles, 1000, now_usec), UROMD_THROTTLE_BURST);
	now_usec += USEC_PER_SEC;
	assert_int_equal(take(&throttles, 1000, now_usec), UROMD_THROTTLE_A_SECOND);
	test_take_log("800 more lines about peers that were refused were left out");
	/* Others are not concerned. */
	assert_true(uromd_throttle_take(&throttles, UROMD_THROTTLE_NONSENSE, now_usec));
	now_usec += 3600 * USEC_PER_SEC;
	assert_int_equal(take(&throttles, 1000, now_usec), UROMD_THROTTLE_BURST);
	test_take_log("990 more lines");
}

static void what_was_left_out_is_said_when_it_is_over(void **state)
{
	struct uromd_throttles throttles = { 0 };

	(void)state;
	assert_false(uromd_throttles_settle(&throttles, LONG_AGO_USEC));
	take(&throttles, UROMD_THROTTLE_BURST + 5, LONG_AGO_USEC);
	assert_true(uromd_throttles_settle(&throttles, LONG_AGO_USEC));
	assert_int_equal(test_num_logged(), 0);
	assert_false(uromd_throttles_settle(&throttles, LONG_AGO_USEC + USEC_PER_SEC));
	test_take_log("5 more lines");
	assert_false(uromd_throttles_settle(&throttles, LONG_AGO_USEC + 2 * USEC_PER_SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bounds_of_every_limit_hold),
		TEST(every_default_is_within_its_bounds),
		TEST(garbage_is_no_limit),
		TEST(bytes_take_suffixes_and_nothing_else_does),
		TEST(every_limit_is_an_argument),
		TEST(argument_out_of_its_bounds_is_named),
		TEST(guide_has_the_row_of_every_limit),
		TEST(manual_has_every_limit_with_its_default),
		TEST(counter_keeps_the_highest_value),
		TEST(failure_over_a_limit_names_its_argument),
		TEST(lines_come_in_a_burst_and_then_at_a_rate),
		TEST(what_was_left_out_is_said_when_it_is_over),
	};

	test_hear_programs();
	return cmocka_run_group_tests_name("limit_table", tests, NULL, NULL);
}
