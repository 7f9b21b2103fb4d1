/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include "fixture.h"
#include "test.h"
#include "urom_world.h"

/* UROM services by their public API alone. A task asks for a group that nobody is in. */

#define GROUP 1

static void *service_kind_open(void)
{
	urom_world_begin();
	return fixture_dev_open_named(UROM_RIG_DEVICE);
}

static void service_kind_close(void *dev)
{
	assert_success(doca_dev_close(dev));
}

static void *service_kind_create(void *dev)
{
	struct doca_urom_service *service;

	assert_success(doca_urom_service_create(&service));
	assert_success(doca_urom_service_set_dev(service, dev));
	return service;
}

static struct doca_ctx *service_kind_as_ctx(void *object)
{
	return doca_urom_service_as_ctx(object);
}

static doca_error_t service_kind_destroy(void *object)
{
	return doca_urom_service_destroy(object);
}

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	heard_on_end(doca_urom_service_get_workers_by_gid_task_as_task(task), task_user_data,
		     ctx_user_data);
}

/* Callbacks belong to tasks here, and there is no number of tasks to be set, but one of workers. */
static doca_error_t service_kind_configure(void *object, doca_task_completion_cb_t success_cb,
					   doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	doca_error_t result = doca_urom_service_set_max_workers(object, 4);

	(void)num_tasks;
	if (result == DOCA_SUCCESS)
		assert_true(success_cb == heard_on_success && error_cb == heard_on_error);
	return result;
}

static doca_error_t service_kind_alloc_task(void *dev, void *object, union doca_data user_data,
					    struct doca_task **task)
{
	struct doca_urom_service_get_workers_by_gid_task *taken;
	doca_error_t result = doca_urom_service_get_workers_by_gid_task_allocate_init(
	    object, GROUP, on_group, &taken);

	(void)dev;
	if (result != DOCA_SUCCESS)
		return result;
	*task = doca_urom_service_get_workers_by_gid_task_as_task(taken);
	doca_task_set_user_data(*task, user_data);
	return DOCA_SUCCESS;
}

const struct ctx_kind ctx_kind_urom_service = {
	.name = "urom_service",
	.frees_tasks = true,
	.has_fixed_pool = true,
	.is_remote = true,
	.flush_status = DOCA_ERROR_SHUTDOWN,
	.late_conf_error = DOCA_ERROR_BAD_STATE,
	.busy_destroy_error = DOCA_ERROR_NOT_PERMITTED,
	.pool_factor = 1,
	.patience_ms = 10000,
	.open = service_kind_open,
	.close = service_kind_close,
	.create = service_kind_create,
	.as_ctx = service_kind_as_ctx,
	.destroy = service_kind_destroy,
	.configure = service_kind_configure,
	.alloc_task = service_kind_alloc_task,
};
