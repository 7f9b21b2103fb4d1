/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_ucx.h"

#include <stdlib.h>

#include "urom/wire/wire_frame.h"

/* A message of the default limit fits, and so do its fields around it. */
#define SMALL_CAPACITY 4608

/* What UCX reads from until it has sent it. */
struct ucx_send {
	struct ucx_chan *chan;
	struct ucx_conn *conn;             /* for which it is pending; NULL: for none */
	LIST_ENTRY(ucx_send) pending_link; /* in the connection's pending */
	LIST_ENTRY(ucx_send) link;         /* in the channel's free_sends or sends */
	STAILQ_ENTRY(ucx_send) held_link;  /* in a connection's held */
	size_t capacity;
	size_t len;
	struct chan_ucx_head head;
	uint8_t body[];
};

static size_t capacity_for(size_t len)
{
	return len > SMALL_CAPACITY ? len : SMALL_CAPACITY;
}

static struct ucx_send *send_take(struct ucx_chan *chan, size_t len)
{
	struct ucx_send *taken = LIST_FIRST(&chan->free_sends);
	const size_t capacity = capacity_for(len);

	if (len <= SMALL_CAPACITY && taken != NULL) {
		LIST_REMOVE(taken, link);
		return taken;
	}
	taken = malloc(sizeof(*taken) + capacity);
	if (taken == NULL)
		return NULL;
	taken->chan = chan;
	taken->conn = NULL;
	taken->capacity = capacity;
	return taken;
}

static void send_put(struct ucx_send *taken)
{
	if (taken->capacity == SMALL_CAPACITY)
		LIST_INSERT_HEAD(&taken->chan->free_sends, taken, link);
	else
		free(taken);
}

/* UCX keeps it for a while. */
static void begin_pending(struct ucx_conn *conn, struct ucx_send *taken)
{
	taken->conn = conn;
	LIST_INSERT_HEAD(&taken->chan->sends, taken, link);
	LIST_INSERT_HEAD(&conn->pending, taken, pending_link);
	conn->pending_bytes += sizeof(*taken) + taken->capacity;
}

static void end_pending(struct ucx_send *taken)
{
	if (taken->conn == NULL)
		return;
	LIST_REMOVE(taken, pending_link);
	taken->conn->pending_bytes -= sizeof(*taken) + taken->capacity;
	taken->conn = NULL;
}

void chan_ucx_send_forget(struct ucx_conn *conn)
{
	while (!LIST_EMPTY(&conn->pending))
		end_pending(LIST_FIRST(&conn->pending));
}

/* A failure of it is a failure of the endpoint, which tells by itself. */
static void on_sent(void *request, ucs_status_t status, void *arg)
{
	struct ucx_send *taken = arg;

	(void)status;
	ucp_request_free(request);
	LIST_REMOVE(taken, link);
	end_pending(taken);
	send_put(taken);
}

/* taken: given back when UCX has sent it, or now if it does not. */
static doca_error_t send_now(struct ucx_conn *conn, struct ucx_send *taken)
{
	const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
				UCP_OP_ATTR_FIELD_FLAGS,
		.flags = UCP_AM_SEND_FLAG_REPLY,
		.cb.send = on_sent,
		.user_data = taken,
	};
	ucs_status_ptr_t request =
	    ucp_am_send_nbx(conn->ep, CHAN_UCX_AM_ID, &taken->head, sizeof(taken->head),
			    taken->body, taken->len, &params);

	if (UCS_PTR_IS_PTR(request))
		begin_pending(conn, taken);
	else
		send_put(taken);
	if (!UCS_PTR_IS_ERR(request))
		return DOCA_SUCCESS;
	chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_RESET);
	return DOCA_ERROR_CONNECTION_RESET;
}

doca_error_t chan_ucx_send(struct chan_conn *base, const struct wire_message *message, uint64_t id,
			   const void *record)
{
	struct ucx_conn *conn = ucx_conn_from(base);
	size_t len = wire_encoded_size(message, record);
	struct ucx_send *taken;
	enum wire_result encoded;

	if (conn->is_ending)
		return DOCA_ERROR_CONNECTION_RESET;
	if (len > WIRE_MAX_BODY)
		return DOCA_ERROR_INVALID_VALUE;
	if (base->max_out > 0 &&
	    conn->pending_bytes + sizeof(*taken) + capacity_for(len) > base->max_out)
		return DOCA_ERROR_FULL;
	taken = send_take(ucx_chan_from(base->chan), len);
	if (taken == NULL)
		return DOCA_ERROR_NO_MEMORY;
	encoded = wire_encode(message, record, taken->body, len, &taken->len);
	if (encoded != WIRE_OK) {
		send_put(taken);
		return chan_error_from_wire(encoded);
	}
	taken->head = (struct chan_ucx_head){ conn->next_out++, message->type, 0, id };
	if (conn->is_ours || conn->has_heard)
		return send_now(conn, taken);
	/*
	 * UCX 1.13 loses what the side that accepts sends before it has heard anything, when that
	 * is as long as only the transport of the beginning takes at once.
	 */
	STAILQ_INSERT_TAIL(&conn->held, taken, held_link);
	conn->pending_bytes += sizeof(*taken) + taken->capacity;
	return DOCA_SUCCESS;
}

void chan_ucx_send_held(struct ucx_conn *conn)
{
	struct ucx_send *taken;

	while ((taken = STAILQ_FIRST(&conn->held)) != NULL && !conn->is_ending) {
		STAILQ_REMOVE_HEAD(&conn->held, held_link);
		conn->pending_bytes -= sizeof(*taken) + taken->capacity;
		(void)send_now(conn, taken); /* `closed` tells of it */
	}
}

void chan_ucx_drop_held(struct ucx_conn *conn)
{
	struct ucx_send *taken;

	while ((taken = STAILQ_FIRST(&conn->held)) != NULL) {
		STAILQ_REMOVE_HEAD(&conn->held, held_link);
		conn->pending_bytes -= sizeof(*taken) + taken->capacity;
		send_put(taken);
	}
}

static void free_all(struct ucx_send_list *list)
{
	struct ucx_send *taken;

	while ((taken = LIST_FIRST(list)) != NULL) {
		LIST_REMOVE(taken, link);
		free(taken);
	}
}

void chan_ucx_send_fini(struct ucx_chan *chan)
{
	free_all(&chan->free_sends);
	free_all(&chan->sends);
}
