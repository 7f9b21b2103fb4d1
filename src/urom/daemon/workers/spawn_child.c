/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "core/error.h"
#include "core/export.h"
#include "urom/chan/chan_stream.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/process/process.h"
#include "urom/daemon/workers/rlimits.h"

/* Says why there will be no worker, by the way that the program itself would take. */
static void __attribute__((noreturn))
tell(const struct uromd_child *child, const struct uromd_failure *failure)
{
	const struct wire_failure told = { failure->error, uromd_text(failure->reason) };
	struct chan_stream stream;
	const struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_WORKER,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = CHAR_BIT * sizeof(void *),
		.api_version = DOCA_VERSION_EXACT,
	};

	chan_stream_init(&stream, child->fd);
	/* The daemon sees how the process ends, if nothing else. */
	if (chan_stream_send(&stream, WIRE_HELLO, 0, &hello) == DOCA_SUCCESS)
		(void)chan_stream_send(&stream, WIRE_WORKER_FAILED, 0, &told);
	_exit(EXIT_FAILURE);
}

static void __attribute__((noreturn))
fail(const struct uromd_child *child, const char *what, int err)
{
	const struct uromd_account *account = &child->account;
	struct uromd_failure failure;

	if (account->is_other)
		(void)uromd_fail(&failure, core_error_from_errno(err), "%s, as user %s (%u): %s",
				 what, account->name, account->uid, strerror(err));
	else
		(void)uromd_fail(&failure, core_error_from_errno(err), "%s: %s", what,
				 strerror(err));
	tell(child, &failure);
}

/* The worker dies with the daemon. */
static void tie(const struct uromd_child *child)
{
	if (!uromd_process_tie(child->parent, SIGTERM))
		fail(child, "no signal of the daemon's death can be had", errno);
}

static void close_between(const struct uromd_child *child, int kept, unsigned int last)
{
	const unsigned int first = (unsigned int)kept + 1;

	if (first <= last && close_range(first, last, 0) != 0)
		fail(child, "descriptors", errno);
}

/* Others' connections must not stay open for this process, however long it takes from here on. */
static void close_others(const struct uromd_child *child)
{
	const int more = child->call_fd >= 0 ? child->call_fd : child->fd;
	const int low = child->fd < more ? child->fd : more;
	const int high = child->fd < more ? more : child->fd;

	close_between(child, STDERR_FILENO, (unsigned int)low - 1);
	close_between(child, low, (unsigned int)high - 1);
	close_between(child, high, UINT_MAX);
	if (fcntl(low, F_SETFD, 0) != 0 || fcntl(high, F_SETFD, 0) != 0)
		fail(child, "descriptors", errno);
}

static void set_output(const struct uromd_child *child)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		fail(child, "/dev/null", errno);
	if (dup2(child->log_fd, STDOUT_FILENO) < 0 || dup2(child->log_fd, STDERR_FILENO) < 0)
		fail(child, "standard output", errno);
}

static void set_limits(const struct uromd_child *child)
{
	const struct uromd_daemon *daemon = child->daemon;
	enum uromd_limit_id which;
	char what[64];

	if (uromd_rlimits_set(&daemon->config->limits, &daemon->fd_limit, &which) != DOCA_SUCCESS) {
		(void)snprintf(what, sizeof(what), "the limit of --%s", uromd_limits[which].name);
		fail(child, what, errno);
	}
	if (child->has_cpus && sched_setaffinity(0, sizeof(child->cpus), &child->cpus) != 0)
		fail(child, "the processor set", errno);
}

/* What a login would say of him; what the host has said counts first. */
static void set_environment(struct uromd_child *child)
{
	const struct uromd_account *account = &child->account;
	const struct {
		const char *name, *value;
	} entries[] = {
		{ "HOME", account->home },
		{ "LOGNAME", account->name },
		{ "SHELL", account->shell },
		{ "USER", account->name },
	};

	_Static_assert(CORE_ARRAY_LEN(entries) <= UROMD_ENV_SPARE, "there is room for them");
	for (size_t i = 0; i < CORE_ARRAY_LEN(entries); i++) {
		if (uromd_env_add(&child->env, entries[i].name, entries[i].value) != DOCA_SUCCESS)
			fail(child, "the environment", ENOMEM);
	}
}

static void become(struct uromd_child *child)
{
	struct uromd_account *account = &child->account;
	struct uromd_failure failure;
	const char *what;

	if (account->is_other && !account->is_looked_up &&
	    uromd_account_look_up(account, &failure) != DOCA_SUCCESS)
		tell(child, &failure);
	if (account->is_other) {
		set_environment(child);
		if (!uromd_process_become(account, &what))
			fail(child, what, errno);
		tie(child); /* that is lost with the old user */
	}
	if (!uromd_process_forgo_privileges())
		fail(child, "no new privileges", errno);
}

void uromd_child_run(struct uromd_child *child)
{
	const char *program = child->daemon->config->worker;

	uromd_process_reset_signals();
	tie(child);
	(void)setsid(); /* keys pressed at the daemon's terminal are for the daemon */
	set_output(child);
	close_others(child);
	set_limits(child);
	become(child);
	execve(program, child->argv, child->env.list);
	fail(child, program, errno);
}
