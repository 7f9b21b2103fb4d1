/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that share an engine: who is driven, who is heard, and who may leave in between. */
#include "core/pe.h"
#include "probe_rig.h"

#define NUM_RIGS  3
#define NUM_CALLS 300

/* Contexts that share the engine of the first one. */
struct rigs {
	struct probe_rig at[NUM_RIGS];
};

static int rigs_begin(void **state)
{
	static struct rigs rigs;

	test_begin(state);
	probe_rig_init(&rigs.at[0]);
	for (unsigned int i = 1; i < NUM_RIGS; i++)
		probe_rig_add(&rigs.at[i], &rigs.at[0]);
	*state = &rigs;
	return 0;
}

static int rigs_end(void **state)
{
	struct rigs *rigs = *state;

	for (unsigned int i = NUM_RIGS; i > 0; i--)
		probe_rig_fini(&rigs->at[i - 1]);
	return test_end(state);
}

#define RIGS_TEST(name) cmocka_unit_test_setup_teardown(name, rigs_begin, rigs_end)

static void rigs_start(struct rigs *rigs)
{
	for (unsigned int i = 0; i < NUM_RIGS; i++)
		probe_rig_start(&rigs->at[i]);
}

/* A task that is in flight again, and completed, before its callback is over. */
static void run_again(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;

	assert_success(doca_task_submit(heard->task));
	if (!rig->probe->completes_in_progress)
		probe_complete(rig->probe, DOCA_SUCCESS);
}

static void make_busy(struct probe_rig *rig)
{
	rig->heard.on_task = run_again;
	probe_rig_submit(rig, 1);
	if (!rig->probe->completes_in_progress)
		probe_complete(rig->probe, DOCA_SUCCESS);
}

static void each_context_is_driven_while_one_is_busy(void **state)
{
	struct rigs *rigs = *state;

	rigs_start(rigs);
	make_busy(&rigs->at[0]);

	for (unsigned int i = 0; i < NUM_CALLS; i++)
		assert_int_equal(doca_pe_progress(rigs->at[0].pe), 1);

	for (unsigned int i = 0; i < NUM_RIGS; i++)
		assert_in_range(rigs->at[i].probe->num_progresses, NUM_CALLS / NUM_RIGS,
				2 * NUM_CALLS);
}

static void each_context_is_driven_when_none_is_busy(void **state)
{
	struct rigs *rigs = *state;

	rigs_start(rigs);

	assert_int_equal(doca_pe_progress(rigs->at[0].pe), 0);

	for (unsigned int i = 0; i < NUM_RIGS; i++)
		assert_int_equal(rigs->at[i].probe->num_progresses, 1);
}

static void context_that_has_worked_ends_the_call(void **state)
{
	struct rigs *rigs = *state;

	rigs_start(rigs);
	for (unsigned int i = 0; i < NUM_RIGS; i++)
		rigs->at[i].probe->works_in_vain = true;

	for (unsigned int i = 0; i < NUM_CALLS; i++)
		assert_int_equal(doca_pe_progress(rigs->at[0].pe), 0);

	for (unsigned int i = 0; i < NUM_RIGS; i++)
		assert_int_equal(rigs->at[i].probe->num_progresses, NUM_CALLS / NUM_RIGS);
}

static void contexts_that_are_all_busy_are_heard_in_turn(void **state)
{
	struct rigs *rigs = *state;

	rigs_start(rigs);
	for (unsigned int i = 0; i < NUM_RIGS; i++)
		make_busy(&rigs->at[i]);

	for (unsigned int i = 0; i < NUM_CALLS; i++)
		assert_int_equal(doca_pe_progress(rigs->at[0].pe), 1);

	for (unsigned int i = 0; i < NUM_RIGS; i++)
		assert_int_equal(rigs->at[i].heard.num_words, NUM_CALLS / NUM_RIGS);
}

static void context_with_many_completions_lets_others_be_heard(void **state)
{
	struct rigs *rigs = *state;
	struct probe_rig *many = &rigs->at[0];
	struct probe_rig *one = &rigs->at[1];

	rigs_start(rigs);
	probe_rig_submit(many, PROBE_RIG_NUM_TASKS);
	probe_rig_submit(one, 1);
	for (unsigned int i = 0; i < PROBE_RIG_NUM_TASKS; i++)
		probe_complete(many->probe, DOCA_SUCCESS);
	probe_complete(one->probe, DOCA_SUCCESS);

	(void)doca_pe_progress(many->pe);
	(void)doca_pe_progress(many->pe);

	assert_heard(&one->heard, "ok(1)");
}

static void work_that_progress_finds_is_heard_in_the_same_call(void **state)
{
	struct rigs *rigs = *state;

	rigs_start(rigs);
	rigs->at[2].probe->completes_in_progress = true;
	probe_rig_submit(&rigs->at[2], 1);

	assert_int_equal(doca_pe_progress(rigs->at[0].pe), 1);

	assert_heard(&rigs->at[2].heard, "ok(1)");
}

/* Destroys the IDLE context of the rig that is its listener's owner. */
static void destroy_owner(struct heard *heard)
{
	probe_rig_destroy_probe(heard->owner);
	doca_task_free(heard->task);
}

/* at[0] is heard and destroys another context; the one that is left is driven all the same. */
static void destroy_from_callback(struct rigs *rigs, unsigned int victim, unsigned int left)
{
	probe_rig_start(&rigs->at[0]);
	probe_rig_start(&rigs->at[left]);
	probe_rig_submit(&rigs->at[0], 1);
	probe_complete(rigs->at[0].probe, DOCA_SUCCESS);
	rigs->at[0].heard.on_task = destroy_owner;
	rigs->at[0].heard.owner = &rigs->at[victim];

	assert_hears(&rigs->at[0].heard, rigs->at[0].pe, "ok(1)");

	assert_null(rigs->at[victim].probe);
	rigs->at[left].probe->num_progresses = 0;
	assert_int_equal(doca_pe_progress(rigs->at[0].pe), 0);
	assert_int_equal(rigs->at[left].probe->num_progresses, 1);
}

static void next_context_can_be_destroyed_in_a_callback(void **state)
{
	destroy_from_callback(*state, 1, 2);
}

static void last_context_can_be_destroyed_in_a_callback(void **state)
{
	destroy_from_callback(*state, 2, 1);
}

static void first_context_can_be_removed_in_its_turn(void **state)
{
	struct rigs *rigs = *state;
	struct doca_pe *pe = rigs->at[0].pe;

	probe_rig_start(&rigs->at[1]);
	pe->turn = rigs->at[0].ctx;

	probe_rig_destroy_probe(&rigs->at[0]);

	assert_int_equal(doca_pe_progress(pe), 0);
	assert_int_equal(rigs->at[1].probe->num_progresses, 1);
}

static void removed_context_leaves_the_turn_to_the_next(void **state)
{
	struct rigs *rigs = *state;
	struct doca_pe *pe = rigs->at[0].pe;

	probe_rig_start(&rigs->at[2]);
	pe->turn = rigs->at[1].ctx;

	probe_rig_destroy_probe(&rigs->at[1]);

	assert_ptr_equal(pe->turn, rigs->at[2].ctx);
	assert_int_equal(doca_pe_progress(pe), 0);
	assert_int_equal(rigs->at[2].probe->num_progresses, 1);
}

static void last_context_takes_its_turn_with_it(void **state)
{
	struct rigs *rigs = *state;
	struct doca_pe *pe = rigs->at[0].pe;

	pe->turn = rigs->at[2].ctx;

	probe_rig_destroy_probe(&rigs->at[2]);

	assert_null(pe->turn);
	assert_int_equal(doca_pe_progress(pe), 0);
}

static void stop_owner(struct heard *heard)
{
	struct probe_rig *other = heard->owner;

	heard->result = doca_ctx_stop(other->ctx);
	doca_task_free(heard->task);
}

static void context_with_something_to_say_can_be_stopped_in_a_callback(void **state)
{
	struct rigs *rigs = *state;
	struct probe_rig *other = &rigs->at[1];

	rigs_start(rigs);
	probe_rig_submit(&rigs->at[0], 1);
	probe_rig_submit(other, 1);
	probe_complete(rigs->at[0].probe, DOCA_SUCCESS);
	probe_complete(other->probe, DOCA_SUCCESS);
	rigs->at[0].heard.on_task = stop_owner;
	rigs->at[0].heard.owner = other;

	assert_hears(&rigs->at[0].heard, other->pe, "ok(1)");

	assert_int_equal(rigs->at[0].heard.result, DOCA_ERROR_IN_PROGRESS);
	assert_hears(&other->heard, other->pe, "running>stopping ok(1) stopping>idle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIGS_TEST(each_context_is_driven_while_one_is_busy),
		RIGS_TEST(each_context_is_driven_when_none_is_busy),
		RIGS_TEST(context_that_has_worked_ends_the_call),
		RIGS_TEST(contexts_that_are_all_busy_are_heard_in_turn),
		RIGS_TEST(context_with_many_completions_lets_others_be_heard),
		RIGS_TEST(work_that_progress_finds_is_heard_in_the_same_call),
		RIGS_TEST(next_context_can_be_destroyed_in_a_callback),
		RIGS_TEST(last_context_can_be_destroyed_in_a_callback),
		RIGS_TEST(first_context_can_be_removed_in_its_turn),
		RIGS_TEST(removed_context_leaves_the_turn_to_the_next),
		RIGS_TEST(last_context_takes_its_turn_with_it),
		RIGS_TEST(context_with_something_to_say_can_be_stopped_in_a_callback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
