/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker may use of the machine, with real workers, and hosts that are not concerned. */
#include <stdio.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MIB          (UINT64_C(1) << 20)
#define ROOM_MIB     1024 /* that a limited worker has besides what it needs */
#define NUM_COMMANDS 1000
#define NUM_PRINTS   4
#define PRINT_BYTES  (4u << 20)
#define MAX_LOGS     (2 * MIB) /* a log of 64 KiB, the end of the one before it, and of another's */
#define LOOK_US      10000     /* between two looks */

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
	/* Each worker has the whole of it. */
	assert_success(map(&other, urom_host_run_worker(&other, 2), ROOM_MIB / 8));
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
		TEST(log_of_a_worker_that_prints_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
