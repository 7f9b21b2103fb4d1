/* SPDX-License-Identifier: BSD-3-Clause */

/* Workers whose last host was lost: who may have them, how long they wait, and what ends them. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"

#define GROUP      3
#define OTHER      4
#define LONG_GRACE "600" /* seconds; no test lasts so long */

#define LIST(...)  ((const char *const[]){ __VA_ARGS__, NULL })

static struct daemon_rig rig;
static struct rig_host observer; /* a host without workers */

static void begin(const char *const *args)
{
	daemon_rig_init(&rig, args, NULL);
	rig_host_init(&observer, &rig);
}

static void end(void)
{
	rig_host_fini(&observer);
	daemon_rig_fini(&rig);
}

struct running {
	uint64_t id;
	uint64_t connection;
	pid_t pid;
	char log[DAEMON_RIG_BYTES];
};

static void ask_for(struct rig_start *request, uint64_t id, const char *mode)
{
	rig_start_init(request, id, mode);
	request->start.has_group = true;
	request->start.group = GROUP;
}

static struct running start_as(struct rig_host *by, const struct rig_start *request)
{
	struct running running = { .id = request->start.worker_id };
	struct wire_worker_started started;

	rig_host_start(by, request, &started);
	running.connection = started.connection;
	running.pid = (pid_t)started.pid;
	(void)snprintf(running.log, sizeof(running.log), "%s/logs/urom_worker_%d_dev.log", rig.dir,
		       (int)running.pid);
	return running;
}

static struct running start(struct rig_host *by, uint64_t id, const char *mode)
{
	struct rig_start request;

	ask_for(&request, id, mode);
	return start_as(by, &request);
}

/* A worker whose only host has hung up, and the daemon knows. */
static struct running lose(uint64_t id, const char *mode)
{
	struct running running;
	struct rig_host lost;

	rig_host_init(&lost, &rig);
	running = start(&lost, id, mode);
	rig_host_fini(&lost);
	daemon_rig_wait_text(running.log, "void ");
	return running;
}

static size_t num_in_group(void)
{
	return rig_host_get_group(&observer, GROUP, NULL, 0);
}

static bool is_there(pid_t pid)
{
	return kill(pid, 0) == 0;
}

/* --- The grace time --- */

static void lost_worker_is_attached_again(void **state)
{
	struct running lost, again;

	(void)state;
	begin(LIST("--grace", LONG_GRACE));
	lost = lose(7, NULL);
	assert_int_equal(num_in_group(), 1);
	again = start(&observer, 7, NULL);
	assert_int_equal(again.pid, lost.pid);
	assert_int_not_equal(again.connection, lost.connection);
	rig_host_stop(&observer, 7, again.connection);
	assert_false(is_there(lost.pid));
	end();
}

static void lost_worker_ends_after_the_grace_time(void **state)
{
	struct running lost;
	uint64_t began;

	(void)state;
	begin(NULL); /* 1 s */
	began = test_now_ns();
	lost = lose(7, NULL);
	daemon_rig_wait_gone(lost.pid);
	assert_true(test_now_ns() - began >= UINT64_C(1000000000));
	daemon_rig_wait_text(lost.log, "shutdown\n");
	assert_int_equal(num_in_group(), 0);
	end();
}

static void attaching_ends_the_grace_time(void **state)
{
	struct running first, second;

	(void)state;
	begin(NULL);
	first = lose(7, NULL);
	assert_int_equal(start(&observer, 7, NULL).pid, first.pid);
	second = lose(8, NULL);
	daemon_rig_wait_gone(second.pid); /* so the first one's time is over, too */
	assert_true(is_there(first.pid));
	assert_int_equal(num_in_group(), 1);
	end();
}

static void without_grace_a_lost_worker_ends_at_once(void **state)
{
	struct running lost;

	(void)state;
	begin(LIST("--grace", "0"));
	lost = lose(7, "close-slowly");
	assert_int_equal(num_in_group(), 0);
	daemon_rig_wait_text(lost.log, "shutdown\n");
	assert_int_equal(kill(lost.pid, SIGUSR1), 0);
	daemon_rig_wait_gone(lost.pid);
	end();
}

static void lost_worker_that_gets_ready_again_is_ended(void **state)
{
	struct running lost;

	(void)state;
	begin(LIST("--grace", LONG_GRACE));
	lost = lose(7, "void-ready");
	daemon_rig_take_log(&rig, "WORKER_READY (type 32) comes from a worker that is ready");
	daemon_rig_take_log(&rig, "worker 7 (pid ");
	daemon_rig_wait_gone(lost.pid);
	assert_int_equal(num_in_group(), 0);
	end();
}

static void worker_that_is_not_ready_has_no_grace(void **state)
{
	struct rig_start request;
	struct rig_host lost;

	(void)state;
	begin(LIST("--grace", LONG_GRACE));
	rig_host_init(&lost, &rig);
	ask_for(&request, 7, "hang-gently");
	rig_host_send(&lost, WIRE_WORKER_START, &request.start);
	rig_host_fini(&lost);
	/* It comes to an end, for its id is another's then. */
	ask_for(&request, 7, NULL);
	start_as(&observer, &request);
	end();
}

static void stop_ends_a_worker_at_once_whatever_the_grace_is(void **state)
{
	static const char *const keep[] = { "--keep-workers", NULL };
	static const char *const grace[] = { "--grace", LONG_GRACE, NULL };
	static const char *const *const args[] = { grace, keep };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct running running;

		begin(args[i]);
		running = start(&observer, 7, NULL);
		rig_host_stop(&observer, 7, running.connection);
		assert_false(is_there(running.pid));
		end();
	}
}

/* --- Starts that do not fit --- */

static void want_environment(struct rig_start *request)
{
	rig_start_add(request, "TEST_NAME=value");
}

static void want_group(struct rig_start *request)
{
	request->start.group = OTHER;
}

static void want_cpuset(struct rig_start *request)
{
	request->start.has_cpuset = true;
	request->start.cpuset[0] = 1;
}

static void want_plugins(struct rig_start *request)
{
	request->start.plugins = 3;
}

static const struct {
	void (*want)(struct rig_start *request);
	doca_error_t error;
	const char *what;
} misfits[] = {
	{ want_environment, DOCA_ERROR_ALREADY_EXIST, "its environment cannot be set" },
	{ want_group, DOCA_ERROR_NOT_PERMITTED, "not in group 4" },
	{ want_cpuset, DOCA_ERROR_NOT_PERMITTED, "another processor set" },
	{ want_plugins, DOCA_ERROR_NOT_PERMITTED, "without the plugins 0x2" },
};

#define NUM_MISFITS (sizeof(misfits) / sizeof(misfits[0]))

static void start_that_does_not_fit_gets_a_new_process(void **state)
{
	(void)state;
	begin(LIST("--grace", LONG_GRACE, "--cpuset", "0-7"));
	for (size_t i = 0; i < NUM_MISFITS; i++) {
		struct running lost = lose(i, NULL), again;
		struct rig_start request;

		ask_for(&request, i, NULL);
		misfits[i].want(&request);
		again = start_as(&observer, &request);
		assert_int_not_equal(again.pid, lost.pid);
		assert_false(is_there(lost.pid));
		daemon_rig_wait_text(lost.log, "shutdown\n");
	}
	end();
}

static void start_that_does_not_fit_waits_for_the_end_of_the_old(void **state)
{
	struct wire_worker_started started;
	struct rig_start request;
	struct running lost;
	uint64_t id;

	(void)state;
	begin(LIST("--grace", LONG_GRACE));
	lost = lose(7, "close-slowly");
	ask_for(&request, 7, NULL);
	want_group(&request);
	id = rig_host_send(&observer, WIRE_WORKER_START, &request.start);
	daemon_rig_wait_text(lost.log, "shutdown\n");
	assert_int_equal(num_in_group(), 0);
	rig_host_check_silent(&observer);
	assert_int_equal(kill(lost.pid, SIGUSR1), 0);
	assert_int_equal(rig_host_receive(&observer, WIRE_WORKER_STARTED, &started), id);
	assert_int_not_equal(started.pid, lost.pid);
	end();
}

static void worker_that_others_have_does_not_give_way(void **state)
{
	struct rig_start request;
	struct running running;

	(void)state;
	begin(LIST("--grace", LONG_GRACE));
	running = lose(7, NULL);
	start(&observer, 7, NULL);
	ask_for(&request, 7, NULL);
	want_group(&request);
	rig_host_start_refused(&observer, &request, DOCA_ERROR_NOT_PERMITTED, "not in group 4");
	daemon_rig_take_log(&rig, "not in group 4");
	assert_true(is_there(running.pid));
	end();
}

/* --- Workers that are kept --- */

static void kept_worker_stays_until_it_is_attached_and_stopped(void **state)
{
	struct running kept, again;
	uint64_t ids[2];

	(void)state;
	begin(LIST("--keep-workers", "--grace", "0"));
	kept = lose(7, NULL);
	assert_int_equal(rig_host_get_group(&observer, GROUP, ids, 2), 1);
	assert_int_equal(ids[0], 7);
	assert_int_equal(lose(7, NULL).pid, kept.pid);
	again = start(&observer, 7, NULL);
	assert_int_equal(again.pid, kept.pid);
	rig_host_stop(&observer, 7, again.connection);
	assert_false(is_there(kept.pid));
	end();
}

static void start_that_does_not_fit_a_kept_worker_is_told_how_to_end_it(void **state)
{
	struct running kept;

	(void)state;
	begin(LIST("--keep-workers", "--cpuset", "0-7"));
	kept = lose(7, NULL);
	for (size_t i = 0; i < NUM_MISFITS; i++) {
		struct rig_start request;
		char reason[256];

		ask_for(&request, 7, NULL);
		misfits[i].want(&request);
		(void)snprintf(reason, sizeof(reason), "%s; it is kept without a host: start it",
			       misfits[i].what);
		rig_host_start_refused(&observer, &request, misfits[i].error, reason);
		daemon_rig_take_log(&rig, reason);
	}
	assert_true(is_there(kept.pid));
	end();
}

static void kept_worker_ends_with_the_daemon(void **state)
{
	struct running kept;

	(void)state;
	begin(LIST("--keep-workers"));
	kept = lose(7, NULL);
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	assert_false(is_there(kept.pid));
	daemon_rig_wait_text(kept.log, "shutdown\n");
	end();
}

static void id_of_a_kept_worker_that_dies_is_free(void **state)
{
	struct running kept;

	(void)state;
	begin(LIST("--keep-workers"));
	kept = lose(7, NULL);
	assert_int_equal(kill(kept.pid, SIGKILL), 0);
	daemon_rig_take_log(&rig, "was killed by signal 9");
	assert_int_equal(num_in_group(), 0);
	assert_int_not_equal(start(&observer, 7, NULL).pid, kept.pid);
	end();
}

/* --- Room --- */

static void worker_that_has_waited_longest_makes_room(void **state)
{
	static const char *const keep[] = { "--keep-workers", "--max-workers", "2", NULL };
	static const char *const grace[] = { "--grace", LONG_GRACE, "--max-workers", "2", NULL };
	static const char *const *const args[] = { grace, keep };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct running longest, other;

		begin(args[i]);
		longest = lose(8, NULL);
		other = lose(7, NULL);
		start(&observer, 9, NULL);
		assert_false(is_there(longest.pid));
		daemon_rig_wait_text(longest.log, "shutdown\n");
		assert_int_equal(start(&observer, 7, NULL).pid, other.pid);
		end();
	}
}

static void workers_with_hosts_make_no_room(void **state)
{
	struct rig_start request;

	(void)state;
	begin(LIST("--keep-workers", "--max-workers", "1"));
	start(&observer, 7, NULL);
	ask_for(&request, 8, NULL);
	rig_host_start_refused(&observer, &request, DOCA_ERROR_FULL, "1 workers already");
	daemon_rig_take_log(&rig, "1 workers already");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lost_worker_is_attached_again),
		TEST(lost_worker_ends_after_the_grace_time),
		TEST(attaching_ends_the_grace_time),
		TEST(without_grace_a_lost_worker_ends_at_once),
		TEST(lost_worker_that_gets_ready_again_is_ended),
		TEST(worker_that_is_not_ready_has_no_grace),
		TEST(stop_ends_a_worker_at_once_whatever_the_grace_is),
		TEST(start_that_does_not_fit_gets_a_new_process),
		TEST(start_that_does_not_fit_waits_for_the_end_of_the_old),
		TEST(worker_that_others_have_does_not_give_way),
		TEST(kept_worker_stays_until_it_is_attached_and_stopped),
		TEST(start_that_does_not_fit_a_kept_worker_is_told_how_to_end_it),
		TEST(kept_worker_ends_with_the_daemon),
		TEST(id_of_a_kept_worker_that_dies_is_free),
		TEST(worker_that_has_waited_longest_makes_room),
		TEST(workers_with_hosts_make_no_room),
	};

	return cmocka_run_group_tests_name("daemon_grace", tests, NULL, NULL);
}
