/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARGP_ARGP_H_
#define ARGP_ARGP_H_

/*
 * Parameters and commands from the command line and from a JSON file.
 *
 * The program itself is a command without a name, and the general flags belong to a command above
 * it, all of whose parameters are inherited. So one walk upwards from a command meets every
 * parameter that is valid there.
 *
 * A start reads everything first (argp_parse.c, argp_json.c), into a list of values for each
 * source; then it looks whether they go together, and only then it calls the program (both in
 * argp_given.c). So a wrong command line calls nothing. Only -h, -v and -j act at once.
 *
 * What a callback may leave behind by calling exit() hangs on struct argp, not on the stack, and
 * a destroy from inside a callback waits until the start is over.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/queue.h>

#include <doca_argp.h>

struct json_t;

/* A larger JSON file is refused. */
#define ARGP_JSON_MAX_BYTES ((size_t)1024 * 1024)

enum argp_source {
	ARGP_FROM_JSON, /* delivered first */
	ARGP_FROM_CLI,
	ARGP_NUM_SOURCES,
};

struct argp_value {
	union {
		int number;
		bool flag;
	};
	char *text; /* owned; of the types that are texts, else NULL */
};

/* How the values of one type are read, and what a callback gets of them. */
struct argp_type {
	const char *what;        /* what a value must be, for error lines */
	const char *placeholder; /* for the usage; NULL: the command line gives no value */
	bool is_text;

	/*
	 * Reads the text of the command line, or NULL when the type takes none there. The op is
	 * NULL when values come from JSON only.
	 * Errors: INVALID_VALUE: it is none. NO_MEMORY.
	 */
	doca_error_t (*from_text)(const char *text, struct argp_value *value);

	/* Errors: as above. */
	doca_error_t (*from_json)(const struct json_t *json, struct argp_value *value);
};

struct doca_argp_param {
	TAILQ_ENTRY(doca_argp_param) link;
	struct doca_argp_cmd *owner; /* NULL: not registered */
	char *short_name;            /* owned, as the other texts are; NULL: none */
	char *long_name;
	char *arguments;
	char *description;
	doca_argp_param_cb_t callback;
	const struct argp_type *type;
	bool is_mandatory;
	bool is_cli_only;
	bool is_multiple;
	bool is_singular;
	bool is_inherited;
	bool is_hidden;
	bool is_immediate; /* called back as soon as it is met */
	bool lacks_memory; /* a setter could not copy its text */

	unsigned int num_given[ARGP_NUM_SOURCES]; /* by the start that runs, or ran last */
};

TAILQ_HEAD(argp_params, doca_argp_param);
TAILQ_HEAD(argp_cmds, doca_argp_cmd);

struct doca_argp_cmd {
	TAILQ_ENTRY(doca_argp_cmd) link;
	struct doca_argp_cmd *parent; /* NULL: not registered, or the topmost */
	struct argp_params params;    /* owned */
	struct argp_cmds cmds;        /* owned */
	char *name;                   /* owned, as is the description */
	char *description;
	doca_argp_cmd_cb_t callback;
	bool is_hidden;
	bool lacks_memory;
};

/* One value that was given for a parameter. */
struct argp_given {
	STAILQ_ENTRY(argp_given) link;
	struct doca_argp_param *param;
	struct argp_value value;
};

struct argp_validation {
	STAILQ_ENTRY(argp_validation) link;
	doca_argp_validation_cb_t callback;
};

struct argp {
	bool is_live;
	bool is_starting;
	bool is_ending; /* destroyed by a callback: the start frees it at its end */

	char *program_name; /* owned; NULL: argv[0] stands for it */
	char *argv_name;    /* owned; argv[0] of the last start */
	void *program_config;
	struct doca_argp_cmd general;
	struct doca_argp_cmd program;
	doca_argp_param_cb_t version_cb;
	doca_argp_logger_cb_t logger_cb;
	doca_argp_dpdk_cb_t dpdk_cb;
	STAILQ_HEAD(, argp_validation) validations;

	/* What the start that runs has found. */
	const struct doca_argp_cmd *cmd; /* the last command; the program when there is none */
	char *json_path;                 /* owned */
	STAILQ_HEAD(, argp_given) given[ARGP_NUM_SOURCES];

	/* What stays until destroy. */
	int dpdk_argc;
	char **dpdk_argv;  /* owned; NULL: none. DPDK may reorder and overwrite it */
	char *dpdk_text;   /* owned; what the entries point into */
	int log_level;     /* 0: not given */
	int sdk_log_level; /* 0: not given */
};

/* --- argp.c --- */

bool argp_is_live(void);

/* Frees everything; the parser can be initialised again. */
void argp_fini(struct argp *argp);

/* --- argp_param.c, argp_cmd.c: objects --- */

/* Accepts NULL. */
void argp_param_free(struct doca_argp_param *param);

/*
 * Appends a parameter that is not registered to a command.
 * general: the command of the general flags, whose names are taken too.
 * Errors: INITIALIZATION: something is missing. INVALID_VALUE: a name is malformed or taken. All
 * logged.
 */
doca_error_t argp_cmd_add_param(struct doca_argp_cmd *cmd, const struct doca_argp_cmd *general,
				struct doca_argp_param *param);

/* Appends a command that is not registered. Errors: as above. */
doca_error_t argp_cmd_add_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *added);

void argp_cmd_init(struct doca_argp_cmd *cmd, struct doca_argp_cmd *parent);

/* Frees what is in a command, with all below it. Accepts a zeroed one. */
void argp_cmd_fini(struct doca_argp_cmd *cmd);

/* Accepts NULL. */
void argp_cmd_free(struct doca_argp_cmd *cmd);

/*
 * The parameter of that name that is valid behind a command: its own, or inherited from above it;
 * the nearest when there are several. NULL: none.
 * name: len bytes, without dashes.
 */
struct doca_argp_param *argp_cmd_find_param(const struct doca_argp_cmd *cmd, bool is_long,
					    const char *name, size_t len);

/* The command of that name directly below cmd, or NULL. */
struct doca_argp_cmd *argp_cmd_find_cmd(const struct doca_argp_cmd *cmd, const char *name);

static inline bool argp_param_is_given(const struct doca_argp_param *param)
{
	return param->num_given[ARGP_FROM_CLI] > 0 || param->num_given[ARGP_FROM_JSON] > 0;
}

/* How a line names a parameter: these two one after the other. */
static inline const char *argp_param_dashes(const struct doca_argp_param *param)
{
	return param->long_name != NULL ? "--" : "-";
}

static inline const char *argp_param_name(const struct doca_argp_param *param)
{
	return param->long_name != NULL ? param->long_name : param->short_name;
}

/* --- argp_types.c --- */

extern const struct argp_type argp_type_level;

/* NULL: no type that a parameter can have. */
const struct argp_type *argp_type_find(enum doca_argp_type type);

/* Would the text be read as a number? */
bool argp_type_is_number(const char *text);

/* --- argp_general.c --- */

/*
 * Registers the general flags. Their callbacks get the parser as config.
 * Errors: NO_MEMORY.
 */
doca_error_t argp_general_add(struct argp *argp);

/* --- argp_parse.c, argp_json.c: reading --- */

/* Errors: INVALID_VALUE, with a line. NO_MEMORY. Of an immediate callback. */
doca_error_t argp_parse(struct argp *argp, int argc, char **argv);

/* Reads the file json_path. Errors: IO_FAILED, INVALID_VALUE, each with a line. NO_MEMORY. */
doca_error_t argp_json_read(struct argp *argp);

/* --- argp_given.c: checking, calling back --- */

/*
 * Keeps a value until it is delivered.
 * value: taken whatever the result.
 * Errors: NO_MEMORY.
 */
doca_error_t argp_given_add(struct argp *argp, struct doca_argp_param *param,
			    enum argp_source source, struct argp_value *value);

/* Calls a parameter's function; an error brings a line. */
doca_error_t argp_given_call(struct argp *argp, const struct doca_argp_param *param,
			     struct argp_value *value);

/* Errors: INVALID_VALUE, with a line: mandatory ones missing, singular ones not alone. */
doca_error_t argp_given_check(struct argp *argp);

/* Calls the program with all that was given. Errors: of callbacks, with a line. */
doca_error_t argp_given_deliver(struct argp *argp);

/* Forgets what was given. */
void argp_given_drop(struct argp *argp);

/* --- argp_usage.c: what the user reads --- */

/* Prints the usage of the command that was met last. */
void argp_usage_print(const struct argp *argp, FILE *out);

void argp_version_print(const struct argp *argp, FILE *out);

/*
 * Tells the user in one line, without newline, why the start fails; gives error back.
 * The text may hold what the user wrote: it is cut and cleaned of control characters.
 */
doca_error_t argp_fail(const struct argp *argp, doca_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* ARGP_ARGP_H_ */
