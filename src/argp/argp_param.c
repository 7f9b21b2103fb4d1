/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(ARGP::PARAM);

doca_error_t doca_argp_param_create(struct doca_argp_param **param)
{
	struct doca_argp_param *created;

	if (param == NULL)
		return core_null_argument(__func__);
	if (!argp_is_live()) {
		DOCA_LOG_ERR("no param is created: argp is not initialised");
		return DOCA_ERROR_BAD_STATE;
	}
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*param = created;
	return DOCA_SUCCESS;
}

void argp_param_free(struct doca_argp_param *param)
{
	if (param == NULL)
		return;
	free(param->short_name);
	free(param->long_name);
	free(param->arguments);
	free(param->description);
	free(param);
}

doca_error_t doca_argp_param_destroy(struct doca_argp_param *param)
{
	if (param == NULL)
		return core_null_argument(__func__);
	if (param->owner != NULL) {
		DOCA_LOG_ERR("param %s stays: it is registered", argp_param_name(param));
		return DOCA_ERROR_BAD_STATE;
	}
	argp_param_free(param);
	return DOCA_SUCCESS;
}

/* The setters return nothing: what they cannot do is told to the log alone. */
static bool check_settable(const struct doca_argp_param *param, bool is_null, const char *func)
{
	if (param == NULL || is_null) {
		(void)core_null_argument(func); /* there is no way to return it */
		return false;
	}
	if (param->owner != NULL) {
		DOCA_LOG_ERR("%s: param %s is registered and stays as it is", func,
			     argp_param_name(param));
		return false;
	}
	return true;
}

static void set_text(struct doca_argp_param *param, char **field, const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL) {
		param->lacks_memory = true;
		return;
	}
	free(*field);
	*field = copy;
}

void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name)
{
	if (check_settable(param, name == NULL, __func__))
		set_text(param, &param->short_name, name);
}

void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name)
{
	if (check_settable(param, name == NULL, __func__))
		set_text(param, &param->long_name, name);
}

void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments)
{
	if (check_settable(param, arguments == NULL, __func__))
		set_text(param, &param->arguments, arguments);
}

void doca_argp_param_set_description(struct doca_argp_param *param, const char *description)
{
	if (check_settable(param, description == NULL, __func__))
		set_text(param, &param->description, description);
}

void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback)
{
	if (check_settable(param, callback == NULL, __func__))
		param->callback = callback;
}

void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type)
{
	const struct argp_type *found = argp_type_find(type);

	if (!check_settable(param, false, __func__))
		return;
	if (found == NULL) {
		DOCA_LOG_ERR("%s: %d is no type", __func__, (int)type);
		return;
	}
	param->type = found;
}

void doca_argp_param_set_mandatory(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_mandatory = true;
}

void doca_argp_param_set_cli_only(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_cli_only = true;
}

void doca_argp_param_set_multiplicity(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_multiple = true;
}

void doca_argp_param_set_singular(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_singular = true;
}

void doca_argp_param_set_inherited(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_inherited = true;
}

void doca_argp_param_set_hidden(struct doca_argp_param *param)
{
	if (check_settable(param, false, __func__))
		param->is_hidden = true;
}
