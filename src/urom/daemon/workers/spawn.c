/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/spawn.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "urom/chan/chan_address.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/workers/spawn_child.h"

#define NUM_OPTIONS 21 /* the program's name and what stands before the plugins, at most */

/* A command line in the making. Zeroed memory is an empty one. */
struct command {
	char *argv[NUM_OPTIONS + UROMD_MAX_PLUGINS + 1]; /* owned; ends with a NULL */
	size_t count;
	bool has_failed; /* no memory */
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
				 const struct uromd_child *child)
{
	const struct uromd_config *config = daemon->config;
	char text[NI_MAXHOST];

	if (address_text(local, text, sizeof(text)) == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	command_add(command, "doca_urom_worker");
	command_add(command, "--control-fd");
	command_add(command, "%d", child->fd);
	if (child->call_fd >= 0) {
		command_add(command, "--call-fd");
		command_add(command, "%d", child->call_fd);
	}
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
	command_add(command, "%lu", config->limits.of[UROMD_LIMIT_MESSAGE]);
	command_add(command, "--max-unread");
	command_add(command, "%lu", config->limits.of[UROMD_LIMIT_UNREAD]);
	command_add(command, "--plugin-timeout");
	command_add(command, "%d", config->plugin_timeout_s);
	command_add_plugins(command, daemon->plugins, plugins);
	return command->has_failed ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

/* --- The process --- */

static doca_error_t start(struct uromd_child *child, pid_t *pid, struct uromd_failure *failure)
{
	child->parent = getpid();
	*pid = fork();
	if (*pid < 0)
		return uromd_fail(failure, core_error_from_errno(errno), "no new process: %s",
				  strerror(errno));
	if (*pid == 0)
		uromd_child_run(child);
	return DOCA_SUCCESS;
}

/* command: zeroed. That and the child's environment are to be freed whatever the result. */
static doca_error_t prepare(struct uromd_child *child, const struct uromd_birth *birth,
			    struct command *command, struct uromd_failure *failure)
{
	const struct wire_bytes environment = uromd_bytes_view(&birth->request->environment);
	doca_error_t result;

	result = command_init(command, child->daemon, birth->id, birth->request->plugins,
			      birth->local, child);
	if (result == DOCA_SUCCESS)
		result =
		    uromd_env_init(&child->env, environ, &environment, child->account.is_other);
	if (result != DOCA_SUCCESS)
		return uromd_fail(failure, result, "no command line: %s",
				  doca_error_get_descr(result));
	child->argv = command->argv;
	return DOCA_SUCCESS;
}

doca_error_t uromd_spawn(const struct uromd_daemon *daemon, const struct uromd_birth *birth,
			 struct uromd_process *process, struct uromd_failure *failure)
{
	struct uromd_child child = {
		.daemon = daemon,
		.account = *birth->account,
		.has_cpus = birth->request->has_cpuset,
		.log_fd = birth->log_fd >= 0 ? birth->log_fd : STDERR_FILENO,
	};
	struct command command = { .count = 0 };
	doca_error_t result;
	int fds[2];

	if (child.has_cpus)
		uromd_cpus_map(&daemon->cpus, birth->request->cpuset, &child.cpus);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return uromd_fail(failure, core_error_from_errno(errno),
				  "no control connection: %s", strerror(errno));
	child.fd = fds[1];
	child.call_fd = uromd_call_init(&process->call);
	result = prepare(&child, birth, &command, failure);
	if (result == DOCA_SUCCESS)
		result = start(&child, &process->pid, failure);
	command_fini(&command);
	uromd_env_fini(&child.env);
	close(fds[1]);
	if (child.call_fd >= 0)
		close(child.call_fd);
	process->fd = fds[0];
	if (result != DOCA_SUCCESS) {
		close(fds[0]);
		uromd_call_fini(&process->call);
	}
	return result;
}
