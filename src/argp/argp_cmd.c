/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(ARGP::CMD);

void argp_cmd_init(struct doca_argp_cmd *cmd, struct doca_argp_cmd *parent)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->parent = parent;
	TAILQ_INIT(&cmd->params);
	TAILQ_INIT(&cmd->cmds);
}

void argp_cmd_fini(struct doca_argp_cmd *cmd)
{
	struct doca_argp_param *param;
	struct doca_argp_cmd *below;

	while ((param = TAILQ_FIRST(&cmd->params)) != NULL) {
		TAILQ_REMOVE(&cmd->params, param, link);
		argp_param_free(param);
	}
	while ((below = TAILQ_FIRST(&cmd->cmds)) != NULL) {
		TAILQ_REMOVE(&cmd->cmds, below, link);
		argp_cmd_free(below);
	}
	free(cmd->name);
	free(cmd->description);
}

void argp_cmd_free(struct doca_argp_cmd *cmd)
{
	if (cmd == NULL)
		return;
	argp_cmd_fini(cmd);
	free(cmd);
}

static bool is_named(const char *name, const char *wanted, size_t len)
{
	return name != NULL && strncmp(name, wanted, len) == 0 && name[len] == '\0';
}

static struct doca_argp_param *find_own_param(const struct doca_argp_cmd *cmd, bool is_long,
					      const char *name, size_t len)
{
	struct doca_argp_param *param;

	TAILQ_FOREACH (param, &cmd->params, link) {
		if (is_named(is_long ? param->long_name : param->short_name, name, len))
			return param;
	}
	return NULL;
}

struct doca_argp_param *argp_cmd_find_param(const struct doca_argp_cmd *cmd, bool is_long,
					    const char *name, size_t len)
{
	for (const struct doca_argp_cmd *from = cmd; from != NULL; from = from->parent) {
		struct doca_argp_param *param = find_own_param(from, is_long, name, len);

		if (param != NULL && (from == cmd || param->is_inherited))
			return param;
	}
	return NULL;
}

struct doca_argp_cmd *argp_cmd_find_cmd(const struct doca_argp_cmd *cmd, const char *name)
{
	struct doca_argp_cmd *below;

	TAILQ_FOREACH (below, &cmd->cmds, link) {
		if (strcmp(below->name, name) == 0)
			return below;
	}
	return NULL;
}

/* A name must be distinguishable on the command line: no blanks, no dash in front, no "=". */
static doca_error_t check_name(const char *name)
{
	bool is_good = name[0] != '\0' && name[0] != '-';

	for (const char *at = name; *at != '\0'; at++)
		is_good = is_good && isgraph((unsigned char)*at) && *at != '=';
	if (is_good)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("no name can be \"%s\"", name);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t check_param_name(const struct doca_argp_cmd *cmd,
				     const struct doca_argp_cmd *general, bool is_long,
				     const char *name)
{
	if (name == NULL)
		return DOCA_SUCCESS;
	if (check_name(name) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (find_own_param(cmd, is_long, name, strlen(name)) == NULL &&
	    find_own_param(general, is_long, name, strlen(name)) == NULL)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("the name %s%s is taken", is_long ? "--" : "-", name);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t check_param_whole(const struct doca_argp_param *param)
{
	const struct {
		bool is_missing;
		const char *what;
	} checks[] = {
		{ param->lacks_memory, "the memory for a text" },
		{ argp_param_name(param) == NULL, "a name" },
		{ param->description == NULL, "a description" },
		{ param->callback == NULL, "a callback" },
		{ param->type == NULL, "a type" },
		{ param->type != NULL && param->type->from_text == NULL &&
		      (param->long_name == NULL || param->is_cli_only),
		  "a way in from JSON" },
	};

	for (size_t i = 0; i < CORE_ARRAY_LEN(checks); i++) {
		const char *name = argp_param_name(param);

		if (!checks[i].is_missing)
			continue;
		DOCA_LOG_ERR("param %s is not registered: it lacks %s", name != NULL ? name : "?",
			     checks[i].what);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

doca_error_t argp_cmd_add_param(struct doca_argp_cmd *cmd, const struct doca_argp_cmd *general,
				struct doca_argp_param *param)
{
	doca_error_t result = check_param_whole(param);

	if (result == DOCA_SUCCESS)
		result = check_param_name(cmd, general, false, param->short_name);
	if (result == DOCA_SUCCESS)
		result = check_param_name(cmd, general, true, param->long_name);
	if (result != DOCA_SUCCESS)
		return result;
	param->owner = cmd;
	TAILQ_INSERT_TAIL(&cmd->params, param, link);
	return DOCA_SUCCESS;
}

doca_error_t argp_cmd_add_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *added)
{
	if (added->name == NULL || added->description == NULL || added->lacks_memory) {
		DOCA_LOG_ERR("cmd %s is not registered: it lacks a name or a description",
			     added->name != NULL ? added->name : "?");
		return DOCA_ERROR_INITIALIZATION;
	}
	if (check_name(added->name) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	if (argp_cmd_find_cmd(cmd, added->name) != NULL) {
		DOCA_LOG_ERR("the command %s is there already", added->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	added->parent = cmd;
	TAILQ_INSERT_TAIL(&cmd->cmds, added, link);
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd)
{
	struct doca_argp_cmd *created;

	if (cmd == NULL)
		return core_null_argument(__func__);
	if (!argp_is_live()) {
		DOCA_LOG_ERR("no cmd is created: argp is not initialised");
		return DOCA_ERROR_BAD_STATE;
	}
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	argp_cmd_init(created, NULL);
	*cmd = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd)
{
	if (cmd == NULL)
		return core_null_argument(__func__);
	if (cmd->parent != NULL) {
		DOCA_LOG_ERR("cmd %s stays: it is registered", cmd->name);
		return DOCA_ERROR_BAD_STATE;
	}
	argp_cmd_free(cmd);
	return DOCA_SUCCESS;
}

/* As for the setters of a param. */
static bool check_settable(const struct doca_argp_cmd *cmd, bool is_null, const char *func)
{
	if (cmd == NULL || is_null) {
		(void)core_null_argument(func); /* there is no way to return it */
		return false;
	}
	if (cmd->parent != NULL) {
		DOCA_LOG_ERR("%s: cmd %s is registered and stays as it is", func, cmd->name);
		return false;
	}
	return true;
}

static void set_text(struct doca_argp_cmd *cmd, char **field, const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL) {
		cmd->lacks_memory = true;
		return;
	}
	free(*field);
	*field = copy;
}

void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name)
{
	if (check_settable(cmd, name == NULL, __func__))
		set_text(cmd, &cmd->name, name);
}

void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description)
{
	if (check_settable(cmd, description == NULL, __func__))
		set_text(cmd, &cmd->description, description);
}

void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback)
{
	if (check_settable(cmd, callback == NULL, __func__))
		cmd->callback = callback;
}

void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd)
{
	if (check_settable(cmd, false, __func__))
		cmd->is_hidden = true;
}
