/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"

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

/* Any descriptor will do. */
static void get_spare(struct uromd_listener *listener)
{
	if (!listener->has_spare)
		listener->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listener->has_spare = listener->spare_fd >= 0;
}

static void give_spare(struct uromd_listener *listener)
{
	if (listener->has_spare)
		close(listener->spare_fd);
	listener->has_spare = false;
}

/* What the peer has said before is read, or else it would take the answer from it. */
static void tell_full(int fd)
{
	static const char reason[] = "the service has no descriptor left for another session; the "
				     "limit of open files of the daemon (ulimit -n) sets how many "
				     "there are";
	const struct wire_refused refused = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.error = DOCA_ERROR_FULL,
		.reason = { reason, sizeof(reason) - 1 },
	};
	char scratch[UROMD_MAX_HELLO];
	struct chan_stream stream;

	chan_stream_init(&stream, fd);
	(void)chan_stream_send(&stream, WIRE_REFUSED, 0, &refused); /* it is as well as gone */
	(void)shutdown(fd, SHUT_WR);
	(void)!recv(fd, scratch, sizeof(scratch), MSG_DONTWAIT);
	chan_stream_fini(&stream);
}

/* No descriptors: the peer is told so rather than left to wait. False: that cannot be, either. */
static bool turn_away(struct uromd_daemon *daemon, int listen_fd)
{
	struct uromd_listener *listener = &daemon->listener;
	int fd;

	if (!listener->has_spare)
		return false;
	give_spare(listener);
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0) {
		uromd_counter_hit(&daemon->counters, UROMD_LIMIT_SESSIONS);
		if (uromd_daemon_may_log(daemon, UROMD_THROTTLE_REFUSED))
			DOCA_LOG_WARN("a connection is refused: no descriptor is left for it");
		tell_full(fd);
	}
	get_spare(listener);
	return fd >= 0;
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
		get_spare(&daemon->listener);
		/* Why it was closed is logged; it is no error of the listener's. */
		(void)uromd_session_accept(daemon, accepted, (struct sockaddr *)&peer);
	} else if (is_shortage(errno)) {
		const int err = errno;

		if ((err == EMFILE || err == ENFILE) && turn_away(daemon, fd))
			return 0;
		errno = err;
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
	get_spare(listener);
	return DOCA_SUCCESS;
}

void uromd_listener_close(struct uromd_listener *listener)
{
	listener->source = sd_event_source_disable_unref(listener->source);
	listener->pause = sd_event_source_disable_unref(listener->pause);
	give_spare(listener);
}
