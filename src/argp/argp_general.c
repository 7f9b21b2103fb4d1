/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/export.h"

#define LEVELS "10=DISABLE, 20=CRITICAL, 30=ERROR, 40=WARNING, 50=INFO, 60=DEBUG, 70=TRACE"

/* The user asked to be told something and no more: the end of the process, in good order. */
static void leave(struct argp *argp)
{
	(void)fflush(stdout); /* a reader who is gone is no error of the program */
	argp_fini(argp);
	exit(EXIT_SUCCESS);
}

static doca_error_t on_help(void *value, void *config)
{
	struct argp *argp = config;

	(void)value;
	argp_usage_print(argp, stdout);
	leave(argp);
	return DOCA_SUCCESS;
}

static doca_error_t on_version(void *value, void *config)
{
	struct argp *argp = config;

	if (argp->version_cb != NULL)
		return argp->version_cb(value, argp->program_config);
	argp_version_print(argp, stdout);
	leave(argp);
	return DOCA_SUCCESS;
}

static doca_error_t on_log_level(void *value, void *config)
{
	struct argp *argp = config;

	argp->log_level = *(const int *)value;
	return doca_log_level_set_global_lower_limit((uint32_t)argp->log_level);
}

static doca_error_t on_sdk_log_level(void *value, void *config)
{
	struct argp *argp = config;

	argp->sdk_log_level = *(const int *)value;
	return doca_log_level_set_global_sdk_limit((uint32_t)argp->sdk_log_level);
}

/* The file is read when the whole command line has been. */
static doca_error_t on_json(void *value, void *config)
{
	struct argp *argp = config;

	argp->json_path = strdup(value);
	return argp->json_path != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

struct general_flag {
	const char *short_name; /* NULL: none */
	const char *long_name;
	const char *arguments; /* NULL: those of the type */
	const char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type; /* UNKNOWN: a log level */
	bool is_immediate;        /* and not for JSON */
};

static const struct general_flag flags[] = {
	{ "h", "help", NULL, "Print this and exit", on_help, DOCA_ARGP_TYPE_BOOLEAN, true },
	{ "v", "version", NULL, "Print the version and exit", on_version, DOCA_ARGP_TYPE_BOOLEAN,
	  true },
	{ "l", "log-level", NULL, "Log lines of the program: up to this level <" LEVELS ">",
	  on_log_level, DOCA_ARGP_TYPE_UNKNOWN, false },
	{ NULL, "sdk-log-level", NULL, "Log lines of the libraries: up to this level <" LEVELS ">",
	  on_sdk_log_level, DOCA_ARGP_TYPE_UNKNOWN, false },
	{ "j", "json", "<path>",
	  "Read parameters from a JSON file; those of the command line take precedence", on_json,
	  DOCA_ARGP_TYPE_STRING, true },
};

static doca_error_t add_flag(struct argp *argp, const struct general_flag *flag)
{
	struct doca_argp_param *param = calloc(1, sizeof(*param));
	doca_error_t result;

	if (param == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (flag->short_name != NULL)
		doca_argp_param_set_short_name(param, flag->short_name);
	if (flag->arguments != NULL)
		doca_argp_param_set_arguments(param, flag->arguments);
	doca_argp_param_set_long_name(param, flag->long_name);
	doca_argp_param_set_description(param, flag->description);
	param->callback = flag->callback;
	param->type = argp_type_find(flag->type);
	if (param->type == NULL)
		param->type = &argp_type_level;
	param->is_inherited = true;
	param->is_immediate = flag->is_immediate;
	param->is_cli_only = flag->is_immediate;
	result = argp_cmd_add_param(&argp->general, &argp->general, param);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	argp_param_free(param);
	return DOCA_ERROR_NO_MEMORY; /* nothing else can be wrong with the table */
}

doca_error_t argp_general_add(struct argp *argp)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < CORE_ARRAY_LEN(flags) && result == DOCA_SUCCESS; i++)
		result = add_flag(argp, &flags[i]);
	return result;
}
