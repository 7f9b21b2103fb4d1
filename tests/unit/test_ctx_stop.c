/* SPDX-License-Identifier: BSD-3-Clause */
/* How a context comes to rest: stops that take long, are refused, or wait for tasks. */
#include "probe_rig.h"

static void refused_stop_leaves_the_context_running(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_USE;

	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_USE);

	assert_heard(&rig->heard, "");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_RUNNING);
	probe_rig_submit(rig, 1);
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
}

static void refused_stop_leaves_the_context_starting(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	core_ctx_started(rig->ctx);
	rig->probe->stop_result = DOCA_ERROR_IN_USE;

	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_USE);

	assert_hears(&rig->heard, rig->pe, "starting>running");
}

static void stop_waits_until_the_kind_has_closed(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "running>stopping");
	assert_int_equal(doca_pe_progress(rig->pe), 0);

	core_ctx_closed(rig->ctx);

	assert_heard(&rig->heard, "");
	assert_hears(&rig->heard, rig->pe, "stopping>idle");
}

static void stopping_context_is_driven(void **state)
{
	struct probe_rig *rig = *state;
	unsigned int before;

	probe_rig_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	before = rig->probe->num_progresses;

	(void)doca_pe_progress(rig->pe);

	assert_int_equal(rig->probe->num_progresses, before + 1);
	assert_heard(&rig->heard, "running>stopping");
}

static void idle_context_is_not_driven(void **state)
{
	struct probe_rig *rig = *state;

	(void)doca_pe_progress(rig->pe);
	assert_int_equal(rig->probe->num_progresses, 0);
	probe_rig_start(rig);
	assert_success(doca_ctx_stop(rig->ctx));

	(void)doca_pe_progress(rig->pe);

	assert_int_equal(rig->probe->num_progresses, 0);
	assert_heard(&rig->heard, "running>stopping stopping>idle");
}

/* A kind that closes before its stop returns, and does not know yet when it says so. */
static doca_error_t close_and_stop(struct doca_ctx *ctx)
{
	core_ctx_closed(ctx);
	return DOCA_ERROR_IN_PROGRESS;
}

static void kind_may_close_inside_its_stop(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->ops.stop = close_and_stop;

	assert_success(doca_ctx_stop(rig->ctx));

	assert_heard(&rig->heard, "running>stopping stopping>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void idle_is_heard_after_the_last_flush(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 2);
	rig->probe->keeps_tasks = true;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "running>stopping");
	probe_complete(rig->probe, DOCA_ERROR_SHUTDOWN);
	assert_hears(&rig->heard, rig->pe, "SHUTDOWN(1)");
	assert_int_equal(doca_pe_progress(rig->pe), 0);

	probe_complete(rig->probe, DOCA_SUCCESS);

	assert_hears(&rig->heard, rig->pe, "ok(2) stopping>idle");
}

static void free_both(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;

	doca_task_free(rig->tasks[0]);
	doca_task_free(rig->tasks[1]);
}

static void tasks_freed_in_the_stopping_callback_do_not_hold_it(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->tasks[0] = probe_rig_alloc(rig, 1);
	rig->tasks[1] = probe_rig_alloc(rig, 2);
	rig->heard.on_state[DOCA_CTX_STATE_STOPPING] = free_both;

	assert_success(doca_ctx_stop(rig->ctx));

	assert_heard(&rig->heard, "running>stopping stopping>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void free_all(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;

	doca_task_free(heard->task);
	doca_task_free(rig->tasks[7]);
}

static void task_freed_in_another_tasks_callback_ends_stopping_later(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->tasks[7] = probe_rig_alloc(rig, 8);
	probe_rig_submit(rig, 1);
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	rig->heard.on_task = free_all;

	assert_hears(&rig->heard, rig->pe, "running>stopping IO_FAILED(1)");

	assert_hears(&rig->heard, rig->pe, "stopping>idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(refused_stop_leaves_the_context_running),
		PROBE_TEST(refused_stop_leaves_the_context_starting),
		PROBE_TEST(stop_waits_until_the_kind_has_closed),
		PROBE_TEST(stopping_context_is_driven),
		PROBE_TEST(idle_context_is_not_driven),
		PROBE_TEST(kind_may_close_inside_its_stop),
		PROBE_TEST_FREEING(idle_is_heard_after_the_last_flush),
		PROBE_TEST(tasks_freed_in_the_stopping_callback_do_not_hold_it),
		PROBE_TEST(task_freed_in_another_tasks_callback_ends_stopping_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
