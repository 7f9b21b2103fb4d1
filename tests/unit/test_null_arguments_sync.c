/* SPDX-License-Identifier: BSD-3-Clause */
/* Sync events and buffer pools refuse each NULL that they cannot do with. */
#include <doca_buf_pool.h>

#include "fixture.h"
#include "null_arguments.h"
#include "sync_rig.h"

#define BYTES 64

/* Good objects; what no object exists of, a GPU and the like, is in any, where outputs go too. */
static struct sync_rig rig;
static struct fixture_memory memory;
static struct doca_devinfo *info;
static struct doca_sync_event *event; /* not started */
static struct doca_buf_pool *pool;
static struct doca_buf *buf;
static const union doca_data no_data = { .u64 = 0 };
static _Alignas(16) char any_bytes[BYTES];
static void *const any = any_bytes;

static void on_get(struct doca_sync_event_task_get *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_set(struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_add(struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_eq(struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
		  union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_neq(struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
		   union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static int group_setup(void **state)
{
	(void)state;
	sync_rig_init(&rig, NULL);
	fixture_memory_init(&memory, BYTES, 1);
	info = doca_dev_as_devinfo(rig.dev);
	event = sync_event_create(rig.dev);
	buf = fixture_buf(&memory, 0, 8, 0, 8);
	assert_success(doca_buf_pool_create(1, 8, memory.mmap, &pool));
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	assert_success(doca_buf_pool_destroy(pool));
	fixture_buf_put(buf);
	assert_success(doca_sync_event_destroy(event));
	fixture_memory_fini(&memory);
	sync_rig_fini(&rig);
	return 0;
}

static void lives_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_create, NULL);
	REFUSES(doca_sync_event_destroy, NULL);
	REFUSES(doca_sync_event_create_from_export, NULL, any, BYTES, any);
	REFUSES(doca_sync_event_create_from_export, rig.dev, NULL, BYTES, any);
	REFUSES(doca_sync_event_create_from_export, rig.dev, any, BYTES, NULL);
	REFUSES(doca_sync_event_remote_net_create_from_export, NULL, any, BYTES, any);
	REFUSES(doca_sync_event_remote_net_create_from_export, rig.dev, NULL, BYTES, any);
	REFUSES(doca_sync_event_remote_net_create_from_export, rig.dev, any, BYTES, NULL);
	REFUSES(doca_sync_event_remote_net_destroy, NULL);
	REFUSES(doca_sync_event_start, NULL);
	REFUSES(doca_sync_event_stop, NULL);
	RETURNS_ZERO(doca_sync_event_as_ctx, NULL);
}

static void locations_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_add_publisher_location_cpu, NULL, rig.dev);
	REFUSES(doca_sync_event_add_publisher_location_cpu, event, NULL);
	REFUSES(doca_sync_event_add_publisher_location_dpa, NULL, any);
	REFUSES(doca_sync_event_add_publisher_location_dpa, event, NULL);
	REFUSES(doca_sync_event_add_publisher_location_gpu, NULL, any);
	REFUSES(doca_sync_event_add_publisher_location_gpu, event, NULL);
	REFUSES(doca_sync_event_add_publisher_location_remote_pci, NULL);
	REFUSES(doca_sync_event_add_publisher_location_remote_net, NULL);
	REFUSES(doca_sync_event_add_subscriber_location_cpu, NULL, rig.dev);
	REFUSES(doca_sync_event_add_subscriber_location_cpu, event, NULL);
	REFUSES(doca_sync_event_add_subscriber_location_dpa, NULL, any);
	REFUSES(doca_sync_event_add_subscriber_location_dpa, event, NULL);
	REFUSES(doca_sync_event_add_subscriber_location_gpu, NULL, any);
	REFUSES(doca_sync_event_add_subscriber_location_gpu, event, NULL);
	REFUSES(doca_sync_event_add_subscriber_location_remote_pci, NULL);
	REFUSES(doca_sync_event_set_addr, NULL, any);
	REFUSES(doca_sync_event_set_addr, event, NULL);
	REFUSES(doca_sync_event_set_doca_buf, NULL, buf);
	REFUSES(doca_sync_event_set_doca_buf, event, NULL);
}

static void capabilities_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_cap_is_create_from_export_supported, NULL);
	REFUSES(doca_sync_event_cap_remote_net_is_create_from_export_supported, NULL);
	REFUSES(doca_sync_event_cap_task_get_is_supported, NULL);
	REFUSES(doca_sync_event_cap_task_notify_set_is_supported, NULL);
	REFUSES(doca_sync_event_cap_task_notify_add_is_supported, NULL);
	REFUSES(doca_sync_event_cap_task_wait_eq_is_supported, NULL);
	REFUSES(doca_sync_event_cap_task_wait_neq_is_supported, NULL);
	REFUSES(doca_sync_event_cap_is_export_to_remote_pci_supported, NULL);
	REFUSES(doca_sync_event_cap_is_export_to_dpa_supported, NULL);
	REFUSES(doca_sync_event_cap_is_export_to_gpu_supported, NULL);
	REFUSES(doca_sync_event_cap_is_export_to_remote_net_supported, NULL);
	REFUSES(doca_sync_event_cap_remote_net_is_export_to_dpa_supported, NULL);
	REFUSES(doca_sync_event_cap_remote_net_is_export_to_gpu_supported, NULL);
}

static void exports_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_export_to_remote_pci, NULL, rig.dev, any, any);
	REFUSES(doca_sync_event_export_to_remote_pci, event, NULL, any, any);
	REFUSES(doca_sync_event_export_to_remote_pci, event, rig.dev, NULL, any);
	REFUSES(doca_sync_event_export_to_remote_pci, event, rig.dev, any, NULL);
	REFUSES(doca_sync_event_export_to_remote_net, NULL, any, any);
	REFUSES(doca_sync_event_export_to_remote_net, event, NULL, any);
	REFUSES(doca_sync_event_export_to_remote_net, event, any, NULL);
	REFUSES(doca_sync_event_get_dpa_handle, NULL, any, any);
	REFUSES(doca_sync_event_get_dpa_handle, event, NULL, any);
	REFUSES(doca_sync_event_get_dpa_handle, event, any, NULL);
	REFUSES(doca_sync_event_get_gpu_handle, NULL, any, any);
	REFUSES(doca_sync_event_get_gpu_handle, event, NULL, any);
	REFUSES(doca_sync_event_get_gpu_handle, event, any, NULL);
	REFUSES(doca_sync_event_remote_net_get_dpa_handle, NULL, any, any);
	REFUSES(doca_sync_event_remote_net_get_dpa_handle, any, NULL, any);
	REFUSES(doca_sync_event_remote_net_get_dpa_handle, any, any, NULL);
	REFUSES(doca_sync_event_remote_net_get_gpu_handle, NULL, any, any);
	REFUSES(doca_sync_event_remote_net_get_gpu_handle, any, NULL, any);
	REFUSES(doca_sync_event_remote_net_get_gpu_handle, any, any, NULL);
}

static void calls_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_get, NULL, any);
	REFUSES(doca_sync_event_get, rig.event, NULL);
	REFUSES(doca_sync_event_update_add, NULL, 1, any);
	REFUSES(doca_sync_event_update_set, NULL, 1);
	REFUSES(doca_sync_event_wait_gt, NULL, 0, 0);
	REFUSES(doca_sync_event_wait_gt_yield, NULL, 0, 0);
	REFUSES(doca_sync_event_wait_eq, NULL, 0, 0);
	REFUSES(doca_sync_event_wait_eq_yield, NULL, 0, 0);
	REFUSES(doca_sync_event_wait_neq, NULL, 0, 0);
	REFUSES(doca_sync_event_wait_neq_yield, NULL, 0, 0);
}

static void get_and_set_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_task_get_set_conf, NULL, on_get, on_get, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_get_set_conf, event, NULL, on_get, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_get_set_conf, event, on_get, NULL, 1);
	REFUSES(doca_sync_event_task_get_alloc_init, NULL, any, no_data, any);
	REFUSES(doca_sync_event_task_get_alloc_init, rig.event, any, no_data, NULL);
	RETURNS_ZERO(doca_sync_event_task_get_as_doca_task, NULL);
	DOES_NOTHING(doca_sync_event_task_get_set_ret_val_ptr, NULL, any);
	RETURNS_ZERO(doca_sync_event_task_get_get_ret_val_ptr, NULL);
	REFUSES(doca_sync_event_task_notify_set_set_conf, NULL, on_set, on_set, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_notify_set_set_conf, event, NULL, on_set, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_notify_set_set_conf, event, on_set, NULL, 1);
	REFUSES(doca_sync_event_task_notify_set_alloc_init, NULL, 0, no_data, any);
	REFUSES(doca_sync_event_task_notify_set_alloc_init, rig.event, 0, no_data, NULL);
	RETURNS_ZERO(doca_sync_event_task_notify_set_as_doca_task, NULL);
	DOES_NOTHING(doca_sync_event_task_notify_set_set_set_val, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_notify_set_get_set_val, NULL);
}

static void add_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_task_notify_add_set_conf, NULL, on_add, on_add, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_notify_add_set_conf, event, NULL, on_add, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_notify_add_set_conf, event, on_add, NULL, 1);
	REFUSES(doca_sync_event_task_notify_add_alloc_init, NULL, 1, any, no_data, any);
	REFUSES(doca_sync_event_task_notify_add_alloc_init, rig.event, 1, any, no_data, NULL);
	RETURNS_ZERO(doca_sync_event_task_notify_add_as_doca_task, NULL);
	DOES_NOTHING(doca_sync_event_task_notify_add_set_inc_val, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_notify_add_get_inc_val, NULL);
	DOES_NOTHING(doca_sync_event_task_notify_add_set_fetched_val_ptr, NULL, any);
	RETURNS_ZERO(doca_sync_event_task_notify_add_get_fetched_val_ptr, NULL);
}

static void wait_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_sync_event_task_wait_eq_set_conf, NULL, on_eq, on_eq, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_wait_eq_set_conf, event, NULL, on_eq, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_wait_eq_set_conf, event, on_eq, NULL, 1);
	REFUSES(doca_sync_event_task_wait_eq_alloc_init, NULL, 0, 0, no_data, any);
	REFUSES(doca_sync_event_task_wait_eq_alloc_init, rig.event, 0, 0, no_data, NULL);
	RETURNS_ZERO(doca_sync_event_task_wait_eq_as_doca_task, NULL);
	DOES_NOTHING(doca_sync_event_task_wait_eq_set_wait_val, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_wait_eq_get_wait_val, NULL);
	DOES_NOTHING(doca_sync_event_task_wait_eq_set_mask, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_wait_eq_get_mask, NULL);
	REFUSES(doca_sync_event_task_wait_neq_set_conf, NULL, on_neq, on_neq, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_wait_neq_set_conf, event, NULL, on_neq, 1);
	REFUSES_AS("callbacks", doca_sync_event_task_wait_neq_set_conf, event, on_neq, NULL, 1);
	REFUSES(doca_sync_event_task_wait_neq_alloc_init, NULL, 0, 0, no_data, any);
	REFUSES(doca_sync_event_task_wait_neq_alloc_init, rig.event, 0, 0, no_data, NULL);
	RETURNS_ZERO(doca_sync_event_task_wait_neq_as_doca_task, NULL);
	DOES_NOTHING(doca_sync_event_task_wait_neq_set_wait_val, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_wait_neq_get_wait_val, NULL);
	DOES_NOTHING(doca_sync_event_task_wait_neq_set_mask, NULL, 1);
	RETURNS_ZERO(doca_sync_event_task_wait_neq_get_mask, NULL);
}

static void pools_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_buf_pool_create, 1, 8, NULL, any);
	REFUSES(doca_buf_pool_create, 1, 8, memory.mmap, NULL);
	REFUSES(doca_buf_pool_destroy, NULL);
	REFUSES(doca_buf_pool_start, NULL);
	REFUSES(doca_buf_pool_stop, NULL);
	REFUSES(doca_buf_pool_buf_alloc, NULL, any);
	REFUSES(doca_buf_pool_buf_alloc, pool, NULL);
	REFUSES(doca_buf_pool_set_user_data, NULL, no_data);
	REFUSES(doca_buf_pool_set_element_alignment, NULL, 1);
	REFUSES(doca_buf_pool_get_num_elements, NULL, any);
	REFUSES(doca_buf_pool_get_num_elements, pool, NULL);
	REFUSES(doca_buf_pool_get_num_free_elements, NULL, any);
	REFUSES(doca_buf_pool_get_num_free_elements, pool, NULL);
	REFUSES(doca_buf_pool_get_user_data, NULL, any);
	REFUSES(doca_buf_pool_get_user_data, pool, NULL);
	REFUSES(doca_buf_pool_get_element_alignment, NULL, any);
	REFUSES(doca_buf_pool_get_element_alignment, pool, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lives_refuse_NULL),        TEST(locations_refuse_NULL),
		TEST(capabilities_refuse_NULL), TEST(exports_refuse_NULL),
		TEST(calls_refuse_NULL),        TEST(get_and_set_tasks_refuse_NULL),
		TEST(add_tasks_refuse_NULL),    TEST(wait_tasks_refuse_NULL),
		TEST(pools_refuse_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
