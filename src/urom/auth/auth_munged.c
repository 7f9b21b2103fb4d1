/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_munged.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/clock.h"

/* The time that is left; 0: none. */
static uint64_t left_ms(uint64_t deadline_ms)
{
	uint64_t now = core_now_ms();

	return now < deadline_ms ? deadline_ms - now : 0;
}

/* One that is stopped takes connections until its queue is full; then they wait. Errors: TIME_OUT.
 */
static doca_error_t greet(int fd, const struct sockaddr_un *address, uint64_t deadline_ms)
{
	int connected;

	do {
		const uint64_t left = left_ms(deadline_ms);
		const struct timeval bound = { .tv_sec = (time_t)(left / 1000),
					       .tv_usec = (suseconds_t)(left % 1000 * 1000) };

		/* 0 would be no bound at all. */
		if (left == 0 ||
		    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound)) != 0)
			return DOCA_ERROR_TIME_OUT;
		connected = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	} while (connected != 0 && errno == EINTR);
	if (connected != 0)
		return errno == EAGAIN ? DOCA_ERROR_TIME_OUT : DOCA_ERROR_NOT_CONNECTED;
	return shutdown(fd, SHUT_WR) == 0 ? DOCA_SUCCESS : DOCA_ERROR_NOT_CONNECTED;
}

static doca_error_t wait_for_end(int fd, uint64_t deadline_ms)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	for (;;) {
		const int ready = poll(&watched, 1, (int)left_ms(deadline_ms));

		if (ready > 0)
			return DOCA_SUCCESS;
		if (ready == 0 || errno != EINTR)
			return DOCA_ERROR_TIME_OUT;
	}
}

doca_error_t auth_munged_wait(const char *socket_path, uint64_t deadline_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	doca_error_t result;
	int fd;

	if (strlen(socket_path) >= sizeof(address.sun_path))
		return DOCA_SUCCESS;
	memcpy(address.sun_path, socket_path, strlen(socket_path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return DOCA_SUCCESS;
	result = greet(fd, &address, deadline_ms);
	if (result == DOCA_SUCCESS)
		result = wait_for_end(fd, deadline_ms);
	close(fd);
	return result == DOCA_ERROR_TIME_OUT ? result : DOCA_SUCCESS;
}
