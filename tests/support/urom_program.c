/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_program.h"

#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_procs.h"

#define PATIENCE_MS     30000
#define MAX_ARGS        8
#define NUM_HELD        8
#define MAX_LISTED      16
#define HELD_MS         1000
#define IN_FLIGHT       8
#define OWN_USER        ((uid_t)-1)
#define STEADY_MS       100    /* between two commands of "steady" */
#define STEADY_PAUSE_NS 500000 /* between two looks for an answer */
#define NS_PER_MS       UINT64_C(1000000)

/* --- in the program --- */

static void wait_for_word(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
}

/* Waits for the end of the file, no longer than that. */
static bool has_ended(int fd, int timeout_ms)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	return poll(&watched, 1, timeout_ms) > 0;
}

static void tell_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	struct urom_test_report report;

	urom_host_report(host, worker, &report);
	printf("%" PRIu64 " %" PRIu64 "\n", report.pid, report.dest_id);
	fflush(stdout);
}

static void stay(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	(void)args;
	tell_worker(host, worker);
	wait_for_word();
	urom_host_fini(host);
}

static void leave(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	(void)args;
	tell_worker(host, worker);
	wait_for_word();
}

static void hold(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	(void)args;
	for (unsigned int i = 0; i < NUM_HELD; i++)
		urom_host_send(host, worker, UROM_TEST_ECHO_LATER, HELD_MS, i);
	tell_worker(host, worker);
	wait_for_word();
}

static void flow(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	tell_worker(host, worker);
	wait_for_word();
	urom_flow_run(host, worker, 0, strtoull(args[0], NULL, 10), strtoull(args[1], NULL, 10),
		      IN_FLIGHT);
	printf("done\n");
	fflush(stdout);
	urom_host_fini(host);
}

/* One command, in whose wait the processor is left to others. */
static void echo_patiently(struct urom_host *host, struct doca_urom_worker *worker)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_MS * NS_PER_MS;

	urom_host_send(host, worker, UROM_TEST_ECHO, 0, 1);
	while (doca_pe_progress(host->pe) == 0) {
		if (test_now_ns() > end_ns)
			fail_msg("a steady command is not answered");
		(void)nanosleep(&(struct timespec){ .tv_nsec = STEADY_PAUSE_NS }, NULL);
	}
	assert_heard(&host->heard, "ok(1)");
}

/* The time that has passed but for what two processes waited for a processor in it. */
static int64_t net_now_ns(pid_t worker)
{
	return (int64_t)(test_now_ns() - urom_procs_delay_ns(getpid()) -
			 urom_procs_delay_ns(worker));
}

static void steady(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	struct urom_test_report report;
	int64_t longest_ns = 0;
	uint64_t count = 0;

	(void)args;
	urom_host_report(host, worker, &report);
	tell_worker(host, worker);
	do {
		const int64_t began_ns = net_now_ns((pid_t)report.pid);
		int64_t took_ns;

		echo_patiently(host, worker);
		took_ns = net_now_ns((pid_t)report.pid) - began_ns;
		if (took_ns > longest_ns)
			longest_ns = took_ns;
		count++;
	} while (!has_ended(STDIN_FILENO, STEADY_MS));
	printf("%" PRIu64 " %" PRId64 "\n", count, longest_ns / 1000);
	fflush(stdout);
	urom_host_fini(host);
}

static void leave_busy(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	hold(host, worker, args);
	exit(EXIT_SUCCESS);
}

static void *exit_after_a_word(void *unused)
{
	(void)unused;
	wait_for_word();
	exit(EXIT_SUCCESS);
}

static void leave_by_thread(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	pthread_t thread;

	(void)args;
	tell_worker(host, worker);
	if (pthread_create(&thread, NULL, exit_after_a_word, NULL) != 0)
		_exit(EXIT_FAILURE);
	for (;;)
		(void)doca_pe_progress(host->pe);
}

static struct urom_host *host_at_exit;

static void stop_host(void)
{
	urom_host_fini(host_at_exit);
}

static void stop_at_exit(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	host_at_exit = host;
	if (atexit(stop_host) != 0)
		_exit(EXIT_FAILURE);
	leave(host, worker, args);
	exit(EXIT_SUCCESS); /* while the host is there */
}

/* Its child knows nothing of the test's word, and lives until it is killed. */
static void be_parent(struct urom_host *host, struct doca_urom_worker *worker, char **args)
{
	pid_t child;

	(void)args;
	tell_worker(host, worker);
	child = fork();
	while (child == 0)
		(void)pause();
	printf("%d\n", (int)child);
	fflush(stdout);
	wait_for_word();
}

static const struct {
	const char *name;
	int num_args; /* behind the id */
	void (*run)(struct urom_host *host, struct doca_urom_worker *worker, char **args);
} worker_roles[] = {
	{ "stay", 0, stay },
	{ "leave", 0, leave },
	{ "leave-busy", 0, leave_busy },
	{ "leave-by-thread", 0, leave_by_thread },
	{ "stop-at-exit", 0, stop_at_exit },
	{ "parent", 0, be_parent },
	{ "hold", 0, hold },
	{ "flow", 2, flow },
	{ "steady", 0, steady },
};

static void be_turned_away(struct urom_host *host, char **args)
{
	(void)args;
	printf("%s\n", doca_error_get_name(doca_ctx_start(host->service_ctx)));
	fflush(stdout);
	urom_host_fini(host);
}

static void be_unwelcome(struct urom_host *host, char **args)
{
	(void)test_begin(NULL); /* its log is to be looked at */
	assert_refused(doca_ctx_start(host->service_ctx), DOCA_ERROR_AUTHENTICATION, args[0]);
	urom_host_fini(host);
}

static void be_refused(struct urom_host *host, char **args)
{
	(void)test_begin(NULL); /* its log is to be looked at */
	urom_host_start(host);
	urom_host_fail_worker(host, urom_host_worker(host, strtoull(args[0], NULL, 10)), args[1]);
	urom_host_fini(host);
}

static void list_group(struct urom_host *host, char **args)
{
	uint64_t ids[MAX_LISTED];
	size_t count;

	urom_host_start(host);
	count = urom_host_group(host, (uint32_t)strtoul(args[0], NULL, 10), ids, MAX_LISTED);
	for (size_t i = 0; i < count; i++)
		printf("%" PRIu64 " ", ids[i]);
	printf("\n");
	fflush(stdout);
	urom_host_fini(host);
}

static void stay_in_group(struct urom_host *host, char **args)
{
	struct doca_urom_worker *worker;

	urom_host_start(host);
	worker = urom_host_worker(host, strtoull(args[0], NULL, 10));
	assert_success(doca_urom_worker_set_gid(worker, (uint32_t)strtoul(args[1], NULL, 10)));
	urom_host_start_worker(host, worker);
	stay(host, worker, NULL);
}

/* The host's service is IDLE. */
static const struct {
	const char *name;
	int num_args;
	void (*run)(struct urom_host *host, char **args);
} service_roles[] = {
	{ "turned-away", 0, be_turned_away }, { "unwelcome", 1, be_unwelcome },
	{ "refused", 2, be_refused },         { "list", 1, list_group },
	{ "stay-in", 2, stay_in_group },
};

int urom_program_main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(service_roles) / sizeof(service_roles[0]); i++) {
		struct urom_host host;

		if (argc != 2 + service_roles[i].num_args ||
		    strcmp(argv[1], service_roles[i].name) != 0)
			continue;
		urom_host_init(&host);
		service_roles[i].run(&host, argv + 2);
		return EXIT_SUCCESS;
	}
	for (size_t i = 0; i < sizeof(worker_roles) / sizeof(worker_roles[0]); i++) {
		struct urom_host host;

		if (argc != 3 + worker_roles[i].num_args ||
		    strcmp(argv[1], worker_roles[i].name) != 0)
			continue;
		urom_host_init_running(&host);
		worker_roles[i].run(&host, urom_host_run_worker(&host, strtoull(argv[2], NULL, 10)),
				    argv + 3);
		return EXIT_SUCCESS;
	}
	fprintf(stderr, "%s: no such role\n", argv[0]);
	return 2;
}

/* --- in the test --- */

/* Whose a program is. */
struct user {
	uid_t uid; /* OWN_USER: the test's */
	gid_t group;
	size_t num_groups; /* 1, or 0: only that of his number */
};

static void become(const struct user *user)
{
	const uid_t uid = user->uid;
	const gid_t gid = uid;

	if (uid != OWN_USER && (setgroups(user->num_groups, &user->group) != 0 ||
				setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0))
		_exit(EXIT_FAILURE);
}

static void run_program(char *const *argv, const struct user *user, int in, int out)
{
	become(user);
	/* It must not outlive a test that dies. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* What it leaves behind is the point of it, and no leak. Returns what was there; owned: free(). */
static char *forgive_leaks(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char *before = options != NULL ? strdup(options) : NULL;
	char *more = NULL;

	assert_true(asprintf(&more, "%s:detect_leaks=0", before != NULL ? before : "") > 0);
	assert_int_equal(setenv("ASAN_OPTIONS", more, 1), 0);
	free(more);
	return before;
}

static void forgive_no_leaks(char *before)
{
	if (before == NULL)
		assert_int_equal(unsetenv("ASAN_OPTIONS"), 0);
	else
		assert_int_equal(setenv("ASAN_OPTIONS", before, 1), 0);
	free(before);
}

static void start(struct urom_program *program, const struct user *user, const char *const *args)
{
	bool leaves = strncmp(args[0], "leave", strlen("leave")) == 0;
	char *options = leaves ? forgive_leaks() : NULL;
	char *argv[MAX_ARGS + 2] = { (char *)(uintptr_t) "host" };
	int in[2], out[2];

	for (int i = 0; args[i] != NULL; i++) {
		assert_true(i < MAX_ARGS);
		argv[i + 1] = (char *)(uintptr_t)args[i]; /* execv() leaves them alone */
	}
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	fflush(NULL);
	program->pid = fork();
	assert_true(program->pid >= 0);
	if (program->pid == 0)
		run_program(argv, user, in[0], out[1]);
	if (leaves)
		forgive_no_leaks(options);
	close(in[0]);
	close(out[1]);
	program->in = in[1];
	program->out = out[0];
}

void urom_program_start(struct urom_program *program, const char *const *args)
{
	urom_program_start_as(program, OWN_USER, args);
}

void urom_program_start_as(struct urom_program *program, uid_t uid, const char *const *args)
{
	start(program, &(struct user){ .uid = uid }, args);
}

void urom_program_start_in_group(struct urom_program *program, uid_t uid, gid_t group,
				 const char *const *args)
{
	start(program, &(struct user){ .uid = uid, .group = group, .num_groups = 1 }, args);
}

void urom_program_read(struct urom_program *program, char line[UROM_PROGRAM_LINE])
{
	for (size_t len = 0; len < UROM_PROGRAM_LINE; len++) {
		if (!test_is_readable(program->out, PATIENCE_MS) ||
		    read(program->out, line + len, 1) != 1)
			fail_msg("host program %d says nothing", (int)program->pid);
		if (line[len] == '\n') {
			line[len] = '\0';
			return;
		}
	}
	fail_msg("host program %d says too much", (int)program->pid);
}

void urom_program_go_on(struct urom_program *program)
{
	close(program->in);
	program->in = -1;
}

static int end(struct urom_program *program)
{
	int status;

	if (program->in >= 0)
		urom_program_go_on(program);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	close(program->out);
	return status;
}

void urom_program_finish(struct urom_program *program)
{
	assert_int_equal(end(program), 0);
}

void urom_program_kill(struct urom_program *program)
{
	int status;

	assert_int_equal(kill(program->pid, SIGKILL), 0);
	status = end(program);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
