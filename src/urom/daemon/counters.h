/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_COUNTERS_H_
#define UROMD_COUNTERS_H_

/*
 * What each limit has to do with: how much there is, how much there was at most, and how often
 * somebody was turned away or ended over it. Zeroed memory has counted nothing.
 */

#include "urom/daemon/base/bytes.h"
#include "urom/daemon/config/limit_table.h"

struct uromd_counter {
	uint64_t value;   /* now; of a worker's: at the last look, the largest there was */
	uint64_t highest; /* ever */
	uint64_t num_hits;
};

struct uromd_counters {
	struct uromd_counter of[UROMD_NUM_LIMITS];
};

/* The value has become another. */
void uromd_counter_set(struct uromd_counters *counters, enum uromd_limit_id id, uint64_t value);

/* There was so much of it for a moment; the value is somebody else's to set. */
void uromd_counter_reach(struct uromd_counters *counters, enum uromd_limit_id id, uint64_t value);

/* The limit was reached once more. */
void uromd_counter_hit(struct uromd_counters *counters, enum uromd_limit_id id);

/* Logs a line for each limit: "limit max-workers: value=1 highest=3 limit=1024 hits=0". */
void uromd_counters_log(const struct uromd_counters *counters,
			const struct uromd_limit_values *limits);

/* Logs one line of what was reached at most, for the end of the daemon. */
void uromd_counters_log_end(const struct uromd_counters *counters);

/*
 * The same for an operator: a list of struct wire_counter.
 * list: written on success, to be freed with uromd_bytes_fini(). Errors: NO_MEMORY.
 */
doca_error_t uromd_counters_encode(const struct uromd_counters *counters,
				   const struct uromd_limit_values *limits,
				   struct uromd_bytes *list);

#endif /* UROMD_COUNTERS_H_ */
