/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_LOGS_H_
#define UROM_LOGS_H_

/*
 * The log files of a daemon and its workers. As with the log of the test's own process, a warning
 * or an error is taken by the test, or fails it.
 */

#include <stdbool.h>
#include <stddef.h>

#define UROM_LOGS_MAX_TAKEN 256

struct urom_logs {
	char dir[1024];
	char *taken[UROM_LOGS_MAX_TAKEN]; /* owned: the lines */
	size_t num_taken;
};

void urom_logs_init(struct urom_logs *logs, const char *dir);
void urom_logs_fini(struct urom_logs *logs);

/* Is there a line with that text? file: the beginning of the log's name, or NULL for any. */
bool urom_logs_have(const struct urom_logs *logs, const char *file, const char *part);

/* Waits until there is; fails after 10 s. */
void urom_logs_wait(const struct urom_logs *logs, const char *file, const char *part);

/* The same, and writes the first of these lines to line. */
void urom_logs_get(const struct urom_logs *logs, const char *file, const char *part, char *line,
		   size_t size);

/* Takes one warning or error with that text, and waits for it as well. */
void urom_logs_take(struct urom_logs *logs, const char *part);

/* Takes all that have it, those that come later too. */
void urom_logs_take_all(struct urom_logs *logs, const char *part);

/*
 * Writes what nobody has taken to text, or the report of a sanitizer; false when there is none.
 */
bool urom_logs_complain(const struct urom_logs *logs, char *text, size_t size);

/* Bytes of all logs whose name begins with file. */
size_t urom_logs_size(const struct urom_logs *logs, const char *file);

#endif /* UROM_LOGS_H_ */
