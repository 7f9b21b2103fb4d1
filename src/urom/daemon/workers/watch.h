/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_WATCH_H_
#define UROMD_WATCH_H_

/*
 * Looks after workers while there are any, once a second: how large their logs are, which then
 * begin anew, and what the processes use. A turn looks at a bounded number of them.
 */

#include <systemd/sd-event.h>

#include "urom/daemon/workers/worker_log.h"

struct uromd_daemon;
struct uromd_worker;

/* Zeroed memory watches nothing. */
struct uromd_watch {
	struct uromd_log_store logs;
	sd_event_source *timer; /* NULL: there are no workers */
	uint64_t next_id;       /* of the worker whose use is looked at next */
	bool is_failing;        /* that was logged */
};

/* Finds the logs that are there. Call it once the daemon logs. */
void uromd_watch_init(struct uromd_daemon *daemon);

void uromd_watch_fini(struct uromd_watch *watch);

/* There is to be a worker: it gets a log, or the daemon's standard error. */
void uromd_watch_prepare(struct uromd_daemon *daemon, struct uromd_worker *worker);

/* It has a process: from now on it is looked after. */
void uromd_watch_begin(struct uromd_daemon *daemon, struct uromd_worker *worker);

/* The process is gone; its log stays for a while. */
void uromd_watch_ended(struct uromd_daemon *daemon, struct uromd_worker *worker);

#endif /* UROMD_WATCH_H_ */
