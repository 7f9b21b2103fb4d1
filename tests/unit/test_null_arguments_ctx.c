/* SPDX-License-Identifier: BSD-3-Clause */
/* Engines, contexts and tasks refuse each NULL that they cannot do with. */
#include "dma_rig.h"
#include "null_arguments.h"

#define BYTES 64

/* Good objects; what no object exists of, a GPU and the like, is in any, where outputs go too. */
static struct dma_rig rig;
static struct doca_devinfo *info;
static struct doca_task *task;
static struct doca_dma_task_memcpy *copy;
static const union doca_data no_data = { .u64 = 0 };
static _Alignas(16) char any_bytes[BYTES];
static void *const any = any_bytes;

static void on_done(struct doca_dma_task_memcpy *done, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	(void)done;
	(void)task_user_data;
	(void)ctx_user_data;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	(void)user_data;
	(void)ctx;
	(void)prev_state;
	(void)next_state;
}

static int group_setup(void **state)
{
	(void)state;
	dma_rig_init(&rig, BYTES, 1, 1);
	info = doca_dev_as_devinfo(rig.memory.dev);
	task = dma_rig_task(&rig, NULL, NULL, 1);
	copy = dma_rig_memcpy(task);
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	doca_task_free(task);
	dma_rig_fini(&rig);
	return 0;
}

static void engines_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_pe_create, NULL);
	REFUSES(doca_pe_destroy, NULL);
	RETURNS_ZERO(doca_pe_progress, NULL);
	REFUSES(doca_pe_get_notification_handle, NULL, any);
	REFUSES(doca_pe_get_notification_handle, rig.pe, NULL);
	REFUSES(doca_pe_clear_notification, NULL, 0);
	REFUSES(doca_pe_request_notification, NULL);
	REFUSES(doca_pe_get_num_inflight_tasks, NULL, any);
	REFUSES(doca_pe_get_num_inflight_tasks, rig.pe, NULL);
	REFUSES(doca_pe_connect_ctx, NULL, rig.ctx);
	REFUSES(doca_pe_connect_ctx, rig.pe, NULL);
	REFUSES(doca_pe_set_event_mode, NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
}

static void contexts_refuse_NULL(void **state)
{
	(void)state;
	REFUSES_AS("start: the context is NULL", doca_ctx_start, NULL);
	REFUSES_AS("stop: the context is NULL", doca_ctx_stop, NULL);
	REFUSES(doca_ctx_get_num_inflight_tasks, NULL, any);
	REFUSES(doca_ctx_get_num_inflight_tasks, rig.ctx, NULL);
	REFUSES(doca_ctx_set_datapath_on_gpu, NULL, any);
	REFUSES(doca_ctx_set_datapath_on_gpu, rig.ctx, NULL);
	REFUSES(doca_ctx_set_datapath_on_dpa, NULL, any);
	REFUSES(doca_ctx_set_datapath_on_dpa, rig.ctx, NULL);
	REFUSES(doca_ctx_set_user_data, NULL, no_data);
	REFUSES(doca_ctx_get_user_data, NULL, any);
	REFUSES(doca_ctx_get_user_data, rig.ctx, NULL);
	REFUSES(doca_ctx_set_state_changed_cb, NULL, on_state);
	REFUSES(doca_ctx_set_state_changed_cb, rig.ctx, NULL);
	REFUSES(doca_ctx_get_state, NULL, any);
	REFUSES(doca_ctx_get_state, rig.ctx, NULL);
	DOES_NOTHING(doca_ctx_flush_tasks, NULL);
	REFUSES(doca_ctx_set_completion_vector, NULL, 0);
	REFUSES(doca_ctx_cap_get_num_completion_vectors, NULL, any);
	REFUSES(doca_ctx_cap_get_num_completion_vectors, info, NULL);
}

static void tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_task_submit, NULL);
	REFUSES(doca_task_submit_ex, NULL, 0);
	REFUSES(doca_task_try_submit, NULL);
	DOES_NOTHING(doca_task_free, NULL);
	REFUSES(doca_task_get_status, NULL);
	DOES_NOTHING(doca_task_set_user_data, NULL, no_data);
	RETURNS_ZERO(doca_task_get_user_data, NULL);
	RETURNS_ZERO(doca_task_get_ctx, NULL);
}

static void task_batches_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_task_batch_submit, NULL);
	REFUSES(doca_task_batch_try_submit, NULL);
	DOES_NOTHING(doca_task_batch_free, NULL);
	REFUSES(doca_task_batch_get_status, NULL);
	DOES_NOTHING(doca_task_batch_set_user_data, NULL, no_data);
	RETURNS_ZERO(doca_task_batch_get_user_data, NULL);
	RETURNS_ZERO(doca_task_batch_get_ctx, NULL);
	RETURNS_ZERO(doca_task_batch_get_ctx_user_data, NULL);
	RETURNS_ZERO(doca_task_batch_get_tasks_num, NULL);
}

static void dma_contexts_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_dma_create, NULL, any);
	REFUSES(doca_dma_create, rig.memory.dev, NULL);
	REFUSES(doca_dma_destroy, NULL);
	RETURNS_ZERO(doca_dma_as_ctx, NULL);
	REFUSES(doca_dma_cap_task_memcpy_is_supported, NULL);
	REFUSES(doca_dma_cap_get_max_num_tasks, NULL, any);
	REFUSES(doca_dma_cap_get_max_num_tasks, rig.dma, NULL);
	REFUSES(doca_dma_cap_task_memcpy_get_max_buf_list_len, NULL, any);
	REFUSES(doca_dma_cap_task_memcpy_get_max_buf_list_len, info, NULL);
	REFUSES(doca_dma_cap_task_memcpy_get_max_buf_size, NULL, any);
	REFUSES(doca_dma_cap_task_memcpy_get_max_buf_size, info, NULL);
	REFUSES(doca_dma_get_gpu_handle, NULL, any);
	REFUSES(doca_dma_get_gpu_handle, rig.dma, NULL);
}

static void dma_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_dma_task_memcpy_set_conf, NULL, on_done, on_done, 1);
	REFUSES_AS("callbacks", doca_dma_task_memcpy_set_conf, rig.dma, NULL, on_done, 1);
	REFUSES_AS("callbacks", doca_dma_task_memcpy_set_conf, rig.dma, on_done, NULL, 1);
	REFUSES(doca_dma_task_memcpy_alloc_init, NULL, any, any, no_data, any);
	REFUSES(doca_dma_task_memcpy_alloc_init, rig.dma, any, any, no_data, NULL);
	RETURNS_ZERO(doca_dma_task_memcpy_as_task, NULL);
	DOES_NOTHING(doca_dma_task_memcpy_set_src, NULL, any);
	DOES_NOTHING(doca_dma_task_memcpy_set_dst, NULL, any);
	RETURNS_ZERO(doca_dma_task_memcpy_get_src, NULL);
	RETURNS_ZERO(doca_dma_task_memcpy_get_dst, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(engines_refuse_NULL),      TEST(contexts_refuse_NULL),
		TEST(tasks_refuse_NULL),        TEST(task_batches_refuse_NULL),
		TEST(dma_contexts_refuse_NULL), TEST(dma_tasks_refuse_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
