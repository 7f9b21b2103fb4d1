/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Connections as objects. Those that the application has not disconnected are counted. The others
 * wait, recognizable as ended, and memory is bounded by making the oldest a new one: not before
 * DRDMA_NUM_ENDED others wait, so that an application which has ended it has had time to forget it,
 * and not while a task of it, or a receive that came over it, has its callback still to come. What
 * else the application keeps knows it by its number, which no other connection of the process has.
 */

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CONNECTION);

/* Moves it to the ended ones; the provider has let go of it. */
static void conn_end(struct doca_rdma_connection *conn)
{
	struct doca_rdma *rdma = conn->rdma;

	TAILQ_REMOVE(&rdma->conns, conn, link);
	rdma->num_conns--;
	drdma_conn_give_back(conn);
}

/* Will the application hear of it? The provider has handed all its tasks back when it ended. */
static bool is_awaited(const struct doca_rdma_connection *conn)
{
	struct doca_task *base;

	STAILQ_FOREACH (base, &conn->rdma->base.done, link) {
		const struct drdma_task *task = drdma_from_task(base);

		if (task->conn == conn || task->result_conn == conn)
			return true;
	}
	return false;
}

struct doca_rdma_connection *drdma_conn_take(struct doca_rdma *rdma)
{
	struct doca_rdma_connection *conn = TAILQ_FIRST(&rdma->ended_conns);

	if (rdma->num_ended_conns <= DRDMA_NUM_ENDED || is_awaited(conn)) {
		conn = calloc(1, sizeof(*conn));
	} else {
		TAILQ_REMOVE(&rdma->ended_conns, conn, link);
		rdma->num_ended_conns--;
		memset(conn, 0, sizeof(*conn));
	}
	if (conn != NULL)
		conn->rdma = rdma;
	return conn;
}

void drdma_conn_add(struct doca_rdma_connection *conn)
{
	TAILQ_INSERT_TAIL(&conn->rdma->conns, conn, link);
	conn->rdma->num_conns++;
}

void drdma_conn_give_back(struct doca_rdma_connection *conn)
{
	conn->state = DRDMA_CONN_ENDED;
	free(conn->blob);
	conn->blob = NULL;
	TAILQ_INSERT_TAIL(&conn->rdma->ended_conns, conn, link);
	conn->rdma->num_ended_conns++;
}

void drdma_conns_end(struct doca_rdma *rdma)
{
	struct doca_rdma_connection *conn;

	while ((conn = TAILQ_FIRST(&rdma->conns)) != NULL)
		conn_end(conn);
}

void drdma_conns_free(struct doca_rdma *rdma)
{
	struct doca_rdma_connection *conn;

	drdma_conns_end(rdma);
	while ((conn = TAILQ_FIRST(&rdma->ended_conns)) != NULL) {
		TAILQ_REMOVE(&rdma->ended_conns, conn, link);
		free(conn);
	}
}

doca_error_t doca_rdma_connection_disconnect(struct doca_rdma_connection *rdma_connection)
{
	struct drdma_queue finished = STAILQ_HEAD_INITIALIZER(finished);
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (rdma_connection == NULL)
		return core_null_argument(__func__);
	if (rdma_connection->blob != NULL)
		result = rdma_connection->rdma->provider->disconnect(rdma_connection, &finished);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("connection %u is disconnected already",
			     rdma_connection->record.conn_id);
		return result;
	}
	conn_end(rdma_connection);
	drdma_tasks_finish(&finished);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_set_user_data(struct doca_rdma_connection *rdma_connection,
						union doca_data connection_user_data)
{
	if (rdma_connection == NULL)
		return core_null_argument(__func__);
	rdma_connection->user_data = connection_user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_user_data(const struct doca_rdma_connection *rdma_connection,
						union doca_data *connection_user_data)
{
	if (rdma_connection == NULL || connection_user_data == NULL)
		return core_null_argument(__func__);
	*connection_user_data = rdma_connection->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connection_get_id(const struct doca_rdma_connection *rdma_connection,
					 uint32_t *connection_id)
{
	if (rdma_connection == NULL || connection_id == NULL)
		return core_null_argument(__func__);
	*connection_id = rdma_connection->record.conn_id;
	return DOCA_SUCCESS;
}
