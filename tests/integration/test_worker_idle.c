/* SPDX-License-Identifier: BSD-3-Clause */
/* What an idle worker costs, and how fast it is there again. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"
#include "worker_rig.h"

#define MS          UINT64_C(1000000)
#define NUM_WORKERS 4

static struct rig rigs[NUM_WORKERS];
static struct rig_host host;

static const struct rig_config polled = { .plugins = { "worker_play_a" } };
static const struct rig_config waking = { .plugins = { "worker_play_event" } };

static uint64_t cpu_ns(const struct rig *rig)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(rig->pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * 1000 * MS + (uint64_t)used.tv_nsec;
}

/* Time that has to go by, because what it costs is looked at. */
static void let_pass(int ms)
{
	assert_int_equal(poll(NULL, 0, ms), 0);
}

static uint64_t num_progress_calls(void)
{
	uint64_t count;

	memcpy(&count, host_run(&host, RIG_ID(0), PLAY_COUNT, 0, NULL, 0, DOCA_SUCCESS)->payload,
	       sizeof(count));
	return count;
}

/* The progress calls of a time in which no host says anything. */
static uint64_t num_calls_in(int ms)
{
	const uint64_t before = num_progress_calls();
	uint64_t again;

	/* Those that are made for the question itself, while the worker is still awake, do not
	 * count. */
	let_pass(ms);
	again = num_progress_calls();
	return again - before;
}

static void four_idle_workers_cost_next_to_nothing(void **state)
{
	uint64_t before_ns = 0, used_ns = 0;

	(void)state;
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		rig_start(&rigs[i], &waking);
	host_attach(&host, &rigs[0]);
	host_check_quiet(&host, RIG_ID(0));
	let_pass(200);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		before_ns += cpu_ns(&rigs[i]);
	let_pass(2000);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		used_ns += cpu_ns(&rigs[i]);
	used_ns -= before_ns;
	if (used_ns > 20 * MS)
		fail_msg("%llu us of 2 s", (unsigned long long)used_ns / 1000);
	host_close(&host);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		rig_stop(&rigs[i]);
}

static void four_idle_workers_with_foreign_plugins_cost_little(void **state)
{
	uint64_t before_ns = 0, used_ns = 0;

	(void)state;
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		rig_start(&rigs[i], &polled);
	let_pass(500);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		before_ns += cpu_ns(&rigs[i]);
	let_pass(2000);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		used_ns += cpu_ns(&rigs[i]);
	used_ns -= before_ns;
	if (used_ns > 100 * MS)
		fail_msg("%llu us of 2 s", (unsigned long long)used_ns / 1000);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		rig_stop(&rigs[i]);
}

/* How often a process has gone to sleep. */
static unsigned long num_sleeps(const struct rig *rig)
{
	char path[64], line[128];
	unsigned long count = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)rig->pid);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &count) == 1)
			break;
	}
	fclose(file);
	assert_true(count > 0);
	return count;
}

/* At the longest tick it wakes up 20 times a second; at 1 ms it would be 1000 times. */
static void an_idle_plugin_is_polled_less_and_less(void **state)
{
	unsigned long before, after;

	(void)state;
	rig_start(&rigs[0], &polled);
	host_attach(&host, &rigs[0]);
	host_check_quiet(&host, RIG_ID(0));
	let_pass(500);
	before = num_sleeps(&rigs[0]);
	let_pass(1000);
	after = num_sleeps(&rigs[0]);
	if (after - before > 100)
		fail_msg("%lu sleeps in 1 s", after - before);
	host_close(&host);
	rig_stop(&rigs[0]);
}

static void a_plugin_with_an_event_is_not_polled(void **state)
{
	unsigned long before, after;

	(void)state;
	rig_start(&rigs[0], &waking);
	host_attach(&host, &rigs[0]);
	host_send(&host, RIG_ID(0), 1, PLAY_HOLD, 0, NULL, 0);
	host_check_quiet(&host, RIG_ID(0));
	let_pass(200);
	before = num_sleeps(&rigs[0]);
	let_pass(1000);
	after = num_sleeps(&rigs[0]);
	if (after - before > 15)
		fail_msg("%lu sleeps in 1 s", after - before);
	host_close(&host);
	rig_stop(&rigs[0]);
}

static void a_plugin_with_commands_is_polled_each_ms(void **state)
{
	uint64_t calls;

	(void)state;
	rig_start(&rigs[0], &polled);
	host_attach(&host, &rigs[0]);
	host_send(&host, RIG_ID(0), 1, PLAY_LATER, 1500, NULL, 0);
	calls = num_calls_in(1000);
	if (calls < 200)
		fail_msg("%llu calls in 1 s", (unsigned long long)calls);
	(void)host_take_end(&host, 1, DOCA_SUCCESS);
	host_close(&host);
	rig_stop(&rigs[0]);
}

/* Its event wakes the worker, so that the answer comes although nobody looks for it. */
static void an_event_of_a_plugin_wakes_the_worker(void **state)
{
	const uint64_t begin_ns = test_now_ns();
	uint64_t before_ns, took_ns;

	(void)state;
	rig_start(&rigs[0], &waking);
	host_attach(&host, &rigs[0]);
	host_send(&host, RIG_ID(0), 1, PLAY_LATER, 1000, NULL, 0);
	let_pass(100);
	before_ns = cpu_ns(&rigs[0]);
	(void)host_take_end(&host, 1, DOCA_SUCCESS);
	took_ns = test_now_ns() - begin_ns;
	assert_true(took_ns >= 1000 * MS);
	assert_true(cpu_ns(&rigs[0]) - before_ns < 50 * MS);
	host_close(&host);
	rig_stop(&rigs[0]);
}

static void a_broken_event_descriptor_burns_nothing(void **state)
{
	uint64_t before_ns;

	(void)state;
	rig_start(&rigs[0], &waking);
	rig_expect_log(&rigs[0], "its event descriptor is broken; it is polled from now on");
	host_attach(&host, &rigs[0]);
	(void)host_run(&host, RIG_ID(0), PLAY_CLOSES_FD, 0, NULL, 0, DOCA_SUCCESS);
	let_pass(300);
	before_ns = cpu_ns(&rigs[0]);
	let_pass(1000);
	assert_true(cpu_ns(&rigs[0]) - before_ns < 100 * MS);
	(void)host_run(&host, RIG_ID(0), PLAY_LATER, 30, NULL, 0, DOCA_SUCCESS);
	host_close(&host);
	rig_stop(&rigs[0]);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The median of several, each after a sleep in which a plugin that is polled has got its longest
 * tick. */
static void an_idle_worker_answers_at_once(void **state)
{
	enum {
		NUM_TRIES = 5
	};
	uint64_t took_ns[NUM_TRIES];

	(void)state;
	rig_start(&rigs[0], &polled);
	host_attach(&host, &rigs[0]);
	for (unsigned int i = 0; i < NUM_TRIES; i++) {
		uint64_t begin_ns;

		let_pass(400);
		begin_ns = test_now_ns();
		host_check_quiet(&host, RIG_ID(0));
		took_ns[i] = test_now_ns() - begin_ns;
	}
	qsort(took_ns, NUM_TRIES, sizeof(took_ns[0]), compare);
	if (took_ns[NUM_TRIES / 2] > 20 * MS)
		fail_msg("%llu us", (unsigned long long)took_ns[NUM_TRIES / 2] / 1000);
	host_close(&host);
	rig_stop(&rigs[0]);
}

#define IDLE_TEST(name) RIG_OVER_EACH(name, rig_begin, test_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IDLE_TEST(four_idle_workers_cost_next_to_nothing),
		IDLE_TEST(four_idle_workers_with_foreign_plugins_cost_little),
		IDLE_TEST(an_idle_plugin_is_polled_less_and_less),
		IDLE_TEST(a_plugin_with_an_event_is_not_polled),
		RIG_OVER(tcp, a_plugin_with_commands_is_polled_each_ms, rig_begin, test_end),
		IDLE_TEST(an_event_of_a_plugin_wakes_the_worker),
		RIG_OVER(tcp, a_broken_event_descriptor_burns_nothing, rig_begin, test_end),
		IDLE_TEST(an_idle_worker_answers_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
