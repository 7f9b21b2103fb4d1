/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Connections as objects. Those that the application has not disconnected are counted; the others
 * wait, recognizable as ended, until a new one takes the place of the oldest.
 */

#include <stdlib.h>

#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CONNECTION);

/* Moves it to the ended ones; the provider has let go of it. */
static void conn_end(struct doca_rdma_connection *conn)
{
	struct doca_rdma *rdma = conn->rdma;

	conn->state = DRDMA_CONN_ENDED;
	free(conn->blob);
	conn->blob = NULL;
	TAILQ_REMOVE(&rdma->conns, conn, link);
	TAILQ_INSERT_TAIL(&rdma->ended_conns, conn, link);
	rdma->num_conns--;
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
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	if (rdma_connection == NULL)
		return core_null_argument(__func__);
	if (rdma_connection->blob != NULL)
		result = rdma_connection->rdma->provider->disconnect(rdma_connection);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("connection %u is disconnected already",
			     rdma_connection->record.conn_id);
		return result;
	}
	conn_end(rdma_connection);
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
