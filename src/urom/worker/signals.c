/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/error.h"
#include "core/export.h"

static int end_fd = -1;
static volatile sig_atomic_t is_end;

static void on_end(int number)
{
	const int err = errno;
	const uint64_t one = 1;

	(void)number;
	is_end = true;
	(void)!write(end_fd, &one, sizeof(one)); /* it cannot overflow, and is_end stands anyway */
	errno = err;
}

doca_error_t uromw_signals_start(void)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESTART };
	struct sigaction ignored = { .sa_handler = SIG_IGN };
	sigset_t none;

	end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (end_fd < 0 || sigaction(SIGPIPE, &ignored, NULL) != 0)
		return core_error_from_errno(errno);
	for (size_t i = 0; i < CORE_ARRAY_LEN(ends); i++) {
		if (sigaction(ends[i], &action, NULL) != 0)
			return core_error_from_errno(errno);
	}
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL) != 0)
		return core_error_from_errno(errno);
	return DOCA_SUCCESS;
}

bool uromw_signals_is_end(void)
{
	return is_end;
}

int uromw_signals_fd(void)
{
	return end_fd;
}
