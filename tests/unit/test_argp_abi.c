/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program compiled against DOCA takes for granted of doca_argp.h, copied from the API table
 * and not from the header. What can be said of types holds when it compiles.
 */
#include <doca_argp.h>

#include "test.h"

#define HAS_TYPE(function, result, ...)                                                   \
	_Static_assert(                                                                   \
	    __builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)), \
	    #function)
#define CAN_FAIL(function, ...) HAS_TYPE(function, doca_error_t, __VA_ARGS__)
#define IS_CALLBACK(name, ...) \
	_Static_assert(__builtin_types_compatible_p(name, doca_error_t(*)(__VA_ARGS__)), #name)

IS_CALLBACK(doca_argp_param_cb_t, void *, void *);
IS_CALLBACK(doca_argp_cmd_cb_t, void *);
IS_CALLBACK(doca_argp_dpdk_cb_t, int, char **);
IS_CALLBACK(doca_argp_validation_cb_t, void *);
IS_CALLBACK(doca_argp_logger_cb_t, enum doca_log_level, const char *, va_list);

HAS_TYPE(doca_argp_usage, void, void);
CAN_FAIL(doca_argp_init, const char *, void *);
CAN_FAIL(doca_argp_register_param, struct doca_argp_param *);
CAN_FAIL(doca_argp_register_cmd, struct doca_argp_cmd *);
CAN_FAIL(doca_argp_register_version_callback, doca_argp_param_cb_t);
CAN_FAIL(doca_argp_register_validation_callback, doca_argp_validation_cb_t);
CAN_FAIL(doca_argp_register_logger_callback, doca_argp_logger_cb_t);
CAN_FAIL(doca_argp_disable_logger_callback, void);
CAN_FAIL(doca_argp_start, int, char **);
CAN_FAIL(doca_argp_destroy, void);
HAS_TYPE(doca_argp_set_dpdk_program, void, doca_argp_dpdk_cb_t);
CAN_FAIL(doca_argp_param_create, struct doca_argp_param **);
HAS_TYPE(doca_argp_param_set_short_name, void, struct doca_argp_param *, const char *);
HAS_TYPE(doca_argp_param_set_long_name, void, struct doca_argp_param *, const char *);
HAS_TYPE(doca_argp_param_set_arguments, void, struct doca_argp_param *, const char *);
HAS_TYPE(doca_argp_param_set_description, void, struct doca_argp_param *, const char *);
HAS_TYPE(doca_argp_param_set_callback, void, struct doca_argp_param *, doca_argp_param_cb_t);
HAS_TYPE(doca_argp_param_set_type, void, struct doca_argp_param *, enum doca_argp_type);
HAS_TYPE(doca_argp_param_set_mandatory, void, struct doca_argp_param *);
HAS_TYPE(doca_argp_param_set_cli_only, void, struct doca_argp_param *);
HAS_TYPE(doca_argp_param_set_multiplicity, void, struct doca_argp_param *);
HAS_TYPE(doca_argp_param_set_singular, void, struct doca_argp_param *);
HAS_TYPE(doca_argp_param_set_inherited, void, struct doca_argp_param *);
HAS_TYPE(doca_argp_param_set_hidden, void, struct doca_argp_param *);
CAN_FAIL(doca_argp_param_destroy, struct doca_argp_param *);
CAN_FAIL(doca_argp_cmd_create, struct doca_argp_cmd **);
HAS_TYPE(doca_argp_cmd_set_name, void, struct doca_argp_cmd *, const char *);
HAS_TYPE(doca_argp_cmd_set_description, void, struct doca_argp_cmd *, const char *);
HAS_TYPE(doca_argp_cmd_set_callback, void, struct doca_argp_cmd *, doca_argp_cmd_cb_t);
HAS_TYPE(doca_argp_cmd_set_hidden, void, struct doca_argp_cmd *);
CAN_FAIL(doca_argp_cmd_register_param, struct doca_argp_cmd *, struct doca_argp_param *);
CAN_FAIL(doca_argp_cmd_register_cmd, struct doca_argp_cmd *, struct doca_argp_cmd *);
CAN_FAIL(doca_argp_cmd_destroy, struct doca_argp_cmd *);
CAN_FAIL(doca_argp_get_log_level, int *);
CAN_FAIL(doca_argp_get_sdk_log_level, int *);

static void types_have_their_numbers(void **state)
{
	(void)state;
	assert_int_equal(DOCA_ARGP_TYPE_UNKNOWN, 0);
	assert_int_equal(DOCA_ARGP_TYPE_STRING, 1);
	assert_int_equal(DOCA_ARGP_TYPE_INT, 2);
	assert_int_equal(DOCA_ARGP_TYPE_BOOLEAN, 3);
	assert_int_equal(DOCA_ARGP_TYPE_JSON_OBJ, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(types_have_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
