/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CPUS_H_
#define UROMD_CPUS_H_

/*
 * The processors that the daemon advertises, and which real ones stand behind them. Without a list
 * they are the same. With one, the advertised set is the list, and processor n of it is the n-th of
 * those that the daemon may use, modulo their number.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "urom/daemon/base/failure.h"

#define UROMD_NUM_CPUS 1024
_Static_assert(UROMD_NUM_CPUS == 8 * WIRE_CPUSET_SIZE, "a bit each");

struct uromd_cpus {
	uint8_t advertised[WIRE_CPUSET_SIZE]; /* bit n of byte n / 8 */
	bool is_logical;
	unsigned int num_allowed; /* at least 1 */
	uint16_t allowed[UROMD_NUM_CPUS];
};

/*
 * Reads a list as taskset -c has it: "0-3,8,16-31:4".
 * set: of WIRE_CPUSET_SIZE bytes, written on success only.
 * Errors: INVALID_VALUE: no such list, or a processor above 1023.
 */
doca_error_t uromd_cpus_parse(const char *list, uint8_t *set);

/* The processors that this process may use. Errors: as the system has them. */
doca_error_t uromd_cpus_get_allowed(cpu_set_t *allowed);

/*
 * list: NULL: advertise what is allowed.
 * Errors: INVALID_VALUE: the list is none, or nothing is allowed; failure tells.
 */
doca_error_t uromd_cpus_init(struct uromd_cpus *cpus, const cpu_set_t *allowed, const char *list,
			     struct uromd_failure *failure);

/* Is it a set that is not empty and part of what is advertised? */
bool uromd_cpus_is_part(const struct uromd_cpus *cpus, const uint8_t *set);

/* The real processors behind a part of what is advertised. */
void uromd_cpus_map(const struct uromd_cpus *cpus, const uint8_t *set, cpu_set_t *real);

#endif /* UROMD_CPUS_H_ */
