/* SPDX-License-Identifier: BSD-3-Clause */

/* Workers end: asked by a host, because none is left, by themselves, or with the daemon. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"
#include "urom/chan/chan_address.h"

static struct daemon_rig rig;
static struct rig_host host;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, NULL, NULL);
	rig_host_init(&host, &rig);
	return status;
}

static int teardown(void **state)
{
	rig_host_fini(&host);
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define STOP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* What a test has of a worker that it has started. */
struct running {
	uint64_t id;
	uint64_t connection;
	pid_t pid;
	char log[DAEMON_RIG_BYTES];
};

static struct running start(struct rig_host *by, uint64_t id, const char *mode)
{
	struct wire_worker_started started;
	struct running running = { .id = id };
	struct rig_start request;

	rig_start_init(&request, id, mode);
	request.start.has_group = true;
	request.start.group = 3;
	rig_host_start(by, &request, &started);
	running.connection = started.connection;
	running.pid = (pid_t)started.pid;
	(void)snprintf(running.log, sizeof(running.log), "%s/logs/urom_worker_%d_dev.log", rig.dir,
		       (int)running.pid);
	return running;
}

static bool is_there(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/* Asks for the end of a connection, and does not wait for it. */
static uint64_t send_stop(struct rig_host *by, const struct running *running)
{
	const struct wire_worker_stop stop = { running->id, running->connection };

	return rig_host_send(by, WIRE_WORKER_STOP, &stop);
}

static void check_stopped(struct rig_host *by, uint64_t id)
{
	struct wire_empty nothing;

	assert_int_equal(rig_host_receive(by, WIRE_WORKER_STOPPED, &nothing), id);
}

/* The host is told that a worker has died, and why. */
static void check_died(struct rig_host *by, const struct running *running, doca_error_t error,
		       const char *part)
{
	struct wire_worker_died died;
	char reason[WIRE_MAX_REASON + 1];

	assert_int_equal(rig_host_receive(by, WIRE_WORKER_DIED, &died), 0);
	assert_int_equal(died.worker_id, running->id);
	assert_int_equal(died.error, error);
	(void)snprintf(reason, sizeof(reason), "%.*s", (int)died.reason.len,
		       (const char *)died.reason.data);
	if (strstr(reason, part) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", reason, part);
}

/* --- Stopped by hosts --- */

static void last_stop_is_answered_when_the_process_is_gone(void **state)
{
	struct running running = start(&host, 7, NULL);

	(void)state;
	assert_true(is_there(running.pid));
	check_stopped(&host, send_stop(&host, &running));
	assert_false(is_there(running.pid));
	daemon_rig_wait_text(running.log, "void 1\nshutdown\n");
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 0);
}

static void stop_of_one_of_two_leaves_the_worker_to_the_other(void **state)
{
	struct running first = start(&host, 7, NULL), second;
	struct rig_host other;

	(void)state;
	rig_host_init(&other, &rig);
	second = start(&other, 7, NULL);
	assert_int_equal(second.pid, first.pid);
	check_stopped(&host, send_stop(&host, &first));
	daemon_rig_wait_text(first.log, "void 1\n");
	assert_true(is_there(first.pid));
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 1);
	check_stopped(&other, send_stop(&other, &second));
	assert_false(is_there(first.pid));
	rig_host_fini(&other);
}

static void host_with_two_connections_stops_them_one_by_one(void **state)
{
	struct running first = start(&host, 7, NULL), second = start(&host, 7, NULL);

	(void)state;
	assert_true(first.connection != second.connection);
	check_stopped(&host, send_stop(&host, &first));
	assert_true(is_there(first.pid));
	check_stopped(&host, send_stop(&host, &second));
	assert_false(is_there(first.pid));
}

static void stop_of_what_is_gone_or_not_ones_own_is_answered(void **state)
{
	struct running running = start(&host, 7, NULL), wrong = running;
	struct rig_host other;

	(void)state;
	wrong.id = 8;
	check_stopped(&host, send_stop(&host, &wrong));
	wrong = running;
	wrong.connection++;
	check_stopped(&host, send_stop(&host, &wrong));
	rig_host_init(&other, &rig);
	check_stopped(&other, send_stop(&other, &running));
	rig_host_fini(&other);
	assert_true(is_there(running.pid));
	check_stopped(&host, send_stop(&host, &running));
	check_stopped(&host, send_stop(&host, &running));
}

static void start_during_the_closing_waits_for_its_end(void **state)
{
	struct running old = start(&host, 7, "close-slowly");
	struct wire_worker_started started;
	struct rig_start request;
	struct rig_host other, third;
	uint64_t stop, begin;

	(void)state;
	rig_host_init(&other, &rig);
	rig_host_init(&third, &rig);
	stop = send_stop(&host, &old);
	daemon_rig_wait_text(old.log, "shutdown");
	rig_start_init(&request, 7, NULL);
	begin = rig_host_send(&other, WIRE_WORKER_START, &request.start);
	/* One that leaves while it waits is no matter. */
	rig_host_send(&third, WIRE_WORKER_START, &request.start);
	rig_host_fini(&third);
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 0);
	rig_host_check_silent(&other);
	assert_int_equal(kill(old.pid, SIGUSR1), 0);
	check_stopped(&host, stop);
	assert_int_equal(rig_host_receive(&other, WIRE_WORKER_STARTED, &started), begin);
	assert_int_equal(started.worker_id, 7);
	assert_int_not_equal(started.pid, old.pid);
	assert_false(is_there(old.pid));
	rig_host_fini(&other);
}

static void worker_that_does_not_close_is_killed_after_5_s(void **state)
{
	struct running running = start(&host, 7, "close-never");
	const uint64_t began = test_now_ns();

	(void)state;
	check_stopped(&host, send_stop(&host, &running));
	assert_true(test_now_ns() - began >= UINT64_C(4900000000));
	assert_false(is_there(running.pid));
	daemon_rig_take_log(&rig, "did not close its plugins in time and was killed");
}

/* --- Ends of hosts --- */

static void worker_ends_with_its_last_host(void **state)
{
	struct running running = start(&host, 7, NULL), other_one;
	struct rig_host other;

	(void)state;
	rig_host_init(&other, &rig);
	other_one = start(&other, 7, NULL);
	rig_host_fini(&other);
	daemon_rig_wait_text(running.log, "void 2\n");
	assert_int_equal(other_one.pid, running.pid);
	assert_true(is_there(running.pid));
	rig_host_fini(&host);
	daemon_rig_wait_gone(running.pid);
	daemon_rig_wait_text(running.log, "void 1\nshutdown\n");
	rig_host_init(&host, &rig);
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 0);
}

static void host_that_leaves_while_it_stops_is_no_matter(void **state)
{
	struct running running;
	struct rig_host other;

	(void)state;
	rig_host_init(&other, &rig);
	running = start(&other, 7, "close-slowly");
	send_stop(&other, &running);
	daemon_rig_wait_text(running.log, "shutdown");
	rig_host_fini(&other);
	assert_int_equal(kill(running.pid, SIGUSR1), 0);
	daemon_rig_wait_gone(running.pid);
	start(&host, 7, NULL);
}

/* --- Deaths --- */

static void death_is_told_to_every_host_with_its_reason(void **state)
{
	struct running running = start(&host, 7, NULL), again;
	char reason[2 * DAEMON_RIG_BYTES];
	struct rig_host other;

	(void)state;
	rig_host_init(&other, &rig);
	start(&other, 7, NULL);
	assert_int_equal(kill(running.pid, SIGKILL), 0);
	(void)snprintf(
	    reason, sizeof(reason),
	    "worker 7 (pid %d) was killed by signal 9 (Killed); it was in none of its plugins "
	    "(a); its log is %s",
	    (int)running.pid, running.log);
	check_died(&host, &running, DOCA_ERROR_CONNECTION_RESET, reason);
	check_died(&other, &running, DOCA_ERROR_CONNECTION_RESET, reason);
	daemon_rig_take_log(&rig, reason);
	assert_false(is_there(running.pid));
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 0);
	check_stopped(&host, send_stop(&host, &running));
	again = start(&host, 7, NULL);
	assert_int_not_equal(again.pid, running.pid);
	rig_host_fini(&other);
}

static void worker_that_hangs_up_but_stays_is_killed(void **state)
{
	struct running running = start(&host, 7, "hang-up");

	(void)state;
	check_died(&host, &running, DOCA_ERROR_CONNECTION_RESET, "was killed");
	daemon_rig_take_log(&rig, "worker 7");
}

static void processes_that_a_worker_has_started_go_with_it(void **state)
{
	struct running running = start(&host, 7, "fork");
	char text[1024];
	const char *line;

	(void)state;
	daemon_rig_wait_text(running.log, "ticket 1");
	line = strstr(daemon_rig_read(running.log, text, sizeof(text)), "child ");
	assert_non_null(line);
	check_stopped(&host, send_stop(&host, &running));
	daemon_rig_wait_gone((pid_t)strtol(line + strlen("child "), NULL, 10));
}

static bool is_segment_there(int id)
{
	struct shmid_ds segment;

	return shmctl(id, IPC_STAT, &segment) == 0;
}

static void shared_memory_that_a_killed_worker_leaves_is_removed(void **state)
{
	struct running running = start(&host, 7, "segments");
	int left, attached, named;
	char text[1024];
	const char *line;
	void *memory;

	(void)state;
	daemon_rig_wait_text(running.log, "segments ");
	line = strstr(daemon_rig_read(running.log, text, sizeof(text)), "segments ");
	assert_int_equal(sscanf(line, "segments %d %d %d\n", &left, &attached, &named), 3);
	memory = shmat(attached, NULL, 0);
	assert_true(memory != (void *)-1);
	assert_int_equal(kill(running.pid, SIGKILL), 0);
	check_died(&host, &running, DOCA_ERROR_CONNECTION_RESET, "was killed");
	daemon_rig_take_log(&rig, "worker 7");
	assert_false(is_segment_there(left));
	assert_true(is_segment_there(attached));
	assert_true(is_segment_there(named));
	assert_int_equal(shmctl(attached, IPC_RMID, NULL), 0);
	assert_int_equal(shmdt(memory), 0);
	assert_int_equal(shmctl(named, IPC_RMID, NULL), 0);
}

/* --- The daemon's end --- */

static void hosts_are_told_of_workers_that_end_with_the_daemon(void **state)
{
	struct running running = start(&host, 7, NULL);

	(void)state;
	daemon_rig_signal(&rig, SIGTERM);
	check_died(&host, &running, DOCA_ERROR_SHUTDOWN, "worker 7");
	rig_host_receive_end(&host);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	assert_false(is_there(running.pid));
	daemon_rig_wait_text(running.log, "shutdown");
}

static void nothing_new_begins_while_the_daemon_ends(void **state)
{
	struct running running = start(&host, 7, "close-slowly");
	struct rig_start request;
	int fd;

	(void)state;
	daemon_rig_signal(&rig, SIGTERM);
	daemon_rig_wait_text(running.log, "shutdown");
	rig_start_init(&request, 8, NULL);
	rig_host_start_refused(&host, &request, DOCA_ERROR_SHUTDOWN, "the service is ending");
	daemon_rig_take_log(&rig, "the service is ending");
	/* The system refuses, at once or when the connection is looked at. */
	if (chan_address_connect((const struct sockaddr *)&rig.address, &fd) == DOCA_SUCCESS) {
		char byte;

		assert_true(test_is_readable(fd, 20000));
		assert_int_equal(read(fd, &byte, 1), -1);
		close(fd);
	}
	/* A start that waits for this process is refused when it has gone. */
	rig_start_init(&request, 7, NULL);
	rig_host_send(&host, WIRE_WORKER_START, &request.start);
	assert_int_equal(rig_host_get_group(&host, 3, NULL, 0), 0);
	assert_int_equal(kill(running.pid, SIGUSR1), 0);
	check_died(&host, &running, DOCA_ERROR_SHUTDOWN, "worker 7");
	rig_host_receive_refused(&host, WIRE_WORKER_REFUSED, DOCA_ERROR_SHUTDOWN, "ending");
	assert_int_equal(daemon_rig_wait(&rig), 0);
	daemon_rig_take_log(&rig, "the service is ending");
}

static void worker_that_does_not_close_is_killed_at_the_daemons_end(void **state)
{
	struct running running = start(&host, 7, "close-never");

	(void)state;
	daemon_rig_signal(&rig, SIGTERM);
	check_died(&host, &running, DOCA_ERROR_SHUTDOWN, "in time and was killed");
	assert_int_equal(daemon_rig_wait(&rig), 0);
	daemon_rig_take_log(&rig, "did not close its plugins in time and was killed");
}

static void second_signal_ends_it_at_once(void **state)
{
	struct running running = start(&host, 7, "close-never");

	(void)state;
	daemon_rig_signal(&rig, SIGTERM);
	daemon_rig_wait_text(running.log, "shutdown");
	daemon_rig_signal(&rig, SIGINT);
	assert_int_equal(daemon_rig_wait(&rig), 1);
	daemon_rig_wait_gone(running.pid);
	daemon_rig_take_log(&rig, "SIGINT again: 1 workers are killed");
}

static void workers_end_when_the_daemon_is_killed(void **state)
{
	struct running first = start(&host, 7, NULL), second = start(&host, 8, NULL);

	(void)state;
	daemon_rig_signal(&rig, SIGKILL);
	assert_int_equal(daemon_rig_wait(&rig), -SIGKILL);
	rig_host_receive_end(&host);
	daemon_rig_wait_gone(first.pid);
	daemon_rig_wait_gone(second.pid);
	assert_int_equal(unlink(daemon_rig_path(&rig, "port")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STOP_TEST(last_stop_is_answered_when_the_process_is_gone),
		STOP_TEST(stop_of_one_of_two_leaves_the_worker_to_the_other),
		STOP_TEST(host_with_two_connections_stops_them_one_by_one),
		STOP_TEST(stop_of_what_is_gone_or_not_ones_own_is_answered),
		STOP_TEST(start_during_the_closing_waits_for_its_end),
		STOP_TEST(worker_that_does_not_close_is_killed_after_5_s),
		STOP_TEST(worker_ends_with_its_last_host),
		STOP_TEST(host_that_leaves_while_it_stops_is_no_matter),
		STOP_TEST(death_is_told_to_every_host_with_its_reason),
		STOP_TEST(worker_that_hangs_up_but_stays_is_killed),
		STOP_TEST(processes_that_a_worker_has_started_go_with_it),
		STOP_TEST(shared_memory_that_a_killed_worker_leaves_is_removed),
		STOP_TEST(hosts_are_told_of_workers_that_end_with_the_daemon),
		STOP_TEST(nothing_new_begins_while_the_daemon_ends),
		STOP_TEST(worker_that_does_not_close_is_killed_at_the_daemons_end),
		STOP_TEST(second_signal_ends_it_at_once),
		STOP_TEST(workers_end_when_the_daemon_is_killed),
	};

	return cmocka_run_group_tests_name("daemon_stop", tests, NULL, NULL);
}
