/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts and daemons that are gone without a word. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What a line says of a worker's death is what the daemon has seen, though the channel is faster.
 */
static void loss_of_a_worker_is_logged_once_with_its_reason(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 1);

	assert_int_equal(kill(urom_rig_worker(rig), SIGKILL), 0);

	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	test_take_log("[ERR][UROM::WORKER_CTX] worker 7 is lost: worker 7 (pid");
	assert_int_equal(test_num_logged(), 0);
	urom_host_fini(&host);
	urom_logs_take_all(&rig->logs, "worker 7");
}

/* Does a process map shared memory of that kind, as /proc/PID/maps names it? */
static bool has_mapped(pid_t pid, const char *kind)
{
	char path[64], line[512];
	bool is_found = false;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	assert_non_null(maps);
	while (!is_found && fgets(line, sizeof(line), maps) != NULL)
		is_found = strstr(line, kind) != NULL;
	(void)fclose(maps);
	return is_found;
}

/* A file of shared memory has a name for a moment, and whoever is killed then leaves it. */
static void who_is_killed_has_no_file_of_shared_memory(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;
	pid_t pid;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 1);
	pid = urom_rig_worker(rig);

	assert_false(has_mapped(pid, "/dev/shm/"));
	assert_false(has_mapped(getpid(), "/dev/shm/"));
	assert_true(has_mapped(pid, "/SYSV"));
	assert_true(has_mapped(getpid(), "/SYSV"));

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	urom_host_fini(&host);
	urom_host_take_losses();
	urom_logs_take_all(&rig->logs, "worker 7");
}

/* One command is not "1 commands", and nobody is at fault. */
static void end_of_the_service_is_told_as_what_it_is(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 1);

	urom_rig_stop(rig);

	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	test_take_log("[WRN][UROM::WORKER_CTX] worker 7 has ended: the service is ending; "
		      "1 command ends with it");
	while (test_num_logged() == 0)
		(void)doca_pe_progress(host.pe); /* the way to the daemon comes to its end */
	test_take_log("[WRN][UROM::SERVICE_CTX] service");
	urom_host_destroy_worker(&host, worker);
	urom_host_fini(&host);
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
	test_take_log("has ended: the service is ending");
	test_drop_log(); /* the way to the daemon may have ended already, too */
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
		UROM_TEST(loss_of_a_worker_is_logged_once_with_its_reason),
		UROM_TEST(who_is_killed_has_no_file_of_shared_memory),
		UROM_TEST(end_of_the_service_is_told_as_what_it_is),
		UROM_TEST(end_of_the_daemon_ends_workers),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
