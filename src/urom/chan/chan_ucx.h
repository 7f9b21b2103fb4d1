/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_UCX_H_
#define CHAN_CHAN_UCX_H_

/*
 * The channel over UCX active messages, in six files: chan_ucx.c has the channel and the life of
 * its connections, chan_ucx_send.c and chan_ucx_receive.c the two directions, chan_ucx_wake.c
 * waiting, chan_ucx_listen.c peers for whom there is no descriptor, chan_ucx_config.c what UCX is
 * told.
 *
 * A message is one active message. Its UCX header is struct chan_ucx_head, its data the body. UCX
 * may let a short message overtake a long one; the sequence number puts them in order again.
 *
 * UCX calls back in ucp_worker_progress(), some of it with an endpoint in its hands. So nothing is
 * closed there: connections that fail or that the user gives up wait in the channel's `ending` list
 * until ucp_worker_progress() has returned.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <ucp/api/ucp.h>

/* Its usual one has a switch that falls through, which clang does not take. */
#define HASH_FUNCTION HASH_FNV
#include <uthash.h>

#include "urom/chan/chan.h"

#define CHAN_UCX_AM_ID 1

/* UCX 1.13 needs one to accept a peer, and one to find out by which device he has come. */
#define CHAN_UCX_RESERVE 2

/* As on the wire: little-endian, which every machine is that this runs on. */
struct chan_ucx_head {
	uint32_t seq; /* 0 for the first message of a connection and direction */
	uint16_t type;
	uint16_t zero;
	uint64_t id;
};

struct ucx_send;
struct ucx_arrival;
TAILQ_HEAD(ucx_arrivals, ucx_arrival);

LIST_HEAD(ucx_send_list, ucx_send);

struct ucx_chan {
	struct chan base;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_listener_h listener;
	int fd;       /* owned: an epoll of both below */
	int timer_fd; /* owned */
	int ucx_fd;   /* UCX's */
	bool is_ticking;
	int listen_fd;                 /* UCX's; -1: none */
	int reserve[CHAN_UCX_RESERVE]; /* owned: descriptors for whom is to be turned away */
	uint64_t refill_ns;            /* from when on it may be filled again; 0: it is full */
	unsigned int num_turns;        /* of progress */
	unsigned int num_looks;        /* that found nothing to do, while UCX could not be armed */
	TAILQ_HEAD(, ucx_conn) conns;
	TAILQ_HEAD(, ucx_conn) ending;
	TAILQ_HEAD(, ucx_conn) closing; /* over for everybody but UCX */
	struct ucx_conn *by_ep;         /* uthash, by endpoint */
	struct ucx_conn *latest;        /* whose message came last: mostly the next one's too */
	STAILQ_HEAD(, ucx_request) requests;
	unsigned int num_requests;
	struct ucx_send_list free_sends;
	struct ucx_send_list sends;  /* that UCX has */
	struct ucx_arrivals orphans; /* that UCX writes to, and nobody waits for any more */
};

/* A connection that a peer asks for. */
struct ucx_request {
	ucp_conn_request_h handle;
	STAILQ_ENTRY(ucx_request) link;
};

struct ucx_conn {
	struct chan_conn base;
	ucp_ep_h ep;
	bool is_ours;                  /* this side has connected */
	bool has_heard;                /* a message has come */
	STAILQ_HEAD(, ucx_send) held;  /* messages that leave when it has */
	bool is_ending;                /* in the ending list */
	bool is_given_up;              /* by the user: no more words to it */
	doca_error_t why;              /* it ends */
	void *close_request;           /* UCX's, once it is in the closing list */
	LIST_HEAD(, ucx_send) pending; /* that UCX has not sent yet */
	size_t pending_bytes;          /* of memory, of them and of what is held */
	uint32_t next_out;
	uint32_t next_in;
	struct ucx_arrivals arrivals; /* that wait for their turn, by their number */
	unsigned int num_fetching;    /* of them */
	size_t waiting_bytes;         /* of them, and of the bodies of short ones */
	size_t long_bytes;            /* of the bodies of long ones, as far as they are fetched */
	char transport[32];
	TAILQ_ENTRY(ucx_conn) link;
	UT_hash_handle hh;
};

static inline struct ucx_chan *ucx_chan_from(struct chan *chan)
{
	return (struct ucx_chan *)chan;
}

static inline struct ucx_conn *ucx_conn_from(struct chan_conn *conn)
{
	return (struct ucx_conn *)conn;
}

/*
 * Makes the UCP context: active messages and wake-up, the devices and transports as configured.
 * Errors: DRIVER: logged.
 */
doca_error_t chan_ucx_context_create(const struct chan_config *config, ucp_context_h *context);

/* The error that stands for a status of UCX; unknown ones give DRIVER. */
doca_error_t chan_error_from_ucs(ucs_status_t status);

/* The connection is over; `closed` follows after progress, unless the user has given it up. */
void chan_ucx_conn_fail(struct ucx_conn *conn, doca_error_t why);

/* The connection whose endpoint this is; NULL: none any more. */
struct ucx_conn *chan_ucx_conn_find(struct ucx_chan *chan, ucp_ep_h ep);

/* The slot `send` of the ops table. */
doca_error_t chan_ucx_send(struct chan_conn *base, const struct wire_message *message, uint64_t id,
			   const void *record);

/* Sends what was held until the peer was heard. */
void chan_ucx_send_held(struct ucx_conn *conn);

/* Drops it. */
void chan_ucx_drop_held(struct ucx_conn *conn);

/* The connection goes; what UCX still sends does not know of it any more. */
void chan_ucx_send_forget(struct ucx_conn *conn);

/*
 * Frees what is kept for messages on their way out. The UCX worker is gone: UCX 1.13 ends some
 * without a word when it closes their endpoint by force.
 */
void chan_ucx_send_fini(struct ucx_chan *chan);

/* Has UCX bring messages. Errors: DRIVER: logged. */
doca_error_t chan_ucx_receive_init(struct ucx_chan *chan);

/* Frees what waits for its turn; long messages that UCX is writing still are freed when it is done.
 */
void chan_ucx_receive_fini(struct ucx_conn *conn);

/* Frees those of them that UCX has never done. The UCX worker is gone, as above. */
void chan_ucx_receive_end(struct ucx_chan *chan);

/* Makes the descriptor; of a channel with a UCX worker. Errors: as the system has them; logged. */
doca_error_t chan_ucx_wake_init(struct ucx_chan *chan);

/* Closes it; accepts one that is -1. */
void chan_ucx_wake_fini(struct ucx_chan *chan);

/* Of a channel that listens at addr, and has been initialized for waiting. */
void chan_ucx_listen_init(struct ucx_chan *chan, const struct sockaddr *addr);

/* Before the listener goes. Accepts a channel that does not listen. */
void chan_ucx_listen_fini(struct ucx_chan *chan);

/* Sees to it that UCX can accept who waits for that. Now and then, and before each sleep. */
void chan_ucx_listen_look(struct ucx_chan *chan);

/* The part of arming that is UCX's. */
bool chan_ucx_wake_arm(struct ucx_chan *chan);

#endif /* CHAN_CHAN_UCX_H_ */
