/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe.h"

#include <stdlib.h>

#include "core/error.h"
#include "test.h"

#define PROBE_MAX_TASKS 1024

static struct probe *probe_from_ctx(struct doca_ctx *ctx)
{
	return CORE_CONTAINER_OF(ctx, struct probe, base);
}

void probe_complete(struct probe *probe, doca_error_t status)
{
	struct doca_task *task = STAILQ_FIRST(&probe->submitted);

	assert_non_null(task);
	STAILQ_REMOVE_HEAD(&probe->submitted, link);
	core_task_complete(task, status);
}

static doca_error_t probe_start(struct doca_ctx *ctx)
{
	struct probe *probe = probe_from_ctx(ctx);
	doca_error_t result;

	probe->num_starts++;
	result = core_pool_fill(&probe->pool);
	return result != DOCA_SUCCESS ? result : probe->start_result;
}

static doca_error_t probe_stop(struct doca_ctx *ctx)
{
	struct probe *probe = probe_from_ctx(ctx);

	probe->num_stops++;
	if (probe->stop_result != DOCA_SUCCESS && probe->stop_result != DOCA_ERROR_IN_PROGRESS)
		return probe->stop_result;
	while (!probe->keeps_tasks && !STAILQ_EMPTY(&probe->submitted))
		probe_complete(probe, DOCA_ERROR_IO_FAILED);
	return probe->stop_result;
}

static doca_error_t probe_submit(struct doca_ctx *ctx, struct doca_task *task, uint32_t flags)
{
	struct probe *probe = probe_from_ctx(ctx);

	probe->last_flags = flags;
	if (probe->submit_result == DOCA_SUCCESS)
		STAILQ_INSERT_TAIL(&probe->submitted, task, link);
	return probe->submit_result;
}

static bool probe_progress(struct doca_ctx *ctx)
{
	struct probe *probe = probe_from_ctx(ctx);

	probe->num_progresses++;
	if (!probe->completes_in_progress || STAILQ_EMPTY(&probe->submitted))
		return probe->works_in_vain;
	probe_complete(probe, DOCA_SUCCESS);
	return true;
}

static uint64_t probe_arm(struct doca_ctx *ctx)
{
	struct probe *probe = probe_from_ctx(ctx);

	probe->num_arms++;
	if (probe->arm_delay_ns != 0)
		return probe->arm_delay_ns;
	if (probe->completes_in_progress && !STAILQ_EMPTY(&probe->submitted))
		return CORE_ARM_NOW;
	return CORE_ARM_NEVER;
}

static void probe_free_task(struct doca_ctx *ctx, struct doca_task *task)
{
	(void)task;
	probe_from_ctx(ctx)->num_frees++;
}

#define PROBE_OPS(kind_name, kind_flags)                                                \
	{                                                                               \
		.name = (kind_name), .flags = (kind_flags), .start = probe_start,       \
		.stop = probe_stop, .submit = probe_submit, .progress = probe_progress, \
		.arm = probe_arm, .free_task = probe_free_task,                         \
	}

static const struct core_ctx_ops holding_ops = PROBE_OPS("probe", 0);
static const struct core_ctx_ops freeing_ops = PROBE_OPS("freeing probe", CORE_CTX_FREES_TASKS);

struct probe *probe_create(bool frees_tasks)
{
	struct probe *probe = calloc(1, sizeof(*probe));

	assert_non_null(probe);
	core_ctx_init(&probe->base, frees_tasks ? &freeing_ops : &holding_ops);
	probe->pool.ctx = &probe->base;
	probe->pool.name = "probe";
	probe->pool.task_size = sizeof(struct probe_task);
	STAILQ_INIT(&probe->submitted);
	return probe;
}

doca_error_t probe_destroy(struct probe *probe)
{
	if (core_ctx_check_idle(&probe->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_IN_USE;
	core_ctx_fini(&probe->base);
	core_pool_fini(&probe->pool);
	free(probe);
	return DOCA_SUCCESS;
}

struct doca_ctx *probe_as_ctx(struct probe *probe)
{
	return &probe->base;
}

doca_error_t probe_set_conf(struct probe *probe, doca_task_completion_cb_t success_cb,
			    doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return core_pool_configure(&probe->pool, success_cb, error_cb, num_tasks, PROBE_MAX_TASKS);
}

doca_error_t probe_task_alloc(struct probe *probe, union doca_data user_data,
			      struct doca_task **task)
{
	return core_pool_get(&probe->pool, user_data, task);
}
