/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that want to be driven at a time of their own, although no event comes. */
#include "probe_rig.h"

#define MS_IN_NS    UINT64_C(1000000)
#define PATIENCE_MS 10000

static void handle_wakes_after_the_delay_of_a_context(void **state)
{
	struct probe_rig *rig = *state;
	uint64_t delay_ns = 20 * MS_IN_NS;
	uint64_t armed_ns;

	probe_rig_start(rig);
	rig->probe->arm_delay_ns = delay_ns;
	armed_ns = test_now_ns();

	probe_rig_arm(rig);

	assert_true(probe_rig_is_readable(rig, PATIENCE_MS));
	assert_true(test_now_ns() - armed_ns >= delay_ns);
	probe_rig_clear(rig);
	assert_false(probe_rig_is_readable(rig, 0));
}

static void shortest_delay_wins(void **state)
{
	struct probe_rig *rig = *state;
	static struct probe_rig other;

	probe_rig_add(&other, rig);
	probe_rig_start(rig);
	probe_rig_start(&other);
	rig->probe->arm_delay_ns = 3600 * 1000 * MS_IN_NS;
	other.probe->arm_delay_ns = MS_IN_NS;

	probe_rig_arm(rig);

	assert_true(probe_rig_is_readable(rig, PATIENCE_MS));
	assert_int_equal(rig->probe->num_arms, 1);
	assert_int_equal(other.probe->num_arms, 1);
	probe_rig_fini(&other);
}

static void context_that_has_work_now_beats_every_delay(void **state)
{
	struct probe_rig *rig = *state;
	static struct probe_rig other;

	probe_rig_add(&other, rig);
	probe_rig_start(rig);
	probe_rig_start(&other);
	rig->probe->arm_delay_ns = 3600 * 1000 * MS_IN_NS;
	other.probe->completes_in_progress = true;
	probe_rig_submit(&other, 1);

	probe_rig_arm(rig);

	assert_true(probe_rig_is_readable(rig, 0));
	probe_rig_fini(&other);
}

static void longest_delay_can_be_set(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->probe->arm_delay_ns = CORE_ARM_NEVER - 1;

	probe_rig_arm(rig);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void idle_contexts_are_not_asked_for_their_delay(void **state)
{
	struct probe_rig *rig = *state;

	rig->probe->arm_delay_ns = 1;

	probe_rig_arm(rig);

	assert_int_equal(rig->probe->num_arms, 0);
	assert_false(probe_rig_is_readable(rig, 0));
}

static void kind_without_arm_never_wakes_by_time(void **state)
{
	struct probe_rig *rig = *state;

	rig->ops.arm = NULL;
	probe_rig_start(rig);

	probe_rig_arm(rig);

	assert_false(probe_rig_is_readable(rig, 0));
}

/* Armed for a delay, and woken by something else before it is over. */
static void wake_before_the_delay(struct probe_rig *rig)
{
	probe_rig_start(rig);
	probe_rig_submit(rig, 1);
	rig->probe->arm_delay_ns = 10 * MS_IN_NS;
	probe_rig_arm(rig);
	probe_complete(rig->probe, DOCA_SUCCESS);
	assert_true(probe_rig_is_readable(rig, 0));
}

static void clear_takes_the_delay_back(void **state)
{
	struct probe_rig *rig = *state;

	wake_before_the_delay(rig);

	probe_rig_clear(rig);

	assert_hears(&rig->heard, rig->pe, "ok(1)");
	assert_false(probe_rig_is_readable(rig, 50));
}

static void arming_without_a_delay_takes_the_last_one_back(void **state)
{
	struct probe_rig *rig = *state;

	wake_before_the_delay(rig);
	probe_rig_clear(rig);
	assert_hears(&rig->heard, rig->pe, "ok(1)");
	rig->probe->arm_delay_ns = CORE_ARM_NEVER;

	probe_rig_arm(rig);

	assert_false(probe_rig_is_readable(rig, 50));
}

static void delay_that_went_off_is_cleared_by_arming_in_mode_all(void **state)
{
	struct probe_rig *rig = *state;

	assert_success(doca_pe_set_event_mode(rig->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	probe_rig_start(rig);
	rig->probe->arm_delay_ns = MS_IN_NS;
	probe_rig_arm(rig);
	assert_true(probe_rig_is_readable(rig, PATIENCE_MS));
	rig->probe->arm_delay_ns = CORE_ARM_NEVER;

	probe_rig_arm(rig);

	assert_false(probe_rig_is_readable(rig, 0));
}

static void context_that_starts_after_arming_wakes_for_its_delay(void **state)
{
	struct probe_rig *rig = *state;

	rig->probe->arm_delay_ns = MS_IN_NS;
	probe_rig_arm(rig);
	assert_false(probe_rig_is_readable(rig, 0));

	probe_rig_start(rig);

	assert_true(probe_rig_is_readable(rig, PATIENCE_MS));
}

static void context_that_stops_after_arming_wakes_for_its_delay(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	probe_rig_arm(rig);
	rig->probe->arm_delay_ns = MS_IN_NS;
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;

	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);

	assert_true(probe_rig_is_readable(rig, PATIENCE_MS));
	assert_heard(&rig->heard, "running>stopping");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PROBE_TEST(handle_wakes_after_the_delay_of_a_context),
		PROBE_TEST(shortest_delay_wins),
		PROBE_TEST(context_that_has_work_now_beats_every_delay),
		PROBE_TEST(longest_delay_can_be_set),
		PROBE_TEST(idle_contexts_are_not_asked_for_their_delay),
		PROBE_TEST(kind_without_arm_never_wakes_by_time),
		PROBE_TEST(clear_takes_the_delay_back),
		PROBE_TEST(arming_without_a_delay_takes_the_last_one_back),
		PROBE_TEST(delay_that_went_off_is_cleared_by_arming_in_mode_all),
		PROBE_TEST(context_that_starts_after_arming_wakes_for_its_delay),
		PROBE_TEST(context_that_stops_after_arming_wakes_for_its_delay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
