/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Waiting for a sync event while the engine's thread sleeps. The linker gives pe_event.c our
 * timerfd_settime(), so that the timer that finds plain stores can be taken away: then only a
 * notification wakes, and one that is lost is never made up for.
 */

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/timerfd.h>

#include "core/sync_event.h"
#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define PATIENCE_MS     10000
#define NUM_MEASURED    20
#define TIMER_NS        1000000
#define WAKE_NS         UINT64_C(2000000)
#define NUM_RACES       20000
#define NUM_PLAIN_RACES 200

static bool has_timer = true;
static unsigned int num_timers_set;
static struct itimerspec timer_set_last;

/* The linker's names for what pe_event.c calls, and for what that is. */
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when,
			   struct itimerspec *old);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *when,
			   struct itimerspec *old);

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	num_timers_set++;
	timer_set_last = *when;
	return has_timer ? __real_timerfd_settime(fd, flags, when, old) : 0;
}

/* The number, and its neighbours; in memory of ours, so that it can be stored to. */
static uint64_t cells[3];
#define CELL (&cells[1])

static struct sync_rig rig;

static int begin(void **state)
{
	test_begin(state);
	*CELL = 0;
	has_timer = true;
	sync_rig_init(&rig, CELL);
	return 0;
}

static int begin_without_timer(void **state)
{
	begin(state);
	has_timer = false;
	return 0;
}

static int end(void **state)
{
	has_timer = true;
	sync_rig_fini(&rig);
	return test_end(state);
}

/* A store that the library does not see. */
static void store(uint64_t value)
{
	__atomic_store_n(CELL, value, __ATOMIC_RELEASE);
}

static struct doca_sync_event *other_event_create(uint64_t *cell)
{
	struct doca_sync_event *event = sync_event_create(rig.dev);

	assert_success(doca_sync_event_set_addr(event, cell));
	assert_success(doca_sync_event_start(event));
	return event;
}

/* Sleeps and wakes as an application does, until that was heard. */
static void sleep_and_hear(struct sync_rig *sleeper, const char *words)
{
	uint64_t end_ns = test_now_ns() + PATIENCE_MS * UINT64_C(1000000);

	while (sleeper->heard.num_words == 0) {
		sync_rig_arm(sleeper);
		if (!sync_rig_is_readable(sleeper, PATIENCE_MS) || test_now_ns() > end_ns)
			fail_msg("nothing woke the engine");
		sync_rig_clear(sleeper);
		while (doca_pe_progress(sleeper->pe) != 0)
			continue;
	}
	assert_heard(&sleeper->heard, words);
}

/* --- our own calls, at once --- */

static void set_by_call(struct doca_sync_event *event)
{
	assert_success(doca_sync_event_update_set(event, 1));
}

static void add_by_call(struct doca_sync_event *event)
{
	assert_success(doca_sync_event_update_add(event, 1, NULL));
}

struct change {
	void (*call)(struct doca_sync_event *event);
	struct doca_sync_event *event;
};

static void *change_in_thread(void *argument)
{
	const struct change *change = argument;

	change->call(change->event);
	return NULL;
}

static void change_elsewhere(struct change change)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, change_in_thread, &change), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void call_of_any_thread_on_any_event_wakes_at_once(void **state)
{
	struct doca_sync_event *other = other_event_create(CELL);
	const struct change changes[] = {
		{ set_by_call, rig.event },
		{ add_by_call, rig.event },
		{ set_by_call, other },
		{ add_by_call, other },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i / 2];

		store(0);
		sync_rig_wait(&rig, 1, 1);
		sync_rig_arm(&rig);
		assert_false(sync_rig_is_readable(&rig, 0));
		if (i % 2 == 0)
			change->call(change->event);
		else
			change_elsewhere(*change);
		assert_true(sync_rig_is_readable(&rig, 0));
		sync_rig_clear(&rig);
		assert_hears(&rig.heard, rig.pe, "ok(1)");
	}
	assert_success(doca_sync_event_destroy(other));
}

static void task_of_another_engine_wakes_at_once(void **state)
{
	struct sync_rig other;

	(void)state;
	sync_rig_init(&other, CELL);
	for (int kind = SYNC_SET; kind <= SYNC_ADD; kind++) {
		store(0);
		sync_rig_wait(&rig, 1, 1);
		sync_rig_arm(&rig);
		(void)sync_rig_submit(&other, kind, &(struct sync_args){ .value = 1 }, 2);
		assert_false(sync_rig_is_readable(&rig, 0));
		assert_hears(&other.heard, other.pe, "ok(2)");
		assert_true(sync_rig_is_readable(&rig, 0));
		sync_rig_clear(&rig);
		assert_hears(&rig.heard, rig.pe, "ok(1)");
	}
	sync_rig_fini(&other);
}

static void every_engine_that_waits_is_woken(void **state)
{
	struct sync_rig others[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		sync_rig_init(&others[i], CELL);
		sync_rig_wait(&others[i], 1, 1);
		sync_rig_arm(&others[i]);
	}
	set_by_call(rig.event);
	for (int i = 0; i < 3; i++) {
		assert_true(sync_rig_is_readable(&others[i], 0));
		sync_rig_clear(&others[i]);
		assert_hears(&others[i].heard, others[i].pe, "ok(1)");
		sync_rig_fini(&others[i]);
	}
}

static void wait_that_is_over_when_it_is_armed_wakes_at_once(void **state)
{
	(void)state;
	sync_rig_wait(&rig, 1, 1);
	assert_int_equal(doca_pe_progress(rig.pe), 0);
	store(1);
	sync_rig_arm(&rig);
	assert_true(sync_rig_is_readable(&rig, 0));
	sync_rig_clear(&rig);
	assert_hears(&rig.heard, rig.pe, "ok(1)");
}

static void wait_submitted_after_arming_wakes(void **state)
{
	(void)state;
	store(1);
	sync_rig_arm(&rig);
	assert_false(sync_rig_is_readable(&rig, 0));
	sync_rig_wait(&rig, 1, 1);
	assert_true(sync_rig_is_readable(&rig, 0));
	sync_rig_clear(&rig);
	assert_hears(&rig.heard, rig.pe, "ok(1)");
}

static void mode_all_is_woken_as_well(void **state)
{
	(void)state;
	assert_success(doca_pe_set_event_mode(rig.pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	for (uint64_t i = 1; i <= 3; i++) {
		sync_rig_wait(&rig, i, 1);
		sync_rig_arm(&rig);
		assert_false(sync_rig_is_readable(&rig, 0));
		assert_success(doca_sync_event_update_set(rig.event, i));
		assert_true(sync_rig_is_readable(&rig, 0));
		assert_hears(&rig.heard, rig.pe, "ok(1)");
	}
}

/* --- what does not wake --- */

static void change_beside_the_number_does_not_wake(void **state)
{
	struct doca_sync_event *before = other_event_create(CELL - 1);
	struct doca_sync_event *behind = other_event_create(CELL + 1);

	(void)state;
	sync_rig_wait(&rig, 1, 1);
	sync_rig_arm(&rig);
	set_by_call(before);
	set_by_call(behind);
	assert_false(sync_rig_is_readable(&rig, 0));
	assert_success(doca_sync_event_destroy(before));
	assert_success(doca_sync_event_destroy(behind));
}

static void engine_that_is_not_armed_is_left_alone(void **state)
{
	(void)state;
	sync_rig_wait(&rig, 2, 1);
	set_by_call(rig.event);
	assert_false(sync_rig_is_readable(&rig, 0));
	sync_rig_arm(&rig);
	sync_rig_clear(&rig);
	set_by_call(rig.event);
	assert_false(sync_rig_is_readable(&rig, 0));
}

static void written_range_wakes_who_waits_in_it(void **state)
{
	static const struct {
		ptrdiff_t offset;
		size_t len;
		int wakes;
	} rows[] = {
		{ 0, 8, 1 },  { 0, 1, 1 },  { 7, 1, 1 },  { 3, 2, 1 },   { -8, 24, 1 },
		{ -1, 2, 1 }, { 7, 9, 1 },  { -8, 8, 0 }, { -8, 7, 0 },  { 8, 8, 0 },
		{ 9, 1, 0 },  { -8, 9, 1 }, { -1, 1, 0 }, { -1, 10, 1 },
	};

	(void)state;
	sync_rig_wait(&rig, 1, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sync_rig_arm(&rig);
		core_sync_notify((char *)CELL + rows[i].offset, rows[i].len);
		assert_int_equal(sync_rig_is_readable(&rig, 0), rows[i].wakes);
		sync_rig_clear(&rig);
		assert_int_equal(doca_pe_progress(rig.pe), 0);
	}
}

static void running_event_without_waits_never_wakes(void **state)
{
	(void)state;
	sync_rig_wait(&rig, 1, 1);
	sync_rig_arm(&rig);
	store(1);
	sleep_and_hear(&rig, "ok(1)");

	num_timers_set = 0;
	sync_rig_arm(&rig);
	set_by_call(rig.event);                       /* nobody sleeps for it any more */
	assert_false(sync_rig_is_readable(&rig, 20)); /* much longer than the timer's period */
	assert_int_equal(num_timers_set, 0);
}

static void context_that_has_stopped_is_not_woken(void **state)
{
	struct doca_sync_event *other = other_event_create(CELL);

	(void)state;
	sync_rig_wait(&rig, 1, 1);
	sync_rig_arm(&rig);
	sync_rig_clear(&rig);
	assert_error(doca_ctx_stop(rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&rig.heard, rig.pe, "running>stopping IO_FAILED(1) stopping>idle");
	sync_rig_arm(&rig);
	set_by_call(other);
	assert_false(sync_rig_is_readable(&rig, 0));
	assert_success(doca_sync_event_destroy(other));
}

/* What would be left of it in the list of sleepers is for the sanitizers to find. */
static void engine_that_is_gone_is_not_woken(void **state)
{
	struct sync_rig gone;

	(void)state;
	sync_rig_init(&gone, CELL);
	sync_rig_wait(&gone, 1, 1);
	sync_rig_arm(&gone);
	sync_rig_fini(&gone);

	sync_rig_wait(&rig, 1, 1);
	sync_rig_arm(&rig);
	set_by_call(rig.event);
	assert_true(sync_rig_is_readable(&rig, 0));
	sync_rig_clear(&rig);
	assert_hears(&rig.heard, rig.pe, "ok(1)");
}

/* --- stores that nobody tells of --- */

static int compare_u64(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* From the store to the wake-up, many times; sorted. */
static void measure_plain_stores(uint64_t *took)
{
	store(0);
	for (uint64_t i = 0; i < NUM_MEASURED; i++) {
		uint64_t begin_ns;

		sync_rig_wait(&rig, i + 1, 1);
		sync_rig_arm(&rig);
		begin_ns = test_now_ns();
		assert_int_equal(timer_set_last.it_value.tv_sec, 0);
		assert_in_range(timer_set_last.it_value.tv_nsec, 1, TIMER_NS);
		store(i + 1);
		assert_true(sync_rig_is_readable(&rig, PATIENCE_MS));
		took[i] = test_now_ns() - begin_ns;
		sync_rig_clear(&rig);
		assert_int_equal(doca_pe_progress(rig.pe), 1);
		assert_heard(&rig.heard, "ok(1)");
	}
	qsort(took, NUM_MEASURED, sizeof(took[0]), compare_u64);
}

/*
 * What is ours is when the timer goes off, and that holds for each of them. How long a busy machine
 * then takes to run this thread is not: the quickest shows what the timer is worth.
 */
static void plain_store_wakes_within_two_milliseconds(void **state)
{
	uint64_t took[NUM_MEASURED];

	(void)state;
	measure_plain_stores(took);
	print_message("# quickest %" PRIu64 " us, median %" PRIu64 " us, longest %" PRIu64 " us\n",
		      took[0] / 1000, took[NUM_MEASURED / 2] / 1000, took[NUM_MEASURED - 1] / 1000);
	assert_true(took[0] <= WAKE_NS);
}

/* Another thread that changes the number to what is waited for, once in each round. */
struct changer {
	pthread_t thread;
	pthread_barrier_t *barrier;
	uint64_t num_rounds;
	bool is_plain;
	doca_error_t result;
};

static void *change_in_rounds(void *argument)
{
	struct changer *changer = argument;

	for (uint64_t round = 1; round <= changer->num_rounds; round++) {
		pthread_barrier_wait(changer->barrier);
		for (uint64_t i = 0; i < round % 512; i++) /* at another time in each round */
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (changer->is_plain)
			store(round);
		else if (doca_sync_event_update_set(rig.event, round) != DOCA_SUCCESS)
			changer->result = DOCA_ERROR_UNKNOWN;
	}
	return NULL;
}

static void sleep_in_rounds(uint64_t num_rounds, bool is_plain)
{
	struct changer changer = { .num_rounds = num_rounds, .is_plain = is_plain };
	pthread_barrier_t barrier;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	changer.barrier = &barrier;
	assert_int_equal(pthread_create(&changer.thread, NULL, change_in_rounds, &changer), 0);
	for (uint64_t round = 1; round <= num_rounds; round++) {
		sync_rig_wait(&rig, round, 1);
		pthread_barrier_wait(&barrier);
		sleep_and_hear(&rig, "ok(1)");
	}
	assert_int_equal(pthread_join(changer.thread, NULL), 0);
	assert_int_equal(pthread_barrier_destroy(&barrier), 0);
	assert_success(changer.result);
}

static void plain_stores_of_another_thread_are_all_found(void **state)
{
	(void)state;
	sleep_in_rounds(NUM_PLAIN_RACES, true);
}

static void no_wake_up_is_lost_to_a_change_while_arming(void **state)
{
	(void)state;
	sleep_in_rounds(NUM_RACES, false);
}

#define WAKE_TEST(name)  cmocka_unit_test_setup_teardown(name, begin_without_timer, end)
#define WITH_TIMER(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAKE_TEST(call_of_any_thread_on_any_event_wakes_at_once),
		WAKE_TEST(task_of_another_engine_wakes_at_once),
		WAKE_TEST(every_engine_that_waits_is_woken),
		WAKE_TEST(wait_that_is_over_when_it_is_armed_wakes_at_once),
		WAKE_TEST(wait_submitted_after_arming_wakes),
		WAKE_TEST(mode_all_is_woken_as_well),
		WAKE_TEST(change_beside_the_number_does_not_wake),
		WAKE_TEST(engine_that_is_not_armed_is_left_alone),
		WAKE_TEST(written_range_wakes_who_waits_in_it),
		WITH_TIMER(running_event_without_waits_never_wakes),
		WITH_TIMER(context_that_has_stopped_is_not_woken),
		WAKE_TEST(engine_that_is_gone_is_not_woken),
		WITH_TIMER(plain_store_wakes_within_two_milliseconds),
		WITH_TIMER(plain_stores_of_another_thread_are_all_found),
		WAKE_TEST(no_wake_up_is_lost_to_a_change_while_arming),
	};

	return cmocka_run_group_tests_name("sync_event_wake", tests, NULL, NULL);
}
