/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host that sleeps on its engine's handle whenever there is nothing to do.
 *
 *     test_urom_event [COUNT]    of round trips, 20000 unless given
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define PATIENCE_MS  15000
#define NUM_COMMANDS 200
#define NUM_TRIPS    20000
#define MAX_PAUSE_NS 150000 /* longer than a worker spins */
#define LATE_MS      700
#define MAX_WAKES    100 /* in LATE_MS; a busy loop has thousands */

static unsigned long num_trips = NUM_TRIPS;

/* A host with an epoll descriptor that watches its handle. */
struct sleeper {
	struct urom_host host;
	int epoll;
	unsigned int num_wakes;
};

static void sleeper_init(struct sleeper *sleeper)
{
	struct epoll_event event = { .events = EPOLLIN };
	doca_notification_handle_t handle;

	urom_host_init(&sleeper->host);
	sleeper->num_wakes = 0;
	sleeper->epoll = epoll_create1(EPOLL_CLOEXEC);
	assert_true(sleeper->epoll >= 0);
	assert_success(doca_pe_get_notification_handle(sleeper->host.pe, &handle));
	assert_int_equal(epoll_ctl(sleeper->epoll, EPOLL_CTL_ADD, handle, &event), 0);
	urom_host_start(&sleeper->host);
}

static void sleeper_fini(struct sleeper *sleeper)
{
	close(sleeper->epoll);
	urom_host_fini(&sleeper->host);
}

static unsigned int count_words(const char *words)
{
	unsigned int count = words[0] != '\0';

	for (; *words != '\0'; words++)
		count += *words == ' ';
	return count;
}

/* Arms, sleeps, clears and drives, until the words were heard. */
static void sleep_and_hear(struct sleeper *sleeper, const char *words)
{
	struct urom_host *host = &sleeper->host;
	unsigned int wanted = count_words(words);

	while (host->heard.num_words < wanted) {
		struct epoll_event event;

		assert_success(doca_pe_request_notification(host->pe));
		if (epoll_wait(sleeper->epoll, &event, 1, PATIENCE_MS) != 1)
			fail_msg("nothing wakes the host; heard: \"%s\"", host->heard.text);
		sleeper->num_wakes++;
		assert_success(doca_pe_clear_notification(host->pe, event.data.fd));
		while (host->heard.num_words < wanted && doca_pe_progress(host->pe) != 0)
			continue;
	}
	assert_heard(&host->heard, words);
}

static struct doca_urom_worker *sleeper_run_worker(struct sleeper *sleeper)
{
	struct doca_urom_worker *worker = urom_host_worker(&sleeper->host, 7);

	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	sleep_and_hear(sleeper, UROM_WORKER_STARTS);
	return worker;
}

static void sleeping_host_starts_and_stops_workers(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct sleeper sleeper;

	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	sleep_and_hear(&sleeper, UROM_WORKER_STOPS);
	urom_rig_wait_workers(rig, 0);
	sleeper_fini(&sleeper);
}

static void sleeping_host_misses_no_answer(void **state)
{
	struct doca_urom_worker *worker;
	struct sleeper sleeper;

	(void)state;
	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	for (uint64_t i = 0; i < NUM_COMMANDS; i++) {
		urom_host_send(&sleeper.host, worker, UROM_TEST_ECHO, 0, 1);
		sleep_and_hear(&sleeper, "ok(1)");
	}
	for (uint64_t i = 1; i <= 4; i++)
		urom_host_send(&sleeper.host, worker, UROM_TEST_ECHO_TOGETHER, 4, i);
	sleep_and_hear(&sleeper, "ok(1) ok(2) ok(3) ok(4)");
	sleeper_fini(&sleeper);
}

/* Not asleep: nothing may wake the host too early. */
static void pause_for(uint64_t ns)
{
	const uint64_t end_ns = test_now_ns() + ns;

	while (test_now_ns() < end_ns)
		;
}

/*
 * Each of them can be the one that is sent while the worker, or whose answer comes while the host,
 * is about to go to sleep: now and then there is a pause of another length before the command.
 */
static void many_round_trips_lose_no_wake_up(void **state)
{
	struct doca_urom_worker *worker;
	struct sleeper sleeper;

	(void)state;
	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	for (uint64_t i = 0; i < num_trips; i++) {
		if (i % 4 == 0)
			pause_for(i * 7919 % MAX_PAUSE_NS);
		urom_host_send(&sleeper.host, worker, UROM_TEST_ECHO, 0, 1);
		sleep_and_hear(&sleeper, "ok(1)");
	}
	sleeper_fini(&sleeper);
}

static void host_that_waits_for_a_late_answer_sleeps(void **state)
{
	struct doca_urom_worker *worker;
	struct sleeper sleeper;

	(void)state;
	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	sleeper.num_wakes = 0;
	urom_host_send(&sleeper.host, worker, UROM_TEST_ECHO_LATER, LATE_MS, 1);
	sleep_and_hear(&sleeper, "ok(1)");
	assert_in_range(sleeper.num_wakes, 1, MAX_WAKES);
	sleeper_fini(&sleeper);
}

static void command_after_arming_wakes(void **state)
{
	struct doca_urom_worker *worker;
	struct epoll_event event;
	struct sleeper sleeper;

	(void)state;
	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	assert_success(doca_pe_request_notification(sleeper.host.pe));
	urom_host_send(&sleeper.host, worker, UROM_TEST_ECHO, 0, 1);
	assert_int_equal(epoll_wait(sleeper.epoll, &event, 1, PATIENCE_MS), 1);
	assert_success(doca_pe_clear_notification(sleeper.host.pe, 0));
	sleep_and_hear(&sleeper, "ok(1)");
	sleeper_fini(&sleeper);
}

static void death_of_a_worker_wakes_its_host(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct sleeper sleeper;

	sleeper_init(&sleeper);
	worker = sleeper_run_worker(&sleeper);
	urom_host_send(&sleeper.host, worker, UROM_TEST_HOLD, 0, 1);
	assert_int_equal(kill(urom_rig_worker(rig), SIGKILL), 0);
	sleep_and_hear(&sleeper, "CONNECTION_RESET(1) running>stopping stopping>idle");
	urom_logs_take_all(&rig->logs, "worker");
	sleeper_fini(&sleeper);
	urom_host_take_losses();
}

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	heard_on_end(doca_urom_service_get_workers_by_gid_task_as_task(task), task_user_data,
		     ctx_user_data);
}

static void answer_of_the_service_wakes(void **state)
{
	struct doca_urom_service_get_workers_by_gid_task *task;
	struct sleeper sleeper;

	(void)state;
	sleeper_init(&sleeper);
	for (unsigned int i = 0; i < NUM_COMMANDS; i++) {
		assert_success(doca_urom_service_get_workers_by_gid_task_allocate_init(
		    sleeper.host.service, 1, on_group, &task));
		assert_success(
		    doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(task)));
		sleep_and_hear(&sleeper, "ok(0)");
	}
	sleeper_fini(&sleeper);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(sleeping_host_starts_and_stops_workers),
		UROM_TEST(sleeping_host_misses_no_answer),
		UROM_TEST(many_round_trips_lose_no_wake_up),
		UROM_TEST(host_that_waits_for_a_late_answer_sleeps),
		UROM_TEST(command_after_arming_wakes),
		UROM_TEST(death_of_a_worker_wakes_its_host),
		UROM_TEST(answer_of_the_service_wakes),
	};

	if (argc > 1)
		num_trips = strtoul(argv[1], NULL, 10);
	if (argc > 2 || num_trips == 0) {
		fprintf(stderr, "usage: %s [COUNT]\n", argv[0]);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
