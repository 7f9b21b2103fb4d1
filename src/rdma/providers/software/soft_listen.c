/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Who dials is a stranger until it has said hello with the secret of a connection. It is then that
 * connection's peer, if the application has connected to no other; if it has not connected at all,
 * the stranger waits for that, or, with DC, is let in as one of many (soft_target.c).
 */

#include "rdma/providers/software/soft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::LISTEN);

#define HELLO_NS     (UINT64_C(10) * 1000000000)
#define MAX_ACCEPTED 64 /* in a round */

/* Until clients are looked at again, when there was no descriptor or no memory for one. */
#define FULL_NS (UINT64_C(100) * 1000000)

static struct soft_stranger *stranger_from_sock(struct soft_sock *sock)
{
	return CORE_CONTAINER_OF(sock, struct soft_stranger, sock);
}

static void stranger_destroy(struct soft_sock *sock)
{
	free(stranger_from_sock(sock));
}

static void stranger_forget(struct soft_stranger *stranger)
{
	LIST_REMOVE(stranger, link);
	stranger->sock.port->num_strangers--;
}

static void stranger_close(struct soft_stranger *stranger)
{
	stranger_forget(stranger);
	soft_sock_close(&stranger->sock);
}

static void answer(const struct soft_stranger *stranger, bool is_welcome, bool can_pull)
{
	const struct soft_welcome welcome = { .is_welcome = is_welcome, .can_pull = can_pull };
	uint8_t bytes[SOFT_WELCOME_SIZE];

	soft_welcome_encode(&welcome, bytes);
	/* Nothing was sent on it before, so there is room; a peer that has gone is seen later. */
	(void)!send(stranger->sock.fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void stranger_reject(struct soft_stranger *stranger, const char *why)
{
	DOCA_LOG_INFO("a lane to connection %u is refused: %s", stranger->hello.to_id, why);
	answer(stranger, false, false);
	stranger_close(stranger);
}

/* Can this process read the peer's memory? It says where its secret is: the proof is to read it. */
static bool can_pull_from(const struct soft_stranger *stranger)
{
	uint8_t secret[DRDMA_SECRET_SIZE];
	struct iovec local = { secret, sizeof(secret) };
	struct iovec remote = {
		(void *)(uintptr_t)stranger->hello.secret_addr, /* NOLINT: another process's */
		sizeof(secret),
	};

	if (stranger->pid == 0 || !stranger->sock.port->options.can_pull)
		return false;
	return process_vm_readv(stranger->pid, &local, 1, &remote, 1, 0) ==
		   (ssize_t)sizeof(secret) &&
	       memcmp(secret, stranger->hello.from_secret, sizeof(secret)) == 0;
}

static bool is_peer(const struct soft_hello *hello, const struct drdma_conn_record *peer)
{
	return hello->from_id == peer->conn_id &&
	       memcmp(hello->from_instance, peer->instance, sizeof(peer->instance)) == 0 &&
	       memcmp(hello->from_secret, peer->secret, sizeof(peer->secret)) == 0;
}

/* Why a connection that could take peers does not take that one; NULL: it does. */
static const char *refusal(const struct soft_conn *soft, const struct soft_hello *hello)
{
	if (soft_conn_is_target(soft))
		return soft_target_refusal(soft);
	if (hello->transport == DOCA_RDMA_TRANSPORT_TYPE_DC)
		return "it is an initiator's";
	if (!is_peer(hello, &soft->conn->peer))
		return "it is connected to another peer";
	return LIST_EMPTY(&soft->responders) ? NULL : "it has one";
}

/* The connection takes peers: the stranger is one, or goes. */
static void admit(struct soft_conn *soft, struct soft_stranger *stranger)
{
	const char *why = refusal(soft, &stranger->hello);
	bool can_pull;

	if (why != NULL) {
		stranger_reject(stranger, why);
		return;
	}
	can_pull = can_pull_from(stranger);
	if (!can_pull)
		stranger->pid = 0;
	answer(stranger, true, can_pull);
	stranger_forget(stranger);
	if (soft_responder_create(soft, stranger) != DOCA_SUCCESS)
		soft_conn_lose_lane(soft, "there is no memory for its lane");
}

static void on_hello(struct soft_stranger *stranger)
{
	struct soft_port *port = stranger->sock.port;
	const struct soft_hello *hello = &stranger->hello;
	struct soft_conn *soft;
	const struct drdma_conn_record *own;

	if (!soft_hello_decode(stranger->bytes, &stranger->hello)) {
		DOCA_LOG_INFO("a client says no hello of ours");
		stranger_close(stranger);
		return;
	}
	soft = soft_conn_find(port, hello->to_id);
	own = soft != NULL ? &soft->conn->record : NULL;
	if (own == NULL || memcmp(hello->to_instance, own->instance, sizeof(own->instance)) != 0 ||
	    memcmp(hello->to_secret, own->secret, sizeof(own->secret)) != 0 ||
	    hello->transport != own->transport) {
		stranger_reject(stranger, "there is no such connection");
		return;
	}
	if (soft->conn->state == DRDMA_CONN_CONNECTED || soft_conn_is_target(soft)) {
		admit(soft, stranger);
	} else if (soft->conn->state == DRDMA_CONN_EXPORTED) {
		stranger->deadline_ns = SOFT_NEVER;
		soft_sock_want(&stranger->sock, EPOLLRDHUP);
	} else {
		stranger_reject(stranger, "it has ended");
	}
}

static void on_stranger(struct soft_sock *sock, uint32_t events)
{
	struct soft_stranger *stranger = stranger_from_sock(sock);
	ssize_t got;

	(void)events;
	if (stranger->deadline_ns == SOFT_NEVER) { /* it waited, and has gone */
		stranger_close(stranger);
		return;
	}
	got = recv(sock->fd, stranger->bytes + stranger->len,
		   sizeof(stranger->bytes) - stranger->len, MSG_DONTWAIT);
	if (got <= 0) {
		stranger_close(stranger);
		return;
	}
	stranger->len += (size_t)got;
	if (stranger->len == sizeof(stranger->bytes))
		on_hello(stranger);
}

/* Takes ownership of the descriptor. */
static void stranger_create(struct soft_port *port, int fd, bool is_unix)
{
	unsigned int max = SOFT_MAX_STRANGERS + port->rdma->config.max_num_connections;
	struct soft_stranger *stranger = NULL;

	if (port->num_strangers < max)
		stranger = calloc(1, sizeof(*stranger));
	if (stranger == NULL) {
		close(fd);
		return;
	}
	soft_socket_tune(port, fd);
	stranger->sock.fd = -1;
	stranger->sock.port = port;
	stranger->sock.on_ready = on_stranger;
	stranger->sock.destroy = stranger_destroy;
	stranger->pid = is_unix ? soft_socket_peer(fd) : 0;
	stranger->deadline_ns = core_now_ns() + HELLO_NS;
	if (soft_sock_add(&stranger->sock, fd, EPOLLIN | EPOLLRDHUP) != DOCA_SUCCESS) {
		free(stranger);
		return;
	}
	LIST_INSERT_HEAD(&port->strangers, stranger, link);
	port->num_strangers++;
	soft_port_set_deadline(port, stranger->deadline_ns);
}

/* The clients stay where they are, and to be told of them again and again helps nobody. */
static void wait_while_full(struct soft_sock *sock)
{
	struct soft_port *port = sock->port;

	if (!port->is_full)
		DOCA_LOG_WARN("clients may have to wait: %s", strerror(errno));
	port->is_full = true;
	port->accept_ns = core_now_ns() + FULL_NS;
	soft_port_set_deadline(port, port->accept_ns);
	soft_sock_want(sock, 0);
}

/* The others are there in the next round. */
static void accept_some(struct soft_sock *sock, bool is_unix)
{
	int fd;

	for (int i = 0; i < MAX_ACCEPTED; i++) {
		fd = accept4(sock->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			    errno == ENOMEM)
				wait_while_full(sock);
			return;
		}
		sock->port->is_full = false;
		stranger_create(sock->port, fd, is_unix);
	}
}

void soft_on_unix_client(struct soft_sock *sock, uint32_t events)
{
	(void)events;
	accept_some(sock, true);
}

void soft_on_tcp_client(struct soft_sock *sock, uint32_t events)
{
	(void)events;
	accept_some(sock, false);
}

void soft_admit_waiting(struct soft_conn *soft)
{
	struct soft_stranger *stranger, *next;

	for (stranger = LIST_FIRST(&soft->port->strangers); stranger != NULL; stranger = next) {
		next = LIST_NEXT(stranger, link);
		if (stranger->deadline_ns != SOFT_NEVER ||
		    stranger->hello.to_id != soft->conn->record.conn_id)
			continue;
		if (soft->conn->state == DRDMA_CONN_CONNECTED)
			admit(soft, stranger);
		else
			stranger_reject(stranger, "it has ended");
	}
}

static void look_for_clients(struct soft_port *port, uint64_t now_ns)
{
	if (now_ns < port->accept_ns) {
		soft_port_set_deadline(port, port->accept_ns);
		return;
	}
	soft_sock_want(&port->unix_listener, EPOLLIN);
	soft_sock_want(&port->tcp_listener, EPOLLIN);
}

void soft_stranger_run_timers(struct soft_port *port, uint64_t now_ns)
{
	struct soft_stranger *stranger, *next;

	if (port->is_full)
		look_for_clients(port, now_ns);

	for (stranger = LIST_FIRST(&port->strangers); stranger != NULL; stranger = next) {
		next = LIST_NEXT(stranger, link);
		if (now_ns >= stranger->deadline_ns)
			stranger_close(stranger);
		else
			soft_port_set_deadline(port, stranger->deadline_ns);
	}
}

void soft_strangers_close(struct soft_port *port)
{
	while (!LIST_EMPTY(&port->strangers))
		stranger_close(LIST_FIRST(&port->strangers));
}
