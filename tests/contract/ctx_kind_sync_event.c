/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

/*
 * Sync events by their public API alone, once with tasks that act, one a call of progress, and once
 * with waits that are over at the first look, all of them in the same call.
 */

static void *sync_kind_open(void)
{
	return fixture_dev_open();
}

static void sync_kind_close(void *dev)
{
	assert_success(doca_dev_close(dev));
}

static void *sync_kind_create(void *dev)
{
	struct doca_sync_event *event = sync_event_create(dev);

	assert_non_null(doca_sync_event_as_ctx(event));
	return event;
}

static struct doca_ctx *sync_kind_as_ctx(void *object)
{
	return doca_sync_event_as_ctx(object);
}

static doca_error_t sync_kind_destroy(void *object)
{
	return doca_sync_event_destroy(object);
}

static doca_error_t add_kind_configure(void *object, doca_task_completion_cb_t success_cb,
				       doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_calls[SYNC_ADD].set_conf(object, success_cb, error_cb, num_tasks);
}

static doca_error_t add_kind_alloc_task(void *dev, void *object, union doca_data user_data,
					struct doca_task **task)
{
	static const struct sync_args args = { .value = 1 };

	(void)dev;
	return sync_calls[SYNC_ADD].alloc(object, &args, user_data, task);
}

static doca_error_t wait_kind_configure(void *object, doca_task_completion_cb_t success_cb,
					doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return sync_calls[SYNC_WAIT_EQ].set_conf(object, success_cb, error_cb, num_tasks);
}

static doca_error_t wait_kind_alloc_task(void *dev, void *object, union doca_data user_data,
					 struct doca_task **task)
{
	static const struct sync_args args = { .value = 0, .mask = 0xff };

	(void)dev;
	return sync_calls[SYNC_WAIT_EQ].alloc(object, &args, user_data, task);
}

const struct ctx_kind ctx_kind_sync_event = {
	.name = "sync_event",
	.flush_status = DOCA_ERROR_IO_FAILED,
	.late_conf_error = DOCA_ERROR_NOT_PERMITTED,
	.busy_destroy_error = DOCA_ERROR_IN_USE,
	.pool_factor = 1,
	.open = sync_kind_open,
	.close = sync_kind_close,
	.create = sync_kind_create,
	.as_ctx = sync_kind_as_ctx,
	.destroy = sync_kind_destroy,
	.configure = add_kind_configure,
	.alloc_task = add_kind_alloc_task,
};

const struct ctx_kind ctx_kind_sync_event_wait = {
	.name = "sync_event_wait",
	.flush_status = DOCA_ERROR_IO_FAILED,
	.late_conf_error = DOCA_ERROR_NOT_PERMITTED,
	.busy_destroy_error = DOCA_ERROR_IN_USE,
	.pool_factor = 1,
	.open = sync_kind_open,
	.close = sync_kind_close,
	.create = sync_kind_create,
	.as_ctx = sync_kind_as_ctx,
	.destroy = sync_kind_destroy,
	.configure = wait_kind_configure,
	.alloc_task = wait_kind_alloc_task,
};
