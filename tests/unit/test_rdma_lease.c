/* SPDX-License-Identifier: BSD-3-Clause */
/* Who drives the sockets of a context, and when: the application or the engine's thread. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_thread.h"
#include "fixture.h"
#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define MIB         ((size_t)1024 * 1024)
#define NS_PER_US   UINT64_C(1000)
#define NS_PER_MS   UINT64_C(1000000)
#define PATIENCE_NS UINT64_C(10000000000)

/* A tired machine delays what is measured, so the best of many counts, or the middle. */
#define LEASE_NS        NS_PER_MS
#define NUM_WRITES      200
#define MAX_ROUNDS      4
#define MAX_CPU_MS_EACH UINT64_C(1)

static struct soft_port *port_of(const struct rdma_side *side)
{
	return side->rdma->provider_data;
}

static bool is_leased(const struct rdma_side *side)
{
	return __atomic_load_n(&port_of(side)->is_leased, __ATOMIC_RELAXED);
}

/* Both ways, so that nothing but what a test does is to be served. */
static void open_lanes(struct rdma_pair *pair)
{
	rdma_submit(&pair->a, rdma_write_task(&pair->a, NULL, NULL, 0));
	rdma_hears(&pair->a, "ok(0)");
	rdma_submit(&pair->b, rdma_write_task(&pair->b, NULL, NULL, 0));
	rdma_hears(&pair->b, "ok(0)");
}

/* Until the engine has the sockets of a side that was driven, and nothing to do. */
static void wait_until_passive(const struct rdma_side *side)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	const pid_t engine = engine_thread_find();

	while (is_leased(side) || !engine_thread_sleeps(engine))
		assert_true(test_now_ns() < end_ns);
}

static void wait_until_taken(const struct rdma_side *side)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	while (is_leased(side)) {
		assert_true(test_now_ns() < end_ns);
		(void)sched_yield();
	}
}

/* The time from the last call of progress until the engine has the sockets. */
static uint64_t time_to_take_back(struct rdma_side *side)
{
	uint64_t last_ns;

	do {
		last_ns = test_now_ns();
		assert_int_equal(doca_pe_progress(side->pe), 0);
	} while (!is_leased(side));
	wait_until_taken(side);
	return test_now_ns() - last_ns;
}

static void sockets_are_taken_back_within_a_millisecond(void **state)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	uint64_t best_ns = UINT64_MAX;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);

	while (best_ns > LEASE_NS && test_now_ns() < end_ns) {
		uint64_t took_ns = time_to_take_back(&pair.a);

		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}

	assert_true(best_ns <= LEASE_NS);
	rdma_pair_fini(&pair);
}

static int compare(const void *one, const void *other)
{
	const unsigned int *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

static unsigned int num_rounds(const struct rdma_side *side)
{
	struct soft_port *port = port_of(side);
	unsigned int count;

	pthread_mutex_lock(&port->lock);
	count = port->num_rounds;
	pthread_mutex_unlock(&port->lock);
	return count;
}

/* The application that polls needs the processor itself. */
static void engine_does_not_spin_while_an_application_polls(void **state)
{
	unsigned int rounds[NUM_WRITES];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);

	wait_until_passive(&pair.b);
	for (size_t i = 0; i < NUM_WRITES; i++) {
		unsigned int before = num_rounds(&pair.b);

		rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, i));
		for (uint64_t end_ns = test_now_ns() + 100 * NS_PER_US; test_now_ns() < end_ns;)
			(void)doca_pe_progress(pair.a.pe);
		while (pair.a.heard.num_words <= i)
			(void)doca_pe_progress(pair.a.pe);
		rounds[i] = num_rounds(&pair.b) - before;
	}

	qsort(rounds, NUM_WRITES, sizeof(rounds[0]), compare);
	assert_in_range(rounds[NUM_WRITES / 2], 1, MAX_ROUNDS);
	rdma_pair_fini(&pair);
}

/* Until the engine has served a write, and sleeps. */
static void wait_for_sleep(pid_t engine, const char *bytes, uint64_t written)
{
	const uint64_t *word = (const uint64_t *)(const void *)bytes;
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != written || !engine_thread_sleeps(engine))
		assert_true(test_now_ns() < end_ns);
}

/* Nobody polls, so the engine serves both sides, and each time looks again for 50 us at most. */
static void engine_spins_for_a_moment(void **state)
{
	struct rdma_pair pair;
	uint64_t before_ms;
	pid_t engine;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);
	wait_until_passive(&pair.a);
	wait_until_passive(&pair.b);
	engine = engine_thread_find();
	before_ms = engine_thread_cpu_ms(engine);

	for (uint64_t i = 1; i <= RDMA_RIG_NUM_TASKS; i++) {
		memcpy(pair.a.bytes, &i, sizeof(i));
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, sizeof(i)),
					    rdma_remote_buf(&pair.a, &pair.b, 0, sizeof(i), 0), i));
		wait_for_sleep(engine, pair.b.bytes, i);
	}

	assert_true(engine_thread_cpu_ms(engine) - before_ms <=
		    RDMA_RIG_NUM_TASKS * MAX_CPU_MS_EACH);
	rdma_pair_fini(&pair);
}

/* Has the engine always something to do there? */
static void set_busy(const struct rdma_side *side, bool is_busy)
{
	struct soft_port *port = port_of(side);

	pthread_mutex_lock(&port->lock);
	port->num_busy += is_busy ? 1 : -1;
	soft_engine_kick(port);
	pthread_mutex_unlock(&port->lock);
}

/* What others have to do without end must not keep the engine from it. */
static void sockets_are_taken_back_beside_a_port_that_is_busy(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);
	wait_until_passive(&pair.b);
	set_busy(&pair.b, true);

	while (!is_leased(&pair.a))
		(void)doca_pe_progress(pair.a.pe);
	wait_until_taken(&pair.a);

	set_busy(&pair.b, false);
	rdma_pair_fini(&pair);
}

/* Who calls submit, and has not got the lock yet, comes before the engine's next round. */
static void engine_lets_in_who_waits(void **state)
{
	struct soft_port *port;
	unsigned int before;
	struct rdma_pair pair;
	uint64_t end_ns;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);
	wait_until_passive(&pair.b);
	port = port_of(&pair.b);
	__atomic_store_n(&port->num_waiting, 1, __ATOMIC_RELAXED);
	set_busy(&pair.b, true);
	(void)num_rounds(&pair.b); /* one may have begun */

	before = num_rounds(&pair.b);
	for (end_ns = test_now_ns() + NS_PER_MS; test_now_ns() < end_ns;)
		(void)sched_yield();
	assert_int_equal(num_rounds(&pair.b), before);

	__atomic_store_n(&port->num_waiting, 0, __ATOMIC_RELAXED);
	for (end_ns = test_now_ns() + PATIENCE_NS; num_rounds(&pair.b) == before;)
		assert_true(test_now_ns() < end_ns);
	set_busy(&pair.b, false);
	rdma_pair_fini(&pair);
}

/* The engine cannot begin, and the application is counted, but does not get the sockets. */
static void hold_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	wait_until_passive(side);
	pthread_mutex_lock(&port_of(side)->lock);
	LIST_FIRST(&port_of(side)->hot_responders)->num_misses = 0; /* it looks there at once */
	assert_int_equal(doca_pe_progress(side->pe), 0);
}

/* The same once the engine has seen that it has something to serve, which it then begins. */
static void let_go_step(struct rdma_side *side, void *unused)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	struct soft_port *port = port_of(side);

	(void)unused;
	while (__atomic_load_n(&port->seen_polls, __ATOMIC_RELAXED) != port->num_polls) {
		assert_true(test_now_ns() < end_ns);
		(void)sched_yield();
	}
	assert_int_equal(doca_pe_progress(side->pe), 0);
	pthread_mutex_unlock(&port->lock);
}

/* Who sleeps without having got the sockets leaves them to the engine, which need not wait. */
static void arm_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = port_of(side);

	(void)unused;
	assert_success(doca_pe_request_notification(side->pe));
	assert_int_equal(__atomic_load_n(&port->seen_polls, __ATOMIC_RELAXED), port->num_polls);
}

/* A write that is more than one turn of the engine: it comes in the middle of that. */
static void write_past(struct rdma_pair *pair, uint64_t number)
{
	rdma_at(&pair->b, hold_step, NULL, 0);
	rdma_submit(&pair->a, rdma_write_task(
				  &pair->a, rdma_data(&pair->a, 0, pair->a.len),
				  rdma_remote_buf(&pair->a, &pair->b, 0, pair->b.len, 0), number));
	rdma_at(&pair->b, let_go_step, NULL, 0);
}

/* rdma trap 1 */
static void half_served_write_goes_on_though_its_target_polled_once(void **state)
{
	const struct rdma_conf conf = { .len = 4 * MIB };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	open_lanes(&pair);

	write_past(&pair, 1);

	rdma_hears(&pair.a, "ok(1)");
	rdma_pair_fini(&pair);
}

/* rdma trap 1 */
static void half_served_write_goes_on_though_its_target_is_armed(void **state)
{
	const struct rdma_conf conf = { .len = 4 * MIB };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	open_lanes(&pair);

	write_past(&pair, 1);
	rdma_at(&pair.b, arm_step, NULL, 0);

	rdma_hears(&pair.a, "ok(1)");
	rdma_pair_fini(&pair);
}

/* Has it the sockets within a lease, though it does not call progress? */
static bool is_given_the_sockets(const struct rdma_side *side)
{
	const uint64_t end_ns = test_now_ns() + LEASE_NS;

	do {
		if (is_leased(side))
			return true;
	} while (test_now_ns() < end_ns);
	return false;
}

/*
 * On the processor that both share, the engine may be stopped whenever it has the lock, and have it
 * again before the application gets a turn.
 */
static void who_was_turned_away_is_given_the_sockets(void **state)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	bool is_given = false;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	open_lanes(&pair);

	for (uint64_t i = 1; !is_given && test_now_ns() < end_ns; i++) {
		char word[32];

		write_past(&pair, i); /* it may be over before anybody looks */
		is_given = is_given_the_sockets(&pair.b);
		(void)snprintf(word, sizeof(word), "ok(%" PRIu64 ")", i);
		rdma_hears(&pair.a, word);
		rdma_put_bufs(&pair.a);
	}

	assert_true(is_given);
	rdma_pair_fini(&pair);
}

/* Sleeps on its handle until it has received something. */
static void sleep_step(struct rdma_side *side, void *unused)
{
	doca_notification_handle_t handle;

	(void)unused;
	assert_success(doca_pe_get_notification_handle(side->pe, &handle));
	while (side->heard.num_words == 0) {
		assert_success(doca_pe_request_notification(side->pe));
		assert_true(test_is_readable(handle, 30000));
		assert_success(doca_pe_clear_notification(side->pe, handle));
		while (doca_pe_progress(side->pe) != 0)
			continue;
	}
}

/* rdma traps 1, 6. Whatever each write finds the target at, it ends while the target sleeps. */
static void big_writes_to_a_sleeper_end(void **state)
{
	const struct rdma_conf conf = { .len = 2 * MIB };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	open_lanes(&pair);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 3));
	rdma_meanwhile(&pair.b, sleep_step, NULL, 0);

	for (unsigned int i = 0; i < rdma_rounds(50, 5000); i++) {
		rdma_submit(&pair.a, rdma_write_task(
					 &pair.a, rdma_data(&pair.a, 0, pair.a.len),
					 rdma_remote_buf(&pair.a, &pair.b, 0, pair.b.len, 0), 1));
		rdma_hears(&pair.a, "ok(1)");
		rdma_put_bufs(&pair.a);
	}

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
	rdma_hears(&pair.a, "ok(2)");
	rdma_join();
	rdma_heard(&pair.b, "ok(3)");
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST_ALONE(sockets_are_taken_back_within_a_millisecond),
		RDMA_TEST_ALONE(sockets_are_taken_back_beside_a_port_that_is_busy),
		RDMA_TEST_ALONE(engine_lets_in_who_waits),
		RDMA_TEST_ALONE(engine_does_not_spin_while_an_application_polls),
		RDMA_TEST_ALONE(engine_spins_for_a_moment),
		RDMA_TEST_ALONE(who_was_turned_away_is_given_the_sockets),
		RDMA_TEST(half_served_write_goes_on_though_its_target_polled_once),
		RDMA_TEST(half_served_write_goes_on_though_its_target_is_armed),
		RDMA_TEST(big_writes_to_a_sleeper_end),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
