/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemon_rig.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/chan/chan_address.h"

#define NS_A_SECOND UINT64_C(1000000000)
#define PATIENCE_NS (20 * NS_A_SECOND)
#define LOOK_US     2000 /* between two looks */
#define MAX_ARGS    32
#define MAX_ENV     12
#define MAX_TEXT    (1u << 20)
#define LAST_LINES  30

/* The one that was started last. */
static const struct daemon_rig *current;

const char *daemon_rig_path(const struct daemon_rig *rig, const char *name)
{
	static char paths[4][2 * DAEMON_RIG_BYTES];
	static unsigned int next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", rig->dir, name);
	return path;
}

const char *daemon_rig_read(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");

	text[0] = '\0';
	if (file == NULL)
		return text;
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* --- The beginning --- */

static void make_cookie(struct daemon_rig *rig)
{
	const char *path = daemon_rig_path(rig, "cookie");
	struct auth_reason reason;

	assert_success(auth_cookie_make(path, &reason));
	assert_success(auth_cookie_load(path, &rig->cookie, &reason));
}

static void make_dir(struct daemon_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	(void)snprintf(rig->dir, sizeof(rig->dir), "/tmp/urom_daemon.XXXXXX");
	assert_non_null(mkdtemp(rig->dir));
	assert_int_equal(mkdir(daemon_rig_path(rig, "plugins"), 0755), 0);
	make_file(daemon_rig_path(rig, "plugins/a.so"), "for nobody to load");
	make_file(daemon_rig_path(rig, "plugins/b.so"), "for nobody to load");
	make_cookie(rig);
}

static void make_notify_socket(struct daemon_rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	rig->notify_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_true(rig->notify_fd >= 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/notify", rig->dir);
	assert_int_equal(bind(rig->notify_fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static size_t append(const char **list, size_t count, size_t max, const char *const *more)
{
	for (; more != NULL && *more != NULL; more++) {
		assert_true(count + 1 < max);
		list[count++] = *more;
	}
	list[count] = NULL;
	return count;
}

static bool has_word(const char *const *words, const char *word)
{
	for (; words != NULL && *words != NULL; words++) {
		if (strcmp(*words, word) == 0)
			return true;
	}
	return false;
}

/* What the test does not say otherwise comes first: a later variable counts. */
static void start(struct daemon_rig *rig, const char *const *args, const char *const *env)
{
	const char *const usual_args[] = {
		DOCA_UROM_DAEMON,
		"--worker",
		FAKE_WORKER,
		"--log-dir",
		daemon_rig_path(rig, "logs"),
		"--port-file",
		daemon_rig_path(rig, "port"),
		NULL,
	};
	const char *const usual_listen[] = { "--listen", "127.0.0.1:0", NULL };
	const char *const usual_user[] = { "--worker-user", "root", NULL };
	const char *const usual_cookie[] = { "--cookie", daemon_rig_path(rig, "cookie"), NULL };
	char notify[DAEMON_RIG_BYTES + 32], plugins[DAEMON_RIG_BYTES + 32];
	const char *const usual_env[] = {
		notify, plugins, "DOCA_UROM_PORT", "UROM_CPUSET", "DOCA_LOG_RATE_LIMIT", NULL
	};
	const char *argv[MAX_ARGS], *variables[MAX_ENV];
	size_t count;

	(void)snprintf(notify, sizeof(notify), "NOTIFY_SOCKET=%s/notify", rig->dir);
	(void)snprintf(plugins, sizeof(plugins), "UROM_PLUGIN_PATH=%s/plugins", rig->dir);
	count = append(argv, 0, MAX_ARGS, usual_args);
	if (!has_word(args, "--listen"))
		count = append(argv, count, MAX_ARGS, usual_listen);
	/* Tests that are root's have files that are root's. */
	if (geteuid() == 0 && !has_word(args, "--worker-user"))
		count = append(argv, count, MAX_ARGS, usual_user);
	if (!has_word(args, "--cookie"))
		count = append(argv, count, MAX_ARGS, usual_cookie);
	append(argv, count, MAX_ARGS, args);
	count = append(variables, 0, MAX_ENV, usual_env);
	append(variables, count, MAX_ENV, env);
	/* Processes that it leaves behind come to this one. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	program_start(&rig->program, argv, variables);
	rig->is_running = true;
	current = rig;
}

static void parse_address(struct daemon_rig *rig, const char *text)
{
	struct sockaddr_in *v4 = (void *)&rig->address;
	struct sockaddr_in6 *v6 = (void *)&rig->address;
	char host[64];
	uint16_t port = 0;

	(void)snprintf(rig->address_text, sizeof(rig->address_text), "%.*s",
		       (int)strcspn(text, "\n"), text);
	assert_success(chan_address_split(rig->address_text, host, sizeof(host), &port));
	assert_int_not_equal(port, 0);
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
	} else {
		assert_int_equal(inet_pton(AF_INET6, host, &v6->sin6_addr), 1);
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
	}
}

/* The next word to the service manager. */
static void wait_notified(struct daemon_rig *rig, char *text, size_t size)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	ssize_t len;

	while (!test_is_readable(rig->notify_fd, 50)) {
		if (waitpid(rig->program.pid, NULL, WNOHANG) != 0 || test_now_ns() > deadline)
			fail_msg("the daemon is not ready: %s",
				 daemon_rig_read(daemon_rig_path(rig, "logs/urom_daemon_dev.log"),
						 text, size));
	}
	len = recv(rig->notify_fd, text, size - 1, 0);
	assert_true(len > 0);
	text[len] = '\0';
}

/* What the service manager is told: ready, and where. */
static void wait_ready(struct daemon_rig *rig)
{
	char text[1024];
	const char *address;

	do {
		wait_notified(rig, text, sizeof(text));
	} while (strstr(text, "READY=1\n") == NULL);
	assert_non_null(strstr(text, "STATUS=listening on "));
	address = strstr(text, "X_OPENUROM_LISTEN=");
	assert_non_null(address);
	parse_address(rig, strchr(address, '=') + 1);
}

void daemon_rig_init(struct daemon_rig *rig, const char *const *args, const char *const *env)
{
	make_dir(rig);
	make_notify_socket(rig);
	start(rig, args, env);
	wait_ready(rig);
}

void daemon_rig_again(struct daemon_rig *rig, const char *const *args)
{
	start(rig, args, NULL);
	wait_ready(rig);
}

/* --- The log --- */

static bool is_alarm(const char *line, size_t len)
{
	static const char *const tags[] = { "][WRN][", "][ERR][", "][CRT][" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (memmem(line, len, tags[i], strlen(tags[i])) != NULL)
			return true;
	}
	return false;
}

/* The next line of a warning or an error, or NULL; *at: behind it. */
static const char *next_alarm(const char *text, size_t *at, char *line, size_t size)
{
	const char *end;

	while ((end = strchr(text + *at, '\n')) != NULL) {
		const char *begin = text + *at;
		const size_t len = (size_t)(end - begin);

		*at += len + 1;
		if (!is_alarm(begin, len))
			continue;
		(void)snprintf(line, size, "%.*s", (int)len, begin);
		return line;
	}
	return NULL;
}

static char *read_log(const struct daemon_rig *rig)
{
	char *text = malloc(MAX_TEXT);

	assert_non_null(text);
	daemon_rig_read(daemon_rig_path(rig, "logs/urom_daemon_dev.log"), text, MAX_TEXT);
	return text;
}

void daemon_rig_take_log(struct daemon_rig *rig, const char *part)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	char line[4096];
	const char *found;

	do {
		char *text = read_log(rig);

		found = next_alarm(text, &rig->log_at, line, sizeof(line));
		free(text);
		if (found == NULL)
			usleep(LOOK_US);
	} while (found == NULL && test_now_ns() < deadline);
	if (found == NULL)
		fail_msg("nothing was logged, not even \"%s\"", part);
	if (strstr(line, part) == NULL)
		fail_msg("\"%s\" was logged, which is not about \"%s\"", line, part);
}

unsigned int daemon_rig_num_logged(struct daemon_rig *rig)
{
	char *text = read_log(rig);
	unsigned int count = 0;
	size_t at = rig->log_at;
	char line[4096];

	while (next_alarm(text, &at, line, sizeof(line)) != NULL) {
		if (count++ == 0)
			print_error("not taken: %s\n", line);
	}
	free(text);
	return count;
}

void daemon_rig_explain(void)
{
	static const char *const files[] = { "stat", "wchan", "syscall" };
	char path[64], text[1024];
	const char *tail;
	char *log;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)current->program.pid,
			       files[i]);
		print_error("%s: %s\n", files[i], daemon_rig_read(path, text, sizeof(text)));
	}
	log = read_log(current);
	tail = log + strlen(log);
	for (int i = 0; i < LAST_LINES && tail != NULL; i++)
		tail = memrchr(log, '\n', (size_t)(tail - log));
	print_error("its log ends with:%s\n", tail != NULL ? tail : log);
	free(log);
}

void daemon_rig_drop_log(struct daemon_rig *rig)
{
	char *text = read_log(rig);
	char line[4096];

	while (next_alarm(text, &rig->log_at, line, sizeof(line)) != NULL)
		;
	free(text);
}

/* --- The end --- */

void daemon_rig_signal(const struct daemon_rig *rig, int number)
{
	assert_int_equal(kill(rig->program.pid, number), 0);
}

/* Has it ended within the patience that a test has with everything else? */
static bool has_ended(const struct daemon_rig *rig)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	siginfo_t info = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)rig->program.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0 && test_now_ns() < deadline)
		usleep(LOOK_US);
	return info.si_pid != 0;
}

int daemon_rig_wait(struct daemon_rig *rig)
{
	if (!has_ended(rig))
		daemon_rig_explain();
	rig->is_running = false;
	return program_wait(&rig->program);
}

void daemon_rig_wait_gone(pid_t pid)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (kill(pid, 0) == 0) {
		(void)waitpid(pid, NULL, WNOHANG); /* it may have come to this process */
		if (test_now_ns() > deadline)
			fail_msg("process %d does not go", (int)pid);
		usleep(LOOK_US);
	}
}

void daemon_rig_wait_text(const char *path, const char *text)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	char *found = malloc(MAX_TEXT);

	assert_non_null(found);
	while (strstr(daemon_rig_read(path, found, MAX_TEXT), text) == NULL) {
		if (test_now_ns() > deadline)
			fail_msg("%s does not get \"%s\"", path, text);
		usleep(LOOK_US);
	}
	free(found);
}

/* Everything that the daemon has left behind is a child of this process. */
static void check_no_process(void)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (test_now_ns() > deadline)
			fail_msg("processes are left behind");
		usleep(LOOK_US);
	}
	assert_int_equal(errno, ECHILD);
}

static void remove_dir(const struct daemon_rig *rig)
{
	char command[DAEMON_RIG_BYTES + 32];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", rig->dir);
	assert_int_equal(system(command), 0);
}

int daemon_rig_fail(struct daemon_rig *rig, const char *const *args, const char *const *env)
{
	int status;

	make_dir(rig);
	make_notify_socket(rig);
	start(rig, args, env);
	status = daemon_rig_wait(rig);
	assert_false(test_is_readable(rig->notify_fd, 0));
	return status;
}

void daemon_rig_fini(struct daemon_rig *rig)
{
	if (rig->is_running) {
		daemon_rig_signal(rig, SIGTERM);
		assert_int_equal(daemon_rig_wait(rig), 0);
	}
	check_no_process();
	assert_int_not_equal(access(daemon_rig_path(rig, "port"), F_OK), 0);
	close(rig->notify_fd);
	if (daemon_rig_num_logged(rig) > 0)
		fail_msg("lines were logged that the test did not expect");
	remove_dir(rig);
}
