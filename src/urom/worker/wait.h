/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_WAIT_H_
#define UROMW_WAIT_H_

/*
 * What the worker does when there is nothing to do: it spins for a short while, because to be woken
 * takes longer than most answers, and then sleeps on descriptors. Plugins that have none are looked
 * at from time to time, less and less often.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "urom/worker/limits.h"

struct uromw_worker;

/* Control path, signals, channel, and the plugins. */
#define UROMW_WAIT_FIXED_FDS 3

/* Zeroed memory is one that has seen nothing yet. */
struct uromw_wait {
	unsigned int turns_to_look; /* turns left before the clock is read again */
	bool is_active;             /* something has happened since then */
	bool yields;                /* the turns until then let others run */
	uint64_t active_ns;         /* when something has happened last */
	bool has_traffic;           /* a command or a notification since then; set by their ways */
	uint64_t traffic_ns;        /* when there was one last */
	uint64_t control_ns;        /* when the control path was looked at last */
	uint64_t expiry_ns;         /* when the next connection's time is over */
	uint64_t tick_ns;           /* the last sleep, with plugins that are polled; 0: none */
	struct pollfd fds[UROMW_WAIT_FIXED_FDS + UROMW_MAX_PLUGINS];
};

/*
 * How long to sleep before plugins are polled again.
 * idle_ns: for how long there was neither command nor notification. last_ns: what this gave last,
 * since then; 0: not yet. has_commands: one of them has commands.
 */
uint64_t uromw_wait_tick(uint64_t idle_ns, uint64_t last_ns, bool has_commands);

/* After each turn of the loop: has something happened in it? Returns when the next is due. */
void uromw_wait_turn(struct uromw_worker *worker, bool is_active);

#endif /* UROMW_WAIT_H_ */
