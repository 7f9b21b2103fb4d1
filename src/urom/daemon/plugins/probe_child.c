/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/probe_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "urom/daemon/process/env.h"
#include "urom/daemon/process/process.h"

struct child {
	const struct uromd_prober *prober;
	const char *path;
	int out;
	int err;
	int report; /* where an errno goes; closed by the program */
	pid_t parent;
	struct uromd_env env;
};

/* --- In the child --- */

static bool set_output(const struct child *child)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(child->out, STDOUT_FILENO) >= 0 &&
	       dup2(child->err, STDERR_FILENO) >= 0 &&
	       close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0;
}

static bool become(const struct child *child)
{
	const struct uromd_account *account = &child->prober->account;
	const char *what;

	return !account->is_other || uromd_process_become(account, &what);
}

static void __attribute__((noreturn)) run(const struct child *child)
{
	char name[] = "doca_urom_worker", option[] = "--probe", path[PATH_MAX];
	char *const arguments[] = { name, option, path, NULL };
	int error;

	(void)snprintf(path, sizeof(path), "%s", child->path); /* no file has a longer one */
	uromd_process_reset_signals();
	if (setpgid(0, 0) == 0 && set_output(child) && become(child) &&
	    uromd_process_forgo_privileges() && uromd_process_tie(child->parent, SIGKILL))
		execve(child->prober->program, arguments, child->env.list);
	error = errno;
	if (write(child->report, &error, sizeof(error)) != sizeof(error))
		_exit(EXIT_FAILURE); /* the daemon meets the end all the same */
	_exit(EXIT_FAILURE);
}

/* --- In the daemon --- */

/* The program runs when the pipe closes; otherwise what has failed comes by it, as soon. */
static int await_program(int fd)
{
	int error = 0;
	ssize_t len;

	do {
		len = read(fd, &error, sizeof(error));
	} while (len < 0 && errno == EINTR);
	return len == (ssize_t)sizeof(error) ? error : 0;
}

static int start(struct child *child, pid_t *pid)
{
	int ends[2], error = 0;
	pid_t forked;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	child->report = ends[1];
	child->parent = getpid();
	forked = fork();
	if (forked == 0)
		run(child);
	if (forked < 0)
		error = errno;
	close(ends[1]);
	if (forked > 0) {
		*pid = forked;
		error = await_program(ends[0]);
		if (error != 0)
			(void)waitpid(forked, NULL, 0); /* it ends as soon as it has said so */
	}
	close(ends[0]);
	return error;
}

int uromd_probe_child_start(const struct uromd_prober *prober, const char *path, int out, int err,
			    pid_t *pid)
{
	const struct wire_bytes nothing = { NULL, 0 };
	struct child child = { .prober = prober, .path = path, .out = out, .err = err };
	int error;

	if (uromd_env_init(&child.env, environ, &nothing, prober->account.is_other) != DOCA_SUCCESS)
		return ENOMEM;
	error = start(&child, pid);
	uromd_env_fini(&child.env);
	return error;
}
