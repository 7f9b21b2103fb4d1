/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LOOKS_H_
#define UROMD_LOOKS_H_

/*
 * Looks into the directories of the search path, one at a time. A directory may be on a file
 * system that does not answer any more, so each look is a short-lived process, and the loop goes
 * on. It tells which directory it is in. When one takes too long, the process is left alone there,
 * and another one looks into the rest. As long as it is there, looks leave that directory out at
 * once: so nobody waits for it again, and it never has more than one process.
 */

#include <systemd/sd-event.h>

#include <doca_error.h>

#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/complaints.h"

struct uromd_looks;

/*
 * What a look has come to. candidates, complaints: taken; NULL: it has failed, and was logged.
 */
typedef void (*uromd_looked_fn)(void *arg, struct uromd_candidates *candidates,
				struct uromd_complaints *complaints);

/*
 * search_path: copied; directories between ';'. looked: called once for each look; another one may
 * begin within it. looks: owned. Errors: NO_MEMORY.
 */
doca_error_t uromd_looks_create(sd_event *event, const char *search_path, uromd_looked_fn looked,
				void *arg, struct uromd_looks **looks);

/* Kills the processes. A look that goes on is forgotten. Accepts NULL. */
void uromd_looks_destroy(struct uromd_looks *looks);

/*
 * Begins a look; none goes on. It is over within UROMD_MAX_LATE_PLACES times UROMD_PROBE_LATE_S,
 * and within this call when there are no directories to look into.
 * Errors: as the system has them: looked is not called.
 */
doca_error_t uromd_looks_begin(struct uromd_looks *looks);

#endif /* UROMD_LOOKS_H_ */
