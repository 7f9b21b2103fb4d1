/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma.h"

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(DMA::TASK);

doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks)
{
	if (dma == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return core_pool_configure(&dma->memcpy_pool, (doca_task_completion_cb_t)task_completion_cb,
				   (doca_task_completion_cb_t)task_error_cb, num_memcpy_tasks,
				   DMA_MAX_TASKS);
}

doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task)
{
	struct doca_dma_task_memcpy *taken;
	struct doca_task *base;
	doca_error_t result;

	if (dma == NULL || task == NULL)
		return core_null_argument(__func__);
	result = core_pool_get(&dma->memcpy_pool, user_data, &base);
	if (result != DOCA_SUCCESS)
		return result;
	taken = CORE_CONTAINER_OF(base, struct doca_dma_task_memcpy, base);
	taken->src = src;
	taken->dst = dst;
	*task = taken;
	return DOCA_SUCCESS;
}

struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &task->base;
}

/* May the application change the task now? The setters have no way to return that it may not. */
static bool is_settable(const struct doca_dma_task_memcpy *task, const char *func)
{
	if (task == NULL) {
		(void)core_null_argument(func);
		return false;
	}
	if (task->base.state == CORE_TASK_USER)
		return true;
	DOCA_LOG_ERR("%s: memcpy task %p is free or in flight", func, (const void *)task);
	return false;
}

void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src)
{
	if (is_settable(task, __func__))
		task->src = src;
}

void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst)
{
	if (is_settable(task, __func__))
		task->dst = dst;
}

const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return task->src;
}

struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return task->dst;
}
