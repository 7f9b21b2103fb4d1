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
 * By number, the most talkative level of each source that reaches anybody; atomic. 0: there is no
 * such source. Numbers begin at 1: a file whose registration failed has 0, and must not log as
 * somebody else.
 */
extern uint32_t log_source_limits[LOG_MAX_SOURCES + 1] CORE_HIDDEN;

/* The limit of any number, in line: a level that is off is to cost next to nothing. Thread: any. */
static inline uint32_t log_source_limit(int source)
{
	if ((unsigned int)source > LOG_MAX_SOURCES)
		return 0;
	return __atomic_load_n(&log_source_limits[source], __ATOMIC_ACQUIRE);
}

/* The source of a number that has a limit. Thread: any. */
struct log_source *log_source_get(int source);

/* What the backends of a class take has changed: so has what its sources are heard of. */
void log_source_refresh(enum log_class class);

/*
 * Counts a line against the limit of lines a second. False: the line is over it.
 * num_held: how many were over it in seconds that are past and were not told of yet; 0 mostly.
 * Thread: any.
 */
bool log_source_admit(struct log_source *source, uint32_t *num_held);

#endif /* CORE_LOG_SOURCE_H_ */
