/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The calls on a started sync event: get, set, add and the waits, of one thread and of many. The
 * linker gives sync_event_ops.c our sched_yield(), which tells that a wait has looked and goes on.
 */

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define NUM_THREADS 4
#define NUM_ADDS    20000 /* a thread */
#define NUM_TURNS   500   /* a thread */
#define NUM_CHANCES 10    /* that a spinning wait gets to end too early */

static unsigned int num_looks; /* atomic */

/* The linker's names for what sync_event_ops.c calls, and for what that is. */
int __wrap_sched_yield(void);
int __real_sched_yield(void);

int __wrap_sched_yield(void)
{
	__atomic_fetch_add(&num_looks, 1, __ATOMIC_RELAXED);
	return __real_sched_yield();
}

static struct doca_dev *dev;
static struct doca_sync_event *event; /* started, at 0 */

static int begin(void **state)
{
	test_begin(state);
	dev = fixture_dev_open();
	event = sync_event_create(dev);
	assert_success(doca_sync_event_start(event));
	return 0;
}

static int end(void **state)
{
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
	return test_end(state);
}

/* --- the number --- */

static void set_is_seen_by_get(void **state)
{
	static const uint64_t values[] = { 1, 0, UINT64_MAX, UINT64_C(0x0123456789abcdef) };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		assert_success(doca_sync_event_update_set(event, values[i]));
		assert_int_equal(sync_event_number(event), values[i]);
	}
}

static void add_gives_the_value_before_and_wraps(void **state)
{
	uint64_t before;

	(void)state;
	assert_success(doca_sync_event_update_set(event, UINT64_MAX - 1));
	assert_success(doca_sync_event_update_add(event, 3, &before));
	assert_int_equal(before, UINT64_MAX - 1);
	assert_success(doca_sync_event_update_add(event, UINT64_MAX, &before));
	assert_int_equal(before, 1);
	assert_success(doca_sync_event_update_add(event, 5, NULL));
	assert_int_equal(sync_event_number(event), 5);
}

static void context_has_the_same_calls(void **state)
{
	struct sync_rig rig;
	uint64_t before;

	(void)state;
	sync_rig_init(&rig, NULL);
	assert_success(doca_sync_event_update_set(rig.event, 8));
	assert_success(doca_sync_event_update_add(rig.event, 2, &before));
	assert_int_equal(before, 8);
	assert_success(doca_sync_event_wait_eq(rig.event, 10, UINT64_MAX));
	assert_int_equal(sync_event_number(rig.event), 10);
	sync_rig_fini(&rig);
}

/* --- the waits --- */

typedef doca_error_t (*wait_call_t)(struct doca_sync_event *event, uint64_t value, uint64_t mask);

enum wait_kind {
	EQ,
	NEQ,
	GT,
	NUM_WAITS,
};

static const wait_call_t waits[NUM_WAITS][2] = {
	[EQ] = { doca_sync_event_wait_eq, doca_sync_event_wait_eq_yield },
	[NEQ] = { doca_sync_event_wait_neq, doca_sync_event_wait_neq_yield },
	[GT] = { doca_sync_event_wait_gt, doca_sync_event_wait_gt_yield },
};

/* What ends a wait: the mask is applied to the number alone. before: what does not end it. */
static const struct wait_row {
	enum wait_kind kind;
	uint64_t value, mask;
	uint64_t before[3];
	uint64_t number;
} wait_rows[] = {
	{ EQ, 5, UINT64_MAX, { 4, 6, UINT64_C(1) << 32 | 5 }, 5 },
	{ EQ, 0, UINT64_MAX, { 1, UINT64_C(1) << 63, UINT64_MAX }, 0 },
	{ EQ, 0x30, 0xf0, { 0x03, 0x40, 0x14f }, 0x735 },
	{ EQ, UINT64_C(1) << 63, UINT64_C(1) << 63, { 0, 1, UINT64_MAX >> 1 }, UINT64_MAX },
	{ NEQ, 5, UINT64_MAX, { 5, 5, 5 }, UINT64_C(1) << 32 | 5 },
	{ NEQ, 0x30, 0xf0, { 0x35, 0x3f, 0xf30 }, 0x25 },
	{ GT, 5, UINT64_MAX, { 0, 4, 5 }, 6 },
	{ GT, UINT64_MAX >> 1, UINT64_MAX, { 0, 1, UINT64_MAX >> 1 }, UINT64_C(1) << 63 },
	{ GT, 5, 0xff, { 0x100, 0xff05, 5 }, 0xff06 },
};
#define NUM_ROWS (sizeof(wait_rows) / sizeof(wait_rows[0]))

/* A thread in a wait. */
struct waiter {
	pthread_t thread;
	wait_call_t call;
	const struct wait_row *row;
	bool is_yielding;
	bool has_begun; /* atomic, as is the next */
	bool has_ended;
	doca_error_t result;
	uint64_t seen; /* the number after the wait */
};

static void *wait_in_thread(void *argument)
{
	struct waiter *waiter = argument;

	__atomic_store_n(&waiter->has_begun, true, __ATOMIC_RELEASE);
	waiter->result = waiter->call(event, waiter->row->value, waiter->row->mask);
	__atomic_store_n(&waiter->has_ended, true, __ATOMIC_RELEASE);
	if (doca_sync_event_get(event, &waiter->seen) != DOCA_SUCCESS)
		waiter->result = DOCA_ERROR_UNKNOWN;
	return NULL;
}

/* The wait looks at the number as it is now, and goes on. */
static void assert_waits_on(struct waiter *waiter)
{
	const unsigned int looks = __atomic_load_n(&num_looks, __ATOMIC_RELAXED);
	bool has_ended = false;

	for (unsigned int i = 0; !has_ended; i++) {
		has_ended = __atomic_load_n(&waiter->has_ended, __ATOMIC_ACQUIRE);
		if (waiter->is_yielding &&
		    __atomic_load_n(&num_looks, __ATOMIC_RELAXED) - looks >= 2)
			break;
		if (!waiter->is_yielding && i >= NUM_CHANCES &&
		    __atomic_load_n(&waiter->has_begun, __ATOMIC_ACQUIRE))
			break;
		(void)__real_sched_yield();
	}
	assert_false(has_ended);
}

static void check_wait(const struct wait_row *row, int way)
{
	struct waiter waiter = { .call = waits[row->kind][way], .row = row, .is_yielding = way };

	assert_success(doca_sync_event_update_set(event, row->before[0]));
	assert_int_equal(pthread_create(&waiter.thread, NULL, wait_in_thread, &waiter), 0);
	for (int i = 0; i < 3; i++) {
		assert_success(doca_sync_event_update_set(event, row->before[i]));
		assert_waits_on(&waiter);
	}
	assert_success(doca_sync_event_update_set(event, row->number));
	assert_int_equal(pthread_join(waiter.thread, NULL), 0);
	assert_success(waiter.result);
	assert_int_equal(waiter.seen, row->number);
}

static void wait_ends_when_the_masked_number_is_so(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_ROWS; i++) {
		check_wait(&wait_rows[i], 0);
		check_wait(&wait_rows[i], 1);
	}
}

static void wait_for_what_is_so_ends_at_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_ROWS; i++) {
		const struct wait_row *row = &wait_rows[i];

		assert_success(doca_sync_event_update_set(event, row->number));
		for (int way = 0; way < 2; way++)
			assert_success(waits[row->kind][way](event, row->value, row->mask));
	}
}

static void value_is_not_masked(void **state)
{
	(void)state;
	assert_success(doca_sync_event_update_set(event, 0x31));
	for (int way = 0; way < 2; way++) {
		assert_success(waits[NEQ][way](event, 0x31, 0xf0));
		assert_success(waits[GT][way](event, 0x2f, 0xf0));
		assert_success(waits[EQ][way](event, 0, 0));
	}
}

/* --- many threads --- */

/* One of the threads of a test; what they share is in the test's own variables. */
struct worker {
	pthread_t thread;
	unsigned int index;
	uint64_t sum_fetched;
	bool has_failed;
};

static void run_workers(struct worker *workers, void *(*work)(void *worker))
{
	for (unsigned int i = 0; i < NUM_THREADS; i++) {
		workers[i].index = i;
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned int i = 0; i < NUM_THREADS; i++)
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
	for (unsigned int i = 0; i < NUM_THREADS; i++)
		assert_false(workers[i].has_failed);
}

static void *add_and_wait_for_all(void *argument)
{
	struct worker *worker = argument;
	const uint64_t total = NUM_THREADS * NUM_ADDS;

	for (int i = 0; i < NUM_ADDS; i++) {
		uint64_t before;

		if (doca_sync_event_update_add(event, 1, &before) != DOCA_SUCCESS)
			worker->has_failed = true;
		worker->sum_fetched += before;
	}
	if (doca_sync_event_wait_eq_yield(event, total, UINT64_MAX) != DOCA_SUCCESS)
		worker->has_failed = true;
	return NULL;
}

static void adds_of_four_threads_are_all_counted(void **state)
{
	const uint64_t total = NUM_THREADS * NUM_ADDS;
	struct worker workers[NUM_THREADS] = { 0 };
	uint64_t sum = 0;

	(void)state;
	run_workers(workers, add_and_wait_for_all);
	for (int i = 0; i < NUM_THREADS; i++)
		sum += workers[i].sum_fetched;
	assert_int_equal(sync_event_number(event), total);
	assert_int_equal(sum, total * (total - 1) / 2); /* each value was the old one once */
}

/* Not atomic: only who has the turn touches it. */
static uint64_t guarded;

static void *take_turns(void *argument)
{
	struct worker *worker = argument;

	for (uint64_t turn = worker->index; turn < NUM_THREADS * NUM_TURNS; turn += NUM_THREADS) {
		/* By what the number is, and by what it is no more; and by set as well as by add.
		 */
		doca_error_t result =
		    turn == 0 ? DOCA_SUCCESS
			      : doca_sync_event_wait_gt_yield(event, turn - 1, UINT64_MAX);

		if (result != DOCA_SUCCESS ||
		    doca_sync_event_wait_eq(event, turn, UINT64_MAX) != DOCA_SUCCESS)
			worker->has_failed = true;
		guarded += turn;
		result = (turn & 1) != 0 ? doca_sync_event_update_set(event, turn + 1)
					 : doca_sync_event_update_add(event, 1, NULL);
		if (result != DOCA_SUCCESS)
			worker->has_failed = true;
	}
	return NULL;
}

static void what_was_written_before_a_change_is_seen_after_the_wait(void **state)
{
	const uint64_t turns = NUM_THREADS * NUM_TURNS;
	struct worker workers[NUM_THREADS] = { 0 };

	(void)state;
	guarded = 0;
	run_workers(workers, take_turns);
	assert_int_equal(guarded, turns * (turns - 1) / 2);
	assert_int_equal(sync_event_number(event), turns);
}

static void events_over_one_address_share_the_number(void **state)
{
	struct doca_sync_event *other = sync_event_create(dev);
	uint64_t cell = 3;

	(void)state;
	assert_success(doca_sync_event_stop(event));
	assert_success(doca_sync_event_set_addr(event, &cell));
	assert_success(doca_sync_event_set_addr(other, &cell));
	assert_success(doca_sync_event_start(event));
	assert_success(doca_sync_event_start(other));
	assert_success(doca_sync_event_update_add(event, 4, NULL));
	assert_success(doca_sync_event_wait_eq(other, 7, UINT64_MAX));
	assert_success(doca_sync_event_update_set(other, 1));
	assert_int_equal(sync_event_number(event), 1);
	assert_success(doca_sync_event_destroy(other));
	assert_success(doca_sync_event_stop(event));
}

static void *add_until_refused(void *argument)
{
	struct sync_rig *rig = argument;

	while (doca_sync_event_update_add(rig->event, 1, NULL) == DOCA_SUCCESS)
		continue;
	return NULL;
}

static void thread_that_uses_a_context_sees_it_stop(void **state)
{
	struct sync_rig rig;
	pthread_t thread;

	(void)state;
	sync_rig_init(&rig, NULL);
	assert_int_equal(pthread_create(&thread, NULL, add_until_refused, &rig), 0);
	assert_success(doca_sync_event_wait_gt_yield(rig.event, 100, UINT64_MAX));
	assert_success(doca_ctx_stop(rig.ctx));
	assert_int_equal(pthread_join(thread, NULL), 0);
	test_take_log("not started");
	sync_rig_fini(&rig);
}

#define OPS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OPS_TEST(set_is_seen_by_get),
		OPS_TEST(add_gives_the_value_before_and_wraps),
		OPS_TEST(context_has_the_same_calls),
		OPS_TEST(wait_ends_when_the_masked_number_is_so),
		OPS_TEST(wait_for_what_is_so_ends_at_once),
		OPS_TEST(value_is_not_masked),
		OPS_TEST(adds_of_four_threads_are_all_counted),
		OPS_TEST(what_was_written_before_a_change_is_seen_after_the_wait),
		OPS_TEST(events_over_one_address_share_the_number),
		OPS_TEST(thread_that_uses_a_context_sees_it_stop),
	};

	return cmocka_run_group_tests_name("sync_event_ops", tests, NULL, NULL);
}
