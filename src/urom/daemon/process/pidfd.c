/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/pidfd.h"

#include <errno.h>
#include <poll.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

/* How long a killed process may take to be gone, before it is left to whom it may concern. */
#define END_WAIT_MS 1000

#define KIB         UINT64_C(1024)

doca_error_t uromd_pidfd_init(struct uromd_pidfd *process, pid_t pid)
{
	int err;

	*process = (struct uromd_pidfd){ .pid = pid, .pidfd = pidfd_open(pid, 0) };
	if (process->pidfd >= 0)
		return DOCA_SUCCESS;
	err = errno;
	(void)kill(pid, SIGKILL); /* it was not reaped */
	(void)waitpid(pid, NULL, 0);
	*process = UROMD_NO_PIDFD;
	errno = err;
	return core_error_from_errno(err);
}

void uromd_pidfd_fini(struct uromd_pidfd *process)
{
	if (process->pidfd >= 0)
		close(process->pidfd);
	*process = UROMD_NO_PIDFD;
}

void uromd_pidfd_signal(const struct uromd_pidfd *process, int number)
{
	if (process->pid != 0)
		(void)pidfd_send_signal(process->pidfd, number, NULL, 0); /* or it has ended */
}

void uromd_pidfd_kill_group(const struct uromd_pidfd *process)
{
	if (process->pid == 0)
		return;
	uromd_pidfd_signal(process, SIGKILL);
	(void)kill(-process->pid, SIGKILL); /* or it never had a group */
}

static bool await(const struct uromd_pidfd *process, siginfo_t *info, int flags)
{
	*info = (siginfo_t){ .si_pid = 0 };
	return process->pid != 0 &&
	       waitid(P_PIDFD, (id_t)process->pidfd, info, WEXITED | WNOHANG | flags) == 0 &&
	       info->si_pid != 0;
}

bool uromd_pidfd_is_running(const struct uromd_pidfd *process)
{
	siginfo_t info = { .si_pid = 0 };

	return process->pid != 0 &&
	       waitid(P_PIDFD, (id_t)process->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == 0;
}

bool uromd_pidfd_look(const struct uromd_pidfd *process, siginfo_t *info)
{
	return await(process, info, WNOWAIT);
}

/* The system's own call, as the library's does not pass the usage on. */
uint64_t uromd_pidfd_most_filled(const struct uromd_pidfd *process)
{
	siginfo_t info = { .si_pid = 0 };
	struct rusage usage;

	if (process->pid == 0 || syscall(SYS_waitid, P_PIDFD, process->pidfd, &info,
					 WEXITED | WNOHANG | WNOWAIT, &usage) != 0)
		return 0;
	return info.si_pid != 0 ? (uint64_t)usage.ru_maxrss * KIB : 0;
}

bool uromd_pidfd_reap(struct uromd_pidfd *process, siginfo_t *info)
{
	if (!await(process, info, 0))
		return false;
	process->pid = 0;
	return true;
}

void uromd_pidfd_end(struct uromd_pidfd *process)
{
	struct pollfd end = { .fd = process->pidfd, .events = POLLIN };
	siginfo_t info;

	if (process->pid != 0) {
		uromd_pidfd_kill_group(process);
		(void)poll(&end, 1, END_WAIT_MS);
		(void)uromd_pidfd_reap(process, &info); /* or the system has it in its hands */
	}
	uromd_pidfd_fini(process);
}
