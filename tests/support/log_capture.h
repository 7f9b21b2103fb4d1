/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOG_CAPTURE_H_
#define LOG_CAPTURE_H_

/*
 * For tests of the log itself: backends that keep what reached them, and what a line must look
 * like.
 */

#include <doca_log.h>

/* Room for the longest line that the log lets through. */
#define LOG_CAPTURE_BYTES (80 * 1024)

enum log_capture_class {
	LOG_CAPTURE_APP,
	LOG_CAPTURE_SDK,
};

/* A buffer backend; static, because a backend lives until the process ends. */
struct log_capture {
	char line[LOG_CAPTURE_BYTES]; /* the last one; first, so that it leads to its capture */
	unsigned int num_lines;
	struct doca_log_backend *backend;
};

/* Makes the backend, with the limits that are global now; counts anew when it is there. */
void log_capture_start(struct log_capture *capture, enum log_capture_class kind);

/* Silences the backend for good, so that it does not hear the lines of later tests. */
void log_capture_stop(struct log_capture *capture);

/* Gives the number of lines since the last call. */
unsigned int log_capture_take(struct log_capture *capture);

/* Fails unless the line is one of this process, of about now, with one newline, at its end. */
void log_line_check(const char *line, const char *tag, const char *source, const char *message);

/* Where the message of a line begins. */
const char *log_line_message(const char *line);

#endif /* LOG_CAPTURE_H_ */
