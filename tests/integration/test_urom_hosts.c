/* SPDX-License-Identifier: BSD-3-Clause */
/* Several hosts at one daemon, and what it all costs while nothing happens. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"

#define NUM_RACERS     20
#define NUM_LOOPBACKS  1000
#define IDLE_S         3
#define IDLE_PERCENT   5
#define MAX_LATENCY_NS UINT64_C(2000000)
#define NUM_ECHOES     200

/* trap 29 */
static void hosts_that_race_for_an_id_get_one_process(void **state)
{
	struct urom_program programs[NUM_RACERS];
	unsigned long pids[NUM_RACERS], dests[NUM_RACERS];
	struct urom_rig *rig = *state;

	for (size_t i = 0; i < NUM_RACERS; i++)
		urom_program_start(&programs[i], (const char *const[]){ "stay", "7", NULL });
	for (size_t i = 0; i < NUM_RACERS; i++) {
		char line[UROM_PROGRAM_LINE], *rest;

		urom_program_read(&programs[i], line);
		pids[i] = strtoul(line, &rest, 10);
		dests[i] = strtoul(rest, NULL, 10);
	}
	for (size_t i = 0; i < NUM_RACERS; i++) {
		assert_int_equal(pids[i], urom_rig_worker(rig));
		for (size_t j = 0; j < i; j++)
			assert_true(dests[i] != dests[j]);
	}
	for (size_t i = 0; i < NUM_RACERS; i++)
		urom_program_finish(&programs[i]);
	urom_rig_wait_workers(rig, 0);
}

/* trap 46 */
static void hosts_of_one_worker_get_their_own_answers(void **state)
{
	struct urom_program one, two;
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	char line[UROM_PROGRAM_LINE];
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	urom_program_start(&one, (const char *const[]){ "flow", "7", "1", "1000", NULL });
	urom_program_start(&two, (const char *const[]){ "flow", "7", "2", "1000", NULL });
	urom_program_read(&one, line);
	urom_program_read(&two, line);
	(void)urom_rig_worker(rig);
	urom_program_go_on(&one);
	urom_program_go_on(&two);
	urom_flow_run(&host, worker, 0, 3, NUM_LOOPBACKS, 8);
	urom_program_read(&one, line);
	assert_string_equal(line, "done");
	urom_program_read(&two, line);
	assert_string_equal(line, "done");
	urom_program_finish(&one);
	urom_program_finish(&two);
	urom_host_fini(&host);
}

static uint64_t cpu_of_all(struct urom_rig *rig)
{
	pid_t pids[UROM_PROCS_MAX];
	size_t count = urom_procs_children(rig->daemon, UROM_RIG_WORKER, pids);
	uint64_t sum = urom_procs_cpu_ns(rig->daemon);

	for (size_t i = 0; i < count; i++)
		sum += urom_procs_cpu_ns(pids[i]);
	return sum;
}

/* trap 74 */
static void idle_workers_and_daemon_cost_little(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	uint64_t before, used;

	urom_host_init_running(&host);
	for (uint64_t id = 0; id < 4; id++)
		urom_host_check_echo(&host, urom_host_run_worker(&host, id));
	sleep(1);
	before = cpu_of_all(rig);
	sleep(IDLE_S);
	used = cpu_of_all(rig) - before;
	if (used > IDLE_S * UINT64_C(1000000000) * IDLE_PERCENT / 100)
		fail_msg("%u ms of processor time in %u s", (unsigned int)(used / 1000000), IDLE_S);
	urom_host_fini(&host);
}

/* trap 74: what a worker that is busy waits between two looks must not be felt */
static void answers_come_at_once_while_there_are_many(void **state)
{
	uint64_t best = UINT64_MAX;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	for (unsigned int i = 0; i < NUM_ECHOES; i++) {
		uint64_t begin = test_now_ns();

		urom_host_check_echo(&host, worker);
		if (test_now_ns() - begin < best)
			best = test_now_ns() - begin;
	}
	if (best > MAX_LATENCY_NS)
		fail_msg("the fastest of %d took %u us", NUM_ECHOES, (unsigned int)(best / 1000));
	urom_host_fini(&host);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(hosts_that_race_for_an_id_get_one_process),
		UROM_TEST(hosts_of_one_worker_get_their_own_answers),
		UROM_TEST(idle_workers_and_daemon_cost_little),
		UROM_TEST(answers_come_at_once_while_there_are_many),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
