/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of the parser and of what is registered with it: what each call refuses, and who owns an
 * object afterwards. The sanitizers see to it that nothing is freed twice or never.
 */
#include <stdio.h>

#include "argp_rig.h"
#include "test.h"

#define NO_INIT_REFUSED(expression) \
	assert_refused((expression), DOCA_ERROR_BAD_STATE, "not initialised")

static doca_error_t on_value(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	return DOCA_SUCCESS;
}

static doca_error_t on_call(void *opaque)
{
	(void)opaque;
	return DOCA_SUCCESS;
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return DOCA_SUCCESS;
}

__attribute__((format(printf, 2, 0))) static doca_error_t on_line(enum doca_log_level level,
								  const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return DOCA_SUCCESS;
}

static struct doca_argp_param *new_param(void)
{
	return rig_param("a", "abc", DOCA_ARGP_TYPE_INT, on_value);
}

static struct doca_argp_param *new_named(const char *short_name, const char *long_name)
{
	return rig_param(short_name, long_name, DOCA_ARGP_TYPE_INT, on_value);
}

static void everything_but_init_wants_an_initialised_argp(void **state)
{
	char name[] = "rig";
	char *argv[] = { name, NULL };
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;

	(void)state;
	NO_INIT_REFUSED(doca_argp_destroy());
	NO_INIT_REFUSED(doca_argp_start(1, argv));
	NO_INIT_REFUSED(doca_argp_param_create(&param));
	NO_INIT_REFUSED(doca_argp_cmd_create(&cmd));
	NO_INIT_REFUSED(doca_argp_register_version_callback(on_value));
	NO_INIT_REFUSED(doca_argp_register_validation_callback(on_call));
	NO_INIT_REFUSED(doca_argp_register_logger_callback(on_line));
	NO_INIT_REFUSED(doca_argp_disable_logger_callback());
	doca_argp_usage();
	test_take_log("doca_argp_usage: argp is not initialised");
	doca_argp_set_dpdk_program(on_dpdk);
	test_take_log("doca_argp_set_dpdk_program: argp is not initialised");
}

static void init_is_refused_twice_and_with_an_empty_name(void **state)
{
	(void)state;
	assert_refused(doca_argp_init("", NULL), DOCA_ERROR_INVALID_VALUE, "empty");
	assert_success(doca_argp_init(NULL, NULL));
	assert_refused(doca_argp_init("rig", NULL), DOCA_ERROR_BAD_STATE, "already");
	assert_success(doca_argp_destroy());
	assert_success(doca_argp_init("rig", NULL));
	assert_success(doca_argp_destroy());
	NO_INIT_REFUSED(doca_argp_destroy());
}

static void (*const param_flags[])(struct doca_argp_param *param) = {
	doca_argp_param_set_mandatory,    doca_argp_param_set_cli_only,
	doca_argp_param_set_multiplicity, doca_argp_param_set_singular,
	doca_argp_param_set_inherited,    doca_argp_param_set_hidden,
};

#define NUM_PARAM_FLAGS (sizeof(param_flags) / sizeof(param_flags[0]))

static void take_logs(unsigned int count, const char *part)
{
	assert_int_equal(test_num_logged(), count);
	while (count-- > 0)
		test_take_log(part);
}

static void a_type_that_is_none_is_not_set(void **state)
{
	struct doca_argp_param *param;

	(void)state;
	rig_init_bare();
	param = new_param();
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_UNKNOWN);
	doca_argp_param_set_type(param, (enum doca_argp_type)(DOCA_ARGP_TYPE_JSON_OBJ + 1));
	take_logs(2, "no type");
	assert_success(doca_argp_register_param(param));
	assert_success(rig_start("-a 5"));
	rig_fini();
}

static void a_start_wants_the_programs_name(void **state)
{
	char *argv[] = { NULL };

	(void)state;
	rig_init_bare();
	assert_refused(doca_argp_start(0, argv), DOCA_ERROR_INVALID_VALUE, "argc is 0");
	assert_refused(doca_argp_start(-1, argv), DOCA_ERROR_INVALID_VALUE, "argc is -1");
	rig_fini();
}

static void what_is_registered_can_neither_be_set_nor_destroyed(void **state)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;

	(void)state;
	rig_init_bare();
	param = new_param();
	cmd = rig_cmd("run", NULL);
	assert_success(doca_argp_register_param(param));
	assert_success(doca_argp_register_cmd(cmd));
	doca_argp_param_set_short_name(param, "b");
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	doca_argp_param_set_callback(param, on_value);
	for (size_t i = 0; i < NUM_PARAM_FLAGS; i++)
		param_flags[i](param);
	take_logs(3 + NUM_PARAM_FLAGS, "param abc is registered");
	doca_argp_cmd_set_name(cmd, "walk");
	doca_argp_cmd_set_callback(cmd, on_call);
	doca_argp_cmd_set_hidden(cmd);
	take_logs(3, "cmd run is registered");
	assert_refused(doca_argp_param_destroy(param), DOCA_ERROR_BAD_STATE, "registered");
	assert_refused(doca_argp_cmd_destroy(cmd), DOCA_ERROR_BAD_STATE, "registered");
	assert_success(rig_start("-a 5 run"));
	rig_fini();
}

static void an_object_is_registered_once(void **state)
{
	struct doca_argp_cmd *outer, *inner;
	struct doca_argp_param *param;

	(void)state;
	rig_init_bare();
	param = new_param();
	outer = rig_cmd("outer", NULL);
	inner = rig_cmd("inner", NULL);
	assert_success(doca_argp_cmd_register_param(inner, param));
	assert_refused(doca_argp_cmd_register_param(outer, param), DOCA_ERROR_BAD_STATE, "already");
	assert_refused(doca_argp_register_param(param), DOCA_ERROR_BAD_STATE, "already");
	assert_success(doca_argp_cmd_register_cmd(outer, inner));
	assert_refused(doca_argp_cmd_register_cmd(outer, inner), DOCA_ERROR_BAD_STATE, "already");
	assert_refused(doca_argp_register_cmd(inner), DOCA_ERROR_BAD_STATE, "already");
	assert_refused(doca_argp_cmd_register_cmd(outer, outer), DOCA_ERROR_INVALID_VALUE,
		       "below itself");
	assert_success(doca_argp_register_cmd(outer));
	assert_refused(doca_argp_register_cmd(outer), DOCA_ERROR_BAD_STATE, "already");
	rig_fini();
}

static void a_registered_command_takes_nothing_more(void **state)
{
	struct doca_argp_cmd *cmd;

	(void)state;
	rig_init_bare();
	cmd = rig_cmd("run", NULL);
	assert_success(doca_argp_register_cmd(cmd));
	assert_refused(doca_argp_cmd_register_param(cmd, new_param()), DOCA_ERROR_BAD_STATE,
		       "already");
	assert_refused(doca_argp_cmd_register_cmd(cmd, rig_cmd("fast", NULL)), DOCA_ERROR_BAD_STATE,
		       "already");
	rig_fini();
}

/* Registers a param from which one thing is left out. */
static doca_error_t register_without(unsigned int what)
{
	struct doca_argp_param *param;

	assert_success(doca_argp_param_create(&param));
	if (what != 0)
		doca_argp_param_set_short_name(param, "a");
	if (what != 1)
		doca_argp_param_set_description(param, "text");
	if (what != 2)
		doca_argp_param_set_callback(param, on_value);
	if (what != 3)
		doca_argp_param_set_type(param, DOCA_ARGP_TYPE_INT);
	return doca_argp_register_param(param);
}

static void what_is_needed_must_be_set_before_registering(void **state)
{
	static const char *const missing[] = { "a name", "a description", "a callback", "a type" };
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd;

	(void)state;
	rig_init_bare();
	for (unsigned int i = 0; i < 4; i++)
		assert_refused(register_without(i), DOCA_ERROR_INITIALIZATION, missing[i]);
	assert_success(register_without(4));
	param = rig_param("j1", NULL, DOCA_ARGP_TYPE_JSON_OBJ, on_value);
	assert_refused(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION, "from JSON");
	param = rig_param(NULL, "jo", DOCA_ARGP_TYPE_JSON_OBJ, on_value);
	doca_argp_param_set_cli_only(param);
	assert_refused(doca_argp_register_param(param), DOCA_ERROR_INITIALIZATION, "from JSON");
	assert_success(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, "run");
	assert_refused(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION, "description");
	assert_success(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_description(cmd, "text");
	assert_refused(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION, "a name");
	rig_fini();
}

static void the_same_is_needed_below_a_command(void **state)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *cmd, *inner;

	(void)state;
	rig_init_bare();
	cmd = rig_cmd("run", NULL);
	assert_success(doca_argp_param_create(&param));
	assert_refused(doca_argp_cmd_register_param(cmd, param), DOCA_ERROR_INITIALIZATION,
		       "a name");
	assert_success(doca_argp_cmd_create(&inner));
	assert_refused(doca_argp_cmd_register_cmd(cmd, inner), DOCA_ERROR_INITIALIZATION, "a name");
	assert_refused(doca_argp_cmd_register_param(cmd, new_named("h", NULL)),
		       DOCA_ERROR_INVALID_VALUE, "-h is taken");
	assert_success(doca_argp_cmd_register_param(cmd, new_param()));
	assert_refused(doca_argp_cmd_register_param(cmd, new_param()), DOCA_ERROR_INVALID_VALUE,
		       "-a is taken");
	assert_success(doca_argp_cmd_destroy(cmd));
	rig_fini();
}

static void names_are_unique(void **state)
{
	static const struct {
		const char *short_name;
		const char *long_name;
		const char *part;
	} rows[] = {
		{ "a", NULL, "-a is taken" },
		{ "a", "other", "-a is taken" },
		{ "b", "abc", "--abc is taken" },
		{ NULL, "abc", "--abc is taken" },
		{ "h", NULL, "-h is taken" },
		{ "v", NULL, "-v is taken" },
		{ "l", NULL, "-l is taken" },
		{ "j", NULL, "-j is taken" },
		{ NULL, "help", "--help is taken" },
		{ NULL, "version", "--version is taken" },
		{ NULL, "log-level", "--log-level is taken" },
		{ NULL, "sdk-log-level", "--sdk-log-level is taken" },
		{ NULL, "json", "--json is taken" },
	};

	(void)state;
	rig_init_bare();
	assert_success(doca_argp_register_param(new_param()));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(
		    doca_argp_register_param(new_named(rows[i].short_name, rows[i].long_name)),
		    DOCA_ERROR_INVALID_VALUE, rows[i].part);
	assert_success(doca_argp_register_param(new_named("abc", "a")));
	assert_success(doca_argp_register_cmd(rig_cmd("run", NULL)));
	assert_refused(doca_argp_register_cmd(rig_cmd("run", NULL)), DOCA_ERROR_INVALID_VALUE,
		       "run is there");
	rig_fini();
}

static void names_can_be_told_apart_on_a_command_line(void **state)
{
	static const char *const bad[] = { "", "-", "-x", "a b", "a=", "=", "a\n", "\x80" };

	(void)state;
	rig_init_bare();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_refused(doca_argp_register_param(new_named(bad[i], NULL)),
			       DOCA_ERROR_INVALID_VALUE, "no name can be");
		assert_refused(doca_argp_register_param(new_named(NULL, bad[i])),
			       DOCA_ERROR_INVALID_VALUE, "no name can be");
		assert_refused(doca_argp_register_cmd(rig_cmd(bad[i], NULL)),
			       DOCA_ERROR_INVALID_VALUE, "no name can be");
	}
	rig_fini();
}

static void one_logger_callback_can_be_there(void **state)
{
	(void)state;
	rig_init_bare();
	assert_refused(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE, "no logger");
	assert_success(doca_argp_register_logger_callback(on_line));
	assert_refused(doca_argp_register_logger_callback(on_line), DOCA_ERROR_ALREADY_EXIST,
		       "already");
	assert_success(doca_argp_disable_logger_callback());
	assert_refused(doca_argp_disable_logger_callback(), DOCA_ERROR_BAD_STATE, "no logger");
	assert_success(doca_argp_register_logger_callback(on_line));
	rig_fini();
}

static void objects_that_were_not_registered_outlive_the_parser(void **state)
{
	struct doca_argp_param *param, *other;
	struct doca_argp_cmd *cmd, *more;

	(void)state;
	rig_init_bare();
	param = new_param();
	other = new_param();
	cmd = rig_cmd("run", NULL);
	more = rig_cmd("walk", NULL);
	assert_success(doca_argp_cmd_register_param(cmd, new_param()));
	assert_success(doca_argp_cmd_register_cmd(cmd, rig_cmd("fast", NULL)));
	rig_fini();
	NO_INIT_REFUSED(doca_argp_register_param(other)); /* which frees them */
	NO_INIT_REFUSED(doca_argp_register_cmd(more));
	assert_success(doca_argp_param_destroy(param));
	assert_success(doca_argp_cmd_destroy(cmd));
}

static void setting_a_text_again_replaces_it(void **state)
{
	struct doca_argp_param *param;

	(void)state;
	rig_init_bare();
	param = new_param();
	doca_argp_param_set_short_name(param, "b");
	doca_argp_param_set_long_name(param, "bcd");
	assert_success(doca_argp_register_param(param));
	assert_error(rig_start("-a 5"), DOCA_ERROR_INVALID_VALUE);
	assert_success(rig_start("--bcd 5"));
	rig_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_but_init_wants_an_initialised_argp),
		TEST(init_is_refused_twice_and_with_an_empty_name),
		TEST(a_start_wants_the_programs_name),
		TEST(a_type_that_is_none_is_not_set),
		TEST(what_is_registered_can_neither_be_set_nor_destroyed),
		TEST(an_object_is_registered_once),
		TEST(a_registered_command_takes_nothing_more),
		TEST(what_is_needed_must_be_set_before_registering),
		TEST(the_same_is_needed_below_a_command),
		TEST(names_are_unique),
		TEST(names_can_be_told_apart_on_a_command_line),
		TEST(one_logger_callback_can_be_there),
		TEST(objects_that_were_not_registered_outlive_the_parser),
		TEST(setting_a_text_again_replaces_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
