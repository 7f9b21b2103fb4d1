/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters and commands from the command line and from a JSON file. One parser a process. Life:
 * doca_argp_init(), register, doca_argp_start(), which calls a function for each parameter given,
 * doca_argp_destroy(). The usage lists general flags, which are argp's own, and program flags,
 * which are what was registered. General flags: -h/--help and -v/--version print and exit with 0;
 * -l/--log-level and --sdk-log-level (10, 20, ... 70, or a name from DISABLE to TRACE) set the
 * global limits, see enum doca_log_level; -j/--json PATH reads a file.
 *
 * Names: a short one has one or several letters and stands after one dash (-d, -ld, -sat), a long
 * one after two. A BOOLEAN takes no value on the command line, a JSON_OBJ cannot stand there, every
 * other type takes the next argument, also one that begins with a dash, unless it is "--" or the
 * name of another parameter; a number is always taken, and --long=VALUE gives any value. A
 * parameter may be given once, unless it has multiplicity.
 *
 * Commands: words after the program's parameters, each with parameters and commands of its own. A
 * parameter is valid directly after the command that registers it, or also after those below it.
 *
 * JSON: one object of at most 1 MiB, keyed by long names without dashes; comments from two slashes
 * to the end of the line are allowed. Either its keys are the parameters, of argp, of the program
 * and of the commands given, or it has objects "doca_general_flags" and "doca_program_flags" whose
 * keys are. Unknown keys are errors. What stands on the command line as well is taken from there.
 *
 * Nothing is called back before all was read and found right. The order then: parameters from JSON,
 * those of the command line, commands from the outermost on, validation, DPDK.
 *
 * Setters: with a NULL argument nothing happens but a log line; the same for a param or cmd that is
 * registered already.
 */
#ifndef DOCA_ARGP_H_
#define DOCA_ARGP_H_

#include <stdarg.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_log.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A parameter was given; called once for each time. Runs in doca_argp_start(), which an error ends.
 * value: lent; what it is depends on the type, see enum doca_argp_type. config: program_config of
 * doca_argp_init().
 */
typedef doca_error_t (*doca_argp_param_cb_t)(void *, void *);

/*
 * A command was given. Runs in doca_argp_start(), which an error ends. The argument: program_config
 * of doca_argp_init().
 */
typedef doca_error_t (*doca_argp_cmd_cb_t)(void *);

/*
 * The part of the command line that is DPDK's. Runs in doca_argp_start(), which an error ends.
 * argv: argc entries, the program's name first, and a NULL after them; lent, but until
 * doca_argp_destroy().
 */
typedef doca_error_t (*doca_argp_dpdk_cb_t)(int argc, char **argv);

/*
 * All parameters and commands have been called back: do they fit together? Runs in
 * doca_argp_start(), which an error ends. The argument: program_config of doca_argp_init().
 */
typedef doca_error_t (*doca_argp_validation_cb_t)(void *);

/*
 * A line about what the user gave wrongly. format, args: lent, as for vprintf(), without a newline
 * at the end. What it returns is ignored.
 */
typedef doca_error_t (*doca_argp_logger_cb_t)(enum doca_log_level level, const char *format,
					      va_list args);

/* The type of a parameter, and with it what its callback gets as value. */
enum doca_argp_type {
	DOCA_ARGP_TYPE_UNKNOWN = 0,  /* not set yet */
	DOCA_ARGP_TYPE_STRING = 1,   /* char *, NUL-terminated */
	DOCA_ARGP_TYPE_INT = 2,      /* int * */
	DOCA_ARGP_TYPE_BOOLEAN = 3,  /* bool *, true on the command line */
	DOCA_ARGP_TYPE_JSON_OBJ = 4, /* JSON only; char *, the object as compact JSON text */
};

struct doca_argp_param;
struct doca_argp_cmd;

/*
 * doca_argp_usage() - print what the command line may hold, without hidden parameters and commands.
 * Goes to standard output. Not initialised: nothing happens but a log line.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; output and misuse ours.
 */
DOCA_EXPERIMENTAL
void doca_argp_usage(void);

/*
 * doca_argp_init() - the parser, with the general flags only.
 * program_name: copied, may be NULL: argv[0] is used then. program_config: borrowed until
 * doca_argp_destroy(), never looked at, may be NULL; every callback gets it.
 * Errors: BAD_STATE: initialised and not destroyed since. INVALID_VALUE: an empty program_name.
 * NO_MEMORY: no memory.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; empty name and NULL config ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_init(const char *program_name, void *program_config);

/*
 * doca_argp_register_param() - a parameter of the program itself.
 * input_param: taken whatever the result: argp owns it in every outcome and on failure destroys it,
 * unless it is registered already.
 * Errors: INVALID_VALUE: input_param NULL; a name that is taken, also by a general flag, or that
 * has a dash in front, a blank or "=" in it. BAD_STATE: argp not initialised or destroyed,
 * input_param registered before. INITIALIZATION: no description, callback, type or name; no memory
 * in a setter; a JSON_OBJ without long name or from the command line only.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; names ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_param(struct doca_argp_param *input_param);

/*
 * doca_argp_register_cmd() - a command of the program itself.
 * input_cmd: taken whatever the result, with all that is registered in it: argp owns it in every
 * outcome and on failure destroys it, unless it is registered already.
 * Errors: INVALID_VALUE: input_cmd NULL, a name that is taken or malformed. BAD_STATE: argp not
 * initialised or destroyed, input_cmd registered before. INITIALIZATION: no name or description, no
 * memory in a setter.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; names ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_cmd(struct doca_argp_cmd *input_cmd);

/*
 * doca_argp_register_version_callback() - what -v and --version do instead of printing and exiting.
 * callback: called as soon as the flag is met, with a BOOLEAN value; parsing goes on when it
 * returns, and when it exits, it calls doca_argp_destroy() before.
 * Errors: INVALID_VALUE: callback NULL. BAD_STATE: argp not initialised or destroyed.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; value ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback);

/*
 * doca_argp_register_validation_callback() - one more check at the end of doca_argp_start().
 * callback: called after those registered before.
 * Errors: INVALID_VALUE: callback NULL. BAD_STATE: argp not initialised or destroyed. NO_MEMORY: no
 * memory.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; several ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback);

/*
 * doca_argp_register_logger_callback() - where lines for the user go instead of standard error.
 * The usage goes to standard error all the same, and misuse by the program to the SDK log.
 * Errors: INVALID_VALUE: callback NULL. BAD_STATE: argp not initialised or destroyed.
 * ALREADY_EXIST: there is one.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback);

/*
 * doca_argp_disable_logger_callback() - error lines to standard error again.
 * Errors: BAD_STATE: argp not initialised or destroyed, or there is no such callback.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_disable_logger_callback(void);

/*
 * doca_argp_start() - parse, and call back what was given; -h and -v end the process with 0.
 * May be called again. argv: borrowed for the call, argc entries, not changed. A wrong command line
 * or JSON file gives one line that names what is wrong, then, with INVALID_VALUE and IO_FAILED, the
 * usage on standard error. An error of a callback is treated alike.
 * Errors: INVALID_VALUE: argv or an entry NULL, argc below 1; a parameter or JSON key that is
 * unknown, malformed, missing though mandatory, given twice, or not alone though singular (general
 * flags do not count, and nothing else is mandatory then); an unknown command; a JSON file that is
 * malformed or too large. BAD_STATE: argp not initialised or destroyed, also by a callback; called
 * by a callback. IO_FAILED: the JSON file cannot be read. NO_MEMORY: no memory. Any other: of a
 * callback.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; INVALID_VALUE for unknown ones ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_start(int argc, char **argv);

/*
 * doca_argp_destroy() - free all that is registered and what the DPDK callback got.
 * Nothing but doca_argp_init(), and the destroy of objects that were never registered, may follow.
 * In a callback of doca_argp_start(): what was registered is freed when that returns.
 * Errors: BAD_STATE: argp not initialised or destroyed.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; a new start ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_destroy(void);

/*
 * doca_argp_set_dpdk_program() - the command line is shared with DPDK.
 * callback: gets the program's name and what stands before the first "--", which argp does not look
 * at; the name alone when there is no "--". Without the callback "--" is wrong. Not initialised:
 * nothing happens but a log line. Thread: any, one at a time. Source: DOCA 3.0 Argp API; misuse
 * ours.
 */
DOCA_EXPERIMENTAL
void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback);

/*
 * doca_argp_param_create() - a parameter: optional, single use, without name, type or callback.
 * param: owned, free with doca_argp_param_destroy() or give to one of the register calls.
 * Errors: INVALID_VALUE: param NULL. BAD_STATE: argp not initialised or destroyed. NO_MEMORY: no
 * memory.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_create(struct doca_argp_param **param);

/*
 * doca_argp_param_set_short_name() - the name after one dash; it needs this or a long one.
 * name: copied, one or several letters, without the dash.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; several letters ours.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_short_name(struct doca_argp_param *param, const char *name);

/*
 * doca_argp_param_set_long_name() - the name after two dashes, and the key in JSON.
 * name: copied, without the dashes. Without it the parameter cannot come from JSON.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_long_name(struct doca_argp_param *param, const char *name);

/*
 * doca_argp_param_set_arguments() - what the usage shows for the value.
 * arguments: copied, for instance "<size>".
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_arguments(struct doca_argp_param *param, const char *arguments);

/*
 * doca_argp_param_set_description() - what the usage says about it; cannot be done without.
 * description: copied.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_description(struct doca_argp_param *param, const char *description);

/*
 * doca_argp_param_set_callback() - what is called when it was given; cannot be done without.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_callback(struct doca_argp_param *param, doca_argp_param_cb_t callback);

/*
 * doca_argp_param_set_type() - how its value is read; cannot be done without.
 * type: UNKNOWN or no enumerator: nothing happens but a log line.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; range check ours.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_type(struct doca_argp_param *param, enum doca_argp_type type);

/*
 * doca_argp_param_set_mandatory() - doca_argp_start() fails without it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_mandatory(struct doca_argp_param *param);

/*
 * doca_argp_param_set_cli_only() - from the command line only; in JSON it is an unknown key.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; unknown key ours.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_cli_only(struct doca_argp_param *param);

/*
 * doca_argp_param_set_multiplicity() - may be given several times, with one callback each.
 * In JSON the values are an array.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_multiplicity(struct doca_argp_param *param);

/*
 * doca_argp_param_set_singular() - when given, it must be the only parameter.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_singular(struct doca_argp_param *param);

/*
 * doca_argp_param_set_inherited() - also valid after the commands below the one that registers it.
 * Of the program itself: after all commands. A parameter of the same name nearer by hides it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_inherited(struct doca_argp_param *param);

/*
 * doca_argp_param_set_hidden() - works, but the usage does not show it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_param_set_hidden(struct doca_argp_param *param);

/*
 * doca_argp_param_destroy() - free a parameter that was never registered.
 * Errors: INVALID_VALUE: param NULL. BAD_STATE: registered, doca_argp_destroy() frees it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_param_destroy(struct doca_argp_param *param);

/*
 * doca_argp_cmd_create() - a command without name, parameters or commands below it.
 * cmd: owned, free with doca_argp_cmd_destroy() or give to one of the register calls.
 * Errors: INVALID_VALUE: cmd NULL. BAD_STATE: argp not initialised or destroyed. NO_MEMORY: no
 * memory.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_create(struct doca_argp_cmd **cmd);

/*
 * doca_argp_cmd_set_name() - the word that stands for it, without dashes; cannot be done without.
 * name: copied.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_name(struct doca_argp_cmd *cmd, const char *name);

/*
 * doca_argp_cmd_set_description() - what the usage says about it; cannot be done without.
 * description: copied.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_description(struct doca_argp_cmd *cmd, const char *description);

/*
 * doca_argp_cmd_set_callback() - what is called when it was given; a command may have none.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_callback(struct doca_argp_cmd *cmd, doca_argp_cmd_cb_t callback);

/*
 * doca_argp_cmd_set_hidden() - works, but the usage does not show it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
void doca_argp_cmd_set_hidden(struct doca_argp_cmd *cmd);

/*
 * doca_argp_cmd_register_param() - a parameter that is valid after cmd, while cmd is being built.
 * input_param: taken whatever the result: argp owns it in every outcome and on failure destroys it,
 * unless it is registered already.
 * Errors: INVALID_VALUE: a NULL argument; a name that is taken, by the same command or a general
 * flag, or malformed. BAD_STATE: cmd or input_param registered before. INITIALIZATION: as for
 * doca_argp_register_param().
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; names ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_param(struct doca_argp_cmd *cmd,
					  struct doca_argp_param *input_param);

/*
 * doca_argp_cmd_register_cmd() - a command that is valid after cmd, while cmd is being built.
 * input_cmd: taken whatever the result, with all that is registered in it: argp owns it in every
 * outcome and on failure destroys it, unless it is registered already.
 * Errors: INVALID_VALUE: a NULL argument; a name that is taken or malformed; cmd itself, which
 * stays alive. BAD_STATE: cmd or input_cmd registered before. INITIALIZATION: no name or
 * description, no memory in a setter.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API; names ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_register_cmd(struct doca_argp_cmd *cmd, struct doca_argp_cmd *input_cmd);

/*
 * doca_argp_cmd_destroy() - free a command that was never registered, with all registered in it.
 * Errors: INVALID_VALUE: cmd NULL. BAD_STATE: registered, doca_argp_destroy() frees it.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_cmd_destroy(struct doca_argp_cmd *cmd);

/*
 * doca_argp_get_log_level() - what the user gave with -l or --log-level.
 * log_level: a doca_log_level; without the flag doca_log_level_get_global_lower_limit().
 * Errors: INVALID_VALUE: log_level NULL.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_log_level(int *log_level);

/*
 * doca_argp_get_sdk_log_level() - what the user gave with --sdk-log-level.
 * log_level: a doca_log_level; without the flag doca_log_level_get_global_sdk_limit().
 * Errors: INVALID_VALUE: log_level NULL.
 * Thread: any, one at a time. Source: DOCA 3.0 Argp API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_argp_get_sdk_log_level(int *log_level);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ARGP_H_ */
