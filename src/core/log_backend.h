/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_BACKEND_H_
#define CORE_LOG_BACKEND_H_

/*
 * Where log lines go. A backend belongs to one of two classes, lets a range of levels through and
 * hands whole lines to its sink. All of it is private to the log's files.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_log.h>

#include "core/export.h"

enum log_class {
	LOG_CLASS_APP,
	LOG_CLASS_SDK,
	LOG_NUM_CLASSES,
};

/* The most talkative level that any backend of a class takes. Thread: any. */
uint32_t log_backend_wanted(enum log_class class);

/*
 * Hands one finished line to each backend of the class that lets its level through; an SDK line
 * goes to standard error when there is no SDK backend.
 * has_own_level: the source's level has let it through, so lower limits do not count any more.
 * line: borrowed for the call, len bytes with its newline, NUL after them.
 * Thread: any; lines never mix. Source: ours.
 */
void log_backend_emit(enum log_class class, uint32_t level, bool has_own_level, const char *line,
		      size_t len);

/* The tags of levels, by level; NULL: it is no level that a line may have. */
#define LOG_NUM_LEVEL_TAGS (DOCA_LOG_LEVEL_TRACE + 1)
extern const char *const log_level_tags[LOG_NUM_LEVEL_TAGS] CORE_HIDDEN;

static inline const char *log_level_tag(uint32_t level)
{
	return level < LOG_NUM_LEVEL_TAGS ? log_level_tags[level] : NULL;
}

#endif /* CORE_LOG_BACKEND_H_ */
