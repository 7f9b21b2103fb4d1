/* SPDX-License-Identifier: BSD-3-Clause */

/* The receive task as the application sees it. */

#include "core/error.h"
#include "rdma/rdma.h"

struct doca_rdma_task_receive {
	struct drdma_task task;
};

doca_error_t doca_rdma_task_receive_set_conf(struct doca_rdma *rdma,
					     doca_rdma_task_receive_completion_cb_t success_cb,
					     doca_rdma_task_receive_completion_cb_t error_cb,
					     uint32_t num_tasks)
{
	if (rdma == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return drdma_set_conf(rdma, DRDMA_RECEIVE, (doca_task_completion_cb_t)success_cb,
			      (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_rdma_task_receive_allocate_init(struct doca_rdma *rdma, struct doca_buf *dst_buf,
						  union doca_data user_data,
						  struct doca_rdma_task_receive **task)
{
	struct drdma_task *taken;
	doca_error_t result;

	if (rdma == NULL || task == NULL)
		return core_null_argument(__func__);
	result = drdma_task_alloc(rdma, DRDMA_RECEIVE, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->dst = dst_buf;
	*task = CORE_CONTAINER_OF(taken, struct doca_rdma_task_receive, task);
	return DOCA_SUCCESS;
}

struct doca_task *doca_rdma_task_receive_as_task(struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_rdma_task_receive_set_dst_buf(struct doca_rdma_task_receive *task,
					struct doca_buf *dst_buf)
{
	if (drdma_task_is_settable(task, __func__))
		task->task.dst = dst_buf;
}

struct doca_buf *doca_rdma_task_receive_get_dst_buf(const struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.dst : NULL;
}

uint32_t doca_rdma_task_receive_get_result_len(const struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.result_len : 0;
}

enum doca_rdma_opcode
doca_rdma_task_receive_get_result_opcode(const struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.result_opcode
						   : DOCA_RDMA_OPCODE_RECV_SEND;
}

doca_be32_t
doca_rdma_task_receive_get_result_immediate_data(const struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.result_imm : 0;
}

const struct doca_rdma_connection *
doca_rdma_task_receive_get_result_rdma_connection(const struct doca_rdma_task_receive *task)
{
	return drdma_task_is_there(task, __func__) ? task->task.result_conn : NULL;
}
