/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stop makes of tasks, and what tasks make of a stop. */
#include "core/export.h"
#include "ctx_contract.h"

static void tasks_in_flight_are_flushed_in_their_order(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 3);

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&contract->heard, "running>stopping");
	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, "FLUSHED(1) FLUSHED(2) FLUSHED(3) stopping>idle"));
}

static void task_that_ended_before_the_stop_keeps_its_status(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 1);

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, "running>stopping ok(1) FLUSHED(2) stopping>idle"));
}

static void unfreed_tasks_hold_stopping(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_heard(&contract->heard, "running>stopping");
	contract_assert_nothing_to_do(contract);
	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	doca_task_free(task);
}

static void kept_tasks_hold_stopping_after_their_flush(struct contract *contract)
{
	size_t num_inflight;

	contract_start(contract);
	contract_submit(contract, 1);
	contract->heard.on_task = heard_keep_task;
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, "running>stopping FLUSHED(1)"));

	contract_assert_nothing_to_do(contract);

	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_success(doca_ctx_get_num_inflight_tasks(contract->ctx, &num_inflight));
	assert_int_equal(num_inflight, 0);
	doca_task_free(contract->tasks[0]);
}

static void freeing_the_last_task_leaves_the_move_to_progress(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&contract->heard, "running>stopping");

	doca_task_free(task);

	assert_heard(&contract->heard, "");
	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_int_equal(doca_pe_progress(contract->pe), 1);
	assert_heard(&contract->heard, "stopping>idle");
}

static void unfreed_tasks_do_not_hold_stopping(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);

	contract_stop_with_nothing_outstanding(contract);

	doca_task_free(task);
}

static void submitting_again_while_stopping_is_refused(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract->heard.on_task = heard_submit_again;
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, "running>stopping FLUSHED(1)"));

	assert_int_equal(contract->heard.result, DOCA_ERROR_BAD_STATE);
	test_take_log("is not running");
	doca_task_free(contract->tasks[0]);
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void allocating_while_stopping_is_refused(struct contract *contract)
{
	struct doca_task *task = NULL;

	contract_start(contract);
	contract_submit(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_refused(contract->kind->alloc_task(contract->world, contract->object,
						  (union doca_data){ .u64 = 1 }, &task),
		       DOCA_ERROR_BAD_STATE, "not running");

	assert_null(task);
}

static const struct contract_test tests[] = {
	CONTRACT(tasks_in_flight_are_flushed_in_their_order),
	CONTRACT_FOR(kind_completes_when_told, task_that_ended_before_the_stop_keeps_its_status),
	CONTRACT_FOR(kind_holds_tasks, unfreed_tasks_hold_stopping),
	CONTRACT_FOR(kind_holds_tasks, kept_tasks_hold_stopping_after_their_flush),
	CONTRACT_FOR(kind_holds_tasks, freeing_the_last_task_leaves_the_move_to_progress),
	CONTRACT_FOR(kind_frees_tasks, unfreed_tasks_do_not_hold_stopping),
	CONTRACT(submitting_again_while_stopping_is_refused),
	CONTRACT(allocating_while_stopping_is_refused),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
