/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's life: what start, stop and progress say, and when its settings may change. */
#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define PATIENCE_NS       UINT64_C(20000000000)
#define NUM_BITS_TOO_MANY (UINT64_C(1) << 62)
#define LEN(array)        (sizeof(array) / sizeof((array)[0]))

/* --- start and stop --- */

/* traps 5, 9 */
static void start_is_in_progress_and_running_is_one_event(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 3);

	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);

	assert_int_equal(urom_host_worker_state(worker), DOCA_CTX_STATE_STARTING);
	assert_heard(&host.heard, "idle>starting");
	assert_hears(&host.heard, host.pe, "starting>running");
	assert_int_equal(urom_host_worker_state(worker), DOCA_CTX_STATE_RUNNING);
	for (unsigned int i = 0; i < 10000; i++)
		assert_int_equal(doca_pe_progress(host.pe), 0);
	urom_host_fini(&host);
}

/* traps 5, 6 */
static void stop_is_in_progress_and_idle_is_one_event(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);

	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);

	assert_int_equal(urom_host_worker_state(worker), DOCA_CTX_STATE_STOPPING);
	assert_heard(&host.heard, "running>stopping");
	assert_hears(&host.heard, host.pe, "stopping>idle");
	assert_success(doca_ctx_stop(doca_urom_worker_as_ctx(worker)));
	urom_host_destroy_worker(&host, worker);
	urom_rig_wait_workers(rig, 0);
	urom_host_fini(&host);
}

/* trap 10 */
static void idle_worker_on_an_engine_can_be_destroyed(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	urom_host_destroy_worker(&host, urom_host_worker(&host, 3));
	urom_host_fini(&host);
}

static void worker_can_be_started_again(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 3);
	for (unsigned int i = 0; i < 3; i++) {
		urom_host_start_worker(&host, worker);
		urom_host_check_echo(&host, worker);
		urom_host_stop_worker(&host, worker);
	}
	urom_host_fini(&host);
}

/* Drives the host's engine, which has nothing to tell, until the daemon has so many workers. */
static void drive_to_workers(struct urom_rig *rig, struct urom_host *host, size_t count)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	pid_t pids[UROM_PROCS_MAX];

	while (urom_procs_children(rig->daemon, UROM_RIG_WORKER, pids) != count) {
		assert_true(test_now_ns() < end);
		assert_int_equal(doca_pe_progress(host->pe), 0);
	}
}

static void start_can_be_broken_off(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct doca_ctx *ctx;

	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 3);
	ctx = doca_urom_worker_as_ctx(worker);
	for (size_t num_workers = 0; num_workers < 2; num_workers++) {
		assert_error(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
		if (num_workers > 0) {
			assert_int_equal(doca_pe_progress(host.pe), 0); /* asks the daemon */
			urom_rig_wait_workers(rig, num_workers);
		}
		assert_error(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
		assert_hears(&host.heard, host.pe, "idle>starting starting>stopping stopping>idle");
		/* One that was asked for is stopped when it has come. */
		drive_to_workers(rig, &host, 0);
	}
	urom_host_start_worker(&host, worker);
	urom_host_fini(&host);
}

/* trap 9 */
static void start_wants_a_running_service_and_plugins(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct doca_ctx *ctx;

	(void)state;
	urom_host_init(&host);
	assert_success(doca_urom_worker_create(&worker));
	ctx = doca_urom_worker_as_ctx(worker);
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED, "no progress engine");
	assert_success(doca_pe_connect_ctx(host.pe, ctx));
	assert_success(doca_urom_worker_set_plugins(worker, 1));
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_INVALID_VALUE, "service");
	assert_success(doca_urom_worker_set_service(worker, host.service));
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE, "service");
	assert_int_equal(urom_host_state(ctx), DOCA_CTX_STATE_IDLE);
	assert_success(doca_urom_worker_destroy(worker));

	urom_host_start(&host);
	assert_success(doca_urom_worker_create(&worker));
	ctx = doca_urom_worker_as_ctx(worker);
	assert_success(doca_pe_connect_ctx(host.pe, ctx));
	assert_success(doca_urom_worker_set_service(worker, host.service));
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_INVALID_VALUE, "plugin");
	assert_success(doca_urom_worker_destroy(worker));
	assert_heard(&host.heard, "");
	urom_host_fini(&host);
}

/* trap 36 */
static void more_workers_than_the_service_may_have_are_refused(void **state)
{
	struct doca_urom_worker *fifth;
	struct urom_host host;

	(void)state;
	urom_host_init(&host);
	assert_success(doca_urom_service_set_max_workers(host.service, 4));
	urom_host_start(&host);
	for (uint64_t id = 0; id < 4; id++)
		(void)urom_host_run_worker(&host, id);
	fifth = urom_host_worker(&host, 4);

	assert_refused(doca_ctx_start(doca_urom_worker_as_ctx(fifth)), DOCA_ERROR_FULL, "4");

	assert_heard(&host.heard, "");
	urom_host_stop_worker(&host, host.workers[0]);
	urom_host_start_worker(&host, fifth);
	urom_host_fini(&host);
}

/* --- settings --- */

static doca_error_t set_service(struct urom_host *host, struct doca_urom_worker *worker)
{
	return doca_urom_worker_set_service(worker, host->service);
}

static doca_error_t set_id(struct urom_host *host, struct doca_urom_worker *worker)
{
	(void)host;
	return doca_urom_worker_set_id(worker, 3);
}

static doca_error_t set_plugins(struct urom_host *host, struct doca_urom_worker *worker)
{
	return doca_urom_worker_set_plugins(worker, urom_host_plugin(host));
}

static doca_error_t set_cpuset(struct urom_host *host, struct doca_urom_worker *worker)
{
	doca_cpu_set_t cpus;

	assert_success(doca_urom_service_get_cpuset(host->service, &cpus));
	return doca_urom_worker_set_cpuset(worker, cpus);
}

static doca_error_t set_gid(struct urom_host *host, struct doca_urom_worker *worker)
{
	(void)host;
	return doca_urom_worker_set_gid(worker, 5);
}

static doca_error_t set_max_inflight(struct urom_host *host, struct doca_urom_worker *worker)
{
	(void)host;
	return doca_urom_worker_set_max_inflight_tasks(worker, 8);
}

static doca_error_t set_env(struct urom_host *host, struct doca_urom_worker *worker)
{
	char text[] = "WHO=cares", *const env[] = { text };

	(void)host;
	return doca_urom_worker_set_env(worker, env, 1);
}

static doca_error_t (*const setters[])(struct urom_host *, struct doca_urom_worker *) = {
	set_service, set_id, set_plugins, set_cpuset, set_gid, set_max_inflight, set_env,
};

static void check_setters_are_refused(struct urom_host *host, struct doca_urom_worker *worker)
{
	for (size_t i = 0; i < LEN(setters); i++)
		assert_refused(setters[i](host, worker), DOCA_ERROR_BAD_STATE, "");
}

/* trap 11 */
static void setters_want_a_worker_that_is_idle(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct doca_ctx *ctx;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 3);
	ctx = doca_urom_worker_as_ctx(worker);
	for (size_t i = 0; i < LEN(setters); i++) {
		assert_refused(setters[i](&host, NULL), DOCA_ERROR_INVALID_VALUE, "");
		assert_success(setters[i](&host, worker));
		assert_success(setters[i](&host, worker));
	}
	assert_error(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	check_setters_are_refused(&host, worker);
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE, "only when idle");
	assert_refused(doca_urom_worker_destroy(worker), DOCA_ERROR_IN_USE, "");
	assert_hears(&host.heard, host.pe, UROM_WORKER_STARTS);

	check_setters_are_refused(&host, worker);
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE, "only when idle");
	assert_refused(doca_urom_worker_destroy(worker), DOCA_ERROR_IN_USE, "");

	assert_error(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
	check_setters_are_refused(&host, worker);
	assert_refused(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE, "only when idle");
	assert_refused(doca_urom_worker_destroy(worker), DOCA_ERROR_IN_USE, "");
	assert_error(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&host.heard, host.pe, UROM_WORKER_STOPS);

	for (size_t i = 0; i < LEN(setters); i++)
		assert_success(setters[i](&host, worker));
	urom_host_fini(&host);
}

/* trap 36 */
static void values_out_of_range_are_refused(void **state)
{
	static const uint64_t bad_plugins[] = { 0, NUM_BITS_TOO_MANY, NUM_BITS_TOO_MANY << 1,
						NUM_BITS_TOO_MANY | 1 };
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 3);
	for (size_t i = 0; i < LEN(bad_plugins); i++)
		assert_refused(doca_urom_worker_set_plugins(worker, bad_plugins[i]),
			       DOCA_ERROR_INVALID_VALUE, "");
	assert_refused(doca_urom_worker_set_max_inflight_tasks(worker, 0), DOCA_ERROR_INVALID_VALUE,
		       "");
	assert_refused(doca_urom_worker_set_max_inflight_tasks(worker, 65537),
		       DOCA_ERROR_INVALID_VALUE, "");
	assert_success(doca_urom_worker_set_max_inflight_tasks(worker, 65536));
	assert_refused(doca_urom_worker_set_service(worker, NULL), DOCA_ERROR_INVALID_VALUE, "");
	urom_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(start_is_in_progress_and_running_is_one_event),
		UROM_TEST(stop_is_in_progress_and_idle_is_one_event),
		UROM_TEST(idle_worker_on_an_engine_can_be_destroyed),
		UROM_TEST(worker_can_be_started_again),
		UROM_TEST(start_can_be_broken_off),
		UROM_TEST(start_wants_a_running_service_and_plugins),
		UROM_TEST(more_workers_than_the_service_may_have_are_refused),
		UROM_TEST(setters_want_a_worker_that_is_idle),
		UROM_TEST(values_out_of_range_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
