/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Messages that come. UCX announces a long one, and has to be told where to put it; short ones may
 * overtake it. What is not the next one waits in `arrivals`, ordered by its number. A peer cannot
 * make that take any amount of memory: announcements that would are left where they are until there
 * is room, and short messages that would break the protocol.
 */
#include "urom/chan/chan_ucx.h"

#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "urom/wire/wire_frame.h"

CORE_LOG_REGISTER(UROM::CHAN::UCX);

/*
 * What may wait, in bytes, and in messages of the connection's bound: those of strangers are short.
 * The bodies of long messages have half as much for themselves: as this side chooses when they are
 * fetched, they must not leave the short ones without room.
 */
#define MAX_WAITING_BYTES    (64u << 20)
#define MAX_WAITING_MESSAGES 4096

/* Numbers wrap around; from here on the distance to one is that of the past. */
#define PAST (UINT32_MAX / 2)

enum arrival_state {
	ANNOUNCED, /* UCX has a descriptor of it */
	FETCHING,  /* UCX writes the body */
	HERE,
};

struct ucx_arrival {
	struct ucx_chan *chan;
	struct ucx_conn *conn; /* NULL: nobody wants it any more; it is in the channel's orphans */
	TAILQ_ENTRY(ucx_arrival) link;
	struct chan_ucx_head head;
	enum arrival_state state;
	bool is_long;
	void *desc;    /* if it is announced */
	uint8_t *body; /* owned; NULL if it is announced */
	size_t len;
};

static void arrival_destroy(struct ucx_arrival *arrival)
{
	free(arrival->body);
	free(arrival);
}

/* How many messages are between the next one and that of the number. */
static uint32_t distance(const struct ucx_conn *conn, uint32_t seq)
{
	return seq - conn->next_in;
}

static size_t limit_of(const struct ucx_conn *conn)
{
	if (conn->base.max_body < MAX_WAITING_BYTES / MAX_WAITING_MESSAGES)
		return conn->base.max_body * MAX_WAITING_MESSAGES;
	return MAX_WAITING_BYTES;
}

static bool has_room(const struct ucx_conn *conn, size_t len)
{
	size_t limit = limit_of(conn);

	return conn->waiting_bytes <= limit && len <= limit - conn->waiting_bytes;
}

static bool has_room_for_long(const struct ucx_conn *conn, size_t len)
{
	return conn->long_bytes + len <= limit_of(conn) / 2;
}

/* Which of the connection's sums its body is in. */
static size_t *sum_of(const struct ucx_arrival *arrival)
{
	return arrival->is_long ? &arrival->conn->long_bytes : &arrival->conn->waiting_bytes;
}

static void hand_over(struct ucx_conn *conn, const struct chan_ucx_head *head, const void *body,
		      size_t len)
{
	struct chan *chan = conn->base.chan;
	const struct chan_message message = { head->type, head->id, body, len };

	conn->next_in++;
	chan->handler->received(chan->arg, &conn->base, &message);
}

/* Puts one in its place, mostly the last; false: there is one of that number already. */
static bool arrival_insert(struct ucx_conn *conn, struct ucx_arrival *arrival)
{
	struct ucx_arrival *at;

	TAILQ_FOREACH_REVERSE(at, &conn->arrivals, ucx_arrivals, link)
	{
		if (distance(conn, at->head.seq) <= distance(conn, arrival->head.seq))
			break;
	}
	if (at != NULL && at->head.seq == arrival->head.seq)
		return false;
	if (at == NULL)
		TAILQ_INSERT_HEAD(&conn->arrivals, arrival, link);
	else
		TAILQ_INSERT_AFTER(&conn->arrivals, at, arrival, link);
	return true;
}

/* Keeps a message that waits; body_len: of what is kept of its body. NULL: the connection ends. */
static struct ucx_arrival *keep(struct ucx_conn *conn, const struct chan_ucx_head *head,
				size_t body_len)
{
	struct ucx_arrival *arrival;

	if (distance(conn, head->seq) > PAST || !has_room(conn, sizeof(*arrival) + body_len)) {
		DOCA_LOG_DBG("connection %p: message %u cannot wait for %u", (void *)conn,
			     head->seq, conn->next_in);
		chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
		return NULL;
	}
	arrival = calloc(1, sizeof(*arrival));
	if (arrival == NULL) {
		chan_ucx_conn_fail(conn, DOCA_ERROR_NO_MEMORY);
		return NULL;
	}
	arrival->chan = ucx_chan_from(conn->base.chan);
	arrival->conn = conn;
	arrival->head = *head;
	if (!arrival_insert(conn, arrival)) {
		free(arrival);
		chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
		return NULL;
	}
	conn->waiting_bytes += sizeof(*arrival);
	return arrival;
}

/* Gives it a body; false: the connection ends. */
static bool arrival_embody(struct ucx_arrival *arrival, size_t len)
{
	arrival->body = malloc(len > 0 ? len : 1);
	if (arrival->body == NULL) {
		chan_ucx_conn_fail(arrival->conn, DOCA_ERROR_NO_MEMORY);
		return false;
	}
	arrival->len = len;
	*sum_of(arrival) += len;
	return true;
}

static void hand_over_waiting(struct ucx_conn *conn)
{
	struct ucx_arrival *first;

	while ((first = TAILQ_FIRST(&conn->arrivals)) != NULL && first->state == HERE &&
	       first->head.seq == conn->next_in && !conn->is_ending) {
		TAILQ_REMOVE(&conn->arrivals, first, link);
		conn->waiting_bytes -= sizeof(*first);
		*sum_of(first) -= first->len;
		hand_over(conn, &first->head, first->body, first->len);
		arrival_destroy(first);
	}
}

static void fetch_done(struct ucx_arrival *arrival, ucs_status_t status)
{
	arrival->state = HERE;
	arrival->conn->num_fetching--;
	if (status != UCS_OK)
		chan_ucx_conn_fail(arrival->conn, chan_error_from_ucs(status));
}

/* A cycle: what was fetched lets others be handed over, which makes room to fetch. */
static void go_on(struct ucx_conn *conn);

static void on_fetched(void *request, ucs_status_t status, size_t length, void *arg)
{
	struct ucx_arrival *arrival = arg;

	(void)length;
	ucp_request_free(request);
	if (arrival->conn == NULL) {
		TAILQ_REMOVE(&arrival->chan->orphans, arrival, link);
		arrival_destroy(arrival);
		return;
	}
	fetch_done(arrival, status);
	go_on(arrival->conn);
}

/* Has UCX bring an announced message. False: the connection ends. */
static bool fetch(struct ucx_arrival *arrival)
{
	const ucp_request_param_t params = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv_am = on_fetched,
		.user_data = arrival,
	};
	ucs_status_ptr_t request;

	if (!arrival_embody(arrival, arrival->len))
		return false;
	arrival->state = FETCHING;
	arrival->conn->num_fetching++;
	request = ucp_am_recv_data_nbx(arrival->chan->worker, arrival->desc, arrival->body,
				       arrival->len, &params);
	if (!UCS_PTR_IS_PTR(request))
		fetch_done(arrival, UCS_PTR_STATUS(request));
	return !arrival->conn->is_ending;
}

/*
 * Fetches what there is room for, in order. The next one needs none, or nothing would go on; not so
 * one that is merely the first of those that wait, for a peer can have ever more of them.
 */
static void fetch_some(struct ucx_conn *conn)
{
	struct ucx_arrival *arrival;

	TAILQ_FOREACH (arrival, &conn->arrivals, link) {
		if (arrival->state != ANNOUNCED)
			continue;
		if (arrival->head.seq != conn->next_in && !has_room_for_long(conn, arrival->len))
			return;
		if (!fetch(arrival))
			return;
	}
}

static void go_on(struct ucx_conn *conn)
{
	const struct ucx_arrival *first;

	do {
		hand_over_waiting(conn);
		if (!conn->is_ending)
			fetch_some(conn);
		first = TAILQ_FIRST(&conn->arrivals);
	} while (!conn->is_ending && first != NULL && first->state == HERE &&
		 first->head.seq == conn->next_in);
}

static ucs_status_t on_announced(struct ucx_conn *conn, const struct chan_ucx_head *head,
				 void *desc, size_t len)
{
	struct ucx_arrival *arrival = keep(conn, head, 0);

	if (arrival == NULL)
		return UCS_OK; /* UCX drops it */
	arrival->is_long = true;
	arrival->desc = desc;
	arrival->len = len;
	go_on(conn);
	return UCS_INPROGRESS;
}

static void on_short(struct ucx_conn *conn, const struct chan_ucx_head *head, const void *body,
		     size_t len)
{
	struct ucx_arrival *arrival = TAILQ_FIRST(&conn->arrivals);

	if (head->seq == conn->next_in && (arrival == NULL || arrival->head.seq != conn->next_in)) {
		hand_over(conn, head, body, len);
		if (!TAILQ_EMPTY(&conn->arrivals) && !conn->is_ending)
			go_on(conn);
		return;
	}
	arrival = keep(conn, head, len);
	if (arrival == NULL || !arrival_embody(arrival, len))
		return;
	if (len > 0)
		memcpy(arrival->body, body, len);
	arrival->state = HERE;
}

static ucs_status_t on_message(void *arg, const void *header, size_t header_len, void *data,
			       size_t len, const ucp_am_recv_param_t *param)
{
	struct ucx_conn *conn = NULL;
	struct chan_ucx_head head = { .zero = 0 };

	if ((param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0)
		conn = chan_ucx_conn_find(arg, param->reply_ep);
	if (conn != NULL && !conn->has_heard) {
		conn->has_heard = true;
		chan_ucx_send_held(conn);
	}
	if (conn == NULL || conn->is_ending)
		return UCS_OK;
	if (header_len == sizeof(head))
		memcpy(&head, header, sizeof(head));
	if (header_len != sizeof(head) || head.zero != 0 || len > conn->base.max_body) {
		chan_ucx_conn_fail(conn, DOCA_ERROR_CONNECTION_ABORTED);
		return UCS_OK;
	}
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
		return on_announced(conn, &head, data, len);
	on_short(conn, &head, data, len);
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

/* Nobody wants it any more. */
static void let_go(struct ucx_arrival *arrival)
{
	struct ucx_chan *chan = arrival->chan;

	arrival->conn = NULL;
	if (arrival->state == FETCHING) {
		/* UCX has its memory, and tells when it is done. */
		TAILQ_INSERT_TAIL(&chan->orphans, arrival, link);
		return;
	}
	if (arrival->state == ANNOUNCED && arrival->desc != NULL)
		ucp_am_data_release(chan->worker, arrival->desc);
	arrival_destroy(arrival);
}

void chan_ucx_receive_fini(struct ucx_conn *conn)
{
	struct ucx_arrival *arrival;

	while ((arrival = TAILQ_FIRST(&conn->arrivals)) != NULL) {
		TAILQ_REMOVE(&conn->arrivals, arrival, link);
		let_go(arrival);
	}
}

void chan_ucx_receive_end(struct ucx_chan *chan)
{
	struct ucx_arrival *arrival;

	while ((arrival = TAILQ_FIRST(&chan->orphans)) != NULL) {
		TAILQ_REMOVE(&chan->orphans, arrival, link);
		arrival_destroy(arrival);
	}
}
