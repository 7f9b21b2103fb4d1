/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include "test.h"
#include "urom_world.h"

/* UROM workers by their public API alone, each with a process of its own. A task is an echo. */

static void *worker_kind_open(void)
{
	return urom_world_open();
}

static void worker_kind_close(void *world)
{
	urom_world_close(world);
}

static void *worker_kind_create(void *opened)
{
	struct urom_world *world = opened;
	struct doca_urom_worker *worker;

	assert_success(doca_urom_worker_create(&worker));
	assert_success(doca_urom_worker_set_service(worker, world->host.service));
	assert_success(doca_urom_worker_set_plugins(worker, world->plugin));
	return worker;
}

static struct doca_ctx *worker_kind_as_ctx(void *object)
{
	return doca_urom_worker_as_ctx(object);
}

static doca_error_t worker_kind_destroy(void *object)
{
	return doca_urom_worker_destroy(object);
}

/* Callbacks belong to tasks here, and those of all tasks are urom_host_on_task(). */
static doca_error_t worker_kind_configure(void *object, doca_task_completion_cb_t success_cb,
					  doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	doca_error_t result = doca_urom_worker_set_max_inflight_tasks(object, num_tasks);

	if (result == DOCA_SUCCESS)
		assert_true(success_cb == heard_on_success && error_cb == heard_on_error);
	return result;
}

static doca_error_t worker_kind_alloc_task(void *opened, void *object, union doca_data user_data,
					   struct doca_task **task)
{
	struct urom_world *world = opened;
	const struct urom_test_cmd echo = { .op = UROM_TEST_ECHO };
	struct doca_urom_worker_cmd_task *taken;
	struct doca_buf *payload;
	doca_error_t result =
	    doca_urom_worker_cmd_task_allocate_init(object, world->plugin, &taken);
	void *data;

	if (result != DOCA_SUCCESS)
		return result;
	payload = doca_urom_worker_cmd_task_get_payload(taken);
	assert_success(doca_buf_get_data(payload, &data));
	*(struct urom_test_cmd *)data = echo;
	assert_success(doca_buf_set_data(payload, data, sizeof(echo)));
	doca_urom_worker_cmd_task_set_cb(taken, urom_host_on_task);
	*task = doca_urom_worker_cmd_task_as_task(taken);
	doca_task_set_user_data(*task, user_data);
	return DOCA_SUCCESS;
}

const struct ctx_kind ctx_kind_urom_worker = {
	.name = "urom_worker",
	.frees_tasks = true,
	.start_is_async = true,
	.stop_is_never_sync = true,
	.is_remote = true,
	.flush_status = DOCA_ERROR_SHUTDOWN,
	.late_conf_error = DOCA_ERROR_BAD_STATE,
	.busy_destroy_error = DOCA_ERROR_IN_USE,
	.pool_factor = 4,
	.patience_ms = 10000,
	.open = worker_kind_open,
	.close = worker_kind_close,
	.create = worker_kind_create,
	.as_ctx = worker_kind_as_ctx,
	.destroy = worker_kind_destroy,
	.configure = worker_kind_configure,
	.alloc_task = worker_kind_alloc_task,
};
