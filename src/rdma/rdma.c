/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/rdma.h"

#include <stdlib.h>
#include <string.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA);

#define DEFAULT_SEND_QUEUE_SIZE  256
#define DEFAULT_SEND_LIST_LEN    16
#define DEFAULT_RECEIVE_LIST_LEN 4

const char *const drdma_kind_names[] = {
	[DRDMA_RECEIVE] = "receive", [DRDMA_SEND] = "send",   [DRDMA_SEND_IMM] = "send_imm",
	[DRDMA_READ] = "read",       [DRDMA_WRITE] = "write", [DRDMA_WRITE_IMM] = "write_imm",
};

_Static_assert(CORE_ARRAY_LEN(drdma_kind_names) == DRDMA_NUM_KINDS, "a name for each kind");

static struct doca_rdma *rdma_from_ctx(struct doca_ctx *ctx)
{
	return CORE_CONTAINER_OF(ctx, struct doca_rdma, base);
}

static void rdma_init(struct doca_rdma *rdma, struct doca_dev *dev)
{
	core_ctx_init(&rdma->base, &drdma_ctx_ops);
	rdma->dev = dev;
	core_dev_hold(dev);
	rdma->config = (struct drdma_config){
		.send_queue_size = DEFAULT_SEND_QUEUE_SIZE,
		.send_list_len = DEFAULT_SEND_LIST_LEN,
		.receive_list_len = DEFAULT_RECEIVE_LIST_LEN,
		.transport = DOCA_RDMA_TRANSPORT_TYPE_RC,
		.mtu = DOCA_MTU_SIZE_1K_BYTES,
		.grh_enabled = 1,
		.max_num_connections = 1,
		.rnr_retry_count = DRDMA_RNR_FOR_EVER,
	};
	for (int kind = 0; kind < DRDMA_NUM_KINDS; kind++) {
		rdma->pools[kind].ctx = &rdma->base;
		rdma->pools[kind].name = drdma_kind_names[kind];
		rdma->pools[kind].task_size = sizeof(struct drdma_task);
	}
	TAILQ_INIT(&rdma->conns);
	TAILQ_INIT(&rdma->ended_conns);
}

doca_error_t doca_rdma_create(struct doca_dev *dev, struct doca_rdma **rdma)
{
	const struct drdma_provider *provider;
	struct doca_rdma *created;

	if (dev == NULL || rdma == NULL)
		return core_null_argument(__func__);
	provider = drdma_provider_find(&dev->info);
	if (provider == NULL) {
		DOCA_LOG_ERR("device %s: there is no RDMA on devices of its kind",
			     dev->info.ibdev_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	rdma_init(created, dev);
	created->provider = provider;
	*rdma = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_destroy(struct doca_rdma *rdma)
{
	if (rdma == NULL)
		return core_null_argument(__func__);
	if (core_ctx_check_idle(&rdma->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	core_ctx_fini(&rdma->base);
	drdma_conns_free(rdma);
	for (int kind = 0; kind < DRDMA_NUM_KINDS; kind++)
		core_pool_fini(&rdma->pools[kind]);
	core_dev_release(rdma->dev);
	free(rdma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_rdma_as_ctx(struct doca_rdma *rdma)
{
	if (rdma == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &rdma->base;
}

/* Is there an address where the index points? */
static doca_error_t check_gid(const struct doca_rdma *rdma)
{
	const struct doca_rdma_gid none = { .raw = { 0 } };
	struct doca_rdma_gid gid;

	rdma->provider->get_gid(&rdma->dev->info, rdma->config.gid_index, &gid);
	if (memcmp(&gid, &none, sizeof(gid)) != 0)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("rdma context %p: device %s has no address at GID index %u",
		     (const void *)rdma, rdma->dev->info.ibdev_name, rdma->config.gid_index);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t rdma_start(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_from_ctx(ctx);
	doca_error_t result = check_gid(rdma);

	for (int kind = 0; kind < DRDMA_NUM_KINDS && result == DOCA_SUCCESS; kind++)
		result = core_pool_fill(&rdma->pools[kind]);
	if (result != DOCA_SUCCESS)
		return result;
	return rdma->provider->start(rdma);
}

static doca_error_t rdma_stop(struct doca_ctx *ctx)
{
	struct drdma_queue finished = STAILQ_HEAD_INITIALIZER(finished);
	struct doca_rdma *rdma = rdma_from_ctx(ctx);

	rdma->provider->stop(rdma, &finished);
	drdma_conns_end(rdma);
	drdma_tasks_finish(&finished);
	return DOCA_SUCCESS;
}

static doca_error_t rdma_submit(struct doca_ctx *ctx, struct doca_task *task, uint32_t flags)
{
	struct doca_rdma *rdma = rdma_from_ctx(ctx);
	doca_error_t result = drdma_task_prepare(rdma, drdma_from_task(task));

	(void)flags; /* everything starts at once, and everything is checked */
	if (result != DOCA_SUCCESS)
		return result;
	return rdma->provider->submit(rdma, drdma_from_task(task));
}

static bool rdma_progress(struct doca_ctx *ctx)
{
	struct drdma_queue finished = STAILQ_HEAD_INITIALIZER(finished);
	struct doca_rdma *rdma = rdma_from_ctx(ctx);

	if (!STAILQ_EMPTY(&ctx->done))
		return true; /* first things first: one is delivered a call */
	if (rdma->provider_data == NULL)
		return false;
	rdma->provider->poll(rdma, &finished);
	if (STAILQ_EMPTY(&finished))
		return false;
	drdma_tasks_finish(&finished);
	return true;
}

static uint64_t rdma_arm(struct doca_ctx *ctx)
{
	struct doca_rdma *rdma = rdma_from_ctx(ctx);

	if (rdma->provider_data == NULL)
		return CORE_ARM_NEVER;
	return rdma->provider->arm(rdma);
}

const struct core_ctx_ops drdma_ctx_ops = {
	.name = "rdma",
	.start = rdma_start,
	.stop = rdma_stop,
	.submit = rdma_submit,
	.progress = rdma_progress,
	.arm = rdma_arm,
};
