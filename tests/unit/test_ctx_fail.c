/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that stop by themselves. */
#include "probe_rig.h"

static void context_that_fails_moves_in_progress(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);

	core_ctx_fail(rig->ctx);

	assert_heard(&rig->heard, "");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_RUNNING);
	assert_hears(&rig->heard, rig->pe, "running>stopping stopping>idle");
	assert_int_equal(rig->probe->num_stops, 1);
}

static void failure_is_heard_after_what_had_completed(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 4);
	probe_complete(rig->probe, DOCA_SUCCESS);
	core_ctx_fail(rig->ctx);
	probe_complete(rig->probe, DOCA_ERROR_TOO_BIG);

	assert_hears(&rig->heard, rig->pe,
		     "ok(1) TOO_BIG(2) running>stopping IO_FAILED(3) IO_FAILED(4) stopping>idle");
}

static void failing_twice_is_one_move(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);

	core_ctx_fail(rig->ctx);
	core_ctx_fail(rig->ctx);

	assert_hears(&rig->heard, rig->pe, "running>stopping stopping>idle");
	core_ctx_fail(rig->ctx);
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_int_equal(rig->probe->num_stops, 1);
}

static void failure_while_stopping_is_ignored(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	core_ctx_fail(rig->ctx);

	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_int_equal(rig->probe->num_stops, 1);
	assert_heard(&rig->heard, "running>stopping");
}

/* The kind is up and fails again before the application has driven the engine once. */
static void failure_before_running_was_heard_is_not_lost(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	core_ctx_started(rig->ctx);

	core_ctx_fail(rig->ctx);

	assert_hears(&rig->heard, rig->pe, "starting>stopping stopping>idle");
	assert_int_equal(rig->probe->num_stops, 1);
}

static void stop_overtakes_a_failure(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	core_ctx_fail(rig->ctx);

	assert_success(doca_ctx_stop(rig->ctx));

	assert_heard(&rig->heard, "running>stopping stopping>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_int_equal(rig->probe->num_stops, 1);
}

static void overtaken_failure_leaves_nothing_to_do(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task;

	probe_rig_start(rig);
	task = probe_rig_alloc(rig, 1);
	core_ctx_fail(rig->ctx);

	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&rig->heard, "running>stopping");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	doca_task_free(task);
	assert_hears(&rig->heard, rig->pe, "stopping>idle");
}

static void overtaken_failure_wakes_nobody(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	core_ctx_fail(rig->ctx);
	assert_success(doca_ctx_stop(rig->ctx));

	probe_rig_arm(rig);

	assert_false(probe_rig_is_readable(rig, 0));
	assert_heard(&rig->heard, "running>stopping stopping>idle");
}

static void stop_overtakes_a_failure_behind_completed_tasks(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 2);
	probe_complete(rig->probe, DOCA_SUCCESS);
	core_ctx_fail(rig->ctx);

	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&rig->heard, rig->pe, "running>stopping ok(1) IO_FAILED(2) stopping>idle");
	assert_int_equal(rig->probe->num_stops, 1);
}

static void failure_whose_stop_is_refused_is_no_progress(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_USE;

	core_ctx_fail(rig->ctx);

	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_heard(&rig->heard, "");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_RUNNING);
}

/* A kind whose peer is there and gone again before its start returns. */
static doca_error_t start_and_fail(struct doca_ctx *ctx)
{
	core_ctx_started(ctx);
	core_ctx_fail(ctx);
	core_ctx_started(ctx); /* too late: it is ending */
	return DOCA_ERROR_IN_PROGRESS;
}

static void failure_inside_start_is_not_lost(void **state)
{
	struct probe_rig *rig = *state;

	rig->ops.start = start_and_fail;

	assert_error(doca_ctx_start(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&rig->heard, "idle>starting");
	assert_hears(&rig->heard, rig->pe, "starting>stopping stopping>idle");
}

static void context_can_be_started_again_after_a_failure(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	core_ctx_fail(rig->ctx);
	assert_hears(&rig->heard, rig->pe, "running>stopping stopping>idle");

	probe_rig_start(rig);

	assert_int_equal(doca_pe_progress(rig->pe), 0);
	probe_rig_submit(rig, 1);
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(context_that_fails_moves_in_progress),
		PROBE_TEST(failure_is_heard_after_what_had_completed),
		PROBE_TEST(failing_twice_is_one_move),
		PROBE_TEST(failure_while_stopping_is_ignored),
		PROBE_TEST(failure_before_running_was_heard_is_not_lost),
		PROBE_TEST(stop_overtakes_a_failure),
		PROBE_TEST(overtaken_failure_leaves_nothing_to_do),
		PROBE_TEST(overtaken_failure_wakes_nobody),
		PROBE_TEST(stop_overtakes_a_failure_behind_completed_tasks),
		PROBE_TEST(failure_whose_stop_is_refused_is_no_progress),
		PROBE_TEST(failure_inside_start_is_not_lost),
		PROBE_TEST(context_can_be_started_again_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
