/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line. A parameter that takes a value takes the next argument, also one that begins
 * with a dash, unless that is "--" or the name of a parameter that is valid here: then the value
 * was forgotten, and saying so helps more than taking the name for it. A number is always a value,
 * and --long=VALUE gives any.
 */
#include "argp/argp.h"

#include <stdlib.h>
#include <string.h>

struct argp_cursor {
	int argc;
	char **argv; /* borrowed */
	int at;      /* what is read next */
};

static const char *cursor_peek(const struct argp_cursor *cursor)
{
	return cursor->at < cursor->argc ? cursor->argv[cursor->at] : NULL;
}

/* An argument that has the form of a parameter, taken apart. */
struct argp_word {
	bool is_long;
	const char *name;
	size_t len;
	const char *value; /* behind "=" of a long name, else NULL */
};

static bool split_word(const char *arg, struct argp_word *word)
{
	if (arg[0] != '-' || arg[1] == '\0')
		return false;
	word->is_long = arg[1] == '-';
	word->name = arg + 1 + word->is_long;
	word->len = strlen(word->name);
	word->value = word->is_long ? strchr(word->name, '=') : NULL;
	if (word->value != NULL) {
		word->len = (size_t)(word->value - word->name);
		word->value++;
	}
	return true;
}

static struct doca_argp_param *find_param(const struct argp *argp, const struct argp_word *word)
{
	return argp_cmd_find_param(argp->cmd, word->is_long, word->name, word->len);
}

static bool is_value(const struct argp *argp, const char *arg)
{
	struct argp_word word;

	if (arg == NULL || strcmp(arg, "--") == 0)
		return false;
	return !split_word(arg, &word) || argp_type_is_number(arg) ||
	       find_param(argp, &word) == NULL;
}

/* What stands for a parameter in error lines: as the user wrote it, without the value. */
#define WORD_FORMAT     "%s%.*s"
#define WORD_ARGS(word) (word)->is_long ? "--" : "-", (int)(word)->len, (word)->name

/* Finds the text of the value; NULL for a parameter that takes none. */
static doca_error_t take_text(struct argp *argp, struct argp_cursor *cursor,
			      const struct doca_argp_param *param, const struct argp_word *word,
			      const char **text)
{
	*text = word->value;
	if (param->type->placeholder == NULL && *text != NULL)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, WORD_FORMAT " takes no value",
				 WORD_ARGS(word));
	if (param->type->placeholder == NULL || *text != NULL)
		return DOCA_SUCCESS;
	if (!is_value(argp, cursor_peek(cursor)))
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, WORD_FORMAT " needs a value",
				 WORD_ARGS(word));
	*text = cursor_peek(cursor);
	cursor->at++;
	return DOCA_SUCCESS;
}

static doca_error_t take_value(struct argp *argp, struct doca_argp_param *param,
			       const struct argp_word *word, const char *text)
{
	struct argp_value value = { 0 };
	doca_error_t result = param->type->from_text(text, &value);

	if (result == DOCA_ERROR_INVALID_VALUE)
		return argp_fail(argp, result, WORD_FORMAT ": \"%s\" is not %s", WORD_ARGS(word),
				 text, param->type->what);
	if (result != DOCA_SUCCESS)
		return result;
	if (!param->is_immediate)
		return argp_given_add(argp, param, ARGP_FROM_CLI, &value);
	param->num_given[ARGP_FROM_CLI]++;
	result = argp_given_call(argp, param, &value);
	free(value.text);
	return result;
}

static doca_error_t take_param(struct argp *argp, struct argp_cursor *cursor,
			       const struct argp_word *word)
{
	struct doca_argp_param *param = find_param(argp, word);
	const char *text;
	doca_error_t result;

	if (param == NULL)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "unknown parameter " WORD_FORMAT,
				 WORD_ARGS(word));
	if (param->type->from_text == NULL)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE,
				 WORD_FORMAT " can be given in a JSON file only", WORD_ARGS(word));
	if (param->num_given[ARGP_FROM_CLI] > 0 && !param->is_multiple)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, WORD_FORMAT " is given twice",
				 WORD_ARGS(word));
	result = take_text(argp, cursor, param, word, &text);
	if (result != DOCA_SUCCESS)
		return result;
	return take_value(argp, param, word, text);
}

static doca_error_t take_cmd(struct argp *argp, const char *arg)
{
	const struct doca_argp_cmd *found = argp_cmd_find_cmd(argp->cmd, arg);

	if (found == NULL)
		return argp_fail(
		    argp, DOCA_ERROR_INVALID_VALUE, "%s \"%s\"",
		    TAILQ_EMPTY(&argp->cmd->cmds) ? "unexpected argument" : "unknown command", arg);
	argp->cmd = found;
	return DOCA_SUCCESS;
}

/*
 * Copies the first count arguments, the program's name included, for DPDK, which reorders and
 * overwrites its arguments and keeps them. So all texts are in one block, which can be freed
 * whatever became of the entries.
 */
static doca_error_t keep_dpdk(struct argp *argp, int count, char **argv)
{
	size_t size = 0;
	char *at;

	for (int i = 0; i < count; i++)
		size += strlen(argv[i]) + 1;
	argp->dpdk_argv = calloc((size_t)count + 1, sizeof(*argp->dpdk_argv));
	argp->dpdk_text = calloc(1, size);
	if (argp->dpdk_argv == NULL || argp->dpdk_text == NULL)
		return DOCA_ERROR_NO_MEMORY;
	at = argp->dpdk_text;
	for (int i = 0; i < count; i++) {
		argp->dpdk_argv[i] = at;
		at = stpcpy(at, argv[i]) + 1;
	}
	argp->dpdk_argc = count;
	return DOCA_SUCCESS;
}

/*
 * Gives DPDK what stands before "--", and leaves the cursor behind it. Without one there is nothing
 * for DPDK but the program's name.
 */
static doca_error_t split_dpdk(struct argp *argp, struct argp_cursor *cursor)
{
	for (int i = cursor->at; i < cursor->argc; i++) {
		if (strcmp(cursor->argv[i], "--") != 0)
			continue;
		cursor->at = i + 1;
		return keep_dpdk(argp, i, cursor->argv);
	}
	return keep_dpdk(argp, 1, cursor->argv);
}

/* Reads the next argument, with its value. */
static doca_error_t take_next(struct argp *argp, struct argp_cursor *cursor)
{
	const char *arg = cursor->argv[cursor->at++];
	struct argp_word word;

	return split_word(arg, &word) ? take_param(argp, cursor, &word) : take_cmd(argp, arg);
}

doca_error_t argp_parse(struct argp *argp, int argc, char **argv)
{
	struct argp_cursor cursor = { .argc = argc, .argv = argv, .at = 1 };
	doca_error_t result = DOCA_SUCCESS;

	if (argp->dpdk_cb != NULL)
		result = split_dpdk(argp, &cursor);
	while (result == DOCA_SUCCESS && cursor.at < argc && strcmp(argv[cursor.at], "--") != 0)
		result = take_next(argp, &cursor);
	if (result == DOCA_SUCCESS && cursor.at < argc)
		return argp_fail(argp, DOCA_ERROR_INVALID_VALUE, "unexpected \"--\"");
	return result;
}
