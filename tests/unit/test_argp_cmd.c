/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands: "rig [flags] outer [flags] inner [flags]", each with parameters of its own.
 */
#include <stdio.h>
#include <string.h>

#include "argp_rig.h"
#include "test.h"

/* Functions that tell which one they are, for parameters and for commands. */
#define DEFINE_PARAM_CALLBACK(name)                              \
	static doca_error_t on_##name(void *value, void *opaque) \
	{                                                        \
		(void)opaque;                                    \
		rig_note(#name "=%d", *(const int *)value);      \
		return DOCA_SUCCESS;                             \
	}
#define DEFINE_CMD_CALLBACK(name)                         \
	static doca_error_t on_##name##_cmd(void *opaque) \
	{                                                 \
		(void)opaque;                             \
		rig_note(#name);                          \
		return DOCA_SUCCESS;                      \
	}

DEFINE_PARAM_CALLBACK(program)
DEFINE_PARAM_CALLBACK(inherited)
DEFINE_PARAM_CALLBACK(outer)
DEFINE_PARAM_CALLBACK(inner)
DEFINE_PARAM_CALLBACK(must)
DEFINE_CMD_CALLBACK(hidden)
DEFINE_CMD_CALLBACK(outer)
DEFINE_CMD_CALLBACK(inner)

static struct doca_argp_param *number(const char *short_name, const char *long_name,
				      doca_argp_param_cb_t callback)
{
	return rig_param(short_name, long_name, DOCA_ARGP_TYPE_INT, callback);
}

/*
 * rig -p PROGRAM -i INHERITED (outer -o OUTER -p OUTER (inner -n INNER -i INNER)), (other -m MUST),
 * and a hidden one.
 */
static void set_up(void)
{
	struct doca_argp_cmd *outer, *inner, *other, *hidden;
	struct doca_argp_param *param;

	rig_init_bare();
	assert_success(doca_argp_register_param(number("p", "program", on_program)));
	param = number("i", "inherited", on_inherited);
	doca_argp_param_set_inherited(param);
	assert_success(doca_argp_register_param(param));
	outer = rig_cmd("outer", on_outer_cmd);
	inner = rig_cmd("inner", on_inner_cmd);
	other = rig_cmd("other", NULL);
	hidden = rig_cmd("hidden", on_hidden_cmd);
	doca_argp_cmd_set_hidden(hidden);
	param = number("o", "outer", on_outer);
	doca_argp_param_set_inherited(param);
	assert_success(doca_argp_cmd_register_param(outer, param));
	assert_success(doca_argp_cmd_register_param(outer, number("x", NULL, on_outer)));
	assert_success(doca_argp_cmd_register_param(inner, number("n", "inner", on_inner)));
	assert_success(doca_argp_cmd_register_param(inner, number("i", NULL, on_inner)));
	param = number("m", "must", on_must);
	doca_argp_param_set_mandatory(param);
	assert_success(doca_argp_cmd_register_param(other, param));
	assert_success(doca_argp_cmd_register_cmd(outer, inner));
	assert_success(doca_argp_register_cmd(outer));
	assert_success(doca_argp_register_cmd(other));
	assert_success(doca_argp_register_cmd(hidden));
}

static void check_good(const char *line, const char *notes)
{
	doca_error_t result = rig_start(line);

	if (result != DOCA_SUCCESS)
		fail_msg("%s: %s", line, rig.err);
	if (strcmp(rig.notes, notes) != 0)
		fail_msg("%s: \"%s\", not \"%s\"", line, rig.notes, notes);
}

static void check_bad(const char *line, const char *part)
{
	assert_error(rig_start(line), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal(part);
	assert_string_equal(rig.notes, "");
}

static void commands_are_called_after_all_parameters_the_outer_first(void **state)
{
	(void)state;
	set_up();
	check_good("", "");
	check_good("-p 1", "program=1 ");
	check_good("outer", "outer ");
	check_good("-p 1 outer -x 2", "program=1 outer=2 outer ");
	check_good("-p 1 outer -x 2 inner -n 3", "program=1 outer=2 inner=3 outer inner ");
	check_good("hidden", "hidden ");
	check_good("other -m 4", "must=4 ");
	rig_fini();
}

static void inherited_parameters_are_valid_below_others_only_where_they_belong(void **state)
{
	(void)state;
	set_up();
	check_good("outer -i 5", "inherited=5 outer ");
	check_good("outer inner -o 5 --inherited=6", "outer=5 inherited=6 outer inner ");
	check_bad("outer -p 1", "unknown parameter -p");
	check_bad("outer inner -x 1", "unknown parameter -x");
	check_bad("-o 1 outer", "unknown parameter -o");
	check_bad("-n 1 outer inner", "unknown parameter -n");
	check_bad("-i 1 outer --inherited 2", "--inherited is given twice");
	rig_fini();
}

static void the_nearest_parameter_of_a_name_counts(void **state)
{
	(void)state;
	set_up();
	check_good("outer inner -i 5", "inner=5 outer inner ");
	check_good("-i 4 outer inner -i 5", "inherited=4 inner=5 outer inner ");
	rig_fini();
}

static void commands_that_are_not_there_are_refused(void **state)
{
	(void)state;
	set_up();
	check_bad("what", "unknown command \"what\"");
	check_bad("inner", "unknown command \"inner\"");
	check_bad("outer outer", "unknown command \"outer\"");
	check_bad("outer inner more", "unexpected argument \"more\"");
	check_bad("oute", "unknown command \"oute\"");
	check_bad("OUTER", "unknown command \"OUTER\"");
	rig_fini();
}

static void what_is_mandatory_for_a_command_counts_when_it_is_given(void **state)
{
	(void)state;
	set_up();
	check_good("outer", "outer ");
	check_bad("other", "--must is missing");
	rig_fini();
}

static void the_general_flags_are_valid_behind_commands(void **state)
{
	uint32_t before = doca_log_level_get_global_lower_limit();

	(void)state;
	set_up();
	check_good("outer inner -l 30", "outer inner ");
	assert_int_equal(doca_log_level_get_global_lower_limit(), DOCA_LOG_LEVEL_ERROR);
	assert_success(doca_log_level_set_global_lower_limit(before));
	rig_fini();
}

static void json_keys_may_belong_to_any_command_given(void **state)
{
	static const char flat[] = "{\"program\":1,\"inherited\":2,\"outer\":3,\"inner\":4}";
	static const char section[] = "{\"doca_program_flags\":{\"program\":1,\"outer\":3}}";
	char line[100];

	(void)state;
	set_up();
	(void)snprintf(line, sizeof(line), "-j %s outer inner", rig_json(flat, strlen(flat)));
	check_good(line, "program=1 inherited=2 outer=3 inner=4 outer inner ");
	(void)snprintf(line, sizeof(line), "outer -j %s", rig_json(section, strlen(section)));
	check_good(line, "program=1 outer=3 outer ");
	(void)snprintf(line, sizeof(line), "other -m 1 -j %s", rig_json(section, strlen(section)));
	check_bad(line, "unknown key \"outer\"");
	rig_fini();
}

static void help_is_about_the_command_before_it(void **state)
{
	(void)state;
	assert_int_equal(rig_start_in_child(set_up, "-h"), 0);
	assert_non_null(strstr(rig.out, "Usage: rig [DOCA Flags] [Program Flags] [Command]\n"));
	assert_non_null(strstr(rig.out, "\nCommands:\n  outer   "));
	assert_non_null(strstr(rig.out, "\n  other   "));
	assert_null(strstr(rig.out, "hidden"));
	assert_null(strstr(rig.out, "--inner"));
	assert_int_equal(rig_start_in_child(set_up, "outer -h what"), 0);
	assert_non_null(strstr(rig.out, "Usage: rig outer [DOCA Flags] [Program Flags] [Command]"));
	assert_non_null(strstr(rig.out, "\nWhat it does\n"));
	assert_non_null(strstr(rig.out, "  -i, --inherited <number> "));
	assert_non_null(strstr(rig.out, "  -x <number> "));
	assert_null(strstr(rig.out, "--program"));
	assert_int_equal(rig_start_in_child(set_up, "outer inner --help"), 0);
	assert_non_null(strstr(rig.out, "Usage: rig outer inner [DOCA Flags] [Program Flags]\n"));
	assert_null(strstr(rig.out, "Commands:"));
	assert_string_equal(rig.err, "");
}

static void a_refusal_shows_the_usage_of_the_command_before_it(void **state)
{
	(void)state;
	set_up();
	assert_error(rig_start("outer --what"), DOCA_ERROR_INVALID_VALUE);
	assert_non_null(strstr(rig.err, "\nUsage: rig outer ["));
	rig_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(commands_are_called_after_all_parameters_the_outer_first),
		TEST(inherited_parameters_are_valid_below_others_only_where_they_belong),
		TEST(the_nearest_parameter_of_a_name_counts),
		TEST(commands_that_are_not_there_are_refused),
		TEST(what_is_mandatory_for_a_command_counts_when_it_is_given),
		TEST(the_general_flags_are_valid_behind_commands),
		TEST(json_keys_may_belong_to_any_command_given),
		TEST(help_is_about_the_command_before_it),
		TEST(a_refusal_shows_the_usage_of_the_command_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
