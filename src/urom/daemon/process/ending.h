/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ENDING_H_
#define UROMD_ENDING_H_

/*
 * The end of a child process, as the event loop is told of it. One that has ended cannot always be
 * reaped at once: whoever traces it has it first, and threads of it may want their turn. Its
 * descriptor is readable all the while, so it is looked at again a little later, and neither waited
 * for nor asked at every turn.
 */

#include <systemd/sd-event.h>

#include "urom/daemon/process/pidfd.h"

/* Zeroed memory watches nothing. */
struct uromd_ending {
	const struct uromd_pidfd *process; /* borrowed */
	void (*ended)(void *arg);
	void *arg;
	sd_event_source *source;
	sd_event_source *again; /* NULL: it did not have to wait */
};

/*
 * process: borrowed until uromd_ending_fini(). ended: called from the event loop once the process
 * can be reaped, or somebody else has done that; uromd_ending_fini() is to follow.
 * Returns 0, or an errno: nothing is watched.
 */
int uromd_ending_watch(struct uromd_ending *ending, sd_event *event,
		       const struct uromd_pidfd *process, void (*ended)(void *arg), void *arg);

void uromd_ending_fini(struct uromd_ending *ending);

#endif /* UROMD_ENDING_H_ */
