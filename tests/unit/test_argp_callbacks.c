/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What doca_argp_start() calls, when, and what becomes of its errors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argp_rig.h"
#include "test.h"

/* What the next callbacks answer. */
static doca_error_t answer;

static doca_error_t on_text(void *value, void *opaque)
{
	(void)opaque;
	rig_note("text=%s", (const char *)value);
	return answer;
}

static doca_error_t on_number(void *value, void *opaque)
{
	(void)opaque;
	rig_note("number=%d", *(const int *)value);
	return DOCA_SUCCESS;
}

static doca_error_t on_validation(void *opaque)
{
	(void)opaque;
	rig_note("validation");
	return answer;
}

static doca_error_t on_validation_too(void *opaque)
{
	(void)opaque;
	rig_note("validation too");
	return DOCA_SUCCESS;
}

static doca_error_t on_cmd(void *opaque)
{
	(void)opaque;
	rig_note("cmd");
	return answer;
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	rig_note("dpdk");
	assert_null(argv[argc]);
	for (int i = 0; i < argc; i++)
		rig_note("%s", argv[i]);
	/* As DPDK does it: the program's name goes to the place before its end. */
	argv[argc - 1] = argv[0];
	return answer;
}

static void set_up(void)
{
	answer = DOCA_SUCCESS;
	rig_init_bare();
	assert_success(
	    doca_argp_register_param(rig_param("t", "text", DOCA_ARGP_TYPE_STRING, on_text)));
	assert_success(
	    doca_argp_register_param(rig_param("n", "number", DOCA_ARGP_TYPE_INT, on_number)));
	assert_success(doca_argp_register_cmd(rig_cmd("run", on_cmd)));
}

static void parameters_come_before_commands_and_these_before_validation(void **state)
{
	static const char json[] = "{\"number\":1}";
	char line[100];

	(void)state;
	set_up();
	assert_success(doca_argp_register_validation_callback(on_validation));
	assert_success(doca_argp_register_validation_callback(on_validation_too));
	doca_argp_set_dpdk_program(on_dpdk);
	(void)snprintf(line, sizeof(line), "-c 3 -- -t x -j %s run", rig_json(json, strlen(json)));
	assert_success(rig_start(line));
	assert_string_equal(rig.notes,
			    "number=1 text=x cmd validation validation too dpdk rig -c 3 ");
	rig_fini();
}

static void a_wrong_command_line_calls_nothing(void **state)
{
	(void)state;
	set_up();
	assert_success(doca_argp_register_validation_callback(on_validation));
	assert_error(rig_start("-t x -n 5 run --what"), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("unknown parameter --what");
	assert_string_equal(rig.notes, "");
	rig_fini();
}

static void an_error_of_a_callback_ends_the_start_with_a_line(void **state)
{
	(void)state;
	set_up();
	answer = DOCA_ERROR_NOT_FOUND;
	assert_error(rig_start("-t x -n 5 run"), DOCA_ERROR_NOT_FOUND);
	assert_string_equal(rig.notes, "text=x ");
	assert_string_equal(rig.err, "rig: --text: not found\n");
	answer = DOCA_ERROR_INVALID_VALUE;
	assert_error(rig_start("-n 5 -t x run"), DOCA_ERROR_INVALID_VALUE);
	assert_string_equal(rig.notes, "number=5 text=x ");
	rig_check_refusal("--text: invalid argument");
	rig_fini();
}

static void an_error_of_a_command_ends_the_start_with_a_line(void **state)
{
	(void)state;
	set_up();
	assert_success(doca_argp_register_validation_callback(on_validation));
	answer = DOCA_ERROR_NOT_PERMITTED;
	assert_error(rig_start("-n 5 run"), DOCA_ERROR_NOT_PERMITTED);
	assert_string_equal(rig.notes, "number=5 cmd ");
	assert_string_equal(rig.err, "rig: run: operation is not permitted\n");
	rig_fini();
}

static void an_error_of_validation_is_the_result(void **state)
{
	(void)state;
	set_up();
	assert_success(doca_argp_register_validation_callback(on_validation));
	assert_success(doca_argp_register_validation_callback(on_validation_too));
	answer = DOCA_ERROR_BAD_CONFIG;
	assert_error(rig_start("-n 5"), DOCA_ERROR_BAD_CONFIG);
	assert_string_equal(rig.notes, "number=5 validation ");
	assert_non_null(strstr(rig.err, "do not go together"));
	rig_fini();
}

static void dpdk_gets_what_stands_before_the_dashes(void **state)
{
	(void)state;
	set_up();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_success(rig_start("-l 0-3 --what '' -- -n 5"));
	assert_string_equal(rig.notes, "number=5 dpdk rig -l 0-3 --what  ");
	assert_success(rig_start("-- -n 5"));
	assert_string_equal(rig.notes, "number=5 dpdk rig ");
	assert_success(rig_start("-n 5"));
	assert_string_equal(rig.notes, "number=5 dpdk rig ");
	answer = DOCA_ERROR_INITIALIZATION;
	assert_error(rig_start("-x --"), DOCA_ERROR_INITIALIZATION);
	assert_non_null(strstr(rig.err, "DPDK"));
	rig_fini();
}

static void second_dashes_are_refused(void **state)
{
	(void)state;
	set_up();
	doca_argp_set_dpdk_program(on_dpdk);
	assert_error(rig_start("-l 1 -- -n 5 -- -h"), DOCA_ERROR_INVALID_VALUE);
	assert_non_null(strstr(rig.err, "\"--\""));
	assert_string_equal(rig.notes, "");
	rig_fini();
}

/* --- the logger callback --- */

__attribute__((format(printf, 2, 0))) static doca_error_t on_line(enum doca_log_level level,
								  const char *format, va_list args)
{
	char line[200];

	(void)vsnprintf(line, sizeof(line), format, args);
	rig_note("%d:%s", (int)level, line);
	return DOCA_ERROR_UNEXPECTED; /* nobody asks */
}

static void error_lines_go_to_the_logger_callback(void **state)
{
	(void)state;
	set_up();
	assert_success(doca_argp_register_logger_callback(on_line));
	assert_error(rig_start("--100%sure %s"), DOCA_ERROR_INVALID_VALUE);
	assert_string_equal(rig.notes, "30:unknown parameter --100%sure ");
	assert_int_equal(strncmp(rig.err, "Usage: rig", 10), 0);
	assert_success(doca_argp_disable_logger_callback());
	assert_error(rig_start("--what"), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("unknown parameter --what");
	rig_fini();
}

/* --- log levels --- */

static void log_levels_set_the_limits_and_can_be_asked_for(void **state)
{
	uint32_t before = doca_log_level_get_global_lower_limit();
	int level, sdk_level;

	(void)state;
	set_up();
	assert_success(doca_argp_get_log_level(&level));
	assert_success(doca_argp_get_sdk_log_level(&sdk_level));
	assert_int_equal(level, before);
	assert_int_equal(sdk_level, doca_log_level_get_global_sdk_limit());
	assert_success(rig_start("-l debug --sdk-log-level 30"));
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_DEBUG);
	assert_int_equal(doca_log_level_get_global_sdk_limit(), DOCA_LOG_LEVEL_ERROR);
	assert_success(doca_log_level_set_global_lower_limit(before));
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_argp_get_log_level(&level));
	assert_success(doca_argp_get_sdk_log_level(&sdk_level));
	assert_int_equal(level, DOCA_LOG_LEVEL_DEBUG);
	assert_int_equal(sdk_level, DOCA_LOG_LEVEL_ERROR);
	assert_success(rig_start(""));
	assert_success(doca_argp_get_log_level(&level));
	assert_int_equal(level, before);
	rig_fini();
	assert_success(doca_argp_get_sdk_log_level(&sdk_level));
	assert_int_equal(sdk_level, DOCA_LOG_LEVEL_WARNING);
}

static void the_command_line_beats_the_file_for_log_levels_too(void **state)
{
	static const char json[] = "{\"doca_general_flags\":{\"log-level\":20}}";
	uint32_t before = doca_log_level_get_global_lower_limit();
	char line[100];
	int level;

	(void)state;
	set_up();
	(void)snprintf(line, sizeof(line), "-l 60 -j %s", rig_json(json, strlen(json)));
	assert_success(rig_start(line));
	assert_success(doca_argp_get_log_level(&level));
	assert_int_equal(level, DOCA_LOG_LEVEL_DEBUG);
	(void)snprintf(line, sizeof(line), "-j %s", rig_json(json, strlen(json)));
	assert_success(rig_start(line));
	assert_success(doca_argp_get_log_level(&level));
	assert_int_equal(level, DOCA_LOG_LEVEL_CRIT);
	assert_success(doca_log_level_set_global_lower_limit(before));
	rig_fini();
}

/* --- callbacks that call argp --- */

static doca_error_t on_destroy(void *value, void *opaque)
{
	(void)opaque;
	assert_success(doca_argp_destroy());
	rig_note("destroyed=%s", (const char *)value); /* which is still there */
	return DOCA_SUCCESS;
}

static doca_error_t on_restart(void *value, void *opaque)
{
	char name[] = "rig";
	char *argv[] = { name, NULL };

	(void)opaque;
	(void)value;
	return doca_argp_start(1, argv);
}

static void a_callback_may_destroy_the_parser(void **state)
{
	(void)state;
	set_up();
	assert_success(
	    doca_argp_register_param(rig_param("d", NULL, DOCA_ARGP_TYPE_STRING, on_destroy)));
	assert_error(rig_start("-d x -n 5 run"), DOCA_ERROR_BAD_STATE);
	assert_string_equal(rig.notes, "destroyed=x ");
	assert_non_null(strstr(rig.err, "ended"));
	assert_refused(doca_argp_destroy(), DOCA_ERROR_BAD_STATE, "not initialised");
	set_up();
	rig_fini();
}

static void a_callback_cannot_start_again(void **state)
{
	(void)state;
	set_up();
	assert_success(
	    doca_argp_register_param(rig_param("r", NULL, DOCA_ARGP_TYPE_BOOLEAN, on_restart)));
	assert_refused(rig_start("-r"), DOCA_ERROR_BAD_STATE, "again");
	rig_fini();
}

static doca_error_t on_scribble(void *value, void *opaque)
{
	(void)opaque;
	rig_note("%s", (const char *)value);
	memset(value, 'x', strlen(value));
	return DOCA_SUCCESS;
}

static void a_value_is_the_callbacks_to_change(void **state)
{
	char name[] = "rig", param[] = "--scribble=abc";
	char *argv[] = { name, param, NULL };

	(void)state;
	rig_init_bare();
	rig.notes[0] = '\0';
	assert_success(doca_argp_register_param(
	    rig_param(NULL, "scribble", DOCA_ARGP_TYPE_STRING, on_scribble)));
	assert_success(doca_argp_start(2, argv));
	assert_string_equal(rig.notes, "abc ");
	assert_string_equal(param, "--scribble=abc");
	rig_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parameters_come_before_commands_and_these_before_validation),
		TEST(a_wrong_command_line_calls_nothing),
		TEST(an_error_of_a_callback_ends_the_start_with_a_line),
		TEST(an_error_of_a_command_ends_the_start_with_a_line),
		TEST(an_error_of_validation_is_the_result),
		TEST(dpdk_gets_what_stands_before_the_dashes),
		TEST(second_dashes_are_refused),
		TEST(error_lines_go_to_the_logger_callback),
		TEST(log_levels_set_the_limits_and_can_be_asked_for),
		TEST(the_command_line_beats_the_file_for_log_levels_too),
		TEST(a_callback_may_destroy_the_parser),
		TEST(a_callback_cannot_start_again),
		TEST(a_value_is_the_callbacks_to_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
