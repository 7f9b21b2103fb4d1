/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <stdlib.h>

doca_error_t argp_given_add(struct argp *argp, struct doca_argp_param *param,
			    enum argp_source source, struct argp_value *value)
{
	struct argp_given *given = calloc(1, sizeof(*given));

	if (given == NULL) {
		free(value->text);
		return DOCA_ERROR_NO_MEMORY;
	}
	given->param = param;
	given->value = *value;
	param->num_given[source]++;
	STAILQ_INSERT_TAIL(&argp->given[source], given, link);
	return DOCA_SUCCESS;
}

/* All parameters of a tree of commands start anew: the next start may take another path. */
static void drop_counts(struct doca_argp_cmd *cmd)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *below;

	TAILQ_FOREACH (param, &cmd->params, link) {
		param->num_given[ARGP_FROM_CLI] = 0;
		param->num_given[ARGP_FROM_JSON] = 0;
	}
	TAILQ_FOREACH (below, &cmd->cmds, link)
		drop_counts(below);
}

static void drop_source(struct argp *argp, enum argp_source source)
{
	struct argp_given *given;

	while ((given = STAILQ_FIRST(&argp->given[source])) != NULL) {
		STAILQ_REMOVE_HEAD(&argp->given[source], link);
		free(given->value.text);
		free(given);
	}
}

void argp_given_drop(struct argp *argp)
{
	drop_source(argp, ARGP_FROM_JSON);
	drop_source(argp, ARGP_FROM_CLI);
	drop_counts(&argp->general);
	drop_counts(&argp->program);
}

/* The parameter that must be alone, among those of the program and of its commands. */
static const struct doca_argp_param *find_singular(const struct argp *argp)
{
	for (const struct doca_argp_cmd *cmd = argp->cmd; cmd != &argp->general;
	     cmd = cmd->parent) {
		const struct doca_argp_param *param;

		TAILQ_FOREACH (param, &cmd->params, link) {
			if (param->is_singular && argp_param_is_given(param))
				return param;
		}
	}
	return NULL;
}

/*
 * Looks at one parameter. Who asks for a singular one asks for nothing else, so nothing else is
 * mandatory then.
 */
static doca_error_t check_param(const struct argp *argp, const struct doca_argp_param *param,
				const struct doca_argp_param *singular)
{
	bool is_given = argp_param_is_given(param);

	if (singular != NULL && singular != param && is_given)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s%s cannot be given together with %s%s",
				 argp_param_dashes(param), argp_param_name(param),
				 argp_param_dashes(singular), argp_param_name(singular));
	if (singular == NULL && param->is_mandatory && !is_given)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s%s is missing",
				 argp_param_dashes(param), argp_param_name(param));
	return DOCA_SUCCESS;
}

doca_error_t argp_given_check(struct argp *argp)
{
	const struct doca_argp_param *singular = find_singular(argp);
	doca_error_t result = DOCA_SUCCESS;

	for (const struct doca_argp_cmd *cmd = argp->cmd;
	     cmd != &argp->general && result == DOCA_SUCCESS; cmd = cmd->parent) {
		const struct doca_argp_param *param;

		TAILQ_FOREACH (param, &cmd->params, link) {
			result = check_param(argp, param, singular);
			if (result != DOCA_SUCCESS)
				break;
		}
	}
	return result;
}

/* After a callback: did it destroy the parser that goes on here? */
static doca_error_t check_alive(const struct argp *argp, doca_error_t result)
{
	if (result != DOCA_SUCCESS || !argp->is_ending)
		return result;
	return argp_fail(argp, DOCA_ERROR_BAD_STATE, "a callback ended the reading of parameters");
}

doca_error_t argp_given_call(struct argp *argp, const struct doca_argp_param *param,
			     struct argp_value *value)
{
	bool is_general = param->owner == &argp->general;
	doca_error_t result;

	result = param->callback(param->type->is_text ? (void *)value->text : &value->number,
				 is_general ? argp : argp->program_config);
	if (result != DOCA_SUCCESS)
		return argp_fail(argp, result, "%s%s: %s", argp_param_dashes(param),
				 argp_param_name(param), doca_error_get_descr(result));
	return check_alive(argp, result);
}

static doca_error_t deliver_source(struct argp *argp, enum argp_source source)
{
	doca_error_t result = DOCA_SUCCESS;
	struct argp_given *given;

	STAILQ_FOREACH (given, &argp->given[source], link) {
		bool is_overridden =
		    source == ARGP_FROM_JSON && given->param->num_given[ARGP_FROM_CLI] > 0;

		if (is_overridden)
			continue;
		result = argp_given_call(argp, given->param, &given->value);
		if (result != DOCA_SUCCESS)
			break;
	}
	return result;
}

/* The outer command first. */
static doca_error_t deliver_cmds(struct argp *argp, const struct doca_argp_cmd *cmd)
{
	doca_error_t result;

	if (cmd == &argp->program)
		return DOCA_SUCCESS;
	result = deliver_cmds(argp, cmd->parent);
	if (result != DOCA_SUCCESS || cmd->callback == NULL)
		return result;
	result = cmd->callback(argp->program_config);
	if (result != DOCA_SUCCESS)
		return argp_fail(argp, result, "%s: %s", cmd->name, doca_error_get_descr(result));
	return check_alive(argp, result);
}

static doca_error_t deliver_validations(struct argp *argp)
{
	const struct argp_validation *validation;
	doca_error_t result = DOCA_SUCCESS;

	STAILQ_FOREACH (validation, &argp->validations, link) {
		result = validation->callback(argp->program_config);
		if (result != DOCA_SUCCESS)
			return argp_fail(argp, result, "the parameters do not go together: %s",
					 doca_error_get_descr(result));
		result = check_alive(argp, result);
		if (result != DOCA_SUCCESS)
			break;
	}
	return result;
}

static doca_error_t deliver_dpdk(struct argp *argp)
{
	doca_error_t result;

	if (argp->dpdk_cb == NULL || argp->dpdk_argv == NULL)
		return DOCA_SUCCESS;
	result = argp->dpdk_cb(argp->dpdk_argc, argp->dpdk_argv);
	if (result != DOCA_SUCCESS)
		return argp_fail(argp, result, "the parameters of DPDK: %s",
				 doca_error_get_descr(result));
	return check_alive(argp, result);
}

doca_error_t argp_given_deliver(struct argp *argp)
{
	doca_error_t result = deliver_source(argp, ARGP_FROM_JSON);

	if (result == DOCA_SUCCESS)
		result = deliver_source(argp, ARGP_FROM_CLI);
	if (result == DOCA_SUCCESS)
		result = deliver_cmds(argp, argp->cmd);
	if (result == DOCA_SUCCESS)
		result = deliver_validations(argp);
	if (result == DOCA_SUCCESS)
		result = deliver_dpdk(argp);
	return result;
}
