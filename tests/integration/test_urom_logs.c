/* SPDX-License-Identifier: BSD-3-Clause */
/* What daemon and workers write, how much of it, and where. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NUM_LOOPBACKS 10000
#define NUM_PRINTS    64
#define PRINT_BYTES   65536 /* what a pipe holds, each time */
#define DAEMON_LOG    "urom_daemon_dev.log"

static bool exists(struct urom_rig *rig, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig->dir, name);
	return access(path, F_OK) == 0;
}

/* trap 73 */
static void worker_has_a_log_with_its_own_pid(void **state)
{
	struct urom_test_report report;
	struct urom_rig *rig = *state;
	struct urom_host host;
	char name[64];

	urom_host_init_running(&host);
	urom_host_report(&host, urom_host_run_worker(&host, 1), &report);
	(void)snprintf(name, sizeof(name), "logs/urom_worker_%" PRIu64 "_dev.log", report.pid);
	assert_true(exists(rig, name));
	assert_true(exists(rig, "logs/" DAEMON_LOG));
	urom_host_fini(&host);
}

/* Starts and stops a worker with a daemon of that level. */
static void run_at_level(struct urom_rig *rig, const char *level)
{
	const struct urom_rig_options options = { .log_level = level };
	struct urom_host host;

	urom_rig_init(rig, &options);
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
	urom_rig_stop(rig);
}

/* trap 73 */
static void level_10_prints_nothing(void **state)
{
	struct urom_rig rig;

	(void)state;
	run_at_level(&rig, "10");
	assert_int_equal(urom_logs_size(&rig.logs, ""), 0);
	urom_rig_fini(&rig);
}

static void level_reaches_the_plugins_of_workers(void **state)
{
	static const struct {
		const char *level;
		bool is_logged;
	} rows[] = { { "40", false }, { "50", true }, { "60", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct urom_rig rig;

		run_at_level(&rig, rows[i].level);
		assert_int_equal(urom_logs_have(&rig.logs, "urom_worker_", "][UROM_TEST] open"),
				 rows[i].is_logged);
		assert_int_equal(urom_logs_have(&rig.logs, DAEMON_LOG, "][INF]"),
				 rows[i].is_logged);
		urom_rig_fini(&rig);
	}
}

/* trap 73 */
static void directory_that_is_missing_is_no_obstacle(void **state)
{
	static const char *const args[] = { "--log-dir", "/proc/no/such/place", NULL };
	static const struct urom_rig_options options = { .args = args, .has_log_dir = true };
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
	urom_logs_take(&rig.logs, "/proc/no/such/place");
	urom_rig_fini(&rig);
}

/* trap 35 */
static void worker_that_prints_without_end_goes_on(void **state)
{
	static char variable[] = "UCX_LOG_LEVEL=trace";
	char *const env[] = { variable };
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 1);
	assert_success(doca_urom_worker_set_env(worker, env, 1));
	urom_host_start_worker(&host, worker);
	for (unsigned int i = 0; i < NUM_PRINTS; i++) {
		urom_host_ask(&host, worker,
			      &(struct urom_command){ .op = UROM_TEST_PRINT, .arg = PRINT_BYTES },
			      &answer);
		assert_success(answer.status);
	}
	urom_flow_run(&host, worker, 0, 1, NUM_LOOPBACKS, 16);
	urom_host_fini(&host);
	/* Both of its streams are there. */
	assert_true(urom_logs_size(&rig->logs, "urom_worker_") > 2 * NUM_PRINTS * PRINT_BYTES);
	assert_true(urom_logs_have(&rig->logs, "urom_worker_", "UCX  "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(worker_has_a_log_with_its_own_pid),
		TEST(level_10_prints_nothing),
		TEST(level_reaches_the_plugins_of_workers),
		TEST(directory_that_is_missing_is_no_obstacle),
		UROM_TEST(worker_that_prints_without_end_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
