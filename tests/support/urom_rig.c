/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/auth/auth_cookie.h"
#include "urom_procs.h"

#define PATIENCE_NS    UINT64_C(20000000000)
#define LOOK_US        2000 /* between two looks */
#define MAX_VARIABLES  512
#define NOTIFY_BYTES   1024
#define PROBLEM_BYTES  1024
#define LISTEN_KEY     "X_OPENUROM_LISTEN="
#define COPY_BYTES     65536
#define NUM_OPEN_FILES 16

static char last_dir[PATH_MAX / 4]; /* of the rig that there is, or "" */

/* Words of the daemon's command line, or variables of its environment. */
struct words {
	char *list[MAX_VARIABLES + 1];
	size_t count;
	char *owned[2]; /* those of them that are to be freed */
	size_t num_owned;
};

static void path_in(const struct urom_rig *rig, const char *name, char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%s/%s", rig->dir, name);
}

/* The words stay as they are, though execve() has no type that says so. */
static void add_words(struct words *words, const char *const *more)
{
	for (; more != NULL && *more != NULL; more++) {
		assert_true(words->count < MAX_VARIABLES);
		words->list[words->count++] = (char *)(uintptr_t)*more;
	}
}

static void add_word(struct words *words, const char *word)
{
	add_words(words, (const char *const[]){ word, NULL });
}

static bool has_variable(const struct words *words, const char *variable)
{
	size_t len = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < words->count; i++) {
		if (strncmp(words->list[i], variable, len) == 0)
			return true;
	}
	return false;
}

/* is_owned: the text is to be freed. */
static void add_variable(struct words *words, char *variable, bool is_owned)
{
	if (has_variable(words, variable)) {
		if (is_owned)
			free(variable);
		return;
	}
	add_word(words, variable);
	if (is_owned)
		words->owned[words->num_owned++] = variable;
}

static void free_words(struct words *words)
{
	for (size_t i = 0; i < words->num_owned; i++)
		free(words->owned[i]);
}

/* What the test says comes before what is the rig's, and that before what the test has itself. */
static void make_environment(const struct urom_rig *rig, struct words *words)
{
	char *own[2] = { NULL, NULL };
	char path[PATH_MAX];

	add_words(words, rig->options.env);
	path_in(rig, "plugins", path);
	assert_true(asprintf(&own[0], "UROM_PLUGIN_PATH=%s", path) > 0);
	path_in(rig, "notify", path);
	assert_true(asprintf(&own[1], "NOTIFY_SOCKET=%s", path) > 0);
	for (size_t i = 0; i < 2; i++)
		add_variable(words, own[i], true);
	for (char **one = environ; *one != NULL; one++)
		add_variable(words, *one, false);
}

static bool has_word(const char *const *words, const char *word)
{
	for (; words != NULL && *words != NULL; words++) {
		if (strcmp(*words, word) == 0)
			return true;
	}
	return false;
}

static void make_arguments(const struct urom_rig *rig, struct words *words, const char *logs)
{
	const char *level = rig->options.log_level;

	add_words(words, (const char *const[]){ DOCA_UROM_DAEMON, "-l",
						level != NULL ? level : "60", NULL });
	if (!has_word(rig->options.args, "--listen"))
		add_words(words, (const char *const[]){ "--listen", "127.0.0.1:0", NULL });
	if (!rig->options.has_log_dir)
		add_words(words, (const char *const[]){ "--log-dir", logs, NULL });
	/* Tests that are root's have plugins and logs that are root's. */
	if (geteuid() == 0 && !rig->options.has_no_worker_user &&
	    !has_word(rig->options.args, "--worker-user"))
		add_words(words, (const char *const[]){ "--worker-user", "root", NULL });
	add_words(words, rig->options.args);
}

static int listen_for_readiness(const struct urom_rig *rig)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_true((size_t)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/notify", rig->dir) <
		    sizeof(addr.sun_path));
	(void)unlink(addr.sun_path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* What the daemon itself prints goes into a log of its own. */
static void run_daemon(char *const *argv, char *const *envp, const char *output)
{
	int fd = open(output, O_WRONLY | O_CREAT | O_APPEND, 0600);

	/* It must not outlive a test that dies. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd >= 0) {
		(void)dup2(fd, STDOUT_FILENO);
		(void)dup2(fd, STDERR_FILENO);
	}
	execve(argv[0], argv, envp);
	_exit(127);
}

static void spawn_daemon(struct urom_rig *rig)
{
	struct words args = { 0 }, env = { 0 };
	char logs[PATH_MAX], output[PATH_MAX];

	path_in(rig, "logs", logs);
	path_in(rig, "logs/output", output);
	make_arguments(rig, &args, logs);
	make_environment(rig, &env);
	fflush(NULL);
	rig->daemon = fork();
	assert_true(rig->daemon >= 0);
	if (rig->daemon == 0)
		run_daemon(args.list, env.list, output);
	free_words(&env);
}

/* One message of sd_notify(); false when the daemon has ended instead. */
static bool receive_notice(struct urom_rig *rig, int fd, char text[NOTIFY_BYTES])
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	ssize_t len;

	while (!test_is_readable(fd, 100)) {
		if (waitpid(rig->daemon, NULL, WNOHANG) == rig->daemon) {
			rig->daemon = 0;
			return false;
		}
		if (test_now_ns() > end)
			return false;
	}
	len = recv(fd, text, NOTIFY_BYTES - 1, MSG_DONTWAIT);
	assert_true(len >= 0);
	text[len] = '\0';
	return true;
}

static void wait_ready(struct urom_rig *rig)
{
	int fd = listen_for_readiness(rig);
	char text[NOTIFY_BYTES], address[64] = "";
	const char *at = NULL;

	spawn_daemon(rig);
	while (at == NULL && receive_notice(rig, fd, text)) {
		if (strstr(text, "READY=1") != NULL)
			at = strstr(text, LISTEN_KEY);
	}
	close(fd);
	if (at == NULL)
		fail_msg("the daemon was never ready; run again with UROM_RIG_KEEP=1 and see %s",
			 rig->dir);
	assert_int_equal(sscanf(at + strlen(LISTEN_KEY), "%63s", address), 1);
	rig->port = (uint16_t)atoi(strrchr(address, ':') + 1);
	urom_rig_write_service(rig, address);
}

void urom_rig_start(struct urom_rig *rig)
{
	assert_int_equal(rig->daemon, 0);
	wait_ready(rig);
}

static void make_folder(const struct urom_rig *rig, const char *name)
{
	char path[PATH_MAX];

	path_in(rig, name, path);
	if (mkdir(path, 0700) != 0)
		assert_int_equal(errno, EEXIST);
}

void urom_rig_copy(struct urom_rig *rig, const char *from, const char *to)
{
	static char bytes[COPY_BYTES];
	char path[PATH_MAX], folder[PATH_MAX];
	FILE *in = fopen(from, "re"), *out;
	size_t len;

	if (in == NULL)
		fail_msg("%s cannot be read", from);
	for (const char *at = strchr(to, '/'); at != NULL; at = strchr(at + 1, '/')) {
		(void)snprintf(folder, sizeof(folder), "%.*s", (int)(at - to), to);
		make_folder(rig, folder);
	}
	path_in(rig, to, path);
	out = fopen(path, "we");
	assert_non_null(out);
	while ((len = fread(bytes, 1, sizeof(bytes), in)) > 0)
		assert_int_equal(fwrite(bytes, 1, len, out), len);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

void urom_rig_add_plugin(struct urom_rig *rig, const char *name)
{
	char to[PATH_MAX];

	(void)snprintf(to, sizeof(to), "plugins/%s.so", name);
	urom_rig_copy(rig, UROM_TEST_SO, to);
}

void urom_rig_write(struct urom_rig *rig, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	path_in(rig, name, path);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

void urom_rig_write_service(struct urom_rig *rig, const char *address)
{
	char line[256];

	(void)snprintf(line, sizeof(line), "127.0.0.1 dpu %s %s lo\n", address, UROM_RIG_PCI);
	urom_rig_write(rig, "service", line);
}

static void kill_children(void)
{
	pid_t pids[UROM_PROCS_MAX];
	size_t count = urom_procs_children(getpid(), NULL, pids);

	for (size_t i = 0; i < count; i++)
		(void)kill(pids[i], SIGKILL);
}

/* Orphans have become the test's; waits until none is left, and says so when one stays. */
static bool reap_orphans(char *problem, size_t size)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	bool is_good = true;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (is_good && test_now_ns() > end) {
			(void)snprintf(problem, size, "a process of the daemon's is left");
			is_good = false;
			kill_children();
		}
		if (pid == 0)
			usleep(LOOK_US);
	}
	return is_good;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
	(void)info;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void remove_directory(char *dir)
{
	if (getenv("UROM_RIG_KEEP") == NULL)
		(void)nftw(dir, remove_one, NUM_OPEN_FILES, FTW_DEPTH | FTW_PHYS);
	dir[0] = '\0';
}

/* What a test has left that failed before its end, so that the next ones do not suffer for it. */
static void end_last_rig(void)
{
	char problem[PROBLEM_BYTES];

	if (last_dir[0] == '\0')
		return;
	kill_children();
	(void)reap_orphans(problem, sizeof(problem));
	remove_directory(last_dir);
}

/* A rig that fails in a setup has no teardown. Children of the test that exit leave it alone. */
static pid_t owner;

static void end_at_exit(void)
{
	if (getpid() == owner)
		end_last_rig();
}

static void see_to_the_last_one(void)
{
	if (owner == getpid())
		return;
	owner = getpid();
	assert_int_equal(atexit(end_at_exit), 0);
}

/* The daemon finds it as hosts do. */
static void make_cookie(const struct urom_rig *rig)
{
	struct auth_reason reason;
	char path[PATH_MAX];

	path_in(rig, "cookie", path);
	assert_success(auth_cookie_make(path, &reason));
	assert_int_equal(setenv("DOCA_UROM_COOKIE", path, 1), 0);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
}

void urom_rig_init_stopped(struct urom_rig *rig, const struct urom_rig_options *options)
{
	static const char *const default_plugins[] = { UROM_RIG_PLUGIN, NULL };
	const char *const *plugin = default_plugins;
	const char *parent = getenv("TMPDIR");
	char path[PATH_MAX];

	end_last_rig();
	see_to_the_last_one();
	memset(rig, 0, sizeof(*rig));
	if (options != NULL)
		rig->options = *options;
	if (rig->options.plugins != NULL)
		plugin = rig->options.plugins;
	(void)snprintf(rig->dir, sizeof(rig->dir), "%s/urom_rig.XXXXXX",
		       parent != NULL ? parent : "/tmp");
	assert_non_null(mkdtemp(rig->dir));
	(void)snprintf(last_dir, sizeof(last_dir), "%s", rig->dir);
	make_folder(rig, "plugins");
	make_folder(rig, "logs");
	for (; *plugin != NULL; plugin++)
		urom_rig_add_plugin(rig, *plugin);
	path_in(rig, "logs", path);
	urom_logs_init(&rig->logs, path);
	/* Workers whose daemon has died are found as children of the test. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	make_cookie(rig);
	path_in(rig, "service", path);
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", path, 1), 0);
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", UROM_RIG_DEVICE "@" UROM_RIG_PCI "@lo", 1), 0);
	urom_rig_write_service(rig, "127.0.0.1:1");
}

void urom_rig_init(struct urom_rig *rig, const struct urom_rig_options *options)
{
	urom_rig_init_stopped(rig, options);
	urom_rig_start(rig);
}

/* Waits for a child; false when it does not end in time. */
static bool reap(pid_t pid, int *status)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (waitpid(pid, status, WNOHANG) != pid) {
		if (test_now_ns() > end)
			return false;
		usleep(LOOK_US);
	}
	return true;
}

/* Ends the daemon; what is wrong with how it ends is told in problem. */
static bool end_daemon(struct urom_rig *rig, int signal_number, char *problem, size_t size)
{
	pid_t pid = rig->daemon;
	int status = 0;
	bool is_good;

	if (pid == 0)
		return true;
	rig->daemon = 0;
	(void)kill(pid, signal_number);
	is_good = reap(pid, &status);
	if (!is_good) {
		(void)snprintf(problem, size, "the daemon does not end");
		(void)kill(pid, SIGKILL);
		(void)reap(pid, &status);
	} else if (signal_number == SIGTERM && status != 0) {
		(void)snprintf(problem, size, "the daemon ended with status 0x%x", status);
		is_good = false;
	}
	return reap_orphans(problem, size) && is_good;
}

void urom_rig_stop(struct urom_rig *rig)
{
	char problem[PROBLEM_BYTES];

	if (!end_daemon(rig, SIGTERM, problem, sizeof(problem)))
		fail_msg("%s", problem);
}

void urom_rig_kill(struct urom_rig *rig)
{
	char problem[PROBLEM_BYTES];

	if (!end_daemon(rig, SIGKILL, problem, sizeof(problem)))
		fail_msg("%s", problem);
}

void urom_rig_fini(struct urom_rig *rig)
{
	char problem[PROBLEM_BYTES];
	bool is_good = end_daemon(rig, SIGTERM, problem, sizeof(problem));

	if (is_good && urom_logs_complain(&rig->logs, problem, sizeof(problem)))
		is_good = false;
	urom_logs_fini(&rig->logs);
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	remove_directory(last_dir);
	if (!is_good)
		fail_msg("%s (%s)", problem, rig->dir);
}

int urom_rig_begin(void **state)
{
	static struct urom_rig rig;

	test_begin(NULL);
	urom_rig_init(&rig, NULL);
	*state = &rig;
	return 0;
}

int urom_rig_end(void **state)
{
	urom_rig_fini(*state);
	return test_end(NULL);
}

void urom_rig_wait_workers(struct urom_rig *rig, size_t count)
{
	urom_procs_wait_children(rig->daemon, UROM_RIG_WORKER, count);
}

pid_t urom_rig_worker(struct urom_rig *rig)
{
	pid_t pids[UROM_PROCS_MAX];

	assert_int_equal(urom_procs_children(rig->daemon, UROM_RIG_WORKER, pids), 1);
	return pids[0];
}
