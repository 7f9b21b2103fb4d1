/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The sockets of a context. With few lanes a round looks at each of them directly, which is one
 * system call where the set would be two; each so many rounds, and with more lanes always, the set
 * says which have something.
 */

#include "rdma/providers/software/soft.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/error.h"
#include "core/log.h"
#include "core/pe.h"

CORE_LOG_REGISTER(RDMA::SOFT::PORT);

#define MAX_EVENTS 32

/*
 * One round in so many asks the set although the lanes are few, for the other descriptors; when
 * nothing moves, it may be one of those that woke whoever polls.
 */
#define BUSY_ROUNDS 64
#define IDLE_ROUNDS 32

/* A responder that had nothing so often is looked at in one round in so many. */
#define COLD_MISSES 64
#define COLD_ROUNDS 8

doca_error_t soft_sock_add(struct soft_sock *sock, int fd, uint32_t events)
{
	struct epoll_event watch = { .events = events, .data.ptr = sock };

	if (epoll_ctl(sock->port->epoll_fd, EPOLL_CTL_ADD, fd, &watch) != 0) {
		DOCA_LOG_ERR("a socket cannot be watched: %s", strerror(errno));
		close(fd);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	sock->fd = fd;
	sock->events = events;
	LIST_INSERT_HEAD(&sock->port->open, sock, open_link);
	return DOCA_SUCCESS;
}

void soft_sock_want(struct soft_sock *sock, uint32_t events)
{
	struct epoll_event watch = { .events = events, .data.ptr = sock };

	if (sock->fd < 0 || sock->events == events)
		return;
	sock->events = events;
	/* A descriptor that is in the set can be changed there. */
	(void)epoll_ctl(sock->port->epoll_fd, EPOLL_CTL_MOD, sock->fd, &watch);
}

void soft_sock_set_blocked(struct soft_sock *sock, bool is_blocked)
{
	if (sock->is_blocked == is_blocked)
		return;
	sock->is_blocked = is_blocked;
	if (is_blocked)
		sock->port->num_blocked++;
	else
		sock->port->num_blocked--;
}

/* Takes it out of the set: to close it does not, while a child of a fork has a duplicate. */
static int forget_fd(struct soft_sock *sock)
{
	int fd = sock->fd;

	(void)epoll_ctl(sock->port->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	LIST_REMOVE(sock, open_link);
	sock->fd = -1;
	return fd;
}

void soft_sock_reset(struct soft_sock *sock)
{
	if (sock->fd >= 0) {
		/* The peer must see that, also while a child of a fork has a duplicate. */
		(void)shutdown(sock->fd, SHUT_RDWR);
		close(forget_fd(sock));
	}
	soft_sock_set_blocked(sock, false);
}

void soft_sock_close(struct soft_sock *sock)
{
	soft_sock_reset(sock);
	SLIST_INSERT_HEAD(&sock->port->closed, sock, closed_link);
}

int soft_sock_release(struct soft_sock *sock)
{
	int fd = forget_fd(sock);

	soft_sock_close(sock);
	return fd;
}

void soft_sock_drop(int fd)
{
	close(fd);
}

static void sweep(struct soft_port *port)
{
	struct soft_sock *sock;

	while ((sock = SLIST_FIRST(&port->closed)) != NULL) {
		SLIST_REMOVE_HEAD(&port->closed, closed_link);
		sock->destroy(sock);
	}
}

void soft_port_lock(struct soft_port *port)
{
	if (pthread_mutex_trylock(&port->lock) == 0)
		return;
	__atomic_fetch_add(&port->num_waiting, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&port->lock);
	__atomic_fetch_sub(&port->num_waiting, 1, __ATOMIC_RELAXED);
}

void soft_port_finish(struct soft_port *port, struct drdma_task *task, doca_error_t result)
{
	task->result = result;
	STAILQ_INSERT_TAIL(&port->finished, &task->base, link);
	port->has_finished = true;
}

void soft_port_tell(struct soft_port *port)
{
	if (!port->has_finished)
		return;
	port->has_finished = false;
	core_pe_wake(port->pe);
}

/* True: something was ready. */
static bool poll_events(struct soft_port *port)
{
	struct epoll_event events[MAX_EVENTS];
	int count = epoll_wait(port->epoll_fd, events, MAX_EVENTS, 0);

	for (int i = 0; i < count; i++) {
		struct soft_sock *sock = events[i].data.ptr;

		if (sock->fd < 0)
			continue; /* one before it has closed it */
		if ((events[i].events & EPOLLOUT) != 0)
			soft_sock_set_blocked(sock, false);
		sock->on_ready(sock, events[i].events);
	}
	return count > 0;
}

/* Is it worth a look in this round? */
static bool is_hot(const struct soft_responder *responder)
{
	return responder->num_misses < COLD_MISSES ||
	       responder->sock.port->num_rounds % COLD_ROUNDS == 0;
}

static bool poll_responder(struct soft_responder *responder)
{
	bool has_moved = soft_responder_poll(responder);

	responder->num_misses = has_moved ? 0 : responder->num_misses + 1;
	return has_moved;
}

static bool poll_responders(struct soft_port *port, bool only_busy)
{
	struct soft_responder *responder, *next;
	bool has_moved = false;

	if (only_busy && port->num_busy == 0)
		return false; /* there may be hundreds of them */
	for (responder = LIST_FIRST(&port->hot_responders); responder != NULL; responder = next) {
		next = LIST_NEXT(responder, hot_link);
		if (responder->is_busy || (!only_busy && is_hot(responder)))
			has_moved |= poll_responder(responder);
	}
	return has_moved;
}

static bool poll_lanes(struct soft_port *port)
{
	struct soft_requester *requester, *next;
	bool has_moved = false;

	for (requester = LIST_FIRST(&port->hot_requesters); requester != NULL; requester = next) {
		next = LIST_NEXT(requester, hot_link);
		if (requester->num_tasks > 0)
			has_moved |= soft_requester_poll(requester);
	}
	return poll_responders(port, false) || has_moved;
}

/*
 * What every round and the timers end with. Receives that were given back are not handed on at
 * once, as whoever gave one back may be in the middle of the list. True: one was.
 */
static bool finish_round(struct soft_port *port)
{
	bool has_returned = port->has_returned;

	if (has_returned)
		soft_receive_posted(port);
	sweep(port);
	soft_port_tell(port);
	return has_returned;
}

bool soft_port_poll(struct soft_port *port)
{
	bool is_direct = port->num_hot > 0 && port->num_hot <= SOFT_MAX_DIRECT;
	bool has_moved = port->num_busy > 0;

	if (is_direct)
		has_moved |= poll_lanes(port);
	else
		has_moved |= poll_responders(port, true);
	if (++port->num_rounds % (has_moved ? BUSY_ROUNDS : IDLE_ROUNDS) == 0 || !is_direct ||
	    port->num_blocked > 0)
		has_moved |= poll_events(port);
	return finish_round(port) || has_moved;
}

void soft_port_set_deadline(struct soft_port *port, uint64_t at_ns)
{
	if (at_ns >= port->deadline_ns)
		return;
	port->deadline_ns = at_ns;
	soft_engine_set_timer(at_ns);
}

void soft_port_run_timers(struct soft_port *port)
{
	uint64_t now_ns = core_now_ns();
	struct soft_responder *responder, *next_responder;
	struct soft_conn *soft;

	if (now_ns < port->deadline_ns) {
		if (port->deadline_ns != SOFT_NEVER)
			soft_engine_set_timer(port->deadline_ns);
		return;
	}
	port->deadline_ns = SOFT_NEVER;
	LIST_FOREACH(soft, &port->conns, link)
	{
		if (soft->requester != NULL)
			soft_requester_run_timers(soft->requester, now_ns);
	}
	for (responder = LIST_FIRST(&port->hot_responders); responder != NULL;
	     responder = next_responder) {
		next_responder = LIST_NEXT(responder, hot_link);
		soft_responder_run_timers(responder, now_ns);
	}
	soft_stranger_run_timers(port, now_ns);
	(void)finish_round(port);
}

static void listener_destroy(struct soft_sock *sock)
{
	sock->fd = -1; /* it is a part of its port */
}

static void listener_init(struct soft_port *port, struct soft_sock *sock,
			  void (*on_ready)(struct soft_sock *sock, uint32_t events))
{
	sock->fd = -1;
	sock->port = port;
	sock->on_ready = on_ready;
	sock->destroy = listener_destroy;
}

static doca_error_t open_listeners(struct soft_port *port)
{
	doca_error_t result = DOCA_SUCCESS;
	int fd;

	if (port->options.has_unix) {
		result = soft_listen_unix(port->listener_name, &fd);
		if (result == DOCA_SUCCESS)
			result = soft_sock_add(&port->unix_listener, fd, EPOLLIN);
	}
	if (result == DOCA_SUCCESS && port->options.has_tcp) {
		result = soft_listen_tcp(port->rdma, &fd, &port->tcp_port);
		if (result == DOCA_SUCCESS)
			result = soft_sock_add(&port->tcp_listener, fd, EPOLLIN);
	}
	return result == DOCA_SUCCESS ? DOCA_SUCCESS : DOCA_ERROR_INITIALIZATION;
}

static doca_error_t name_listener(struct soft_port *port)
{
	struct core_key keys[2];

	_Static_assert(sizeof(port->listener_name) ==
			   sizeof(keys) / sizeof(keys[0]) * sizeof(keys[0].tag),
		       "two tags");
	for (int i = 0; i < 2; i++) {
		if (core_key_make(&keys[i]) != DOCA_SUCCESS)
			return DOCA_ERROR_INITIALIZATION;
		memcpy(port->listener_name + (size_t)i * sizeof(keys[i].tag), &keys[i].tag,
		       sizeof(keys[i].tag));
	}
	return DOCA_SUCCESS;
}

static void port_destroy(struct soft_port *port)
{
	soft_sock_reset(&port->unix_listener);
	soft_sock_reset(&port->tcp_listener);
	if (port->epoll_fd >= 0)
		close(port->epoll_fd);
	if (port->gate_fd >= 0)
		close(port->gate_fd);
	if (port->lease_fd >= 0)
		close(port->lease_fd);
	pthread_mutex_destroy(&port->lock);
	free(port);
}

/* The progress engine's, and the one that serves in its stead. */
static doca_error_t join_engines(struct soft_port *port)
{
	doca_error_t result;

	if (core_pe_watch(port->pe, port->gate_fd) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	result = soft_engine_add(port);
	if (result != DOCA_SUCCESS)
		core_pe_unwatch(port->pe, port->gate_fd);
	return result;
}

doca_error_t soft_port_open(struct doca_rdma *rdma, struct soft_port **port)
{
	struct soft_port *opened = calloc(1, sizeof(*opened));
	doca_error_t result;

	if (opened == NULL) {
		DOCA_LOG_ERR("rdma context %p: there is no memory for its sockets", (void *)rdma);
		return DOCA_ERROR_NO_MEMORY;
	}
	pthread_mutex_init(&opened->lock, NULL);
	soft_options_read(&opened->options);
	opened->rdma = rdma;
	opened->pe = rdma->base.pe;
	opened->deadline_ns = SOFT_NEVER;
	STAILQ_INIT(&opened->receives);
	STAILQ_INIT(&opened->finished);
	TAILQ_INIT(&opened->rnr);
	listener_init(opened, &opened->unix_listener, soft_on_unix_client);
	listener_init(opened, &opened->tcp_listener, soft_on_tcp_client);
	opened->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	opened->gate_fd = epoll_create1(EPOLL_CLOEXEC);
	opened->lease_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (opened->epoll_fd < 0 || opened->gate_fd < 0 || opened->lease_fd < 0)
		result = DOCA_ERROR_INITIALIZATION;
	else
		result = name_listener(opened);
	if (result == DOCA_SUCCESS)
		result = open_listeners(opened);
	if (result == DOCA_SUCCESS)
		result = join_engines(opened);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("rdma context %p: its sockets cannot be made", (void *)rdma);
		port_destroy(opened);
		return result;
	}
	*port = opened;
	return DOCA_SUCCESS;
}

/* Those that say why they failed, and belong to no connection any more. */
static void close_ending(struct soft_port *port)
{
	while (!LIST_EMPTY(&port->hot_responders))
		soft_responder_close(LIST_FIRST(&port->hot_responders));
}

void soft_port_abandon(struct soft_port *port)
{
	struct soft_sock *sock;

	while ((sock = LIST_FIRST(&port->open)) != NULL) {
		LIST_REMOVE(sock, open_link);
		close(sock->fd);
		sock->fd = -1;
	}
	close(port->epoll_fd);
	port->epoll_fd = -1;
	close(port->gate_fd);
	port->gate_fd = -1;
	close(port->lease_fd);
	port->lease_fd = -1;
	port->is_leased = port->is_open = false;
	port->is_orphan = true;
}

void soft_port_close(struct soft_port *port)
{
	soft_engine_remove(port);
	core_pe_unwatch(port->pe, port->gate_fd);
	soft_strangers_close(port);
	close_ending(port);
	sweep(port);
	assert(LIST_EMPTY(&port->conns) && port->num_hot == 0);
	port_destroy(port);
}
