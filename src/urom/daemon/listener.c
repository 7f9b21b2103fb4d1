/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/listener.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/limits.h"

DOCA_LOG_REGISTER(UROMD::LISTENER);

#define ACCURACY_USEC 10000
#define USEC_PER_MS   UINT64_C(1000)

static int on_pause_over(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_listener *listener = arg;

	(void)source;
	(void)usec;
	listener->pause = sd_event_source_disable_unref(listener->pause);
	(void)sd_event_source_set_enabled(listener->source, SD_EVENT_ON); /* it was on before */
	return 0;
}

/* What has run out may come back: until then the connections wait in the system's queue. */
static void pause_accepting(struct uromd_daemon *daemon)
{
	struct uromd_listener *listener = &daemon->listener;

	if (!listener->is_full)
		DOCA_LOG_ERR("no connection can be accepted: %s", strerror(errno));
	listener->is_full = true;
	if (sd_event_add_time_relative(daemon->event, &listener->pause, CLOCK_MONOTONIC,
				       UROMD_ACCEPT_PAUSE_MS * USEC_PER_MS, ACCURACY_USEC,
				       on_pause_over, listener) < 0)
		return; /* then it is tried again at once */
	(void)sd_event_source_set_enabled(listener->source, SD_EVENT_OFF); /* it is ours */
}

static bool is_shortage(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

/* One at a time, so that sessions have their turn in between. */
static int on_connection(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct uromd_daemon *daemon = arg;
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	int accepted;

	(void)source;
	(void)events;
	accepted = accept4(fd, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (accepted >= 0) {
		daemon->listener.is_full = false;
		/* Why it was closed is logged; it is no error of the listener's. */
		(void)uromd_session_accept(daemon, accepted, (struct sockaddr *)&peer);
	} else if (is_shortage(errno)) {
		pause_accepting(daemon);
	}
	return 0;
}

doca_error_t uromd_listener_open(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	const struct sockaddr *address = (const struct sockaddr *)&daemon->config->address;
	struct uromd_listener *listener = &daemon->listener;
	struct sockaddr_storage bound;
	socklen_t len = sizeof(bound);
	doca_error_t result;
	int fd;

	chan_address_text(address, listener->address);
	result = chan_address_listen(address, &fd);
	if (result != DOCA_SUCCESS)
		return uromd_fail(failure, result, "cannot listen on %s: %s%s", listener->address,
				  strerror(errno),
				  errno == EADDRINUSE ? "; --listen and DOCA_UROM_PORT choose "
							"another port"
						      : "");
	if (sd_event_add_io(daemon->event, &listener->source, fd, EPOLLIN, on_connection, daemon) <
		0 ||
	    sd_event_source_set_io_fd_own(listener->source, true) < 0) {
		close(fd);
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory to listen");
	}
	if (getsockname(fd, (struct sockaddr *)&bound, &len) != 0 ||
	    sd_event_source_set_priority(listener->source, SD_EVENT_PRIORITY_IDLE) < 0)
		return uromd_fail(failure, core_error_from_errno(errno), "%s: %s",
				  listener->address, strerror(errno));
	chan_address_text((const struct sockaddr *)&bound, listener->address);
	return DOCA_SUCCESS;
}

void uromd_listener_close(struct uromd_listener *listener)
{
	listener->source = sd_event_source_disable_unref(listener->source);
	listener->pause = sd_event_source_disable_unref(listener->pause);
}
