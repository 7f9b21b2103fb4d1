/* SPDX-License-Identifier: BSD-3-Clause */

/* The arguments of a sync event's tasks: what is read is what was set, and when they may be set. */

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define VALUE UINT64_C(0x0123456789abcdef)
#define OTHER UINT64_C(0xfedcba9876543210)
#define MASK  UINT64_C(0xffff0000)

static struct sync_rig rig;
static uint64_t here, there;

static int begin(void **state)
{
	test_begin(state);
	sync_rig_init(&rig, NULL);
	rig.heard.on_task = heard_keep_task;
	return 0;
}

static int end(void **state)
{
	sync_rig_fini(&rig);
	return test_end(state);
}

static const union doca_data data = { .u64 = 7 };

/* The setter that was called has logged one line, for the task is in flight. */
#define assert_unsettable(part) test_take_log(part)

static void assert_is_of_the_rig(struct doca_task *task)
{
	assert_non_null(task);
	assert_ptr_equal(doca_task_get_ctx(task), rig.ctx);
	assert_int_equal(doca_task_get_user_data(task).u64, 7);
}

static void get_task_has_its_pointer(void **state)
{
	struct doca_sync_event_task_get *get;
	struct doca_task *task;

	(void)state;
	assert_success(doca_sync_event_task_get_alloc_init(rig.event, &here, data, &get));
	task = doca_sync_event_task_get_as_doca_task(get);
	assert_is_of_the_rig(task);
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(get), &here);
	doca_sync_event_task_get_set_ret_val_ptr(get, &there);
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(get), &there);

	assert_success(doca_task_submit(task));
	doca_sync_event_task_get_set_ret_val_ptr(get, &here);
	assert_unsettable("doca_sync_event_task_get_set_ret_val_ptr");
	assert_ptr_equal(doca_sync_event_task_get_get_ret_val_ptr(get), &there);
	assert_hears(&rig.heard, rig.pe, "ok(7)");
	doca_task_free(task);
}

static void set_task_has_its_value(void **state)
{
	struct doca_sync_event_task_notify_set *set;
	struct doca_task *task;

	(void)state;
	assert_success(doca_sync_event_task_notify_set_alloc_init(rig.event, VALUE, data, &set));
	task = doca_sync_event_task_notify_set_as_doca_task(set);
	assert_is_of_the_rig(task);
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(set), VALUE);
	doca_sync_event_task_notify_set_set_set_val(set, OTHER);
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(set), OTHER);

	assert_success(doca_task_submit(task));
	doca_sync_event_task_notify_set_set_set_val(set, VALUE);
	assert_unsettable("doca_sync_event_task_notify_set_set_set_val");
	assert_hears(&rig.heard, rig.pe, "ok(7)");
	assert_int_equal(sync_event_number(rig.event), OTHER);
	doca_task_free(task);
}

static void add_task_has_its_increment_and_its_pointer(void **state)
{
	struct doca_sync_event_task_notify_add *add;
	struct doca_task *task;

	(void)state;
	assert_success(
	    doca_sync_event_task_notify_add_alloc_init(rig.event, VALUE, &here, data, &add));
	task = doca_sync_event_task_notify_add_as_doca_task(add);
	assert_is_of_the_rig(task);
	assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(add), VALUE);
	assert_ptr_equal(doca_sync_event_task_notify_add_get_fetched_val_ptr(add), &here);
	doca_sync_event_task_notify_add_set_inc_val(add, OTHER);
	doca_sync_event_task_notify_add_set_fetched_val_ptr(add, NULL);
	assert_int_equal(doca_sync_event_task_notify_add_get_inc_val(add), OTHER);
	assert_null(doca_sync_event_task_notify_add_get_fetched_val_ptr(add));

	assert_success(doca_task_submit(task));
	doca_sync_event_task_notify_add_set_inc_val(add, VALUE);
	assert_unsettable("doca_sync_event_task_notify_add_set_inc_val");
	doca_sync_event_task_notify_add_set_fetched_val_ptr(add, &here);
	assert_unsettable("doca_sync_event_task_notify_add_set_fetched_val_ptr");
	assert_hears(&rig.heard, rig.pe, "ok(7)");
	assert_int_equal(sync_event_number(rig.event), OTHER);
	doca_task_free(task);
}

static void wait_eq_task_has_its_value_and_its_mask(void **state)
{
	struct doca_sync_event_task_wait_eq *wait;
	struct doca_task *task;

	(void)state;
	assert_success(
	    doca_sync_event_task_wait_eq_alloc_init(rig.event, VALUE, MASK, data, &wait));
	task = doca_sync_event_task_wait_eq_as_doca_task(wait);
	assert_is_of_the_rig(task);
	assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(wait), VALUE);
	assert_int_equal(doca_sync_event_task_wait_eq_get_mask(wait), MASK);
	doca_sync_event_task_wait_eq_set_wait_val(wait, 0);
	doca_sync_event_task_wait_eq_set_mask(wait, 0xff);
	assert_int_equal(doca_sync_event_task_wait_eq_get_wait_val(wait), 0);
	assert_int_equal(doca_sync_event_task_wait_eq_get_mask(wait), 0xff);

	assert_success(doca_task_submit(task));
	doca_sync_event_task_wait_eq_set_wait_val(wait, VALUE);
	assert_unsettable("doca_sync_event_task_wait_eq_set_wait_val");
	doca_sync_event_task_wait_eq_set_mask(wait, MASK);
	assert_unsettable("doca_sync_event_task_wait_eq_set_mask");
	assert_hears(&rig.heard, rig.pe, "ok(7)");
	doca_task_free(task);
}

static void wait_neq_task_has_its_value_and_its_mask(void **state)
{
	struct doca_sync_event_task_wait_neq *wait;
	struct doca_task *task;

	(void)state;
	assert_success(
	    doca_sync_event_task_wait_neq_alloc_init(rig.event, VALUE, MASK, data, &wait));
	task = doca_sync_event_task_wait_neq_as_doca_task(wait);
	assert_is_of_the_rig(task);
	assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(wait), VALUE);
	assert_int_equal(doca_sync_event_task_wait_neq_get_mask(wait), MASK);
	doca_sync_event_task_wait_neq_set_wait_val(wait, 1);
	doca_sync_event_task_wait_neq_set_mask(wait, 0xff);
	assert_int_equal(doca_sync_event_task_wait_neq_get_wait_val(wait), 1);
	assert_int_equal(doca_sync_event_task_wait_neq_get_mask(wait), 0xff);

	assert_success(doca_task_submit(task));
	doca_sync_event_task_wait_neq_set_wait_val(wait, 0);
	assert_unsettable("doca_sync_event_task_wait_neq_set_wait_val");
	doca_sync_event_task_wait_neq_set_mask(wait, 0);
	assert_unsettable("doca_sync_event_task_wait_neq_set_mask");
	assert_hears(&rig.heard, rig.pe, "ok(7)");
	doca_task_free(task);
}

/* Its fields can be read until another takes its place, as those of other kinds can. */
static void task_that_was_freed_is_readable_and_not_settable(void **state)
{
	struct doca_sync_event_task_notify_set *set;

	(void)state;
	assert_success(doca_sync_event_task_notify_set_alloc_init(rig.event, VALUE, data, &set));
	doca_task_free(doca_sync_event_task_notify_set_as_doca_task(set));
	doca_sync_event_task_notify_set_set_set_val(set, OTHER);
	assert_unsettable("free or in flight");
	assert_int_equal(doca_sync_event_task_notify_set_get_set_val(set), VALUE);
}

static void set_again(struct heard *heard)
{
	/* The public type is a name for the same object. */
	struct doca_sync_event_task_notify_add *add = (void *)heard->task;

	if (doca_sync_event_task_notify_add_get_inc_val(add) == 100)
		return;
	doca_sync_event_task_notify_add_set_inc_val(add, 100);
	heard_submit_again(heard);
}

static void task_can_be_changed_and_submitted_in_its_callback(void **state)
{
	struct doca_sync_event_task_notify_add *add;

	(void)state;
	rig.heard.on_task = set_again;
	assert_success(doca_sync_event_task_notify_add_alloc_init(rig.event, 1, &here, data, &add));
	assert_success(doca_task_submit(doca_sync_event_task_notify_add_as_doca_task(add)));
	assert_hears(&rig.heard, rig.pe, "ok(7) ok(7)");
	assert_int_equal(here, 1);
	assert_int_equal(sync_event_number(rig.event), 101);
	doca_task_free(doca_sync_event_task_notify_add_as_doca_task(add));
}

#define FIELDS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIELDS_TEST(get_task_has_its_pointer),
		FIELDS_TEST(set_task_has_its_value),
		FIELDS_TEST(add_task_has_its_increment_and_its_pointer),
		FIELDS_TEST(wait_eq_task_has_its_value_and_its_mask),
		FIELDS_TEST(wait_neq_task_has_its_value_and_its_mask),
		FIELDS_TEST(task_that_was_freed_is_readable_and_not_settable),
		FIELDS_TEST(task_can_be_changed_and_submitted_in_its_callback),
	};

	return cmocka_run_group_tests_name("sync_event_fields", tests, NULL, NULL);
}
