/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <doca_version.h>

/* Columns: where descriptions begin, and where they are broken. */
#define USAGE_COLUMN 34
#define USAGE_WIDTH  100

/* The longest error line. What does not fit comes from the user, who knows it. */
#define LINE_BYTES 512

static const char *name_get(const struct argp *argp)
{
	if (argp->program_name != NULL)
		return argp->program_name;
	return argp->argv_name != NULL ? argp->argv_name : program_invocation_name;
}

/* A place in the output. */
struct argp_pen {
	FILE *out;
	int column;
};

static void pen_word(struct argp_pen *pen, const char *word, size_t len)
{
	(void)fwrite(word, 1, len, pen->out); /* nobody could be told that it cannot be written */
	pen->column += (int)len;
}

static void pen_words(struct argp_pen *pen, const char *text)
{
	pen_word(pen, text, strlen(text));
}

/* Goes to the column, on the next line when this one is past it. */
static void pen_indent(struct argp_pen *pen, int column)
{
	if (pen->column >= column) {
		(void)fputc('\n', pen->out);
		pen->column = 0;
	}
	(void)fprintf(pen->out, "%*s", column - pen->column, "");
	pen->column = column;
}

/* Fills lines with a text, from USAGE_COLUMN on; its own line ends stay. */
static void pen_fill(struct argp_pen *pen, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " \t\n");
		bool fits = pen->column + 1 + (int)len <= USAGE_WIDTH;

		if (len > 0 && pen->column > USAGE_COLUMN) {
			if (fits)
				pen_word(pen, " ", 1);
			else
				pen_indent(pen, USAGE_COLUMN);
		}
		pen_word(pen, text, len);
		text += len;
		if (*text == '\n' && pen->column > USAGE_COLUMN)
			pen_indent(pen, USAGE_COLUMN);
		if (*text != '\0')
			text++;
	}
}

/* "  -d, --device <name>", or one name alone; long ones stand in one line all the same. */
static void print_param(FILE *out, const struct doca_argp_param *param)
{
	struct argp_pen pen = { .out = out };
	const char *arguments = param->arguments;

	if (arguments == NULL)
		arguments = param->type->placeholder;
	pen_words(&pen, "  ");
	if (param->short_name != NULL) {
		pen_words(&pen, "-");
		pen_words(&pen, param->short_name);
	}
	if (param->short_name != NULL && param->long_name != NULL)
		pen_words(&pen, ", ");
	if (param->long_name != NULL) {
		pen_words(&pen, "--");
		pen_words(&pen, param->long_name);
	}
	if (arguments != NULL) {
		pen_words(&pen, " ");
		pen_words(&pen, arguments);
	}
	pen_indent(&pen, USAGE_COLUMN);
	pen_fill(&pen, param->description);
	if (param->is_mandatory)
		pen_fill(&pen, "(mandatory)");
	(void)fputc('\n', out);
}

static bool is_reached(const struct doca_argp_cmd *cmd, const struct doca_argp_param *param)
{
	const char *long_name = param->long_name;
	const char *short_name = param->short_name;

	return (long_name != NULL &&
		argp_cmd_find_param(cmd, true, long_name, strlen(long_name)) == param) ||
	       (short_name != NULL &&
		argp_cmd_find_param(cmd, false, short_name, strlen(short_name)) == param);
}

/*
 * Prints the parameters of the commands from first to before end that are valid behind cmd, those
 * of the outermost first.
 */
static unsigned int print_params(FILE *out, const char *title, const struct doca_argp_cmd *cmd,
				 const struct doca_argp_cmd *first, const struct doca_argp_cmd *end)
{
	const struct doca_argp_param *param;
	unsigned int count;

	if (first == end)
		return 0;
	count = print_params(out, title, cmd, first->parent, end);
	TAILQ_FOREACH (param, &first->params, link) {
		if (param->is_hidden || !is_reached(cmd, param))
			continue;
		if (count++ == 0)
			(void)fprintf(out, "\n%s:\n", title);
		print_param(out, param);
	}
	return count;
}

static bool has_cmds(const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *below;

	TAILQ_FOREACH (below, &cmd->cmds, link) {
		if (!below->is_hidden)
			return true;
	}
	return false;
}

static void print_cmds(FILE *out, const struct doca_argp_cmd *cmd)
{
	const struct doca_argp_cmd *below;

	if (!has_cmds(cmd))
		return;
	(void)fprintf(out, "\nCommands:\n");
	TAILQ_FOREACH (below, &cmd->cmds, link) {
		struct argp_pen pen = { .out = out };

		if (below->is_hidden)
			continue;
		pen_words(&pen, "  ");
		pen_words(&pen, below->name);
		pen_indent(&pen, USAGE_COLUMN);
		pen_fill(&pen, below->description);
		(void)fputc('\n', out);
	}
}

static void print_path(FILE *out, const struct argp *argp, const struct doca_argp_cmd *cmd)
{
	if (cmd == &argp->program)
		return;
	print_path(out, argp, cmd->parent);
	(void)fprintf(out, " %s", cmd->name);
}

void argp_usage_print(const struct argp *argp, FILE *out)
{
	const struct doca_argp_cmd *cmd = argp->cmd;

	(void)fprintf(out, "Usage: %s", name_get(argp));
	print_path(out, argp, cmd);
	(void)fprintf(out, "%s [DOCA Flags] [Program Flags]%s\n",
		      argp->dpdk_cb != NULL ? " [DPDK Flags] --" : "",
		      has_cmds(cmd) ? " [Command]" : "");
	if (cmd->description != NULL)
		(void)fprintf(out, "\n%s\n", cmd->description);
	(void)print_params(out, "General flags", cmd, &argp->general, NULL);
	(void)print_params(out, "Program flags", cmd, cmd, &argp->general);
	print_cmds(out, cmd);
}

void argp_version_print(const struct argp *argp, FILE *out)
{
	(void)fprintf(out, "%s, DOCA version %s, OpenUROM version %s\n", name_get(argp),
		      doca_version_runtime(), ARGP_OPENUROM_VERSION);
}

/* The interface wants a va_list. */
__attribute__((format(printf, 2, 3))) static void send_line(doca_argp_logger_cb_t logger_cb,
							    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)logger_cb(DOCA_LOG_LEVEL_ERROR, format, args); /* it was told; that is all */
	va_end(args);
}

/* What the user wrote must neither break the line nor steer the terminal. */
static void clean_line(char *line)
{
	for (; *line != '\0'; line++) {
		if ((unsigned char)*line < ' ' || *line == '\x7f')
			*line = '?';
	}
}

doca_error_t argp_fail(const struct argp *argp, doca_error_t error, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;

	va_start(args, format);
	if (vsnprintf(line, sizeof(line), format, args) < 0)
		line[0] = '\0';
	va_end(args);
	clean_line(line);
	if (argp->logger_cb != NULL)
		send_line(argp->logger_cb, "%s", line);
	else
		(void)fprintf(stderr, "%s: %s\n", name_get(argp), line);
	return error;
}
