/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that start and stop workers of one service, each on an engine of its own, while the main
 * thread drives the service's. Arguments give the cycles of each thread and the number of threads,
 * for the long form.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MAX_THREADS    32 /* as many workers as a service has */
#define NUM_THREADS    4
#define NUM_CYCLES     6
#define NUM_COMMANDS   32
#define NUM_IN_FLIGHT  8
#define PATIENCE_NS    UINT64_C(100000000000)
#define PATIENCE_CYCLE UINT64_C(10000000000) /* more for each cycle of the long form */

static unsigned int num_cycles = NUM_CYCLES;
static unsigned int num_threads = NUM_THREADS;

struct team {
	struct doca_urom_service *service;
	uint64_t plugin;
	atomic_uint num_left; /* threads that are not done */
	pthread_t threads[MAX_THREADS];
	atomic_uint next_id;
};

/* One worker after the other, all of them with ids that no other thread has. */
static void *start_and_stop(void *arg)
{
	struct team *team = arg;
	struct urom_host own;
	uint64_t id = atomic_fetch_add(&team->next_id, 1);

	urom_host_init_bare(&own);
	for (unsigned int i = 0; i < num_cycles; i++) {
		struct doca_urom_worker *worker =
		    urom_host_worker_of(&own, team->service, id, team->plugin);

		urom_host_start_worker(&own, worker);
		urom_flow_run(&own, worker, team->plugin, id, NUM_COMMANDS, NUM_IN_FLIGHT);
		urom_host_stop_worker(&own, worker);
		urom_host_destroy_worker(&own, worker);
	}
	urom_host_fini(&own);
	atomic_fetch_sub(&team->num_left, 1);
	return NULL;
}

/* All threads join the same worker, and leave it. */
static void *join_and_leave(void *arg)
{
	struct team *team = arg;
	uint64_t tag = atomic_fetch_add(&team->next_id, 1);
	struct urom_host own;

	urom_host_init_bare(&own);
	for (unsigned int i = 0; i < num_cycles; i++) {
		struct doca_urom_worker *worker =
		    urom_host_worker_of(&own, team->service, 1000, team->plugin);

		urom_host_start_worker(&own, worker);
		urom_flow_run(&own, worker, team->plugin, tag, NUM_COMMANDS, NUM_IN_FLIGHT);
		urom_host_stop_worker(&own, worker);
		urom_host_destroy_worker(&own, worker);
	}
	urom_host_fini(&own);
	atomic_fetch_sub(&team->num_left, 1);
	return NULL;
}

/* Drives the service while the threads are at work; asks it for groups meanwhile. */
static void run_team(void *(*work)(void *))
{
	uint64_t end = test_now_ns() + PATIENCE_NS + num_cycles * PATIENCE_CYCLE;
	struct team team = { .num_left = num_threads };
	struct urom_host host;
	uint64_t ids[1];

	urom_host_init_running(&host);
	team.service = host.service;
	team.plugin = urom_host_plugin(&host);
	for (size_t i = 0; i < num_threads; i++)
		assert_int_equal(pthread_create(&team.threads[i], NULL, work, &team), 0);
	while (atomic_load(&team.num_left) > 0) {
		assert_true(test_now_ns() < end);
		assert_int_equal(urom_host_group(&host, 1, ids, 1), 0);
	}
	for (size_t i = 0; i < num_threads; i++)
		assert_int_equal(pthread_join(team.threads[i], NULL), 0);
	urom_host_stop(&host);
	urom_host_fini(&host);
}

/* traps 14, 15 */
static void threads_have_workers_of_one_service(void **state)
{
	struct urom_rig *rig = *state;

	run_team(start_and_stop);
	urom_rig_wait_workers(rig, 0);
}

/* traps 14, 15 */
static void threads_share_one_worker(void **state)
{
	struct urom_rig *rig = *state;

	run_team(join_and_leave);
	urom_rig_wait_workers(rig, 0);
}

/* trap 13 */
static void service_is_kept_by_the_worker_of_another_thread(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host, own;

	(void)state;
	urom_host_init_running(&host);
	urom_host_init_bare(&own);
	worker = urom_host_worker_of(&own, host.service, 1, urom_host_plugin(&host));
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);

	assert_refused(doca_ctx_stop(host.service_ctx), DOCA_ERROR_IN_USE, "1 worker");

	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	while (urom_host_worker_state(worker) != DOCA_CTX_STATE_IDLE) {
		(void)doca_pe_progress(own.pe);
		(void)doca_pe_progress(host.pe);
	}
	urom_host_stop(&host);
	assert_refused(doca_urom_service_destroy(host.service), DOCA_ERROR_IN_USE, "worker");
	urom_host_fini(&own);
	urom_host_fini(&host);
}

struct restarted {
	struct doca_urom_service *service;
	doca_cpu_set_t cpuset; /* all of the service's */
	atomic_bool is_over;
};

static void *set_cpusets(void *arg)
{
	struct restarted *restarted = arg;
	struct urom_host own;
	struct doca_urom_worker *worker;

	urom_host_init_bare(&own);
	worker = urom_host_worker_of(&own, restarted->service, 1, 1);
	while (!atomic_load(&restarted->is_over))
		assert_success(doca_urom_worker_set_cpuset(worker, restarted->cpuset));
	urom_host_fini(&own);
	return NULL;
}

/* The thread sanitizer's to judge. */
static void service_starts_again_while_another_thread_asks_for_processors(void **state)
{
	struct restarted restarted = { .is_over = false };
	struct urom_host host;
	pthread_t thread;

	(void)state;
	urom_host_init_running(&host);
	restarted.service = host.service;
	assert_success(doca_urom_service_get_cpuset(host.service, &restarted.cpuset));
	assert_int_equal(pthread_create(&thread, NULL, set_cpusets, &restarted), 0);
	for (unsigned int i = 0; i < num_cycles; i++) {
		urom_host_stop(&host);
		urom_host_start(&host);
	}
	atomic_store(&restarted.is_over, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	urom_host_fini(&host);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(threads_have_workers_of_one_service),
		UROM_TEST(threads_share_one_worker),
		UROM_TEST(service_is_kept_by_the_worker_of_another_thread),
		UROM_TEST(service_starts_again_while_another_thread_asks_for_processors),
	};

	if (argc > 1)
		num_cycles = (unsigned int)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		num_threads = (unsigned int)strtoul(argv[2], NULL, 10);
	if (num_cycles == 0 || num_threads == 0 || num_threads > MAX_THREADS) {
		fprintf(stderr, "usage: %s [CYCLES [THREADS]], at most %d threads\n", argv[0],
			MAX_THREADS);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
