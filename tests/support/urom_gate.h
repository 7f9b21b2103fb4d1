/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_GATE_H_
#define UROM_GATE_H_

/* The test's side of points (urom_point.h): processes that come to one wait there to be let on. */

#include <limits.h>
#include <sys/types.h>

#include "urom_rig.h"

struct urom_gate {
	char path[PATH_MAX / 2]; /* of the FIFO in which they tell */
	char variable[PATH_MAX]; /* "UROM_POINT=NAME:PATH", for the environment of a worker */
	int told_fd;
	int go_fd;
};

/* Makes the FIFOs, in the rig's directory. point: of urom_test, or "exec" of UROM_GATED_WORKER. */
void urom_gate_init(struct urom_gate *gate, const struct urom_rig *rig, const char *point);

/* Removes them; who waits is let on. */
void urom_gate_fini(struct urom_gate *gate);

/* Has somebody come who was not looked at yet? */
bool urom_gate_is_reached(const struct urom_gate *gate);

/* Waits for somebody to come; fails after 20 s. */
pid_t urom_gate_wait(struct urom_gate *gate);

/* Lets one of those that wait go on, or the next to come. */
void urom_gate_open(struct urom_gate *gate);

#endif /* UROM_GATE_H_ */
