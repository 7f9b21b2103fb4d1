/* SPDX-License-Identifier: BSD-3-Clause */
/* UROM's services, workers and tasks refuse each NULL that they cannot do with. */
#include <doca_dev.h>
#include <doca_urom.h>

#include "fixture.h"
#include "null_arguments.h"

#define PLUGIN 1u

/* Good objects; what only a daemon gives, such as tasks, is in any, where outputs go too. */
static struct doca_dev *dev;
static struct doca_urom_service *service;
static struct doca_urom_worker *worker;
static doca_cpu_set_t cpus;
static _Alignas(16) char any_bytes[256];
static void *const any = any_bytes;

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
}

static void on_command(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
}

static int group_setup(void **state)
{
	(void)state;
	dev = fixture_dev_open();
	assert_success(doca_urom_service_create(&service));
	assert_success(doca_urom_worker_create(&worker));
	DOCA_CPU_ZERO(&cpus);
	DOCA_CPU_SET(0, &cpus);
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	assert_success(doca_urom_worker_destroy(worker));
	assert_success(doca_urom_service_destroy(service));
	assert_success(doca_dev_close(dev));
	return 0;
}

static void services_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_urom_service_create, NULL);
	REFUSES(doca_urom_service_destroy, NULL);
	REFUSES(doca_urom_service_set_max_comm_msg_size, NULL, 4096);
	REFUSES(doca_urom_service_set_max_workers, NULL, 4);
	REFUSES(doca_urom_service_set_dev, NULL, dev);
	REFUSES(doca_urom_service_set_dev, service, NULL);
	RETURNS_ZERO(doca_urom_service_as_ctx, NULL);
	REFUSES(doca_urom_service_get_plugins_list, NULL, any, any);
	REFUSES(doca_urom_service_get_plugins_list, service, NULL, any);
	REFUSES(doca_urom_service_get_plugins_list, service, any, NULL);
	REFUSES(doca_urom_service_get_cpuset, NULL, any);
	REFUSES(doca_urom_service_get_cpuset, service, NULL);
}

/* Tasks with their values are made of those without. */
#define GROUP_PART   "doca_urom_service_get_workers_by_gid_task_allocate"
#define COMMAND_PART "doca_urom_worker_cmd_task_allocate"

static void group_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_urom_service_get_workers_by_gid_task_allocate, NULL, any);
	REFUSES(doca_urom_service_get_workers_by_gid_task_allocate, service, NULL);
	REFUSES_AS(GROUP_PART, doca_urom_service_get_workers_by_gid_task_allocate_init, NULL, 1,
		   on_group, any);
	REFUSES(doca_urom_service_get_workers_by_gid_task_allocate_init, service, 1, NULL, any);
	REFUSES_AS(GROUP_PART, doca_urom_service_get_workers_by_gid_task_allocate_init, service, 1,
		   on_group, NULL);
	REFUSES(doca_urom_service_get_workers_by_gid_task_release, NULL);
	DOES_NOTHING(doca_urom_service_get_workers_by_gid_task_set_gid, NULL, 1);
	DOES_NOTHING(doca_urom_service_get_workers_by_gid_task_set_cb, NULL, on_group);
	DOES_NOTHING(doca_urom_service_get_workers_by_gid_task_set_cb, any, NULL);
	RETURNS_ZERO(doca_urom_service_get_workers_by_gid_task_as_task, NULL);
	RETURNS_ZERO(doca_urom_service_get_workers_by_gid_task_get_workers_count, NULL);
	RETURNS_ZERO(doca_urom_service_get_workers_by_gid_task_get_worker_ids, NULL);
}

static void workers_refuse_NULL(void **state)
{
	static char entry[] = "NAME=value";
	char *const env[] = { entry };

	(void)state;
	REFUSES(doca_urom_worker_create, NULL);
	REFUSES(doca_urom_worker_destroy, NULL);
	REFUSES(doca_urom_worker_set_service, NULL, service);
	REFUSES(doca_urom_worker_set_service, worker, NULL);
	REFUSES(doca_urom_worker_set_id, NULL, 1);
	REFUSES(doca_urom_worker_set_plugins, NULL, PLUGIN);
	REFUSES(doca_urom_worker_set_cpuset, NULL, cpus);
	REFUSES(doca_urom_worker_set_gid, NULL, 1);
	REFUSES(doca_urom_worker_set_max_inflight_tasks, NULL, 1);
	REFUSES(doca_urom_worker_set_env, NULL, env, 1);
	REFUSES(doca_urom_worker_set_env, worker, NULL, 1);
	REFUSES(doca_urom_worker_get_id, NULL, any);
	REFUSES(doca_urom_worker_get_id, worker, NULL);
	REFUSES(doca_urom_worker_get_gid, NULL, any);
	REFUSES(doca_urom_worker_get_gid, worker, NULL);
	RETURNS_ZERO(doca_urom_worker_as_ctx, NULL);
}

static void command_tasks_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_urom_worker_cmd_task_allocate, NULL, any);
	REFUSES(doca_urom_worker_cmd_task_allocate, worker, NULL);
	REFUSES_AS(COMMAND_PART, doca_urom_worker_cmd_task_allocate_init, NULL, PLUGIN, any);
	REFUSES_AS(COMMAND_PART, doca_urom_worker_cmd_task_allocate_init, worker, PLUGIN, NULL);
	REFUSES(doca_urom_worker_cmd_task_release, NULL);
	DOES_NOTHING(doca_urom_worker_cmd_task_set_plugin, NULL, PLUGIN);
	DOES_NOTHING(doca_urom_worker_cmd_task_set_cb, NULL, on_command);
	DOES_NOTHING(doca_urom_worker_cmd_task_set_cb, any, NULL);
	RETURNS_ZERO(doca_urom_worker_cmd_task_get_payload, NULL);
	RETURNS_ZERO(doca_urom_worker_cmd_task_get_response, NULL);
	RETURNS_ZERO(doca_urom_worker_cmd_task_get_user_data, NULL);
	RETURNS_ZERO(doca_urom_worker_cmd_task_as_task, NULL);
}

/* The context has no lookups at all, which none of these may notice. */
static void lookups_in_domains_refuse_NULL(void **state)
{
	struct urom_worker_ctx ctx = { .plugin_ctx = NULL };

	(void)state;
	REFUSES_SILENTLY(doca_urom_worker_domain_addr_lookup, NULL, 1, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_addr_lookup, &ctx, 1, NULL);
	REFUSES_SILENTLY(doca_urom_worker_domain_seg_lookup, NULL, 1, 0, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_seg_lookup, &ctx, 1, 0, NULL);
	REFUSES_SILENTLY(doca_urom_worker_domain_memh_lookup, NULL, 1, 0, any, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_memh_lookup, &ctx, 1, 0, NULL, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_memh_lookup, &ctx, 1, 0, any, NULL);
	REFUSES_SILENTLY(doca_urom_worker_domain_mkey_lookup, NULL, 1, 0, any, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_mkey_lookup, &ctx, 1, 0, NULL, any);
	REFUSES_SILENTLY(doca_urom_worker_domain_mkey_lookup, &ctx, 1, 0, any, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(services_refuse_NULL),
		TEST(group_tasks_refuse_NULL),
		TEST(workers_refuse_NULL),
		TEST(command_tasks_refuse_NULL),
		TEST(lookups_in_domains_refuse_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
