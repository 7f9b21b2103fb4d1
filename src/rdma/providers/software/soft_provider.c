/* SPDX-License-Identifier: BSD-3-Clause */

/* What the library above calls: each takes the port's lock. */

#include "rdma/providers/software/soft.h"

#include <stdlib.h>
#include <string.h>

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT);

#define MAX_QUEUE      32768
#define GID_TABLE_SIZE 16

static struct soft_conn *conn_of(const struct doca_rdma_connection *conn)
{
	return conn->provider_data;
}

static doca_error_t soft_start(struct doca_rdma *rdma)
{
	struct soft_port *port;
	doca_error_t result = soft_port_open(rdma, &port);

	if (result == DOCA_SUCCESS)
		rdma->provider_data = port;
	return result;
}

static void conn_free(struct soft_conn *soft)
{
	soft_admit_waiting(soft); /* who waited for it waits in vain */
	LIST_REMOVE(soft, link);
	soft->conn->provider_data = NULL;
	free(soft);
}

/* Everything that was posted or submitted ends, behind what had ended before. */
static void flush_all(struct soft_port *port)
{
	struct soft_conn *soft, *next;
	struct doca_task *task;

	for (soft = LIST_FIRST(&port->conns); soft != NULL; soft = next) {
		next = LIST_NEXT(soft, link);
		soft_conn_flush(soft);
		conn_free(soft);
	}
	while ((task = STAILQ_FIRST(&port->receives)) != NULL) {
		STAILQ_REMOVE_HEAD(&port->receives, link);
		soft_port_finish(port, drdma_from_task(task), DOCA_ERROR_IO_FAILED);
	}
}

static void take_finished(struct soft_port *port, struct drdma_queue *finished)
{
	struct doca_task *task;

	while ((task = STAILQ_FIRST(&port->finished)) != NULL) {
		STAILQ_REMOVE_HEAD(&port->finished, link);
		STAILQ_INSERT_TAIL(finished, task, link);
	}
}

static void soft_stop(struct doca_rdma *rdma, struct drdma_queue *finished)
{
	struct soft_port *port = rdma->provider_data;

	rdma->provider_data = NULL;
	soft_port_lock(port);
	(void)soft_port_poll(port); /* what has come already has succeeded */
	flush_all(port);
	take_finished(port, finished);
	pthread_mutex_unlock(&port->lock);
	soft_port_close(port);
}

static doca_error_t soft_open_conn(struct doca_rdma_connection *conn)
{
	const struct doca_devinfo *info = &conn->rdma->dev->info;
	struct soft_port *port = conn->rdma->provider_data;
	struct drdma_conn_record *record = &conn->record;
	struct soft_conn *soft = calloc(1, sizeof(*soft));

	if (soft == NULL)
		return DOCA_ERROR_NO_MEMORY;
	soft->conn = conn;
	soft->port = port;
	conn->provider_data = soft;
	soft_host_id(record->host);
	memcpy(record->listener, port->listener_name, sizeof(record->listener));
	record->port = port->tcp_port;
	/* The listener is at one address: that of the GID. */
	record->has = soft_gid_is_ipv6(info, conn->rdma->config.gid_index) ? CORE_DEV_HAS_IPV6
									   : CORE_DEV_HAS_IPV4;
	record->ipv4 = (uint32_t)info->ipv4[0] << 24 | (uint32_t)info->ipv4[1] << 16 |
		       (uint32_t)info->ipv4[2] << 8 | info->ipv4[3];
	memcpy(record->ipv6, info->ipv6, sizeof(record->ipv6));
	soft_port_lock(port);
	LIST_INSERT_HEAD(&port->conns, soft, link);
	pthread_mutex_unlock(&port->lock);
	return DOCA_SUCCESS;
}

static doca_error_t soft_connect(struct doca_rdma_connection *conn,
				 const struct drdma_conn_record *peer)
{
	struct soft_conn *soft = conn_of(conn);
	struct soft_port *port = soft->port;
	doca_error_t result = DOCA_ERROR_BAD_STATE;

	soft_port_lock(port);
	if (conn->state == DRDMA_CONN_EXPORTED) {
		conn->peer = *peer;
		conn->state = DRDMA_CONN_CONNECTED;
		result = soft_requester_create(soft);
		if (result != DOCA_SUCCESS) {
			conn->state = DRDMA_CONN_EXPORTED;
			result = DOCA_ERROR_CONNECTION_ABORTED;
		} else {
			soft_target_end(soft);
			soft_admit_waiting(soft);
			soft_engine_kick(port);
		}
	}
	pthread_mutex_unlock(&port->lock);
	return result;
}

static doca_error_t soft_disconnect(struct doca_rdma_connection *conn, struct drdma_queue *finished)
{
	struct soft_conn *soft = conn_of(conn);
	struct soft_port *port;

	if (soft == NULL)
		return DOCA_ERROR_BAD_STATE;
	port = soft->port;
	soft_port_lock(port);
	soft_conn_flush(soft);
	conn_free(soft);
	take_finished(port, finished);
	soft_port_tell(port);
	soft_engine_kick(port);
	pthread_mutex_unlock(&port->lock);
	return DOCA_SUCCESS;
}

/* Called with the lock held. */
static doca_error_t take_task(struct doca_rdma *rdma, struct drdma_task *task)
{
	const struct soft_conn *soft = conn_of(task->conn);
	struct soft_requester *requester = soft != NULL ? soft->requester : NULL;

	if (requester == NULL) {
		DOCA_LOG_ERR("connection %u is not connected, or has ended",
			     task->conn->record.conn_id);
		return DOCA_ERROR_BAD_STATE;
	}
	if (requester->num_tasks >= rdma->config.send_queue_size) {
		DOCA_LOG_DBG("connection %u: its send queue is full", task->conn->record.conn_id);
		return DOCA_ERROR_FULL;
	}
	soft_requester_submit(requester, task);
	return DOCA_SUCCESS;
}

static doca_error_t soft_submit(struct doca_rdma *rdma, struct drdma_task *task)
{
	struct soft_port *port = rdma->provider_data;
	doca_error_t result = DOCA_SUCCESS;

	soft_port_lock(port);
	if (task->kind != DRDMA_RECEIVE) {
		result = take_task(rdma, task);
	} else {
		STAILQ_INSERT_TAIL(&port->receives, &task->base, link);
		soft_receive_posted(port);
	}
	soft_port_tell(port);
	soft_engine_kick(port);
	pthread_mutex_unlock(&port->lock);
	return result;
}

static void soft_poll(struct doca_rdma *rdma, struct drdma_queue *finished)
{
	struct soft_port *port = rdma->provider_data;

	/* This thread alone writes it. */
	__atomic_store_n(&port->num_polls, port->num_polls + 1, __ATOMIC_RELAXED);
	if (pthread_mutex_trylock(&port->lock) != 0)
		return; /* the engine is at it */
	soft_engine_lease(port);
	if (STAILQ_EMPTY(&port->finished))
		(void)soft_port_poll(port);
	take_finished(port, finished);
	pthread_mutex_unlock(&port->lock);
}

static uint64_t soft_arm(struct doca_rdma *rdma)
{
	struct soft_port *port = rdma->provider_data;
	bool has_work;

	soft_port_lock(port);
	soft_engine_on_sleep(port);
	has_work = !STAILQ_EMPTY(&port->finished) || (port->is_leased && soft_port_has_work(port));
	pthread_mutex_unlock(&port->lock);
	return has_work ? CORE_ARM_NOW : CORE_ARM_NEVER;
}

const struct drdma_provider soft_provider = {
	.name = "software",
	.dev_kind = CORE_DEV_SOFTWARE,
	.caps = {
		.max_receives = MAX_QUEUE,
		.max_send_queue_size = MAX_QUEUE,
		.max_send_list_len = SOFT_MAX_LIST,
		.max_receive_list_len = SOFT_MAX_LIST,
		.max_message_size = SOFT_MAX_MESSAGE,
		.transports = 1u << DOCA_RDMA_TRANSPORT_TYPE_RC | 1u << DOCA_RDMA_TRANSPORT_TYPE_DC,
		.gid_table_size = GID_TABLE_SIZE,
		.max_gid_index = GID_TABLE_SIZE - 1,
	},
	.get_gid = soft_get_gid,
	.start = soft_start,
	.stop = soft_stop,
	.open_conn = soft_open_conn,
	.connect = soft_connect,
	.disconnect = soft_disconnect,
	.submit = soft_submit,
	.poll = soft_poll,
	.arm = soft_arm,
};
