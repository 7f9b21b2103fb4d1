/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Directories of the daemon's search path that do not answer, as those of a dead file server: what
 * that costs, and whom. To open one is the test's, and waits until somebody writes to a FIFO.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan_rig.h"
#include "test.h"
#include "urom/daemon/base/limits.h"

#define SECOND_NS       UINT64_C(1000000000)
#define SECOND_US       UINT64_C(1000000)
#define PATIENCE_NS     (30 * SECOND_NS)

#define LATE_TEXT       "of UROM_PLUGIN_PATH is left out until its file system answers: "

#define LOOK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, scan_rig_teardown)

/* Not the system's: the linker leads the calls here. */
DIR *__real_opendir(const char *name);
DIR *__wrap_opendir(const char *name);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_sd_event_source_set_time_relative(sd_event_source *source, uint64_t usec);
int __wrap_sd_event_source_set_time_relative(sd_event_source *source, uint64_t usec);

static const char *hanging[3]; /* NULL behind the last */
static char hold[PLUGIN_DIR_SIZE];
static unsigned int num_forks;
static pid_t last_fork;
static int fork_errno;
static bool is_hasty;

DIR *__wrap_opendir(const char *name)
{
	for (size_t i = 0; i < 3 && hanging[i] != NULL; i++) {
		if (strcmp(name, hanging[i]) == 0)
			close(open(hold, O_RDONLY | O_CLOEXEC));
	}
	return __real_opendir(name);
}

pid_t __wrap_fork(void)
{
	pid_t pid;

	if (fork_errno != 0) {
		errno = fork_errno;
		return -1;
	}
	pid = __real_fork();
	if (pid > 0) {
		num_forks++;
		last_fork = pid;
	}
	return pid;
}

/* A minute may be a moment. */
int __wrap_sd_event_source_set_time_relative(sd_event_source *source, uint64_t usec)
{
	if (is_hasty && usec == UROMD_LOOK_END_S * SECOND_US)
		usec = SECOND_US / 20;
	return __real_sd_event_source_set_time_relative(source, usec);
}

static int begin(void **state)
{
	const int ret = scan_rig_setup(state);

	(void)snprintf(hold, sizeof(hold), "%s", plugin_dir_path(&rig.dir, "hold"));
	assert_int_equal(mkfifo(hold, 0600), 0);
	memset(hanging, 0, sizeof(hanging));
	num_forks = 0;
	fork_errno = 0;
	is_hasty = false;
	return ret;
}

/* Directory a hangs, with a plugin in it; b has one, too. */
static void open_with_a_hanging(void)
{
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_add_b("b.so", SCAN_ANSWER);
	hanging[0] = rig.a.path;
	scan_rig_open(rig.both, rig.worker);
}

/* Lets one process go on that hangs, which must be there by now or soon. */
static void let_go(void)
{
	close(open(hold, O_WRONLY | O_CLOEXEC));
}

static bool has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void wait_for_no_children(void)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	while (has_children() && test_now_ns() < end_ns)
		scan_rig_turn();
	assert_false(has_children());
}

static void hanging_directory_is_left_out_with_a_warning(void **state)
{
	(void)state;
	open_with_a_hanging();
	scan_rig_scan_twice("b");
	test_take_log("/a:1 " LATE_TEXT "nothing has come of it within 2 s");
	assert_int_equal(test_num_logged(), 0);
	scan_rig_close();
}

/* Each turn is over when its event is, or after 10 ms without one. */
static void loop_goes_on_while_a_directory_hangs(void **state)
{
	uint64_t longest_ns = 0;
	bool is_done;

	(void)state;
	open_with_a_hanging();
	(void)scan_rig_begin(&is_done);
	while (!is_done) {
		const uint64_t begun_ns = test_now_ns();

		scan_rig_turn();
		if (test_now_ns() - begun_ns > longest_ns)
			longest_ns = test_now_ns() - begun_ns;
	}
	assert_true(longest_ns < SECOND_NS);
	test_take_log(LATE_TEXT);
	scan_rig_close();
}

static void later_scans_do_not_wait_for_it(void **state)
{
	uint64_t begun_ns;

	(void)state;
	open_with_a_hanging();
	begun_ns = test_now_ns();
	(void)scan_rig_scan();
	assert_true(test_now_ns() - begun_ns >= UROMD_PROBE_LATE_S * SECOND_NS);
	test_take_log(LATE_TEXT);
	begun_ns = test_now_ns();
	for (int i = 0; i < 5; i++)
		assert_int_equal(scan_rig_scan(), 1);
	assert_true(test_now_ns() - begun_ns < UROMD_PROBE_LATE_S * SECOND_NS);
	scan_rig_close();
}

static void directory_that_answers_again_is_listed(void **state)
{
	(void)state;
	open_with_a_hanging();
	scan_rig_scan_twice("b");
	test_take_log(LATE_TEXT);
	let_go();
	wait_for_no_children();
	hanging[0] = NULL;
	scan_rig_scan_twice("a b");
	scan_rig_close();
}

static void directory_that_is_only_slow_is_waited_for(void **state)
{
	bool is_done;

	(void)state;
	open_with_a_hanging();
	(void)scan_rig_begin(&is_done);
	let_go();
	scan_rig_wait(&is_done);
	scan_rig_check("a b");
	scan_rig_close();
}

static void hanging_directory_is_tried_again_a_minute_later(void **state)
{
	(void)state;
	open_with_a_hanging();
	is_hasty = true;
	scan_rig_scan_twice("b");
	test_take_log(LATE_TEXT);
	wait_for_no_children();
	hanging[0] = NULL;
	scan_rig_scan_twice("a b");
	scan_rig_close();
}

/* The third one gets its turn as soon as there is time. */
static void two_hanging_directories_are_all_that_a_scan_waits_for(void **state)
{
	static char c[PLUGIN_DIR_SIZE]; /* outlives the test */
	char path[3 * PLUGIN_DIR_SIZE];

	(void)state;
	scan_rig_add_b("b.so", SCAN_ANSWER);
	(void)snprintf(c, sizeof(c), "%s", plugin_dir_path(&rig.dir, "c"));
	assert_int_equal(mkdir(c, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s;%s;%s", rig.a.path, c, rig.b.path);
	hanging[0] = rig.a.path;
	hanging[1] = c;
	scan_rig_open(path, rig.worker);
	assert_int_equal(scan_rig_scan(), 0);
	test_take_log("/a:1 " LATE_TEXT);
	test_take_log("/c " LATE_TEXT);
	test_take_log(
	    "/b of UROM_PLUGIN_PATH is left out: others have taken all the time there is");
	scan_rig_scan_twice("b");
	scan_rig_close();
}

static void scans_that_come_during_a_look_share_the_next(void **state)
{
	bool is_done[5];

	(void)state;
	hanging[0] = rig.a.path;
	scan_rig_open_a();
	for (size_t i = 0; i < 5; i++)
		(void)scan_rig_begin(&is_done[i]);
	scan_rig_add("a.so", SCAN_ANSWER);
	let_go();
	scan_rig_wait(&is_done[0]);
	let_go();
	for (size_t i = 1; i < 5; i++)
		scan_rig_wait(&is_done[i]);
	scan_rig_check("a");
	assert_int_equal(num_forks, 2 + 1); /* looks, and the probe of a */
	scan_rig_close();
}

/* How many descriptors of a process are not standard streams. */
static unsigned int count_fds(pid_t pid)
{
	const struct dirent *entry;
	unsigned int count = 0;
	char path[64];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		count +=
		    entry->d_name[0] != '.' && (entry->d_name[0] > '2' || entry->d_name[1] != '\0');
	closedir(dir);
	return count;
}

/* Peers must hear of the end of the daemon and of their sessions, whatever hangs. */
static void process_that_hangs_keeps_its_pipe_only(void **state)
{
	const int fd = dup2(STDERR_FILENO, 200);

	(void)state;
	assert_int_equal(fd, 200);
	scan_rig_add("a.so", SCAN_ANSWER);
	hanging[0] = rig.a.path;
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 0);
	test_take_log(LATE_TEXT);
	assert_int_equal(count_fds(last_fork), 1);
	scan_rig_close();
	close(fd);
}

static void look_that_fails_leaves_what_was_there(void **state)
{
	bool is_done;

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 1);
	hanging[0] = rig.a.path;
	(void)scan_rig_begin(&is_done);
	assert_int_equal(kill(last_fork, SIGKILL), 0);
	scan_rig_wait(&is_done);
	scan_rig_check("a");
	test_take_log("the directories could not be looked into, so hosts are offered what was "
		      "there before: the process that does so has ended too early");
	scan_rig_close();
}

static void look_that_cannot_begin_leaves_what_was_there(void **state)
{
	struct uromd_scan *scan;
	bool is_done[2] = { false, false };

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 1);
	hanging[0] = rig.a.path;
	(void)scan_rig_begin(&is_done[0]);
	(void)scan_rig_begin(&is_done[1]);
	fork_errno = EAGAIN;
	let_go();
	scan_rig_wait(&is_done[0]);
	scan_rig_wait(&is_done[1]);
	scan_rig_check("a");
	test_take_log("plugins: nobody can look for them, so hosts are offered what was there "
		      "before: Resource temporarily unavailable");
	is_done[0] = false;
	assert_int_equal(uromd_plugins_scan(rig.plugins, scan_rig_on_done, &is_done[0], &scan),
			 DOCA_ERROR_AGAIN);
	scan_rig_turn();
	assert_false(is_done[0]);
	scan_rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOK_TEST(hanging_directory_is_left_out_with_a_warning),
		LOOK_TEST(loop_goes_on_while_a_directory_hangs),
		LOOK_TEST(later_scans_do_not_wait_for_it),
		LOOK_TEST(directory_that_answers_again_is_listed),
		LOOK_TEST(directory_that_is_only_slow_is_waited_for),
		LOOK_TEST(hanging_directory_is_tried_again_a_minute_later),
		LOOK_TEST(two_hanging_directories_are_all_that_a_scan_waits_for),
		LOOK_TEST(scans_that_come_during_a_look_share_the_next),
		LOOK_TEST(process_that_hangs_keeps_its_pipe_only),
		LOOK_TEST(look_that_fails_leaves_what_was_there),
		LOOK_TEST(look_that_cannot_begin_leaves_what_was_there),
	};

	test_hear_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
