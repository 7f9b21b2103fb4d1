/* SPDX-License-Identifier: BSD-3-Clause */

/* What hosts ask for, and operators, who may only look who is there. */

#include <doca_log.h>

#include "core/export.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/gauges.h"

DOCA_LOG_REGISTER(UROMD::HOST);

/* A request, once it is decoded. */
union record {
	struct wire_worker_start start;
	struct wire_worker_stop stop;
	struct wire_group_get group_get;
};

static void on_start(struct uromd_session *session, uint64_t id, const union record *record)
{
	uromd_conn_start(session, id, &record->start);
}

static void on_stop(struct uromd_session *session, uint64_t id, const union record *record)
{
	uromd_conn_stop(session, id, &record->stop);
}

static void on_group_get(struct uromd_session *session, uint64_t id, const union record *record)
{
	const struct wire_failure failure = {
		.error = DOCA_ERROR_NO_MEMORY,
		.reason = uromd_text("no memory for the ids of a group"),
	};
	struct wire_group group;
	struct uromd_bytes ids;

	if (uromd_workers_get_group(&session->daemon->workers, record->group_get.group,
				    &session->identity, &ids) != DOCA_SUCCESS) {
		DOCA_LOG_ERR("%s: no memory for the ids of group %u", session->label,
			     record->group_get.group);
		uromd_session_send(session, WIRE_WORKER_REFUSED, id, &failure);
		return;
	}
	group.worker_ids = uromd_bytes_view(&ids);
	uromd_session_send(session, WIRE_GROUP, id, &group);
	uromd_bytes_fini(&ids);
}

static const struct {
	uint16_t type;
	void (*handle)(struct uromd_session *session, uint64_t id, const union record *record);
} requests[] = {
	{ WIRE_WORKER_START, on_start },
	{ WIRE_WORKER_STOP, on_stop },
	{ WIRE_GROUP_GET, on_group_get },
};

/* An id names one request until that is answered. */
static bool is_taken(const struct uromd_session *session, uint64_t id, unsigned int *num_taken)
{
	const struct uromd_conn *conn;

	*num_taken = 0;
	TAILQ_FOREACH (conn, &session->conns, of_session) {
		if (conn->state == UROMD_CONN_OPEN)
			continue;
		if (conn->exchange == id)
			return true;
		(*num_taken)++;
	}
	return false;
}

static void host_received(struct uromd_session *session, const struct chan_message *message)
{
	unsigned int num_taken;
	union record record;
	size_t i = 0;

	while (i < CORE_ARRAY_LEN(requests) && requests[i].type != message->type)
		i++;
	if (i == CORE_ARRAY_LEN(requests))
		uromd_session_break(session, message, "is nothing that a host may send");
	else if (chan_message_decode(message, &record) != DOCA_SUCCESS)
		uromd_session_break(session, message, "cannot be read");
	else if (is_taken(session, message->id, &num_taken))
		uromd_session_break(session, message, "has the id of a request that is open");
	else if (num_taken >= UROMD_MAX_EXCHANGES)
		uromd_session_break(session, message, "is one request too many");
	else
		requests[i].handle(session, message->id, &record);
}

static void answer_status(struct uromd_session *session, uint64_t id)
{
	struct uromd_daemon *daemon = session->daemon;
	struct wire_status status;
	struct uromd_bytes counters;

	uromd_gauges_read(daemon);
	if (uromd_counters_encode(&daemon->counters, &daemon->config->limits, &counters) !=
	    DOCA_SUCCESS) {
		DOCA_LOG_ERR("%s: no memory for the counters; closed", session->label);
		uromd_session_end(session);
		return;
	}
	status.counters = uromd_bytes_view(&counters);
	uromd_session_send(session, WIRE_STATUS, id, &status);
	uromd_bytes_fini(&counters);
}

static void operator_received(struct uromd_session *session, const struct chan_message *message)
{
	struct wire_empty nothing;

	if (message->type != WIRE_STATUS_GET)
		uromd_session_break(session, message, "is nothing that an operator may send");
	else if (chan_message_decode(message, &nothing) != DOCA_SUCCESS)
		uromd_session_break(session, message, "cannot be read");
	else
		answer_status(session, message->id);
}

const struct uromd_role uromd_role_host = {
	.name = "host",
	.received = host_received,
	.closed = uromd_conns_drop,
};

const struct uromd_role uromd_role_operator = {
	.name = "operator",
	.received = operator_received,
	.closed = uromd_conns_drop,
};
