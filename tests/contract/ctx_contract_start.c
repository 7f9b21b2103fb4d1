/* SPDX-License-Identifier: BSD-3-Clause */
/* From IDLE to RUNNING: what start, connect, configure and destroy do in which state. */
#include "core/export.h"
#include "ctx_contract.h"
#include "fixture.h"

static const char *start_words(const struct contract *contract)
{
	return contract->kind->start_is_async ? "idle>starting starting>running" : "idle>running";
}

static void start_calls_back_inside_the_call(struct contract *contract)
{
	contract_begin_start(contract);

	contract_assert_state(contract, contract->kind->start_is_async ? DOCA_CTX_STATE_STARTING
								       : DOCA_CTX_STATE_RUNNING);
	assert_heard(&contract->heard,
		     contract->kind->start_is_async ? "idle>starting" : "idle>running");
}

static void start_goes_to_running(struct contract *contract)
{
	contract_begin_start(contract);

	assert_hears(&contract->heard, contract->pe, start_words(contract));
	contract_assert_state(contract, DOCA_CTX_STATE_RUNNING);
}

static void start_without_an_engine_is_not_connected(struct contract *contract)
{
	struct contract loose;

	contract_add(&loose, contract, NULL);

	assert_refused(doca_ctx_start(loose.ctx), DOCA_ERROR_NOT_CONNECTED, "no progress engine");

	contract_assert_state(&loose, DOCA_CTX_STATE_IDLE);
	assert_heard(&loose.heard, "");
	contract_remove(&loose);
}

static void start_with_no_task_configured_succeeds(struct contract *contract)
{
	void *object = contract->kind->create(contract->world);
	struct contract bare = *contract;

	bare.object = object;
	bare.ctx = contract->kind->as_ctx(object);
	heard_init(&bare.heard, bare.ctx);
	assert_success(doca_pe_connect_ctx(bare.pe, bare.ctx));

	contract_start(&bare);

	contract_remove(&bare);
}

static void start_when_starting_is_refused(struct contract *contract)
{
	contract_begin_start(contract);
	assert_heard(&contract->heard, "idle>starting");

	assert_refused(doca_ctx_start(contract->ctx), DOCA_ERROR_BAD_STATE, "only when idle");

	assert_hears(&contract->heard, contract->pe, "starting>running");
}

static void start_when_running_is_refused(struct contract *contract)
{
	contract_start(contract);

	assert_refused(doca_ctx_start(contract->ctx), DOCA_ERROR_BAD_STATE, "only when idle");

	contract_assert_state(contract, DOCA_CTX_STATE_RUNNING);
	assert_heard(&contract->heard, "");
}

static void start_when_stopping_is_refused(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_refused(doca_ctx_start(contract->ctx), DOCA_ERROR_BAD_STATE, "only when idle");

	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
	assert_heard(&contract->heard, "running>stopping");
}

static void state_moves_need_no_listener(struct contract *contract)
{
	struct contract silent = { .kind = contract->kind, .world = contract->world };

	silent.pe = contract->pe;
	silent.object = contract->kind->create(contract->world);
	silent.ctx = contract->kind->as_ctx(silent.object);
	assert_success(doca_pe_connect_ctx(silent.pe, silent.ctx));

	contract_begin_start(&silent);

	fixture_progress_to(silent.pe, silent.ctx, DOCA_CTX_STATE_RUNNING);
	contract_remove(&silent);
}

static void as_ctx_gives_the_same_pointer_each_time(struct contract *contract)
{
	assert_ptr_equal(contract->kind->as_ctx(contract->object), contract->ctx);
}

static void connecting_again_is_not_permitted(struct contract *contract)
{
	struct doca_pe *other;

	assert_success(doca_pe_create(&other));

	assert_refused(doca_pe_connect_ctx(contract->pe, contract->ctx), DOCA_ERROR_NOT_PERMITTED,
		       "has a progress engine already");
	assert_refused(doca_pe_connect_ctx(other, contract->ctx), DOCA_ERROR_NOT_PERMITTED,
		       "has a progress engine already");

	assert_success(doca_pe_destroy(other));
}

static void connecting_when_running_is_refused(struct contract *contract)
{
	contract_start(contract);

	assert_refused(doca_pe_connect_ctx(contract->pe, contract->ctx), DOCA_ERROR_BAD_STATE,
		       "only when idle");
}

static void engine_of_a_stopped_context_is_in_use(struct contract *contract)
{
	contract_start(contract);
	contract_stop_with_nothing_outstanding(contract);

	assert_refused(doca_pe_destroy(contract->pe), DOCA_ERROR_IN_USE, "1 contexts");
}

static void destroy_when_running_is_refused(struct contract *contract)
{
	contract_start(contract);

	assert_refused(contract->kind->destroy(contract->object),
		       contract->kind->busy_destroy_error, "");

	contract_submit(contract, 1);
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
}

static void destroy_when_stopping_is_refused(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_refused(contract->kind->destroy(contract->object),
		       contract->kind->busy_destroy_error, "");

	contract_assert_state(contract, DOCA_CTX_STATE_STOPPING);
}

static void destroy_frees_the_engine(struct contract *contract)
{
	struct doca_pe *pe;
	struct contract other;

	assert_success(doca_pe_create(&pe));
	contract_add(&other, contract, pe);
	assert_refused(doca_pe_destroy(pe), DOCA_ERROR_IN_USE, "1 contexts");

	contract_destroy(&other);

	assert_success(doca_pe_destroy(pe));
}

/* What late configuration would install; being called at all is the failure. */
static void never_called(struct doca_task *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	(void)task;
	(void)task_user_data;
	(void)ctx_user_data;
	fail_msg("a refused configuration is in force");
}

static void configuring_after_start_changes_nothing(struct contract *contract)
{
	contract_start(contract);

	assert_refused(contract->kind->configure(contract->object, never_called, never_called, 1),
		       contract->kind->late_conf_error, "");

	contract_submit(contract, CONTRACT_NUM_TASKS);
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
	for (unsigned int i = 1; i < CONTRACT_NUM_TASKS; i++)
		contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(2) ok(3) ok(4)");
}

static void restart_keeps_the_configuration(struct contract *contract)
{
	contract_start(contract);
	contract_stop_with_nothing_outstanding(contract);

	contract_start(contract);

	contract_submit(contract, CONTRACT_NUM_TASKS);
	contract_complete(contract, CONTRACT_NUM_TASKS);
	assert_hears(&contract->heard, contract->pe, "ok(1) ok(2) ok(3) ok(4)");
}

static void configuration_may_change_between_two_runs(struct contract *contract)
{
	struct doca_task *task;
	unsigned int num_tasks = 2 * contract->kind->pool_factor;
	struct doca_task *tasks[64];

	contract_start(contract);
	contract_stop_with_nothing_outstanding(contract);

	assert_success(contract_configure(contract, 2));

	contract_start(contract);
	for (unsigned int i = 0; i < num_tasks; i++)
		tasks[i] = contract_alloc(contract, i);
	assert_error(contract->kind->alloc_task(contract->world, contract->object,
						(union doca_data){ .u64 = 0 }, &task),
		     DOCA_ERROR_NO_MEMORY);
	for (unsigned int i = 0; i < num_tasks; i++)
		doca_task_free(tasks[i]);
}

static void user_data_set_last_reaches_the_callbacks(struct contract *contract)
{
	struct heard later;
	union doca_data user_data;

	contract_start(contract);
	contract_submit(contract, 1);

	heard_init(&later, contract->ctx);

	assert_success(doca_ctx_get_user_data(contract->ctx, &user_data));
	assert_ptr_equal(user_data.ptr, &later);
	contract_complete(contract, 1);
	assert_hears(&later, contract->pe, "ok(1)");
	heard_init(&contract->heard, contract->ctx);
}

static const struct contract_test tests[] = {
	CONTRACT(start_calls_back_inside_the_call),
	CONTRACT(start_goes_to_running),
	CONTRACT(start_without_an_engine_is_not_connected),
	CONTRACT(start_with_no_task_configured_succeeds),
	CONTRACT_FOR(kind_starts_later, start_when_starting_is_refused),
	CONTRACT(start_when_running_is_refused),
	CONTRACT(start_when_stopping_is_refused),
	CONTRACT(state_moves_need_no_listener),
	CONTRACT(as_ctx_gives_the_same_pointer_each_time),
	CONTRACT(connecting_again_is_not_permitted),
	CONTRACT(connecting_when_running_is_refused),
	CONTRACT(engine_of_a_stopped_context_is_in_use),
	CONTRACT(destroy_when_running_is_refused),
	CONTRACT(destroy_when_stopping_is_refused),
	CONTRACT(destroy_frees_the_engine),
	CONTRACT(configuring_after_start_changes_nothing),
	CONTRACT(restart_keeps_the_configuration),
	CONTRACT_FOR(kind_sizes_its_pool, configuration_may_change_between_two_runs),
	CONTRACT(user_data_set_last_reaches_the_callbacks),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
