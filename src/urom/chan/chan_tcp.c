/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Framed TCP. What is left to do, the kernel knows: the channel's descriptor is an epoll of the
 * sockets, by level. It does not know of messages that a stream has read along with others; the
 * connections that may have such ones are in `ready`, and as long as it is not empty the channel
 * cannot be armed.
 *
 * A connection that ends while the channel progresses is freed at the end of that: the call of the
 * handler, its message and events that were fetched may point to it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <unistd.h>

#include "core/error.h"
#include "core/log.h"
#include "urom/chan/chan.h"
#include "urom/chan/chan_address.h"
#include "urom/chan/chan_stream.h"

CORE_LOG_REGISTER(CHAN::TCP);

/* Of one progress call. */
#define MAX_EVENTS   32
#define MAX_ACCEPTS  16
#define MAX_MESSAGES 32

struct tcp_conn {
	struct chan_conn base;
	struct chan_stream stream;
	TAILQ_ENTRY(tcp_conn) link;       /* in conns; in gone when it is over */
	TAILQ_ENTRY(tcp_conn) ready_link; /* if is_ready */
	bool is_ready;
	bool is_connecting;
	bool is_watching_out; /* epoll is asked for EPOLLOUT */
	bool is_over;
};

TAILQ_HEAD(tcp_conns, tcp_conn);

struct tcp_chan {
	struct chan base;
	int epoll_fd;
	int listen_fd; /* -1: it does not listen */
	int spare_fd;  /* given up to turn a peer away when there are no descriptors left */
	struct tcp_conns conns;
	struct tcp_conns ready;
	struct tcp_conns gone;
	bool is_in_progress;
};

static struct tcp_chan *chan_as_tcp(struct chan *chan)
{
	return CORE_CONTAINER_OF(chan, struct tcp_chan, base);
}

static struct tcp_conn *conn_as_tcp(struct chan_conn *conn)
{
	return CORE_CONTAINER_OF(conn, struct tcp_conn, base);
}

static struct tcp_chan *chan_of(struct tcp_conn *conn)
{
	return chan_as_tcp(conn->base.chan);
}

/* --- Connections --- */

static doca_error_t watch(struct tcp_chan *chan, int op, int fd, uint32_t events, void *ptr)
{
	struct epoll_event event = { .events = events, .data.ptr = ptr };

	return epoll_ctl(chan->epoll_fd, op, fd, &event) == 0 ? DOCA_SUCCESS
							      : core_error_from_errno(errno);
}

/* fd: taken, closed on failure. */
static doca_error_t conn_create(struct tcp_chan *chan, int fd, bool is_connecting,
				struct tcp_conn **created)
{
	struct tcp_conn *conn = calloc(1, sizeof(*conn));
	doca_error_t result;

	if (conn == NULL) {
		close(fd);
		return DOCA_ERROR_NO_MEMORY;
	}
	/* A plugin may be busy for a minute. Dead machines are the control path's to notice. */
	chan_address_tolerate_unread(fd);
	chan_stream_init(&conn->stream, fd);
	conn->base = (struct chan_conn){ .chan = &chan->base, .max_body = chan->base.max_body };
	conn->is_connecting = is_connecting;
	conn->is_watching_out = is_connecting;
	result = watch(chan, EPOLL_CTL_ADD, fd, EPOLLIN | (is_connecting ? EPOLLOUT : 0), conn);
	if (result != DOCA_SUCCESS) {
		chan_stream_fini(&conn->stream);
		free(conn);
		return result;
	}
	TAILQ_INSERT_TAIL(&chan->conns, conn, link);
	*created = conn;
	return DOCA_SUCCESS;
}

static void free_gone(struct tcp_chan *chan)
{
	struct tcp_conn *conn;

	while ((conn = TAILQ_FIRST(&chan->gone)) != NULL) {
		TAILQ_REMOVE(&chan->gone, conn, link);
		chan_stream_fini(&conn->stream);
		free(conn);
	}
}

static void conn_make_ready(struct tcp_conn *conn)
{
	if (conn->is_ready || conn->is_over)
		return;
	conn->is_ready = true;
	TAILQ_INSERT_TAIL(&chan_of(conn)->ready, conn, ready_link);
}

static void conn_unready(struct tcp_conn *conn)
{
	if (!conn->is_ready)
		return;
	conn->is_ready = false;
	TAILQ_REMOVE(&chan_of(conn)->ready, conn, ready_link);
}

static void conn_end(struct tcp_conn *conn)
{
	struct tcp_chan *chan = chan_of(conn);

	if (conn->is_over)
		return;
	conn->is_over = true;
	conn_unready(conn);
	/* Cannot fail. Closing alone would not do while a child of this process holds the socket.
	 */
	(void)watch(chan, EPOLL_CTL_DEL, conn->stream.fd, 0, NULL);
	TAILQ_REMOVE(&chan->conns, conn, link);
	TAILQ_INSERT_TAIL(&chan->gone, conn, link);
	if (!chan->is_in_progress)
		free_gone(chan);
}

static void conn_fail(struct tcp_conn *conn, doca_error_t why)
{
	const struct chan *chan = conn->base.chan;

	DOCA_LOG_DBG("connection on descriptor %d is over: %s", conn->stream.fd,
		     doca_error_get_name(why));
	conn_end(conn);
	chan->handler->closed(chan->arg, &conn->base, why);
}

/* Asks epoll for room to send exactly as long as something waits for it. */
static void conn_watch_out(struct tcp_conn *conn)
{
	bool is_wanted = conn->is_connecting || chan_stream_is_sending(&conn->stream);

	if (is_wanted == conn->is_watching_out)
		return;
	conn->is_watching_out = is_wanted;
	/* Cannot fail: the socket is on the list. */
	(void)watch(chan_of(conn), EPOLL_CTL_MOD, conn->stream.fd,
		    EPOLLIN | (is_wanted ? EPOLLOUT : 0), conn);
}

static doca_error_t tcp_send(struct chan_conn *base, const struct wire_message *message,
			     uint64_t id, const void *record)
{
	struct tcp_conn *conn = conn_as_tcp(base);
	doca_error_t result;

	if (conn->is_over)
		return DOCA_ERROR_CONNECTION_RESET;
	conn->stream.max_out = base->max_out;
	result = chan_stream_send(&conn->stream, message->type, id, record);
	if (result == DOCA_ERROR_CONNECTION_RESET)
		conn_make_ready(conn); /* what the peer said before is still to be received */
	conn_watch_out(conn);
	return result;
}

static void tcp_disconnect(struct chan_conn *conn)
{
	conn_end(conn_as_tcp(conn));
}

static const char *tcp_get_transport(struct chan_conn *base)
{
	(void)base;
	return "tcp";
}

static doca_error_t tcp_connect(struct chan *base, const struct sockaddr *addr, socklen_t len,
				struct chan_conn **created)
{
	struct tcp_conn *conn;
	doca_error_t result;
	int fd;

	(void)len;
	result = chan_address_connect(addr, &fd);
	if (result == DOCA_SUCCESS)
		result = conn_create(chan_as_tcp(base), fd, true, &conn);
	if (result == DOCA_ERROR_NO_MEMORY)
		return result;
	if (result != DOCA_SUCCESS)
		return DOCA_ERROR_NOT_CONNECTED;
	*created = &conn->base;
	return DOCA_SUCCESS;
}

/* --- Listening --- */

static doca_error_t tcp_listen(struct chan *base, const struct sockaddr *ip)
{
	struct tcp_chan *chan = chan_as_tcp(base);
	char text[CHAN_ADDR_TEXT];
	doca_error_t result;
	int fd;

	if (chan->listen_fd >= 0)
		return DOCA_ERROR_BAD_STATE;
	result = chan_address_listen(ip, &fd);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("cannot listen on %s: %m", chan_address_text(ip, text));
		return result;
	}
	result = watch(chan, EPOLL_CTL_ADD, fd, EPOLLIN, NULL);
	if (result != DOCA_SUCCESS) {
		close(fd);
		return result;
	}
	chan->listen_fd = fd;
	chan->spare_fd = fcntl(chan->epoll_fd, F_DUPFD_CLOEXEC, 0); /* -1 is as good as spent */
	return DOCA_SUCCESS;
}

static doca_error_t tcp_get_address(struct chan *base, struct sockaddr_storage *addr)
{
	const struct tcp_chan *chan = chan_as_tcp(base);
	socklen_t len = sizeof(*addr);

	if (chan->listen_fd < 0)
		return DOCA_ERROR_BAD_STATE;
	if (getsockname(chan->listen_fd, (struct sockaddr *)addr, &len) != 0)
		return core_error_from_errno(errno);
	return DOCA_SUCCESS;
}

/* Without it the peer would wait, and the channel be busy with it, until a descriptor is free. */
static void turn_away(struct tcp_chan *chan)
{
	int fd;

	DOCA_LOG_WARN("a peer is turned away: %m");
	if (chan->spare_fd >= 0)
		close(chan->spare_fd);
	fd = accept4(chan->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	chan->spare_fd = fcntl(chan->epoll_fd, F_DUPFD_CLOEXEC, 0);
}

static void accept_some(struct tcp_chan *chan)
{
	struct tcp_conn *conn;

	for (unsigned int i = 0; i < MAX_ACCEPTS; i++) {
		int fd = accept4(chan->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			turn_away(chan);
		if (fd < 0)
			return;
		chan_address_tune(fd);
		if (conn_create(chan, fd, false, &conn) != DOCA_SUCCESS)
			DOCA_LOG_WARN("a peer is turned away: out of memory");
		else
			chan->base.handler->accepted(chan->base.arg, &conn->base);
	}
}

/* --- Progress --- */

static void receive_one(struct tcp_conn *conn)
{
	const struct chan *chan = conn->base.chan;
	struct chan_message message;
	doca_error_t result;

	conn_unready(conn);
	conn->stream.max_body = conn->base.max_body;
	result = chan_stream_receive(&conn->stream, &message);
	if (result == DOCA_ERROR_AGAIN)
		return;
	if (result != DOCA_SUCCESS) {
		conn_fail(conn, conn->is_connecting ? DOCA_ERROR_NOT_CONNECTED : result);
		return;
	}
	conn->is_connecting = false;
	if (chan_stream_has_rest(&conn->stream))
		conn_make_ready(conn); /* behind the others */
	chan->handler->received(chan->arg, &conn->base, &message);
}

/* Has the attempt to connect ended, and well? */
static void conn_see_connected(struct tcp_conn *conn, uint32_t events)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
		(void)getsockopt(conn->stream.fd, SOL_SOCKET, SO_ERROR, &err, &len);
		/* Only what was connected is reset; a peer may do that before this is seen. */
		if (err != ECONNRESET && err != EPIPE)
			return;
	}
	conn->is_connecting = false;
}

static void conn_handle(struct tcp_conn *conn, uint32_t events)
{
	if (conn->is_over)
		return;
	if (conn->is_connecting)
		conn_see_connected(conn, events);
	if ((events & EPOLLOUT) != 0 && !conn->is_connecting) {
		(void)chan_stream_flush(&conn->stream); /* receiving tells of the end */
		conn_watch_out(conn);
	}
	if ((events & ~(uint32_t)EPOLLOUT) != 0)
		conn_make_ready(conn);
}

static bool tcp_progress(struct chan *base)
{
	struct tcp_chan *chan = chan_as_tcp(base);
	struct epoll_event events[MAX_EVENTS];
	int num_events = epoll_wait(chan->epoll_fd, events, MAX_EVENTS, 0);
	bool has_worked = num_events > 0 || !TAILQ_EMPTY(&chan->ready);

	chan->is_in_progress = true;
	for (int i = 0; i < num_events; i++) {
		if (events[i].data.ptr == NULL)
			accept_some(chan);
		else
			conn_handle(events[i].data.ptr, events[i].events);
	}
	for (unsigned int i = 0; i < MAX_MESSAGES && !TAILQ_EMPTY(&chan->ready); i++)
		receive_one(TAILQ_FIRST(&chan->ready));
	chan->is_in_progress = false;
	free_gone(chan);
	return has_worked;
}

static int tcp_get_fd(struct chan *base)
{
	return chan_as_tcp(base)->epoll_fd;
}

static bool tcp_arm(struct chan *base)
{
	return TAILQ_EMPTY(&chan_as_tcp(base)->ready);
}

/* --- The channel --- */

static doca_error_t tcp_open(const struct chan_config *config, struct chan **created)
{
	struct tcp_chan *chan = calloc(1, sizeof(*chan));
	doca_error_t result;

	(void)config;
	if (chan == NULL)
		return DOCA_ERROR_NO_MEMORY;
	chan->listen_fd = -1;
	chan->spare_fd = -1;
	TAILQ_INIT(&chan->conns);
	TAILQ_INIT(&chan->ready);
	TAILQ_INIT(&chan->gone);
	chan->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (chan->epoll_fd < 0) {
		result = core_error_from_errno(errno);
		DOCA_LOG_ERR("a channel cannot be opened: %m");
		free(chan);
		return result;
	}
	*created = &chan->base;
	return DOCA_SUCCESS;
}

static void tcp_close(struct chan *base)
{
	struct tcp_chan *chan = chan_as_tcp(base);

	while (!TAILQ_EMPTY(&chan->conns))
		conn_end(TAILQ_FIRST(&chan->conns));
	if (chan->listen_fd >= 0)
		close(chan->listen_fd);
	if (chan->spare_fd >= 0)
		close(chan->spare_fd);
	close(chan->epoll_fd);
	free(chan);
}

const struct chan_ops chan_tcp_ops = {
	.name = "tcp",
	.open = tcp_open,
	.close = tcp_close,
	.listen = tcp_listen,
	.get_address = tcp_get_address,
	.connect = tcp_connect,
	.send = tcp_send,
	.disconnect = tcp_disconnect,
	.progress = tcp_progress,
	.get_fd = tcp_get_fd,
	.arm = tcp_arm,
	.get_transport = tcp_get_transport,
};
