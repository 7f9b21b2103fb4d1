/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts and daemons that are gone without a word. */
#include <stdlib.h>

#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"

static pid_t start_program(struct urom_program *program, const char *role, const char *id)
{
	char line[UROM_PROGRAM_LINE];

	urom_program_start(program, (const char *const[]){ role, id, NULL });
	urom_program_read(program, line);
	return (pid_t)strtol(line, NULL, 10);
}

/* Another host finds the id free: it gets a process of its own. */
static void check_id_is_free(pid_t old)
{
	struct urom_test_report report;
	struct urom_host host;

	urom_host_init_running(&host);
	urom_host_report(&host, urom_host_run_worker(&host, 7), &report);
	assert_true((pid_t)report.pid != old);
	urom_host_fini(&host);
}

/* --- hosts --- */

/* trap 68 */
static void worker_of_a_killed_host_ends(void **state)
{
	struct urom_program program;
	struct urom_rig *rig = *state;
	pid_t worker = start_program(&program, "stay", "7");

	assert_int_equal(worker, urom_rig_worker(rig));
	urom_program_kill(&program);
	urom_procs_wait_gone(worker);
	urom_rig_wait_workers(rig, 0);
	check_id_is_free(worker);
}

/* trap 68 */
static void worker_of_a_host_that_exits_without_stop_ends(void **state)
{
	struct urom_program program;
	struct urom_rig *rig = *state;
	pid_t worker = start_program(&program, "leave", "7");

	urom_program_finish(&program);
	urom_procs_wait_gone(worker);
	urom_rig_wait_workers(rig, 0);
	check_id_is_free(worker);
}

/* traps 46, 68 */
static void worker_goes_on_for_the_hosts_that_are_left(void **state)
{
	struct urom_program program;
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;
	pid_t pid;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	pid = start_program(&program, "hold", "7");
	assert_int_equal(pid, urom_rig_worker(rig));

	urom_program_kill(&program);

	/* What was for the dead one is answered in the meantime, and dropped. */
	urom_host_send(&host, worker, UROM_TEST_ECHO_LATER, 1500, 1);
	assert_hears(&host.heard, host.pe, "ok(1)");
	assert_int_equal(urom_rig_worker(rig), pid);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

/* --- daemons --- */

/* trap 69 */
static void death_of_the_daemon_ends_workers_and_tasks(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;
	pid_t pid;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	pid = urom_rig_worker(rig);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 1);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 2);

	urom_rig_kill(rig);

	assert_int_equal(urom_procs_state(pid), '\0');
	assert_hears(&host.heard, host.pe,
		     "CONNECTION_RESET(1) CONNECTION_RESET(2) running>stopping stopping>idle");
	assert_true(test_num_logged() > 0);
	test_drop_log();

	/* The object is still a service, of no use. */
	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_RUNNING);
	assert_refused(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_NOT_CONNECTED,
		       "has lost its daemon");
	urom_host_stop(&host);
	urom_rig_start(rig);
	urom_host_start(&host);
	urom_host_start_worker(&host, worker);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
	urom_logs_take_all(&rig->logs, "daemon");
}

static void end_of_the_daemon_ends_workers(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);

	urom_rig_stop(rig);

	assert_hears(&host.heard, host.pe, UROM_WORKER_STOPS);
	assert_true(test_num_logged() > 0);
	test_drop_log();
	urom_host_destroy_worker(&host, worker);
	urom_host_stop(&host);
	urom_host_fini(&host);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(worker_of_a_killed_host_ends),
		UROM_TEST(worker_of_a_host_that_exits_without_stop_ends),
		UROM_TEST(worker_goes_on_for_the_hosts_that_are_left),
		UROM_TEST(death_of_the_daemon_ends_workers_and_tasks),
		UROM_TEST(end_of_the_daemon_ends_workers),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
