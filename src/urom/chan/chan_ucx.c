/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_ucx.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/log.h"
#include "urom/chan/chan_address.h"

CORE_LOG_REGISTER(UROM::CHAN::UCX);

/* Turns of progress between two looks for peers that cannot be accepted; a power of two. */
#define TURNS_A_LOOK 1024

/* Peers that have connected and are not accepted yet. */
#define MAX_REQUESTS 64

/*
 * How long a channel that closes drives UCX for endpoints that are closing. They wait for no peer,
 * but for UCX's own thread, which is done within a few ms even when the machine is busy.
 */
#define CLOSE_NS         UINT64_C(200000000)
#define CLOSE_IDLE_TURNS 64

/*
 * UCX knows who waits for a descriptor by its number, in the whole process. An event that comes
 * while a worker is busy is looked at in that worker's next progress; has the descriptor been
 * closed by then, and another worker got the same number, UCX takes the one for the other and ends
 * the process. So descriptors are made and closed under this lock, a close or an accept with the
 * progress behind it. Handlers that connect have it already.
 */
static pthread_mutex_t fds_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void fds_enter(void)
{
	(void)pthread_mutex_lock(&fds_lock); /* it cannot fail */
}

static void fds_leave(void)
{
	(void)pthread_mutex_unlock(&fds_lock); /* the same */
}

doca_error_t chan_error_from_ucs(ucs_status_t status)
{
	static const struct {
		ucs_status_t status;
		doca_error_t error;
	} rows[] = {
		{ UCS_OK, DOCA_SUCCESS },
		{ UCS_ERR_NO_MEMORY, DOCA_ERROR_NO_MEMORY },
		{ UCS_ERR_INVALID_PARAM, DOCA_ERROR_INVALID_VALUE },
		{ UCS_ERR_INVALID_ADDR, DOCA_ERROR_INVALID_VALUE },
		{ UCS_ERR_UNREACHABLE, DOCA_ERROR_NOT_CONNECTED },
		{ UCS_ERR_NOT_CONNECTED, DOCA_ERROR_CONNECTION_RESET },
		{ UCS_ERR_CONNECTION_RESET, DOCA_ERROR_CONNECTION_RESET },
		{ UCS_ERR_ENDPOINT_TIMEOUT, DOCA_ERROR_CONNECTION_RESET },
		{ UCS_ERR_REJECTED, DOCA_ERROR_CONNECTION_RESET },
		{ UCS_ERR_CANCELED, DOCA_ERROR_CONNECTION_RESET },
		{ UCS_ERR_BUSY, DOCA_ERROR_ALREADY_EXIST },
	};

	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		if (rows[i].status == status)
			return rows[i].error;
	}
	return DOCA_ERROR_DRIVER;
}

/* --- Connections --- */

static struct ucx_conn *map_find(struct ucx_conn *map, ucp_ep_h ep) /* NOLINT: uthash nests */
{
	struct ucx_conn *conn;

	HASH_FIND_PTR(map, &ep, conn);
	return conn;
}

static void map_add(struct ucx_conn **map, struct ucx_conn *conn) /* NOLINT: as above */
{
	HASH_ADD_PTR(*map, ep, conn);
}

static void map_remove(struct ucx_conn **map, struct ucx_conn *conn) /* NOLINT: as above */
{
	HASH_DEL(*map, conn);
}

struct ucx_conn *chan_ucx_conn_find(struct ucx_chan *chan, ucp_ep_h ep)
{
	if (chan->latest == NULL || chan->latest->ep != ep)
		chan->latest = map_find(chan->by_ep, ep);
	return chan->latest;
}

/* Moves it to the ending list, once. */
static void conn_end(struct ucx_conn *conn, doca_error_t why)
{
	struct ucx_chan *chan = ucx_chan_from(conn->base.chan);

	if (conn->is_ending)
		return;
	conn->is_ending = true;
	conn->why = why;
	TAILQ_REMOVE(&chan->conns, conn, link);
	TAILQ_INSERT_TAIL(&chan->ending, conn, link);
}

void chan_ucx_conn_fail(struct ucx_conn *conn, doca_error_t why)
{
	/* A side that connects and never hears a word cannot tell a refusal from a loss. */
	if (why == DOCA_ERROR_CONNECTION_RESET && conn->is_ours && !conn->has_heard)
		why = DOCA_ERROR_NOT_CONNECTED;
	conn_end(conn, why);
}

static void on_ep_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
	struct ucx_conn *conn = arg;
	(void)ep;

	DOCA_LOG_DBG("connection %p: %s", (void *)conn, ucs_status_string(status));
	chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_RESET);
}

/* params: of the endpoint, but for what all have. created: written on success only. */
static doca_error_t conn_create(struct ucx_chan *chan, ucp_ep_params_t *params,
				struct ucx_conn **created)
{
	struct ucx_conn *conn = calloc(1, sizeof(*conn));
	ucs_status_t status;

	if (conn == NULL)
		return DOCA_ERROR_NO_MEMORY;
	params->field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLER |
			      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_FLAGS;
	params->flags |= UCP_EP_PARAMS_FLAGS_NO_LOOPBACK;
	params->err_mode = UCP_ERR_HANDLING_MODE_PEER;
	params->err_handler.cb = on_ep_error;
	params->err_handler.arg = conn;
	conn->base.chan = &chan->base;
	conn->base.max_body = chan->base.max_body;
	TAILQ_INIT(&conn->arrivals);
	STAILQ_INIT(&conn->held);
	fds_enter();
	status = ucp_ep_create(chan->worker, params, &conn->ep);
	fds_leave();
	if (status != UCS_OK) {
		free(conn);
		return chan_error_from_ucs(status);
	}
	TAILQ_INSERT_TAIL(&chan->conns, conn, link);
	map_add(&chan->by_ep, conn);
	*created = conn;
	return DOCA_SUCCESS;
}

/* Nobody waits any more for the end of its endpoint, whether that has come or not. */
static void conn_forget(struct ucx_conn *conn)
{
	TAILQ_REMOVE(&ucx_chan_from(conn->base.chan)->closing, conn, link);
	if (UCS_PTR_IS_PTR(conn->close_request))
		ucp_request_free(conn->close_request);
	chan_ucx_send_forget(conn);
	free(conn);
}

static void on_ep_closed(void *request, ucs_status_t status, void *arg)
{
	(void)request;
	(void)status; /* a peer that is gone is as good as closed */
	conn_forget(arg);
}

/*
 * Frees it when UCX is done with its endpoint. is_whole: lets what was sent go out first; but UCX
 * 1.13 aborts the process when an endpoint is closed so with a long message on the way.
 */
static void conn_free(struct ucx_conn *conn, bool is_whole)
{
	struct ucx_chan *chan = ucx_chan_from(conn->base.chan);
	const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK |
				UCP_OP_ATTR_FIELD_USER_DATA,
		.flags = is_whole && conn->num_fetching == 0 ? 0 : UCP_EP_CLOSE_FLAG_FORCE,
		.cb.send = on_ep_closed,
		.user_data = conn,
	};

	map_remove(&chan->by_ep, conn);
	if (chan->latest == conn)
		chan->latest = NULL;
	chan_ucx_receive_fini(conn);
	chan_ucx_drop_held(conn);
	TAILQ_INSERT_TAIL(&chan->closing, conn, link);
	conn->close_request = ucp_ep_close_nbx(conn->ep, &params);
	if (!UCS_PTR_IS_PTR(conn->close_request))
		conn_forget(conn);
}

static void end_conns(struct ucx_chan *chan)
{
	struct ucx_conn *conn;

	fds_enter();
	while ((conn = TAILQ_FIRST(&chan->ending)) != NULL) {
		TAILQ_REMOVE(&chan->ending, conn, link);
		if (!conn->is_given_up)
			chan->base.handler->closed(chan->base.arg, &conn->base, conn->why);
		conn_free(conn, conn->why == DOCA_SUCCESS);
	}
	(void)ucp_worker_progress(chan->worker); /* the caller has worked anyway */
	fds_leave();
}

static void ucx_disconnect(struct chan_conn *base)
{
	struct ucx_conn *conn = ucx_conn_from(base);

	conn->is_given_up = true;
	conn_end(conn, DOCA_SUCCESS);
}

static doca_error_t ucx_connect(struct chan *base, const struct sockaddr *addr, socklen_t len,
				struct chan_conn **conn)
{
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_SOCK_ADDR,
		.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER,
		.sockaddr = { addr, len },
	};
	struct ucx_conn *created = NULL;
	doca_error_t result = conn_create(ucx_chan_from(base), &params, &created);

	if (created == NULL)
		return result;
	created->is_ours = true;
	*conn = &created->base;
	return DOCA_SUCCESS;
}

/* --- Peers that connect --- */

static void on_request(ucp_conn_request_h handle, void *arg)
{
	struct ucx_chan *chan = arg;
	struct ucx_request *request = NULL;

	if (chan->num_requests < MAX_REQUESTS)
		request = calloc(1, sizeof(*request));
	if (request == NULL) {
		DOCA_LOG_WARN("a peer is turned away: %u wait already", chan->num_requests);
		(void)ucp_listener_reject(chan->listener, handle); /* the peer gives up by itself */
		return;
	}
	request->handle = handle;
	STAILQ_INSERT_TAIL(&chan->requests, request, link);
	chan->num_requests++;
}

static struct ucx_request *request_take(struct ucx_chan *chan)
{
	struct ucx_request *request = STAILQ_FIRST(&chan->requests);

	if (request != NULL) {
		STAILQ_REMOVE_HEAD(&chan->requests, link);
		chan->num_requests--;
	}
	return request;
}

static bool accept_one(struct ucx_chan *chan)
{
	const struct chan_handler *handler = chan->base.handler;
	struct ucx_request *request = request_take(chan);
	ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST };
	struct ucx_conn *conn = NULL;
	doca_error_t result;

	if (request == NULL)
		return false;
	params.conn_request = request->handle;
	free(request);
	if (handler->may_accept != NULL && !handler->may_accept(chan->base.arg)) {
		(void)ucp_listener_reject(chan->listener, params.conn_request); /* as above */
		return true;
	}
	result = conn_create(chan, &params, &conn);
	if (result == DOCA_SUCCESS)
		handler->accepted(chan->base.arg, &conn->base);
	else
		DOCA_LOG_WARN("a peer cannot be accepted: %s", doca_error_get_descr(result));
	return true;
}

static doca_error_t ucx_get_address(struct chan *base, struct sockaddr_storage *addr)
{
	ucp_listener_attr_t attr = { .field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR };
	const struct ucx_chan *chan = ucx_chan_from(base);
	ucs_status_t status;

	if (chan->listener == NULL)
		return DOCA_ERROR_BAD_STATE;
	status = ucp_listener_query(chan->listener, &attr);
	if (status != UCS_OK)
		return chan_error_from_ucs(status);
	*addr = attr.sockaddr;
	return DOCA_SUCCESS;
}

static doca_error_t ucx_listen(struct chan *base, const struct sockaddr *ip)
{
	struct ucx_chan *chan = ucx_chan_from(base);
	const ucp_listener_params_t params = {
		.field_mask =
		    UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER,
		.sockaddr = { ip, chan_address_len(ip) },
		.conn_handler = { on_request, chan },
	};
	struct sockaddr_storage addr;
	ucs_status_t status;

	if (chan->listener != NULL)
		return DOCA_ERROR_BAD_STATE;
	fds_enter();
	status = ucp_listener_create(chan->worker, &params, &chan->listener);
	fds_leave();
	if (status != UCS_OK) {
		DOCA_LOG_ERR("UCX cannot listen: %s", ucs_status_string(status));
		return chan_error_from_ucs(status);
	}
	if (ucx_get_address(base, &addr) == DOCA_SUCCESS)
		chan_ucx_listen_init(chan, (const struct sockaddr *)&addr);
	return DOCA_SUCCESS;
}

/* --- The channel --- */

static doca_error_t worker_create(struct ucx_chan *chan)
{
	const ucp_worker_params_t params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucs_status_t status;

	fds_enter();
	status = ucp_worker_create(chan->context, &params, &chan->worker);
	fds_leave();
	if (status == UCS_OK)
		return chan_ucx_receive_init(chan);
	DOCA_LOG_ERR("UCX makes no worker: %s", ucs_status_string(status));
	return DOCA_ERROR_DRIVER;
}

/* Behind the last endpoint UCX gives back what it was to send, in turns that it does not count. */
static void wait_closed(struct ucx_chan *chan)
{
	const uint64_t end_ns = core_now_ns() + CLOSE_NS;
	unsigned int num_idle = 0;

	if (chan->worker == NULL)
		return;
	while ((!TAILQ_EMPTY(&chan->closing) || num_idle < CLOSE_IDLE_TURNS) &&
	       core_now_ns() < end_ns) {
		if (ucp_worker_progress(chan->worker) > 0) {
			num_idle = 0;
			continue;
		}
		num_idle++;
		if (!TAILQ_EMPTY(&chan->closing))
			(void)sched_yield(); /* it cannot fail */
	}
}

static void ucx_close(struct chan *base)
{
	struct ucx_chan *chan = ucx_chan_from(base);
	struct ucx_request *request;
	struct ucx_conn *conn;

	fds_enter();
	while ((request = request_take(chan)) != NULL) {
		(void)ucp_listener_reject(chan->listener, request->handle); /* it ends anyway */
		free(request);
	}
	while ((conn = TAILQ_FIRST(&chan->conns)) != NULL)
		ucx_disconnect(&conn->base);
	while ((conn = TAILQ_FIRST(&chan->ending)) != NULL) {
		TAILQ_REMOVE(&chan->ending, conn, link);
		conn_free(conn, false); /* to wait for a peer that is silent would be to block */
	}
	wait_closed(chan);
	/* UCX insists that its requests were freed before it ends the endpoints by itself. */
	while ((conn = TAILQ_FIRST(&chan->closing)) != NULL)
		conn_forget(conn); /* NOLINT: it is off the list */
	chan_ucx_listen_fini(chan);
	if (chan->listener != NULL)
		ucp_listener_destroy(chan->listener);
	chan_ucx_wake_fini(chan); /* its epoll holds the worker's descriptor */
	if (chan->worker != NULL)
		ucp_worker_destroy(chan->worker);
	fds_leave();
	if (chan->context != NULL)
		ucp_cleanup(chan->context);
	chan_ucx_send_fini(chan);
	chan_ucx_receive_end(chan);
	free(chan);
}

static doca_error_t ucx_open(const struct chan_config *config, struct chan **opened)
{
	struct ucx_chan *chan = calloc(1, sizeof(*chan));
	doca_error_t result;

	if (chan == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&chan->conns);
	TAILQ_INIT(&chan->ending);
	TAILQ_INIT(&chan->closing);
	STAILQ_INIT(&chan->requests);
	LIST_INIT(&chan->free_sends);
	LIST_INIT(&chan->sends);
	TAILQ_INIT(&chan->orphans);
	chan->fd = -1;
	chan->timer_fd = -1;
	chan->listen_fd = -1;
	for (unsigned int i = 0; i < CHAN_UCX_RESERVE; i++)
		chan->reserve[i] = -1;
	result = chan_ucx_context_create(config, &chan->context);
	if (result == DOCA_SUCCESS)
		result = worker_create(chan);
	if (result == DOCA_SUCCESS)
		result = chan_ucx_wake_init(chan);
	if (result != DOCA_SUCCESS) {
		ucx_close(&chan->base);
		return result;
	}
	*opened = &chan->base;
	return DOCA_SUCCESS;
}

static bool ucx_progress(struct chan *base)
{
	struct ucx_chan *chan = ucx_chan_from(base);
	const bool has_fds_to_do = !TAILQ_EMPTY(&chan->closing) || !STAILQ_EMPTY(&chan->requests);
	bool has_worked;

	if (doca_unlikely(has_fds_to_do))
		fds_enter();
	has_worked = accept_one(chan);
	if (ucp_worker_progress(chan->worker) > 0)
		has_worked = true;
	if (doca_unlikely(has_fds_to_do))
		fds_leave();
	if (!TAILQ_EMPTY(&chan->ending)) {
		end_conns(chan);
		has_worked = true;
	}
	if (has_worked)
		chan->num_looks = 0;
	if (doca_unlikely(++chan->num_turns % TURNS_A_LOOK == 0))
		chan_ucx_listen_look(chan);
	return has_worked;
}

static int ucx_get_fd(struct chan *base)
{
	return ucx_chan_from(base)->fd;
}

static bool ucx_arm(struct chan *base)
{
	struct ucx_chan *chan = ucx_chan_from(base);

	if (!STAILQ_EMPTY(&chan->requests) || !TAILQ_EMPTY(&chan->ending))
		return false;
	chan_ucx_listen_look(chan);
	return chan_ucx_wake_arm(chan);
}

/*
 * UCX 1.13 has no question for it, but it prints an endpoint's lanes, such as
 * "# lane[0]: 4:sysv/memory.0 md[3] -> md[3]/sysv/sysdev[255] am am_bw#0".
 */
static bool find_transport(char *lanes, char *name, size_t size)
{
	char *rest = NULL;

	for (char *line = strtok_r(lanes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *from = strstr(line, "lane[");
		char *slash;

		if (from == NULL || strstr(line, " am") == NULL)
			continue;
		from = strchr(from, ' ');
		from = from != NULL ? strchr(from, ':') : NULL;
		slash = from != NULL ? strchr(from, '/') : NULL;
		if (slash == NULL || (size_t)(slash - from) > size)
			continue;
		memcpy(name, from + 1, (size_t)(slash - from - 1));
		name[slash - from - 1] = '\0';
		return true;
	}
	return false;
}

static const char *ucx_get_transport(struct chan_conn *base)
{
	struct ucx_conn *conn = ucx_conn_from(base);
	char *lanes = NULL;
	size_t size;
	FILE *memory;
	bool is_found;

	if (conn->transport[0] != '\0')
		return conn->transport;
	memory = open_memstream(&lanes, &size);
	if (memory == NULL)
		return "?";
	ucp_ep_print_info(conn->ep, memory);
	(void)fclose(memory); /* what is missing then is not found */
	is_found = find_transport(lanes, conn->transport, sizeof(conn->transport));
	free(lanes);
	return is_found ? conn->transport : "?";
}

const struct chan_ops chan_ucx_ops = {
	.name = "ucx",
	.open = ucx_open,
	.close = ucx_close,
	.listen = ucx_listen,
	.get_address = ucx_get_address,
	.connect = ucx_connect,
	.send = chan_ucx_send,
	.disconnect = ucx_disconnect,
	.progress = ucx_progress,
	.get_fd = ucx_get_fd,
	.arm = ucx_arm,
	.get_transport = ucx_get_transport,
};
