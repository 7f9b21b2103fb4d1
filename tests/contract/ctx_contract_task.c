/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: their pool, their flight and their callbacks. */
#include "core/export.h"
#include "ctx_contract.h"

static size_t ctx_inflight(const struct doca_ctx *ctx)
{
	size_t count;

	assert_success(doca_ctx_get_num_inflight_tasks(ctx, &count));
	return count;
}

static size_t pe_inflight(const struct doca_pe *pe)
{
	size_t count;

	assert_success(doca_pe_get_num_inflight_tasks(pe, &count));
	return count;
}

static void submitted_tasks_are_in_flight_until_their_callback(struct contract *contract)
{
	struct doca_task *unsubmitted;

	contract_start(contract);
	unsubmitted = contract_alloc(contract, 9);
	assert_int_equal(ctx_inflight(contract->ctx), 0);

	contract_submit(contract, 2);

	assert_int_equal(ctx_inflight(contract->ctx), 2);
	assert_int_equal(pe_inflight(contract->pe), 2);
	contract_complete(contract, 2);
	assert_int_equal(ctx_inflight(contract->ctx), 2);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
	assert_int_equal(ctx_inflight(contract->ctx), 1);
	assert_hears(&contract->heard, contract->pe, "ok(2)");
	assert_int_equal(pe_inflight(contract->pe), 0);
	doca_task_free(unsubmitted);
}

static void note_inflight(struct heard *heard)
{
	*(size_t *)heard->owner = ctx_inflight(heard->ctx);
	doca_task_free(heard->task);
}

static void task_whose_callback_runs_is_not_in_flight(struct contract *contract)
{
	size_t noted = SIZE_MAX;

	contract_start(contract);
	contract_submit(contract, 2);
	contract_complete(contract, 1);
	contract->heard.on_task = note_inflight;
	contract->heard.owner = &noted;

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	assert_int_equal(noted, 1);
}

static void engine_counts_the_tasks_of_all_its_contexts(struct contract *contract)
{
	struct contract other;

	contract_add(&other, contract, contract->pe);
	contract_start(contract);
	contract_start(&other);

	contract_submit(contract, 1);
	contract_submit(&other, 2);

	assert_int_equal(pe_inflight(contract->pe), 3);
	assert_int_equal(ctx_inflight(other.ctx), 2);
	contract_remove(&other);
}

/* Submits the task again until it has run three times. */
static void submit_thrice(struct heard *heard)
{
	uint64_t number = doca_task_get_user_data(heard->task).u64;

	if (number == 3) {
		doca_task_free(heard->task);
		return;
	}
	doca_task_set_user_data(heard->task, (union doca_data){ .u64 = number + 1 });
	assert_success(doca_task_submit(heard->task));
}

static void task_can_be_submitted_again_in_its_callback(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);
	contract->heard.on_task = submit_thrice;

	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(2)");
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(3)");
}

static void freed_task_can_be_read_in_its_callback(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	task = contract->heard.task; /* which the callback has freed */
	assert_ptr_equal(task, contract->tasks[0]);
	assert_int_equal(doca_task_get_user_data(task).u64, 1);
	assert_success(doca_task_get_status(task));
	assert_ptr_equal(doca_task_get_ctx(task), contract->ctx);
}

static void free_and_allocate(struct heard *heard)
{
	struct contract *contract = heard->owner;

	doca_task_free(heard->task);
	heard->on_task = NULL;
	contract->tasks[0] = contract_alloc(contract, 2);
	assert_success(doca_task_submit(contract->tasks[0]));
}

static void pool_of_one_can_be_freed_and_allocated_in_a_callback(struct contract *contract)
{
	assert_success(contract_configure(contract, 1));
	contract_start(contract);
	contract_submit(contract, 1);
	contract_complete(contract, 1);
	contract->heard.on_task = free_and_allocate;
	contract->heard.owner = contract;

	assert_hears(&contract->heard, contract->pe, "ok(1)");

	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(2)");
}

static doca_error_t try_alloc(struct contract *contract, struct doca_task **task)
{
	return contract->kind->alloc_task(contract->world, contract->object,
					  (union doca_data){ .u64 = 0 }, task);
}

static void pool_is_as_big_as_it_was_configured(struct contract *contract)
{
	unsigned int num_tasks = 4 * contract->kind->pool_factor;
	struct doca_task *tasks[64];
	struct doca_task *one_more = NULL;

	assert_success(contract_configure(contract, 4));
	contract_start(contract);
	for (unsigned int i = 0; i < num_tasks; i++)
		tasks[i] = contract_alloc(contract, i);

	assert_error(try_alloc(contract, &one_more), DOCA_ERROR_NO_MEMORY);

	assert_null(one_more);
	doca_task_free(tasks[0]);
	assert_success(try_alloc(contract, &tasks[0]));
	for (unsigned int i = 0; i < num_tasks; i++)
		doca_task_free(tasks[i]);
}

static void allocating_before_start_is_refused(struct contract *contract)
{
	struct doca_task *task = NULL;

	assert_refused(try_alloc(contract, &task), DOCA_ERROR_BAD_STATE, "not running");

	assert_null(task);
}

static void user_data_set_later_reaches_the_callback(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);
	assert_int_equal(doca_task_get_user_data(task).u64, 1);

	doca_task_set_user_data(task, (union doca_data){ .u64 = 7 });

	assert_int_equal(doca_task_get_user_data(task).u64, 7);
	assert_success(doca_task_submit(task));
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(7)");
}

static void task_in_flight_cannot_be_submitted_again(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);

	assert_refused(doca_task_submit(contract->tasks[0]), DOCA_ERROR_BAD_STATE, "in flight");

	assert_int_equal(ctx_inflight(contract->ctx), 1);
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
	contract_assert_nothing_to_do(contract);
}

static void task_in_flight_is_not_freed(struct contract *contract)
{
	contract_start(contract);
	contract_submit(contract, 1);

	doca_task_free(contract->tasks[0]);

	test_take_log("is not freed");
	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(1)");
}

static void freed_task_is_not_submitted(struct contract *contract)
{
	struct doca_task *task;

	contract_start(contract);
	task = contract_alloc(contract, 1);
	doca_task_free(task);

	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "free");

	assert_int_equal(ctx_inflight(contract->ctx), 0);
	contract_assert_nothing_to_do(contract);
}

static void task_is_not_freed_twice(struct contract *contract)
{
	struct doca_task *task;
	struct doca_task *first;
	struct doca_task *second;

	contract_start(contract);
	task = contract_alloc(contract, 1);
	doca_task_free(task);

	doca_task_free(task);

	test_take_log("is not freed");
	first = contract_alloc(contract, 1);
	second = contract_alloc(contract, 2);
	assert_ptr_not_equal(first, second);
	doca_task_free(first);
	doca_task_free(second);
}

static void each_way_of_submitting_runs_the_task(struct contract *contract)
{
	contract_start(contract);
	for (uint32_t flags = 0; flags <= 3; flags++) {
		struct doca_task *task = contract_alloc(contract, flags);

		assert_success(doca_task_submit_ex(task, flags));
	}
	doca_ctx_flush_tasks(contract->ctx);
	contract_complete(contract, 4);
	assert_hears(&contract->heard, contract->pe, "ok(0) ok(1) ok(2) ok(3)");

	assert_success(doca_task_try_submit(contract_alloc(contract, 4)));

	contract_complete(contract, 1);
	assert_hears(&contract->heard, contract->pe, "ok(4)");
}

static const struct contract_test tests[] = {
	CONTRACT(submitted_tasks_are_in_flight_until_their_callback),
	CONTRACT(task_whose_callback_runs_is_not_in_flight),
	CONTRACT(engine_counts_the_tasks_of_all_its_contexts),
	CONTRACT(task_can_be_submitted_again_in_its_callback),
	CONTRACT(freed_task_can_be_read_in_its_callback),
	CONTRACT(pool_of_one_can_be_freed_and_allocated_in_a_callback),
	CONTRACT_FOR(kind_sizes_its_pool, pool_is_as_big_as_it_was_configured),
	CONTRACT(allocating_before_start_is_refused),
	CONTRACT(user_data_set_later_reaches_the_callback),
	CONTRACT(task_in_flight_cannot_be_submitted_again),
	CONTRACT(task_in_flight_is_not_freed),
	CONTRACT(freed_task_is_not_submitted),
	CONTRACT(task_is_not_freed_twice),
	CONTRACT(each_way_of_submitting_runs_the_task),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
