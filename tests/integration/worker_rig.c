/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker_rig.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_version.h>

#include "test.h"

#define PATIENCE_MS 60000
#define NS_A_MS     UINT64_C(1000000)
#define MAX_ARGS    32
#define MAX_ENTRIES 512
#define WORKER_ID   "77"

enum chan_kind rig_channel = CHAN_TCP;

static const char *channel_name(enum chan_kind kind)
{
	return kind == CHAN_UCX ? "ucx" : "tcp";
}

/* --- The process --- */

struct command_line {
	char texts[MAX_ARGS][512];
	char *argv[MAX_ARGS + 1];
	unsigned int argc;
};

__attribute__((format(printf, 2, 3))) static void add_arg(struct command_line *line,
							  const char *format, ...)
{
	va_list args;

	assert_true(line->argc < MAX_ARGS);
	va_start(args, format);
	(void)vsnprintf(line->texts[line->argc], sizeof(line->texts[0]), format, args);
	va_end(args);
	line->argv[line->argc] = line->texts[line->argc];
	line->argc++;
}

static void make_command_line(struct command_line *line, const struct rig_config *config, int fd)
{
	memset(line, 0, sizeof(*line));
	add_arg(line, "%s", DOCA_UROM_WORKER);
	add_arg(line, "--control-fd");
	add_arg(line, "%d", fd);
	add_arg(line, "--id=%s", WORKER_ID);
	add_arg(line, "--listen=127.0.0.1");
	add_arg(line, "--channel=%s", channel_name(rig_channel));
	add_arg(line, "-l%s", config->log_level != NULL ? config->log_level : "60");
	add_arg(line, "-m%u", config->max_message > 0 ? config->max_message : RIG_MAX_MESSAGE);
	add_arg(line, "--plugin-timeout=%s",
		config->plugin_timeout != NULL ? config->plugin_timeout : "60");
	if (config->max_unread != NULL)
		add_arg(line, "--max-unread=%s", config->max_unread);
	if (config->plugins[0] == NULL)
		add_arg(line, "%s/worker_play_a.so:0x1", TEST_PLUGIN_DIR);
	for (unsigned int i = 0; i < RIG_MAX_PLUGINS && config->plugins[i] != NULL; i++) {
		const char *name = config->plugins[i];

		if (name[0] == '/')
			add_arg(line, "%s:0x%llx", name, (unsigned long long)RIG_ID(i));
		else
			add_arg(line, "%s/%s.so:0x%llx", TEST_PLUGIN_DIR, name,
				(unsigned long long)RIG_ID(i));
	}
}

/* Is there another value for the variable of an entry? */
static bool is_replaced(const char *entry, const struct rig_config *config)
{
	const size_t len = strcspn(entry, "=") + 1;

	for (unsigned int i = 0; i < RIG_MAX_ENV && config->env[i] != NULL; i++) {
		if (strncmp(entry, config->env[i], len) == 0)
			return true;
	}
	return false;
}

static void make_environment(char **envp, const struct rig_config *config, char *trace)
{
	unsigned int count = 0;

	for (unsigned int i = 0; environ[i] != NULL; i++) {
		assert_true(count < MAX_ENTRIES - RIG_MAX_ENV - 2);
		if (!is_replaced(environ[i], config))
			envp[count++] = environ[i];
	}
	for (unsigned int i = 0; i < RIG_MAX_ENV && config->env[i] != NULL; i++)
		envp[count++] = (char *)(uintptr_t)config->env[i]; /* execve() leaves them alone */
	envp[count++] = trace;
	envp[count] = NULL;
}

static void run_child(char *const *argv, char **envp, int control, int log, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)(cpu - 1), &cpus);
	if (cpu > 0 && sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
		_exit(126);
	if (fcntl(control, F_SETFD, 0) != 0 || dup2(open("/dev/null", O_RDONLY), 0) < 0 ||
	    dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		_exit(126);
	execve(argv[0], argv, envp);
	_exit(127);
}

static void check_hello(const struct wire_hello *hello, const struct rig_config *config)
{
	assert_int_equal(hello->magic, WIRE_MAGIC);
	assert_int_equal(hello->role, WIRE_ROLE_WORKER);
	assert_int_equal(hello->version_min, WIRE_VERSION_MIN);
	assert_int_equal(hello->version_max, WIRE_VERSION_MAX);
	assert_false(hello->is_big_endian);
	assert_int_equal(hello->pointer_bits, 64);
	assert_int_equal(hello->api_version, DOCA_VERSION_EXACT);
	assert_int_equal(hello->max_message,
			 config->max_message > 0 ? config->max_message : RIG_MAX_MESSAGE);
}

/* Starts it by way of another process, which lives until rig_orphan(). Returns its pid. */
static pid_t fork_twice(struct rig *rig, int *pipe_fd)
{
	int ends[2];
	pid_t child;

	/* Whoever loses its parent becomes a child of this process. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	rig->parent = fork();
	assert_true(rig->parent >= 0);
	if (rig->parent == 0) {
		child = fork();
		if (child == 0)
			return 0;
		if (write(ends[1], &child, sizeof(child)) == sizeof(child))
			(void)pause();
		_exit(0);
	}
	close(ends[1]);
	*pipe_fd = ends[0];
	return rig->parent;
}

static void fork_worker(struct rig *rig, const struct rig_config *config, char *const *argv,
			char **envp, int control)
{
	int pipe_fd = -1;

	fflush(NULL);
	rig->pid = config->has_parent ? fork_twice(rig, &pipe_fd) : fork();
	assert_true(rig->pid >= 0);
	if (rig->pid == 0)
		run_child(argv, envp, control, fileno(rig->log), config->cpu);
	if (!config->has_parent)
		return;
	assert_int_equal(read(pipe_fd, &rig->pid, sizeof(rig->pid)), sizeof(rig->pid));
	close(pipe_fd);
}

void rig_orphan(struct rig *rig)
{
	assert_int_equal(kill(rig->parent, SIGKILL), 0);
	assert_int_equal(waitpid(rig->parent, NULL, 0), rig->parent);
}

void rig_spawn(struct rig *rig, const struct rig_config *config)
{
	struct command_line line;
	char *envp[MAX_ENTRIES];
	char trace[128];
	struct wire_hello hello;
	int ends[2];

	memset(rig, 0, sizeof(*rig));
	rig->next_connection = 1000;
	rig->is_silent = config->log_level != NULL && strcmp(config->log_level, "10") == 0;
	rig->log = tmpfile();
	assert_non_null(rig->log);
	rig->trace = tmpfile();
	assert_non_null(rig->trace);
	(void)snprintf(trace, sizeof(trace), "PLAY_TRACE=/proc/self/fd/%d", fileno(rig->trace));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	make_command_line(&line, config, ends[1]);
	make_environment(envp, config, trace);
	fork_worker(rig, config, line.argv, envp, ends[1]);
	close(ends[1]);
	chan_stream_init(&rig->control, ends[0]);
	rig_take(rig, WIRE_HELLO, 0, &hello);
	check_hello(&hello, config);
}

static void welcome(struct rig *rig, const struct rig_config *config)
{
	const struct wire_welcome record = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION_MAX,
		.session = 1,
		.max_message = config->max_message > 0 ? config->max_message : RIG_MAX_MESSAGE,
	};

	rig_send(rig, WIRE_WELCOME, 0, &record);
}

static void keep_ready(struct rig *rig, struct wire_worker_ready *ready)
{
	struct wire_plugin_addr addr;

	assert_int_equal(ready->pid, rig->pid);
	assert_in_range(ready->channel_addr.len, 1, sizeof(rig->addr));
	memcpy(rig->addr, ready->channel_addr.data, ready->channel_addr.len);
	rig->addr_len = ready->channel_addr.len;
	for (unsigned int i = 0;
	     wire_list_next(&ready->plugin_addrs, &wire_plugin_addr_message, &addr); i++) {
		assert_true(i < RIG_MAX_PLUGINS);
		assert_int_equal(addr.id, RIG_ID(i));
		assert_true(addr.addr.len < sizeof(rig->plugin_addrs[0]));
		memcpy(rig->plugin_addrs[i], addr.addr.data, addr.addr.len);
	}
}

uint64_t rig_deadline(void)
{
	return test_now_ns() + PATIENCE_MS * NS_A_MS;
}

void rig_print_log(struct rig *rig)
{
	char line[512];

	rewind(rig->log);
	while (fgets(line, sizeof(line), rig->log) != NULL)
		print_error("worker: %s", line);
}

static void take_message(struct rig *rig, struct chan_message *message)
{
	const uint64_t end_ns = rig_deadline();
	doca_error_t result;

	while ((result = chan_stream_receive(&rig->control, message)) == DOCA_ERROR_AGAIN &&
	       test_now_ns() < end_ns)
		(void)test_is_readable(rig->control.fd, 1000);
	if (result == DOCA_SUCCESS)
		return;
	rig_print_log(rig);
	fail_msg("no message from the worker: %s", doca_error_get_name(result));
}

void rig_send(struct rig *rig, uint16_t type, uint64_t id, const void *record)
{
	assert_success(chan_stream_send(&rig->control, type, id, record));
	assert_false(chan_stream_is_sending(&rig->control));
}

void rig_take(struct rig *rig, uint16_t type, uint64_t id, void *record)
{
	struct chan_message message;

	take_message(rig, &message);
	if (message.type != type)
		fail_msg("a message %s has come", chan_message_name(&message));
	assert_int_equal(message.id, id);
	assert_success(chan_message_decode(&message, record));
}

void rig_start(struct rig *rig, const struct rig_config *config)
{
	struct chan_message message;
	struct wire_worker_ready ready;
	struct wire_failure failure;

	rig_spawn(rig, config);
	welcome(rig, config);
	take_message(rig, &message);
	if (message.type == WIRE_WORKER_FAILED) {
		assert_success(chan_message_decode(&message, &failure));
		fail_msg("the worker does not start: %.*s", (int)failure.reason.len,
			 (const char *)failure.reason.data);
	}
	assert_int_equal(message.type, WIRE_WORKER_READY);
	assert_success(chan_message_decode(&message, &ready));
	keep_ready(rig, &ready);
}

void rig_start_fails(struct rig *rig, const struct rig_config *config, doca_error_t error,
		     const char *part)
{
	struct wire_failure failure;
	char reason[WIRE_MAX_REASON + 1];

	rig_spawn(rig, config);
	welcome(rig, config);
	rig_take(rig, WIRE_WORKER_FAILED, 0, &failure);
	(void)snprintf(reason, sizeof(reason), "%.*s", (int)failure.reason.len,
		       (const char *)failure.reason.data);
	if (failure.error != error || strstr(reason, part) == NULL)
		fail_msg("it fails with %s: %s", doca_error_get_name((doca_error_t)failure.error),
			 reason);
	rig_expect_log(rig, "does not start");
	rig_wait_exit(rig, EXIT_FAILURE);
}

/* --- The end --- */

void rig_expect_log(struct rig *rig, const char *part)
{
	assert_true(rig->num_expected < 8);
	(void)snprintf(rig->expected[rig->num_expected++], sizeof(rig->expected[0]), "%s", part);
}

void rig_check_log(struct rig *rig, const char *part)
{
	char line[512];
	bool is_there = false;

	rewind(rig->log);
	while (!is_there && fgets(line, sizeof(line), rig->log) != NULL)
		is_there = strstr(line, part) != NULL;
	if (is_there)
		return;
	rig_print_log(rig);
	fail_msg("no line of the worker's log is about \"%s\"", part);
}

/* Each line is expected, and each that is expected is there. */
static void check_whole_log(struct rig *rig)
{
	bool seen[8] = { false };
	char line[512];

	rewind(rig->log);
	while (fgets(line, sizeof(line), rig->log) != NULL) {
		bool is_expected = strstr(line, "[WRN]") == NULL && strstr(line, "[ERR]") == NULL;

		for (unsigned int i = 0; i < rig->num_expected; i++) {
			if (strstr(line, rig->expected[i]) == NULL)
				continue;
			is_expected = true;
			seen[i] = true;
		}
		if (!is_expected)
			fail_msg("the worker logs what the test did not expect: %s", line);
	}
	for (unsigned int i = 0; i < rig->num_expected; i++) {
		if (!seen[i])
			fail_msg("the worker does not log \"%s\"", rig->expected[i]);
	}
}

static void reap(struct rig *rig)
{
	struct pollfd watched = {
		.fd = (int)syscall(SYS_pidfd_open, rig->pid, 0),
		.events = POLLIN,
	};
	const int ready = poll(&watched, 1, PATIENCE_MS);

	close(watched.fd);
	if (ready != 1) {
		rig_print_log(rig);
		kill(rig->pid, SIGKILL);
	}
	assert_int_equal(waitpid(rig->pid, &rig->status, 0), rig->pid);
	if (ready != 1)
		fail_msg("the worker does not end");
}

static void clean_up(struct rig *rig)
{
	rewind(rig->trace);
	rig->traced[fread(rig->traced, 1, sizeof(rig->traced) - 1, rig->trace)] = '\0';
	fclose(rig->trace);
	chan_stream_fini(&rig->control);
	assert_int_equal(fseek(rig->log, 0, SEEK_END), 0);
	rig->log_len = ftell(rig->log);
	if (rig->is_silent && rig->log_len > 0)
		rig_print_log(rig);
	fclose(rig->log);
}

void rig_wait_exit(struct rig *rig, int status)
{
	reap(rig);
	if (!WIFEXITED(rig->status) || WEXITSTATUS(rig->status) != status) {
		rig_print_log(rig);
		fail_msg("the worker ends with 0x%x", (unsigned int)rig->status);
	}
	check_whole_log(rig);
	clean_up(rig);
}

void rig_wait_signal(struct rig *rig, int signal)
{
	reap(rig);
	if (!WIFSIGNALED(rig->status) || WTERMSIG(rig->status) != signal) {
		rig_print_log(rig);
		fail_msg("the worker ends with 0x%x", (unsigned int)rig->status);
	}
	clean_up(rig);
}

void rig_stop(struct rig *rig)
{
	const struct wire_empty nothing = { 0 };

	rig_send(rig, WIRE_SHUTDOWN, 0, &nothing);
	rig_wait_exit(rig, 0);
}
