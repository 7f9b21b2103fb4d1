/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker may use of the machine, with real workers, and hosts that are not concerned. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MIB          (UINT64_C(1) << 20)
#define ROOM_MIB     1024 /* that a limited worker has besides what it needs */
#define FILL_MIB     768  /* so much that what a worker had before is little beside it */
#define NUM_COMMANDS 1000
#define NUM_UNREAD   32 /* with sockets that take some MiB, the answers of some of them */
#define UNREAD_BYTES 1000000
#define NUM_PRINTS   4
#define PRINT_BYTES  (4u << 20)
#define MAX_LOGS     (2 * MIB) /* a log of 64 KiB, the end of the one before it, and of another's */
#define LOOK_US      10000     /* between two looks */
#define DEATH_NS     UINT64_C(80000000000) /* for 2 s of a busy machine's processor */

/* The address space of a worker without a limit, in MiB; sanitizers need much. */
static uint64_t measure(void)
{
	unsigned long pages = 0;
	struct urom_host host;
	struct urom_rig rig;
	char path[64];
	FILE *file;

	urom_rig_init(&rig, NULL);
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	(void)snprintf(path, sizeof(path), "/proc/%d/statm", (int)urom_rig_worker(&rig));
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) / MIB;
}

static doca_error_t map(struct urom_host *host, struct doca_urom_worker *worker, uint32_t num_mib)
{
	struct urom_answer answer;

	urom_host_ask(host, worker, &(struct urom_command){ .op = UROM_TEST_MAP, .arg = num_mib },
		      &answer);
	return answer.status;
}

/* The daemon has counted so many who met that limit. */
static void check_hits(struct urom_rig *rig, const char *limit, unsigned long num_hits)
{
	char part[64], line[512];
	const char *hits;

	assert_int_equal(kill(rig->daemon, SIGUSR1), 0);
	(void)snprintf(part, sizeof(part), "limit %s: ", limit);
	urom_logs_get(&rig->logs, "urom_daemon_dev.log", part, line, sizeof(line));
	hits = strstr(line, "hits=");
	assert_non_null(hits);
	assert_int_equal(strtoul(hits + strlen("hits="), NULL, 10), num_hits);
}

/* The processor is left to the worker, which may have to use up its time of it. */
static void wait_idle(struct urom_host *host, struct doca_urom_worker *worker)
{
	const uint64_t deadline = test_now_ns() + DEATH_NS;

	while (urom_host_worker_state(worker) != DOCA_CTX_STATE_IDLE) {
		assert_true(test_now_ns() < deadline);
		if (doca_pe_progress(host->pe) == 0)
			usleep(LOOK_US);
	}
}

/* A worker dies of a command: its host and both logs tell of the limit, and nobody else does. */
static void check_death(struct urom_rig *rig, const struct urom_command *deadly, const char *limit)
{
	struct doca_urom_worker *worker, *steady;
	struct urom_test_report before, after;
	struct urom_host host, other;

	urom_host_init_running(&host);
	urom_host_init_running(&other);
	worker = urom_host_run_worker(&host, 1);
	steady = urom_host_run_worker(&other, 2);
	urom_host_report(&other, steady, &before);
	(void)urom_host_submit(&host, worker, deadly);
	wait_idle(&host, worker);
	assert_heard(&host.heard, "CONNECTION_RESET(1) running>stopping stopping>idle");
	urom_host_hear_of(&host, limit);
	urom_logs_take(&rig->logs, limit);
	check_hits(rig, limit, 1);
	urom_flow_run(&other, steady, 0, 2, NUM_COMMANDS, 8);
	urom_host_report(&other, steady, &after);
	assert_int_equal(after.pid, before.pid);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 3));
	urom_host_fini(&other);
	urom_host_fini(&host);
}

static void worker_that_fills_its_memory_dies_and_why_is_told(void **state)
{
	static const struct urom_command deadly = { .number = 1,
						    .op = UROM_TEST_FILL,
						    .arg = 2 * FILL_MIB };
	char limit[32];
	const char *const args[] = { "--worker-memory", limit, NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	(void)snprintf(limit, sizeof(limit), "%luM", (unsigned long)(measure() + FILL_MIB));
	urom_rig_init(&rig, &options);
	if (TEST_HAS_TSAN) { /* it has too little to begin with */
		urom_host_init_running(&host);
		urom_host_fail_worker(&host, urom_host_worker(&host, 1), "--worker-memory");
		urom_logs_take_all(&rig.logs, "--worker-memory");
		urom_host_fini(&host);
	} else {
		check_death(&rig, &deadly, "worker-memory");
	}
	urom_rig_fini(&rig);
}

/* It might as well have been something else. */
static void limit_that_was_far_away_is_not_blamed(void **state)
{
	char limit[32];
	const char *const args[] = { "--worker-memory", limit, NULL };
	const struct urom_rig_options options = { .args = TEST_HAS_TSAN ? NULL : args };
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	(void)snprintf(limit, sizeof(limit), "%luM", 4 * (unsigned long)measure());
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	urom_host_send(&host, urom_host_run_worker(&host, 1), UROM_TEST_ABORT, 0, 1);
	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	urom_host_hear_of(&host, "was killed by signal 6 (Aborted); it was in worker_cmd");
	urom_logs_take(&rig.logs, "was killed by signal 6 (Aborted); it was in worker_cmd");
	check_hits(&rig, "worker-memory", 0);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

static void worker_whose_time_is_over_dies_and_why_is_told(void **state)
{
	static const struct urom_command deadly = { .number = 1, .op = UROM_TEST_WORK };
	static const char *const args[] = { "--worker-cpu-time", "2", NULL };
	static const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_logs_take_all(&rig.logs, "has not returned for"); /* if others work, too */
	check_death(&rig, &deadly, "worker-cpu-time");
	urom_rig_fini(&rig);
}

static void memory_over_the_limit_is_not_had(void **state)
{
	char limit[32];
	const char *const args[] = { "--worker-memory", limit, NULL };
	const struct urom_rig_options options = { .args = args };
	struct doca_urom_worker *worker;
	struct urom_host host, other;
	struct urom_rig rig;

	(void)state;
	(void)snprintf(limit, sizeof(limit), "%luM", (unsigned long)(measure() + ROOM_MIB));
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	if (TEST_HAS_TSAN) {
		urom_host_fail_worker(&host, urom_host_worker(&host, 1), "--worker-memory");
		urom_logs_take_all(&rig.logs, "--worker-memory");
		urom_host_fini(&host);
		urom_rig_fini(&rig);
		return;
	}
	urom_host_init_running(&other);
	worker = urom_host_run_worker(&host, 1);
	assert_error(map(&host, worker, 4 * ROOM_MIB), DOCA_ERROR_NO_MEMORY);
	assert_success(map(&host, worker, ROOM_MIB / 8));
	urom_flow_run(&host, worker, 0, 1, NUM_COMMANDS, 8);
	check_hits(&rig, "worker-memory", 0); /* its plugin has lived with it */
	/* Each worker has the whole of it. */
	assert_success(map(&other, urom_host_run_worker(&other, 2), ROOM_MIB / 8));
	urom_host_fini(&other);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* Answers that had come before the end are good, the others are not. */
static void check_some_read(struct heard *heard)
{
	char words[HEARD_BYTES];
	unsigned int num_good = 0;
	size_t len = 0;

	for (const char *at = heard->text; (at = strstr(at, "ok(")) != NULL; at++)
		num_good++;
	assert_in_range(num_good, 0, NUM_UNREAD - 1);
	for (unsigned int i = 0; i < NUM_UNREAD; i++)
		len += (size_t)snprintf(words + len, sizeof(words) - len, "%s(%u) ",
					i < num_good ? "ok" : "CONNECTION_RESET", i);
	(void)snprintf(words + len, sizeof(words) - len, "%s", UROM_WORKER_STOPS);
	assert_heard(heard, words);
}

/* It sends commands, and never looks for the answers until the worker has given it up. */
static void host_that_does_not_read_is_told_why(void **state)
{
	static const char *const args[] = { "--max-unread", "1M",  "-m", "1M",
					    "--channel",    "tcp", NULL };
	static const struct urom_rig_options options = { .args = args };
	struct doca_urom_worker *worker, *steady;
	struct urom_host host, other;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init(&host);
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, MIB));
	urom_host_start(&host);
	urom_host_init_running(&other);
	worker = urom_host_run_worker(&host, 1);
	steady = urom_host_run_worker(&other, 2);
	for (unsigned int i = 0; i < NUM_UNREAD; i++)
		urom_host_send(&host, worker, UROM_TEST_BYTES, UNREAD_BYTES, i);
	urom_logs_take(&rig.logs, "does not read, and answers of more than");
	urom_logs_take(&rig.logs, "--max-unread of the daemon sets that limit");
	urom_flow_run(&other, steady, 0, 2, NUM_COMMANDS, 8);
	wait_idle(&host, worker);
	assert_true(test_has_logged("worker 1 is lost: the connection of this host to worker 1"));
	urom_host_hear_of(&host, "--max-unread of the daemon sets that limit");
	check_some_read(&host.heard);
	check_hits(&rig, "max-unread", 1);
	/* Its worker has gone with its last host, and the next one is a new one. */
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&other);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

static void log_of_a_worker_that_prints_stays_small(void **state)
{
	static const char *const args[] = { "--max-log-size", "64K", NULL };
	static const struct urom_rig_options options = { .args = args, .log_level = "50" };
	const uint64_t deadline = test_now_ns() + UINT64_C(20000000000);
	struct doca_urom_worker *worker, *steady;
	struct urom_host host, other;
	struct urom_answer answer;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	urom_host_init_running(&other);
	worker = urom_host_run_worker(&host, 1);
	steady = urom_host_run_worker(&other, 2);
	for (unsigned int i = 0; i < NUM_PRINTS; i++) {
		urom_host_ask(&host, worker,
			      &(struct urom_command){ .op = UROM_TEST_PRINT, .arg = PRINT_BYTES },
			      &answer);
		assert_success(answer.status);
		urom_flow_run(&other, steady, 0, 2, NUM_COMMANDS, 8);
	}
	while (urom_logs_size(&rig.logs, "urom_worker_") > MAX_LOGS) {
		assert_true(test_now_ns() < deadline);
		usleep(LOOK_US);
	}
	assert_true(urom_logs_have(&rig.logs, "urom_worker_", "more than anybody wants to hear"));
	urom_flow_run(&host, worker, 0, 1, NUM_COMMANDS, 8);
	urom_host_fini(&other);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_over_the_limit_is_not_had),
		TEST(worker_that_fills_its_memory_dies_and_why_is_told),
		TEST(limit_that_was_far_away_is_not_blamed),
		TEST(worker_whose_time_is_over_dies_and_why_is_told),
		TEST(host_that_does_not_read_is_told_why),
		TEST(log_of_a_worker_that_prints_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
