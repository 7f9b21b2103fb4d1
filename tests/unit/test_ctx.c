/* SPDX-License-Identifier: BSD-3-Clause */
/* How a context comes to run, or does not: starts that end at once, later, badly or not at all. */
#include "fixture.h"
#include "probe_rig.h"

static void start_in_progress_leaves_the_context_starting(void **state)
{
	struct probe_rig *rig = *state;

	rig->probe->start_result = DOCA_ERROR_IN_PROGRESS;

	assert_error(doca_ctx_start(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&rig->heard, "idle>starting");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_STARTING);
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_heard(&rig->heard, "");
}

static void starting_context_is_driven(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);

	(void)doca_pe_progress(rig->pe);

	assert_int_equal(rig->probe->num_progresses, 1);
}

static void start_that_went_well_is_heard_in_progress(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);

	core_ctx_started(rig->ctx);

	assert_heard(&rig->heard, "");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_STARTING);
	assert_hears(&rig->heard, rig->pe, "starting>running");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void start_that_failed_goes_to_idle_in_one_progress(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);

	core_ctx_start_failed(rig->ctx);

	assert_heard(&rig->heard, "");
	assert_int_equal(doca_pe_progress(rig->pe), 1);
	assert_heard(&rig->heard, "starting>idle");
	assert_int_equal(rig->probe->num_stops, 0);
}

static void context_can_be_started_after_a_start_that_failed(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	core_ctx_start_failed(rig->ctx);
	assert_hears(&rig->heard, rig->pe, "starting>idle");

	probe_rig_start(rig);
}

static void failure_after_success_is_the_last_word(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);

	core_ctx_started(rig->ctx);
	core_ctx_start_failed(rig->ctx);

	assert_hears(&rig->heard, rig->pe, "starting>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void destroy(struct heard *heard)
{
	probe_rig_destroy_probe(heard->owner);
}

static void context_can_be_destroyed_when_its_start_has_failed(void **state)
{
	struct probe_rig *rig = *state;

	rig->heard.on_state[DOCA_CTX_STATE_IDLE] = destroy;
	probe_rig_begin_start(rig);
	core_ctx_start_failed(rig->ctx);

	assert_hears(&rig->heard, rig->pe, "starting>idle");

	assert_null(rig->probe);
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void refused_start_stays_idle_without_callback(void **state)
{
	static const doca_error_t errors[] = {
		DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_INITIALIZATION,
		DOCA_ERROR_BAD_CONFIG,    DOCA_ERROR_TIME_OUT,      DOCA_ERROR_AGAIN,
	};
	struct probe_rig *rig = *state;

	for (size_t i = 0; i < CORE_ARRAY_LEN(errors); i++) {
		rig->probe->start_result = errors[i];

		assert_error(doca_ctx_start(rig->ctx), errors[i]);

		assert_heard(&rig->heard, "");
		probe_rig_assert_state(rig, DOCA_CTX_STATE_IDLE);
	}
	probe_rig_start(rig);
}

static void start_is_not_asked_of_the_kind_without_an_engine(void **state)
{
	struct probe *probe = probe_create(false);

	(void)state;
	assert_refused(doca_ctx_start(probe_as_ctx(probe)), DOCA_ERROR_NOT_CONNECTED,
		       "no progress engine");

	assert_int_equal(probe->num_starts, 0);
	assert_success(probe_destroy(probe));
}

/* A kind whose asynchronous start is over before the call returns. */
static doca_error_t start_and_report(struct doca_ctx *ctx)
{
	core_ctx_started(ctx);
	return DOCA_ERROR_IN_PROGRESS;
}

static void start_that_is_over_at_once_still_passes_through_starting(void **state)
{
	struct probe_rig *rig = *state;

	rig->ops.start = start_and_report;

	assert_error(doca_ctx_start(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&rig->heard, "idle>starting");
	assert_hears(&rig->heard, rig->pe, "starting>running");
}

static void stop_overtakes_a_start_that_went_well(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	core_ctx_started(rig->ctx);

	assert_success(doca_ctx_stop(rig->ctx));

	assert_int_equal(rig->probe->num_stops, 1);
	assert_heard(&rig->heard, "starting>stopping stopping>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
	assert_heard(&rig->heard, "");
}

static void stop_overtakes_a_start_that_failed(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	core_ctx_start_failed(rig->ctx);

	assert_success(doca_ctx_stop(rig->ctx));

	assert_heard(&rig->heard, "starting>stopping stopping>idle");
	assert_int_equal(doca_pe_progress(rig->pe), 0);
}

static void reports_of_a_start_are_ignored_while_stopping(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_begin_start(rig);
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "starting>stopping");

	core_ctx_started(rig->ctx);
	core_ctx_start_failed(rig->ctx);

	assert_int_equal(doca_pe_progress(rig->pe), 0);
	core_ctx_closed(rig->ctx);
	assert_hears(&rig->heard, rig->pe, "stopping>idle");
}

static void stop_in_the_starting_callback_is_deferred(void **state)
{
	struct probe_rig *rig = *state;

	rig->probe->start_result = DOCA_ERROR_IN_PROGRESS;
	rig->heard.on_state[DOCA_CTX_STATE_STARTING] = heard_stop;

	assert_error(doca_ctx_start(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_int_equal(rig->heard.result, DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "idle>starting +starting>stopping");
	assert_hears(&rig->heard, rig->pe, "stopping>idle");
}

static void tasks_cannot_be_allocated_while_starting(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task = NULL;

	probe_rig_begin_start(rig);

	assert_refused(probe_task_alloc(rig->probe, (union doca_data){ .u64 = 0 }, &task),
		       DOCA_ERROR_BAD_STATE, "not running");

	assert_null(task);
}

static void memory_that_is_no_context_is_unexpected(void **state)
{
	struct doca_ctx ctx = { .ops = NULL };

	(void)state;
	assert_refused(doca_ctx_start(&ctx), DOCA_ERROR_UNEXPECTED, "not a context");
	assert_refused(doca_ctx_stop(&ctx), DOCA_ERROR_UNEXPECTED, "not a context");
}

static void device_has_one_completion_vector(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	uint32_t count = 0;

	(void)state;
	assert_success(doca_ctx_cap_get_num_completion_vectors(doca_dev_as_devinfo(dev), &count));

	assert_int_equal(count, 1);
	assert_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(start_in_progress_leaves_the_context_starting),
		PROBE_TEST(starting_context_is_driven),
		PROBE_TEST(start_that_went_well_is_heard_in_progress),
		PROBE_TEST(start_that_failed_goes_to_idle_in_one_progress),
		PROBE_TEST(context_can_be_started_after_a_start_that_failed),
		PROBE_TEST(failure_after_success_is_the_last_word),
		PROBE_TEST(context_can_be_destroyed_when_its_start_has_failed),
		PROBE_TEST(refused_start_stays_idle_without_callback),
		TEST(start_is_not_asked_of_the_kind_without_an_engine),
		PROBE_TEST(start_that_is_over_at_once_still_passes_through_starting),
		PROBE_TEST(stop_overtakes_a_start_that_went_well),
		PROBE_TEST(stop_overtakes_a_start_that_failed),
		PROBE_TEST(reports_of_a_start_are_ignored_while_stopping),
		PROBE_TEST(stop_in_the_starting_callback_is_deferred),
		PROBE_TEST(tasks_cannot_be_allocated_while_starting),
		TEST(memory_that_is_no_context_is_unexpected),
		TEST(device_has_one_completion_vector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
