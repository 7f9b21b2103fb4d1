/* SPDX-License-Identifier: BSD-3-Clause */
/* Several hosts at one daemon, and what it all costs while nothing happens. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"

#define NUM_RACERS    20
#define NUM_LOOPBACKS 1000
#define IDLE_S        3
#define IDLE_PERCENT  5
#define NUM_ECHOES    200
#define NUM_HELD      4
#define SILENCE_US    200 /* after which it has just ceased to spin */

/*
 * To be woken by UCX takes up to 170 us longer than by a socket, and a millisecond is to be seen.
 * Sanitizers take their part.
 */
#define MAX_ADDED_NS (TEST_HAS_NO_CORE ? 900000 : 400000)

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

/* A process that gives back each byte, which is all that can be had of the machine. */
struct mirror {
	pid_t pid;
	int fd;
};

static void mirror_start(struct mirror *mirror)
{
	char byte;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	mirror->pid = fork();
	if (mirror->pid == 0) {
		close(fds[0]);
		while (read(fds[1], &byte, 1) == 1 && write(fds[1], &byte, 1) == 1)
			continue;
		_exit(EXIT_SUCCESS);
	}
	assert_true(mirror->pid > 0);
	close(fds[1]);
	mirror->fd = fds[0];
}

static void mirror_ask(const struct mirror *mirror)
{
	char byte = 'x';

	assert_int_equal(write(mirror->fd, &byte, 1), 1);
	assert_int_equal(read(mirror->fd, &byte, 1), 1);
}

static void mirror_stop(const struct mirror *mirror)
{
	int status;

	close(mirror->fd);
	assert_int_equal(waitpid(mirror->pid, &status, 0), mirror->pid);
	assert_int_equal(status, 0);
}

/* The time that has passed but for what this process and another waited for a processor in it. */
static int64_t net_now_ns(pid_t other)
{
	return (int64_t)(test_now_ns() - urom_procs_delay_ns(getpid()) -
			 urom_procs_delay_ns(other));
}

static int64_t ask_mirror(const struct mirror *mirror)
{
	const int64_t began_ns = net_now_ns(mirror->pid);

	mirror_ask(mirror);
	return net_now_ns(mirror->pid) - began_ns;
}

static int64_t ask_worker(struct urom_host *host, struct doca_urom_worker *worker, pid_t pid)
{
	int64_t began_ns;

	usleep(SILENCE_US);
	began_ns = net_now_ns(pid);
	urom_host_check_echo(host, worker);
	return net_now_ns(pid) - began_ns;
}

static int compare(const void *one, const void *other)
{
	const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;

	return a < b ? -1 : a > b;
}

/*
 * trap 74: what a worker that is busy waits between two looks must not be felt. Its answers are
 * compared with those of a process that does nothing else, one by one, and the one in the middle
 * counts: so whatever else the machine does is in both.
 */
static void answers_come_at_once_while_there_are_many(void **state)
{
	struct urom_rig *rig = *state;
	int64_t added_ns[NUM_ECHOES];
	struct doca_urom_worker *worker;
	struct mirror mirror;
	struct urom_host host;
	pid_t pid;

	mirror_start(&mirror);
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	pid = urom_rig_worker(rig);
	for (uint64_t i = 0; i < NUM_HELD; i++)
		urom_host_send(&host, worker, UROM_TEST_HOLD, 0, i);
	for (unsigned int i = 0; i < NUM_ECHOES; i++)
		added_ns[i] = ask_worker(&host, worker, pid) - ask_mirror(&mirror);
	qsort(added_ns, NUM_ECHOES, sizeof(added_ns[0]), compare);
	if (added_ns[NUM_ECHOES / 2] > MAX_ADDED_NS)
		fail_msg("half of %d answers took %d us more than they must", NUM_ECHOES,
			 (int)(added_ns[NUM_ECHOES / 2] / 1000));
	urom_host_send(&host, worker, UROM_TEST_ANSWER_HELD, 0, NUM_HELD);
	assert_hears(&host.heard, host.pe, "ok(0) ok(1) ok(2) ok(3) ok(4)");
	mirror_stop(&mirror);
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
