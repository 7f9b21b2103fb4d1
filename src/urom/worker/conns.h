/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_CONNS_H_
#define UROMW_CONNS_H_

/*
 * Hosts, which the daemon has announced with a ticket, and the connections of the data path, each
 * of which is a stranger's until it has shown one. Nothing here speaks; a connection that it ends
 * it disconnects.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_error.h>

#include "urom/chan/chan.h"
#include "urom/wire/wire_messages.h"

enum uromw_conn_state {
	UROMW_CONN_GUEST,    /* has to show its ticket */
	UROMW_CONN_ATTACHED, /* is a host's */
	UROMW_CONN_DETACHED, /* was a host's, who is to close it */
	UROMW_CONN_REFUSED,  /* is to read why, and close it */
	UROMW_CONN_NUM_STATES,
};

struct uromw_conn {
	struct chan_conn *chan_conn; /* its user is this */
	enum uromw_conn_state state;
	struct uromw_host *host;      /* NULL: a guest's, or one who was refused */
	uint64_t deadline_ns;         /* until when it may be in that state; not of ATTACHED */
	LIST_ENTRY(uromw_conn) entry; /* of those with a deadline; not of ATTACHED */
};

struct uromw_host {
	uint64_t connection;    /* its number; what plugins know as dest_id */
	uint32_t max_message;   /* bytes */
	bool has_ticket;        /* not spent yet */
	uint64_t ticket_end_ns; /* from when on it is void */
	uint8_t ticket[WIRE_TICKET_SIZE];
	char name[WIRE_MAX_HOST + 1];
	struct uromw_conn *conn;      /* NULL: it has none, or none any more */
	unsigned int num_outstanding; /* commands that no notification has ended yet */
	LIST_ENTRY(uromw_host) entry;
};

LIST_HEAD(uromw_conn_list, uromw_conn);
LIST_HEAD(uromw_host_list, uromw_host);

/* Zeroed memory is an empty one. */
struct uromw_conns {
	struct uromw_host_list hosts;
	unsigned int num_hosts;
	struct uromw_conn_list waiting; /* those with a deadline */
	unsigned int num_guests;        /* GUEST or REFUSED */
	unsigned int num_waiting;
};

/* Frees all, and speaks to no channel: it is gone before. */
void uromw_conns_fini(struct uromw_conns *conns);

/*
 * A host that may attach, within UROMW_TICKET_MS. ticket: copied.
 * Errors: ALREADY_EXIST: its number is known. INVALID_VALUE: a message limit that no message
 * fits into. FULL: over UROMW_MAX_HOSTS. NO_MEMORY.
 */
doca_error_t uromw_conns_add_host(struct uromw_conns *conns, const struct wire_ticket *ticket,
				  uint64_t now_ns);

/* Hosts that may still attach. */
unsigned int uromw_conns_count_awaited(const struct uromw_conns *conns, uint64_t now_ns);

/* The host of a number, or NULL. */
struct uromw_host *uromw_conns_find_host(struct uromw_conns *conns, uint64_t connection);

/* Forgets a host, of whom no command may be outstanding, and disconnects it. */
void uromw_conns_remove_host(struct uromw_conns *conns, struct uromw_host *host);

/*
 * A connection that has come. When it is one over UROMW_MAX_GUESTS, the oldest of them is
 * disconnected: a host shows its ticket at once, so who has waited for long is none.
 * Errors: NO_MEMORY.
 */
doca_error_t uromw_conns_add(struct uromw_conns *conns, struct chan_conn *chan_conn,
			     uint64_t now_ns);

/*
 * Makes a guest's connection the one of the host whose ticket it shows, and spends the ticket.
 * Errors: AUTHENTICATION.
 */
doca_error_t uromw_conns_attach(struct uromw_conns *conns, struct uromw_conn *conn,
				const struct wire_attach *attach, uint64_t now_ns);

/* Moves a connection to a state in which it waits for its end. state: REFUSED or DETACHED. */
void uromw_conns_retire(struct uromw_conns *conns, struct uromw_conn *conn,
			enum uromw_conn_state state, uint64_t now_ns);

/* Forgets a connection that is closed already. */
void uromw_conns_remove(struct uromw_conns *conns, struct uromw_conn *conn);

/* Disconnects those whose time is over; returns when the next one's is, UINT64_MAX: none. */
uint64_t uromw_conns_expire(struct uromw_conns *conns, uint64_t now_ns);

#endif /* UROMW_CONNS_H_ */
