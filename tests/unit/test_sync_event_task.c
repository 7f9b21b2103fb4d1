/* SPDX-License-Identifier: BSD-3-Clause */

/* The five kinds of tasks of a sync event: what they do, in which order, and what they refuse. */

#include <stdio.h>

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define MAX_TASKS 65536

static struct sync_rig rig;

static int begin(void **state)
{
	test_begin(state);
	sync_rig_init(&rig, NULL);
	return 0;
}

static int end(void **state)
{
	sync_rig_fini(&rig);
	return test_end(state);
}

static const union doca_data no_data = { .u64 = 0 };
static const struct sync_args anything = { .value = 1, .mask = 0xff };

static void set_number(uint64_t number)
{
	assert_success(doca_sync_event_update_set(rig.event, number));
}

/* --- what they do --- */

static void tasks_act_when_progress_drives_them(void **state)
{
	uint64_t got = 99, before = 99;

	(void)state;
	set_number(3);
	(void)sync_rig_submit(&rig, SYNC_GET, &(struct sync_args){ .result = &got }, 1);
	(void)sync_rig_submit(&rig, SYNC_SET, &(struct sync_args){ .value = UINT64_MAX }, 2);
	(void)sync_rig_submit(&rig, SYNC_ADD, &(struct sync_args){ .value = 5, .result = &before },
			      3);
	(void)sync_rig_submit(&rig, SYNC_ADD, &(struct sync_args){ .value = 2 }, 4);
	assert_int_equal(sync_event_number(rig.event), 3);
	assert_int_equal(got, 99);

	assert_hears(&rig.heard, rig.pe, "ok(1)");
	assert_int_equal(got, 3);
	assert_hears(&rig.heard, rig.pe, "ok(2)");
	assert_int_equal(sync_event_number(rig.event), UINT64_MAX);
	assert_hears(&rig.heard, rig.pe, "ok(3)");
	assert_int_equal(before, UINT64_MAX);
	assert_hears(&rig.heard, rig.pe, "ok(4)");
	assert_int_equal(sync_event_number(rig.event), 6);
}

static void tasks_act_in_the_order_of_their_submission(void **state)
{
	uint64_t got[4], before;

	(void)state;
	(void)sync_rig_submit(&rig, SYNC_GET, &(struct sync_args){ .result = &got[0] }, 1);
	(void)sync_rig_submit(&rig, SYNC_SET, &(struct sync_args){ .value = 10 }, 2);
	(void)sync_rig_submit(&rig, SYNC_GET, &(struct sync_args){ .result = &got[1] }, 3);
	(void)sync_rig_submit(&rig, SYNC_ADD, &(struct sync_args){ .value = 1, .result = &before },
			      4);
	(void)sync_rig_submit(&rig, SYNC_GET, &(struct sync_args){ .result = &got[2] }, 5);
	(void)sync_rig_submit(&rig, SYNC_SET, &(struct sync_args){ .value = 20 }, 6);
	(void)sync_rig_submit(&rig, SYNC_GET, &(struct sync_args){ .result = &got[3] }, 7);

	assert_hears(&rig.heard, rig.pe, "ok(1) ok(2) ok(3) ok(4) ok(5) ok(6) ok(7)");
	assert_int_equal(got[0], 0);
	assert_int_equal(got[1], 10);
	assert_int_equal(before, 10);
	assert_int_equal(got[2], 11);
	assert_int_equal(got[3], 20);
}

static void wait_that_is_not_over_is_no_progress(void **state)
{
	size_t num_inflight;

	(void)state;
	sync_rig_wait(&rig, 5, 1);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(doca_pe_progress(rig.pe), 0);
	assert_success(doca_ctx_get_num_inflight_tasks(rig.ctx, &num_inflight));
	assert_int_equal(num_inflight, 1);
	set_number(5);
	assert_int_equal(doca_pe_progress(rig.pe), 1);
	assert_heard(&rig.heard, "ok(1)");
}

static void wait_that_is_not_over_leaves_the_call_to_others(void **state)
{
	struct doca_sync_event *other = sync_event_create(rig.dev);
	struct doca_ctx *ctx = doca_sync_event_as_ctx(other);
	const struct sync_args args = { .value = 3 };
	struct doca_task *task;
	struct heard heard;

	(void)state;
	heard_init(&heard, ctx);
	assert_success(sync_calls[SYNC_SET].set_conf(other, heard_on_success, heard_on_error, 1));
	assert_success(doca_pe_connect_ctx(rig.pe, ctx));
	assert_success(doca_ctx_start(ctx));
	sync_rig_wait(&rig, 5, 1);
	for (int i = 0; i < 4; i++) {
		assert_success(sync_calls[SYNC_SET].alloc(other, &args, no_data, &task));
		assert_success(doca_task_submit(task));
		assert_int_equal(doca_pe_progress(rig.pe), 1); /* whosever turn it is */
	}
	assert_success(doca_ctx_stop(ctx));
	assert_heard(&heard, "idle>running ok(0) ok(0) ok(0) ok(0) running>stopping stopping>idle");
	assert_success(doca_sync_event_destroy(other));
}

static void wait_ends_with_a_task_of_the_same_context(void **state)
{
	(void)state;
	sync_rig_wait(&rig, 7, 1);
	(void)sync_rig_submit(&rig, SYNC_SET, &(struct sync_args){ .value = 7 }, 2);
	assert_hears(&rig.heard, rig.pe, "ok(2) ok(1)");
}

static void waits_that_end_together_are_told_in_order(void **state)
{
	const struct sync_args not_0 = { .value = 0, .mask = UINT64_MAX };

	(void)state;
	sync_rig_wait(&rig, 5, 1);
	sync_rig_wait(&rig, 6, 2);
	(void)sync_rig_submit(&rig, SYNC_WAIT_NEQ, &not_0, 3);
	sync_rig_wait(&rig, 5, 4);
	assert_int_equal(doca_pe_progress(rig.pe), 0);
	set_number(5);
	assert_hears(&rig.heard, rig.pe, "ok(1) ok(3) ok(4)");
	set_number(6);
	assert_hears(&rig.heard, rig.pe, "ok(2)");
}

static void value_that_comes_and_goes_between_two_looks_ends_no_wait(void **state)
{
	(void)state;
	sync_rig_wait(&rig, 5, 1);
	set_number(5);
	set_number(4);
	assert_int_equal(doca_pe_progress(rig.pe), 0);
	set_number(5);
	assert_hears(&rig.heard, rig.pe, "ok(1)");
}

/* The mask is applied to the number alone. */
static const struct {
	uint64_t value, mask, number;
	int is_eq;
} comparisons[] = {
	{ 5, UINT64_MAX, 5, 1 },
	{ 5, UINT64_MAX, UINT64_C(1) << 32 | 5, 0 },
	{ 5, 0xff, UINT64_C(0xffffffffffffff05), 1 },
	{ 5, 0xff00, 5, 0 },
	{ 0x500, 0xff00, 0x1234567812340578, 1 },
	{ 0x501, 0xff00, 0x501, 0 },
	{ 0, 0, UINT64_MAX, 1 },
	{ 1, 0, 1, 0 },
	{ UINT64_C(0xab) << 56, UINT64_C(0xff) << 56, UINT64_C(0xab00000000000001), 1 },
	{ UINT64_C(0xabcdef01) << 32, UINT64_C(0xffffffff) << 32, UINT64_C(0xabcdef0100000001), 1 },
	{ UINT64_C(0xabcdef01) << 32, UINT64_C(0xffffffff) << 32, UINT64_C(0xabcdef0200000000), 0 },
};

static void waits_compare_the_masked_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		const struct sync_args args = { .value = comparisons[i].value,
						.mask = comparisons[i].mask };
		const int is_eq = comparisons[i].is_eq;

		assert_success(doca_ctx_stop(rig.ctx));
		assert_success(doca_ctx_start(rig.ctx));
		assert_heard(&rig.heard, "running>stopping stopping>idle idle>running");
		set_number(comparisons[i].number);
		(void)sync_rig_submit(&rig, SYNC_WAIT_EQ, &args, 1);
		(void)sync_rig_submit(&rig, SYNC_WAIT_NEQ, &args, 2);
		assert_int_equal(doca_pe_progress(rig.pe), 1);
		assert_heard(&rig.heard, is_eq ? "ok(1)" : "ok(2)");
		assert_int_equal(doca_pe_progress(rig.pe), 0);
		assert_error(doca_ctx_stop(rig.ctx), DOCA_ERROR_IN_PROGRESS);
		assert_hears(&rig.heard, rig.pe,
			     is_eq ? "running>stopping IO_FAILED(2) stopping>idle"
				   : "running>stopping IO_FAILED(1) stopping>idle");
		assert_success(doca_ctx_start(rig.ctx));
		assert_heard(&rig.heard, "idle>running");
	}
}

/* --- masks --- */

static void wait_takes_every_mask_that_is_one_aligned_field(void **state)
{
	(void)state;
	for (int kind = SYNC_WAIT_EQ; kind <= SYNC_WAIT_NEQ; kind++) {
		for (unsigned int bits = 8; bits <= 64; bits *= 2) {
			for (unsigned int at = 0; at < 64; at += bits) {
				/* The number is 0: an eq is so, and a neq of a 1 is so. */
				const struct sync_args args = { .value = kind == SYNC_WAIT_NEQ,
								.mask = UINT64_MAX >> (64 - bits)
											  << at };

				(void)sync_rig_submit(&rig, kind, &args, 1);
				assert_hears(&rig.heard, rig.pe, "ok(1)");
			}
		}
		(void)sync_rig_submit(&rig, kind,
				      &(struct sync_args){ .value = kind == SYNC_WAIT_NEQ }, 1);
		assert_hears(&rig.heard, rig.pe, "ok(1)");
	}
}

static void wait_refuses_every_other_mask(void **state)
{
	static const uint64_t masks[] = {
		1,
		0x7f,
		0x0f,
		0xfe,
		0x1ff,
		0xff0,
		0xffff00,
		0xffffff,
		0xff00ff,
		UINT64_C(0xffff) << 8,
		UINT64_C(0xffff) << 40,
		UINT64_C(0xffff) << 24,
		UINT64_C(0xffffffff) << 8,
		UINT64_C(0xffffffff) << 16,
		UINT64_C(0xffffffff) << 24,
		UINT64_C(0xffffffffff),
		UINT64_C(0xffffffffffff),
		UINT64_MAX << 8,
		UINT64_MAX - 1,
		UINT64_MAX >> 1,
		UINT64_C(0xff000000000000ff),
	};

	(void)state;
	for (int kind = SYNC_WAIT_EQ; kind <= SYNC_WAIT_NEQ; kind++) {
		for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
			const struct sync_args args = { .mask = masks[i] };
			struct doca_task *task = sync_rig_alloc(&rig, kind, &args, 1);

			assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "mask");
			assert_refused(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE,
				       "mask");
			doca_task_free(task);
		}
	}
	assert_int_equal(doca_pe_progress(rig.pe), 0);
}

static void task_that_was_refused_can_be_mended(void **state)
{
	struct doca_sync_event_task_wait_eq *wait;
	struct doca_sync_event_task_get *get;
	uint64_t got = 99;

	(void)state;
	assert_success(doca_sync_event_task_get_alloc_init(rig.event, NULL, no_data, &get));
	assert_refused(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)),
		       DOCA_ERROR_INVALID_VALUE, "nowhere");
	doca_sync_event_task_get_set_ret_val_ptr(get, &got);
	assert_success(doca_task_submit(doca_sync_event_task_get_as_doca_task(get)));
	assert_success(doca_sync_event_task_wait_eq_alloc_init(
	    rig.event, 1, 1, (union doca_data){ .u64 = 1 }, &wait));
	assert_refused(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(wait)),
		       DOCA_ERROR_INVALID_VALUE, "mask");
	doca_sync_event_task_wait_eq_set_mask(wait, 0xff);
	doca_sync_event_task_wait_eq_set_wait_val(wait, 0);
	assert_success(doca_task_submit(doca_sync_event_task_wait_eq_as_doca_task(wait)));
	assert_hears(&rig.heard, rig.pe, "ok(1) ok(0)");
	assert_int_equal(got, 0);
}

/* --- ends --- */

static void stop_flushes_what_is_submitted_and_does_none_of_it(void **state)
{
	uint64_t got = 99, cell = 3;
	struct sync_rig over_cell;

	(void)state;
	sync_rig_init(&over_cell, &cell);
	sync_rig_wait(&over_cell, 3, 1); /* is over, but nobody has looked */
	(void)sync_rig_submit(&over_cell, SYNC_SET, &(struct sync_args){ .value = 9 }, 2);
	(void)sync_rig_submit(&over_cell, SYNC_GET, &(struct sync_args){ .result = &got }, 3);
	sync_rig_wait(&over_cell, 4, 4);
	(void)sync_rig_submit(&over_cell, SYNC_ADD, &(struct sync_args){ .value = 9 }, 5);

	assert_error(doca_ctx_stop(over_cell.ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&over_cell.heard, over_cell.pe,
		     "running>stopping IO_FAILED(2) IO_FAILED(3) IO_FAILED(5) "
		     "IO_FAILED(1) IO_FAILED(4) stopping>idle");
	assert_int_equal(cell, 3);
	assert_int_equal(got, 99);
	sync_rig_fini(&over_cell);
}

static void stop_with_a_wait_leaves_an_event_that_starts_again(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		sync_rig_wait(&rig, 1, 1);
		assert_error(doca_ctx_stop(rig.ctx), DOCA_ERROR_IN_PROGRESS);
		assert_hears(&rig.heard, rig.pe, "running>stopping IO_FAILED(1) stopping>idle");
		assert_success(doca_ctx_start(rig.ctx));
		assert_heard(&rig.heard, "idle>running");
	}
	sync_rig_wait(&rig, 1, 2);
	set_number(1);
	assert_hears(&rig.heard, rig.pe, "ok(2)");
}

/* --- pools --- */

static void each_kind_has_a_pool_of_its_own(void **state)
{
	struct doca_task *tasks[SYNC_NUM_KINDS][SYNC_RIG_NUM_TASKS];
	struct doca_task *more;

	(void)state;
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++) {
		for (int i = 0; i < SYNC_RIG_NUM_TASKS; i++)
			tasks[kind][i] = sync_rig_alloc(&rig, kind, &anything, 1);
		assert_error(sync_calls[kind].alloc(rig.event, &anything, no_data, &more),
			     DOCA_ERROR_NO_MEMORY);
	}
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++) {
		doca_task_free(tasks[kind][3]);
		tasks[kind][3] = sync_rig_alloc(&rig, kind, &anything, 1);
		for (int i = 0; i < SYNC_RIG_NUM_TASKS; i++)
			doca_task_free(tasks[kind][i]);
	}
}

static void kind_that_was_not_configured_has_no_tasks(void **state)
{
	(void)state;
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++) {
		struct doca_sync_event *event = sync_event_create(rig.dev);
		struct doca_ctx *ctx = doca_sync_event_as_ctx(event);
		struct doca_task *task = NULL;

		for (int other = 0; other < SYNC_NUM_KINDS; other++) {
			if (other != kind)
				assert_success(sync_calls[other].set_conf(event, heard_on_success,
									  heard_on_error, 1));
		}
		assert_success(doca_pe_connect_ctx(rig.pe, ctx));
		assert_success(doca_ctx_start(ctx));
		assert_refused(sync_calls[kind].alloc(event, &anything, no_data, &task),
			       DOCA_ERROR_BAD_STATE, sync_calls[kind].name);
		assert_null(task);
		assert_success(doca_ctx_stop(ctx));
		assert_success(doca_sync_event_destroy(event));
	}
}

static void set_conf_takes_1_to_65536_tasks_and_both_callbacks(void **state)
{
	struct doca_sync_event *event = sync_event_create(rig.dev);

	(void)state;
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++) {
		const struct sync_calls *calls = &sync_calls[kind];

		assert_refused(calls->set_conf(event, heard_on_success, heard_on_error, 0),
			       DOCA_ERROR_INVALID_VALUE, calls->name);
		assert_refused(
		    calls->set_conf(event, heard_on_success, heard_on_error, MAX_TASKS + 1),
		    DOCA_ERROR_INVALID_VALUE, calls->name);
		assert_success(calls->set_conf(event, heard_on_success, heard_on_error, 1));
		assert_success(calls->set_conf(event, heard_on_success, heard_on_error, MAX_TASKS));
	}
	assert_success(doca_sync_event_destroy(event));
}

static void set_conf_is_not_permitted_once_started(void **state)
{
	struct doca_sync_event *event = sync_event_create(rig.dev);

	(void)state;
	assert_success(doca_sync_event_start(event));
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++) {
		const struct sync_calls *calls = &sync_calls[kind];

		assert_refused(calls->set_conf(rig.event, heard_on_success, heard_on_error, 1),
			       DOCA_ERROR_NOT_PERMITTED, "running");
		assert_refused(calls->set_conf(event, heard_on_success, heard_on_error, 1),
			       DOCA_ERROR_NOT_PERMITTED, "started");
		assert_refused(calls->set_conf(event, NULL, heard_on_error, 1),
			       DOCA_ERROR_INVALID_VALUE, "callbacks");
	}
	assert_success(doca_sync_event_destroy(event));
}

/* Many waits, of which every second one ends: the others must stay in order. */
static void large_pool_of_waits_loses_none(void **state)
{
	enum {
		NUM = 1000
	};
	unsigned int num_heard = 0;

	(void)state;
	assert_success(doca_ctx_stop(rig.ctx));
	assert_success(
	    sync_calls[SYNC_WAIT_EQ].set_conf(rig.event, heard_on_success, heard_on_error, NUM));
	assert_success(doca_ctx_start(rig.ctx));
	assert_heard(&rig.heard, "running>stopping stopping>idle idle>running");
	for (uint64_t i = 0; i < NUM; i++)
		sync_rig_wait(&rig, 1 + i % 2, i);
	for (uint64_t value = 1; value <= 2; value++) {
		set_number(value);
		for (uint64_t i = value - 1; i < NUM; i += 2, num_heard++) {
			char word[32];

			(void)snprintf(word, sizeof(word), "ok(%u)", (unsigned int)i);
			assert_hears(&rig.heard, rig.pe, word);
		}
		assert_int_equal(doca_pe_progress(rig.pe), 0);
	}
	assert_int_equal(num_heard, NUM);
}

#define TASK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TASK_TEST(tasks_act_when_progress_drives_them),
		TASK_TEST(tasks_act_in_the_order_of_their_submission),
		TASK_TEST(wait_that_is_not_over_is_no_progress),
		TASK_TEST(wait_that_is_not_over_leaves_the_call_to_others),
		TASK_TEST(wait_ends_with_a_task_of_the_same_context),
		TASK_TEST(waits_that_end_together_are_told_in_order),
		TASK_TEST(value_that_comes_and_goes_between_two_looks_ends_no_wait),
		TASK_TEST(waits_compare_the_masked_number),
		TASK_TEST(wait_takes_every_mask_that_is_one_aligned_field),
		TASK_TEST(wait_refuses_every_other_mask),
		TASK_TEST(task_that_was_refused_can_be_mended),
		TASK_TEST(stop_flushes_what_is_submitted_and_does_none_of_it),
		TASK_TEST(stop_with_a_wait_leaves_an_event_that_starts_again),
		TASK_TEST(each_kind_has_a_pool_of_its_own),
		TASK_TEST(kind_that_was_not_configured_has_no_tasks),
		TASK_TEST(set_conf_takes_1_to_65536_tasks_and_both_callbacks),
		TASK_TEST(set_conf_is_not_permitted_once_started),
		TASK_TEST(large_pool_of_waits_loses_none),
	};

	return cmocka_run_group_tests_name("sync_event_task", tests, NULL, NULL);
}
