/* SPDX-License-Identifier: BSD-3-Clause */

/* Which file the daemon takes for its cookie, and when it makes one. */
#include "urom/daemon/config/cookie.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char dir[64];
static struct uromd_config config;
static struct uromd_failure failure;

uid_t __wrap_geteuid(void);

/* A user's daemon, whoever runs the test. */
uid_t __wrap_geteuid(void)
{
	return getuid() != 0 ? getuid() : 1000;
}

static int cookie_begin(void **state)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/test_daemon_cookie.XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", dir, 1), 0);
	memset(&config, 0, sizeof(config));
	return test_begin(state);
}

static int cookie_end(void **state)
{
	char command[128];

	uromd_config_fini(&config);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	return test_end(state);
}

#define COOKIE_TEST(name) cmocka_unit_test_setup_teardown(name, cookie_begin, cookie_end)

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static mode_t mode_of(const char *name)
{
	struct stat status;

	assert_int_equal(stat(path_of(name), &status), 0);
	return status.st_mode & 07777;
}

static void default_one_is_made_when_there_is_none(void **state)
{
	struct auth_cookie first;

	(void)state;
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_string_equal(config.cookie_file, path_of("openurom/cookie"));
	assert_int_equal(config.cookie.owner, geteuid());
	assert_success(uromd_cookie_make(&config, &failure));
	assert_true(config.has_made_cookie);
	assert_int_equal(mode_of("openurom"), 0700);
	assert_int_equal(mode_of("openurom/cookie"), 0600);
	first = config.cookie;
	uromd_config_fini(&config);
	/* The next daemon takes it as it is. */
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_success(uromd_cookie_make(&config, &failure));
	assert_false(config.has_made_cookie);
	assert_memory_equal(config.cookie.secret, first.secret, AUTH_SECRET_SIZE);
}

/* What may still go wrong with the daemon's start has gone well by then. */
static void default_one_is_not_made_by_settling(void **state)
{
	(void)state;
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_int_not_equal(access(path_of("openurom"), F_OK), 0);
}

static void one_that_another_daemon_has_made_meanwhile_is_taken(void **state)
{
	struct uromd_config other = { 0 };

	(void)state;
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_success(uromd_cookie_settle(&other, &failure));
	assert_success(uromd_cookie_make(&other, &failure));
	assert_success(uromd_cookie_make(&config, &failure));
	assert_false(config.has_made_cookie);
	assert_memory_equal(config.cookie.secret, other.cookie.secret, AUTH_SECRET_SIZE);
	/* It is not this daemon's to remove. */
	uromd_cookie_take_back(&config);
	assert_int_equal(access(path_of("openurom/cookie"), F_OK), 0);
	uromd_config_fini(&other);
}

static void one_that_was_made_for_nothing_is_taken_back(void **state)
{
	(void)state;
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_success(uromd_cookie_make(&config, &failure));
	uromd_cookie_take_back(&config);
	assert_int_not_equal(access(path_of("openurom/cookie"), F_OK), 0);
}

static void default_one_that_is_bad_is_neither_taken_nor_replaced(void **state)
{
	(void)state;
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_success(uromd_cookie_make(&config, &failure));
	assert_int_equal(chmod(path_of("openurom/cookie"), 0644), 0);
	uromd_config_fini(&config);
	assert_error(uromd_cookie_settle(&config, &failure), DOCA_ERROR_AUTHENTICATION);
	assert_non_null(strstr(failure.reason, "chmod 600"));
	assert_int_equal(mode_of("openurom/cookie"), 0644);
}

static void one_that_is_named_must_be_there(void **state)
{
	(void)state;
	assert_int_equal(setenv("DOCA_UROM_COOKIE", path_of("named"), 1), 0);
	assert_error(uromd_cookie_settle(&config, &failure), DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(failure.reason, "--make-cookie"));
	assert_int_not_equal(access(path_of("named"), F_OK), 0);
	assert_int_not_equal(access(path_of("openurom"), F_OK), 0);
}

static void empty_name_is_none(void **state)
{
	(void)state;
	assert_int_equal(setenv("DOCA_UROM_COOKIE", "", 1), 0);
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_string_equal(config.cookie_file, path_of("openurom/cookie"));
}

static void argument_counts_before_the_environment(void **state)
{
	struct auth_reason reason;

	(void)state;
	assert_int_equal(setenv("DOCA_UROM_COOKIE", "/nowhere/cookie", 1), 0);
	assert_success(auth_cookie_make(path_of("given"), &reason));
	config.cookie_file = strdup(path_of("given"));
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_string_equal(config.cookie_file, path_of("given"));
}

static void without_a_place_the_remedy_is_told(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	assert_error(uromd_cookie_settle(&config, &failure), DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(failure.reason, "XDG_RUNTIME_DIR is not set; --cookie"));
}

static void place_that_cannot_be_written_is_named(void **state)
{
	(void)state;
	assert_int_equal(setenv("XDG_RUNTIME_DIR", "/proc/self", 1), 0);
	assert_success(uromd_cookie_settle(&config, &failure));
	assert_true(uromd_cookie_make(&config, &failure) != DOCA_SUCCESS);
	assert_non_null(strstr(failure.reason, "/proc/self/openurom/cookie cannot be made"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COOKIE_TEST(default_one_is_made_when_there_is_none),
		COOKIE_TEST(default_one_is_not_made_by_settling),
		COOKIE_TEST(one_that_another_daemon_has_made_meanwhile_is_taken),
		COOKIE_TEST(one_that_was_made_for_nothing_is_taken_back),
		COOKIE_TEST(default_one_that_is_bad_is_neither_taken_nor_replaced),
		COOKIE_TEST(one_that_is_named_must_be_there),
		COOKIE_TEST(empty_name_is_none),
		COOKIE_TEST(argument_counts_before_the_environment),
		COOKIE_TEST(without_a_place_the_remedy_is_told),
		COOKIE_TEST(place_that_cannot_be_written_is_named),
	};

	return cmocka_run_group_tests_name("daemon_cookie", tests, NULL, NULL);
}
