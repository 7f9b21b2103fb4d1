/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Host programs that fork, run others and exit with all their contexts open. Children that live on
 * keep nothing of a parent that has died, and do nothing to one that lives.
 */

#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"

#define PATIENCE_S     20 /* of a child's alarm */
#define NUM_FORKS      100
#define NUM_COMMANDS   32
#define NUM_IN_FLIGHT  8
#define PROGRESS_CALLS 100
#define MAX_FDS        1024

static struct urom_host host;
static struct doca_urom_worker *worker;

/* --- What children do --- */

static void exit_at_once(void)
{
	_exit(EXIT_SUCCESS);
}

static void exit_with_handlers(void)
{
	exit(EXIT_SUCCESS);
}

static void run_another(void)
{
	execl("/bin/true", "true", NULL);
	_exit(EXIT_FAILURE);
}

/* As a function of atexit() that was made for the parent. */
static void stop_everything(void)
{
	(void)doca_ctx_stop(doca_urom_worker_as_ctx(worker));
	for (int i = 0; i < PROGRESS_CALLS; i++)
		(void)doca_pe_progress(host.pe);
	if (urom_host_worker_state(worker) != DOCA_CTX_STATE_IDLE ||
	    doca_ctx_stop(host.service_ctx) != DOCA_SUCCESS)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

/* Each is an error, and none reaches a process of the parent's. */
static void use_everything(void)
{
	const struct urom_command command = { .op = UROM_TEST_ECHO };
	struct doca_urom_worker *more = urom_host_worker(&host, 9);
	struct doca_urom_worker_cmd_task *task = urom_host_task(&host, worker, &command);

	if (doca_ctx_start(doca_urom_worker_as_ctx(more)) != DOCA_ERROR_NOT_CONNECTED ||
	    doca_task_submit(doca_urom_worker_cmd_task_as_task(task)) !=
		DOCA_ERROR_CONNECTION_RESET)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

static bool is_child;

/* The leak sanitizer asks. What the parent's other threads had looks lost to a child. */
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return is_child;
}

static int run_in_child(void (*what)(void))
{
	pid_t pid;
	int status;

	fflush(NULL); /* or the child prints it once more */
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		is_child = true;
		(void)alarm(PATIENCE_S);
		what();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* --- The parent goes on --- */

static void begin(void)
{
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
}

static void send_some(uint64_t first)
{
	for (uint64_t i = 0; i < NUM_IN_FLIGHT; i++)
		urom_host_send(&host, worker, UROM_TEST_ECHO, 0, first + i);
}

static void hear_some(void)
{
	const unsigned int num_words = host.heard.num_words + NUM_IN_FLIGHT;
	const uint64_t end = test_now_ns() + UINT64_C(20000000000);

	while (host.heard.num_words < num_words && test_now_ns() < end)
		(void)doca_pe_progress(host.pe);
	assert_int_equal(host.heard.num_words, num_words);
	assert_null(strstr(host.heard.text, "RESET"));
}

static void children_that_end_do_no_harm(void **state)
{
	static void (*const ends[])(void) = { exit_at_once, exit_with_handlers, run_another,
					      stop_everything, use_everything };
	struct urom_rig *rig = *state;
	pid_t pid;

	begin();
	pid = urom_rig_worker(rig);
	for (size_t i = 0; i < CORE_ARRAY_LEN(ends); i++) {
		send_some(i * NUM_IN_FLIGHT);
		assert_int_equal(run_in_child(ends[i]), 0);
		hear_some();
		urom_host_check_echo(&host, worker);
	}
	assert_int_equal(urom_rig_worker(rig), pid);
	urom_host_fini(&host);
}

static void commands_of_the_shell_do_no_harm(void **state)
{
	FILE *pipe;

	(void)state;
	begin();
	send_some(0);
	fflush(NULL);
	assert_int_equal(system("true"), 0); /* NOLINT: a shell is what this is about */
	hear_some();
	send_some(NUM_IN_FLIGHT);
	pipe = popen("cat > /dev/null", "w"); /* NOLINT: as above */
	assert_non_null(pipe);
	hear_some();
	assert_int_equal(pclose(pipe), 0);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

static bool is_enough; /* atomic */

static void *fork_on(void *unused)
{
	unsigned int num_failed = 0;

	for (int i = 0; i < NUM_FORKS; i++) {
		const pid_t pid = fork();
		int status = 0;

		if (pid == 0) {
			(void)alarm(PATIENCE_S);
			_exit(EXIT_SUCCESS);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			num_failed++;
	}
	__atomic_store_n(&is_enough, true, __ATOMIC_RELEASE);
	(void)unused;
	return num_failed == 0 ? NULL : &is_enough;
}

static void another_thread_may_fork_meanwhile(void **state)
{
	pthread_t thread;
	void *failed;

	(void)state;
	begin();
	is_enough = false;
	assert_int_equal(pthread_create(&thread, NULL, fork_on, NULL), 0);
	for (uint64_t tag = 0; !__atomic_load_n(&is_enough, __ATOMIC_ACQUIRE); tag++)
		urom_flow_run(&host, worker, 0, tag, NUM_COMMANDS, NUM_IN_FLIGHT);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	urom_host_fini(&host);
}

/* --- The parent has died --- */

static void worker_ends_though_a_child_of_its_host_lives(void **state)
{
	struct urom_program program;
	struct urom_rig *rig = *state;
	char line[UROM_PROGRAM_LINE];
	pid_t pid, child;

	urom_program_start(&program, (const char *const[]){ "parent", "7", NULL });
	urom_program_read(&program, line);
	pid = (pid_t)strtol(line, NULL, 10);
	urom_program_read(&program, line);
	child = (pid_t)strtol(line, NULL, 10);
	assert_int_equal(pid, urom_rig_worker(rig));

	urom_program_kill(&program);

	urom_procs_wait_gone(pid);
	urom_rig_wait_workers(rig, 0);
	assert_int_equal(kill(child, SIGKILL), 0);        /* it is there still */
	assert_int_equal(waitpid(child, NULL, 0), child); /* an orphan comes to the test */
}

/* --- exec --- */

/* What an executed program has open, besides what belongs to whoever started the test. */
static size_t num_fds_behind_exec(char *text, size_t size)
{
	size_t num_lines = 0, len;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (dup2(fds[1], STDOUT_FILENO) < 0)
			_exit(EXIT_FAILURE);
		close(fds[0]);
		close(fds[1]);
		execl("/bin/ls", "ls", "-l", "/proc/self/fd", NULL);
		_exit(EXIT_FAILURE);
	}
	close(fds[1]);
	len = 0;
	for (ssize_t got; len + 1 < size; len += (size_t)got) {
		got = read(fds[0], text + len, size - len - 1);
		if (got <= 0)
			break;
	}
	text[len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		num_lines++;
	return num_lines;
}

/* The control path of the host: the one socket that leads to the daemon. Returns its inode. */
static ino_t find_control_path(uint16_t port)
{
	for (int fd = STDERR_FILENO + 1; fd < MAX_FDS; fd++) {
		struct sockaddr_in peer = { .sin_family = AF_UNSPEC };
		socklen_t len = sizeof(peer);
		struct stat info;

		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
		    peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) {
			assert_int_equal(fstat(fd, &info), 0);
			return info.st_ino;
		}
	}
	fail_msg("there is no control path");
	return 0;
}

/* UCX has some that it does not close; whoever has one of them keeps no worker. */
static void executed_programs_have_no_control_path(void **state)
{
	const struct urom_rig *rig = *state;
	static char text[65536];
	char socket_text[64];

	begin();
	(void)snprintf(socket_text, sizeof(socket_text), "socket:[%ju]",
		       (uintmax_t)find_control_path(rig->port));
	(void)num_fds_behind_exec(text, sizeof(text));
	if (strstr(text, socket_text) != NULL)
		fail_msg("%s is open:\n%s", socket_text, text);
	urom_host_fini(&host);
}

static void executed_programs_have_nothing_open_without_ucx(void **state)
{
	static const char *const args[] = { "--channel", "tcp", NULL };
	static const struct urom_rig_options options = { .args = args };
	static char before[65536], after[65536];
	size_t num_before, num_after;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	num_before = num_fds_behind_exec(before, sizeof(before));
	begin();
	urom_host_check_echo(&host, worker);
	num_after = num_fds_behind_exec(after, sizeof(after));
	if (num_after != num_before)
		fail_msg("open before:\n%s\nand with a worker:\n%s", before, after);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* --- exit --- */

static void check_exit(const char *role, struct urom_rig *rig)
{
	struct urom_program program;
	char line[UROM_PROGRAM_LINE];
	pid_t pid;

	urom_program_start(&program, (const char *const[]){ role, "7", NULL });
	urom_program_read(&program, line);
	pid = (pid_t)strtol(line, NULL, 10);
	urom_program_finish(&program);
	urom_procs_wait_gone(pid);
	urom_rig_wait_workers(rig, 0);
}

static void exit_with_everything_open_leaves_nothing(void **state)
{
	check_exit("leave-busy", *state);
}

static void exit_from_another_thread_leaves_nothing(void **state)
{
	check_exit("leave-by-thread", *state);
}

static void handlers_of_exit_may_stop_everything(void **state)
{
	check_exit("stop-at-exit", *state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(children_that_end_do_no_harm),
		UROM_TEST(commands_of_the_shell_do_no_harm),
		UROM_TEST(another_thread_may_fork_meanwhile),
		UROM_TEST(worker_ends_though_a_child_of_its_host_lives),
		UROM_TEST(executed_programs_have_no_control_path),
		TEST(executed_programs_have_nothing_open_without_ucx),
		UROM_TEST(exit_with_everything_open_leaves_nothing),
		UROM_TEST(exit_from_another_thread_leaves_nothing),
		UROM_TEST(handlers_of_exit_may_stop_everything),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests_name("urom_fork", tests, NULL, NULL);
}
