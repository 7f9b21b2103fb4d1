/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_BACKEND_H_
#define CORE_LOG_BACKEND_H_

/*
 * Where log lines go. A backend belongs to one of two classes, lets a range of levels through and
 * hands whole lines to its sink. All of it is private to the log's files.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_log.h>

enum log_class {
	LOG_CLASS_APP,
	LOG_CLASS_SDK,
	LOG_NUM_CLASSES,
};

/*
 * Would a line of this class and level reach any backend?
 * Cheap: one load and a comparison, so that disabled levels cost next to nothing.
 * Thread: any. Source: ours.
 */
int log_backend_wants(enum log_class class, uint32_t level);

/*
 * Hands one finished line to each backend of the class that lets its level through; an SDK line
 * goes to standard error when there is no SDK backend.
 * line: borrowed for the call, len bytes with its newline, NUL after them.
 * Thread: any; lines never mix. Source: ours.
 */
void log_backend_emit(enum log_class class, uint32_t level, const char *line, size_t len);

/* The three-letter tag of a level, or NULL when it is no level that a line may have. */
const char *log_level_tag(uint32_t level);

#endif /* CORE_LOG_BACKEND_H_ */
