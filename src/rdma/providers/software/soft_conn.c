/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/providers/software/soft.h"

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::CONN);

struct soft_conn *soft_conn_find(struct soft_port *port, uint32_t id)
{
	struct soft_conn *soft;

	LIST_FOREACH(soft, &port->conns, link)
	{
		if (soft->conn->record.conn_id == id)
			return soft;
	}
	return NULL;
}

/* The tasks of the requester end: the first with that result, the others with IO_FAILED. */
static void end_tasks(struct soft_conn *soft, doca_error_t result)
{
	struct soft_requester *requester = soft->requester;
	struct doca_task *task;

	if (requester == NULL)
		return;
	while ((task = STAILQ_FIRST(&requester->tasks)) != NULL) {
		STAILQ_REMOVE_HEAD(&requester->tasks, link);
		soft_port_finish(soft->port, drdma_from_task(task), result);
		result = DOCA_ERROR_IO_FAILED;
	}
	requester->num_tasks = 0;
	requester->unsent = NULL;
}

static void close_lanes(struct soft_conn *soft)
{
	if (soft->requester != NULL)
		soft_requester_close(soft->requester);
	soft->requester = NULL;
	while (!LIST_EMPTY(&soft->responders))
		soft_responder_close(LIST_FIRST(&soft->responders));
}

void soft_conn_fail(struct soft_conn *soft, doca_error_t result, const char *why)
{
	uint32_t id = soft->conn->record.conn_id;
	uint32_t num_tasks = soft->requester != NULL ? soft->requester->num_tasks : 0;

	if (soft->conn->state != DRDMA_CONN_CONNECTED)
		return;
	soft->conn->state = DRDMA_CONN_FAILED;
	if (num_tasks > 0)
		DOCA_LOG_ERR("connection %u: %s; %u tasks fail", id, why, num_tasks);
	else
		DOCA_LOG_INFO("connection %u is over: %s", id, why);
	end_tasks(soft, result);
	close_lanes(soft);
}

void soft_conn_lose_lane(struct soft_conn *soft, const char *why)
{
	if (soft_conn_is_target(soft))
		DOCA_LOG_INFO("connection %u: an initiator is over: %s", soft->conn->record.conn_id,
			      why);
	else
		soft_conn_fail(soft, DOCA_ERROR_IO_FAILED, why);
}

void soft_conn_flush(struct soft_conn *soft)
{
	end_tasks(soft, DOCA_ERROR_IO_FAILED);
	close_lanes(soft);
	soft->conn->state = DRDMA_CONN_ENDED;
}
