/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MUNGE_RIG_H_
#define MUNGE_RIG_H_

/*
 * A munged of the test's own, with a key of its own, in a directory of its own: whatever runs on
 * the machine has no part in it. Credentials are made and spent in the test's process.
 */

#include <sys/types.h>

#include "program.h"
#include "urom/auth/auth_munge.h"

struct munge_rig {
	char dir[64];
	char socket[96];
	struct program program; /* its pid: of munged */
};

/* Starts it, and waits until it answers. Fails where the program munged is not installed. */
void munge_rig_init(struct munge_rig *rig);

/* Ends it; may be called again. */
void munge_rig_stop(struct munge_rig *rig);

/* Ends it, unless that was done, and removes the directory. */
void munge_rig_fini(struct munge_rig *rig);

/*
 * A credential of this process's user for a handshake. credential: of WIRE_MAX_PROOF bytes; ttl_s:
 * how long it is good for, 0: the usual time. Returns: its length.
 */
uint32_t munge_rig_encode(const struct munge_rig *rig, const struct auth_context *context,
			  int ttl_s, uint8_t *credential);

#endif /* MUNGE_RIG_H_ */
