/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine as it is polled: what a call brings, and what it returns. */
#include "core/export.h"
#include "ctx_contract.h"

#define NUM_ROUNDS 50
#define MAX_CALLS  100000

static void nothing_completes_inside_submit(struct contract *contract)
{
	contract_start(contract);

	contract_submit(contract, 3);

	assert_heard(&contract->heard, "");
	contract_complete(contract, 3);
	assert_heard(&contract->heard, "");
	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2) ok(3)");
}

static void running_engine_without_work_returns_zero(struct contract *contract)
{
	contract_start(contract);

	contract_assert_nothing_to_do(contract);
}

static void stopped_engine_returns_zero(struct contract *contract)
{
	contract_start(contract);
	contract_stop_with_nothing_outstanding(contract);

	contract_assert_nothing_to_do(contract);
}

static void outstanding_tasks_do_not_count_as_progress(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);

	contract_assert_nothing_to_do(contract);

	contract_complete(contract, 2);
	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2)");
}

static void nothing_is_left_after_the_last_callback(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 2);

	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2)");

	contract_assert_nothing_to_do(contract);
}

static void progress_again(struct heard *heard)
{
	doca_task_free(heard->task);
	heard->result = doca_pe_progress(heard->owner);
}

static void progress_inside_a_callback_returns_zero(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 2);
	contract->heard.on_task = progress_again;
	contract->heard.owner = contract->pe;

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	assert_int_equal(contract->heard.result, 0);
	test_take_log("in a callback");
	contract->heard.on_task = NULL;
	assert_hears(&contract->heard, contract->pe, "ok(2)");
}

/* Keeps its context busy for ever: the task is in flight again when its callback is over. */
static void submit_and_count(struct heard *heard)
{
	struct contract *contract = heard->owner;

	assert_success(doca_task_submit(heard->task));
	contract_complete(contract, 1);
}

static void keep_busy(struct contract *contract)
{
	contract->heard.on_task = submit_and_count;
	contract->heard.owner = contract;
	contract_submit(contract, 1);
	contract_complete(contract, 1);
}

static void busy_contexts_of_one_engine_take_turns(struct contract *contract)
{
	struct contract other;

	contract_add(&other, contract, contract->pe);
	contract_start(contract);
	contract_start(&other);
	keep_busy(contract);
	keep_busy(&other);

	for (unsigned int i = 0; i < MAX_CALLS && contract->heard.num_words < NUM_ROUNDS; i++)
		(void)doca_pe_progress(contract->pe);

	assert_int_equal(contract->heard.num_words, NUM_ROUNDS);
	assert_in_range(other.heard.num_words, NUM_ROUNDS / 2, NUM_ROUNDS * 2);
	contract_remove(&other);
}

static const struct contract_test tests[] = {
	CONTRACT(nothing_completes_inside_submit),
	CONTRACT(running_engine_without_work_returns_zero),
	CONTRACT(stopped_engine_returns_zero),
	CONTRACT_FOR(kind_completes_when_told, outstanding_tasks_do_not_count_as_progress),
	CONTRACT(nothing_is_left_after_the_last_callback),
	CONTRACT(progress_inside_a_callback_returns_zero),
	CONTRACT(busy_contexts_of_one_engine_take_turns),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
