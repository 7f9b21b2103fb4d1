/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_DAEMON_H_
#define UROMD_DAEMON_H_

/*
 * The service as a whole. One event loop, one thread; nothing in it waits. What a peer, a worker or
 * a plugin does ends a session or a worker at most, never the daemon.
 *
 * Sessions are control connections (session.h). A host's session has connections to workers
 * (conns.h), a worker's session belongs to a worker (workers.h). Whatever ends a session only marks
 * it: it goes when the loop comes round, so that nobody's loop over sessions or connections is
 * disturbed.
 */

#include <sys/resource.h>

#include <systemd/sd-event.h>

#include "urom/daemon/base/throttle.h"
#include "urom/daemon/config/config.h"
#include "urom/daemon/config/cpus.h"
#include "urom/daemon/counters.h"
#include "urom/daemon/listener.h"
#include "urom/daemon/plugins/plugins.h"
#include "urom/daemon/sessions/credential.h"
#include "urom/daemon/sessions/session.h"
#include "urom/daemon/workers/watch.h"
#include "urom/daemon/workers/workers.h"

struct uromd_daemon {
	const struct uromd_config *config; /* borrowed */
	sd_event *event;
	sd_event_source *signals[3];
	struct uromd_cpus cpus;
	struct uromd_plugins *plugins;
	struct uromd_listener listener;
	struct uromd_sessions sessions;
	struct uromd_credentials credentials;
	struct uromd_workers workers;
	uint64_t last_conn;     /* a number is never used twice */
	uint64_t num_env_bytes; /* of environment that the open starts keep */
	uint64_t user_ns;       /* chan_user_namespace(): of workers, too */
	struct rlimit fd_limit; /* as it was, for workers */
	char *port_file;        /* owned: that was written; NULL: none */
	bool is_draining;       /* SIGTERM has come: nothing new begins */
	struct uromd_counters counters;
	struct uromd_watch watch;
	sd_event_source *after; /* what is looked at after every turn of the loop */
	struct uromd_throttles throttles;
	sd_event_source
	    *settling; /* until what was left out of the log was said; NULL: nothing was */
};

/*
 * A daemon that listens. config: settled, borrowed, must outlive it; gets the cookie when there
 * was none. daemon: owned.
 * SIGCHLD, SIGINT, SIGTERM and SIGUSR1 must be blocked. Errors: as what failed; the log tells.
 */
doca_error_t uromd_daemon_create(struct uromd_config *config, struct uromd_daemon **daemon);

/* Kills workers that are still there. Accepts NULL and one that was not made in full. */
void uromd_daemon_destroy(struct uromd_daemon *daemon);

/* Serves until a signal ends it; gives the exit status. */
int uromd_daemon_run(struct uromd_daemon *daemon);

/* The time of this turn of the loop, in microseconds of the monotonic clock. */
uint64_t uromd_daemon_now_usec(const struct uromd_daemon *daemon);

/* May a line about a stranger be logged? What is left out is counted, and said when it is over. */
bool uromd_daemon_may_log(struct uromd_daemon *daemon, enum uromd_throttle_kind kind);

/* To be called when a worker has gone: the end of a daemon that drains. */
void uromd_daemon_worker_gone(struct uromd_daemon *daemon);

#endif /* UROMD_DAEMON_H_ */
