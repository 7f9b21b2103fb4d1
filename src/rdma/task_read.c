/* SPDX-License-Identifier: BSD-3-Clause */

/* The read task as the application sees it. */

#include "core/error.h"
#include "rdma/rdma.h"

struct doca_rdma_task_read {
	struct drdma_task task;
};

doca_error_t doca_rdma_task_read_set_conf(struct doca_rdma *rdma,
					  doca_rdma_task_read_completion_cb_t success_cb,
					  doca_rdma_task_read_completion_cb_t error_cb,
					  uint32_t num_tasks)
{
	if (rdma == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return drdma_set_conf(rdma, DRDMA_READ, (doca_task_completion_cb_t)success_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_rdma_task_read_allocate_init(struct doca_rdma *rdma,
					       struct doca_rdma_connection *rdma_connection,
					       const struct doca_buf *src_buf,
					       struct doca_buf *dst_buf, union doca_data user_data,
					       struct doca_rdma_task_read **task)
{
	struct drdma_task *taken;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return core_null_argument(__func__);
	result = drdma_task_alloc(rdma, DRDMA_READ, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	drdma_task_set_conn(taken, rdma_connection);
	taken->src = src_buf;
	taken->dst = dst_buf;
	*task = CORE_CONTAINER_OF(taken, struct doca_rdma_task_read, task);
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_read_as_task(struct doca_rdma_task_read *task)
{
	return drdma_task_is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_rdma_task_read_set_src_buf(struct doca_rdma_task_read *task,
				     const struct doca_buf *src_buf)
{
	if (drdma_task_is_settable(task, __func__))
		task->task.src = src_buf;
}

const struct doca_buf *doca_rdma_task_read_get_src_buf(const struct doca_rdma_task_read *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.src : NULL;
}

void doca_rdma_task_read_set_dst_buf(struct doca_rdma_task_read *task, struct doca_buf *dst_buf)
{
	if (drdma_task_is_settable(task, __func__))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_read_get_dst_buf(const struct doca_rdma_task_read *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.dst : NULL;
}

void doca_rdma_task_read_set_rdma_connection(struct doca_rdma_task_read *task,
					     struct doca_rdma_connection *rdma_connection)
{
	if (drdma_task_is_settable(task, __func__))
		drdma_task_set_conn(&task->task, rdma_connection);
}

const struct doca_rdma_connection *
doca_rdma_task_read_get_rdma_connection(const struct doca_rdma_task_read *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.conn : NULL;
}

uint32_t doca_rdma_task_read_get_result_len(const struct doca_rdma_task_read *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.result_len : 0;
}
