/* SPDX-License-Identifier: BSD-3-Clause */

/* What the daemon is told by its arguments and by the environment, and what it takes from that. */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/export.h"
#include "test.h"
#include "urom/chan/chan_address.h"
#include "urom/daemon/config/args.h"

#define MAX_ARGS 32

#define COOKIE   "0123456789abcdef0123456789ABCDEFfedcba9876543210fedcba9876543210\n"

static uint32_t level_before;
static char cookie[64];

/* Without it the daemon would look where that of the machine is. */
static void make_cookie(void)
{
	int fd;

	(void)snprintf(cookie, sizeof(cookie), "/tmp/test_daemon_config.XXXXXX");
	fd = mkstemp(cookie);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, COOKIE, strlen(COOKIE)), strlen(COOKIE));
	assert_int_equal(close(fd), 0);
	assert_int_equal(setenv("DOCA_UROM_COOKIE", cookie, 1), 0);
}

static int setup(void **state)
{
	make_cookie();
	(void)unsetenv("DOCA_UROM_PORT");
	(void)unsetenv("UROM_CPUSET");
	level_before = doca_log_level_get_global_lower_limit();
	return test_begin(state);
}

static int teardown(void **state)
{
	(void)unlink(cookie);
	(void)unsetenv("DOCA_UROM_PORT");
	(void)unsetenv("UROM_CPUSET");
	(void)doca_log_level_set_global_lower_limit(level_before);
	(void)doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING);
	return test_end(state);
}

#define CONFIG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void parse(struct uromd_config *config, const char *const *args)
{
	char *argv[MAX_ARGS + 1] = { (char *)(uintptr_t) "doca_urom_daemon" };
	int argc = 1;

	for (; args[argc - 1] != NULL; argc++) {
		assert_true(argc < MAX_ARGS);
		argv[argc] = (char *)(uintptr_t)args[argc - 1];
	}
	assert_success(uromd_args_parse(argc, argv, config));
}

/* The worker's program: any that there is will do. Root's daemon is told whose workers are. */
#define ROOT_ARGS geteuid() == 0 ? "--worker-user" : NULL, "root"
#define ARGS(...) ((const char *const[]){ "--worker", "/bin/sh", ##__VA_ARGS__, ROOT_ARGS, NULL })

static void settle(struct uromd_config *config, const char *const *args)
{
	struct uromd_failure failure;

	parse(config, args);
	if (uromd_config_settle(config, &failure) != DOCA_SUCCESS)
		fail_msg("%s", failure.reason);
}

/* These arguments are refused, with that error and a reason that contains part. */
static void check_refused(const char *const *args, doca_error_t error, const char *part)
{
	struct uromd_failure failure = { .error = DOCA_SUCCESS };
	struct uromd_config config;

	parse(&config, args);
	assert_error(uromd_config_settle(&config, &failure), error);
	assert_int_equal(failure.error, error);
	if (strstr(failure.reason, part) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", failure.reason, part);
	uromd_config_fini(&config);
}

static void check_address(const struct uromd_config *config, const char *address)
{
	char text[CHAN_ADDR_TEXT];

	assert_string_equal(chan_address_text((const struct sockaddr *)&config->address, text),
			    address);
}

static void what_is_not_given_has_a_default(void **state)
{
	struct uromd_config config;

	(void)state;
	settle(&config, ARGS());
	check_address(&config, "127.0.0.1:18766");
	assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], 4096);
	assert_int_equal(config.plugin_timeout_s, 60);
	assert_int_equal(config.grace_s, 1);
	assert_false(config.is_keeping);
	assert_string_equal(config.channel, "ucx");
	assert_string_equal(config.auth->name, "cookie");
	assert_string_equal(config.cookie_file, cookie);
	assert_null(config.cpuset);
	assert_null(config.port_file);
	assert_int_equal(config.log_level, DOCA_LOG_LEVEL_INFO);
	assert_int_equal(config.sdk_log_level, DOCA_LOG_LEVEL_WARNING);
	uromd_config_fini(&config);
}

static void what_is_given_is_taken(void **state)
{
	struct uromd_config config;

	(void)state;
	settle(&config,
	       ARGS("-l", "60", "--sdk-log-level", "50", "-m", "65536", "--cpuset", "0-7",
		    "--plugin-timeout", "0", "--channel", "tcp", "--grace", "0", "--keep-workers"));
	assert_int_equal(config.log_level, 60);
	assert_int_equal(config.sdk_log_level, 50);
	assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], 65536);
	assert_string_equal(config.cpuset, "0-7");
	assert_int_equal(config.plugin_timeout_s, 0);
	assert_int_equal(config.grace_s, 0);
	assert_true(config.is_keeping);
	assert_string_equal(config.channel, "tcp");
	uromd_config_fini(&config);
	settle(&config, ARGS("--log-dir", "/x/y", "--port-file", "port", "--auth", "none"));
	assert_string_equal(config.log_dir, "/x/y");
	assert_string_equal(config.port_file, "port");
	uromd_config_fini(&config);
}

static void level_10_silences_the_libraries_too(void **state)
{
	struct uromd_config config;

	(void)state;
	settle(&config, ARGS("-l", "10"));
	assert_int_equal(config.log_level, DOCA_LOG_LEVEL_DISABLE);
	assert_int_equal(config.sdk_log_level, DOCA_LOG_LEVEL_DISABLE);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_DISABLE);
	uromd_config_fini(&config);
}

static void the_environment_comes_before_the_default(void **state)
{
	struct uromd_config config;

	(void)state;
	assert_int_equal(setenv("DOCA_UROM_PORT", "1234", 1), 0);
	assert_int_equal(setenv("UROM_CPUSET", "0-3", 1), 0);
	settle(&config, ARGS());
	check_address(&config, "127.0.0.1:1234");
	assert_string_equal(config.cpuset, "0-3");
	uromd_config_fini(&config);
	settle(&config, ARGS("--listen", "127.0.0.2", "--cpuset", "5"));
	check_address(&config, "127.0.0.2:1234");
	assert_string_equal(config.cpuset, "5");
	uromd_config_fini(&config);
	settle(&config, ARGS("--listen", "127.0.0.1:0"));
	check_address(&config, "127.0.0.1:0");
	uromd_config_fini(&config);
}

static void addresses_of_both_families_are_taken(void **state)
{
	static const struct {
		const char *listen;
		const char *address;
	} rows[] = {
		{ "127.0.0.1:80", "127.0.0.1:80" },
		{ "127.9.9.9", "127.9.9.9:18766" },
		{ "[::1]:80", "[::1]:80" },
		{ "::1", "[::1]:18766" },
	};
	struct uromd_config config;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		settle(&config, ARGS("--listen", rows[i].listen));
		check_address(&config, rows[i].address);
		uromd_config_fini(&config);
	}
}

static void addresses_that_others_reach_take_a_proof_or_insecure(void **state)
{
	static const char *const listens[] = { "0.0.0.0", "192.0.2.1:80", "[::]:1",
					       "::", "[2001:db8::1]:1" };
	struct uromd_config config;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(listens); i++) {
		check_refused(ARGS("--listen", listens[i], "--auth", "none"),
			      DOCA_ERROR_NOT_PERMITTED, "--insecure");
		settle(&config, ARGS("--listen", listens[i], "--auth", "none", "--insecure"));
		uromd_config_fini(&config);
		settle(&config, ARGS("--listen", listens[i]));
		uromd_config_fini(&config);
	}
}

static void wrong_values_are_named(void **state)
{
	static const struct {
		const char *args[3];
		doca_error_t error;
		const char *part;
	} rows[] = {
		{ { "--listen", "" }, DOCA_ERROR_INVALID_VALUE, "--listen" },
		{ { "--listen", "127.0.0.1:99999" }, DOCA_ERROR_INVALID_VALUE, "127.0.0.1:99999" },
		{ { "--listen", "127.0.0.1:" }, DOCA_ERROR_INVALID_VALUE, "127.0.0.1:" },
		{ { "--listen", "127.0.0.1 x" }, DOCA_ERROR_INVALID_VALUE, "127.0.0.1 x" },
		{ { "-m", "127" }, DOCA_ERROR_INVALID_VALUE, "127" },
		{ { "-m", "0" }, DOCA_ERROR_INVALID_VALUE, "--max-msg-size" },
		{ { "-m", "-1" }, DOCA_ERROR_INVALID_VALUE, "--max-msg-size" },
		{ { "-m", "16777217" }, DOCA_ERROR_INVALID_VALUE, "16777217" },
		{ { "--plugin-timeout", "-1" }, DOCA_ERROR_INVALID_VALUE, "--plugin-timeout" },
		{ { "--plugin-timeout", "86401" }, DOCA_ERROR_INVALID_VALUE, "86401" },
		{ { "--grace", "-1" }, DOCA_ERROR_INVALID_VALUE, "--grace: -1 is not from 0" },
		{ { "--grace", "86401" }, DOCA_ERROR_INVALID_VALUE, "--grace: 86401" },
		{ { "--channel", "rdma" }, DOCA_ERROR_INVALID_VALUE, "neither ucx nor tcp" },
		{ { "--plugin-timeout", "-5" }, DOCA_ERROR_INVALID_VALUE, "-5 is not from 0" },
		{ { "--auth", "kerberos" }, DOCA_ERROR_INVALID_VALUE, "kerberos" },
		{ { "--cookie", "/nowhere/cookie" }, DOCA_ERROR_NOT_FOUND, "--make-cookie" },
		{ { "--cookie", "/dev/null" }, DOCA_ERROR_AUTHENTICATION, "no regular file" },
		{ { "--allow-users", "root" }, DOCA_ERROR_INVALID_VALUE, "takes --auth munge" },
		{ { "--allow-hosts", "node1" }, DOCA_ERROR_INVALID_VALUE, "\"node1\" is no" },
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++)
		check_refused(ARGS(rows[i].args[0], rows[i].args[1]), rows[i].error, rows[i].part);
}

static void the_limits_themselves_are_taken(void **state)
{
	struct uromd_config config;

	(void)state;
	settle(&config, ARGS("-m", "128", "--plugin-timeout", "86400"));
	assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], 128);
	uromd_config_fini(&config);
	settle(&config, ARGS("-m", "16777216"));
	assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], 16777216);
	uromd_config_fini(&config);
}

static void message_limit_has_the_suffixes_of_other_limits(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "1K", 1024 }, { "1048576", 1048576 }, { "1M", 1048576 }, { "16M", 16777216 }
	};
	struct uromd_config config;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		settle(&config, ARGS("-m", rows[i].text));
		assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], rows[i].bytes);
		uromd_config_fini(&config);
	}
	check_refused(ARGS("-m", "17M"), DOCA_ERROR_INVALID_VALUE, "--max-msg-size: 17M");
	check_refused(ARGS("-m", "4k"), DOCA_ERROR_INVALID_VALUE, "with K, M or G behind it");
}

static void sizes_of_a_file_are_texts(void **state)
{
	char path[] = "/tmp/test_daemon_config.XXXXXX";
	static const char text[] = "{ \"max-msg-size\": \"8K\", \"max-workers\": 3 }";
	struct uromd_config config;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	settle(&config, ARGS("-j", path));
	assert_int_equal(config.limits.of[UROMD_LIMIT_MESSAGE], 8192);
	assert_int_equal(config.limits.of[UROMD_LIMIT_WORKERS], 3);
	uromd_config_fini(&config);
	assert_int_equal(unlink(path), 0);
}

static void a_port_that_is_none_in_the_environment_is_refused(void **state)
{
	static const char *const ports[] = { "x", "-1", "65536", "80 ", "+80" };

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(ports); i++) {
		assert_int_equal(setenv("DOCA_UROM_PORT", ports[i], 1), 0);
		check_refused(ARGS(), DOCA_ERROR_INVALID_VALUE, "DOCA_UROM_PORT");
	}
}

static void what_is_empty_in_the_environment_is_not_set(void **state)
{
	struct uromd_config config;

	(void)state;
	assert_int_equal(setenv("DOCA_UROM_PORT", "", 1), 0);
	assert_int_equal(setenv("UROM_CPUSET", "", 1), 0);
	settle(&config, ARGS());
	check_address(&config, "127.0.0.1:18766");
	assert_null(config.cpuset);
	uromd_config_fini(&config);
}

static void a_worker_program_that_cannot_be_run_is_refused(void **state)
{
	const char *const args[] = { "--worker", "/nowhere/worker", NULL };

	(void)state;
	check_refused(args, DOCA_ERROR_NOT_FOUND, "/nowhere/worker");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFIG_TEST(what_is_not_given_has_a_default),
		CONFIG_TEST(what_is_given_is_taken),
		CONFIG_TEST(level_10_silences_the_libraries_too),
		CONFIG_TEST(the_environment_comes_before_the_default),
		CONFIG_TEST(addresses_of_both_families_are_taken),
		CONFIG_TEST(addresses_that_others_reach_take_a_proof_or_insecure),
		CONFIG_TEST(wrong_values_are_named),
		CONFIG_TEST(the_limits_themselves_are_taken),
		CONFIG_TEST(message_limit_has_the_suffixes_of_other_limits),
		CONFIG_TEST(sizes_of_a_file_are_texts),
		CONFIG_TEST(a_port_that_is_none_in_the_environment_is_refused),
		CONFIG_TEST(what_is_empty_in_the_environment_is_not_set),
		CONFIG_TEST(a_worker_program_that_cannot_be_run_is_refused),
	};

	return cmocka_run_group_tests_name("daemon_config", tests, NULL, NULL);
}
