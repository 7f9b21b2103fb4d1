/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(UROM::SERVICE_TASKS);

typedef doca_urom_service_get_workers_by_gid_task_completion_cb_t group_cb;

static struct doca_urom_service_get_workers_by_gid_task *task_from_base(struct doca_task *base)
{
	return (struct doca_urom_service_get_workers_by_gid_task *)base;
}

static void on_done(struct doca_task *base, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct doca_urom_service_get_workers_by_gid_task *task = task_from_base(base);

	task->cb(task, task_user_data, ctx_user_data);
}

doca_error_t uromh_groups_fill(struct doca_urom_service *service)
{
	doca_error_t result = core_pool_configure(&service->group_pool, on_done, on_done,
						  UROMH_MAX_GROUP_TASKS, UROMH_MAX_GROUP_TASKS);

	return result == DOCA_SUCCESS ? core_pool_fill(&service->group_pool) : result;
}

static void forget_ids(struct doca_urom_service_get_workers_by_gid_task *task)
{
	free(task->ids);
	task->ids = NULL;
	task->num_ids = 0;
}

static void forget_ids_of(struct doca_task *base)
{
	forget_ids(task_from_base(base));
}

void uromh_groups_fini(struct doca_urom_service *service)
{
	if (service->group_pool.num_out > 0)
		DOCA_LOG_WARN("service %p is destroyed with %u tasks that were not released",
			      (void *)service, service->group_pool.num_out);
	core_pool_visit(&service->group_pool, forget_ids_of);
	core_pool_fini(&service->group_pool);
}

static void finish(struct doca_urom_service *service,
		   struct doca_urom_service_get_workers_by_gid_task *task, doca_error_t status)
{
	TAILQ_REMOVE(&service->asked, task, link);
	core_task_complete(&task->base, status);
}

static struct doca_urom_service_get_workers_by_gid_task *
find_asked(struct doca_urom_service *service, uint64_t exchange)
{
	struct doca_urom_service_get_workers_by_gid_task *task;

	TAILQ_FOREACH (task, &service->asked, link) {
		if (task->exchange == exchange)
			return task;
	}
	return NULL;
}

doca_error_t uromh_groups_submit(struct doca_ctx *ctx, struct doca_task *base, uint32_t flags)
{
	struct doca_urom_service *service = uromh_service_from_ctx(ctx);
	struct doca_urom_service_get_workers_by_gid_task *task = task_from_base(base);
	const struct wire_group_get question = { .group = task->gid };
	doca_error_t result;
	(void)flags;

	if (task->cb == NULL) {
		DOCA_LOG_ERR("get_workers_by_gid task %p has no callback", (void *)task);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!service->stream.is_open) {
		DOCA_LOG_ERR("group %u cannot be asked for: service %p has lost its daemon",
			     task->gid, (void *)service);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	forget_ids(task);
	task->exchange = uromh_service_next_exchange(service);
	result = chan_stream_send(&service->stream, WIRE_GROUP_GET, task->exchange, &question);
	/* A lost connection ends the task together with the others. */
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_CONNECTION_RESET) {
		DOCA_LOG_ERR("group %u cannot be asked for: %s", task->gid,
			     doca_error_get_descr(result));
		return result;
	}
	service->empty_looks = 0;
	TAILQ_INSERT_TAIL(&service->asked, task, link);
	return DOCA_SUCCESS;
}

void uromh_groups_free_task(struct doca_ctx *ctx, struct doca_task *base)
{
	(void)ctx;
	forget_ids(task_from_base(base));
}

static doca_error_t copy_ids(struct doca_urom_service_get_workers_by_gid_task *task,
			     struct wire_bytes list)
{
	struct wire_bytes rest = list;
	struct wire_id id;
	size_t count = 0;

	while (wire_list_next(&rest, &wire_id_message, &id))
		count++;
	if (count == 0)
		return DOCA_SUCCESS;
	task->ids = calloc(count, sizeof(*task->ids));
	if (task->ids == NULL) {
		DOCA_LOG_ERR("no memory for the %zu workers of group %u", count, task->gid);
		return DOCA_ERROR_NO_MEMORY;
	}
	while (wire_list_next(&list, &wire_id_message, &id))
		task->ids[task->num_ids++] = id.id;
	return DOCA_SUCCESS;
}

doca_error_t uromh_groups_answered(struct doca_urom_service *service,
				   const struct chan_message *message)
{
	struct doca_urom_service_get_workers_by_gid_task *task = find_asked(service, message->id);
	struct wire_group group;

	if (chan_message_decode(message, &group) != DOCA_SUCCESS || task == NULL)
		return DOCA_ERROR_CONNECTION_ABORTED;
	finish(service, task, copy_ids(task, group.worker_ids));
	return DOCA_SUCCESS;
}

bool uromh_groups_refused(struct doca_urom_service *service, uint64_t exchange, doca_error_t error)
{
	struct doca_urom_service_get_workers_by_gid_task *task = find_asked(service, exchange);

	if (task == NULL)
		return false;
	DOCA_LOG_ERR("the daemon does not tell the workers of group %u: %s", task->gid,
		     doca_error_get_descr(error));
	finish(service, task, error);
	return true;
}

void uromh_groups_flush(struct doca_urom_service *service, doca_error_t status)
{
	struct doca_urom_service_get_workers_by_gid_task *task;

	while ((task = TAILQ_FIRST(&service->asked)) != NULL)
		finish(service, task, status);
}

/* --- The task as the application sees it --- */

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task)
{
	const union doca_data nothing = { .u64 = 0 };
	struct doca_task *base;
	doca_error_t result;

	if (service_ctx == NULL || task == NULL)
		return core_null_argument(__func__);
	result = core_pool_get(&service_ctx->group_pool, nothing, &base);
	if (result != DOCA_SUCCESS)
		return result;
	*task = task_from_base(base);
	(*task)->gid = 0;
	(*task)->cb = NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid, group_cb cb,
    struct doca_urom_service_get_workers_by_gid_task **task)
{
	doca_error_t result;

	if (cb == NULL)
		return core_null_argument(__func__);
	result = doca_urom_service_get_workers_by_gid_task_allocate(service_ctx, task);
	if (result != DOCA_SUCCESS)
		return result;
	(*task)->gid = gid;
	(*task)->cb = cb;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
	if (task == NULL)
		return core_null_argument(__func__);
	if (task->base.state == CORE_TASK_INFLIGHT || task->base.state == CORE_TASK_DONE) {
		DOCA_LOG_ERR("get_workers_by_gid task %p is not released: it is in flight",
			     (void *)task);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	doca_task_free(&task->base);
	return DOCA_SUCCESS;
}

void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid)
{
	if (task == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
	else
		task->gid = gid;
}

void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task, group_cb cb)
{
	if (task == NULL || cb == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
	else
		task->cb = cb;
}

struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &task->base;
}

size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return 0;
	}
	return task->num_ids;
}

const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return task->ids;
}
