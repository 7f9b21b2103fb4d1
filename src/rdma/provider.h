/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_PROVIDER_H_
#define RDMA_PROVIDER_H_

/*
 * What moves the bytes of an RDMA context: one ops table a kind of device. The library above checks
 * arguments and states, counts connections and calls the core; a provider owns the queues of what
 * is in flight. It never calls the application, and it hands each task back once, through poll(),
 * disconnect() or stop(), in the order of its connection.
 */

#include "core/dev.h"
#include "rdma/rdma.h"

/* The limits of a device. */
struct drdma_caps {
	uint32_t max_receives;
	uint32_t max_send_queue_size; /* a power of two */
	uint32_t max_send_list_len;
	uint32_t max_receive_list_len;
	uint32_t max_message_size; /* bytes */
	uint32_t transports;       /* a bit for each enum doca_rdma_transport_type */
	uint32_t gid_table_size;
	uint32_t max_gid_index; /* of it */
};

/* All run on the engine's thread of the context. */
struct drdma_provider {
	const char *name;
	enum core_dev_kind dev_kind;
	struct drdma_caps caps;

	/* The entry of the table of addresses; index is in it. Unused: all zero. */
	void (*get_gid)(const struct doca_devinfo *info, uint32_t index, struct doca_rdma_gid *gid);

	/*
	 * The context starts: makes what connections need.
	 * Errors: INITIALIZATION, NO_MEMORY: logged, and nothing is left.
	 */
	doca_error_t (*start)(struct doca_rdma *rdma);

	/*
	 * It stops: hands back all tasks, those that have not ended with IO_FAILED, and then
	 * touches neither bufs nor connections any more.
	 */
	void (*stop)(struct doca_rdma *rdma, struct drdma_queue *finished);

	/*
	 * A connection was made: adds what peers need to its record.
	 * Errors: NO_MEMORY.
	 */
	doca_error_t (*open_conn)(struct doca_rdma_connection *conn);

	/*
	 * EXPORTED: connects to conn->peer, in the background. With DC, connections that are not
	 * connected serve all who connect to them.
	 * Errors: BAD_STATE: not EXPORTED.
	 */
	doca_error_t (*connect)(struct doca_rdma_connection *conn,
				const struct drdma_conn_record *peer);

	/*
	 * Ends it, its tasks with IO_FAILED, and hands back all tasks of the context that have
	 * ended: none that comes later names the connection. Errors: BAD_STATE: ENDED.
	 */
	doca_error_t (*disconnect)(struct doca_rdma_connection *conn, struct drdma_queue *finished);

	/*
	 * Takes a task that was prepared.
	 * Errors: BAD_STATE: its connection is not CONNECTED. FULL: its send queue is. Logged, and
	 * the task is not taken.
	 */
	doca_error_t (*submit)(struct doca_rdma *rdma, struct drdma_task *task);

	/* A bounded piece of work; appends the tasks that have ended. */
	void (*poll)(struct doca_rdma *rdma, struct drdma_queue *finished);

	/* As of core_ctx_ops. */
	uint64_t (*arm)(struct doca_rdma *rdma);
};

/* The provider of a kind of device; NULL: it has none. */
const struct drdma_provider *drdma_provider_find(const struct doca_devinfo *info);

extern const struct drdma_provider soft_provider;

#endif /* RDMA_PROVIDER_H_ */
