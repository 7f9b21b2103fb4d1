/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_SOURCE_H_
#define CORE_LOG_SOURCE_H_

/*
 * Who logs. A source has a class, and from the environment it may have a level of its own and a
 * limit of lines a second; docs/compatibility.md tells of the variables.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/export.h"
#include "core/log_backend.h"

struct log_source {
	char *name; /* owned; NULL: the slot is free */
	enum log_class class;
	uint32_t level;     /* takes the place of the backends' lower limits; 0: it has none */
	int64_t second;     /* of the monotonic clock, in which the next two counted */
	uint32_t num_lines; /* let through */
	uint32_t num_held;  /* over the limit */
};

#define LOG_MAX_SOURCES 4096

/*
 * A slot is free while its name is NULL; entries never move, so a lookup takes no lock. Numbers
 * begin at 1: a file whose registration failed has 0, and must not log as somebody else.
 */
extern struct log_source log_sources[LOG_MAX_SOURCES] CORE_HIDDEN;

/* The source of that number, or NULL. In line, as the next: a level that is off is to cost nothing.
 */
static inline struct log_source *log_source_find(int source)
{
	struct log_source *entry;

	if (source < 1 || source > LOG_MAX_SOURCES)
		return NULL;
	entry = &log_sources[source - 1];
	return __atomic_load_n(&entry->name, __ATOMIC_ACQUIRE) != NULL ? entry : NULL;
}

/* Would a line of this source and level reach anybody? */
static inline bool log_source_wants(const struct log_source *source, uint32_t level)
{
	return source->level != 0 ? level <= source->level
				  : log_backend_wants(source->class, level);
}

/*
 * Counts a line against the limit of lines a second. False: the line is over it.
 * num_held: how many were over it in seconds that are past and were not told of yet; 0 mostly.
 * Thread: any.
 */
bool log_source_admit(struct log_source *source, uint32_t *num_held);

#endif /* CORE_LOG_SOURCE_H_ */
