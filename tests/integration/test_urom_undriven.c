/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers whose service nobody drives: their own engine keeps their deadlines. */
#include "fixture.h"
#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MAX_WAIT_NS      UINT64_C(14000000000)
#define MIN_START_NS     UINT64_C(9500000000)
#define MIN_STOP_NS      UINT64_C(6500000000)
#define WORKER_ID        3
#define PATIENCE_TURN_NS UINT64_C(20000000000)

/* One host has the service, the other a worker of it; each has an engine. */
struct pair {
	struct urom_host driver;
	struct urom_host own;
	struct doca_urom_worker *worker;
	struct doca_ctx *ctx; /* the worker's */
};

static void begin(struct pair *pair)
{
	urom_host_init_running(&pair->driver);
	urom_host_init_bare(&pair->own);
	pair->worker = urom_host_worker_of(&pair->own, pair->driver.service, WORKER_ID,
					   urom_host_plugin(&pair->driver));
	pair->ctx = doca_urom_worker_as_ctx(pair->worker);
}

static void end(struct pair *pair)
{
	urom_host_fini(&pair->own);
	urom_host_fini(&pair->driver);
}

/* Drives the worker's engine alone until it is IDLE. Returns: how long that took. */
static uint64_t drive_to_idle(struct pair *pair)
{
	const uint64_t first = test_now_ns();

	while (urom_host_state(pair->ctx) != DOCA_CTX_STATE_IDLE) {
		assert_true(test_now_ns() < first + MAX_WAIT_NS);
		(void)fixture_turn(pair->own.pe);
	}
	return test_now_ns() - first;
}

static void start_ends_within_10_s(void **state)
{
	struct pair pair;
	uint64_t took_ns;

	(void)state;
	begin(&pair);
	assert_error(doca_ctx_start(pair.ctx), DOCA_ERROR_IN_PROGRESS);
	took_ns = drive_to_idle(&pair);
	assert_in_range(took_ns, MIN_START_NS, MAX_WAIT_NS);
	assert_heard(&pair.own.heard, "idle>starting starting>idle");
	test_take_log("is the service's engine driven?");
	end(&pair);
}

static void drive_both_to_running(struct pair *pair)
{
	const uint64_t last = test_now_ns() + PATIENCE_TURN_NS;

	assert_error(doca_ctx_start(pair->ctx), DOCA_ERROR_IN_PROGRESS);
	while (urom_host_state(pair->ctx) != DOCA_CTX_STATE_RUNNING) {
		assert_true(test_now_ns() < last);
		(void)doca_pe_progress(pair->driver.pe);
		(void)fixture_turn(pair->own.pe);
	}
	assert_heard(&pair->own.heard, UROM_WORKER_STARTS);
}

static void stop_ends_within_10_s(void **state)
{
	struct pair pair;
	uint64_t took_ns;

	begin(&pair);
	drive_both_to_running(&pair);
	assert_error(doca_ctx_stop(pair.ctx), DOCA_ERROR_IN_PROGRESS);
	took_ns = drive_to_idle(&pair);
	assert_in_range(took_ns, MIN_STOP_NS, MAX_WAIT_NS);
	assert_heard(&pair.own.heard, UROM_WORKER_STOPS);
	test_take_log("does not confirm its end; is the service's engine driven?");
	end(&pair);
	urom_rig_wait_workers(*state, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(start_ends_within_10_s),
		UROM_TEST(stop_ends_within_10_s),
	};

	return cmocka_run_group_tests_name("urom_undriven", tests, NULL, NULL);
}
