/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/attach.h"

#include <inttypes.h>
#include <string.h>

#include <doca_log.h>

#include "core/clock.h"
#include "urom/worker/dispatch.h"
#include "urom/worker/files.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER::ATTACH);

#define NO_TICKET "no ticket lets this connection in"

/* What a COMMAND's body has besides the payload: plugin, context, length. */
#define COMMAND_FIELDS 20
#define COMMAND_HEADER sizeof(struct urom_worker_cmd)

void uromw_attach_drop(struct uromw_worker *worker, struct uromw_host *host)
{
	struct uromw_conn *conn = host->conn;

	uromw_outstanding_drop(&worker->outstanding, host);
	if (conn == NULL)
		return;
	chan_disconnect(conn->chan_conn);
	uromw_conns_remove(&worker->conns, conn);
}

void uromw_attach_forget(struct uromw_worker *worker, struct uromw_host *host)
{
	uromw_attach_drop(worker, host);
	uromw_conns_remove_host(&worker->conns, host);
}

static bool may_accept(void *arg)
{
	struct uromw_files files;

	(void)arg;
	uromw_files_count(&files);
	if (files.left >= UROMW_FILES_PER_HOST)
		return true;
	DOCA_LOG_WARN("a connection is turned away: of %" PRIu64 " descriptors %" PRIu64
		      " are left, of %d that it needs",
		      files.max, files.left, UROMW_FILES_PER_HOST);
	return false;
}

static void on_accepted(void *arg, struct chan_conn *chan_conn)
{
	struct uromw_worker *worker = arg;
	doca_error_t result = uromw_conns_add(&worker->conns, chan_conn, core_now_ns());

	if (result == DOCA_SUCCESS) {
		chan_conn->max_body = UROMW_MAX_GUEST_BODY;
		chan_conn->max_out = worker->options.max_unread;
		return;
	}
	DOCA_LOG_ERR("a connection is not taken: %s", doca_error_get_name(result));
	chan_disconnect(chan_conn);
}

/* Whoever has no ticket gets to know that, and no more. */
static doca_error_t refuse(struct uromw_worker *worker, struct uromw_conn *conn,
			   const struct chan_message *message)
{
	const struct wire_refused refused = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.error = DOCA_ERROR_AUTHENTICATION,
		.reason = { NO_TICKET, strlen(NO_TICKET) },
	};

	DOCA_LOG_WARN("a connection is refused: it shows no ticket that is valid");
	(void)chan_send(conn->chan_conn, WIRE_REFUSED, message->id, &refused); /* or it is lost */
	uromw_conns_retire(&worker->conns, conn, UROMW_CONN_REFUSED, core_now_ns());
	return DOCA_SUCCESS;
}

static doca_error_t on_attach(struct uromw_worker *worker, struct uromw_conn *conn,
			      const struct chan_message *message)
{
	const struct wire_empty attached = { 0 };
	struct wire_attach attach;
	struct uromw_host *host;
	doca_error_t result = chan_message_decode(message, &attach);

	if (result != DOCA_SUCCESS)
		return result;
	if (uromw_conns_attach(&worker->conns, conn, &attach, core_now_ns()) != DOCA_SUCCESS)
		return refuse(worker, conn, message);
	host = conn->host;
	conn->chan_conn->max_body = host->max_message - COMMAND_HEADER + COMMAND_FIELDS;
	DOCA_LOG_INFO("host %" PRIu64 " (%s): attached over %s", host->connection, host->name,
		      chan_get_transport(conn->chan_conn));
	return chan_send(conn->chan_conn, WIRE_ATTACHED, message->id, &attached);
}

static doca_error_t on_command(struct uromw_worker *worker, struct uromw_conn *conn,
			       const struct chan_message *message)
{
	return uromw_dispatch(worker, conn->host, message);
}

static doca_error_t on_detach(struct uromw_worker *worker, struct uromw_conn *conn,
			      const struct chan_message *message)
{
	const struct wire_empty detached = { 0 };
	struct wire_empty nothing;
	struct uromw_host *host = conn->host;
	doca_error_t result = chan_message_decode(message, &nothing);

	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("host %" PRIu64 ": detached; %u commands were outstanding", host->connection,
		      host->num_outstanding);
	uromw_outstanding_drop(&worker->outstanding, host);
	uromw_conns_retire(&worker->conns, conn, UROMW_CONN_DETACHED, core_now_ns());
	return chan_send(conn->chan_conn, WIRE_DETACHED, message->id, &detached);
}

/* What a connection may send in each state. Those that are to go are not listened to. */
static const struct row {
	enum uromw_conn_state state;
	uint16_t type;
	doca_error_t (*receive)(struct uromw_worker *worker, struct uromw_conn *conn,
				const struct chan_message *message);
} rows[] = {
	{ UROMW_CONN_ATTACHED, WIRE_COMMAND, on_command },
	{ UROMW_CONN_GUEST, WIRE_ATTACH, on_attach },
	{ UROMW_CONN_ATTACHED, WIRE_DETACH, on_detach },
};

static const struct row *find_row(enum uromw_conn_state state, uint16_t type)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		if (rows[i].type == type && rows[i].state == state)
			return &rows[i];
	}
	return NULL;
}

/* Ends a connection that does not keep to the protocol, or that cannot be answered. */
static void end_bad(struct uromw_worker *worker, struct uromw_conn *conn,
		    const struct chan_message *message, doca_error_t why)
{
	struct uromw_host *host = conn->host;

	if (host != NULL) {
		DOCA_LOG_WARN("host %" PRIu64 ": disconnected over a message %s: %s",
			      host->connection, chan_message_name(message),
			      doca_error_get_name(why));
		uromw_attach_drop(worker, host);
		return;
	}
	DOCA_LOG_WARN("a connection without a ticket is ended over a message %s",
		      chan_message_name(message));
	chan_disconnect(conn->chan_conn);
	uromw_conns_remove(&worker->conns, conn);
}

static void on_received(void *arg, struct chan_conn *chan_conn, const struct chan_message *message)
{
	struct uromw_worker *worker = arg;
	struct uromw_conn *conn = chan_conn->user;
	const struct row *row = find_row(conn->state, message->type);
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	if (row != NULL)
		result = row->receive(worker, conn, message);
	else if (conn->state == UROMW_CONN_REFUSED || conn->state == UROMW_CONN_DETACHED)
		return;
	/* Of a connection that is lost the channel tells by itself. */
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_CONNECTION_RESET)
		end_bad(worker, conn, message, result);
}

static void on_closed(void *arg, struct chan_conn *chan_conn, doca_error_t why)
{
	struct uromw_worker *worker = arg;
	struct uromw_conn *conn = chan_conn->user;
	struct uromw_host *host = conn->host;

	if (conn->state == UROMW_CONN_ATTACHED) {
		DOCA_LOG_INFO("host %" PRIu64 ": its connection is lost (%s); %u commands were "
			      "outstanding",
			      host->connection, doca_error_get_name(why), host->num_outstanding);
		uromw_outstanding_drop(&worker->outstanding, host);
	}
	uromw_conns_remove(&worker->conns, conn);
}

const struct chan_handler uromw_attach_handler = {
	.may_accept = may_accept,
	.accepted = on_accepted,
	.received = on_received,
	.closed = on_closed,
};
