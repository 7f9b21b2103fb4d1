/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON file: one object, whose keys are long names. Either it holds the parameters themselves,
 * or a section for those of argp and one for those of the program. Files of DOCA programs explain
 * their keys in comments from "//" to the end of a line, so these are allowed.
 */
#include "argp/argp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "core/export.h"
#include "core/file.h"

#define SECTION_GENERAL "doca_general_flags"
#define SECTION_PROGRAM "doca_program_flags"

/* The commands from which on, and up to which, a key is looked for. */
struct argp_scope {
	const struct doca_argp_cmd *first;
	const struct doca_argp_cmd *end; /* not searched itself; NULL: the topmost is */
};

/* Which may be a pipe: of a shell, or of whoever makes the file just now. text: owned, free(). */
static doca_error_t read_file(struct argp *argp, char **text, size_t *len)
{
	int fd = open(argp->json_path, O_RDONLY | O_CLOEXEC);
	doca_error_t result = DOCA_ERROR_IO_FAILED;
	int err;

	if (fd >= 0)
		result = core_file_read(fd, ARGP_JSON_MAX_BYTES, text, len);
	err = errno;
	if (fd >= 0)
		close(fd);
	switch (result) {
	case DOCA_SUCCESS:
	case DOCA_ERROR_NO_MEMORY:
		return result;
	case DOCA_ERROR_TOO_BIG:
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s is larger than %zu bytes",
				 argp->json_path, ARGP_JSON_MAX_BYTES);
	default:
		return argp_fail(argp, DOCA_ERROR_IO_FAILED, "%s cannot be read: %s",
				 argp->json_path, strerror(err));
	}
}

/* Blanks take the place of comments, so that lines and columns stay what they are. */
static void blank_comments(char *text, size_t len)
{
	bool is_string = false;

	for (size_t i = 0; i + 1 < len; i++) {
		if (is_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			is_string = !is_string;
		else if (!is_string && text[i] == '/' && text[i + 1] == '/')
			for (; i < len && text[i] != '\n'; i++)
				text[i] = ' ';
	}
}

static struct doca_argp_param *find_param(const struct argp_scope *scope, const char *key)
{
	for (const struct doca_argp_cmd *cmd = scope->first; cmd != scope->end; cmd = cmd->parent) {
		struct doca_argp_param *param;

		TAILQ_FOREACH (param, &cmd->params, link) {
			if (!param->is_cli_only && param->long_name != NULL &&
			    strcmp(param->long_name, key) == 0)
				return param;
		}
	}
	return NULL;
}

static doca_error_t take_value(struct argp *argp, struct doca_argp_param *param, const json_t *json)
{
	struct argp_value value = { 0 };
	doca_error_t result = param->type->from_json(json, &value);

	if (result == DOCA_ERROR_INVALID_VALUE)
		return argp_fail(argp, result, "%s: the value of \"%s\" is not %s", argp->json_path,
				 param->long_name, param->type->what);
	if (result != DOCA_SUCCESS)
		return result;
	return argp_given_add(argp, param, ARGP_FROM_JSON, &value);
}

static doca_error_t take_array(struct argp *argp, struct doca_argp_param *param, json_t *array)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!json_is_array(array))
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 "%s: the value of \"%s\" is not an array", argp->json_path,
				 param->long_name);
	for (size_t i = 0; i < json_array_size(array) && result == DOCA_SUCCESS; i++)
		result = take_value(argp, param, json_array_get(array, i));
	return result;
}

static doca_error_t take_object(struct argp *argp, const struct argp_scope *scope, json_t *object)
{
	doca_error_t result = DOCA_SUCCESS;

	for (void *at = json_object_iter(object); at != NULL && result == DOCA_SUCCESS;
	     at = json_object_iter_next(object, at)) {
		const char *key = json_object_iter_key(at);
		struct doca_argp_param *param = find_param(scope, key);

		if (param == NULL)
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s: unknown key \"%s\"",
					 argp->json_path, key);
		if (param->is_multiple)
			result = take_array(argp, param, json_object_iter_value(at));
		else
			result = take_value(argp, param, json_object_iter_value(at));
	}
	return result;
}

static doca_error_t take_section(struct argp *argp, const char *key, json_t *object)
{
	const struct {
		const char *key;
		struct argp_scope scope;
	} sections[] = {
		{ SECTION_GENERAL, { &argp->general, NULL } },
		{ SECTION_PROGRAM, { argp->cmd, &argp->general } },
	};

	for (size_t i = 0; i < CORE_ARRAY_LEN(sections); i++) {
		if (strcmp(sections[i].key, key) != 0)
			continue;
		if (!json_is_object(object))
			return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
					 "%s: the value of \"%s\" is not an object",
					 argp->json_path, key);
		return take_object(argp, &sections[i].scope, object);
	}
	return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s: unknown key \"%s\" beside sections",
			 argp->json_path, key);
}

static doca_error_t take_root(struct argp *argp, json_t *root)
{
	const struct argp_scope everything = { argp->cmd, NULL };
	doca_error_t result = DOCA_SUCCESS;

	if (!json_is_object(root))
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s holds no object",
				 argp->json_path);
	if (json_object_get(root, SECTION_GENERAL) == NULL &&
	    json_object_get(root, SECTION_PROGRAM) == NULL)
		return take_object(argp, &everything, root);
	for (void *at = json_object_iter(root); at != NULL && result == DOCA_SUCCESS;
	     at = json_object_iter_next(root, at))
		result = take_section(argp, json_object_iter_key(at), json_object_iter_value(at));
	return result;
}

static doca_error_t parse_text(struct argp *argp, char *text, size_t len)
{
	json_error_t error;
	doca_error_t result;
	json_t *root;

	blank_comments(text, len);
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	/* It is lost for words only when it is out of memory. */
	if (root == NULL && error.text[0] == '\0')
		return DOCA_ERROR_NO_MEMORY;
	if (root == NULL)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "%s, line %d, column %d: %s",
				 argp->json_path, error.line, error.column, error.text);
	result = take_root(argp, root);
	json_decref(root);
	return result;
}

doca_error_t argp_json_read(struct argp *argp)
{
	char *text = NULL;
	size_t len = 0;
	doca_error_t result = read_file(argp, &text, &len);

	if (result != DOCA_SUCCESS)
		return result;
	result = parse_text(argp, text, len);
	free(text);
	return result;
}
