/* SPDX-License-Identifier: BSD-3-Clause */

/* Logs do not grow over their limit, nor do too many of them stay, whatever is done to the files.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"

#define MAX_LOG_TEXT "64K"
#define MAX_LOG      65536
#define MAX_TAIL     (1 << 20)
#define PATIENCE_NS  UINT64_C(20000000000)
#define LOOK_US      2000 /* between two looks */
#define PRECIOUS     "what must stay as it is\n"
#define NUM_SESSIONS 400
#define DAEMON_LOG   "logs/urom_daemon_dev.log"

/* The last line that the fake worker prints. */
#define LAST_LINE "line 19999 of what"

static struct daemon_rig rig;

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static off_t size_of(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 ? found.st_size : -1;
}

/* -1: there is none. */
static void wait_size(const char *path, off_t least, off_t most)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (size_of(path) < least || size_of(path) > most) {
		if (test_now_ns() > deadline)
			fail_msg("%s has %ld bytes, which are not %ld to %ld", path,
				 (long)size_of(path), (long)least, (long)most);
		usleep(LOOK_US);
	}
}

static const char *log_of(pid_t pid, const char *suffix)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "logs/urom_worker_%d_dev.log%s", (int)pid, suffix);
	return daemon_rig_path(&rig, name);
}

/* A worker that prints a megabyte and goes on; returns its pid. */
static pid_t start_printing(struct rig_host *host, uint64_t id)
{
	struct wire_worker_started started;
	struct rig_start start;

	rig_start_init(&start, id, "print");
	rig_host_start(host, &start, &started);
	return (pid_t)started.pid;
}

static bool has_text(const char *path, const char *part)
{
	static char text[2 * MAX_TAIL];

	return strstr(daemon_rig_read(path, text, sizeof(text)), part) != NULL;
}

static void log_of_a_worker_begins_anew_and_its_end_is_kept(void **state)
{
	struct rig_host host;
	pid_t pid;

	(void)state;
	daemon_rig_init(&rig, ARGS("--max-log-size", MAX_LOG_TEXT), NULL);
	rig_host_init(&host, &rig);
	pid = start_printing(&host, 1);
	wait_size(log_of(pid, ".1"), MAX_LOG, MAX_TAIL);
	wait_size(log_of(pid, ""), 0, MAX_LOG);
	rig_host_fini(&host);
	daemon_rig_wait_gone(pid);
	/* Of what it has printed the end is there, and what came later. */
	assert_true(has_text(log_of(pid, ".1"), LAST_LINE) || has_text(log_of(pid, ""), LAST_LINE));
	assert_true(has_text(log_of(pid, ""), "shutdown\n"));
	assert_true(size_of(log_of(pid, "")) <= MAX_LOG);
	daemon_rig_fini(&rig);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void check_precious(const char *path)
{
	char text[64];

	assert_string_equal(daemon_rig_read(path, text, sizeof(text)), PRECIOUS);
}

/* The name of the log, and that of the one before it, become links to a file of somebody else. */
static void links_in_the_place_of_logs_are_not_followed(void **state)
{
	struct rig_host host;
	struct stat found;
	char precious[DAEMON_RIG_BYTES];
	pid_t pid;

	(void)state;
	daemon_rig_init(&rig, ARGS("--max-log-size", MAX_LOG_TEXT), NULL);
	(void)snprintf(precious, sizeof(precious), "%s/precious", rig.dir);
	write_file(precious, PRECIOUS);
	rig_host_init(&host, &rig);
	pid = start_printing(&host, 1);
	assert_int_equal(unlink(log_of(pid, "")), 0);
	assert_int_equal(symlink(precious, log_of(pid, "")), 0);
	(void)unlink(log_of(pid, ".1")); /* it may be there already */
	assert_int_equal(link(precious, log_of(pid, ".1")), 0);
	/* A second worker, whose log is cut in the same turn or later, tells that the turn is over.
	 */
	wait_size(log_of(start_printing(&host, 2), ".1"), MAX_LOG, MAX_TAIL);
	check_precious(precious);
	assert_int_equal(lstat(log_of(pid, ""), &found), 0);
	assert_true(S_ISLNK(found.st_mode));
	rig_host_fini(&host);
	daemon_rig_wait_gone(pid);
	check_precious(precious);
	daemon_rig_fini(&rig);
}

static void start_and_stop(struct rig_host *host, uint64_t id, pid_t *pid)
{
	struct wire_worker_started started;
	struct rig_start start;

	rig_start_init(&start, id, NULL);
	rig_host_start(host, &start, &started);
	*pid = (pid_t)started.pid;
	rig_host_stop(host, id, started.connection);
	daemon_rig_wait_gone(*pid);
}

static void end_daemon(void)
{
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
}

static void logs_of_the_last_workers_are_kept(void **state)
{
	struct rig_host host;
	pid_t pids[4];

	(void)state;
	daemon_rig_init(&rig, ARGS("--keep-logs", "2"), NULL);
	rig_host_init(&host, &rig);
	for (unsigned int i = 0; i < 4; i++)
		start_and_stop(&host, i, &pids[i]);
	for (unsigned int i = 0; i < 2; i++)
		wait_size(log_of(pids[i], ""), -1, -1);
	for (unsigned int i = 2; i < 4; i++)
		assert_true(size_of(log_of(pids[i], "")) >= 0);
	rig_host_fini(&host);
	end_daemon();
	/* What an earlier daemon has left counts, too. */
	daemon_rig_again(&rig, ARGS("--keep-logs", "1"));
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(size_of(log_of(pids[i], "")) >= 0, i >= 3);
	daemon_rig_fini(&rig);
}

static void log_of_the_daemon_begins_anew(void **state)
{
	struct rig_host host;

	(void)state;
	daemon_rig_init(&rig, ARGS("--max-log-size", MAX_LOG_TEXT, "-l", "70"), NULL);
	for (int i = 0; i < NUM_SESSIONS; i++) {
		rig_host_init(&host, &rig);
		rig_host_fini(&host);
	}
	wait_size(daemon_rig_path(&rig, DAEMON_LOG ".1"), MAX_LOG, 2 * MAX_LOG);
	wait_size(daemon_rig_path(&rig, DAEMON_LOG), 1, MAX_LOG);
	rig_host_init(&host, &rig);
	rig_host_fini(&host);
	daemon_rig_wait_text(daemon_rig_path(&rig, DAEMON_LOG), "open, for the role host");
	daemon_rig_fini(&rig);
}

static void logs_without_a_limit_grow(void **state)
{
	struct rig_host host;
	pid_t pid;

	(void)state;
	daemon_rig_init(&rig, ARGS("--max-log-size", "0"), NULL);
	rig_host_init(&host, &rig);
	pid = start_printing(&host, 1);
	wait_size(log_of(pid, ""), MAX_TAIL, 2 * MAX_TAIL);
	rig_host_fini(&host);
	daemon_rig_wait_gone(pid);
	assert_int_equal(size_of(log_of(pid, ".1")), -1);
	assert_true(has_text(log_of(pid, ""), LAST_LINE));
	daemon_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(log_of_a_worker_begins_anew_and_its_end_is_kept),
		TEST(links_in_the_place_of_logs_are_not_followed),
		TEST(logs_of_the_last_workers_are_kept),
		TEST(log_of_the_daemon_begins_anew),
		TEST(logs_without_a_limit_grow),
	};

	return cmocka_run_group_tests_name("daemon_limits_log", tests, NULL, NULL);
}
