/* SPDX-License-Identifier: BSD-3-Clause */
/* A service against a real daemon: its life, its settings, what it offers. */
#include <string.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NO_GROUP   UINT32_C(4711)
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* --- life --- */

/* trap 9 */
static void start_is_over_when_it_returns(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init(&host);

	assert_success(doca_ctx_start(host.service_ctx));

	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_RUNNING);
	assert_heard(&host.heard, "idle>running");
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(doca_pe_progress(host.pe), 0);
	urom_host_fini(&host);
}

/* trap 7 */
static void stop_is_over_when_it_returns_and_destroy_needs_no_progress(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);

	assert_success(doca_ctx_stop(host.service_ctx));

	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
	assert_heard(&host.heard, "running>stopping stopping>idle");
	assert_success(doca_urom_service_destroy(host.service));
	host.service = NULL;
	urom_host_fini(&host);
}

/* trap 10 */
static void idle_service_on_an_engine_can_be_destroyed(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init(&host);

	assert_success(doca_urom_service_destroy(host.service));

	host.service = NULL;
	assert_success(doca_pe_destroy(host.pe));
	assert_success(doca_dev_close(host.dev));
}

static void stopped_service_can_be_started_again(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	for (unsigned int i = 0; i < 3; i++) {
		urom_host_stop(&host);
		urom_host_start(&host);
	}
	(void)urom_host_plugin(&host);
	urom_host_fini(&host);
}

/* trap 11 */
static void start_wants_an_idle_service_a_device_and_an_engine(void **state)
{
	struct doca_urom_service *service;
	struct urom_host host;
	struct doca_ctx *ctx;

	(void)state;
	urom_host_init_running(&host);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_BAD_STATE, "only when idle");
	assert_success(doca_urom_service_create(&service));
	ctx = doca_urom_service_as_ctx(service);

	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED, "no progress engine");
	assert_success(doca_pe_connect_ctx(host.pe, ctx));
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_INVALID_VALUE, "set_dev");
	assert_success(doca_ctx_stop(ctx));

	assert_success(doca_urom_service_destroy(service));
	urom_host_fini(&host);
}

static void running_service_is_not_destroyed(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	assert_refused(doca_urom_service_destroy(host.service), DOCA_ERROR_NOT_PERMITTED, "");
	(void)urom_host_plugin(&host);
	urom_host_fini(&host);
}

/* trap 13 */
static void service_with_a_worker_that_is_not_idle_does_not_stop(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 1);

	assert_refused(doca_ctx_stop(host.service_ctx), DOCA_ERROR_IN_USE, "1 worker");

	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_RUNNING);
	urom_host_check_echo(&host, worker);
	urom_host_stop_worker(&host, worker);
	urom_host_stop(&host);
	assert_refused(doca_urom_service_destroy(host.service), DOCA_ERROR_IN_USE, "worker");
	urom_host_destroy_worker(&host, worker);
	urom_host_fini(&host);
}

/* --- settings --- */

static doca_error_t set_dev(struct urom_host *host, struct doca_urom_service *service)
{
	return doca_urom_service_set_dev(service, host->dev);
}

static doca_error_t set_max_workers(struct urom_host *host, struct doca_urom_service *service)
{
	(void)host;
	return doca_urom_service_set_max_workers(service, 4);
}

static doca_error_t set_msg_size(struct urom_host *host, struct doca_urom_service *service)
{
	(void)host;
	return doca_urom_service_set_max_comm_msg_size(service, 2048);
}

/* traps 11, 36 */
static void setters_want_a_service_that_is_idle(void **state)
{
	static doca_error_t (*const setters[])(struct urom_host *, struct doca_urom_service *) = {
		set_dev,
		set_max_workers,
		set_msg_size,
	};
	struct urom_host host;

	(void)state;
	urom_host_init(&host);
	for (size_t i = 0; i < LEN(setters); i++) {
		assert_refused(setters[i](&host, NULL), DOCA_ERROR_INVALID_VALUE, "");
		assert_success(setters[i](&host, host.service));
	}
	urom_host_start(&host);
	for (size_t i = 0; i < LEN(setters); i++)
		assert_refused(setters[i](&host, host.service), DOCA_ERROR_BAD_STATE, "");
	urom_host_stop(&host);
	for (size_t i = 0; i < LEN(setters); i++)
		assert_success(setters[i](&host, host.service));
	urom_host_fini(&host);
}

/* trap 36 */
static void values_out_of_range_are_refused(void **state)
{
	static const uint32_t bad_counts[] = { 0, 3, 5, 33, UINT32_MAX };
	static const size_t bad_sizes[] = { 0, 127, (16u << 20) + 1, SIZE_MAX };
	struct urom_host host;

	(void)state;
	urom_host_init(&host);
	for (size_t i = 0; i < LEN(bad_counts); i++)
		assert_refused(doca_urom_service_set_max_workers(host.service, bad_counts[i]),
			       DOCA_ERROR_INVALID_VALUE, "");
	for (size_t i = 0; i < LEN(bad_sizes); i++)
		assert_refused(doca_urom_service_set_max_comm_msg_size(host.service, bad_sizes[i]),
			       DOCA_ERROR_INVALID_VALUE, "");
	assert_refused(doca_urom_service_set_dev(host.service, NULL), DOCA_ERROR_INVALID_VALUE, "");
	assert_success(doca_urom_service_set_max_workers(host.service, 1));
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 128));
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 16u << 20));
	urom_host_fini(&host);
}

/* trap 53 */
static void message_limit_above_the_daemons_is_refused(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init(&host);
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 4097));
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_INVALID_VALUE, "4096");
	urom_logs_take_all(&rig->logs, "4097");

	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 4096));
	urom_host_start(&host);
	urom_host_stop(&host);
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 1024));
	urom_host_start(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
}

/* --- what it offers --- */

static void plugins_have_name_version_and_one_bit(void **state)
{
	const struct doca_urom_service_plugin_info *plugins;
	struct urom_host host;
	size_t count;

	(void)state;
	urom_host_init_running(&host);
	assert_success(doca_urom_service_get_plugins_list(host.service, &plugins, &count));
	assert_int_equal(count, 1);
	assert_string_equal(plugins[0].plugin_name, UROM_RIG_PLUGIN);
	assert_int_equal(plugins[0].version, UROM_TEST_VERSION);
	assert_true(plugins[0].id != 0 && (plugins[0].id & (plugins[0].id - 1)) == 0);
	urom_host_fini(&host);
}

/* trap 12 */
static void list_of_plugins_stays_where_it_is(void **state)
{
	const struct doca_urom_service_plugin_info *first, *again;
	struct doca_urom_service_plugin_info copy;
	struct doca_urom_worker *worker;
	struct urom_host host;
	size_t count;

	(void)state;
	urom_host_init_running(&host);
	assert_success(doca_urom_service_get_plugins_list(host.service, &first, &count));
	copy = first[0];
	for (unsigned int i = 0; i < 2; i++) {
		worker = urom_host_run_worker(&host, DOCA_UROM_WORKER_ID_ANY);
		urom_host_check_echo(&host, worker);

		assert_success(doca_urom_service_get_plugins_list(host.service, &again, &count));
		assert_ptr_equal(again, first);
		assert_memory_equal(first, &copy, sizeof(copy));
	}
	urom_host_fini(&host);
}

static void what_it_offers_is_known_while_it_runs(void **state)
{
	const struct doca_urom_service_plugin_info *plugins;
	struct doca_urom_service_get_workers_by_gid_task *task;
	struct urom_host host;
	doca_cpu_set_t cpus;
	size_t count;

	(void)state;
	urom_host_init(&host);
	for (unsigned int i = 0; i < 2; i++) {
		assert_refused(doca_urom_service_get_plugins_list(host.service, &plugins, &count),
			       DOCA_ERROR_BAD_STATE, "");
		assert_refused(doca_urom_service_get_cpuset(host.service, &cpus),
			       DOCA_ERROR_BAD_STATE, "");
		assert_refused(
		    doca_urom_service_get_workers_by_gid_task_allocate(host.service, &task),
		    DOCA_ERROR_BAD_STATE, "");
		urom_host_start(&host);
		assert_success(doca_urom_service_get_cpuset(host.service, &cpus));
		urom_host_stop(&host);
	}
	urom_host_fini(&host);
}

static void service_without_plugins_runs(void **state)
{
	static const char *const none[] = { NULL };
	static const struct urom_rig_options options = { .plugins = none };
	const struct doca_urom_service_plugin_info *plugins;
	struct urom_host host;
	struct urom_rig rig;
	size_t count;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	assert_error(doca_urom_service_get_plugins_list(host.service, &plugins, &count),
		     DOCA_ERROR_NOT_FOUND);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(start_is_over_when_it_returns),
		UROM_TEST(stop_is_over_when_it_returns_and_destroy_needs_no_progress),
		UROM_TEST(idle_service_on_an_engine_can_be_destroyed),
		UROM_TEST(stopped_service_can_be_started_again),
		UROM_TEST(start_wants_an_idle_service_a_device_and_an_engine),
		UROM_TEST(running_service_is_not_destroyed),
		UROM_TEST(service_with_a_worker_that_is_not_idle_does_not_stop),
		UROM_TEST(setters_want_a_service_that_is_idle),
		UROM_TEST(values_out_of_range_are_refused),
		UROM_TEST(message_limit_above_the_daemons_is_refused),
		UROM_TEST(plugins_have_name_version_and_one_bit),
		UROM_TEST(list_of_plugins_stays_where_it_is),
		UROM_TEST(what_it_offers_is_known_while_it_runs),
		TEST(service_without_plugins_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
