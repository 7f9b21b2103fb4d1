/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Channels of one process that are joined by their port numbers, possibly on two threads. One lock
 * guards everything that the other thread may touch: ports, inboxes, lists, who is whose peer.
 *
 * What happens to a connection comes as an item in the inbox of its channel, in order. The owner's
 * thread alone takes items and frees connections; it takes those of a connection away with it, so
 * that an item's connection is always there.
 */

#include "urom/chan/chan_pair.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "core/error.h"
#include "urom/chan/chan_address.h"
#include "urom/wire/wire_frame.h"

#define MAX_ITEMS 32 /* of one progress call */

enum item_kind {
	ITEM_ACCEPTED,
	ITEM_MESSAGE,
	ITEM_CLOSED,
};

struct pair_conn;

struct pair_item {
	TAILQ_ENTRY(pair_item) link;
	struct pair_conn *conn;
	enum item_kind kind;
	doca_error_t why; /* of ITEM_CLOSED */
	struct chan_message message;
	uint8_t body[];
};

struct pair_conn {
	struct chan_conn base;
	LIST_ENTRY(pair_conn) link; /* in conns; in gone when it is over */
	struct pair_conn *peer;     /* NULL: there is none any more */
	struct pair_item *closed;   /* owned; made beforehand, so that an end always finds room */
	size_t unread_bytes;        /* of messages for it in the inbox */
	bool is_over;
};

TAILQ_HEAD(pair_inbox, pair_item);

struct pair_chan {
	struct chan base;
	LIST_ENTRY(pair_chan) link; /* in the table */
	struct sockaddr_storage addr;
	uint16_t port; /* 0: it does not listen */
	int event_fd;  /* readable: something may be in the inbox */
	struct pair_inbox inbox;
	LIST_HEAD(, pair_conn) conns;
	LIST_HEAD(, pair_conn) gone; /* freed at the end of progress */
	bool is_in_progress;
	bool is_held;
};

static struct {
	pthread_mutex_t lock;
	LIST_HEAD(, pair_chan) chans;
	uint16_t last_port;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct pair_chan *chan_as_pair(struct chan *chan)
{
	return CORE_CONTAINER_OF(chan, struct pair_chan, base);
}

static struct pair_conn *conn_as_pair(struct chan_conn *conn)
{
	return CORE_CONTAINER_OF(conn, struct pair_conn, base);
}

static struct pair_chan *chan_of(const struct pair_conn *conn)
{
	return chan_as_pair(conn->base.chan);
}

static struct pair_item *item_create(enum item_kind kind, size_t len)
{
	struct pair_item *item = calloc(1, sizeof(*item) + len);

	if (item != NULL)
		item->kind = kind;
	return item;
}

static void conn_destroy(struct pair_conn *conn)
{
	if (conn == NULL)
		return;
	free(conn->closed);
	free(conn);
}

/* NULL: there is no memory for it. */
static struct pair_conn *conn_create(struct pair_chan *chan)
{
	struct pair_conn *conn = calloc(1, sizeof(*conn));

	if (conn == NULL)
		return NULL;
	conn->base = (struct chan_conn){ .chan = &chan->base, .max_body = chan->base.max_body };
	conn->closed = item_create(ITEM_CLOSED, 0);
	if (conn->closed == NULL) {
		conn_destroy(conn);
		return NULL;
	}
	return conn;
}

/* --- With the lock held --- */

static void wake(struct pair_chan *chan)
{
	/* Fails only when the counter is full, and then it is readable. */
	(void)eventfd_write(chan->event_fd, 1);
}

static void put(struct pair_conn *conn, struct pair_item *item)
{
	struct pair_chan *chan = chan_of(conn);

	item->conn = conn;
	conn->unread_bytes += item->message.len;
	TAILQ_INSERT_TAIL(&chan->inbox, item, link);
	wake(chan);
}

static void put_closed(struct pair_conn *conn, doca_error_t why)
{
	conn->closed->why = why;
	put(conn, conn->closed);
	conn->closed = NULL;
}

/* Drops what waits for a connection, or but its being accepted. */
static void purge(struct pair_conn *conn, bool keeps_accepted)
{
	struct pair_inbox *inbox = &chan_of(conn)->inbox;
	struct pair_item *item, *next;

	for (item = TAILQ_FIRST(inbox); item != NULL; item = next) {
		next = TAILQ_NEXT(item, link);
		if (item->conn != conn || (keeps_accepted && item->kind == ITEM_ACCEPTED))
			continue;
		TAILQ_REMOVE(inbox, item, link);
		conn->unread_bytes -= item->message.len;
		free(item);
	}
}

static void leave_peer(struct pair_conn *conn)
{
	struct pair_conn *peer = conn->peer;

	if (peer == NULL)
		return;
	conn->peer = NULL;
	peer->peer = NULL;
	put_closed(peer, DOCA_ERROR_CONNECTION_RESET);
}

static void conn_end(struct pair_conn *conn)
{
	if (conn->is_over)
		return;
	conn->is_over = true;
	leave_peer(conn);
	purge(conn, false);
	LIST_REMOVE(conn, link);
	LIST_INSERT_HEAD(&chan_of(conn)->gone, conn, link);
}

static struct pair_chan *find_port(uint16_t port)
{
	struct pair_chan *chan;

	LIST_FOREACH(chan, &table.chans, link)
	{
		if (chan->port != 0 && chan->port == port)
			return chan;
	}
	return NULL;
}

/* --- Without it --- */

static void lock(void)
{
	pthread_mutex_lock(&table.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&table.lock);
}

static void free_gone(struct pair_chan *chan)
{
	struct pair_conn *conn;

	while ((conn = LIST_FIRST(&chan->gone)) != NULL) {
		LIST_REMOVE(conn, link);
		conn_destroy(conn);
	}
}

static void pair_disconnect(struct chan_conn *base)
{
	struct pair_chan *chan = chan_as_pair(base->chan);

	lock();
	conn_end(conn_as_pair(base));
	unlock();
	if (!chan->is_in_progress)
		free_gone(chan);
}

static doca_error_t pair_listen(struct chan *base, const struct sockaddr *ip)
{
	struct pair_chan *chan = chan_as_pair(base);
	struct sockaddr_in *v4 = (void *)&chan->addr;
	struct sockaddr_in6 *v6 = (void *)&chan->addr;

	if (chan->port != 0)
		return DOCA_ERROR_BAD_STATE;
	lock();
	do
		table.last_port++;
	while (table.last_port == 0 || find_port(table.last_port) != NULL);
	chan->port = table.last_port;
	unlock();
	memcpy(&chan->addr, ip, chan_address_len(ip));
	if (ip->sa_family == AF_INET)
		v4->sin_port = htons(chan->port);
	else
		v6->sin6_port = htons(chan->port);
	return DOCA_SUCCESS;
}

static doca_error_t pair_get_address(struct chan *base, struct sockaddr_storage *addr)
{
	if (chan_as_pair(base)->port == 0)
		return DOCA_ERROR_BAD_STATE;
	*addr = chan_as_pair(base)->addr;
	return DOCA_SUCCESS;
}

static uint16_t port_of(const struct sockaddr *addr)
{
	const struct sockaddr_in *v4 = (const void *)addr;
	const struct sockaddr_in6 *v6 = (const void *)addr;

	return ntohs(addr->sa_family == AF_INET ? v4->sin_port : v6->sin6_port);
}

/* A connection's end at a listener, with the word of it; NULL: no memory. */
static struct pair_conn *answer(struct pair_chan *listener)
{
	struct pair_item *accepted = item_create(ITEM_ACCEPTED, 0);
	struct pair_conn *conn = conn_create(listener);

	if (accepted == NULL || conn == NULL) {
		free(accepted);
		conn_destroy(conn);
		return NULL;
	}
	LIST_INSERT_HEAD(&listener->conns, conn, link);
	put(conn, accepted);
	return conn;
}

/* With the lock held. */
static doca_error_t join(struct pair_conn *conn, uint16_t port)
{
	struct pair_chan *listener = find_port(port);

	if (listener == NULL) {
		put_closed(conn, DOCA_ERROR_NOT_CONNECTED);
	} else {
		conn->peer = answer(listener);
		if (conn->peer == NULL)
			return DOCA_ERROR_NO_MEMORY;
		conn->peer->peer = conn;
	}
	LIST_INSERT_HEAD(&chan_of(conn)->conns, conn, link);
	return DOCA_SUCCESS;
}

static doca_error_t pair_connect(struct chan *base, const struct sockaddr *addr, socklen_t len,
				 struct chan_conn **created)
{
	struct pair_conn *conn = conn_create(chan_as_pair(base));
	doca_error_t result;

	(void)len;
	if (conn == NULL)
		return DOCA_ERROR_NO_MEMORY;
	lock();
	result = join(conn, port_of(addr));
	unlock();
	if (result != DOCA_SUCCESS)
		conn_destroy(conn);
	else
		*created = &conn->base;
	return result;
}

static doca_error_t pair_send(struct chan_conn *base, const struct wire_message *message,
			      uint64_t id, const void *record)
{
	struct pair_conn *conn = conn_as_pair(base);
	size_t len = wire_encoded_size(message, record);
	struct pair_item *item;
	enum wire_result encoded;
	doca_error_t result = DOCA_SUCCESS;

	if (len > WIRE_MAX_BODY)
		return DOCA_ERROR_INVALID_VALUE;
	item = item_create(ITEM_MESSAGE, len);
	if (item == NULL)
		return DOCA_ERROR_NO_MEMORY;
	encoded = wire_encode(message, record, item->body, len, &len);
	if (encoded != WIRE_OK) {
		free(item);
		return chan_error_from_wire(encoded);
	}
	item->message = (struct chan_message){ message->type, id, item->body, len };
	lock();
	if (conn->peer == NULL)
		result = DOCA_ERROR_CONNECTION_RESET;
	else if (base->max_out > 0 && conn->peer->unread_bytes + len > base->max_out)
		result = DOCA_ERROR_FULL;
	else
		put(conn->peer, item);
	unlock();
	if (result != DOCA_SUCCESS)
		free(item);
	return result;
}

static const char *pair_get_transport(struct chan_conn *conn)
{
	(void)conn;
	return "pair";
}

/* --- Progress --- */

static struct pair_item *take(struct pair_chan *chan)
{
	struct pair_item *item;

	lock();
	item = chan->is_held ? NULL : TAILQ_FIRST(&chan->inbox);
	if (item != NULL) {
		TAILQ_REMOVE(&chan->inbox, item, link);
		item->conn->unread_bytes -= item->message.len;
	}
	unlock();
	return item;
}

static void conn_fail(struct pair_conn *conn, doca_error_t why)
{
	const struct chan *chan = conn->base.chan;

	lock();
	conn_end(conn);
	unlock();
	chan->handler->closed(chan->arg, &conn->base, why);
}

static void deliver(const struct pair_item *item)
{
	struct pair_conn *conn = item->conn;
	const struct chan *chan = conn->base.chan;

	if (item->kind == ITEM_ACCEPTED)
		chan->handler->accepted(chan->arg, &conn->base);
	else if (item->kind == ITEM_CLOSED)
		conn_fail(conn, item->why);
	else if (item->message.len > conn->base.max_body)
		conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
	else
		chan->handler->received(chan->arg, &conn->base, &item->message);
}

static bool pair_progress(struct chan *base)
{
	struct pair_chan *chan = chan_as_pair(base);
	struct pair_item *item;
	unsigned int num_items = 0;

	chan->is_in_progress = true;
	while (num_items < MAX_ITEMS && (item = take(chan)) != NULL) {
		deliver(item);
		free(item);
		num_items++;
	}
	chan->is_in_progress = false;
	free_gone(chan);
	return num_items > 0;
}

static int pair_get_fd(struct chan *base)
{
	return chan_as_pair(base)->event_fd;
}

static bool pair_arm(struct chan *base)
{
	struct pair_chan *chan = chan_as_pair(base);
	eventfd_t ignored;
	bool is_idle;

	/* First the descriptor, then the inbox: who puts does it the other way round. */
	(void)eventfd_read(chan->event_fd, &ignored);
	lock();
	is_idle = chan->is_held || TAILQ_EMPTY(&chan->inbox);
	unlock();
	return is_idle;
}

/* --- Faults --- */

void chan_pair_hold(struct chan *base)
{
	lock();
	chan_as_pair(base)->is_held = true;
	unlock();
}

void chan_pair_release(struct chan *base)
{
	lock();
	chan_as_pair(base)->is_held = false;
	wake(chan_as_pair(base));
	unlock();
}

void chan_pair_cut(struct chan_conn *base)
{
	struct pair_conn *conn = conn_as_pair(base);
	struct pair_conn *peer;

	lock();
	peer = conn->peer;
	if (peer != NULL) {
		purge(conn, true);
		purge(peer, true);
		leave_peer(conn);
		put_closed(conn, DOCA_ERROR_CONNECTION_RESET);
	}
	unlock();
}

void chan_pair_drop(struct chan *base)
{
	struct pair_chan *chan = chan_as_pair(base);
	struct pair_conn *conn;

	lock();
	chan->port = 0;
	LIST_FOREACH(conn, &chan->conns, link)
	{
		leave_peer(conn);
		purge(conn, false);
	}
	unlock();
}

/* --- The channel --- */

static doca_error_t pair_open(const struct chan_config *config, struct chan **created)
{
	struct pair_chan *chan = calloc(1, sizeof(*chan));
	doca_error_t result;

	(void)config;
	if (chan == NULL)
		return DOCA_ERROR_NO_MEMORY;
	chan->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (chan->event_fd < 0) {
		result = core_error_from_errno(errno);
		free(chan);
		return result;
	}
	TAILQ_INIT(&chan->inbox);
	LIST_INIT(&chan->conns);
	LIST_INIT(&chan->gone);
	lock();
	LIST_INSERT_HEAD(&table.chans, chan, link);
	unlock();
	*created = &chan->base;
	return DOCA_SUCCESS;
}

static void pair_close(struct chan *base)
{
	struct pair_chan *chan = chan_as_pair(base);

	lock();
	LIST_REMOVE(chan, link);
	while (!LIST_EMPTY(&chan->conns))
		conn_end(LIST_FIRST(&chan->conns));
	unlock();
	free_gone(chan);
	close(chan->event_fd);
	free(chan);
}

const struct chan_ops chan_pair_ops = {
	.name = "pair",
	.open = pair_open,
	.close = pair_close,
	.listen = pair_listen,
	.get_address = pair_get_address,
	.connect = pair_connect,
	.send = pair_send,
	.disconnect = pair_disconnect,
	.progress = pair_progress,
	.get_fd = pair_get_fd,
	.arm = pair_arm,
	.get_transport = pair_get_transport,
};
