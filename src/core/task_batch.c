/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Task batches: the interface has them, but no task kind here can be batched, so no batch object
 * ever exists. Every call says so; docs/compatibility.md lists them.
 */

#include <doca_pe.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::TASK_BATCH);

static doca_error_t batch_refuse(const struct doca_task_batch *task_batch, const char *func)
{
	if (task_batch == NULL)
		return core_null_argument(func);
	DOCA_LOG_ERR("%s: no task kind can be batched", func);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch)
{
	return batch_refuse(task_batch, __func__);
}

doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch)
{
	return batch_refuse(task_batch, __func__);
}

doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch)
{
	return batch_refuse(task_batch, __func__);
}

/* The rest have no error to return: the log line is all that they can say. */

void doca_task_batch_free(struct doca_task_batch *task_batch)
{
	(void)batch_refuse(task_batch, __func__);
}

void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data)
{
	(void)user_data;
	(void)batch_refuse(task_batch, __func__);
}

union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch)
{
	(void)batch_refuse(task_batch, __func__);
	return (union doca_data){ .u64 = 0 };
}

struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch)
{
	(void)batch_refuse(task_batch, __func__);
	return NULL;
}

union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch)
{
	(void)batch_refuse(task_batch, __func__);
	return (union doca_data){ .u64 = 0 };
}

uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch)
{
	(void)batch_refuse(task_batch, __func__);
	return 0;
}
