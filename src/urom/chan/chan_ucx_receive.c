/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_ucx.h"

#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "urom/wire/wire_frame.h"

CORE_LOG_REGISTER(UROM::CHAN::UCX);

/* What may wait behind a message that is still under way, in bytes. */
#define MAX_WAITING (64u << 20)

/* A message that has come before its turn, or is being fetched. */
struct ucx_arrival {
	struct ucx_conn *conn; /* NULL: nobody wants it any more */
	STAILQ_ENTRY(ucx_arrival) link;
	struct chan_ucx_head head;
	bool is_here;
	size_t len;
	uint8_t body[];
};

static void hand_over(struct ucx_conn *conn, const struct chan_ucx_head *head, const void *body,
		      size_t len)
{
	struct chan *chan = conn->base.chan;
	const struct chan_message message = { head->type, head->id, body, len };

	conn->next_in++;
	chan->handler->received(chan->arg, &conn->base, &message);
}

static void hand_over_waiting(struct ucx_conn *conn)
{
	struct ucx_arrival *first;

	while ((first = STAILQ_FIRST(&conn->arrivals)) != NULL && first->is_here &&
	       first->head.seq == conn->next_in && !conn->is_ending) {
		STAILQ_REMOVE_HEAD(&conn->arrivals, link);
		conn->waiting_bytes -= first->len;
		hand_over(conn, &first->head, first->body, first->len);
		free(first);
	}
}

/* Puts a message among those that wait; NULL: the connection ends. */
static struct ucx_arrival *keep(struct ucx_conn *conn, const struct chan_ucx_head *head, size_t len)
{
	struct ucx_arrival *arrival, *at, *prev = NULL;

	if (conn->waiting_bytes + len > MAX_WAITING) {
		DOCA_LOG_ERR("connection %p: over %u bytes wait for message %u", (void *)conn,
			     MAX_WAITING, conn->next_in);
		chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
		return NULL;
	}
	arrival = calloc(1, sizeof(*arrival) + len);
	if (arrival == NULL) {
		chan_ucx_conn_fail(conn, DOCA_ERROR_NO_MEMORY);
		return NULL;
	}
	arrival->conn = conn;
	arrival->head = *head;
	arrival->len = len;
	conn->waiting_bytes += len;
	/* Distances from the next one, so that the numbers may wrap around. */
	STAILQ_FOREACH (at, &conn->arrivals, link) {
		if (at->head.seq - conn->next_in > head->seq - conn->next_in)
			break;
		prev = at;
	}
	if (prev == NULL)
		STAILQ_INSERT_HEAD(&conn->arrivals, arrival, link);
	else
		STAILQ_INSERT_AFTER(&conn->arrivals, prev, arrival, link);
	return arrival;
}

static void fetch_done(struct ucx_arrival *arrival, ucs_status_t status)
{
	struct ucx_conn *conn = arrival->conn;

	if (conn == NULL) {
		free(arrival);
		return;
	}
	arrival->is_here = true;
	if (status == UCS_OK)
		hand_over_waiting(conn);
	else
		chan_ucx_conn_fail(conn, chan_error_from_ucs(status));
}

static void on_fetched(void *request, ucs_status_t status, size_t length, void *arg)
{
	(void)length;
	ucp_request_free(request);
	fetch_done(arg, status);
}

/* A long message has been announced: has UCX bring it. */
static ucs_status_t fetch(struct ucx_conn *conn, const struct chan_ucx_head *head, void *desc,
			  size_t len)
{
	struct ucx_arrival *arrival = keep(conn, head, len);
	ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv_am = on_fetched,
		.user_data = arrival,
	};
	ucs_status_ptr_t request;

	if (arrival == NULL)
		return UCS_OK; /* UCX drops the announcement */
	request = ucp_am_recv_data_nbx(ucx_chan_from(conn->base.chan)->worker, desc, arrival->body,
				       len, &params);
	if (!UCS_PTR_IS_PTR(request))
		fetch_done(arrival, UCS_PTR_STATUS(request));
	return UCS_INPROGRESS;
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_len, void *data,
			       size_t len, const ucp_am_recv_param_t *param)
{
	struct ucx_chan *chan = arg;
	struct ucx_conn *conn = NULL;
	struct ucx_arrival *arrival;
	struct chan_ucx_head head;

	if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0)
		conn = chan_ucx_conn_find(chan, param->reply_ep);
	if (conn != NULL && !conn->has_heard) {
		conn->has_heard = true;
		chan_ucx_send_held(conn);
	}
	if (conn == NULL || conn->is_ending)
		return UCS_OK;
	if (header_len != sizeof(head) || len > conn->base.max_body) {
		chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
		return UCS_OK;
	}
	memcpy(&head, header, sizeof(head));
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
		return fetch(conn, &head, data, len);
	if (head.seq == conn->next_in) {
		hand_over(conn, &head, data, len);
		if (!STAILQ_EMPTY(&conn->arrivals))
			hand_over_waiting(conn);
		return UCS_OK;
	}
	arrival = keep(conn, &head, len);
	if (arrival != NULL) {
		memcpy(arrival->body, data, len);
		arrival->is_here = true;
	}
	return UCS_OK;
}

doca_error_t chan_ucx_receive_init(struct ucx_chan *chan)
{
	const ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
			      UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
		.id = CHAN_UCX_AM_ID,
		.flags = UCP_AM_FLAG_WHOLE_MSG,
		.cb = on_message,
		.arg = chan,
	};
	ucs_status_t status = ucp_worker_set_am_recv_handler(chan->worker, &handler);

	if (status == UCS_OK)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("UCX takes no handler of messages: %s", ucs_status_string(status));
	return DOCA_ERROR_DRIVER;
}

void chan_ucx_receive_fini(struct ucx_conn *conn)
{
	struct ucx_arrival *arrival;

	while ((arrival = STAILQ_FIRST(&conn->arrivals)) != NULL) {
		STAILQ_REMOVE_HEAD(&conn->arrivals, link);
		if (arrival->is_here)
			free(arrival);
		else
			arrival->conn = NULL;
	}
}
