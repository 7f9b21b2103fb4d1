/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include <doca_rdma.h>

#include "fixture.h"
#include "rdma_rig.h"

/*
 * RDMA by its receives: one ends when a peer sends it an empty message. There is a peer for each
 * message, so that a context may stop in between, and that each thread has its own.
 */

static void *rdma_kind_open(void)
{
	return fixture_dev_open();
}

static void rdma_kind_close(void *opened)
{
	assert_success(doca_dev_close(opened));
}

static void *rdma_kind_create(void *opened)
{
	struct doca_rdma *rdma;

	assert_success(doca_rdma_create(opened, &rdma));
	return rdma;
}

static struct doca_ctx *rdma_kind_as_ctx(void *object)
{
	return doca_rdma_as_ctx(object);
}

static doca_error_t rdma_kind_destroy(void *object)
{
	return doca_rdma_destroy(object);
}

static doca_error_t rdma_kind_configure(void *object, doca_task_completion_cb_t success_cb,
					doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_rdma_task_receive_set_conf(
	    object, (doca_rdma_task_receive_completion_cb_t)success_cb,
	    (doca_rdma_task_receive_completion_cb_t)error_cb, num_tasks);
}

static doca_error_t rdma_kind_alloc_task(void *opened, void *object, union doca_data user_data,
					 struct doca_task **task)
{
	struct doca_rdma_task_receive *taken;
	doca_error_t result = doca_rdma_task_receive_allocate_init(object, NULL, user_data, &taken);

	(void)opened;
	if (result == DOCA_SUCCESS)
		*task = doca_rdma_task_receive_as_task(taken);
	return result;
}

static void rdma_kind_complete(void *object)
{
	struct doca_rdma_connection *conn;
	const void *blob, *peer_blob;
	struct rdma_side peer;
	size_t len;

	rdma_side_init(&peer, NULL);
	rdma_side_start(&peer);
	assert_success(doca_rdma_export(object, &blob, &len, &conn));
	assert_success(doca_rdma_export(peer.rdma, &peer_blob, &len, &peer.conn));
	assert_success(doca_rdma_connect(object, peer_blob, len, conn));
	assert_success(doca_rdma_connect(peer.rdma, blob, len, peer.conn));
	rdma_submit(&peer, rdma_send_task(&peer, NULL, 0));
	rdma_hears(&peer, "ok(0)");
	assert_success(doca_rdma_connection_disconnect(conn));
	rdma_side_fini(&peer);
}

const struct ctx_kind ctx_kind_rdma = {
	.name = "rdma",
	.flush_status = DOCA_ERROR_IO_FAILED,
	.late_conf_error = DOCA_ERROR_BAD_STATE,
	.busy_destroy_error = DOCA_ERROR_BAD_STATE,
	.pool_factor = 1,
	.patience_ms = 10000,
	.open = rdma_kind_open,
	.close = rdma_kind_close,
	.create = rdma_kind_create,
	.as_ctx = rdma_kind_as_ctx,
	.destroy = rdma_kind_destroy,
	.configure = rdma_kind_configure,
	.alloc_task = rdma_kind_alloc_task,
	.complete = rdma_kind_complete,
};
