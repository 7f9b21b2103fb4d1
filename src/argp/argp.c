/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(ARGP);

/* The interface has no handle: there is one parser a process. */
static struct argp parser;

bool argp_is_live(void)
{
	return parser.is_live && !parser.is_ending;
}

static doca_error_t check_live(const char *func)
{
	if (argp_is_live())
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: argp is not initialised", func);
	return DOCA_ERROR_BAD_STATE;
}

/* The check of a call that takes a callback. */
static doca_error_t check_callback(bool is_null, const char *func)
{
	return is_null ? core_null_argument(func) : check_live(func);
}

static void dpdk_drop(struct argp *argp)
{
	free(argp->dpdk_argv);
	free(argp->dpdk_text);
	argp->dpdk_argv = NULL;
	argp->dpdk_text = NULL;
}

static void start_drop(struct argp *argp)
{
	argp_given_drop(argp);
	free(argp->json_path);
	argp->json_path = NULL;
}

void argp_fini(struct argp *argp)
{
	struct argp_validation *validation;

	start_drop(argp);
	dpdk_drop(argp);
	while ((validation = STAILQ_FIRST(&argp->validations)) != NULL) {
		STAILQ_REMOVE_HEAD(&argp->validations, link);
		free(validation);
	}
	argp_cmd_fini(&argp->program);
	argp_cmd_fini(&argp->general);
	free(argp->program_name);
	free(argp->argv_name);
	memset(argp, 0, sizeof(*argp));
}

doca_error_t doca_argp_init(const char *program_name, void *program_config)
{
	doca_error_t result;

	if (program_name != NULL && program_name[0] == '\0') {
		DOCA_LOG_ERR("argp is not initialised: the program's name is empty");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (parser.is_live) {
		DOCA_LOG_ERR("argp is initialised already");
		return DOCA_ERROR_BAD_STATE;
	}
	argp_cmd_init(&parser.general, NULL);
	argp_cmd_init(&parser.program, &parser.general);
	parser.cmd = &parser.program;
	for (size_t i = 0; i < ARGP_NUM_SOURCES; i++)
		STAILQ_INIT(&parser.given[i]);
	STAILQ_INIT(&parser.validations);
	parser.program_config = program_config;
	result = argp_general_add(&parser);
	if (result == DOCA_SUCCESS && program_name != NULL) {
		parser.program_name = strdup(program_name);
		if (parser.program_name == NULL)
			result = DOCA_ERROR_NO_MEMORY;
	}
	if (result != DOCA_SUCCESS) {
		argp_fini(&parser);
		return result;
	}
	parser.is_live = true;
	return DOCA_SUCCESS;
}

/* Callbacks may call this; what they were given must outlive them. */
doca_error_t doca_argp_destroy(void)
{
	doca_error_t result = check_live(__func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (parser.is_starting)
		parser.is_ending = true;
	else
		argp_fini(&parser);
	return DOCA_SUCCESS;
}

static doca_error_t check_unregistered(bool is_registered, const char *what)
{
	if (!is_registered)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("the %s is registered already", what);
	return DOCA_ERROR_BAD_STATE;
}

/* Whatever happens, the caller has no param any more. */
static doca_error_t param_take(struct doca_argp_cmd *cmd, struct doca_argp_param *param,
			       doca_error_t result)
{
	if (param->owner != NULL)
		return check_unregistered(true, "param");
	if (result == DOCA_SUCCESS)
		result = argp_cmd_add_param(cmd, &parser.general, param);
	if (result != DOCA_SUCCESS)
		argp_param_free(param);
	return result;
}

static doca_error_t cmd_take(struct doca_argp_cmd *cmd, struct doca_argp_cmd *added,
			     doca_error_t result)
{
	if (added->parent != NULL)
		return check_unregistered(true, "cmd");
	if (result == DOCA_SUCCESS)
		result = argp_cmd_add_cmd(cmd, added);
	if (result != DOCA_SUCCESS)
		argp_cmd_free(added);
	return result;
}

doca_error_t doca_argp_register_param(struct doca_argp_param *input_param)
{
	if (input_param == NULL)
		return core_null_argument(__func__);
	return param_take(&parser.program, input_param, check_live(__func__));
}

doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd)
{
	if (input_cmd == NULL)
		return core_null_argument(__func__);
	return cmd_take(&parser.program, input_cmd, check_live(__func__));
}

/* A command that is registered is no longer the caller's to build. */
static doca_error_t check_buildable(const struct doca_argp_cmd *cmd, const char *func)
{
	if (cmd == NULL)
		return core_null_argument(func);
	return check_unregistered(cmd->parent != NULL, "cmd");
}

doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param)
{
	if (input_param == NULL)
		return core_null_argument(__func__);
	return param_take(cmd, input_param, check_buildable(cmd, __func__));
}

doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd)
{
	if (input_cmd == NULL)
		return core_null_argument(__func__);
	if (input_cmd == cmd) {
		DOCA_LOG_ERR("a cmd cannot be below itself");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return cmd_take(cmd, input_cmd, check_buildable(cmd, __func__));
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback)
{
	doca_error_t result = check_callback(callback == NULL, __func__);

	if (result == DOCA_SUCCESS)
		parser.version_cb = callback;
	return result;
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback)
{
	doca_error_t result = check_callback(callback == NULL, __func__);
	struct argp_validation *validation;

	if (result != DOCA_SUCCESS)
		return result;
	validation = calloc(1, sizeof(*validation));
	if (validation == NULL)
		return DOCA_ERROR_NO_MEMORY;
	validation->callback = callback;
	STAILQ_INSERT_TAIL(&parser.validations, validation, link);
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
	doca_error_t result = check_callback(callback == NULL, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (parser.logger_cb != NULL) {
		DOCA_LOG_ERR("argp has a logger callback already");
		return DOCA_ERROR_ALREADY_EXIST;
	}
	parser.logger_cb = callback;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
	doca_error_t result = check_live(__func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (parser.logger_cb == NULL) {
		DOCA_LOG_ERR("argp has no logger callback");
		return DOCA_ERROR_BAD_STATE;
	}
	parser.logger_cb = NULL;
	return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
	/* There is no way to return an error. */
	if (check_callback(callback == NULL, __func__) == DOCA_SUCCESS)
		parser.dpdk_cb = callback;
}

void doca_argp_usage(void)
{
	if (check_live(__func__) == DOCA_SUCCESS)
		argp_usage_print(&parser, stdout);
}

doca_error_t doca_argp_get_log_level(int *log_level)
{
	if (log_level == NULL)
		return core_null_argument(__func__);
	*log_level = parser.log_level;
	if (*log_level == 0)
		*log_level = (int)doca_log_level_get_global_lower_limit();
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int *log_level)
{
	if (log_level == NULL)
		return core_null_argument(__func__);
	*log_level = parser.sdk_log_level;
	if (*log_level == 0)
		*log_level = (int)doca_log_level_get_global_sdk_limit();
	return DOCA_SUCCESS;
}

static doca_error_t check_startable(int argc, char **argv)
{
	doca_error_t result;

	if (argv == NULL)
		return core_null_argument("doca_argp_start");
	for (int i = 0; i < argc; i++) {
		if (argv[i] == NULL)
			return core_null_argument("doca_argp_start");
	}
	if (argc < 1) {
		DOCA_LOG_ERR("argc is %d: the program's name comes first", argc);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = check_live("doca_argp_start");
	if (result == DOCA_SUCCESS && parser.is_starting) {
		DOCA_LOG_ERR("a callback of doca_argp_start called it again");
		return DOCA_ERROR_BAD_STATE;
	}
	return result;
}

static doca_error_t start_begin(struct argp *argp, const char *argv_name)
{
	char *copy = strdup(argv_name);

	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	free(argp->argv_name);
	argp->argv_name = copy;
	argp->cmd = &argp->program;
	argp->log_level = 0;
	argp->sdk_log_level = 0;
	dpdk_drop(argp);
	return DOCA_SUCCESS;
}

static doca_error_t start_run(struct argp *argp, int argc, char **argv)
{
	doca_error_t result = start_begin(argp, argv[0]);

	if (result == DOCA_SUCCESS)
		result = argp_parse(argp, argc, argv);
	if (result == DOCA_SUCCESS && argp->json_path != NULL)
		result = argp_json_read(argp);
	if (result == DOCA_SUCCESS)
		result = argp_given_check(argp);
	if (result == DOCA_SUCCESS)
		result = argp_given_deliver(argp);
	return result;
}

doca_error_t doca_argp_start(int argc, char **argv)
{
	doca_error_t result = check_startable(argc, argv);

	if (result != DOCA_SUCCESS)
		return result;
	parser.is_starting = true;
	result = start_run(&parser, argc, argv);
	parser.is_starting = false;
	/* With these the fault is in what the user wrote. */
	if (result == DOCA_ERROR_INVALID_VALUE || result == DOCA_ERROR_IO_FAILED)
		argp_usage_print(&parser, stderr);
	start_drop(&parser);
	if (parser.is_ending)
		argp_fini(&parser);
	return result;
}
