/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOFT_H_
#define SOFT_H_

/*
 * The software provider: reliable connections over stream sockets, by an ordinary user.
 *
 * Lanes. A connection is two sockets, one a direction of requests: a side dials the lane for its
 * own requests, and gets the responses on it. So a message that waits for a receive holds up
 * nothing but what is behind it, and the answers to one side's reads cannot be stuck behind the
 * other side's data: a requester always reads, whatever becomes of what it writes. soft_request.c
 * is the requester's end of a lane, soft_respond.c and soft_respond_out.c the other.
 *
 * Lease. The sockets of a context are a port: one lock, one epoll set, one driver at a time. While
 * the application calls progress, it drives the port itself and the set is in no other; while it
 * does not, the set is nested in that of the engine, the one thread of a process (soft_engine.c),
 * which so serves a passive target. Progress takes the lease and renews it, and the engine takes it
 * back when that was not done in time. An application that sleeps on the handle of its progress
 * engine, which nests the set then, is woken by the socket itself.
 *
 * Who completes. A task is in exactly one queue: of its requester or of the receives of its port,
 * or in the finished ones. Whoever drives moves it to the finished ones, once, under the lock; the
 * application's thread takes it from there and tells the core. A task whose connection fails goes
 * there at once, and its bufs are not touched any more: data is placed under the lock, too. Only a
 * peer may be pulling from its source yet; so the lane is shut before the task can be taken, and
 * who pulls looks at the lane behind each piece, and lets no message be that was not whole by then.
 *
 * Locks. port->lock guards everything of a port and of its connections, and is never held over a
 * call into the application. Order: engine's list, port, key table.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "core/clock.h"
#include "rdma/provider.h"
#include "rdma/providers/software/soft_frame.h"

#define SOFT_STAGE_BYTES ((size_t)16 * 1024)

/* What a step of work moves at most: about 100 us, so that others get their turn. */
#define SOFT_SLICE_BYTES ((size_t)1024 * 1024)

/* What a request or a response counts for in a slice, besides its bytes. */
#define SOFT_STEP_COST ((size_t)64)

/* Takes a cost off what is left of a slice. */
static inline void soft_spend(size_t *budget, size_t cost)
{
	*budget -= cost < *budget ? cost : *budget;
}

/* What a copy moves while it holds its key: whoever revokes it waits so long. */
#define SOFT_PIECE_BYTES ((size_t)256 * 1024)

/* Sockets that were accepted and belong to no connection yet, besides one for each there can be. */
#define SOFT_MAX_STRANGERS 128

/* Lanes that are looked at directly; with more, the set says which. */
#define SOFT_MAX_DIRECT 4

/* Between two looks at whether the host of an open lane's peer is still there. */
#define SOFT_LOOK_NS (UINT64_C(2) * 1000000000)

#define SOFT_NEVER   UINT64_MAX

struct soft_port;
struct soft_conn;

/* A descriptor in the set of a port. Closed ones are freed after the events have been gone through.
 */
struct soft_sock {
	int fd; /* -1: closed */
	uint32_t events;
	bool is_blocked; /* has written until it was full: the set says when there is room */
	struct soft_port *port;
	void (*on_ready)(struct soft_sock *sock, uint32_t events);
	void (*destroy)(struct soft_sock *sock);
	SLIST_ENTRY(soft_sock) closed_link;
	LIST_ENTRY(soft_sock) open_link; /* of the port's, while it has a descriptor */
};

/* Bytes that have come and were not looked at: [from, to) of SOFT_STAGE_BYTES. */
struct soft_stage {
	uint8_t *bytes;
	size_t from;
	size_t to;
};

enum soft_dial_state {
	SOFT_DIAL_WAITING,    /* for the next attempt */
	SOFT_DIAL_CONNECTING, /* for the system */
	SOFT_DIAL_GREETING,   /* for the welcome */
	SOFT_DIAL_OPEN,
};

/* The end of a lane that requests. Lives from connect to the end of the connection. */
struct soft_requester {
	struct soft_sock sock;
	struct soft_conn *conn;
	struct soft_stage stage;
	enum soft_dial_state dial;
	unsigned int candidate; /* the address that is tried, or is next */
	uint64_t retry_ns;
	uint64_t refused_ns;  /* from then on a refusal is final */
	uint64_t deadline_ns; /* of tasks that wait for the lane; with none it means nothing */
	bool can_pull;
	LIST_ENTRY(soft_requester) hot_link;

	struct drdma_queue tasks; /* in flight, in order */
	uint32_t num_tasks;
	struct doca_task *unsent; /* of tasks: the first that is not sent to its end; NULL: none */
	size_t sent;              /* bytes of its frame */
	uint32_t next_psn;
	uint8_t head[SOFT_HEAD_SIZE]; /* of its frame */
	size_t head_len;
	bool is_pulled;    /* no payload follows the head */
	const char *fault; /* why unsent cannot be sent; NULL: it can */
	doca_error_t fault_result;
	bool is_cut; /* a fault of the lane's, not of its source */

	uint32_t chunk_left; /* bytes of data that are still to come for the first task, a read */
	uint32_t read_done;  /* bytes of it that have come */
};

/* The end of a lane that responds. */
struct soft_responder {
	struct soft_sock sock;
	struct soft_conn *conn; /* NULL: is_ending */
	LIST_ENTRY(soft_responder) conn_link;
	struct soft_stage stage;
	pid_t peer_pid; /* to pull from; 0: cannot */
	uint8_t rnr_retry_count;
	LIST_ENTRY(soft_responder) hot_link;
	TAILQ_ENTRY(soft_responder) rnr_link;

	uint32_t next_psn;
	bool has_request; /* request is being served */
	bool is_begun;    /* it was checked, and a send has its receive */
	bool is_placed;   /* all its data is */
	bool is_waiting;  /* for a receive: in the port's list */
	bool is_busy;     /* could go on without an event */
	bool is_ending;   /* of no connection any more: says why, and waits for the peer to go */
	bool is_shut;     /* is_ending, and has said why */
	unsigned int num_misses; /* looks at it since something moved */
	struct soft_request request;
	struct soft_piece pieces[SOFT_MAX_LIST];
	uint32_t done;              /* bytes placed */
	struct drdma_task *receive; /* taken for the request; NULL: none */
	uint64_t deadline_ns;       /* when waiting fails, or ending is over */

	bool has_ack;         /* requests before next_psn are done, and the peer was not told */
	enum soft_status nak; /* to be told, after all else */
	bool is_reading;      /* request is a read whose data is being written */
	bool is_revoked;      /* in the middle of a chunk: zeros are written to its end */
	uint32_t chunk_left;
	uint8_t out[SOFT_RESPONSE_SIZE + sizeof(uint64_t)]; /* a header, and 8 bytes read at once */
	size_t out_len;
	size_t out_sent;
};

/* A socket that was accepted: it says hello, and then may have to wait for the application. */
struct soft_stranger {
	struct soft_sock sock;
	LIST_ENTRY(soft_stranger) link;
	uint8_t bytes[SOFT_HELLO_SIZE];
	size_t len;
	struct soft_hello hello; /* once all of it is there */
	uint64_t deadline_ns;    /* SOFT_NEVER: it waits for the connection */
	pid_t pid;               /* of the peer of a Unix-domain socket, else 0 */
};

struct soft_conn {
	struct doca_rdma_connection *conn;
	struct soft_port *port;
	LIST_ENTRY(soft_conn) link;
	struct soft_requester *requester;       /* NULL: not connected, or over */
	LIST_HEAD(, soft_responder) responders; /* RC: one at most */
};

/* What the environment says when a context starts, for tests and for who tunes. */
struct soft_options {
	bool has_unix;
	bool has_tcp;
	bool can_pull;
	int buffer_bytes;            /* of sockets; 0: the system's choice */
	uint64_t connect_wait_ns;    /* how long tasks wait for the peer */
	unsigned int max_initiators; /* DC: that a context serves */
};

struct soft_port {
	pthread_mutex_t lock;
	struct soft_options options;
	struct doca_rdma *rdma;
	struct doca_pe *pe;

	LIST_ENTRY(soft_port) link; /* the engine's */
	uint64_t id;                /* unique in the process */
	unsigned int num_polls;     /* atomic: calls of progress */
	unsigned int seen_polls;    /* atomic: at the engine's last look */
	unsigned int num_waiting;   /* atomic: threads of the application, for the lock */
	uint64_t renewed_ns;        /* the lease, at that time */
	unsigned int num_awake;     /* calls of progress since the application last slept */

	struct soft_sock unix_listener;
	struct soft_sock tcp_listener;
	uint8_t listener_name[CORE_INSTANCE_SIZE];

	LIST_HEAD(, soft_sock) open;
	LIST_HEAD(, soft_conn) conns;
	LIST_HEAD(, soft_stranger) strangers;
	LIST_HEAD(, soft_requester) hot_requesters; /* those that are open */
	LIST_HEAD(, soft_responder) hot_responders;
	SLIST_HEAD(, soft_sock) closed;
	struct drdma_queue receives; /* posted, in order */
	TAILQ_HEAD(, soft_responder) rnr;
	struct drdma_queue finished;
	uint64_t deadline_ns;
	uint64_t accept_ns; /* is_full: when clients are looked at again */

	unsigned int num_strangers;
	unsigned int num_responders; /* also those that are ending */
	unsigned int num_hot;        /* in both lists */
	unsigned int num_busy;       /* responders that could go on */
	unsigned int num_blocked;    /* lanes that wait for room */
	unsigned int num_rounds;     /* of polling directly */
	int epoll_fd;                /* of all its sockets */
	int lease_fd;                /* a timer, in the engine's set: the lease is over */
	int gate_fd;  /* an epoll in the progress engine's handle, with epoll_fd while it is_open */
	bool is_open; /* leased, to an application that sleeps now and then */
	uint16_t tcp_port;
	bool is_full;      /* there was no descriptor for a client */
	bool is_orphan;    /* in a child of a fork: all is closed, and it is in no list */
	bool is_leased;    /* to the application; set as an atomic, for tests that only look */
	bool has_finished; /* since the progress engine was last woken */
	bool has_returned; /* receives that a responder gave back: others may wait for them */
};

/* --- soft_socket.c: sockets of the system ------------------------------------------------- */

void soft_options_read(struct soft_options *options);

/*
 * Opens a listener: abstract, of that name; or TCP at the address of the device, any port.
 * Errors: INITIALIZATION: logged.
 */
doca_error_t soft_listen_unix(const uint8_t *name, int *fd);
doca_error_t soft_listen_tcp(const struct doca_rdma *rdma, int *fd, uint16_t *port);

/*
 * Begins to connect to a candidate address of the peer: 0 and on. Returns the descriptor, or -1:
 * with errno EADDRNOTAVAIL there is no such candidate, and ENOENT it is not for us.
 */
int soft_dial(const struct soft_port *port, const struct drdma_conn_record *peer,
	      unsigned int candidate);

/* Options of a socket that was dialled or accepted. */
void soft_socket_tune(const struct soft_port *port, int fd);

/* Has the peer's host been silent for long, though it was asked? Only TCP knows. */
bool soft_socket_is_dead(int fd);

/* Has the peer hung up, whatever of its bytes is still to be read? */
bool soft_socket_is_over(int fd);

/* The process that dialled a Unix-domain socket, or 0. */
pid_t soft_socket_peer(int fd);

/* Sixteen bytes that name this boot of the machine; zero when the system does not say. */
void soft_host_id(uint8_t *id);

/* The addresses of the device: IPv4 before IPv6, those that it has. */
bool soft_gid_is_ipv6(const struct doca_devinfo *info, uint32_t index);
void soft_get_gid(const struct doca_devinfo *info, uint32_t index, struct doca_rdma_gid *gid);

/* --- soft_iov.c: lists of bufs and bytes that have come ----------------------------------- */

/*
 * The bytes [offset, offset + len) of the data, or of the room, of a list. Returns the entries, at
 * most max; fewer bytes than asked for when the list has changed.
 */
int soft_iov_data(const struct doca_buf *list, size_t offset, size_t len, struct iovec *iov,
		  int max);
int soft_iov_room(const struct doca_buf *list, size_t offset, size_t len, struct iovec *iov,
		  int max);
size_t soft_iov_len(const struct iovec *iov, int count);

/* Copies to or from the entries. An aligned word of 8 bytes is never torn. */
void soft_iov_put(const struct iovec *iov, int count, const uint8_t *from);
void soft_copy(void *to, const void *from, size_t len);

doca_error_t soft_stage_init(struct soft_stage *stage);
void soft_stage_fini(struct soft_stage *stage);

static inline size_t soft_stage_len(const struct soft_stage *stage)
{
	return stage->to - stage->from;
}

/*
 * Receives into the entries, which may be none, and behind them into the stage, which must be empty
 * when there are entries. Returns the bytes that went into the entries, or -1: nothing there, when
 * *is_over stays false, or the end of the stream.
 */
ssize_t soft_stage_recv(struct soft_stage *stage, int fd, const struct iovec *iov, int count,
			bool *is_drained, bool *is_over);

/* --- soft_port.c: the sockets of a context ------------------------------------------------- */

doca_error_t soft_port_open(struct doca_rdma *rdma, struct soft_port **port);

/* The engine does not know it any more, and all its sockets are closed. */
void soft_port_close(struct soft_port *port);

/* The rest is called with the lock held. */

/* Adds a descriptor, which is the sock's from here on. Errors: OPERATING_SYSTEM: logged, closed. */
doca_error_t soft_sock_add(struct soft_sock *sock, int fd, uint32_t events);
void soft_sock_want(struct soft_sock *sock, uint32_t events);

/*
 * Notes whether it waits for room to write. Who is blocked does not try again and again, for a
 * socket takes a little long before it takes much.
 */
void soft_sock_set_blocked(struct soft_sock *sock, bool is_blocked);
void soft_sock_close(struct soft_sock *sock);

/* Closes the descriptor alone: the sock gets another one. */
void soft_sock_reset(struct soft_sock *sock);

/* Takes the descriptor out of the sock, which is then closed without it. */
int soft_sock_release(struct soft_sock *sock);
void soft_sock_drop(int fd);

/*
 * Locks it for the application. The engine, which may have it most of the time, lets in who waits;
 * a mutex alone does not.
 */
void soft_port_lock(struct soft_port *port);

/* One round over what may have something; true: something has moved. */
bool soft_port_poll(struct soft_port *port);

/* Could a round go on although no socket says so? */
static inline bool soft_port_has_work(const struct soft_port *port)
{
	return port->num_busy > 0 || port->has_returned;
}

/* Wakes the progress engine when something has finished; soft_port_poll() does it by itself. */
void soft_port_tell(struct soft_port *port);

void soft_port_finish(struct soft_port *port, struct drdma_task *task, doca_error_t result);

/* Timers: something is to be done at that time, and what is due. */
void soft_port_set_deadline(struct soft_port *port, uint64_t at_ns);
void soft_port_run_timers(struct soft_port *port);

/*
 * In a child of a fork: closes the descriptors, which are the parent's. Sockets are not shut down,
 * and sets, which both processes share, not changed.
 */
void soft_port_abandon(struct soft_port *port);

/* --- soft_engine.c: the thread ------------------------------------------------------------- */

/* The first port starts the thread, the last one ends it. Errors: INITIALIZATION: logged. */
doca_error_t soft_engine_add(struct soft_port *port);
void soft_engine_remove(struct soft_port *port);

/* The application drives, or is to; called at each progress, with the port's lock held. */
void soft_engine_lease(struct soft_port *port);

/* A port has a deadline that the engine has to know; the same. */
void soft_engine_set_timer(uint64_t at_ns);

/* A port that the engine drives may have work though no socket says so; the same. */
void soft_engine_kick(struct soft_port *port);

/*
 * The application is about to sleep: it drives on as long as the sleeps are short, or, when it has
 * no lease, leaves all to the engine; the same.
 */
void soft_engine_on_sleep(struct soft_port *port);

/* --- soft_conn.c: connections; with the lock held ------------------------------------------ */

/*
 * It has failed by itself: the first task that has not ended gets that result, those behind it
 * IO_FAILED. why: for the log. The ends of its lanes are gone afterwards.
 */
void soft_conn_fail(struct soft_conn *soft, doca_error_t result, const char *why);

/*
 * One of its responders is over for that reason. RC: and so is the connection. DC: nothing else.
 */
void soft_conn_lose_lane(struct soft_conn *soft, const char *why);

/* The application ends it: all tasks get IO_FAILED. */
void soft_conn_flush(struct soft_conn *soft);

struct soft_conn *soft_conn_find(struct soft_port *port, uint32_t id);

/* --- soft_dial.c: the requester's way to its lane ------------------------------------------ */

doca_error_t soft_requester_create(struct soft_conn *soft);
void soft_requester_close(struct soft_requester *requester);

/* The first task is there, and waits for the lane. */
void soft_requester_hurry(struct soft_requester *requester);
void soft_requester_run_timers(struct soft_requester *requester, uint64_t now_ns);

/* --- soft_listen.c: the responder's -------------------------------------------------------- */

void soft_on_unix_client(struct soft_sock *sock, uint32_t events);
void soft_on_tcp_client(struct soft_sock *sock, uint32_t events);

/* The application has connected: the peer may be waiting. */
void soft_admit_waiting(struct soft_conn *soft);
void soft_stranger_run_timers(struct soft_port *port, uint64_t now_ns);
void soft_strangers_close(struct soft_port *port);

/* --- soft_target.c: DC; with the lock held ------------------------------------------------- */

/* Does it serve initiators? */
bool soft_conn_is_target(const struct soft_conn *soft);

/* Why a target takes no further initiator; NULL: it does. */
const char *soft_target_refusal(const struct soft_conn *soft);

/* Looks whether an initiator is still there; true: it is not, and the responder is closed. */
bool soft_target_look(struct soft_responder *responder, uint64_t now_ns);

/* It is connected itself: those that it served are let go. */
void soft_target_end(struct soft_conn *soft);

/* --- soft_request.c, soft_respond.c -------------------------------------------------------- */

/* The lane is open. */
void soft_requester_open(struct soft_requester *requester);

void soft_requester_submit(struct soft_requester *requester, struct drdma_task *task);

/* Reads what has come, and sends what waits, up to a slice of each; true: something had come. */
bool soft_requester_poll(struct soft_requester *requester);

/* On a socket that was accepted and is taken. Errors: NO_MEMORY: closed. */
doca_error_t soft_responder_create(struct soft_conn *soft, struct soft_stranger *stranger);

/*
 * The peer has hung up, or is to be hung up on. That alone does not end the connection: why a peer
 * did is read by the requester, whose lane the peer closes as well.
 */
void soft_responder_close(struct soft_responder *responder);
bool soft_responder_poll(struct soft_responder *responder);
void soft_responder_run_timers(struct soft_responder *responder, uint64_t now_ns);

/* Receives were posted, or given back: goes on with those that wait for one. */
void soft_receive_posted(struct soft_port *port);

/* Gives back the receive of a message that does not come to its end: it is the next to be taken. */
void soft_receive_return(struct soft_responder *responder);

/* --- soft_respond_out.c: what a responder writes -------------------------------------------- */

/*
 * Writes what is to be written, of data the budget and the rest of a chunk at most; false: not
 * all, and the rest follows when it is possible.
 */
bool soft_respond_flush(struct soft_responder *responder, size_t *budget);

/* Tells once more what is done, which says nothing new. */
void soft_respond_again(struct soft_responder *responder);

/* Asks the set for what it can go on with: a request, room to write, or that the peer is gone. */
void soft_respond_watch(struct soft_responder *responder);

/* A read begins: its data is written by soft_respond_flush(). */
void soft_respond_read(struct soft_responder *responder, size_t *budget);

/* A request has failed: the peer is told, and the lane is over. */
void soft_respond_nak(struct soft_responder *responder, enum soft_status status);

/*
 * Begins an access to the range that the request names; after SOFT_STATUS_OK, end it with
 * core_key_release(request.key_index).
 */
enum soft_status soft_access_begin(struct soft_responder *responder);

#endif /* SOFT_H_ */
