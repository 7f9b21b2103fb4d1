/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define MAX_ARGS   64
#define LINE_BYTES 4096

/* The status of a child whose start returned. */
#define CAME_BACK 99

struct rig rig;
static int config; /* what callbacks must get */
static char json_path[64];
static int json_fd = -1;

void rig_note(const char *format, ...)
{
	size_t len = strlen(rig.notes);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(rig.notes + len, sizeof(rig.notes) - len, format, args);
	va_end(args);
	len = strlen(rig.notes);
	if (len + 1 < sizeof(rig.notes))
		memcpy(rig.notes + len, " ", 2);
}

enum property {
	MANDATORY = 1,
	CLI_ONLY = 2,
	MULTIPLE = 4,
	SINGULAR = 8,
	HIDDEN = 16,
};

#define PARAMS(X)                                          \
	X(device, "d", "device", STRING, MANDATORY)        \
	X(server, "sa", "server-addr", STRING, 0)          \
	X(addr_type, "sat", "server-addr-type", STRING, 0) \
	X(message, "m", "message", STRING, 0)              \
	X(read, "r", "read-string", STRING, 0)             \
	X(write, "w", "write-string", STRING, 0)           \
	X(send, "s", "send-string", STRING, 0)             \
	X(local, "ld", "local-descriptor", STRING, 0)      \
	X(remote, "re", "remote-descriptor", STRING, 0)    \
	X(mmap, "mm", "remote-mmap", STRING, 0)            \
	X(dev, "de", "dev", STRING, 0)                     \
	X(os, "os", NULL, STRING, 0)                       \
	X(only_long, NULL, "only-long", STRING, 0)         \
	X(secret, "x1", "secret", STRING, HIDDEN)          \
	X(port, "p", "port", INT, 0)                       \
	X(gid, "g", "gid-index", INT, 0)                   \
	X(conns, "nc", "num-connections", INT, 0)          \
	X(listen, "lp", "listen-port", INT, 0)             \
	X(size, "z", "size", INT, 0)                       \
	X(offset, "o", "offset", INT, 0)                   \
	X(depth, "q", "depth", INT, 0)                     \
	X(level, "le", "level", INT, 0)                    \
	X(four, "4", NULL, INT, 0)                         \
	X(timeout, NULL, "timeout-ms", INT, 0)             \
	X(cm, "cm", "use-rdma-cm", BOOLEAN, 0)             \
	X(verbose, "ve", "verbose", BOOLEAN, 0)            \
	X(fast, "f", "fast", BOOLEAN, 0)                   \
	X(once, "1", "once", BOOLEAN, 0)                   \
	X(quiet, NULL, "quiet", BOOLEAN, HIDDEN)           \
	X(force, "F", NULL, BOOLEAN, 0)                    \
	X(dry, "n", "dry-run", BOOLEAN, 0)                 \
	X(graph, NULL, "graph", JSON_OBJ, 0)               \
	X(extra, "e", "extra", JSON_OBJ, 0)                \
	X(file, "i", "file", STRING, MULTIPLE)             \
	X(number, "N", "number", INT, MULTIPLE)            \
	X(debug, "b", "debug", BOOLEAN, MULTIPLE)          \
	X(stage, NULL, "stage", JSON_OBJ, MULTIPLE)        \
	X(token, "t", "token", STRING, CLI_ONLY)           \
	X(list, "L", "list", BOOLEAN, SINGULAR)            \
	X(show, "S", "show", STRING, SINGULAR | MULTIPLE)

/* The lines of a table that has a function a parameter: callbacks are not told their own name. */
#define NOTE_STRING(name, value)   rig_note("%s=%s", name, (const char *)(value))
#define NOTE_INT(name, value)      rig_note("%s=%d", name, *(const int *)(value))
#define NOTE_BOOLEAN(name, value)  rig_note("%s=%d", name, *(const bool *)(value))
#define NOTE_JSON_OBJ(name, value) NOTE_STRING(name, value)
#define DEFINE_CALLBACK(id, short_name, long_name, type, properties)                 \
	static doca_error_t on_##id(void *value, void *opaque)                       \
	{                                                                            \
		const char *name = (long_name) != NULL ? (long_name) : (short_name); \
                                                                                     \
		assert_ptr_equal(opaque, &config);                                   \
		NOTE_##type(name, value);                                            \
		return DOCA_SUCCESS;                                                 \
	}
#define DEFINE_ROW(id, short_name, long_name, type, properties) \
	{ short_name, long_name, DOCA_ARGP_TYPE_##type, properties, on_##id },

PARAMS(DEFINE_CALLBACK)

static const struct {
	const char *short_name;
	const char *long_name;
	enum doca_argp_type type;
	unsigned int properties;
	doca_argp_param_cb_t callback;
} params[] = { PARAMS(DEFINE_ROW) };

_Static_assert(sizeof(params) / sizeof(params[0]) == 40, "a program of 40 parameters");

static const struct {
	enum property property;
	void (*set)(struct doca_argp_param *param);
} setters[] = {
	{ MANDATORY, doca_argp_param_set_mandatory },   { CLI_ONLY, doca_argp_param_set_cli_only },
	{ MULTIPLE, doca_argp_param_set_multiplicity }, { SINGULAR, doca_argp_param_set_singular },
	{ HIDDEN, doca_argp_param_set_hidden },
};

struct doca_argp_param *rig_param(const char *short_name, const char *long_name,
				  enum doca_argp_type type, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param;

	assert_success(doca_argp_param_create(&param));
	if (short_name != NULL)
		doca_argp_param_set_short_name(param, short_name);
	if (long_name != NULL)
		doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_description(param, "What it is for");
	doca_argp_param_set_callback(param, callback);
	return param;
}

struct doca_argp_cmd *rig_cmd(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd;

	assert_success(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, "What it does");
	if (callback != NULL)
		doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

void rig_init_bare(void)
{
	assert_success(doca_argp_init("rig", &config));
}

void rig_init(void)
{
	rig_init_bare();
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		struct doca_argp_param *param = rig_param(params[i].short_name, params[i].long_name,
							  params[i].type, params[i].callback);

		for (size_t j = 0; j < sizeof(setters) / sizeof(setters[0]); j++) {
			if ((params[i].properties & setters[j].property) != 0)
				setters[j].set(param);
		}
		assert_success(doca_argp_register_param(param));
	}
}

void rig_fini(void)
{
	assert_success(doca_argp_destroy());
	if (json_fd >= 0)
		close(json_fd);
	json_fd = -1;
}

/* Cuts a line into words, in place. */
static int split(char *line, char **argv)
{
	int argc = 0;

	for (;;) {
		char end = ' ';

		line += strspn(line, " ");
		if (*line == '\0')
			return argc;
		if (*line == '\'') {
			end = '\'';
			line++;
		}
		assert_true(argc < MAX_ARGS);
		argv[argc++] = line;
		line += strcspn(line, end == ' ' ? " " : "'");
		if (*line != '\0')
			*line++ = '\0';
	}
}

static doca_error_t start_with(const char *line)
{
	char words[LINE_BYTES];
	char *argv[MAX_ARGS];

	(void)snprintf(words, sizeof(words), "rig %s", line);
	return doca_argp_start(split(words, argv), argv);
}

static int memory_file(void)
{
	int fd = memfd_create("rig", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Reads what was written, as a text, and closes. */
static void take_output(int fd, char *text)
{
	ssize_t len = pread(fd, text, RIG_NOTES_BYTES - 1, 0);

	assert_true(len >= 0);
	text[len] = '\0';
	close(fd);
}

doca_error_t rig_start(const char *line)
{
	int fd = memory_file();
	doca_error_t result;
	int saved;

	rig.notes[0] = '\0';
	(void)fflush(stderr);
	saved = dup(STDERR_FILENO);
	assert_true(saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	result = start_with(line);
	(void)fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	take_output(fd, rig.err);
	return result;
}

static void run_child(void (*setup)(void), const char *line, int out, int err)
{
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(err, STDERR_FILENO);
	if (setup != NULL)
		setup();
	(void)start_with(line);
	_exit(CAME_BACK);
}

int rig_start_in_child(void (*setup)(void), const char *line)
{
	int out = memory_file(), err = memory_file();
	int status;
	pid_t pid;

	(void)fflush(NULL); /* or the child would write it once more */
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		run_child(setup, line, out, err);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	take_output(out, rig.out);
	take_output(err, rig.err);
	if (!WIFEXITED(status))
		fail_msg("the child ended with signal %d", WTERMSIG(status));
	return WEXITSTATUS(status) == CAME_BACK ? -1 : WEXITSTATUS(status);
}

const char *rig_json(const void *content, size_t len)
{
	if (json_fd >= 0)
		close(json_fd);
	json_fd = memory_file();
	assert_int_equal(write(json_fd, content, len), len);
	(void)snprintf(json_path, sizeof(json_path), "/proc/self/fd/%d", json_fd);
	return json_path;
}

static unsigned int num_lines(const char *text)
{
	unsigned int count = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		count++;
	return count;
}

void rig_check_refusal(const char *part)
{
	char *end = strchr(rig.err, '\n');

	if (end == NULL)
		fail_msg("no line on standard error, but: %s", rig.err);
	*end = '\0';
	if (strstr(rig.err, part) == NULL)
		fail_msg("\"%s\" is not about \"%s\"", rig.err, part);
	if (strncmp(rig.err, "rig: ", 5) != 0)
		fail_msg("\"%s\" does not name the program", rig.err);
	if (strncmp(end + 1, "Usage: rig", 10) != 0 || num_lines(end + 1) < 5)
		fail_msg("behind \"%s\" comes no usage, but: %.80s", rig.err, end + 1);
}

static void check_row(const struct rig_row *row, const char *what, const char *expected)
{
	if (strcmp(what, expected) != 0)
		fail_msg("%s %s: \"%s\", not \"%s\"", row->line, row->json != NULL ? row->json : "",
			 what, expected);
}

static void expect_row(const struct rig_row *row)
{
	char line[LINE_BYTES];
	doca_error_t result;

	rig_init();
	(void)snprintf(line, sizeof(line), "%s%s %s", row->json != NULL ? "-j " : "",
		       row->json != NULL ? rig_json(row->json, strlen(row->json)) : "", row->line);
	result = rig_start(line);
	if (rig.notes[0] != '\0')
		rig.notes[strlen(rig.notes) - 1] = '\0';
	check_row(row, doca_error_get_name(result), doca_error_get_name(row->result));
	if (result != DOCA_SUCCESS) {
		rig_check_refusal(row->text);
		check_row(row, rig.notes, "");
	} else {
		check_row(row, rig.err, "");
		check_row(row, rig.notes, row->text);
	}
	rig_fini();
}

void rig_expect(const struct rig_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_row(&rows[i]);
}
