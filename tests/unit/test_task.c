/* SPDX-License-Identifier: BSD-3-Clause */
/* What the core makes of a task between the application and its kind; and that no batch exists. */
#include "probe_rig.h"

static size_t num_inflight(const struct probe_rig *rig)
{
	size_t count;

	assert_success(doca_ctx_get_num_inflight_tasks(rig->ctx, &count));
	return count;
}

static void status_chooses_the_callback(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 3);
	probe_complete(rig->probe, DOCA_SUCCESS);
	probe_complete(rig->probe, DOCA_ERROR_NOT_PERMITTED);
	probe_complete(rig->probe, DOCA_ERROR_SKIPPED);

	assert_hears(&rig->heard, rig->pe, "ok(1) NOT_PERMITTED(2) SKIPPED(3)");
}

static void callbacks_come_in_the_order_of_completion(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *first;

	probe_rig_start(rig);
	probe_rig_submit(rig, 3);
	first = STAILQ_FIRST(&rig->probe->submitted);
	STAILQ_REMOVE_HEAD(&rig->probe->submitted, link);

	probe_complete(rig->probe, DOCA_SUCCESS);
	core_task_complete(first, DOCA_SUCCESS);
	probe_complete(rig->probe, DOCA_SUCCESS);

	assert_hears(&rig->heard, rig->pe, "ok(2) ok(1) ok(3)");
}

static void task_that_its_kind_refuses_stays_the_applications(void **state)
{
	static const doca_error_t errors[] = {
		DOCA_ERROR_FULL,          DOCA_ERROR_AGAIN,     DOCA_ERROR_NO_MEMORY,
		DOCA_ERROR_NOT_PERMITTED, DOCA_ERROR_BAD_STATE, DOCA_ERROR_INVALID_VALUE,
	};
	struct probe_rig *rig = *state;
	struct doca_task *task;

	probe_rig_start(rig);
	task = probe_rig_alloc(rig, 1);
	for (size_t i = 0; i < CORE_ARRAY_LEN(errors); i++) {
		rig->probe->submit_result = errors[i];

		assert_error(doca_task_submit(task), errors[i]);

		assert_int_equal(num_inflight(rig), 0);
		assert_int_equal(doca_pe_progress(rig->pe), 0);
	}
	rig->probe->submit_result = DOCA_SUCCESS;
	assert_success(doca_task_submit(task));
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
}

static void flags_reach_the_kind(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	for (uint32_t flags = 0; flags <= 3; flags++) {
		assert_success(doca_task_submit_ex(probe_rig_alloc(rig, 0), flags));
		assert_int_equal(rig->probe->last_flags, flags);
	}

	assert_success(doca_task_submit(probe_rig_alloc(rig, 0)));
	assert_int_equal(rig->probe->last_flags, DOCA_TASK_SUBMIT_FLAG_FLUSH);
	assert_success(doca_task_try_submit(probe_rig_alloc(rig, 0)));
	assert_int_equal(rig->probe->last_flags, DOCA_TASK_SUBMIT_FLAG_FLUSH | CORE_SUBMIT_TRY);
}

static void unknown_flags_do_not_reach_the_kind(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task;

	probe_rig_start(rig);
	task = probe_rig_alloc(rig, 0);
	for (unsigned int bit = 2; bit < 32; bit++) {
		assert_refused(doca_task_submit_ex(task, 1u << bit), DOCA_ERROR_INVALID_VALUE,
			       "unknown bits");
	}

	assert_true(STAILQ_EMPTY(&rig->probe->submitted));
	doca_task_free(task);
}

static void kind_hears_of_each_free_once(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	task = probe_rig_alloc(rig, 2);
	doca_task_free(rig->tasks[0]);
	test_take_log("in flight");
	assert_int_equal(rig->probe->num_frees, 0);

	doca_task_free(task);
	doca_task_free(task);

	test_take_log("it is free");
	assert_int_equal(rig->probe->num_frees, 1);
}

static void kind_need_not_hear_of_frees(void **state)
{
	struct probe_rig *rig = *state;

	rig->ops.free_task = NULL;
	probe_rig_start(rig);

	doca_task_free(probe_rig_alloc(rig, 1));

	assert_int_equal(rig->probe->num_frees, 0);
	assert_success(doca_ctx_stop(rig->ctx));
}

static void free_other(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;

	doca_task_free(rig->tasks[1]);
	doca_task_free(heard->task);
}

static void task_that_waits_for_its_callback_is_not_freed_in_another(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 2);
	probe_complete(rig->probe, DOCA_SUCCESS);
	probe_complete(rig->probe, DOCA_SUCCESS);
	rig->heard.on_task = free_other;

	assert_hears(&rig->heard, rig->pe, "ok(1)");

	test_take_log("waiting for its callback");
	rig->heard.on_task = NULL;
	assert_hears(&rig->heard, rig->pe, "ok(2)");
}

static void task_user_data_may_change_in_flight(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);

	doca_task_set_user_data(rig->tasks[0], (union doca_data){ .u64 = 5 });

	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(5)");
}

static void completion_does_not_need_a_context_that_runs(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	rig->probe->keeps_tasks = true;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "running>stopping");
	assert_int_equal(doca_pe_progress(rig->pe), 0);

	probe_complete(rig->probe, DOCA_SUCCESS);

	assert_hears(&rig->heard, rig->pe, "ok(1) stopping>idle");
}

/* Anything stands in for a batch: no call looks at it. */
static struct doca_task_batch *const batch = (struct doca_task_batch *)&num_inflight;

static void batches_are_not_supported(void **state)
{
	(void)state;
	assert_refused(doca_task_batch_submit(batch), DOCA_ERROR_NOT_SUPPORTED, "be batched");
	assert_refused(doca_task_batch_try_submit(batch), DOCA_ERROR_NOT_SUPPORTED, "be batched");
	assert_refused(doca_task_batch_get_status(batch), DOCA_ERROR_NOT_SUPPORTED, "be batched");
}

static void batch_calls_without_a_result_give_nothing(void **state)
{
	(void)state;
	doca_task_batch_free(batch);
	test_take_log("doca_task_batch_free");
	doca_task_batch_set_user_data(batch, (union doca_data){ .u64 = 1 });
	test_take_log("doca_task_batch_set_user_data");
	assert_int_equal(doca_task_batch_get_user_data(batch).u64, 0);
	test_take_log("doca_task_batch_get_user_data");
	assert_null(doca_task_batch_get_ctx(batch));
	test_take_log("doca_task_batch_get_ctx");
	assert_int_equal(doca_task_batch_get_ctx_user_data(batch).u64, 0);
	test_take_log("doca_task_batch_get_ctx_user_data");
	assert_int_equal(doca_task_batch_get_tasks_num(batch), 0);
	test_take_log("doca_task_batch_get_tasks_num");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(status_chooses_the_callback),
		PROBE_TEST(callbacks_come_in_the_order_of_completion),
		PROBE_TEST(task_that_its_kind_refuses_stays_the_applications),
		PROBE_TEST(flags_reach_the_kind),
		PROBE_TEST(unknown_flags_do_not_reach_the_kind),
		PROBE_TEST(kind_hears_of_each_free_once),
		PROBE_TEST(kind_need_not_hear_of_frees),
		PROBE_TEST(task_that_waits_for_its_callback_is_not_freed_in_another),
		PROBE_TEST(task_user_data_may_change_in_flight),
		PROBE_TEST(completion_does_not_need_a_context_that_runs),
		TEST(batches_are_not_supported),
		TEST(batch_calls_without_a_result_give_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
