/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SESSION_H_
#define UROMD_SESSION_H_

/*
 * A control connection: a host's or an operator's over TCP, or a worker's over a pair of sockets.
 * It greets (handshake.c), then serves its role, and does not read what it is sent as long as its
 * own answers wait.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include <systemd/sd-event.h>

#include "urom/auth/auth_proof.h"
#include "urom/chan/chan_address.h"
#include "urom/chan/chan_stream.h"
#include "urom/daemon/base/failure.h"
#include "urom/daemon/base/identity.h"
#include "urom/daemon/sessions/conns.h"

struct uromd_credential;
struct uromd_daemon;
struct uromd_scan;
struct uromd_session;
struct uromd_worker;

enum uromd_session_state {
	UROMD_SESSION_GREETING,  /* HELLO is awaited */
	UROMD_SESSION_PROVING,   /* HELLO was good; PROOF is awaited */
	UROMD_SESSION_CHECKING,  /* PROOF is being looked at */
	UROMD_SESSION_WELCOMING, /* may come in; the plugins are being looked for */
	UROMD_SESSION_OPEN,
	UROMD_SESSION_LEAVING, /* refused; the peer may still read why */
	UROMD_SESSION_OVER,    /* goes when the loop comes round */
	UROMD_SESSION_NUM_STATES,
};

/* What a session does once it is open. */
struct uromd_role {
	const char *name;
	/* message: lent, until something is sent to this session. */
	void (*received)(struct uromd_session *session, const struct chan_message *message);
	/* The session goes: so must what refers to it. */
	void (*closed)(struct uromd_session *session);
};

/* "session 18446744073709551615 (node1 at 127.0.0.1:40000)" */
#define UROMD_LABEL_SIZE (WIRE_MAX_HOST + CHAN_ADDR_TEXT + 48)

struct uromd_session {
	struct uromd_daemon *daemon; /* borrowed */
	TAILQ_ENTRY(uromd_session) link;
	uint64_t number;
	uint64_t begun_usec; /* of the loop's clock */
	enum uromd_session_state state;
	const struct uromd_role *role; /* NULL: as HELLO says */
	struct chan_stream stream;
	sd_event_source *io;
	sd_event_source *timer;  /* the handshake's bound, then that of leaving */
	sd_event_source *turn;   /* goes on without news of the socket, or destroys */
	struct uromd_scan *scan; /* while WELCOMING */
	uint64_t hello_id;
	uint16_t version;
	struct auth_context auth;            /* what a proof is about */
	struct uromd_credential *credential; /* while CHECKING, of some methods */
	struct sockaddr_storage local;       /* the daemon's end */
	char peer[CHAN_ADDR_TEXT];
	char host[WIRE_MAX_HOST + 1];   /* as the peer calls itself; cleaned */
	struct uromd_identity identity; /* the peer's user */
	char label[UROMD_LABEL_SIZE];   /* for log lines */
	uint32_t max_message;           /* bytes; as a host's HELLO has it */
	struct uromd_conn_list conns;   /* of a host */
	unsigned int num_conns;         /* of them */
	struct uromd_worker *worker;    /* of a worker; NULL: it has gone */
};

TAILQ_HEAD(uromd_session_list, uromd_session);

struct uromd_sessions {
	struct uromd_session_list list; /* the oldest first */
	unsigned int count;             /* of hosts and operators that were let in */
	unsigned int num_half_open;     /* greeting or leaving */
	uint64_t last_number;
};

extern const struct uromd_role uromd_role_host;
extern const struct uromd_role uromd_role_worker;
extern const struct uromd_role uromd_role_operator;

static inline bool uromd_session_is_worker(const struct uromd_session *session)
{
	return session->role == &uromd_role_worker;
}

/* Is it a stranger's, who has not shaken hands yet, or will not? */
bool uromd_session_is_half_open(const struct uromd_session *session);

void uromd_sessions_init(struct uromd_sessions *sessions);

/* Ends all of them at once. */
void uromd_sessions_fini(struct uromd_sessions *sessions);

/*
 * A session for a connection that was accepted; the oldest that has not shaken hands makes room.
 * fd: taken. peer: who it is. Errors: NO_MEMORY. As the system has them. The log tells.
 */
doca_error_t uromd_session_accept(struct uromd_daemon *daemon, int fd, const struct sockaddr *peer);

/* The session of a new worker. fd: taken. session: lent. Errors: NO_MEMORY. */
doca_error_t uromd_session_create_worker(struct uromd_daemon *daemon, int fd,
					 struct uromd_worker *worker,
					 struct uromd_session **session);

/* Sends a message, or ends the session that does not take it. Nothing in one that is over. */
void uromd_session_send(struct uromd_session *session, uint16_t type, uint64_t id,
			const void *record);

/*
 * Receives what has come already; for a worker that is dead. Not more than that can be, for what
 * the worker has started may still hold its end, and go on.
 */
void uromd_session_drain(struct uromd_session *session);

/* Says REFUSED and lets the peer go; logs why. */
void uromd_session_refuse(struct uromd_session *session, const struct uromd_failure *failure);

/* HELLO was good, and the next message must be a proof. */
void uromd_session_await_proof(struct uromd_session *session);

/* The proof has come: nothing is received until something is decided. */
void uromd_session_check_proof(struct uromd_session *session);

/* Has the plugins looked for; done(session) runs later, or at once when that cannot be. */
void uromd_session_await_plugins(struct uromd_session *session, void (*done)(void *arg));

/* The handshake is over. */
void uromd_session_open(struct uromd_session *session);

/* Ends a session whose peer breaks the protocol; logs what it did. */
void uromd_session_break(struct uromd_session *session, const struct chan_message *message,
			 const char *what);

/* Ends a session; the caller has logged why. Harmless for one that is over. */
void uromd_session_end(struct uromd_session *session);

/* Writes the label anew, when more is known of the peer. */
void uromd_session_set_label(struct uromd_session *session);

#endif /* UROMD_SESSION_H_ */
