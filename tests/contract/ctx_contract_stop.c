/* SPDX-License-Identifier: BSD-3-Clause */
/* From RUNNING to IDLE: when stop is over at once, when it waits, and what it flushes. */
#include "core/export.h"
#include "ctx_contract.h"

static void stop_when_idle_succeeds_without_callback(struct contract *contract)
{
	assert_success(doca_ctx_stop(contract->ctx));

	contract_assert_state(contract, DOCA_CTX_STATE_IDLE);
	contract_assert_nothing_to_do(contract);
}

static void stop_without_an_engine_succeeds(struct contract *contract)
{
	struct contract loose;

	contract_add(&loose, contract, NULL);

	assert_success(doca_ctx_stop(loose.ctx));

	assert_heard(&loose.heard, "");
	contract_destroy(&loose);
}

static void stop_with_nothing_outstanding_is_over_at_once(struct contract *contract)
{
	contract_start(contract);

	assert_success(doca_ctx_stop(contract->ctx));

	contract_assert_state(contract, DOCA_CTX_STATE_IDLE);
	assert_heard(&contract->heard, "running>stopping stopping>idle");
	contract_assert_nothing_to_do(contract);
}

static void stop_with_nothing_outstanding_is_over_in_progress(struct contract *contract)
{
	contract_start(contract);

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_heard(&contract->heard, "running>stopping");
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void destroy_needs_no_progress_after_a_stop(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
	assert_success(doca_ctx_stop(contract->ctx));

	contract_destroy(contract);
}

static void second_stop_is_in_progress(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&contract->heard, "running>stopping");

	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_heard(&contract->heard, "");
}

static void stop_after_the_end_succeeds(struct contract *contract)
{
	contract_start(contract);
	contract_stop_with_nothing_outstanding(contract);

	assert_success(doca_ctx_stop(contract->ctx));

	assert_heard(&contract->heard, "");
}

static void stop_in_a_task_callback_is_deferred(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = heard_free_and_stop;

	assert_hears(&contract->heard, contract->pe, "ok(1) +running>stopping");

	assert_int_equal(contract->heard.result, DOCA_ERROR_IN_PROGRESS);
	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void stop_in_the_running_callback_is_deferred(struct contract *contract)
{
	contract->heard.on_state[DOCA_CTX_STATE_RUNNING] = heard_stop;

	contract_begin_start(contract); /* goes well all the same */

	assert_hears(&contract->heard, contract->pe,
		     contract->kind->start_is_async
			 ? "idle>starting starting>running +running>stopping"
			 : "idle>running +running>stopping");
	assert_int_equal(contract->heard.result, DOCA_ERROR_IN_PROGRESS);
	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_hears(&contract->heard, contract->pe, "stopping>idle");
}

static void stop_in_the_stopping_callback_is_in_progress(struct contract *contract)
{
	contract_start(contract);
	contract->heard.on_state[DOCA_CTX_STATE_STOPPING] = heard_stop;

	contract_stop_with_nothing_outstanding(contract);

	assert_int_equal(contract->heard.result, DOCA_ERROR_IN_PROGRESS);
}

static void stop_owner(struct heard *heard)
{
	struct contract *other = heard->owner;

	doca_task_free(heard->task);
	heard->result = doca_ctx_stop(other->ctx);
}

static void stop_in_a_callback_of_the_same_engine_is_deferred(struct contract *contract)
{
	struct contract other;

	contract_add(&other, contract, contract->pe);
	contract_start(contract);
	contract_start(&other);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = stop_owner;
	contract->heard.owner = &other;

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	assert_int_equal(contract->heard.result, DOCA_ERROR_IN_PROGRESS);
	assert_heard(&other.heard, "running>stopping");
	assert_hears(&other.heard, contract->pe, "stopping>idle");
	contract_remove(&other);
}

static void stop_in_a_callback_of_another_engine_is_not_deferred(struct contract *contract)
{
	struct contract other;
	struct doca_pe *pe;

	assert_success(doca_pe_create(&pe));
	contract_add(&other, contract, pe);
	contract_start(contract);
	contract_start(&other);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = stop_owner;
	contract->heard.owner = &other;

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	assert_success(contract->heard.result);
	assert_heard(&other.heard, "running>stopping stopping>idle");
	contract_remove(&other);
	assert_success(doca_pe_destroy(pe));
}

static void destroy_owner(struct heard *heard)
{
	contract_destroy(heard->owner);
}

/* The engine must not look at the context after its callback; the sanitizers would see it. */
static void drive_without_contexts(struct contract *contract)
{
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(doca_pe_progress(contract->pe), 0);
}

static void destroy_in_the_idle_callback_inside_stop_is_tolerated(struct contract *contract)
{
	contract_start(contract);
	contract->heard.on_state[DOCA_CTX_STATE_IDLE] = destroy_owner;
	contract->heard.owner = contract;

	assert_success(doca_ctx_stop(contract->ctx));

	assert_null(contract->object);
	drive_without_contexts(contract);
}

static void destroy_in_the_idle_callback_in_progress_is_tolerated(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = heard_free_and_stop;
	contract->heard.on_state[DOCA_CTX_STATE_IDLE] = destroy_owner;
	contract->heard.owner = contract;

	assert_hears(&contract->heard, contract->pe, "ok(1) +running>stopping stopping>idle");

	assert_null(contract->object);

	drive_without_contexts(contract);
}

static void start_again(struct heard *heard)
{
	heard->on_state[DOCA_CTX_STATE_IDLE] = NULL;
	heard->result = doca_ctx_start(heard->ctx);
}

static void context_can_be_started_again_in_its_idle_callback(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract->heard.on_state[DOCA_CTX_STATE_IDLE] = start_again;
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&contract->heard, contract->pe,
		     contract_words(contract, contract->kind->start_is_async
						  ? "running>stopping FLUSHED(1) stopping>idle "
						    "+idle>starting starting>running"
						  : "running>stopping FLUSHED(1) stopping>idle "
						    "+idle>running"));
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
}

static const struct contract_test tests[] = {
	CONTRACT(stop_when_idle_succeeds_without_callback),
	CONTRACT(stop_without_an_engine_succeeds),
	CONTRACT_FOR(kind_stops_at_once, stop_with_nothing_outstanding_is_over_at_once),
	CONTRACT_FOR(kind_stops_later, stop_with_nothing_outstanding_is_over_in_progress),
	CONTRACT_FOR(kind_stops_at_once, destroy_needs_no_progress_after_a_stop),
	CONTRACT(second_stop_is_in_progress),
	CONTRACT(stop_after_the_end_succeeds),
	CONTRACT(stop_in_a_task_callback_is_deferred),
	CONTRACT(stop_in_the_running_callback_is_deferred),
	CONTRACT(stop_in_the_stopping_callback_is_in_progress),
	CONTRACT(stop_in_a_callback_of_the_same_engine_is_deferred),
	CONTRACT_FOR(kind_stops_at_once, stop_in_a_callback_of_another_engine_is_not_deferred),
	CONTRACT_FOR(kind_stops_at_once, destroy_in_the_idle_callback_inside_stop_is_tolerated),
	CONTRACT(destroy_in_the_idle_callback_in_progress_is_tolerated),
	CONTRACT(context_can_be_started_again_in_its_idle_callback),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
