/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIMITS_RIG_H_
#define LIMITS_RIG_H_

/*
 * A daemon whose limits others exceed, and a host with a worker who is not to be harmed by that.
 * There is one at a time.
 */

#include "rig_host.h"

struct limits_rig {
	struct daemon_rig daemon;

	/* Whoever is not to be harmed. */
	struct rig_host host;
	uint64_t worker_id, connection; /* of its worker */
	pid_t pid;
};

/* args: of the daemon, as for daemon_rig_init(). */
void limits_rig_begin(struct limits_rig *rig, const char *const *args);

/* The tenant's worker is the one that it was, and both answer. */
void limits_rig_check(struct limits_rig *rig);

/* Stops the tenant and the daemon, and checks that nothing is left. */
void limits_rig_end(struct limits_rig *rig);

/* The same, when the daemon may have something to say to the last. */
void limits_rig_end_noisily(struct limits_rig *rig);

/* That limit was hit so often. */
void limits_rig_check_hits(struct limits_rig *rig, const char *name, uint64_t num_hits);

#endif /* LIMITS_RIG_H_ */
