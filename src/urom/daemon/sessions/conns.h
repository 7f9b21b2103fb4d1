/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CONNS_H_
#define UROMD_CONNS_H_

/*
 * Hosts' connections to workers. One begins with WORKER_START and is in the lists of its session
 * and of its worker until it goes; each request gets exactly one answer, unless its session ends.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <systemd/sd-event.h>

#include "urom/daemon/base/bytes.h"
#include "urom/daemon/base/failure.h"

struct uromd_session;
struct uromd_worker;

/* What a host asks for. */
struct uromd_request {
	uint64_t worker_id; /* UROMD_WORKER_ID_ANY: any */
	uint64_t plugins;   /* bits */
	bool has_group;
	uint32_t group;
	bool has_cpuset;
	uint8_t cpuset[WIRE_CPUSET_SIZE];
	uint32_t max_message;           /* bytes; the host's */
	struct uromd_bytes environment; /* of struct wire_entry */
};

#define UROMD_WORKER_ID_ANY UINT64_MAX

enum uromd_conn_state {
	UROMD_CONN_QUEUED,    /* a process that it takes the place of is still closing */
	UROMD_CONN_BRINGING,  /* the worker is not ready */
	UROMD_CONN_TICKETING, /* the worker is being told the ticket */
	UROMD_CONN_OPEN,      /* the host has it */
	UROMD_CONN_STOPPING,  /* the host waits for the end of the process */
};

struct uromd_conn {
	TAILQ_ENTRY(uromd_conn) of_session;
	TAILQ_ENTRY(uromd_conn) of_worker;
	struct uromd_session *session; /* of the host */
	struct uromd_worker *worker;   /* NULL: between two */
	enum uromd_conn_state state;
	bool is_deaf;      /* its host does not read; that was logged */
	uint64_t number;   /* that the worker knows the host by; 0: none yet */
	uint64_t exchange; /* of the request that is not answered */
	uint8_t ticket[WIRE_TICKET_SIZE];
	struct uromd_request request;
	sd_event_source *timer; /* of the start */
};

TAILQ_HEAD(uromd_conn_list, uromd_conn);

/* A host asks for a worker: exchange is answered, now or later. */
void uromd_conn_start(struct uromd_session *session, uint64_t exchange,
		      const struct wire_worker_start *start);

/* A host stops its connection: as above. */
void uromd_conn_stop(struct uromd_session *session, uint64_t exchange,
		     const struct wire_worker_stop *stop);

/* The host is gone, and with it all its connections. */
void uromd_conns_drop(struct uromd_session *session);

/* --- What a worker does to those that have to do with it --- */

/* It is ready: they get tickets. */
void uromd_conns_ready(struct uromd_worker *worker);

/* It knows the ticket of that connection. */
void uromd_conns_known(struct uromd_worker *worker, uint64_t number);

/* It does not take the host of that connection, whose start fails; those that it has stay. */
void uromd_conns_not_taken(struct uromd_worker *worker, uint64_t number,
			   const struct wire_ticket_refused *told);

/* It has ended that connection, whose host does not read; the host is told, and is to stop it. */
void uromd_conns_deaf(struct uromd_worker *worker, uint64_t number);

/* It will not be ready, or has gone: those that wait for it are refused. */
void uromd_conns_refuse(struct uromd_worker *worker, const struct uromd_failure *failure);

/* Its process has ended, so its list becomes empty. died: why, for hosts that did not stop it. */
void uromd_conns_gone(struct uromd_worker *worker, const struct uromd_failure *died);

/* The worker is gone and its id free: starts that waited for that go on. queue: becomes empty. */
void uromd_conns_resume(struct uromd_conn_list *queue);

#endif /* UROMD_CONNS_H_ */
