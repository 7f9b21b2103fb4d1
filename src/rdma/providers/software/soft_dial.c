/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A requester's way to an open lane: it tries the addresses of the peer one after the other, says
 * hello and waits for the welcome, which comes when the peer's application has connected as well.
 * A refusal is not final at once: it may be a peer that is just starting again elsewhere. Only who
 * has a task waiting is in a hurry; without one the requester dials, or waits, as long as it takes.
 */

#include "rdma/providers/software/soft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::DIAL);

/* Between two attempts, and when nobody has been there for so long that it is no hurry. */
#define RETRY_NS      (UINT64_C(50) * 1000000)
#define SLOW_RETRY_NS (UINT64_C(1) * 1000000000)
#define REFUSED_NS    (UINT64_C(2) * 1000000000)

static struct soft_requester *requester_from_sock(struct soft_sock *sock)
{
	return CORE_CONTAINER_OF(sock, struct soft_requester, sock);
}

static void requester_destroy(struct soft_sock *sock)
{
	struct soft_requester *requester = requester_from_sock(sock);

	soft_stage_fini(&requester->stage);
	free(requester);
}

/* All addresses were tried: once more later, or, for tasks that wait, that was it. */
static void wait_for_retry(struct soft_requester *requester)
{
	uint64_t now_ns = core_now_ns();
	bool is_final = now_ns >= requester->refused_ns;

	requester->candidate = 0;
	requester->dial = SOFT_DIAL_WAITING;
	if (is_final && requester->num_tasks > 0) {
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED,
			       "nobody is there at the peer's addresses");
		return;
	}
	requester->retry_ns = now_ns + (is_final ? SLOW_RETRY_NS : RETRY_NS);
	soft_port_set_deadline(requester->sock.port, requester->retry_ns);
}

static void dial(struct soft_requester *requester)
{
	struct soft_port *port = requester->sock.port;
	const struct drdma_conn_record *peer = &requester->conn->conn->peer;
	int fd;

	for (;; requester->candidate++) {
		fd = soft_dial(port, peer, requester->candidate);
		if (fd < 0 && errno == EADDRNOTAVAIL) {
			wait_for_retry(requester);
			return;
		}
		if (fd >= 0 &&
		    soft_sock_add(&requester->sock, fd, EPOLLIN | EPOLLOUT) == DOCA_SUCCESS)
			break;
	}
	requester->dial = SOFT_DIAL_CONNECTING;
}

static void dial_next(struct soft_requester *requester)
{
	soft_sock_reset(&requester->sock);
	requester->stage.from = requester->stage.to = 0;
	requester->candidate++;
	dial(requester);
}

static bool send_hello(struct soft_requester *requester)
{
	const struct doca_rdma_connection *conn = requester->conn->conn;
	struct soft_hello hello = {
		.transport = conn->record.transport,
		.rnr_retry_count = (uint8_t)conn->rdma->config.rnr_retry_count,
		.from_id = conn->record.conn_id,
		.to_id = conn->peer.conn_id,
		.secret_addr = (uintptr_t)conn->record.secret,
	};
	uint8_t bytes[SOFT_HELLO_SIZE];

	memcpy(hello.from_instance, conn->record.instance, sizeof(hello.from_instance));
	memcpy(hello.to_instance, conn->peer.instance, sizeof(hello.to_instance));
	memcpy(hello.from_secret, conn->record.secret, sizeof(hello.from_secret));
	memcpy(hello.to_secret, conn->peer.secret, sizeof(hello.to_secret));
	soft_hello_encode(&hello, bytes);
	/* The socket is new, so there is room for all of it. */
	return send(requester->sock.fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       (ssize_t)sizeof(bytes);
}

static void on_connected(struct soft_requester *requester)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(requester->sock.fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0 || err != 0 ||
	    !send_hello(requester)) {
		dial_next(requester);
		return;
	}
	requester->dial = SOFT_DIAL_GREETING;
	soft_sock_want(&requester->sock, EPOLLIN);
}

static void on_welcome(struct soft_requester *requester)
{
	struct soft_stage *stage = &requester->stage;
	struct soft_welcome welcome;
	bool is_drained, is_over;

	(void)soft_stage_recv(stage, requester->sock.fd, NULL, 0, &is_drained, &is_over);
	if (soft_stage_len(stage) < SOFT_WELCOME_SIZE) {
		if (is_over)
			dial_next(requester);
		return;
	}
	if (!soft_welcome_decode(stage->bytes + stage->from, &welcome)) {
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED,
			       "the peer speaks something else");
		return;
	}
	stage->from += SOFT_WELCOME_SIZE;
	if (!welcome.is_welcome) {
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED, "the peer has refused it");
		return;
	}
	requester->can_pull = welcome.can_pull;
	requester->dial = SOFT_DIAL_OPEN;
	soft_requester_open(requester);
}

static void on_ready(struct soft_sock *sock, uint32_t events)
{
	struct soft_requester *requester = requester_from_sock(sock);

	(void)events;
	switch (requester->dial) {
	case SOFT_DIAL_WAITING:
		break;
	case SOFT_DIAL_CONNECTING:
		on_connected(requester);
		break;
	case SOFT_DIAL_GREETING:
		on_welcome(requester);
		break;
	case SOFT_DIAL_OPEN:
		(void)soft_requester_poll(requester);
		break;
	}
}

doca_error_t soft_requester_create(struct soft_conn *soft)
{
	struct soft_requester *requester = calloc(1, sizeof(*requester));

	if (requester == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (soft_stage_init(&requester->stage) != DOCA_SUCCESS) {
		free(requester);
		return DOCA_ERROR_NO_MEMORY;
	}
	requester->sock.fd = -1;
	requester->sock.port = soft->port;
	requester->sock.on_ready = on_ready;
	requester->sock.destroy = requester_destroy;
	requester->conn = soft;
	STAILQ_INIT(&requester->tasks);
	requester->refused_ns = core_now_ns() + REFUSED_NS;
	soft->requester = requester;
	dial(requester);
	return DOCA_SUCCESS;
}

void soft_requester_close(struct soft_requester *requester)
{
	if (requester->dial == SOFT_DIAL_OPEN) {
		LIST_REMOVE(requester, hot_link);
		requester->sock.port->num_hot--;
	}
	requester->dial = SOFT_DIAL_WAITING;
	soft_sock_close(&requester->sock);
}

void soft_requester_hurry(struct soft_requester *requester)
{
	uint64_t now_ns = core_now_ns();

	requester->deadline_ns = now_ns + requester->sock.port->options.connect_wait_ns;
	soft_port_set_deadline(requester->sock.port, requester->deadline_ns);
	if (requester->dial != SOFT_DIAL_WAITING)
		return;
	requester->retry_ns = now_ns;
	soft_port_set_deadline(requester->sock.port, now_ns);
}

static void look_at_host(struct soft_requester *requester, uint64_t now_ns)
{
	if (requester->num_tasks > 0 && soft_socket_is_dead(requester->sock.fd))
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED, "the peer's host is silent");
	else
		soft_port_set_deadline(requester->sock.port, now_ns + SOFT_LOOK_NS);
}

void soft_requester_run_timers(struct soft_requester *requester, uint64_t now_ns)
{
	struct soft_port *port = requester->sock.port;

	if (requester->dial == SOFT_DIAL_OPEN) {
		look_at_host(requester, now_ns);
		return;
	}
	if (requester->num_tasks > 0 && now_ns >= requester->deadline_ns) {
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED,
			       "the peer has not connected in time");
		return;
	}
	if (requester->num_tasks > 0)
		soft_port_set_deadline(port, requester->deadline_ns);
	if (requester->dial != SOFT_DIAL_WAITING)
		return;
	if (now_ns >= requester->retry_ns)
		dial(requester);
	else
		soft_port_set_deadline(port, requester->retry_ns);
}
