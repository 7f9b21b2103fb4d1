/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_WORKERS_H_
#define UROMD_WORKERS_H_

/*
 * Worker processes. One is started for the first connection to its id, and asked to end when the
 * last one was stopped, or was lost and nobody came in its place (linger.h); its id is free when
 * the process was reaped, and not before.
 */

#include <sys/types.h>

#include "urom/daemon/base/identity.h"
#include "urom/daemon/process/ending.h"
#include "urom/daemon/process/pidfd.h"
#include "urom/daemon/process/usage.h"
#include "urom/daemon/sessions/conns.h"
#include "urom/daemon/workers/call.h"
#include "urom/daemon/workers/worker_log.h"

struct uromd_daemon;

enum uromd_worker_state {
	UROMD_WORKER_STARTING, /* it opens its plugins */
	UROMD_WORKER_READY,
	UROMD_WORKER_LINGERING, /* ready, but its last host was lost */
	UROMD_WORKER_ENDING,    /* nobody new gets to it; the process is still there */
};

/* "worker 18446744073709551615 (pid 4194304)" */
#define UROMD_WORKER_LABEL_SIZE 48

struct uromd_worker {
	struct uromd_daemon *daemon; /* borrowed */
	TAILQ_ENTRY(uromd_worker) link;
	uint64_t id;
	enum uromd_worker_state state;
	bool is_asked;     /* its end is the daemon's wish */
	bool has_begun;    /* its program runs: it has said hello */
	bool has_served;   /* a host was let in */
	bool has_failed;   /* it has said so, and ends by itself */
	bool has_died;     /* not as it should */
	const char *cause; /* of an end that only the daemon knows the reason of; NULL: none */
	pid_t pid;         /* its name, also when it is gone */
	struct uromd_pidfd process;
	struct uromd_call call;
	uid_t uid;                   /* that the process runs as */
	struct uromd_identity owner; /* for whom it was started */
	uint64_t plugins;            /* bits */
	bool has_group;
	uint32_t group;
	bool has_cpuset;
	uint8_t cpuset[WIRE_CPUSET_SIZE];
	struct uromd_bytes channel_addr;
	struct uromd_bytes plugin_addrs; /* of struct wire_plugin_addr */
	struct uromd_session *session;   /* NULL: it has ended */
	struct uromd_conn_list conns;    /* all states but QUEUED */
	struct uromd_conn_list queue;    /* QUEUED: for the one that comes after it */
	unsigned int num_conns;          /* in both */
	struct uromd_ending ending;      /* of the process */
	struct uromd_worker_log log;
	struct uromd_usage usage;            /* at the last look */
	sd_event_source *timer;              /* of bring-up, of lingering, of closing */
	uint64_t lost_at;                    /* when it began to linger, as a number of order */
	char label[UROMD_WORKER_LABEL_SIZE]; /* for log lines */
};

TAILQ_HEAD(uromd_worker_list, uromd_worker);

struct uromd_workers {
	struct uromd_worker_list list; /* by id, ascending */
	unsigned int count;
	uint64_t next_any; /* the next id that the daemon tries to choose */
	uint64_t num_lost; /* times that a worker has begun to linger */
};

void uromd_workers_init(struct uromd_workers *workers);

/* Kills all of them and waits for nobody. The sessions are gone. */
void uromd_workers_fini(struct uromd_workers *workers);

/* The worker of that id; NULL: the id is free. */
struct uromd_worker *uromd_workers_find(const struct uromd_workers *workers, uint64_t id);

/*
 * Starts the process that a host asks for, under an id that is free.
 * session: the host's. worker: lent. Errors: SHUTDOWN: the daemon ends. FULL: too many. As the
 * system has them: it cannot be started. failure tells.
 */
doca_error_t uromd_worker_create(struct uromd_session *session, const struct uromd_request *request,
				 struct uromd_worker **worker, struct uromd_failure *failure);

/* Are there as many as there may be? */
bool uromd_workers_are_full(const struct uromd_daemon *daemon);

/*
 * The ids of the ready workers of a group that the viewer may see, ascending, as a list of struct
 * wire_id. ids: written on success, to be freed with uromd_bytes_fini(). Errors: NO_MEMORY.
 */
doca_error_t uromd_workers_get_group(const struct uromd_workers *workers, uint32_t group,
				     const struct uromd_identity *viewer, struct uromd_bytes *ids);

/* --- What its session hears --- */

/* Has it said that it is ready? Also when its last host was lost since. */
bool uromd_worker_is_ready(const struct uromd_worker *worker);

/* It has opened its plugins and listens. ready: copied. */
void uromd_worker_set_ready(struct uromd_worker *worker, const struct wire_worker_ready *ready);

/* It cannot do so, and ends by itself. */
void uromd_worker_set_failed(struct uromd_worker *worker, const struct wire_failure *told);

/* Its control connection has ended. */
void uromd_worker_lost(struct uromd_worker *worker);

/* --- Its end --- */

/* A host of it was lost. Ends it, now or later, if it has no connections left. */
void uromd_worker_release(struct uromd_worker *worker);

/* Asks it to close its plugins and to exit; kills it when it does not. */
void uromd_worker_shutdown(struct uromd_worker *worker);

/* Ends it at once. cause: static, "did ... and was killed"; NULL: none. */
void uromd_worker_kill(struct uromd_worker *worker, const char *cause);

/* The process was reaped: frees the worker. died: why, for hosts that did not stop it. */
void uromd_worker_gone(struct uromd_worker *worker, const struct uromd_failure *died);

#endif /* UROMD_WORKERS_H_ */
