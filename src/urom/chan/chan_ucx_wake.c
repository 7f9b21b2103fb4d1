/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When the owner of a channel may sleep. UCX does not tell of everything: what waits for room in
 * the shared memory of a peer is tried again in progress alone, and until then UCX cannot be armed.
 * A peer that does not read, or has died without, would keep a processor of ours busy. So after a
 * while without anything to do the channel looks again at every tick of a timer, and listens to
 * nothing else: UCX's descriptor may well be readable all the time, as only arming clears it.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/error.h"
#include "core/log.h"
#include "urom/chan/chan_ucx.h"

CORE_LOG_REGISTER(UROM::CHAN::UCX);

/* So often without any work before it ticks, and how long a tick is. */
#define MAX_LOOKS 64
#define TICK_NS   2000000

static doca_error_t watch(struct ucx_chan *chan, int op, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events };

	return epoll_ctl(chan->fd, op, fd, &event) == 0 ? DOCA_SUCCESS
							: core_error_from_errno(errno);
}

doca_error_t chan_ucx_wake_init(struct ucx_chan *chan)
{
	doca_error_t result = DOCA_ERROR_DRIVER;

	chan->fd = epoll_create1(EPOLL_CLOEXEC);
	chan->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (chan->fd < 0 || chan->timer_fd < 0)
		result = core_error_from_errno(errno);
	else if (ucp_worker_get_efd(chan->worker, &chan->ucx_fd) == UCS_OK)
		result = watch(chan, EPOLL_CTL_ADD, chan->ucx_fd, EPOLLIN);
	if (result == DOCA_SUCCESS)
		result = watch(chan, EPOLL_CTL_ADD, chan->timer_fd, EPOLLIN);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("a channel has nothing to wait for: %s", doca_error_get_descr(result));
	return result;
}

void chan_ucx_wake_fini(struct ucx_chan *chan)
{
	if (chan->timer_fd >= 0)
		close(chan->timer_fd);
	if (chan->fd >= 0)
		close(chan->fd);
}

static void set_ticking(struct ucx_chan *chan, bool is_ticking)
{
	const struct timespec tick = { .tv_nsec = is_ticking ? TICK_NS : 0 };
	const struct itimerspec timer = { .it_value = tick };

	/* Setting it forgets that it has expired. None of these can fail. */
	(void)timerfd_settime(chan->timer_fd, 0, &timer, NULL);
	if (is_ticking != chan->is_ticking)
		(void)watch(chan, EPOLL_CTL_MOD, chan->ucx_fd, is_ticking ? 0 : EPOLLIN);
	chan->is_ticking = is_ticking;
}

bool chan_ucx_wake_arm(struct ucx_chan *chan)
{
	if (ucp_worker_arm(chan->worker) == UCS_OK) {
		if (chan->is_ticking)
			set_ticking(chan, false);
		return true;
	}
	if (chan->num_looks < MAX_LOOKS) {
		chan->num_looks++;
		return false;
	}
	set_ticking(chan, true);
	return true;
}
