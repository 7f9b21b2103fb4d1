/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The five task kinds as the application sees them: the same five calls for each, and accessors of
 * their arguments. The public types are names for struct core_sync_task.
 */

#include "core/sync_event.h"

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::SYNC_EVENT_TASK);

#define SYNC_MAX_TASKS 65536

struct doca_sync_event_task_get {
	struct core_sync_task task;
};

struct doca_sync_event_task_notify_set {
	struct core_sync_task task;
};

struct doca_sync_event_task_notify_add {
	struct core_sync_task task;
};

struct doca_sync_event_task_wait_eq {
	struct core_sync_task task;
};

struct doca_sync_event_task_wait_neq {
	struct core_sync_task task;
};

/* Sync events answer NOT_PERMITTED where other kinds answer BAD_STATE. */
static doca_error_t sync_set_conf(struct doca_sync_event *event, enum core_sync_task_kind kind,
				  doca_task_completion_cb_t completion_cb,
				  doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	doca_error_t result;

	if (event->is_started && completion_cb != NULL && error_cb != NULL) {
		DOCA_LOG_ERR("%s tasks: event %p is started, and not as a context",
			     event->pools[kind].name, (void *)event);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	result = core_pool_configure(&event->pools[kind], completion_cb, error_cb, num_tasks,
				     SYNC_MAX_TASKS);
	return result == DOCA_ERROR_BAD_STATE ? DOCA_ERROR_NOT_PERMITTED : result;
}

static doca_error_t sync_alloc(struct doca_sync_event *event, enum core_sync_task_kind kind,
			       union doca_data user_data, struct core_sync_task **task)
{
	struct doca_task *base;
	doca_error_t result = core_pool_get(&event->pools[kind], user_data, &base);

	if (result != DOCA_SUCCESS)
		return result;
	*task = CORE_CONTAINER_OF(base, struct core_sync_task, base);
	(*task)->kind = kind;
	return DOCA_SUCCESS;
}

/* May the application change the task now? The setters have no way to return that it may not. */
static bool is_settable(const void *public_task, const char *func)
{
	const struct core_sync_task *task = public_task; /* the public types have no more */

	if (task == NULL) {
		(void)core_null_argument(func);
		return false;
	}
	if (task->base.state == CORE_TASK_USER)
		return true;
	DOCA_LOG_ERR("%s: task %p is free or in flight", func, (const void *)task);
	return false;
}

static bool is_there(const void *task, const char *func)
{
	if (task == NULL)
		(void)core_null_argument(func); /* there is no way to return it */
	return task != NULL;
}

doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks)
{
	if (event == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return sync_set_conf(event, CORE_SYNC_GET, (doca_task_completion_cb_t)completion_cb,
			     (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
						 uint64_t *ret_val_ptr, union doca_data user_data,
						 struct doca_sync_event_task_get **task)
{
	struct core_sync_task *taken;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return core_null_argument(__func__);
	result = sync_alloc(event, CORE_SYNC_GET, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->result = ret_val_ptr;
	*task = CORE_CONTAINER_OF(taken, struct doca_sync_event_task_get, task);
	return DOCA_SUCCESS;
}

struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task)
{
	return is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
					      uint64_t *ret_val_ptr)
{
	if (is_settable(task, __func__))
		task->task.result = ret_val_ptr;
}

uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task)
{
	return is_there(task, __func__) ? task->task.result : NULL;
}

doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks)
{
	if (event == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return sync_set_conf(event, CORE_SYNC_NOTIFY_SET, (doca_task_completion_cb_t)completion_cb,
			     (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
					   union doca_data user_data,
					   struct doca_sync_event_task_notify_set **task)
{
	struct core_sync_task *taken;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return core_null_argument(__func__);
	result = sync_alloc(event, CORE_SYNC_NOTIFY_SET, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->value = set_val;
	*task = CORE_CONTAINER_OF(taken, struct doca_sync_event_task_notify_set, task);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task)
{
	return is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
						 uint64_t set_val)
{
	if (is_settable(task, __func__))
		task->task.value = set_val;
}

uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task)
{
	return is_there(task, __func__) ? task->task.value : 0;
}

doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks)
{
	if (event == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return sync_set_conf(event, CORE_SYNC_NOTIFY_ADD, (doca_task_completion_cb_t)completion_cb,
			     (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
					   uint64_t *fetched_val_ptr, union doca_data user_data,
					   struct doca_sync_event_task_notify_add **task)
{
	struct core_sync_task *taken;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return core_null_argument(__func__);
	result = sync_alloc(event, CORE_SYNC_NOTIFY_ADD, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->value = inc_val;
	taken->result = fetched_val_ptr;
	*task = CORE_CONTAINER_OF(taken, struct doca_sync_event_task_notify_add, task);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task)
{
	return is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
						 uint64_t inc_val)
{
	if (is_settable(task, __func__))
		task->task.value = inc_val;
}

uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task)
{
	return is_there(task, __func__) ? task->task.value : 0;
}

void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr)
{
	if (is_settable(task, __func__))
		task->task.result = fetched_val_ptr;
}

uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task)
{
	return is_there(task, __func__) ? task->task.result : NULL;
}

doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks)
{
	if (event == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return sync_set_conf(event, CORE_SYNC_WAIT_EQ, (doca_task_completion_cb_t)completion_cb,
			     (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
						     uint64_t wait_val, uint64_t mask,
						     union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task)
{
	struct core_sync_task *taken;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return core_null_argument(__func__);
	result = sync_alloc(event, CORE_SYNC_WAIT_EQ, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->value = wait_val;
	taken->mask = mask;
	*task = CORE_CONTAINER_OF(taken, struct doca_sync_event_task_wait_eq, task);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task)
{
	return is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
					       uint64_t wait_val)
{
	if (is_settable(task, __func__))
		task->task.value = wait_val;
}

uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task)
{
	return is_there(task, __func__) ? task->task.value : 0;
}

void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task, uint64_t mask)
{
	if (is_settable(task, __func__))
		task->task.mask = mask;
}

uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task)
{
	return is_there(task, __func__) ? task->task.mask : 0;
}

doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks)
{
	if (event == NULL)
		return core_null_argument(__func__);
	/* The base is the task's first member, so either callback type takes either pointer. */
	return sync_set_conf(event, CORE_SYNC_WAIT_NEQ, (doca_task_completion_cb_t)completion_cb,
			     (doca_task_completion_cb_t)error_cb, num_tasks);
}

doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
						      uint64_t wait_val, uint64_t mask,
						      union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task)
{
	struct core_sync_task *taken;
	doca_error_t result;

	if (event == NULL || task == NULL)
		return core_null_argument(__func__);
	result = sync_alloc(event, CORE_SYNC_WAIT_NEQ, user_data, &taken);
	if (result != DOCA_SUCCESS)
		return result;
	taken->value = wait_val;
	taken->mask = mask;
	*task = CORE_CONTAINER_OF(taken, struct doca_sync_event_task_wait_neq, task);
	return DOCA_SUCCESS;
}

struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task)
{
	return is_there(task, __func__) ? &task->task.base : NULL;
}

void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
						uint64_t wait_val)
{
	if (is_settable(task, __func__))
		task->task.value = wait_val;
}

uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task)
{
	return is_there(task, __func__) ? task->task.value : 0;
}

void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
					    uint64_t mask)
{
	if (is_settable(task, __func__))
		task->task.mask = mask;
}

uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task)
{
	return is_there(task, __func__) ? task->task.mask : 0;
}
