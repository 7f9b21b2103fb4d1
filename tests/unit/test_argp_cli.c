/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Command lines of a program with 40 parameters, each with what the program hears of it or how it
 * is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argp_rig.h"
#include "test.h"

#define GOOD(line, notes)                       \
	{                                       \
		line, NULL, DOCA_SUCCESS, notes \
	}
#define BAD(line, part)                                    \
	{                                                  \
		line, NULL, DOCA_ERROR_INVALID_VALUE, part \
	}

static void a_name_has_one_or_several_letters_behind_one_dash_or_is_long(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a", "device=a"),
		GOOD("--device a", "device=a"),
		GOOD("--device=a", "device=a"),
		GOOD("-d a -ld b -re c -mm d",
		     "device=a local-descriptor=b remote-descriptor=c remote-mmap=d"),
		GOOD("-d a -sa b -sat ip4 -s c",
		     "device=a server-addr=b server-addr-type=ip4 send-string=c"),
		GOOD("-d a --local-descriptor b --remote-descriptor=c",
		     "device=a local-descriptor=b remote-descriptor=c"),
		GOOD("-de b -d a", "dev=b device=a"),
		GOOD("--dev b --device a", "dev=b device=a"),
		GOOD("-d a -os x --only-long y", "device=a os=x only-long=y"),
		GOOD("-d a -x1 s", "device=a secret=s"),
		BAD("-device a", "unknown parameter -device"),
		BAD("--d a", "unknown parameter --d"),
		BAD("--devic a", "unknown parameter --devic"),
		BAD("--devices=a", "unknown parameter --devices"),
		BAD("-d a -only-long y", "unknown parameter -only-long"),
		BAD("-d=a", "unknown parameter -d=a"),
		BAD("-da", "unknown parameter -da"),
		BAD("-d a --os x", "unknown parameter --os"),
		BAD("-d a --=x", "unknown parameter --"),
		BAD("-d a ---device b", "unknown parameter ---device"),
		BAD("-D a", "unknown parameter -D"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void a_string_is_taken_as_it_stands(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a -m 'two words'", "device=a message=two words"),
		GOOD("-d a -m ''", "device=a message="),
		GOOD("-d a --message=", "device=a message="),
		GOOD("-d a --message=a=b", "device=a message=a=b"),
		GOOD("-d a -m -", "device=a message=-"),
		GOOD("-d a -m -5", "device=a message=-5"),
		GOOD("-d a -m -4", "device=a message=-4"),
		GOOD("-d a -m -x", "device=a message=-x"),
		GOOD("-d a -m --what=ever", "device=a message=--what=ever"),
		GOOD("-d a --message=-d", "device=a message=-d"),
		GOOD("-d a --message=--", "device=a message=--"),
		GOOD("-d a -m 0x", "device=a message=0x"),
		BAD("-d a -m -d", "-m needs a value"),
		BAD("-d a -m --device=b", "-m needs a value"),
		BAD("-d a -m --", "-m needs a value"),
		BAD("-d a -m", "-m needs a value"),
		BAD("-d a --message", "--message needs a value"),
		BAD("-d", "-d needs a value"),
		BAD("-d -l 50", "-d needs a value"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void a_number_is_whole_and_fits_or_is_refused(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a -p 0", "device=a port=0"),
		GOOD("-d a -p 00017", "device=a port=17"),
		GOOD("-d a -p -1", "device=a port=-1"),
		GOOD("-d a -p -4", "device=a port=-4"),
		GOOD("-d a --port=-0x10", "device=a port=-16"),
		GOOD("-d a -p 0x1F -z 0Xff", "device=a port=31 size=255"),
		GOOD("-d a -z 2147483647 -o -2147483648",
		     "device=a size=2147483647 offset=-2147483648"),
		GOOD("-d a -nc 8 -lp 13579 -g 0",
		     "device=a num-connections=8 listen-port=13579 gid-index=0"),
		GOOD("-d a -4 5 --timeout-ms 6", "device=a 4=5 timeout-ms=6"),
		BAD("-d a -z 2147483648", "-z: \"2147483648\" is not a whole number"),
		BAD("-d a -z -2147483649", "-z: \"-2147483649\""),
		BAD("-d a -z 99999999999999999999999", "-z: \"99999999999999999999999\""),
		BAD("-d a -z 0x80000000", "-z: \"0x80000000\""),
		BAD("-d a -z 5x", "-z: \"5x\""),
		BAD("-d a -z '5 '", "-z: \"5 \""),
		BAD("-d a -z ' 5'", "-z: \" 5\""),
		BAD("-d a -z +5", "-z: \"+5\""),
		BAD("-d a -z 1.5", "-z: \"1.5\""),
		BAD("-d a -z 1e3", "-z: \"1e3\""),
		BAD("-d a -z 0x", "-z: \"0x\""),
		BAD("-d a -z 0x-5", "-z: \"0x-5\""),
		BAD("-d a -z --5", "-z: \"--5\""),
		BAD("-d a -z ''", "-z: \"\""),
		BAD("-d a --size=", "--size: \"\""),
		BAD("-d a -z ten", "-z: \"ten\""),
		BAD("-d a -z -f", "-z needs a value"),
		BAD("-d a -z", "-z needs a value"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void a_boolean_takes_no_value(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-f -d a", "fast=1 device=a"),
		GOOD("-d a -cm -ve -F --quiet --dry-run",
		     "device=a use-rdma-cm=1 verbose=1 F=1 quiet=1 dry-run=1"),
		GOOD("-1 -d a", "once=1 device=a"),
		BAD("-d a --fast=true", "--fast takes no value"),
		BAD("-d a --fast=", "--fast takes no value"),
		BAD("-d a -f true", "unexpected argument \"true\""),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void only_multiplicity_allows_a_parameter_twice(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a -i x -N 1 -i y --file=z -N -2",
		     "device=a file=x number=1 file=y file=z number=-2"),
		GOOD("-d a -b -b --debug", "device=a debug=1 debug=1 debug=1"),
		BAD("-d a -d b", "-d is given twice"),
		BAD("-d a --device a", "--device is given twice"),
		BAD("-d a -p 1 --port=2", "--port is given twice"),
		BAD("-d a -f -f", "-f is given twice"),
		BAD("-d a -l 50 --log-level 50", "--log-level is given twice"),
		BAD("-d a -j x -j y", "-j is given twice"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void what_is_mandatory_must_be_there(void **state)
{
	static const struct rig_row rows[] = {
		BAD("", "--device is missing"),
		BAD("-p 5", "--device is missing"),
		BAD("-de mlx5_0", "--device is missing"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void a_singular_parameter_stands_alone(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-L", "list=1"),
		GOOD("--show all", "show=all"),
		GOOD("-S a -S b", "show=a show=b"),
		GOOD("-L -l 50", "list=1"),
		BAD("-L -d a", "--device cannot be given together with --list"),
		BAD("-d a -f --show all", "cannot be given together with --show"),
		BAD("-L -S a", "cannot be given together with"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void some_come_from_the_command_line_only_and_some_never(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a -t secret", "device=a token=secret"),
		BAD("-d a --graph {}", "--graph can be given in a JSON file only"),
		BAD("-d a -e {}", "-e can be given in a JSON file only"),
		BAD("-d a --stage={}", "--stage can be given in a JSON file only"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void words_without_dashes_are_refused(void **state)
{
	static const struct rig_row rows[] = {
		BAD("-d a b", "unexpected argument \"b\""),
		BAD("device=a", "unexpected argument \"device=a\""),
		BAD("-d a -", "unexpected argument \"-\""),
		BAD("-d a ''", "unexpected argument \"\""),
		BAD("-d a --", "\"--\""),
		BAD("-d a -- -p 5", "\"--\""),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void an_unreadable_json_file_is_no_matter_of_values(void **state)
{
	static const struct rig_row rows[] = {
		{ "-d a -j /nowhere/file", NULL, DOCA_ERROR_IO_FAILED,
		  "/nowhere/file cannot be read" },
		{ "-d a --json=/proc/self", NULL, DOCA_ERROR_IO_FAILED,
		  "/proc/self cannot be read" },
		{ "-d a -j ''", NULL, DOCA_ERROR_IO_FAILED, "cannot be read" },
		BAD("-d a -j", "-j needs a value"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void log_levels_are_numbers_or_names(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a -l 10", "device=a"),
		GOOD("-d a -l 70 --sdk-log-level 0x28", "device=a"),
		GOOD("-d a --log-level=trace --sdk-log-level Warning", "device=a"),
		GOOD("-l INFO -d a", "device=a"),
		GOOD("-l crit --sdk-log-level CRITICAL -d a", "device=a"),
		BAD("-d a -l 0", "-l: \"0\" is not a log level"),
		BAD("-d a -l 55", "-l: \"55\" is not a log level"),
		BAD("-d a -l 80", "-l: \"80\""),
		BAD("-d a -l -10", "-l: \"-10\""),
		BAD("-d a -l loud", "-l: \"loud\""),
		BAD("-d a -l ''", "-l: \"\""),
		BAD("-d a -l", "-l needs a value"),
		BAD("-d a --sdk-log-level 41", "--sdk-log-level: \"41\""),
		BAD("-d a -sdk-log-level 40", "unknown parameter -sdk-log-level"),
	};
	uint32_t lower = doca_log_level_get_global_lower_limit();

	(void)state;
	RIG_EXPECT(rows);
	assert_success(doca_log_level_set_global_lower_limit(lower));
	/* The level of the capture, of which the rows knew nothing. */
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING));
}

/* Every argument a parameter, so that nothing is bounded by the size of a table. */
static void a_long_command_line_is_taken_whole(void **state)
{
	enum {
		COUNT = 20000
	};
	char program[] = "rig", name[] = "-N", value[] = "1", device[] = "--device=a";
	char **argv = calloc(COUNT * 2 + 2, sizeof(*argv));

	(void)state;
	assert_non_null(argv);
	argv[0] = program;
	argv[1] = device;
	for (size_t i = 0; i < COUNT; i++) {
		argv[2 + 2 * i] = name;
		argv[3 + 2 * i] = value;
	}
	rig_init();
	assert_success(doca_argp_start(COUNT * 2 + 2, argv));
	rig_fini();
	free(argv);
}

static void an_error_line_is_one_line_whatever_the_user_wrote(void **state)
{
	char wrong[4000], line[4100];

	(void)state;
	rig_init();
	assert_error(rig_start("-d a -z 'x\n\x1b[2Jy\t\x7f'"), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("-z: \"x??[2Jy??\" is not");
	memset(wrong, 'w', sizeof(wrong) - 1);
	wrong[sizeof(wrong) - 1] = '\0';
	(void)snprintf(line, sizeof(line), "--%s", wrong);
	assert_error(rig_start(line), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("unknown parameter --www");
	rig_fini();
}

static void the_arguments_are_left_as_they_were(void **state)
{
	char program[] = "rig", device[] = "--device=a", name[] = "-m", value[] = "text";
	char *argv[] = { program, device, name, value, NULL };
	char *before[] = { program, device, name, value, NULL };

	(void)state;
	rig_init();
	assert_success(doca_argp_start(4, argv));
	rig_fini();
	assert_memory_equal(argv, before, sizeof(argv));
	assert_string_equal(device, "--device=a");
	assert_string_equal(value, "text");
}

static void a_start_can_follow_another(void **state)
{
	(void)state;
	rig_init();
	assert_error(rig_start("-d a -p x"), DOCA_ERROR_INVALID_VALUE);
	assert_success(rig_start("-d a -p 5"));
	assert_string_equal(rig.notes, "device=a port=5 ");
	assert_success(rig_start("-d b"));
	assert_string_equal(rig.notes, "device=b ");
	assert_error(rig_start("-p 5"), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("--device is missing");
	rig_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_has_one_or_several_letters_behind_one_dash_or_is_long),
		TEST(a_string_is_taken_as_it_stands),
		TEST(a_number_is_whole_and_fits_or_is_refused),
		TEST(a_boolean_takes_no_value),
		TEST(only_multiplicity_allows_a_parameter_twice),
		TEST(what_is_mandatory_must_be_there),
		TEST(a_singular_parameter_stands_alone),
		TEST(some_come_from_the_command_line_only_and_some_never),
		TEST(words_without_dashes_are_refused),
		TEST(an_unreadable_json_file_is_no_matter_of_values),
		TEST(log_levels_are_numbers_or_names),
		TEST(a_long_command_line_is_taken_whole),
		TEST(an_error_line_is_one_line_whatever_the_user_wrote),
		TEST(the_arguments_are_left_as_they_were),
		TEST(a_start_can_follow_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
