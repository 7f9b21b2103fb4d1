/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_H_
#define CHAN_CHAN_H_

/*
 * The data path: a channel is one end of a process, its connections carry messages to peers, each
 * whole and in the order of sending. One ops table a kind; nobody outside this room knows which
 * kind it is.
 *
 * All of it runs on one thread, the owner's. Nothing blocks. The handlers run in chan_progress()
 * alone, and may send, disconnect and connect there, but not close the channel.
 *
 * A connection is the user's from chan_connect() or `accepted` until chan_disconnect() or until
 * `closed` returns; each connection ends by exactly one of these two.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <doca_error.h>

#include "core/export.h"
#include "urom/chan/chan_message.h"

/* The kind is the first byte of an address, so the one that connects opens the right channel. */
enum chan_kind {
	CHAN_UCX = 1,  /* UCX active messages */
	CHAN_TCP = 2,  /* framed TCP */
	CHAN_PAIR = 3, /* within the process; tests only */
	CHAN_NUM_KINDS,
};

#define CHAN_MAX_ADDR 32 /* bytes of an address */

struct chan;

struct chan_conn {
	struct chan *chan;
	void *user;      /* the user's; NULL at first */
	size_t max_body; /* bytes of a message that may come; at first the channel's */
	size_t max_out;  /* bytes that may wait to be sent; 0, as at first: no limit */
};

struct chan_handler {
	/*
	 * A peer wants to connect: is there what it takes? If not, it is turned away; the handler
	 * logs why. Asked by a channel over UCX alone, as that ends the process where others have
	 * an error. NULL: there always is.
	 */
	bool (*may_accept)(void *arg);

	/* A peer has connected to a channel that listens. NULL where none does. */
	void (*accepted)(void *arg, struct chan_conn *conn);

	/* A message has come whole. message: lent. */
	void (*received)(void *arg, struct chan_conn *conn, const struct chan_message *message);

	/*
	 * The connection is over, by the peer's doing or for an error; conn: gone on return.
	 * why: NOT_CONNECTED: it never came about, as far as this side can tell, which has begun it
	 * and heard nothing. CONNECTION_RESET: it is lost, or the peer has
	 * closed it. CONNECTION_ABORTED: the peer has sent what is no message, or a too long one.
	 * NO_MEMORY: a message did not find room. None of it is logged.
	 */
	void (*closed)(void *arg, struct chan_conn *conn, doca_error_t why);
};

struct chan_config {
	const struct chan_handler *handler; /* borrowed, must outlive the channel */
	void *arg;                          /* of the handlers */
	size_t max_body;                    /* bytes, of new connections; at most WIRE_MAX_BODY */
	/*
	 * UCX: the address that listens is one of chan_address_is_local(). The two ends must agree,
	 * or they do not get together.
	 */
	bool is_local;
	const char *net_devices; /* UCX: comma list; NULL: any. copied */
	const char *transports;  /* UCX: comma list; NULL: any. copied */
};

/* Every slot as the function of the same name below, which has checked nothing. */
struct chan_ops {
	const char *name;
	doca_error_t (*open)(const struct chan_config *config, struct chan **chan);
	void (*close)(struct chan *chan);
	doca_error_t (*listen)(struct chan *chan, const struct sockaddr *ip);
	doca_error_t (*get_address)(struct chan *chan, struct sockaddr_storage *addr);
	doca_error_t (*connect)(struct chan *chan, const struct sockaddr *addr, socklen_t len,
				struct chan_conn **conn);
	doca_error_t (*send)(struct chan_conn *conn, const struct wire_message *message,
			     uint64_t id, const void *record);
	void (*disconnect)(struct chan_conn *conn);
	bool (*progress)(struct chan *chan);
	int (*get_fd)(struct chan *chan);
	bool (*arm)(struct chan *chan);
	const char *(*get_transport)(struct chan_conn *conn);
};

struct chan {
	const struct chan_ops *ops;
	const struct chan_handler *handler;
	void *arg;
	size_t max_body;
};

extern const struct chan_ops chan_ucx_ops;
extern const struct chan_ops chan_tcp_ops;
extern const struct chan_ops chan_pair_ops;

/* The kinds that there are, NULL for the others; the library and its tests have one table each. */
extern const struct chan_ops *const chan_kinds[CHAN_NUM_KINDS];

/*
 * chan: owned, chan_close(). Errors: NOT_SUPPORTED: no such kind. NO_MEMORY. DRIVER: UCX refuses.
 */
CORE_EXPORT doca_error_t chan_open(enum chan_kind kind, const struct chan_config *config,
				   struct chan **chan);

/* Ends all connections without a word to the handlers. Accepts NULL. */
CORE_EXPORT void chan_close(struct chan *chan);

/*
 * Lets peers connect, on one address of this machine and a port that is free.
 * ip: its port is not looked at.
 * Errors: BAD_STATE: it does so already. Else as the system has them, and logged.
 */
CORE_EXPORT doca_error_t chan_listen(struct chan *chan, const struct sockaddr *ip);

/*
 * Where the channel listens, for chan_connect() on any machine.
 * addr: of CHAN_MAX_ADDR bytes; *len: how many are used. Errors: BAD_STATE: it does not.
 */
CORE_EXPORT doca_error_t chan_get_address(struct chan *chan, void *addr, size_t *len);

/* The same for people, into CHAN_ADDR_TEXT bytes (chan_address.h); returns text. */
CORE_EXPORT const char *chan_get_address_text(struct chan *chan, char *text);

/* The kind of channel that an address needs; CHAN_NUM_KINDS when it is none. addr: untrusted. */
CORE_EXPORT enum chan_kind chan_address_kind(const void *addr, size_t len);

/* Does an address lead to this machine, whatever machine it is? addr: untrusted. */
CORE_EXPORT bool chan_address_is_local(const void *addr, size_t len);

/*
 * Begins a connection; messages may be sent at once. That it fails is told by `closed`.
 * addr: untrusted, of this channel's kind.
 * Errors: INVALID_VALUE: no address of this kind. NOT_CONNECTED: refused at once. NO_MEMORY.
 */
CORE_EXPORT doca_error_t chan_connect(struct chan *chan, const void *addr, size_t len,
				      struct chan_conn **conn);

/*
 * Sends a message; it is encoded before the call returns, so the record and what it points to may
 * go. Messages that cannot leave yet wait in order; max_out bounds the memory that they take.
 * Errors: FULL: over max_out, nothing of it was sent. NO_MEMORY. CONNECTION_RESET: the connection
 * is over, `closed` will say so. INVALID_VALUE: a field is over its limit.
 */
CORE_EXPORT doca_error_t chan_send(struct chan_conn *conn, uint16_t type, uint64_t id,
				   const void *record);

/*
 * Ends a connection. What was sent before may be lost. The peer hears of it while the channel
 * progresses, or when it closes.
 */
CORE_EXPORT void chan_disconnect(struct chan_conn *conn);

/* A bounded piece of work; true when there was any. */
static inline bool chan_progress(struct chan *chan)
{
	return chan->ops->progress(chan);
}

/* A descriptor that is readable when there is work, once chan_arm() was true. lent by the channel.
 */
CORE_EXPORT int chan_get_fd(struct chan *chan);

/* True: there is no work, and the descriptor will tell. False: chan_progress() first. */
CORE_EXPORT bool chan_arm(struct chan *chan);

/* The transport that carries a connection, such as "tcp" or "sysv"; "?" until that is known. */
CORE_EXPORT const char *chan_get_transport(struct chan_conn *conn);

#endif /* CHAN_CHAN_H_ */
