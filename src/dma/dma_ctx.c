/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma.h"

#include "core/log.h"

/*
 * One progress works on one task, the first that was submitted, so tasks complete in their order.
 * A task that fails ends the context: after its error callback it moves itself to STOPPING, and
 * what was submitted behind it is flushed.
 */

CORE_LOG_REGISTER(DMA::CTX);

static struct doca_dma *dma_from_ctx(struct doca_ctx *ctx)
{
	return CORE_CONTAINER_OF(ctx, struct doca_dma, base);
}

static struct doca_dma_task_memcpy *memcpy_from_task(struct doca_task *task)
{
	return CORE_CONTAINER_OF(task, struct doca_dma_task_memcpy, base);
}

static doca_error_t dma_start(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_from_ctx(ctx);

	dma->has_failed = false;
	return core_pool_fill(&dma->memcpy_pool);
}

static doca_error_t dma_stop(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_from_ctx(ctx);
	struct doca_task *task;

	while ((task = STAILQ_FIRST(&dma->submitted)) != NULL) {
		STAILQ_REMOVE_HEAD(&dma->submitted, link);
		core_task_complete(task, DOCA_ERROR_IO_FAILED);
	}
	return DOCA_SUCCESS;
}

static doca_error_t dma_submit(struct doca_ctx *ctx, struct doca_task *task, uint32_t flags)
{
	struct doca_dma *dma = dma_from_ctx(ctx);
	doca_error_t result = dma_copy_prepare(dma, memcpy_from_task(task), flags);

	if (result == DOCA_SUCCESS)
		STAILQ_INSERT_TAIL(&dma->submitted, task, link);
	return result;
}

static void dma_fail(struct doca_dma *dma, const struct doca_dma_task_memcpy *task)
{
	DOCA_LOG_ERR("memcpy task %p failed, its context stops: %s", (const void *)task,
		     task->flaw);
	dma->has_failed = true;
	core_ctx_fail(&dma->base);
}

static bool dma_progress(struct doca_ctx *ctx)
{
	struct doca_dma *dma = dma_from_ctx(ctx);
	struct doca_task *base = STAILQ_FIRST(&dma->submitted);
	struct doca_dma_task_memcpy *task;

	if (base == NULL || dma->has_failed)
		return false;
	task = memcpy_from_task(base);
	if (!dma_copy_slice(task))
		return true;
	STAILQ_REMOVE_HEAD(&dma->submitted, link);
	if (task->flaw == NULL) {
		dma_copy_account(task->dst, task->len);
		core_task_complete(base, DOCA_SUCCESS);
	} else {
		core_task_complete(base, DOCA_ERROR_INVALID_VALUE);
		dma_fail(dma, task);
	}
	return true;
}

static uint64_t dma_arm(struct doca_ctx *ctx)
{
	const struct doca_dma *dma = dma_from_ctx(ctx);
	bool is_idle = STAILQ_EMPTY(&dma->submitted) || dma->has_failed;

	return is_idle ? CORE_ARM_NEVER : CORE_ARM_NOW;
}

const struct core_ctx_ops dma_ctx_ops = {
	.name = "dma",
	.start = dma_start,
	.stop = dma_stop,
	.submit = dma_submit,
	.progress = dma_progress,
	.arm = dma_arm,
};
