/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include <pthread.h>
#include <stddef.h>

#include "probe.h"

/*
 * The test double as a kind: once like RDMA and DMA, whose tasks hold STOPPING, once like a UROM
 * service, which frees them, and once like a UROM worker, which does nothing at once.
 */

/* The probe has no surroundings; cmocka must not see NULL, which tells a failed setup. */
static void *probe_kind_open(void)
{
	static char nothing;

	return &nothing;
}

static void probe_kind_close(void *world)
{
	(void)world;
}

static void *holding_create(void *world)
{
	(void)world;
	return probe_create(false);
}

static void *freeing_create(void *world)
{
	(void)world;
	return probe_create(true);
}

static struct doca_ctx *probe_kind_as_ctx(void *object)
{
	return probe_as_ctx(object);
}

static doca_error_t probe_kind_destroy(void *object)
{
	return probe_destroy(object);
}

static doca_error_t probe_kind_configure(void *object, doca_task_completion_cb_t success_cb,
					 doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return probe_set_conf(object, success_cb, error_cb, num_tasks);
}

static doca_error_t probe_kind_alloc_task(void *world, void *object, union doca_data user_data,
					  struct doca_task **task)
{
	(void)world;
	return probe_task_alloc(object, user_data, task);
}

static void probe_kind_complete(void *object)
{
	probe_complete(object, DOCA_SUCCESS);
}

/* The asynchronous probe: its start and its stop end in progress. */
static const struct core_ctx_ops *probe_ops;
static struct core_ctx_ops async_ops; /* those of the probe but for a few */

static bool async_progress(struct doca_ctx *ctx)
{
	if (ctx->state == DOCA_CTX_STATE_STARTING)
		core_ctx_started(ctx);
	else if (ctx->state == DOCA_CTX_STATE_STOPPING && ctx->is_closing)
		core_ctx_closed(ctx);
	return probe_ops->progress(ctx);
}

static uint64_t async_arm(struct doca_ctx *ctx)
{
	bool is_busy = ctx->state == DOCA_CTX_STATE_STARTING ||
		       (ctx->state == DOCA_CTX_STATE_STOPPING && ctx->is_closing);

	return is_busy ? CORE_ARM_NOW : probe_ops->arm(ctx);
}

static void async_ops_init(void)
{
	struct probe *probe = probe_create(true);

	probe_ops = probe->base.ops;
	async_ops = *probe_ops;
	async_ops.name = "async probe";
	async_ops.progress = async_progress;
	async_ops.arm = async_arm;
	(void)probe_destroy(probe); /* it is IDLE */
}

static void *async_create(void *world)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct probe *probe = freeing_create(world);

	pthread_once(&once, async_ops_init);
	probe->base.ops = &async_ops;
	probe->start_result = DOCA_ERROR_IN_PROGRESS;
	probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	return probe;
}

#define PROBE_KIND_COMMON                                                                      \
	.flush_status = DOCA_ERROR_IO_FAILED, .late_conf_error = DOCA_ERROR_BAD_STATE,         \
	.busy_destroy_error = DOCA_ERROR_IN_USE, .pool_factor = 1, .open = probe_kind_open,    \
	.close = probe_kind_close, .as_ctx = probe_kind_as_ctx, .destroy = probe_kind_destroy, \
	.configure = probe_kind_configure, .alloc_task = probe_kind_alloc_task,                \
	.complete = probe_kind_complete

const struct ctx_kind ctx_kind_probe = {
	PROBE_KIND_COMMON,
	.name = "probe",
	.create = holding_create,
};

const struct ctx_kind ctx_kind_freeing_probe = {
	PROBE_KIND_COMMON,
	.name = "freeing_probe",
	.frees_tasks = true,
	.create = freeing_create,
};

const struct ctx_kind ctx_kind_async_probe = {
	PROBE_KIND_COMMON,      .name = "async_probe",      .frees_tasks = true,
	.start_is_async = true, .stop_is_never_sync = true, .create = async_create,
};
