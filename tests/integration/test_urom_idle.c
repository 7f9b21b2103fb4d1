/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a daemon and four workers cost while nobody wants anything of them. Their plugin is the
 * graph's, which can wake its worker.
 *
 *     test_urom_idle [SECONDS]    of each look, 4 unless given
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"
#include "urom_graph.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"
#include "worker_graph.h"

#define NUM_WORKERS 4
#define NUM_CYCLES  50
#define NS_PER_S    UINT64_C(1000000000)
#define MAX_PERMIL  10 /* of one processor, all together */
#define CALM_NS     300000000

static unsigned int seconds = 4;

/* Time that has to go by, because what it costs is looked at. */
static void let_pass(uint64_t ns)
{
	const struct timespec time = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	assert_int_equal(nanosleep(&time, NULL), 0);
}

static uint64_t cpu_ns(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

static uint64_t cpu_of_all_ns(struct urom_rig *rig)
{
	pid_t pids[UROM_PROCS_MAX];
	const size_t count = urom_procs_children(rig->daemon, UROM_RIG_WORKER, pids);
	uint64_t sum_ns = cpu_ns(rig->daemon);

	assert_int_equal(count, NUM_WORKERS);
	for (size_t i = 0; i < count; i++)
		sum_ns += cpu_ns(pids[i]);
	return sum_ns;
}

static void check_idle(struct urom_rig *rig, const char *when)
{
	uint64_t before_ns, used_ns;

	let_pass(CALM_NS); /* what has just been is over */
	before_ns = cpu_of_all_ns(rig);
	let_pass(seconds * NS_PER_S);
	used_ns = cpu_of_all_ns(rig) - before_ns;
	print_message("%s: %" PRIu64 " us of processor time in %u s\n", when, used_ns / 1000,
		      seconds);
	assert_true(used_ns <= seconds * NS_PER_S * MAX_PERMIL / 1000);
}

/* Another host comes to one of the workers, asks something, and goes. */
static void visit(uint64_t id)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_worker_of(&host, host.service, id,
				     urom_host_plugin_named(&host, "worker_graph"));
	urom_host_start_worker(&host, worker);
	urom_host_stop_worker(&host, worker);
	urom_host_fini(&host);
}

static void daemon_with_four_idle_workers_costs_next_to_nothing(void **state)
{
	struct urom_host host;
	struct urom_rig rig;
	uint64_t plugin;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	urom_rig_copy(&rig, WORKER_GRAPH, "plugins/worker_graph.so");
	urom_rig_start(&rig);
	urom_host_init_running(&host);
	plugin = urom_host_plugin_named(&host, "worker_graph");
	for (uint64_t id = 0; id < NUM_WORKERS; id++)
		urom_host_start_worker(&host, urom_host_worker_of(&host, host.service, id, plugin));
	check_idle(&rig, "at first");
	for (uint64_t i = 0; i < NUM_CYCLES; i++)
		visit(i % NUM_WORKERS);
	check_idle(&rig, "after 50 visits");
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(daemon_with_four_idle_workers_costs_next_to_nothing),
	};

	if (argc > 1)
		seconds = (unsigned int)strtoul(argv[1], NULL, 10);
	if (argc > 2 || seconds == 0) {
		fprintf(stderr, "usage: %s [SECONDS]\n", argv[0]);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
