/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pool.h"

#include <stdlib.h>
#include <string.h>

#include "core/ctx.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::POOL);

/* Tasks are padded to whole cache lines: one that completes leaves its neighbours alone. */
#define TASK_ALIGN_BYTES 64

static size_t task_stride(const struct core_pool *pool)
{
	return (pool->task_size + TASK_ALIGN_BYTES - 1) & ~(size_t)(TASK_ALIGN_BYTES - 1);
}

doca_error_t core_pool_configure(struct core_pool *pool, doca_task_completion_cb_t success_cb,
				 doca_task_completion_cb_t error_cb, uint32_t num_tasks,
				 uint32_t max_tasks)
{
	doca_error_t result;

	if (success_cb == NULL || error_cb == NULL) {
		DOCA_LOG_ERR("%s tasks: both callbacks are needed", pool->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = core_ctx_check_idle(pool->ctx, "set_conf");
	if (result != DOCA_SUCCESS)
		return result;
	if (num_tasks == 0 || num_tasks > max_tasks) {
		DOCA_LOG_ERR("%s tasks: %u is not in 1..%u", pool->name, num_tasks, max_tasks);
		return DOCA_ERROR_INVALID_VALUE;
	}
	pool->success_cb = success_cb;
	pool->error_cb = error_cb;
	pool->num_tasks = num_tasks;
	return DOCA_SUCCESS;
}

void core_pool_visit(struct core_pool *pool, void (*visit)(struct doca_task *task))
{
	char *at = pool->block;

	for (uint32_t i = 0; i < pool->num_filled; i++, at += task_stride(pool))
		visit((struct doca_task *)(void *)at);
}

static void pool_thread_block(struct core_pool *pool)
{
	char *at = pool->block;

	STAILQ_INIT(&pool->free);
	for (uint32_t i = 0; i < pool->num_filled; i++, at += task_stride(pool)) {
		struct doca_task *task = (struct doca_task *)(void *)at;

		task->pool = pool;
		task->ctx = pool->ctx;
		task->state = CORE_TASK_FREE;
		STAILQ_INSERT_TAIL(&pool->free, task, link);
	}
}

doca_error_t core_pool_fill(struct core_pool *pool)
{
	size_t block_bytes = pool->num_tasks * task_stride(pool);
	void *block = NULL;

	if (pool->num_filled == pool->num_tasks)
		return DOCA_SUCCESS;
	if (pool->num_out > 0) {
		DOCA_LOG_ERR("%s tasks: %u are not freed yet, so their number cannot change",
			     pool->name, pool->num_out);
		return DOCA_ERROR_BAD_STATE;
	}
	if (posix_memalign(&block, TASK_ALIGN_BYTES, block_bytes) != 0) {
		DOCA_LOG_ERR("%s tasks: no memory for %u of them", pool->name, pool->num_tasks);
		return DOCA_ERROR_NO_MEMORY;
	}
	memset(block, 0, block_bytes);
	free(pool->block);
	pool->block = block;
	pool->num_filled = pool->num_tasks;
	pool_thread_block(pool);
	return DOCA_SUCCESS;
}

doca_error_t core_pool_get(struct core_pool *pool, union doca_data user_data,
			   struct doca_task **task)
{
	struct doca_task *taken;

	if (pool->ctx->state != DOCA_CTX_STATE_RUNNING) {
		DOCA_LOG_ERR("%s task: its context is not running", pool->name);
		return DOCA_ERROR_BAD_STATE;
	}
	if (pool->num_tasks == 0) {
		DOCA_LOG_ERR("%s task: its set_conf was not called before start", pool->name);
		return DOCA_ERROR_BAD_STATE;
	}
	taken = STAILQ_FIRST(&pool->free);
	if (taken == NULL) {
		DOCA_LOG_DBG("%s tasks: all %u are out", pool->name, pool->num_tasks);
		return DOCA_ERROR_NO_MEMORY;
	}
	STAILQ_REMOVE_HEAD(&pool->free, link);
	taken->state = CORE_TASK_USER;
	taken->status = DOCA_SUCCESS;
	taken->user_data = user_data;
	pool->num_out++;
	pool->ctx->num_tasks++;
	*task = taken;
	return DOCA_SUCCESS;
}

void core_pool_put(struct doca_task *task)
{
	task->state = CORE_TASK_FREE;
	task->pool->num_out--;
	task->ctx->num_tasks--;
	STAILQ_INSERT_HEAD(&task->pool->free, task, link);
}

void core_pool_fini(struct core_pool *pool)
{
	free(pool->block);
	pool->block = NULL;
	pool->num_filled = 0;
}
