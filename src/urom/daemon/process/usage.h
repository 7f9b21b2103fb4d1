/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_USAGE_H_
#define UROMD_USAGE_H_

/* What a process uses of what limits bound, as /proc tells it. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct uromd_usage {
	uint64_t memory_bytes; /* of address space */
	uint64_t filled_bytes; /* of it that are in memory */
	uint64_t cpu_s;        /* of all its threads */
	uint64_t num_files;    /* that are open */
};

/*
 * usage: written on success; of a process that has ended and was not reaped its processor time
 * alone, as the rest of it is gone. False: there is no such process.
 */
bool uromd_usage_read(pid_t pid, struct uromd_usage *usage);

#endif /* UROMD_USAGE_H_ */
