/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of tasks: how it is configured, filled, emptied and taken over to the next run. */
#include "probe_rig.h"

#define MAX_TASKS  100
#define LINE_BYTES 64

static void restart(struct probe_rig *rig)
{
	assert_success(doca_ctx_stop(rig->ctx));
	assert_heard(&rig->heard, "running>stopping stopping>idle");
	probe_rig_start(rig);
}

static doca_error_t configure(struct probe_rig *rig, doca_task_completion_cb_t success_cb,
			      doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return core_pool_configure(&rig->probe->pool, success_cb, error_cb, num_tasks, MAX_TASKS);
}

static void bad_configuration_is_refused_and_changes_nothing(void **state)
{
	static const struct {
		doca_task_completion_cb_t success_cb;
		doca_task_completion_cb_t error_cb;
		uint32_t num_tasks;
		const char *line;
	} rows[] = {
		{ NULL, heard_on_error, 1, "both callbacks" },
		{ heard_on_success, NULL, 1, "both callbacks" },
		{ NULL, NULL, 0, "both callbacks" },
		{ heard_on_success, heard_on_error, 0, "0 is not in 1..100" },
		{ heard_on_success, heard_on_error, MAX_TASKS + 1, "101 is not in 1..100" },
		{ heard_on_success, heard_on_error, UINT32_MAX, "4294967295 is not in" },
	};
	struct probe_rig *rig = *state;

	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		assert_refused(
		    configure(rig, rows[i].success_cb, rows[i].error_cb, rows[i].num_tasks),
		    DOCA_ERROR_INVALID_VALUE, rows[i].line);
	}

	assert_ptr_equal(rig->probe->pool.success_cb, heard_on_success);
	assert_ptr_equal(rig->probe->pool.error_cb, heard_on_error);
	assert_int_equal(rig->probe->pool.num_tasks, PROBE_RIG_NUM_TASKS);
}

static void empty_pool_is_no_line_in_the_log(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task = NULL;

	assert_success(configure(rig, heard_on_success, heard_on_error, 1));
	probe_rig_start(rig);
	rig->tasks[0] = probe_rig_alloc(rig, 1);

	assert_error(probe_task_alloc(rig->probe, (union doca_data){ .u64 = 0 }, &task),
		     DOCA_ERROR_NO_MEMORY);

	assert_null(task);
	assert_int_equal(test_num_logged(), 0);
	doca_task_free(rig->tasks[0]);
}

static void configuration_that_comes_last_wins(void **state)
{
	struct probe_rig *rig = *state;

	assert_success(configure(rig, heard_on_error, heard_on_error, 7));
	assert_success(configure(rig, heard_on_success, heard_on_error, 2));

	probe_rig_start(rig);

	probe_rig_submit(rig, 2);
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
	assert_int_equal(rig->probe->pool.num_filled, 2);
}

static void tasks_of_a_pool_that_is_not_configured_are_refused(void **state)
{
	struct probe *probe = probe_create(false);
	struct doca_task *task = NULL;
	struct doca_pe *pe;

	(void)state;
	assert_success(doca_pe_create(&pe));
	assert_success(doca_pe_connect_ctx(pe, probe_as_ctx(probe)));
	assert_success(doca_ctx_start(probe_as_ctx(probe)));

	assert_refused(probe_task_alloc(probe, (union doca_data){ .u64 = 0 }, &task),
		       DOCA_ERROR_BAD_STATE, "set_conf");

	assert_null(task);
	assert_success(doca_ctx_stop(probe_as_ctx(probe)));
	assert_success(probe_destroy(probe));
	assert_success(doca_pe_destroy(pe));
}

static void each_task_has_cache_lines_of_its_own(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	for (unsigned int i = 0; i < PROBE_RIG_NUM_TASKS; i++)
		rig->tasks[i] = probe_rig_alloc(rig, i);

	for (unsigned int i = 0; i < PROBE_RIG_NUM_TASKS; i++)
		assert_int_equal((uintptr_t)rig->tasks[i] % LINE_BYTES, 0);
	for (unsigned int i = 0; i < PROBE_RIG_NUM_TASKS; i++)
		doca_task_free(rig->tasks[i]);
}

static void task_freed_last_is_given_first(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *task;

	probe_rig_start(rig);
	task = probe_rig_alloc(rig, 1);
	doca_task_free(task);

	assert_ptr_equal(probe_rig_alloc(rig, 2), task);

	assert_int_equal(doca_task_get_user_data(task).u64, 2);
	doca_task_free(task);
}

static void task_is_given_without_the_status_of_its_last_use(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	probe_complete(rig->probe, DOCA_ERROR_IO_FAILED);
	assert_hears(&rig->heard, rig->pe, "IO_FAILED(1)");
	assert_int_equal(doca_task_get_status(rig->tasks[0]), DOCA_ERROR_IO_FAILED);

	assert_ptr_equal(probe_rig_alloc(rig, 2), rig->tasks[0]);

	assert_success(doca_task_get_status(rig->tasks[0]));
	doca_task_free(rig->tasks[0]);
}

static void pool_is_kept_from_run_to_run(void **state)
{
	struct probe_rig *rig = *state;
	const void *block;

	probe_rig_start(rig);
	block = rig->probe->pool.block;

	restart(rig);

	assert_ptr_equal(rig->probe->pool.block, block);
	probe_rig_submit(rig, PROBE_RIG_NUM_TASKS);
}

/* All tasks of a pool of the size, and no more. */
static void assert_pool_has(struct probe_rig *rig, uint32_t num_tasks)
{
	struct doca_task *tasks[MAX_TASKS];
	struct doca_task *one_more;

	for (uint32_t i = 0; i < num_tasks; i++)
		tasks[i] = probe_rig_alloc(rig, i);
	assert_error(probe_task_alloc(rig->probe, (union doca_data){ .u64 = 0 }, &one_more),
		     DOCA_ERROR_NO_MEMORY);
	for (uint32_t i = 0; i < num_tasks; i++) {
		assert_int_equal(doca_task_get_user_data(tasks[i]).u64, i);
		doca_task_free(tasks[i]);
	}
}

static void pool_is_made_anew_for_another_size(void **state)
{
	static const uint32_t sizes[] = { 1, MAX_TASKS, 3, 3 };
	struct probe_rig *rig = *state;

	for (size_t i = 0; i < CORE_ARRAY_LEN(sizes); i++) {
		assert_success(configure(rig, heard_on_success, heard_on_error, sizes[i]));
		probe_rig_start(rig);

		assert_pool_has(rig, sizes[i]);

		assert_success(doca_ctx_stop(rig->ctx));
		assert_heard(&rig->heard, "running>stopping stopping>idle");
	}
}

static void tasks_kept_over_a_restart_stay_the_applications(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *kept;
	struct doca_task *task;

	assert_success(configure(rig, heard_on_success, heard_on_error, 2));
	probe_rig_start(rig);
	kept = probe_rig_alloc(rig, 1);

	restart(rig);

	task = probe_rig_alloc(rig, 2);
	assert_ptr_not_equal(task, kept);
	assert_success(doca_task_submit(kept));
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
	doca_task_free(task);
}

static void tasks_kept_over_a_stop_keep_the_size_of_their_pool(void **state)
{
	struct probe_rig *rig = *state;
	struct doca_task *kept;

	probe_rig_start(rig);
	kept = probe_rig_alloc(rig, 1);
	assert_success(doca_ctx_stop(rig->ctx));
	assert_success(configure(rig, heard_on_success, heard_on_error, MAX_TASKS));
	assert_heard(&rig->heard, "running>stopping stopping>idle");

	assert_refused(doca_ctx_start(rig->ctx), DOCA_ERROR_BAD_STATE, "not freed yet");

	probe_rig_assert_state(rig, DOCA_CTX_STATE_IDLE);
	doca_task_free(kept);
	probe_rig_start(rig);
	assert_int_equal(rig->probe->pool.num_filled, MAX_TASKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(bad_configuration_is_refused_and_changes_nothing),
		PROBE_TEST(empty_pool_is_no_line_in_the_log),
		PROBE_TEST(configuration_that_comes_last_wins),
		TEST(tasks_of_a_pool_that_is_not_configured_are_refused),
		PROBE_TEST(each_task_has_cache_lines_of_its_own),
		PROBE_TEST(task_freed_last_is_given_first),
		PROBE_TEST(task_is_given_without_the_status_of_its_last_use),
		PROBE_TEST(pool_is_kept_from_run_to_run),
		PROBE_TEST(pool_is_made_anew_for_another_size),
		PROBE_TEST_FREEING(tasks_kept_over_a_restart_stay_the_applications),
		PROBE_TEST_FREEING(tasks_kept_over_a_stop_keep_the_size_of_their_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
