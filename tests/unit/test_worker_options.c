/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of a worker. */
#include "urom/worker/options.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define MAX_ARGS 100

/* A command line that is right, but for what a test adds or puts in place of it. */
struct line {
	const char *args[MAX_ARGS];
	int count;
};

static struct uromw_options options;
static struct uromw_failure failure;

static struct line good_line(void)
{
	return (struct line){
		.args = { "doca_urom_worker",
			  "--control-fd",
			  "7",
			  "--id",
			  "0x1f",
			  "--listen",
			  "127.0.0.1",
			  "--channel",
			  "tcp",
			  "-l",
			  "20",
			  "--sdk-log-level",
			  "70",
			  "-m",
			  "4096",
			  "--plugin-timeout",
			  "60",
			  "--max-unread",
			  "2097152",
			  "/a:b/worker_x.so:0x4" },
		.count = 20,
	};
}

static void add(struct line *line, const char *arg)
{
	assert_true(line->count < MAX_ARGS - 1);
	line->args[line->count++] = arg;
}

/* Another value behind an option. */
static void change(struct line *line, const char *option, const char *value)
{
	for (int i = 0; i < line->count; i++) {
		if (strcmp(line->args[i], option) == 0) {
			line->args[i + 1] = value;
			return;
		}
	}
	fail_msg("%s is not in the line", option);
}

static doca_error_t parse(const struct line *line)
{
	char *argv[MAX_ARGS];

	for (int i = 0; i < line->count; i++)
		argv[i] = (char *)(uintptr_t)line->args[i]; /* getopt only moves them */
	argv[line->count] = NULL;
	memset(&failure, 0, sizeof(failure));
	return uromw_options_parse(line->count, argv, &options, &failure);
}

static void assert_bad(const struct line *line, const char *part)
{
	assert_int_equal(parse(line), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(failure.error, DOCA_ERROR_INVALID_VALUE);
	if (strstr(failure.text, part) == NULL)
		fail_msg("\"%s\" is not about \"%s\"", failure.text, part);
}

static void the_daemon_s_line_is_read(void **state)
{
	const struct line line = good_line();
	const struct sockaddr_in *ip = (const void *)&options.listen;

	(void)state;
	assert_success(parse(&line));
	assert_int_equal(options.control_fd, 7);
	assert_int_equal(options.id, 31);
	assert_int_equal(ip->sin_family, AF_INET);
	assert_int_equal(ntohl(ip->sin_addr.s_addr), INADDR_LOOPBACK);
	assert_int_equal(options.channel, CHAN_TCP);
	assert_int_equal(options.log_level, 20);
	assert_int_equal(options.sdk_log_level, 70);
	assert_int_equal(options.max_message, 4096);
	assert_int_equal(options.plugin_timeout_s, 60);
	assert_int_equal(options.max_unread, 2097152);
	assert_int_equal(options.num_plugins, 1);
	assert_string_equal(options.plugins[0].path, "/a:b/worker_x.so");
	assert_int_equal(options.plugins[0].id, 4);
}

static void an_address_may_be_v6(void **state)
{
	struct line line = good_line();

	(void)state;
	change(&line, "--listen", "::1");
	assert_success(parse(&line));
	assert_int_equal(options.listen.ss_family, AF_INET6);
}

static void what_is_mandatory_is_missed(void **state)
{
	static const char *const mandatory[] = { "--control-fd", "--id", "--listen",
						 "--channel",    "-m",   "--plugin-timeout" };

	(void)state;
	for (size_t i = 0; i < sizeof(mandatory) / sizeof(mandatory[0]); i++) {
		const struct line whole = good_line();
		struct line line = { .count = 0 };

		for (int n = 0; n < whole.count; n++) {
			if (strcmp(whole.args[n], mandatory[i]) == 0)
				n++;
			else
				add(&line, whole.args[n]);
		}
		assert_bad(&line, "is missing");
	}
}

static void values_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *option;
		const char *value;
	} rows[] = {
		{ "--control-fd", "2" },
		{ "--control-fd", "-1" },
		{ "--control-fd", "x" },
		{ "--control-fd", "99999999999" },
		{ "--id", "0xffffffffffffffff" },
		{ "--id", "18446744073709551616" },
		{ "--id", "" },
		{ "--id", "1 " },
		{ "--id", "0x" },
		{ "--listen", "localhost" },
		{ "--listen", "127.0.0.1:80" },
		{ "--listen", "" },
		{ "--channel", "pair" },
		{ "--channel", "TCP" },
		{ "-l", "0" },
		{ "-l", "80" },
		{ "-l", "55" },
		{ "--sdk-log-level", "info" },
		{ "-m", "127" },
		{ "-m", "16777217" },
		{ "--plugin-timeout", "-1" },
		{ "--plugin-timeout", "86401" },
		{ "--max-unread", "1048575" },
		{ "--max-unread", "1M" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct line line = good_line();

		change(&line, rows[i].option, rows[i].value);
		assert_bad(&line, "is not");
	}
}

static void limits_themselves_are_taken(void **state)
{
	struct line line = good_line();

	(void)state;
	change(&line, "-m", "128");
	change(&line, "--id", "0");
	change(&line, "--plugin-timeout", "0");
	change(&line, "-l", "10");
	assert_success(parse(&line));
	assert_int_equal(options.max_message, 128);
	assert_int_equal(options.id, 0);
	assert_int_equal(options.plugin_timeout_s, 0);
	change(&line, "-m", "16777216");
	change(&line, "--id", "18446744073709551614");
	assert_success(parse(&line));
	assert_int_equal(options.id, UINT64_MAX - 1);
}

static void plugins_have_ids_of_one_bit(void **state)
{
	static const char *const bad[] = {
		"/x.so",     "/x.so:",   ":1",
		"/x.so:0",   "/x.so:3",  "/x.so:0x4000000000000000",
		"/x.so:one", "/x.so:-1", "/x.so:4294967297",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct line line = good_line();

		add(&line, bad[i]);
		assert_bad(&line, "no SO_PATH:PLUGIN_ID");
	}
}

static void an_id_is_one_plugin_s(void **state)
{
	struct line line = good_line();

	(void)state;
	add(&line, "/y.so:4");
	assert_bad(&line, "two plugins have the id 0x4");
}

static void there_is_room_for_62_plugins(void **state)
{
	struct line line = good_line();
	char texts[UROMW_MAX_PLUGINS][64];

	(void)state;
	line.count--;
	assert_bad(&line, "no plugin");
	for (unsigned int i = 0; i < UROMW_MAX_PLUGINS; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), "/p%u.so:0x%llx", i, 1ull << i);
		add(&line, texts[i]);
	}
	assert_success(parse(&line));
	assert_int_equal(options.num_plugins, UROMW_MAX_PLUGINS);
	add(&line, "/more.so:1");
	assert_bad(&line, "more than 62 plugins");
}

static void a_path_has_a_limit(void **state)
{
	static char text[UROMW_MAX_PATH + 8];
	struct line line = good_line();

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + UROMW_MAX_PATH - 1, ":1", 3);
	add(&line, text);
	assert_success(parse(&line));
	text[UROMW_MAX_PATH - 1] = 'x';
	memcpy(text + UROMW_MAX_PATH, ":1", 3);
	assert_bad(&line, "no SO_PATH:PLUGIN_ID");
}

static void options_that_are_none_are_refused(void **state)
{
	struct line line = good_line();

	(void)state;
	add(&line, "--colour");
	assert_bad(&line, "--colour");
	line = good_line();
	add(&line, "--id");
	assert_bad(&line, "--id");
}

static void help_needs_nothing_else(void **state)
{
	static const struct line line = { .args = { "doca_urom_worker", "-h" }, .count = 2 };

	(void)state;
	assert_success(parse(&line));
	assert_true(options.is_help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_daemon_s_line_is_read),   TEST(an_address_may_be_v6),
		TEST(what_is_mandatory_is_missed), TEST(values_that_cannot_be_are_refused),
		TEST(limits_themselves_are_taken), TEST(plugins_have_ids_of_one_bit),
		TEST(an_id_is_one_plugin_s),       TEST(there_is_room_for_62_plugins),
		TEST(a_path_has_a_limit),          TEST(options_that_are_none_are_refused),
		TEST(help_needs_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
