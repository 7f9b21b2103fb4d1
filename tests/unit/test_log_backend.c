/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which lines reach which backends: the two classes and the limits. These tests do without the
 * capture that other tests have around them: it is an SDK backend, whose level they would change.
 */
#include <stdbool.h>

#include "core/log.h"
#include "log_capture.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::APP);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t line_levels[] = {
	DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_ERROR, DOCA_LOG_LEVEL_WARNING,
	DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE,
};
static const uint32_t limits[] = {
	DOCA_LOG_LEVEL_DISABLE, DOCA_LOG_LEVEL_CRIT,  DOCA_LOG_LEVEL_ERROR, DOCA_LOG_LEVEL_WARNING,
	DOCA_LOG_LEVEL_INFO,    DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE,
};
static const uint32_t no_limits[] = { 0, 9, 11, 15, 35, 65, 71, 80, UINT32_MAX };

static struct log_capture app, sdk;
static int sdk_source;

static doca_error_t (*const set_lower)(struct doca_log_backend *backend,
				       uint32_t level) = doca_log_backend_set_level_lower_limit;
static doca_error_t (*const set_upper)(struct doca_log_backend *backend,
				       uint32_t level) = doca_log_backend_set_level_upper_limit;

static bool app_hears(struct log_capture *capture, uint32_t level)
{
	(void)log_capture_take(capture);
	assert_success(doca_log(level, log_source, NULL, 0, NULL, "x"));
	return log_capture_take(capture) == 1;
}

static bool sdk_hears(struct log_capture *capture, uint32_t level)
{
	(void)log_capture_take(capture);
	assert_success(doca_log(level, sdk_source, NULL, 0, NULL, "x"));
	return log_capture_take(capture) == 1;
}

static int group_setup(void **state)
{
	(void)state;
	assert_success(core_log_register_source("TEST::SDK", &sdk_source));
	log_capture_start(&app, LOG_CAPTURE_APP);
	log_capture_start(&sdk, LOG_CAPTURE_SDK);
	return 0;
}

/* What the process began with; for backends that are there as well, but where they are strict. */
static int setup(void **state)
{
	(void)state;
	assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO));
	assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_INFO));
	return 0;
}

static void global_limits_begin_at_CRIT_to_INFO(void **state)
{
	(void)state;
	assert_int_equal(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_CRIT);
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_INFO);
}

static void app_line_reaches_app_backends_only(void **state)
{
	(void)state;
	(void)log_capture_take(&sdk);
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_CRIT));
	log_line_check(app.line, "CRT", "TEST::APP", "x");
	assert_int_equal(log_capture_take(&sdk), 0);
}

static void library_line_reaches_sdk_backends_only(void **state)
{
	(void)state;
	(void)log_capture_take(&app);
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_CRIT));
	log_line_check(sdk.line, "CRT", "TEST::SDK", "x");
	assert_int_equal(log_capture_take(&app), 0);
}

static void line_reaches_every_backend_of_its_class(void **state)
{
	static struct log_capture other_app, other_sdk;

	(void)state;
	log_capture_start(&other_app, LOG_CAPTURE_APP);
	log_capture_start(&other_sdk, LOG_CAPTURE_SDK);
	assert_true(app_hears(&other_app, DOCA_LOG_LEVEL_INFO));
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_INFO));
	assert_true(sdk_hears(&other_sdk, DOCA_LOG_LEVEL_INFO));
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_INFO));
}

static void app_backend_lets_through_what_is_within_its_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(limits); i++) {
		for (size_t j = 0; j < COUNT(limits); j++) {
			assert_success(set_lower(app.backend, limits[i]));
			assert_success(set_upper(app.backend, limits[j]));
			for (size_t k = 0; k < COUNT(line_levels); k++)
				assert_int_equal(app_hears(&app, line_levels[k]),
						 line_levels[k] <= limits[i] &&
						     line_levels[k] >= limits[j]);
		}
	}
}

static void sdk_backend_lets_through_what_its_level_covers(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(limits); i++) {
		assert_success(doca_log_backend_set_sdk_level(sdk.backend, limits[i]));
		for (size_t k = 0; k < COUNT(line_levels); k++)
			assert_int_equal(sdk_hears(&sdk, line_levels[k]),
					 line_levels[k] <= limits[i]);
	}
}

static void limits_of_one_backend_leave_the_others_alone(void **state)
{
	static struct log_capture other;

	(void)state;
	log_capture_start(&other, LOG_CAPTURE_APP);
	assert_success(set_lower(other.backend, DOCA_LOG_LEVEL_DISABLE));
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_INFO));
	assert_success(set_lower(other.backend, DOCA_LOG_LEVEL_TRACE));
	assert_false(app_hears(&app, DOCA_LOG_LEVEL_DEBUG));
	assert_true(app_hears(&other, DOCA_LOG_LEVEL_DEBUG));
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_INFO);
}

static void strict_lower_limit_is_narrowed_but_not_widened(void **state)
{
	static struct log_capture strict;

	(void)state;
	log_capture_start(&strict, LOG_CAPTURE_APP);
	assert_success(set_lower(strict.backend, DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_log_backend_set_level_lower_limit_strict(strict.backend));
	assert_success(set_lower(strict.backend, DOCA_LOG_LEVEL_TRACE));
	assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_INFO));
	assert_true(app_hears(&strict, DOCA_LOG_LEVEL_WARNING));
	assert_success(set_lower(strict.backend, DOCA_LOG_LEVEL_ERROR));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_CRIT));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_ERROR));
	assert_true(app_hears(&strict, DOCA_LOG_LEVEL_CRIT));
}

static void strict_upper_limit_is_narrowed_but_not_widened(void **state)
{
	static struct log_capture strict;

	(void)state;
	log_capture_start(&strict, LOG_CAPTURE_APP);
	assert_success(set_lower(strict.backend, DOCA_LOG_LEVEL_TRACE));
	assert_success(set_upper(strict.backend, DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_log_backend_set_level_upper_limit_strict(strict.backend));
	assert_success(set_upper(strict.backend, DOCA_LOG_LEVEL_CRIT));
	assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_ERROR));
	assert_true(app_hears(&strict, DOCA_LOG_LEVEL_WARNING));
	assert_success(set_upper(strict.backend, DOCA_LOG_LEVEL_INFO));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_DEBUG));
	assert_false(app_hears(&strict, DOCA_LOG_LEVEL_INFO));
	assert_true(app_hears(&strict, DOCA_LOG_LEVEL_DEBUG));
}

static void strict_limit_leaves_the_other_one_free(void **state)
{
	static struct log_capture lower, upper;

	(void)state;
	log_capture_start(&lower, LOG_CAPTURE_APP);
	log_capture_start(&upper, LOG_CAPTURE_APP);
	assert_success(set_upper(lower.backend, DOCA_LOG_LEVEL_INFO));
	assert_success(doca_log_backend_set_level_lower_limit_strict(lower.backend));
	assert_success(set_upper(lower.backend, DOCA_LOG_LEVEL_CRIT));
	assert_true(app_hears(&lower, DOCA_LOG_LEVEL_CRIT));
	assert_success(set_lower(upper.backend, DOCA_LOG_LEVEL_INFO));
	assert_success(doca_log_backend_set_level_upper_limit_strict(upper.backend));
	assert_success(set_lower(upper.backend, DOCA_LOG_LEVEL_TRACE));
	assert_true(app_hears(&upper, DOCA_LOG_LEVEL_TRACE));
}

static void global_lower_limit_holds_for_backends_old_and_new(void **state)
{
	static struct log_capture made_later;

	(void)state;
	assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG));
	log_capture_start(&made_later, LOG_CAPTURE_APP);
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_DEBUG));
	assert_false(app_hears(&app, DOCA_LOG_LEVEL_TRACE));
	assert_true(app_hears(&made_later, DOCA_LOG_LEVEL_DEBUG));
	assert_false(app_hears(&made_later, DOCA_LOG_LEVEL_TRACE));
	assert_false(sdk_hears(&sdk, DOCA_LOG_LEVEL_DEBUG));
}

static void global_upper_limit_holds_for_backends_old_and_new(void **state)
{
	static struct log_capture made_later;

	(void)state;
	assert_success(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_WARNING));
	log_capture_start(&made_later, LOG_CAPTURE_APP);
	assert_int_equal(doca_log_level_get_global_upper_limit(), DOCA_LOG_LEVEL_WARNING);
	assert_false(app_hears(&app, DOCA_LOG_LEVEL_ERROR));
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_WARNING));
	assert_false(app_hears(&made_later, DOCA_LOG_LEVEL_ERROR));
	assert_true(app_hears(&made_later, DOCA_LOG_LEVEL_WARNING));
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_ERROR));
}

static void global_sdk_limit_holds_for_backends_old_and_new(void **state)
{
	static struct log_capture made_later;

	(void)state;
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_ERROR));
	log_capture_start(&made_later, LOG_CAPTURE_SDK);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_ERROR);
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_ERROR));
	assert_false(sdk_hears(&sdk, DOCA_LOG_LEVEL_WARNING));
	assert_true(sdk_hears(&made_later, DOCA_LOG_LEVEL_ERROR));
	assert_false(sdk_hears(&made_later, DOCA_LOG_LEVEL_WARNING));
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_WARNING));
}

static void unknown_levels_are_no_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(no_limits); i++) {
		const uint32_t level = no_limits[i];
		const doca_error_t results[] = {
			set_lower(app.backend, level),
			set_upper(app.backend, level),
			doca_log_backend_set_sdk_level(sdk.backend, level),
			doca_log_level_set_global_lower_limit(level),
			doca_log_level_set_global_upper_limit(level),
			doca_log_level_set_global_sdk_limit(level),
		};

		for (size_t j = 0; j < COUNT(results); j++)
			assert_int_equal(results[j], DOCA_ERROR_INVALID_VALUE);
	}
	global_limits_begin_at_CRIT_to_INFO(state);
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_INFO));
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_INFO));
}

static void calls_for_app_backends_refuse_sdk_backends_and_NULL(void **state)
{
	struct doca_log_backend *const refused[] = { sdk.backend, NULL };

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		const doca_error_t results[] = {
			set_lower(refused[i], DOCA_LOG_LEVEL_DISABLE),
			set_upper(refused[i], DOCA_LOG_LEVEL_TRACE),
			doca_log_backend_set_level_lower_limit_strict(refused[i]),
			doca_log_backend_set_level_upper_limit_strict(refused[i]),
		};

		for (size_t j = 0; j < COUNT(results); j++)
			assert_int_equal(results[j], DOCA_ERROR_INVALID_VALUE);
	}
	assert_true(sdk_hears(&sdk, DOCA_LOG_LEVEL_INFO));
}

static void set_sdk_level_refuses_app_backends_and_NULL(void **state)
{
	(void)state;
	assert_error(doca_log_backend_set_sdk_level(app.backend, DOCA_LOG_LEVEL_DISABLE),
		     DOCA_ERROR_INVALID_VALUE);
	assert_error(doca_log_backend_set_sdk_level(NULL, DOCA_LOG_LEVEL_DISABLE),
		     DOCA_ERROR_INVALID_VALUE);
	assert_true(app_hears(&app, DOCA_LOG_LEVEL_INFO));
}

#define LOG_TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(global_limits_begin_at_CRIT_to_INFO),
		LOG_TEST(app_line_reaches_app_backends_only),
		LOG_TEST(library_line_reaches_sdk_backends_only),
		LOG_TEST(line_reaches_every_backend_of_its_class),
		LOG_TEST(app_backend_lets_through_what_is_within_its_limits),
		LOG_TEST(sdk_backend_lets_through_what_its_level_covers),
		LOG_TEST(limits_of_one_backend_leave_the_others_alone),
		LOG_TEST(strict_lower_limit_is_narrowed_but_not_widened),
		LOG_TEST(strict_upper_limit_is_narrowed_but_not_widened),
		LOG_TEST(strict_limit_leaves_the_other_one_free),
		LOG_TEST(global_lower_limit_holds_for_backends_old_and_new),
		LOG_TEST(global_upper_limit_holds_for_backends_old_and_new),
		LOG_TEST(global_sdk_limit_holds_for_backends_old_and_new),
		LOG_TEST(unknown_levels_are_no_limits),
		LOG_TEST(calls_for_app_backends_refuse_sdk_backends_and_NULL),
		LOG_TEST(set_sdk_level_refuses_app_backends_and_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, NULL);
}
