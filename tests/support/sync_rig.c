/* SPDX-License-Identifier: BSD-3-Clause */
#include "sync_rig.h"

#include <string.h>

#include "fixture.h"
#include "test.h"

/* The callbacks of the kinds differ in the name of the task's type only. */

static doca_error_t get_set_conf(struct doca_sync_event *event, doca_task_completion_cb_t success,
				 doca_task_completion_cb_t error, uint32_t num_tasks)
{
	return doca_sync_event_task_get_set_conf(
	    event, (doca_sync_event_task_get_completion_cb_t)success,
	    (doca_sync_event_task_get_completion_cb_t)error, num_tasks);
}

static doca_error_t set_set_conf(struct doca_sync_event *event, doca_task_completion_cb_t success,
				 doca_task_completion_cb_t error, uint32_t num_tasks)
{
	return doca_sync_event_task_notify_set_set_conf(
	    event, (doca_sync_event_task_notify_set_completion_cb_t)success,
	    (doca_sync_event_task_notify_set_completion_cb_t)error, num_tasks);
}

static doca_error_t add_set_conf(struct doca_sync_event *event, doca_task_completion_cb_t success,
				 doca_task_completion_cb_t error, uint32_t num_tasks)
{
	return doca_sync_event_task_notify_add_set_conf(
	    event, (doca_sync_event_task_notify_add_completion_cb_t)success,
	    (doca_sync_event_task_notify_add_completion_cb_t)error, num_tasks);
}

static doca_error_t eq_set_conf(struct doca_sync_event *event, doca_task_completion_cb_t success,
				doca_task_completion_cb_t error, uint32_t num_tasks)
{
	return doca_sync_event_task_wait_eq_set_conf(
	    event, (doca_sync_event_task_wait_eq_completion_cb_t)success,
	    (doca_sync_event_task_wait_eq_completion_cb_t)error, num_tasks);
}

static doca_error_t neq_set_conf(struct doca_sync_event *event, doca_task_completion_cb_t success,
				 doca_task_completion_cb_t error, uint32_t num_tasks)
{
	return doca_sync_event_task_wait_neq_set_conf(
	    event, (doca_sync_event_task_wait_neq_completion_cb_t)success,
	    (doca_sync_event_task_wait_neq_completion_cb_t)error, num_tasks);
}

static doca_error_t get_alloc(struct doca_sync_event *event, const struct sync_args *args,
			      union doca_data user_data, struct doca_task **task)
{
	struct doca_sync_event_task_get *taken;
	doca_error_t result =
	    doca_sync_event_task_get_alloc_init(event, args->result, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_sync_event_task_get_as_doca_task(taken);
	return result;
}

static doca_error_t set_alloc(struct doca_sync_event *event, const struct sync_args *args,
			      union doca_data user_data, struct doca_task **task)
{
	struct doca_sync_event_task_notify_set *taken;
	doca_error_t result =
	    doca_sync_event_task_notify_set_alloc_init(event, args->value, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_sync_event_task_notify_set_as_doca_task(taken);
	return result;
}

static doca_error_t add_alloc(struct doca_sync_event *event, const struct sync_args *args,
			      union doca_data user_data, struct doca_task **task)
{
	struct doca_sync_event_task_notify_add *taken;
	doca_error_t result = doca_sync_event_task_notify_add_alloc_init(
	    event, args->value, args->result, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_sync_event_task_notify_add_as_doca_task(taken);
	return result;
}

static doca_error_t eq_alloc(struct doca_sync_event *event, const struct sync_args *args,
			     union doca_data user_data, struct doca_task **task)
{
	struct doca_sync_event_task_wait_eq *taken;
	doca_error_t result = doca_sync_event_task_wait_eq_alloc_init(
	    event, args->value, args->mask, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_sync_event_task_wait_eq_as_doca_task(taken);
	return result;
}

static doca_error_t neq_alloc(struct doca_sync_event *event, const struct sync_args *args,
			      union doca_data user_data, struct doca_task **task)
{
	struct doca_sync_event_task_wait_neq *taken;
	doca_error_t result = doca_sync_event_task_wait_neq_alloc_init(
	    event, args->value, args->mask, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_sync_event_task_wait_neq_as_doca_task(taken);
	return result;
}

const struct sync_calls sync_calls[SYNC_NUM_KINDS] = {
	[SYNC_GET] = { "get", get_set_conf, get_alloc, doca_sync_event_cap_task_get_is_supported },
	[SYNC_SET] = { "notify_set", set_set_conf, set_alloc,
		       doca_sync_event_cap_task_notify_set_is_supported },
	[SYNC_ADD] = { "notify_add", add_set_conf, add_alloc,
		       doca_sync_event_cap_task_notify_add_is_supported },
	[SYNC_WAIT_EQ] = { "wait_eq", eq_set_conf, eq_alloc,
			   doca_sync_event_cap_task_wait_eq_is_supported },
	[SYNC_WAIT_NEQ] = { "wait_neq", neq_set_conf, neq_alloc,
			    doca_sync_event_cap_task_wait_neq_is_supported },
};

struct doca_sync_event *sync_event_create(struct doca_dev *dev)
{
	struct doca_sync_event *event;

	assert_success(doca_sync_event_create(&event));
	assert_success(doca_sync_event_add_publisher_location_cpu(event, dev));
	assert_success(doca_sync_event_add_subscriber_location_cpu(event, dev));
	return event;
}

uint64_t sync_event_number(struct doca_sync_event *event)
{
	uint64_t number;

	assert_success(doca_sync_event_get(event, &number));
	return number;
}

void sync_rig_init_idle(struct sync_rig *rig, uint64_t *cell)
{
	memset(rig, 0, sizeof(*rig));
	rig->cell = cell;
	rig->dev = fixture_dev_open();
	rig->event = sync_event_create(rig->dev);
	if (cell != NULL)
		assert_success(doca_sync_event_set_addr(rig->event, cell));
	rig->ctx = doca_sync_event_as_ctx(rig->event);
	assert_non_null(rig->ctx);
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++)
		assert_success(sync_calls[kind].set_conf(rig->event, heard_on_success,
							 heard_on_error, SYNC_RIG_NUM_TASKS));
	assert_success(doca_pe_create(&rig->pe));
	assert_success(doca_pe_connect_ctx(rig->pe, rig->ctx));
	heard_init(&rig->heard, rig->ctx);
	rig->heard.owner = rig;
}

void sync_rig_init(struct sync_rig *rig, uint64_t *cell)
{
	sync_rig_init_idle(rig, cell);
	assert_success(doca_ctx_start(rig->ctx));
	assert_heard(&rig->heard, "idle>running");
}

void sync_rig_fini(struct sync_rig *rig)
{
	if (rig->event != NULL) {
		memset(rig->heard.on_state, 0, sizeof(rig->heard.on_state));
		rig->heard.on_task = NULL;
		if (doca_ctx_stop(rig->ctx) != DOCA_SUCCESS)
			fixture_progress_to(rig->pe, rig->ctx, DOCA_CTX_STATE_IDLE);
		assert_success(doca_sync_event_destroy(rig->event));
	}
	assert_success(doca_pe_destroy(rig->pe));
	assert_success(doca_dev_close(rig->dev));
}

struct doca_task *sync_rig_alloc(struct sync_rig *rig, enum sync_kind kind,
				 const struct sync_args *args, uint64_t number)
{
	struct doca_task *task = NULL;

	assert_success(
	    sync_calls[kind].alloc(rig->event, args, (union doca_data){ .u64 = number }, &task));
	assert_non_null(task);
	return task;
}

struct doca_task *sync_rig_submit(struct sync_rig *rig, enum sync_kind kind,
				  const struct sync_args *args, uint64_t number)
{
	struct doca_task *task = sync_rig_alloc(rig, kind, args, number);

	assert_success(doca_task_submit(task));
	return task;
}

struct doca_task *sync_rig_wait(struct sync_rig *rig, uint64_t value, uint64_t number)
{
	const struct sync_args args = { .value = value, .mask = UINT64_MAX };

	return sync_rig_submit(rig, SYNC_WAIT_EQ, &args, number);
}

void sync_rig_arm(const struct sync_rig *rig)
{
	assert_success(doca_pe_request_notification(rig->pe));
}

void sync_rig_clear(const struct sync_rig *rig)
{
	assert_success(doca_pe_clear_notification(rig->pe, 0));
}

int sync_rig_is_readable(const struct sync_rig *rig, int timeout_ms)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(rig->pe, &handle));
	return test_is_readable(handle, timeout_ms);
}
