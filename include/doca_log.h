/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log lines: time, process, level, source, message. A line comes from a source and goes to every
 * backend of its world: lines of an application to application backends, lines of the DOCA
 * libraries to SDK backends. An application backend passes what lies between two limits, the upper
 * (most severe) and the lower (least severe); an SDK backend has one level, its lower limit. A
 * lower number is more severe. While the program has made no SDK backend, library lines go to
 * standard error at WARNING. A backend lives until the process ends; no call destroys it.
 *
 * The environment may give sources a level of their own, which then takes the place of the lower
 * limits (DOCA_LOG_SOURCE_LEVELS="PREFIX=LEVEL[,...]"), and a number of lines a second
 * (DOCA_LOG_RATE_LIMIT); see docs/compatibility.md.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10, /* a limit only: as the lower one it silences the backend */
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70,
};

struct doca_log_backend;

/*
 * One line, NUL-terminated, stands in buf, which is lent. Runs on the thread that logs, in the
 * middle of whatever it was doing, one at a time for a backend: it may call nothing of DOCA but
 * doca_log(). That of an SDK backend may log as the application; what else it logs goes to standard
 * error, past every backend.
 */
typedef void (*log_flush_callback)(char *buf);

/*
 * doca_log_backend_set_level_lower_limit() - the least severe level that passes.
 * backend: an application backend. level: a doca_log_level. Where the limit was made strict, a
 * wider one is ignored.
 * Errors: INVALID_VALUE: NULL or SDK backend, unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes and "ignored" ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level);

/*
 * doca_log_backend_set_level_upper_limit() - the most severe level that passes.
 * backend: an application backend. upper_limit: a doca_log_level. Where the limit was made strict,
 * a wider one is ignored.
 * Errors: INVALID_VALUE: NULL or SDK backend, unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes and "ignored" ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
						    uint32_t upper_limit);

/*
 * doca_log_backend_set_level_lower_limit_strict() - pin the present lower limit for good.
 * From now on neither a global nor a direct change widens it; narrowing works, and is for good too.
 * Errors: INVALID_VALUE: NULL or SDK backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend);

/*
 * doca_log_backend_set_level_upper_limit_strict() - pin the present upper limit for good.
 * From now on neither a global nor a direct change widens it; narrowing works, and is for good too.
 * Errors: INVALID_VALUE: NULL or SDK backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend);

/*
 * doca_log_level_set_global_lower_limit() - lower limit of every application backend.
 * level: a doca_log_level, INFO at the start. Holds for the backends that exist and for new ones.
 * Errors: INVALID_VALUE: unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/*
 * doca_log_level_set_global_upper_limit() - upper limit of every application backend.
 * upper_limit: a doca_log_level, CRIT at the start. Holds for the backends that exist and for new
 * ones.
 * Errors: INVALID_VALUE: unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit);

/*
 * doca_log_level_get_global_lower_limit() - what new application backends start with.
 * Returns: a doca_log_level.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_lower_limit(void);

/*
 * doca_log_level_get_global_upper_limit() - what new application backends start with.
 * Returns: a doca_log_level.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_upper_limit(void);

/*
 * doca_log_register_source() - make a name under which lines are logged; see DOCA_LOG_REGISTER.
 * source_name: copied, may hold "::". source: written, valid until doca_log_unregister_source().
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no room for the name.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_register_source(const char *source_name, int *source);

/*
 * doca_log_unregister_source() - give a source back; seldom needed, all end with the process.
 * source: from doca_log_register_source(); no thread may still log with it.
 * Errors: INVALID_VALUE: no such source, or one of the libraries.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_unregister_source(int source);

/*
 * doca_log_backend_create_with_file() - application lines to a stream, flushed line by line.
 * fptr: borrowed, must stay open until the process ends. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file(FILE *fptr, struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_fd() - application lines to a descriptor.
 * fd: borrowed, must stay open until the process ends. backend: lent until the process ends.
 * Errors: INVALID_VALUE: fd below 0, backend NULL. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_buf() - application lines to memory and a function.
 * buf: borrowed until the process ends, capacity bytes. Each line is put at its start, cut to fit
 * with its NUL, then handler is called. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument, capacity 0. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf(char *buf, size_t capacity,
					      log_flush_callback handler,
					      struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_syslog() - application lines to the system's log.
 * name: copied, the program's name there. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog(const char *name,
						 struct doca_log_backend **backend);

/*
 * doca_log_backend_set_sdk_level() - the least severe level that passes.
 * backend: an SDK backend. level: a doca_log_level.
 * Errors: INVALID_VALUE: NULL or application backend, unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/*
 * doca_log_backend_create_with_file_sdk() - library lines to a stream, flushed line by line.
 * fptr: borrowed, must stay open until the process ends. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_file_sdk(FILE *fptr, struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_fd_sdk() - library lines to a descriptor.
 * fd: borrowed, must stay open until the process ends. backend: lent until the process ends.
 * Errors: INVALID_VALUE: fd below 0, backend NULL. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_buf_sdk() - library lines to memory and a function.
 * buf: borrowed until the process ends, capacity bytes. Each line is put at its start, cut to fit
 * with its NUL, then handler is called. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument, capacity 0. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_buf_sdk(char *buf, size_t capacity,
						  log_flush_callback handler,
						  struct doca_log_backend **backend);

/*
 * doca_log_backend_create_with_syslog_sdk() - library lines to the system's log.
 * name: copied, the program's name there. backend: lent until the process ends.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory for the backend.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
						     struct doca_log_backend **backend);

/*
 * doca_log_level_set_global_sdk_limit() - level of every SDK backend.
 * level: a doca_log_level, INFO at the start. Holds for the backends that exist and for new ones,
 * and for standard error while there is no SDK backend, which is at WARNING before the first call.
 * Errors: INVALID_VALUE: unknown level.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/*
 * doca_log_level_get_global_sdk_limit() - what new SDK backends start with.
 * Returns: a doca_log_level.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint32_t doca_log_level_get_global_sdk_limit(void);

/*
 * doca_log_backend_create_standard() - the usual pair of application backends.
 * Standard output takes INFO and less severe, standard error WARNING and more severe, each within
 * the global limits. There is no handle, so only the global limits reach them. A second call makes
 * a second pair: every line twice.
 * Errors: NO_MEMORY: no memory for the backends.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log_backend_create_standard(void);

/*
 * doca_log() - log one line; the DOCA_LOG macros fill in the first five arguments.
 * level: CRIT to TRACE. source: from doca_log_register_source(). fname, line, func: the place in
 * the code, not printed, may be NULL. format: borrowed for the call, printf's; the newline is
 * added. A line over 64 KiB is cut; one that no backend lets pass is a success.
 * Errors: INVALID_VALUE: format NULL, no such source, unknown level or DISABLE.
 * Thread: any. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...) __attribute__((format(printf, 6, 7)));

/* All of these need DOCA_LOG_REGISTER in the same file. */
#define DOCA_LOG(level, format, ...) \
	doca_log(level, log_source, __FILE__, __LINE__, __func__, format, ##__VA_ARGS__)
#define DOCA_LOG_CRIT(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, format, ##__VA_ARGS__)
#define DOCA_LOG_ERR(format, ...)  DOCA_LOG(DOCA_LOG_LEVEL_ERROR, format, ##__VA_ARGS__)
#define DOCA_LOG_WARN(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, format, ##__VA_ARGS__)
#define DOCA_LOG_INFO(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, format, ##__VA_ARGS__)
#define DOCA_LOG_DBG(format, ...)  DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, format, ##__VA_ARGS__)

/* Compiled only where DOCA_LOGGING_ALLOW_TRACE is defined. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(format, ...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, format, ##__VA_ARGS__)
#else
#define DOCA_LOG_TRC(format, ...) \
	do {                      \
	} while (0)
#endif

/*
 * At file scope, once a file, with a semicolon after it: register the file's source, named as
 * written (A::B included), before main() or when the module is loaded. The last line is there for
 * the caller's semicolon.
 */
#define DOCA_LOG_REGISTER(source)                                                             \
	static int log_source;                                                                \
	static void __attribute__((constructor(101), used)) doca_log_register_this_file(void) \
	{                                                                                     \
		(void)doca_log_register_source(#source, &log_source);                         \
	}                                                                                     \
	struct doca_log_backend

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
