/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, commands and the parser refuse each NULL that they cannot do with. */
#include "argp_rig.h"
#include "null_arguments.h"

static doca_error_t on_value(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	return DOCA_SUCCESS;
}

static struct doca_argp_param *new_param(void)
{
	return rig_param("a", "abc", DOCA_ARGP_TYPE_INT, on_value);
}

static int group_setup(void **state)
{
	(void)state;
	rig_init_bare();
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	rig_fini();
	return 0;
}

static void the_parser_refuses_NULL(void **state)
{
	char *argv[] = { NULL, NULL };

	(void)state;
	REFUSES(doca_argp_start, 1, NULL);
	REFUSES(doca_argp_start, 1, argv);
	REFUSES(doca_argp_register_param, NULL);
	REFUSES(doca_argp_register_cmd, NULL);
	REFUSES(doca_argp_register_version_callback, NULL);
	REFUSES(doca_argp_register_validation_callback, NULL);
	REFUSES(doca_argp_register_logger_callback, NULL);
	REFUSES(doca_argp_get_log_level, NULL);
	REFUSES(doca_argp_get_sdk_log_level, NULL);
	DOES_NOTHING(doca_argp_set_dpdk_program, NULL);
}

static void parameters_refuse_NULL(void **state)
{
	struct doca_argp_param *param = new_param();

	(void)state;
	REFUSES(doca_argp_param_create, NULL);
	REFUSES(doca_argp_param_destroy, NULL);
	DOES_NOTHING(doca_argp_param_set_short_name, NULL, "a");
	DOES_NOTHING(doca_argp_param_set_short_name, param, NULL);
	DOES_NOTHING(doca_argp_param_set_long_name, NULL, "abc");
	DOES_NOTHING(doca_argp_param_set_long_name, param, NULL);
	DOES_NOTHING(doca_argp_param_set_arguments, NULL, "<x>");
	DOES_NOTHING(doca_argp_param_set_arguments, param, NULL);
	DOES_NOTHING(doca_argp_param_set_description, NULL, "text");
	DOES_NOTHING(doca_argp_param_set_description, param, NULL);
	DOES_NOTHING(doca_argp_param_set_callback, NULL, on_value);
	DOES_NOTHING(doca_argp_param_set_callback, param, NULL);
	DOES_NOTHING(doca_argp_param_set_type, NULL, DOCA_ARGP_TYPE_INT);
	DOES_NOTHING(doca_argp_param_set_mandatory, NULL);
	DOES_NOTHING(doca_argp_param_set_cli_only, NULL);
	DOES_NOTHING(doca_argp_param_set_multiplicity, NULL);
	DOES_NOTHING(doca_argp_param_set_singular, NULL);
	DOES_NOTHING(doca_argp_param_set_inherited, NULL);
	DOES_NOTHING(doca_argp_param_set_hidden, NULL);
	/* It is as good as before. */
	assert_success(doca_argp_register_param(param));
}

static doca_error_t on_call(void *opaque)
{
	(void)opaque;
	return DOCA_SUCCESS;
}

static void commands_refuse_NULL(void **state)
{
	struct doca_argp_cmd *cmd = rig_cmd("run", on_call);

	(void)state;
	REFUSES(doca_argp_cmd_create, NULL);
	REFUSES(doca_argp_cmd_destroy, NULL);
	DOES_NOTHING(doca_argp_cmd_set_name, NULL, "run");
	DOES_NOTHING(doca_argp_cmd_set_name, cmd, NULL);
	DOES_NOTHING(doca_argp_cmd_set_description, NULL, "text");
	DOES_NOTHING(doca_argp_cmd_set_description, cmd, NULL);
	DOES_NOTHING(doca_argp_cmd_set_callback, NULL, on_call);
	DOES_NOTHING(doca_argp_cmd_set_callback, cmd, NULL);
	DOES_NOTHING(doca_argp_cmd_set_hidden, NULL);
	REFUSES(doca_argp_cmd_register_param, cmd, NULL);
	REFUSES(doca_argp_cmd_register_cmd, cmd, NULL);
	/* What is registered is taken, also by these. */
	REFUSES(doca_argp_cmd_register_param, NULL, new_param());
	REFUSES(doca_argp_cmd_register_cmd, NULL, rig_cmd("walk", on_call));
	assert_success(doca_argp_register_cmd(cmd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_parser_refuses_NULL),
		TEST(parameters_refuse_NULL),
		TEST(commands_refuse_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
