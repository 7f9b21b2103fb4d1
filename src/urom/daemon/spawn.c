/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "core/error.h"
#include "urom/chan/chan_address.h"
#include "urom/chan/chan_stream.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/env.h"
#include "urom/daemon/logs.h"

#define NUM_OPTIONS 17 /* the program's name and what stands before the plugins, at most */

/* A command line in the making. Zeroed memory is an empty one. */
struct command {
	char *argv[NUM_OPTIONS + UROMD_MAX_PLUGINS + 1]; /* owned; ends with a NULL */
	size_t count;
	bool has_failed; /* no memory */
};

/* All that the child needs between fork() and execve(). */
struct child {
	const struct uromd_daemon *daemon;
	struct command command;
	struct uromd_env env;
	int fd; /* its end of the control connection */
	bool has_cpus;
	cpu_set_t cpus;
	pid_t parent;
};

/* --- The command line --- */

__attribute__((format(printf, 2, 3))) static void command_add(struct command *command,
							      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(&command->argv[command->count], format, args) < 0) {
		command->argv[command->count] = NULL;
		command->has_failed = true;
	} else {
		command->count++;
	}
	va_end(args);
}

static void command_fini(struct command *command)
{
	while (command->count > 0)
		free(command->argv[--command->count]);
}

/* The address as text. One of IPv4 that came by way of an IPv6 socket is one of IPv4 again. */
static const char *address_text(const struct sockaddr *local, char *text, size_t size)
{
	const struct sockaddr_in6 *v6 = (const void *)local;
	struct sockaddr_in v4 = { .sin_family = AF_INET };

	if (local->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		memcpy(&v4.sin_addr, &v6->sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
		local = (const struct sockaddr *)&v4;
	}
	if (getnameinfo(local, chan_address_len(local), text, (socklen_t)size, NULL, 0,
			NI_NUMERICHOST) != 0)
		return NULL;
	return text;
}

static void command_add_plugins(struct command *command, const struct uromd_plugins *plugins,
				uint64_t bits)
{
	for (unsigned int bit = 0; bit < UROMD_MAX_PLUGINS; bit++) {
		const struct uromd_plugin *plugin;

		if ((bits >> bit & 1) == 0)
			continue;
		plugin = uromd_plugins_find(plugins, UINT64_C(1) << bit);
		if (plugin != NULL)
			command_add(command, "%s:0x%lx", plugin->path, plugin->id);
	}
}

static doca_error_t command_init(struct command *command, const struct uromd_daemon *daemon,
				 uint64_t id, uint64_t plugins, const struct sockaddr *local,
				 int fd)
{
	const struct uromd_config *config = daemon->config;
	char text[NI_MAXHOST];

	if (address_text(local, text, sizeof(text)) == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	command_add(command, "doca_urom_worker");
	command_add(command, "--control-fd");
	command_add(command, "%d", fd);
	command_add(command, "--id");
	command_add(command, "%lu", id);
	command_add(command, "--listen");
	command_add(command, "%s", text);
	command_add(command, "--channel");
	command_add(command, "%s", config->channel);
	command_add(command, "-l");
	command_add(command, "%d", config->log_level);
	command_add(command, "--sdk-log-level");
	command_add(command, "%d", config->sdk_log_level);
	command_add(command, "-m");
	command_add(command, "%d", config->max_message);
	command_add(command, "--plugin-timeout");
	command_add(command, "%d", config->plugin_timeout_s);
	command_add_plugins(command, daemon->plugins, plugins);
	return command->has_failed ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

/* --- In the child --- */

/* Says why there will be no worker, by the way that the program itself would take. */
static void __attribute__((noreturn))
child_fail(const struct child *child, const char *what, int err)
{
	struct chan_stream stream;
	struct uromd_failure failure;
	struct wire_failure told;
	const struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_WORKER,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = CHAR_BIT * sizeof(void *),
		.api_version = DOCA_VERSION_EXACT,
	};

	(void)uromd_fail(&failure, core_error_from_errno(err), "%s: %s", what, strerror(err));
	told = (struct wire_failure){ failure.error, uromd_text(failure.reason) };
	chan_stream_init(&stream, child->fd);
	/* The daemon sees how the process ends, if nothing else. */
	if (chan_stream_send(&stream, WIRE_HELLO, 0, &hello) == DOCA_SUCCESS)
		(void)chan_stream_send(&stream, WIRE_WORKER_FAILED, 0, &told);
	_exit(EXIT_FAILURE);
}

/* As in a process that nobody has prepared, and a signal when the daemon dies. */
static void child_set_signals(const struct child *child)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL); /* fails for a few that cannot be changed */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		child_fail(child, "no signal of the daemon's death can be had", errno);
	if (getppid() != child->parent)
		_exit(EXIT_FAILURE);
}

/* Standard output and error go to the log of this pid; where that cannot be, to the daemon's. */
static void child_set_output(const struct child *child)
{
	const struct uromd_config *config = child->daemon->config;
	char path[PATH_MAX];
	int null = open("/dev/null", O_RDWR), log;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		child_fail(child, "/dev/null", errno);
	log = STDERR_FILENO;
	if (config->log_dir != NULL) {
		uromd_logs_worker_path(config->log_dir, getpid(), path, sizeof(path));
		log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0640);
		if (log < 0 && config->log_level > DOCA_LOG_LEVEL_DISABLE)
			(void)dprintf(STDERR_FILENO, "%s: %s; standard error is used instead\n",
				      path, strerror(errno));
		if (log < 0)
			log = STDERR_FILENO;
	}
	if (dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		child_fail(child, "standard output", errno);
}

static void __attribute__((noreturn)) child_run(const struct child *child)
{
	const char *program = child->daemon->config->worker;

	child_set_signals(child);
	(void)setsid(); /* keys pressed at the daemon's terminal are for the daemon */
	child_set_output(child);
	if (setrlimit(RLIMIT_NOFILE, &child->daemon->fd_limit) != 0)
		child_fail(child, "the limit of descriptors", errno);
	if (child->has_cpus && sched_setaffinity(0, sizeof(child->cpus), &child->cpus) != 0)
		child_fail(child, "the processor set", errno);
	if (close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0 ||
	    fcntl(child->fd, F_SETFD, 0) != 0)
		child_fail(child, "descriptors", errno);
	execve(program, child->command.argv, child->env.list);
	child_fail(child, program, errno);
}

/* --- In the daemon --- */

static doca_error_t prepare(struct child *child, uint64_t id, const struct uromd_request *request,
			    const struct sockaddr *local, struct uromd_failure *failure)
{
	const struct wire_bytes environment = uromd_bytes_view(&request->environment);
	doca_error_t result;

	if (request->has_cpuset)
		uromd_cpus_map(&child->daemon->cpus, request->cpuset, &child->cpus);
	result =
	    command_init(&child->command, child->daemon, id, request->plugins, local, child->fd);
	if (result == DOCA_SUCCESS)
		result = uromd_env_init(&child->env, environ, &environment);
	if (result != DOCA_SUCCESS)
		(void)uromd_fail(failure, result, "no command line: %s",
				 doca_error_get_descr(result));
	return result;
}

static doca_error_t start(struct child *child, pid_t *pid, struct uromd_failure *failure)
{
	child->parent = getpid();
	*pid = fork();
	if (*pid < 0)
		return uromd_fail(failure, core_error_from_errno(errno), "no new process: %s",
				  strerror(errno));
	if (*pid == 0)
		child_run(child);
	return DOCA_SUCCESS;
}

doca_error_t uromd_spawn(const struct uromd_daemon *daemon, uint64_t id,
			 const struct uromd_request *request, const struct sockaddr *local,
			 pid_t *pid, int *fd, struct uromd_failure *failure)
{
	struct child child = { .daemon = daemon, .has_cpus = request->has_cpuset };
	doca_error_t result;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return uromd_fail(failure, core_error_from_errno(errno),
				  "no control connection: %s", strerror(errno));
	child.fd = fds[1];
	result = prepare(&child, id, request, local, failure);
	if (result == DOCA_SUCCESS)
		result = start(&child, pid, failure);
	command_fini(&child.command);
	uromd_env_fini(&child.env);
	close(fds[1]);
	if (result == DOCA_SUCCESS)
		*fd = fds[0];
	else
		close(fds[0]);
	return result;
}
