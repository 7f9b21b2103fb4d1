/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_THROTTLE_H_
#define UROMD_THROTTLE_H_

/*
 * Log lines that strangers can cause as often as they like: so many of each kind, then so many a
 * second, and the number of those that were left out. A bucket of tokens a kind.
 */

#include <stdbool.h>
#include <stdint.h>

enum uromd_throttle_kind {
	UROMD_THROTTLE_REFUSED,  /* peers that were refused */
	UROMD_THROTTLE_NONSENSE, /* what is no message, or none that may come */
	UROMD_THROTTLE_SILENT,   /* those without a handshake that made room */
	UROMD_NUM_THROTTLES,
};

#define UROMD_THROTTLE_BURST    200
#define UROMD_THROTTLE_A_SECOND 10

struct uromd_throttle {
	uint64_t now_usec; /* when num_used was true */
	unsigned int num_used;
	uint64_t num_left_out;
};

/* Zeroed memory has logged nothing yet. */
struct uromd_throttles {
	struct uromd_throttle of[UROMD_NUM_THROTTLES];
};

/*
 * May a line of that kind be logged? If so, and lines before it were left out, one says how many.
 */
bool uromd_throttle_take(struct uromd_throttles *throttles, enum uromd_throttle_kind kind,
			 uint64_t now_usec);

/* Says what was left out, now that time has passed; true: there is something left to say. */
bool uromd_throttles_settle(struct uromd_throttles *throttles, uint64_t now_usec);

#endif /* UROMD_THROTTLE_H_ */
