/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping on the engine's handle: what makes it readable, and what must not. */
#include "core/export.h"
#include "ctx_contract.h"

#define NUM_ROUNDS  200
#define PATIENCE_NS UINT64_C(10000000000)

static int handle_of(const struct contract *contract)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(contract->pe, &handle));
	return handle;
}

static void arm(const struct contract *contract)
{
	assert_success(doca_pe_request_notification(contract->pe));
}

static void clear(const struct contract *contract)
{
	assert_success(doca_pe_clear_notification(contract->pe, 0));
}

static void assert_readable(const struct contract *contract)
{
	assert_true(test_is_readable(handle_of(contract), contract->kind->patience_ms));
}

static void assert_silent(const struct contract *contract)
{
	assert_false(test_is_readable(handle_of(contract), 0));
}

/* It is armed and silent; one whose work others do may have woken for nothing before. */
static void assert_sleeps(struct contract *contract)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (contract->kind->is_remote && test_is_readable(handle_of(contract), 0) &&
	       test_now_ns() < end) {
		clear(contract);
		assert_int_equal(doca_pe_progress(contract->pe), 0);
		arm(contract);
	}
	assert_silent(contract);
}

static void armed_engine_without_work_is_silent(struct contract *contract)
{
	contract_start(contract);

	arm(contract);

	assert_sleeps(contract);
}

static void pending_completion_wakes_when_armed(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);

	arm(contract);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
}

static void undelivered_completion_wakes_when_armed(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 2);
	assert_hears(&contract->heard, contract->pe, "ok(1)");

	arm(contract);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "ok(2)");
}

static void completion_after_arming_wakes(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	if (contract->kind->complete != NULL) {
		arm(contract);
		assert_sleeps(contract);
	}

	contract_complete(contract, 1);

	arm(contract);
	assert_readable(contract);
}

static void task_submitted_after_arming_wakes(struct contract *contract)
{
	contract_start(contract);
	arm(contract);
	assert_sleeps(contract);

	contract_submit(contract, 1);
	contract_complete(contract, 1);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
}

static void start_after_arming_wakes(struct contract *contract)
{
	arm(contract);

	contract_begin_start(contract);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "idle>starting starting>running");
}

static void deferred_move_to_idle_wakes(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = heard_free_and_stop;
	assert_hears(&contract->heard, contract->pe, "ok(1) +running>stopping");

	arm(contract);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void stop_after_arming_wakes(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	arm(contract);
	clear(contract);
	arm(contract);

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, "running>stopping FLUSHED(1) stopping>idle"));
}

static void freeing_the_last_task_wakes(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&contract->heard, "running>stopping");
	arm(contract);
	assert_sleeps(contract);

	doca_task_free(task);

	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void engine_that_was_cleared_and_drained_is_silent(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 2);
	arm(contract);
	assert_readable(contract);

	clear(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2)");

	assert_silent(contract);
	arm(contract);
	assert_sleeps(contract);
}

static void engine_that_is_not_armed_is_silent(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	assert_silent(contract);
	arm(contract);
	assert_readable(contract);
	clear(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1)");

	contract_submit(contract, 1);
	contract_complete(contract, 1);

	assert_silent(contract);
	arm(contract);
	assert_readable(contract);
}

static void several_completions_are_one_wake_up(struct contract *contract)
{
	contract_start(contract);
	arm(contract);
	contract_submit(contract, 3);
	contract_complete(contract, 3);
	assert_readable(contract);

	clear(contract);

	assert_silent(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2) ok(3)");
	assert_silent(contract);
}

static void mode_all_needs_no_clear(struct contract *contract)
{
	assert_success(doca_pe_set_event_mode(contract->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	arm(contract);
	assert_readable(contract);
	assert_hears(&contract->heard, contract->pe, "ok(1)");

	arm(contract);

	assert_sleeps(contract);
}

/* Sleeps until woken, as often as it takes to hear the words. */
static void sleep_and_hear(struct contract *contract, const char *words)
{
	arm(contract);
	while (test_is_readable(handle_of(contract), 10000)) {
		clear(contract);
		while (doca_pe_progress(contract->pe) != 0)
			continue;
		if (contract->heard.num_words > 0)
			break;
		arm(contract);
	}
	assert_heard(&contract->heard, words);
}

static void sleeping_application_misses_nothing(struct contract *contract)
{
	contract_start(contract);

	for (unsigned int i = 0; i < NUM_ROUNDS; i++) {
		contract_submit(contract, 1);
		contract_complete(contract, 1);
		sleep_and_hear(contract, "ok(1)");
	}
}

static const struct contract_test tests[] = {
	CONTRACT(armed_engine_without_work_is_silent),
	CONTRACT(pending_completion_wakes_when_armed),
	CONTRACT(undelivered_completion_wakes_when_armed),
	CONTRACT(completion_after_arming_wakes),
	CONTRACT(task_submitted_after_arming_wakes),
	CONTRACT_FOR(kind_starts_later, start_after_arming_wakes),
	CONTRACT(deferred_move_to_idle_wakes),
	CONTRACT(stop_after_arming_wakes),
	CONTRACT_FOR(kind_holds_tasks, freeing_the_last_task_wakes),
	CONTRACT(engine_that_was_cleared_and_drained_is_silent),
	CONTRACT(engine_that_is_not_armed_is_silent),
	CONTRACT(several_completions_are_one_wake_up),
	CONTRACT(mode_all_needs_no_clear),
	CONTRACT(sleeping_application_misses_nothing),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
