/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/spawn_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "core/error.h"
#include "urom/chan/chan_stream.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/logs.h"

/* Says why there will be no worker, by the way that the program itself would take. */
static void __attribute__((noreturn))
fail(const struct uromd_child *child, const char *what, int err)
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
static void set_signals(const struct uromd_child *child)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		(void)signal(number, SIG_DFL); /* fails for a few that cannot be changed */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		fail(child, "no signal of the daemon's death can be had", errno);
	if (getppid() != child->parent)
		_exit(EXIT_FAILURE);
}

/* Standard output and error go to the log of this pid; where that cannot be, to the daemon's. */
static void set_output(const struct uromd_child *child)
{
	const struct uromd_config *config = child->daemon->config;
	char path[PATH_MAX];
	int null = open("/dev/null", O_RDWR), log;

	if (null < 0 || dup2(null, STDIN_FILENO) < 0)
		fail(child, "/dev/null", errno);
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
		fail(child, "standard output", errno);
}

void uromd_child_run(const struct uromd_child *child)
{
	const char *program = child->daemon->config->worker;

	set_signals(child);
	(void)setsid(); /* keys pressed at the daemon's terminal are for the daemon */
	set_output(child);
	if (setrlimit(RLIMIT_NOFILE, &child->daemon->fd_limit) != 0)
		fail(child, "the limit of descriptors", errno);
	if (child->has_cpus && sched_setaffinity(0, sizeof(child->cpus), &child->cpus) != 0)
		fail(child, "the processor set", errno);
	if (close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0 ||
	    fcntl(child->fd, F_SETFD, 0) != 0)
		fail(child, "descriptors", errno);
	execve(program, child->argv, child->env);
	fail(child, program, errno);
}
