/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_urom.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ucp/api/ucp.h>

#include "bench.h"

/*
 * The least that UCX does for a message there and back: an active message each way, between two
 * processes that know each other's worker address. The server reads from a socket between rounds,
 * so that it takes no processor from whatever is measured meanwhile; within a round it polls, or
 * sleeps when it is a blocking one.
 */

#define AM_ID 1

/* What the client writes to the server's socket. */
#define GO   'g'
#define QUIT 'q'

struct side {
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h ep;
	int fd;     /* UCX's, of a blocking side */
	int socket; /* to the other side */
	bool is_blocking;
	uint64_t num_received;
	uint64_t num_sending; /* that UCX has not sent yet */
	char *buffer;
};

struct ucx_peer {
	struct side client;
	int server_pid;
};

static void check(ucs_status_t status, const char *what)
{
	if (status != UCS_OK)
		bench_fail(what, ucs_status_string(status));
}

static void check_errno(int failed, const char *what)
{
	if (failed)
		bench_fail(what, strerror(errno));
}

static void on_sent(void *request, ucs_status_t status, void *arg)
{
	struct side *side = arg;

	check(status, "UCX send");
	ucp_request_free(request);
	side->num_sending--;
}

static void send_bytes(struct side *side, const void *bytes, size_t len)
{
	const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.send = on_sent,
		.user_data = side,
	};
	ucs_status_ptr_t request = ucp_am_send_nbx(side->ep, AM_ID, NULL, 0, bytes, len, &params);

	if (UCS_PTR_IS_ERR(request))
		check(UCS_PTR_STATUS(request), "UCX send");
	if (request != NULL)
		side->num_sending++;
}

/* A long message was fetched. */
static void on_fetched(void *request, ucs_status_t status, size_t len, void *arg)
{
	struct side *side = arg;

	(void)len;
	check(status, "UCX receive");
	ucp_request_free(request);
	side->num_received++;
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_len, void *data,
			       size_t len, const ucp_am_recv_param_t *param)
{
	struct side *side = arg;
	const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv_am = on_fetched,
		.user_data = side,
	};
	ucs_status_ptr_t request;

	(void)header;
	(void)header_len;
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
		memcpy(side->buffer, data, len);
		side->num_received++;
		return UCS_OK;
	}
	request = ucp_am_recv_data_nbx(side->worker, data, side->buffer, len, &params);
	if (UCS_PTR_IS_ERR(request))
		check(UCS_PTR_STATUS(request), "UCX receive");
	if (request == NULL)
		side->num_received++;
	return UCS_INPROGRESS;
}

static void open_worker(struct side *side, const char *transports)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES,
		.features = UCP_FEATURE_AM | (side->is_blocking ? UCP_FEATURE_WAKEUP : 0),
	};
	const ucp_worker_params_t worker_params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	const ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
			      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
		.id = AM_ID,
		.flags = UCP_AM_FLAG_WHOLE_MSG,
		.cb = on_message,
		.arg = side,
	};
	ucp_config_t *config;

	check(ucp_config_read(NULL, NULL, &config), "UCX configuration");
	check(ucp_config_modify(config, "NET_DEVICES", "lo"), "UCX devices");
	if (transports != NULL)
		check(ucp_config_modify(config, "TLS", transports), "UCX transports");
	check(ucp_init(&params, config, &side->context), "UCX context");
	ucp_config_release(config);
	check(ucp_worker_create(side->context, &worker_params, &side->worker), "UCX worker");
	check(ucp_worker_set_am_recv_handler(side->worker, &handler), "UCX handler");
	if (side->is_blocking)
		check(ucp_worker_get_efd(side->worker, &side->fd), "UCX descriptor");
}

/* Each side writes its address and reads the other's. */
static void connect_side(struct side *side)
{
	ucp_address_t *own;
	size_t len, other_len;
	char other[8192];
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
		.address = (const ucp_address_t *)(const void *)other,
	};

	check(ucp_worker_get_address(side->worker, &own, &len), "UCX address");
	check_errno(send(side->socket, &len, sizeof(len), 0) != sizeof(len) ||
			send(side->socket, own, len, 0) != (ssize_t)len,
		    "socket");
	ucp_worker_release_address(side->worker, own);
	check_errno(recv(side->socket, &other_len, sizeof(other_len), MSG_WAITALL) !=
			sizeof(other_len),
		    "socket");
	if (other_len > sizeof(other))
		bench_fail("UCX address", "it is too long");
	check_errno(recv(side->socket, other, other_len, MSG_WAITALL) != (ssize_t)other_len,
		    "socket");
	check(ucp_ep_create(side->worker, &params, &side->ep), "UCX endpoint");
}

static void side_open(struct side *side, const char *transports, size_t max_bytes)
{
	side->buffer = calloc(1, max_bytes);
	check_errno(side->buffer == NULL, "memory");
	open_worker(side, transports);
	connect_side(side);
}

static void side_close(struct side *side)
{
	ucp_worker_destroy(side->worker);
	ucp_cleanup(side->context);
	free(side->buffer);
	(void)close(side->socket);
}

/* Drives UCX until that many messages have come. */
static void side_wait(struct side *side, uint64_t goal)
{
	struct pollfd ready = { .fd = side->fd, .events = POLLIN };

	while (side->num_received < goal) {
		if (ucp_worker_progress(side->worker) > 0 || !side->is_blocking)
			continue;
		if (ucp_worker_arm(side->worker) == UCS_OK)
			check_errno(poll(&ready, 1, -1) < 0 && errno != EINTR, "poll");
	}
}

/* What a round is: told by the client before it begins. */
struct round {
	char what;
	uint64_t count;
	uint64_t bytes;
};

__attribute__((noreturn)) static void serve(struct side *side, const char *transports,
					    size_t max_bytes)
{
	struct round round;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)bench_pin(1); /* the table says whether there are two */
	side_open(side, transports, max_bytes);
	while (recv(side->socket, &round, sizeof(round), MSG_WAITALL) == sizeof(round) &&
	       round.what == GO) {
		uint64_t goal = side->num_received + round.count;

		for (uint64_t sent = side->num_received; sent < goal;) {
			side_wait(side, sent + 1);
			for (; sent < side->num_received; sent++)
				send_bytes(side, side->buffer, round.bytes);
		}
		while (side->num_sending > 0)
			ucp_worker_progress(side->worker);
	}
	side_close(side);
	_exit(0);
}

struct ucx_peer *ucx_peer_create(const char *transports, size_t max_bytes, bool is_blocking)
{
	struct ucx_peer *peer = calloc(1, sizeof(*peer));
	struct side server = { .is_blocking = is_blocking };
	int sockets[2];

	check_errno(peer == NULL, "memory");
	check_errno(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0, "socketpair");
	peer->server_pid = fork();
	check_errno(peer->server_pid < 0, "fork");
	if (peer->server_pid == 0) {
		(void)close(sockets[0]);
		server.socket = sockets[1];
		serve(&server, transports, max_bytes);
	}
	(void)close(sockets[1]);
	peer->client.socket = sockets[0];
	peer->client.is_blocking = is_blocking;
	side_open(&peer->client, transports, max_bytes);
	return peer;
}

void ucx_peer_destroy(struct ucx_peer *peer)
{
	const struct round quit = { .what = QUIT };

	(void)!write(peer->client.socket, &quit, sizeof(quit)); /* it ends with the socket, too */
	(void)waitpid(peer->server_pid, NULL, 0);
	side_close(&peer->client);
	free(peer);
}

static void begin_round(struct side *client, size_t bytes, uint64_t count)
{
	const struct round round = { .what = GO, .count = count, .bytes = bytes };

	check_errno(write(client->socket, &round, sizeof(round)) != sizeof(round), "socket");
}

void ucx_peer_run(struct ucx_peer *peer, size_t bytes, uint64_t count, uint64_t window)
{
	struct side *client = &peer->client;
	uint64_t first = client->num_received;

	begin_round(client, bytes, count);
	for (uint64_t sent = 0; client->num_received - first < count;) {
		while (sent < count && sent - (client->num_received - first) < window) {
			send_bytes(client, client->buffer, bytes);
			sent++;
		}
		side_wait(client, client->num_received + 1);
	}
}

void ucx_peer_run_rarely(struct ucx_peer *peer, size_t bytes, uint64_t count, uint64_t silence_ns)
{
	struct side *client = &peer->client;

	begin_round(client, bytes, count);
	for (; count > 0; count--) {
		bench_silence(silence_ns);
		send_bytes(client, client->buffer, bytes);
		side_wait(client, client->num_received + 1);
	}
}
