/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/task.h"

#include <assert.h>

#include <doca_pe.h>

#include "core/ctx.h"
#include "core/error.h"
#include "core/log.h"
#include "core/pe.h"
#include "core/pool.h"

CORE_LOG_REGISTER(CORE::TASK);

#define SUBMIT_FLAGS                                                                      \
	((uint32_t)DOCA_TASK_SUBMIT_FLAG_FLUSH | DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS | \
	 CORE_SUBMIT_TRY)

static const char *const state_names[] = {
	[CORE_TASK_FREE] = "free",
	[CORE_TASK_USER] = "the application's",
	[CORE_TASK_INFLIGHT] = "in flight",
	[CORE_TASK_DONE] = "waiting for its callback",
};

void core_task_complete(struct doca_task *task, doca_error_t status)
{
	struct doca_ctx *ctx = task->ctx;

	assert(task->state == CORE_TASK_INFLIGHT);
	task->status = status;
	task->state = CORE_TASK_DONE;
	STAILQ_INSERT_TAIL(&ctx->done, task, link);
	core_ctx_kick(ctx);
}

void core_task_deliver(struct doca_task *task)
{
	struct doca_ctx *ctx = task->ctx;
	doca_task_completion_cb_t cb =
	    task->status == DOCA_SUCCESS ? task->pool->success_cb : task->pool->error_cb;

	assert(task->state == CORE_TASK_DONE);
	task->state = CORE_TASK_USER;
	ctx->num_inflight--;
	core_pe_callback_begin(ctx->pe);
	cb(task, task->user_data, ctx->user_data);
	core_pe_callback_end(ctx->pe);
}

static doca_error_t task_refuse(const struct doca_task *task, const char *why)
{
	DOCA_LOG_ERR("%s task %p is not submitted: %s", task->ctx->ops->name, (const void *)task,
		     why);
	return DOCA_ERROR_BAD_STATE;
}

static doca_error_t task_submit(struct doca_task *task, uint32_t flags)
{
	struct doca_ctx *ctx = task->ctx;
	doca_error_t result;

	if (doca_unlikely(task->state != CORE_TASK_USER))
		return task_refuse(task, state_names[task->state]);
	if (doca_unlikely(ctx->state != DOCA_CTX_STATE_RUNNING))
		return task_refuse(task, "its context is not running");
	if (doca_unlikely((flags & ~SUBMIT_FLAGS) != 0)) {
		DOCA_LOG_ERR("submit flags 0x%x: unknown bits", flags);
		return DOCA_ERROR_INVALID_VALUE;
	}
	/* The kind may queue it, so it is in flight before; nothing completes inside submit. */
	task->state = CORE_TASK_INFLIGHT;
	result = ctx->ops->submit(ctx, task, flags);
	if (DOCA_IS_ERROR(result)) {
		task->state = CORE_TASK_USER;
		return result;
	}
	ctx->num_inflight++;
	if (doca_unlikely(core_pe_is_armed(ctx->pe)))
		core_ctx_wake_armed(ctx);
	return result;
}

doca_error_t doca_task_submit(struct doca_task *task)
{
	if (task == NULL)
		return core_null_argument(__func__);
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH);
}

doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	if (task == NULL)
		return core_null_argument(__func__);
	/* The bit that is ours is as unknown as any other to the application. */
	return task_submit(task, (flags & CORE_SUBMIT_TRY) != 0 ? UINT32_MAX : flags);
}

doca_error_t doca_task_try_submit(struct doca_task *task)
{
	if (task == NULL)
		return core_null_argument(__func__);
	return task_submit(task, DOCA_TASK_SUBMIT_FLAG_FLUSH | CORE_SUBMIT_TRY);
}

void doca_task_free(struct doca_task *task)
{
	struct doca_ctx *ctx;

	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return;
	}
	ctx = task->ctx;
	if (task->state != CORE_TASK_USER) {
		DOCA_LOG_ERR("%s task %p is not freed: it is %s", ctx->ops->name, (void *)task,
			     state_names[task->state]);
		return;
	}
	if (ctx->ops->free_task != NULL)
		ctx->ops->free_task(ctx, task);
	core_pool_put(task);
	core_ctx_kick(ctx); /* the last one may be what STOPPING waits for */
}

doca_error_t doca_task_get_status(const struct doca_task *task)
{
	return task == NULL ? core_null_argument(__func__) : task->status;
}

void doca_task_set_user_data(struct doca_task *task, union doca_data user_data)
{
	if (task == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
	else
		task->user_data = user_data;
}

union doca_data doca_task_get_user_data(const struct doca_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return (union doca_data){ .u64 = 0 };
	}
	return task->user_data;
}

struct doca_ctx *doca_task_get_ctx(const struct doca_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return task->ctx;
}
