/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LIMIT_TABLE_H_
#define UROMD_LIMIT_TABLE_H_

/*
 * The limits that an operator may set: one row each, from which come the arguments, their bounds,
 * the counters and the table of docs/service-guide.md.
 */

#include <stdbool.h>
#include <stdint.h>

#include "urom/daemon/base/failure.h"

enum uromd_limit_id {
	UROMD_LIMIT_SESSIONS,
	UROMD_LIMIT_HALF_OPEN,
	UROMD_LIMIT_HANDSHAKE,
	UROMD_LIMIT_WORKERS,
	UROMD_LIMIT_SESSION_WORKERS,
	UROMD_LIMIT_ENVIRONMENTS,
	UROMD_LIMIT_MEMORY,
	UROMD_LIMIT_CPU_TIME,
	UROMD_LIMIT_FILES,
	UROMD_LIMIT_CORE,
	UROMD_LIMIT_MESSAGE,
	UROMD_LIMIT_UNREAD,
	UROMD_LIMIT_LOG_SIZE,
	UROMD_LIMIT_LOGS,
	UROMD_NUM_LIMITS,
};

/* What 0 says, where it is no number like others. */
enum uromd_limit_zero {
	UROMD_ZERO_IS_NUMBER,
	UROMD_ZERO_IS_NONE,      /* there is no limit */
	UROMD_ZERO_IS_INHERITED, /* the limit is the daemon's own */
};

struct uromd_limit {
	const char *name;       /* of the argument, and of the counter */
	const char *short_name; /* NULL: none */
	const char *unit;       /* as the usage has it */
	const char *what;       /* it bounds */
	uint64_t usual;         /* the default */
	uint64_t least;         /* besides 0, where that is no number */
	uint64_t most;
	bool is_bytes; /* takes K, M and G */
	enum uromd_limit_zero zero;
};

extern const struct uromd_limit uromd_limits[UROMD_NUM_LIMITS];

/* The values that hold; 0 as the row has it. */
struct uromd_limit_values {
	uint64_t of[UROMD_NUM_LIMITS];
};

/*
 * Reads a value as an operator writes it: decimal, and K, M or G behind bytes.
 * value: written on success. Errors: INVALID_VALUE: no such number, or out of its bounds; failure
 * names the argument.
 */
doca_error_t uromd_limit_parse(enum uromd_limit_id id, const char *text, uint64_t *value,
			       struct uromd_failure *failure);

/* Bytes of a text about a limit. */
#define UROMD_LIMIT_TEXT 64

/* A value as an operator would write it, such as "64M"; returns text. */
const char *uromd_limit_value_text(enum uromd_limit_id id, uint64_t value,
				   char text[UROMD_LIMIT_TEXT]);

/* What may be given, such as "64K to 1T; 0: no limit"; returns text. */
const char *uromd_limit_bounds_text(enum uromd_limit_id id, char text[UROMD_LIMIT_TEXT]);

/*
 * Fills in a failure over a limit that was reached: "what; --name of the daemon sets that limit".
 * what: "the service has 3 workers already". Returns error.
 */
doca_error_t uromd_limit_fail(struct uromd_failure *failure, doca_error_t error,
			      enum uromd_limit_id id, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif /* UROMD_LIMIT_TABLE_H_ */
