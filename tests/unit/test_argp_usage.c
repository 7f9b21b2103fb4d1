/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user reads: help, version, and the usage behind an error. What ends the process is run
 * in a child, which the sanitizers search for leaks when it ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argp_rig.h"
#include "test.h"

#define COLUMNS 100

static void check_contains(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void help_goes_to_standard_output_and_ends_well(void **state)
{
	static const char *const lines[] = {
		"-h", "--help", "-d a -h", "-h --what", "-l 50 --help -z x", "-j /nowhere -h",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(rig_start_in_child(rig_init, lines[i]), 0);
		assert_int_equal(strncmp(rig.out, "Usage: rig [DOCA Flags] [Program Flags]\n", 40),
				 0);
		assert_string_equal(rig.err, "");
	}
}

static void what_is_wrong_before_the_help_flag_is_refused(void **state)
{
	(void)state;
	assert_int_equal(rig_start_in_child(rig_init, "--what -h"), -1);
	check_contains(rig.err, "rig: unknown parameter --what\nUsage: rig");
	assert_string_equal(rig.out, "");
}

static void help_lists_general_flags_and_program_flags(void **state)
{
	static const char *const parts[] = {
		"\nGeneral flags:\n  -h, --help     ",
		"\n  -v, --version     ",
		"\n  -l, --log-level <level>     ",
		"\n  --sdk-log-level <level>     ",
		"\n  -j, --json <path>     ",
		"\n\nProgram flags:\n  -d, --device <text>     ",
		"\n  -sat, --server-addr-type <text> ",
		"\n  -os <text> ",
		"\n  --only-long <text> ",
		"\n  -p, --port <number> ",
		"\n  -f, --fast  ",
		"\n  --graph <object, in JSON only>",
	};

	(void)state;
	assert_int_equal(rig_start_in_child(rig_init, "-h"), 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		check_contains(rig.out, parts[i]);
	check_contains(rig.out, "What it is for (mandatory)\n");
	assert_null(strstr(rig.out, "secret"));
	assert_null(strstr(rig.out, "quiet"));
}

static doca_error_t on_value(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	return DOCA_SUCCESS;
}

static void add_described(const char *name, const char *arguments, const char *description)
{
	struct doca_argp_param *param = rig_param(NULL, name, DOCA_ARGP_TYPE_STRING, on_value);

	doca_argp_param_set_description(param, description);
	if (arguments != NULL)
		doca_argp_param_set_arguments(param, arguments);
	assert_success(doca_argp_register_param(param));
}

static void init_described(void)
{
	rig_init_bare();
	add_described(
	    "long", "<x>",
	    "The quick brown fox jumps over the lazy dog, and then the lazy dog jumps over "
	    "the quick brown fox, which is the end of it");
	add_described("a-name-that-is-as-long-as-a-whole-line", "<y>", "Short");
	add_described("parts", NULL, "First\n   second\tpart\n");
	add_described(
	    "word", NULL,
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	add_described("nothing", NULL, "");
}

static void descriptions_are_wrapped_below_each_other(void **state)
{
	const char *line, *end;

	(void)state;
	assert_int_equal(rig_start_in_child(init_described, "-h"), 0);
	check_contains(
	    rig.out,
	    "  --long <x>                      The quick brown fox jumps over the lazy dog, "
	    "and then the lazy dog\n"
	    "                                  jumps over the quick brown fox, which is the "
	    "end of it\n");
	check_contains(rig.out, "  --a-name-that-is-as-long-as-a-whole-line <y>\n"
				"                                  Short\n");
	check_contains(rig.out, "  --parts <text>                  First\n"
				"                                  second part\n");
	for (line = rig.out; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		if (strstr(line, "aaaaaa") != line + 34 && end - line > COLUMNS &&
		    strncmp(line, "  --word", 8) != 0)
			fail_msg("a line has %zd columns: %.*s", end - line, (int)(end - line),
				 line);
	}
}

static void the_version_goes_to_standard_output_and_ends_well(void **state)
{
	(void)state;
	assert_int_equal(rig_start_in_child(rig_init, "-v"), 0);
	assert_int_equal(strncmp(rig.out, "rig, DOCA version 3.3.0, OpenUROM version ", 42), 0);
	assert_ptr_equal(strchr(rig.out, '\n'), rig.out + strlen(rig.out) - 1);
	assert_string_equal(rig.err, "");
	assert_int_equal(rig_start_in_child(rig_init, "--version --what"), 0);
}

/* --- a version callback --- */

static doca_error_t on_version(void *value, void *opaque)
{
	(void)opaque;
	rig_note("version=%d", *(const bool *)value);
	return DOCA_SUCCESS;
}

static doca_error_t on_version_exit(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	(void)printf("mine\n");
	if (doca_argp_destroy() != DOCA_SUCCESS)
		exit(1);
	exit(7);
}

static doca_error_t on_version_fail(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	return DOCA_ERROR_NOT_SUPPORTED;
}

static void init_version_exit(void)
{
	rig_init();
	assert_success(doca_argp_register_version_callback(on_version_exit));
}

static void a_version_callback_replaces_the_version(void **state)
{
	(void)state;
	rig_init();
	assert_success(doca_argp_register_version_callback(on_version));
	assert_success(rig_start("-v -d a"));
	assert_string_equal(rig.notes, "version=1 device=a ");
	assert_error(rig_start("-v"), DOCA_ERROR_INVALID_VALUE);
	assert_string_equal(rig.notes, "version=1 ");
	assert_error(rig_start("-v --version -d a"), DOCA_ERROR_INVALID_VALUE);
	assert_success(doca_argp_register_version_callback(on_version_fail));
	assert_error(rig_start("-v -d a"), DOCA_ERROR_NOT_SUPPORTED);
	assert_string_equal(rig.err, "rig: --version: operation is not supported\n");
	rig_fini();
	assert_int_equal(rig_start_in_child(init_version_exit, "-d a -v -z x"), 7);
	assert_string_equal(rig.out, "mine\n");
}

/* --- a callback that ends the process --- */

static doca_error_t on_leave(void *value, void *opaque)
{
	(void)opaque;
	exit(*(const int *)value);
}

static void init_exit(void)
{
	rig_init();
	assert_success(
	    doca_argp_register_param(rig_param("X", NULL, DOCA_ARGP_TYPE_INT, on_leave)));
}

static void a_callback_may_end_the_process(void **state)
{
	(void)state;
	assert_int_equal(rig_start_in_child(init_exit, "-d a -X 8 -m text"), 8);
}

/* --- the program's name --- */

static void init_nameless(void)
{
	assert_success(doca_argp_init(NULL, NULL));
}

static void without_a_name_argv_is_shown(void **state)
{
	char name[] = "/usr/bin/some-program", help[] = "--help";
	char *argv[] = { name, help, NULL };

	(void)state;
	assert_int_equal(rig_start_in_child(init_nameless, "-h"), 0);
	assert_int_equal(strncmp(rig.out, "Usage: rig [", 12), 0);
	init_nameless();
	assert_success(doca_argp_start(1, argv));
	rig_fini();
}

static void print_usage(void)
{
	rig_init();
	doca_argp_usage();
	(void)fflush(stdout);
}

static void print_usage_nameless(void)
{
	init_nameless();
	doca_argp_usage();
	(void)fflush(stdout);
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return DOCA_SUCCESS;
}

static void print_usage_dpdk(void)
{
	rig_init_bare();
	doca_argp_set_dpdk_program(on_dpdk);
	doca_argp_usage();
	(void)fflush(stdout);
}

static void the_usage_can_be_printed_by_the_program(void **state)
{
	(void)state;
	assert_int_equal(rig_start_in_child(print_usage, "-d a"), -1);
	assert_int_equal(strncmp(rig.out, "Usage: rig [", 12), 0);
	check_contains(rig.out, "--device");
	assert_int_equal(rig_start_in_child(print_usage_nameless, ""), -1);
	check_contains(rig.out, "test_argp_usage [DOCA");
	assert_int_equal(rig_start_in_child(print_usage_dpdk, ""), -1);
	check_contains(rig.out, "Usage: rig [DPDK Flags] -- [DOCA Flags] [Program Flags]\n");
	assert_null(strstr(rig.out, "Program flags:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(help_goes_to_standard_output_and_ends_well),
		TEST(what_is_wrong_before_the_help_flag_is_refused),
		TEST(help_lists_general_flags_and_program_flags),
		TEST(descriptions_are_wrapped_below_each_other),
		TEST(the_version_goes_to_standard_output_and_ends_well),
		TEST(a_version_callback_replaces_the_version),
		TEST(a_callback_may_end_the_process),
		TEST(without_a_name_argv_is_shown),
		TEST(the_usage_can_be_printed_by_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
