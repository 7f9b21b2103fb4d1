/* SPDX-License-Identifier: BSD-3-Clause */

/* What workers tell. */

#include "core/export.h"
#include "urom/daemon/daemon.h"

union record {
	struct wire_worker_ready ready;
	struct wire_failure failed;
	struct wire_empty known;
	struct wire_host_deaf deaf;
	struct wire_ticket_refused refused;
};

static void on_ready(struct uromd_worker *worker, uint64_t id, const union record *record)
{
	(void)id;
	uromd_worker_set_ready(worker, &record->ready);
}

static void on_failed(struct uromd_worker *worker, uint64_t id, const union record *record)
{
	(void)id;
	uromd_worker_set_failed(worker, &record->failed);
}

static void on_known(struct uromd_worker *worker, uint64_t id, const union record *record)
{
	(void)record;
	uromd_conns_known(worker, id);
}

static void on_deaf(struct uromd_worker *worker, uint64_t id, const union record *record)
{
	(void)id;
	uromd_conns_deaf(worker, record->deaf.connection);
}

static void on_ticket_refused(struct uromd_worker *worker, uint64_t id, const union record *record)
{
	uromd_conns_not_taken(worker, id, &record->refused);
}

static const struct {
	uint16_t type;
	bool is_of_start; /* not for a worker that is ready */
	void (*handle)(struct uromd_worker *worker, uint64_t id, const union record *record);
} reports[] = {
	{ WIRE_WORKER_READY, true, on_ready },
	{ WIRE_WORKER_FAILED, true, on_failed },
	{ WIRE_TICKET_KNOWN, false, on_known },
	{ WIRE_HOST_DEAF, false, on_deaf },
	{ WIRE_TICKET_REFUSED, false, on_ticket_refused },
};

static void worker_received(struct uromd_session *session, const struct chan_message *message)
{
	union record record;
	size_t i = 0;

	if (session->worker == NULL)
		return;
	while (i < CORE_ARRAY_LEN(reports) && reports[i].type != message->type)
		i++;
	if (i == CORE_ARRAY_LEN(reports))
		uromd_session_break(session, message, "is nothing that a worker may send");
	else if (reports[i].is_of_start && uromd_worker_is_ready(session->worker))
		uromd_session_break(session, message, "comes from a worker that is ready");
	else if (chan_message_decode(message, &record) != DOCA_SUCCESS)
		uromd_session_break(session, message, "cannot be read");
	else
		reports[i].handle(session->worker, message->id, &record);
}

static void worker_closed(struct uromd_session *session)
{
	if (session->worker != NULL)
		uromd_worker_lost(session->worker);
}

const struct uromd_role uromd_role_worker = {
	.name = "worker",
	.received = worker_received,
	.closed = worker_closed,
};
