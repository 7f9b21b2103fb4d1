/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine as it is polled: what a call brings, and what it returns. */
#include <pthread.h>

#include "core/export.h"
#include "ctx_contract.h"

#define NUM_ROUNDS 50
#define FEW_ROUNDS 4 /* of what starts a process each */
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

static void kept_tasks_do_not_hold_up_later_callbacks(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 3);
	contract_complete(contract, 3);
	contract->heard.on_task = heard_keep_task;

	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2) ok(3)");

	for (unsigned int i = 0; i < 3; i++)
		doca_task_free(contract->tasks[i]);
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

/* A life from beginning to end, again and again; the thread shares nothing with the others. */
static void live_and_die(const struct ctx_kind *kind)
{
	static _Thread_local struct contract contract;
	const unsigned int num_rounds = kind->is_remote ? FEW_ROUNDS : NUM_ROUNDS;

	for (unsigned int i = 0; i < num_rounds; i++) {
		contract_init(&contract, kind);
		contract_start(&contract);
		contract_submit(&contract, 2);
		contract_complete(&contract, 2);
		assert_hears(&contract.heard, contract.pe, "ok(1) ok(2)");
		contract_stop_with_nothing_outstanding(&contract);
		contract_fini(&contract);
	}
}

static void *live_in_thread(void *contract)
{
	live_and_die(((const struct contract *)contract)->kind);
	return NULL;
}

static void engines_of_two_threads_do_not_disturb_each_other(struct contract *contract)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, live_in_thread, contract), 0);

	live_and_die(contract->kind);

	assert_int_equal(pthread_join(thread, NULL), 0);
}

static const struct contract_test tests[] = {
	CONTRACT(nothing_completes_inside_submit),
	CONTRACT(running_engine_without_work_returns_zero),
	CONTRACT(stopped_engine_returns_zero),
	CONTRACT_FOR(kind_completes_when_told, outstanding_tasks_do_not_count_as_progress),
	CONTRACT(nothing_is_left_after_the_last_callback),
	CONTRACT(kept_tasks_do_not_hold_up_later_callbacks),
	CONTRACT(progress_inside_a_callback_returns_zero),
	CONTRACT_FOR(kind_works_itself, busy_contexts_of_one_engine_take_turns),
	CONTRACT(engines_of_two_threads_do_not_disturb_each_other),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
