/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Peers that connect while the process has no descriptor left. UCX accepts on a thread of its own,
 * and when that fails for want of a descriptor it tries again at once and logs that, for ever: a
 * processor, and 25 MB of log a second. So the channel keeps some in reserve. When the socket that
 * UCX listens on has somebody and there is no other, the reserve is given up: UCX accepts him, and
 * the owner of the channel, who is asked (may_accept), turns him away. It is filled again a while
 * later, as UCX needs it until then.
 *
 * UCX does not say which socket that is, so it is looked for; there is none with rdmacm.
 */
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/clock.h"
#include "urom/chan/chan_address.h"
#include "urom/chan/chan_ucx.h"

/* How long the kernel keeps a peer that has not said a word, seconds. */
#define DEFER_S 10

/* How long the reserve is UCX's once it was given up. */
#define REFILL_NS UINT64_C(100000000)

/* Does UCX listen with that descriptor? */
static bool is_listener(int fd, const char *where)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own);
	int is_listening = 0;
	socklen_t size = sizeof(is_listening);
	char text[CHAN_ADDR_TEXT];

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0 || !is_listening)
		return false;
	return getsockname(fd, (struct sockaddr *)&own, &len) == 0 &&
	       strcmp(chan_address_text((const struct sockaddr *)&own, text), where) == 0;
}

/* -1: there is none. where: it listens. */
static int find_listener(const char *where)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int found = -1;

	if (dir == NULL)
		return -1;
	while (found < 0 && (entry = readdir(dir)) != NULL) {
		const int fd = (int)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && is_listener(fd, where))
			found = fd;
	}
	(void)closedir(dir); /* it is its own */
	return found;
}

static void fill_reserve(struct ucx_chan *chan)
{
	chan->refill_ns = 0;
	for (unsigned int i = 0; i < CHAN_UCX_RESERVE; i++) {
		if (chan->reserve[i] < 0)
			chan->reserve[i] = fcntl(chan->fd, F_DUPFD_CLOEXEC, 0);
		if (chan->reserve[i] < 0)
			chan->refill_ns = core_now_ns() + REFILL_NS;
	}
}

static void drop_reserve(struct ucx_chan *chan)
{
	for (unsigned int i = 0; i < CHAN_UCX_RESERVE; i++) {
		if (chan->reserve[i] >= 0)
			close(chan->reserve[i]);
		chan->reserve[i] = -1;
	}
}

static bool has_descriptor(const struct ucx_chan *chan)
{
	const int fd = fcntl(chan->fd, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void chan_ucx_listen_init(struct ucx_chan *chan, const struct sockaddr *addr)
{
	struct epoll_event event = { .events = EPOLLIN };
	const int patience_s = DEFER_S;
	char text[CHAN_ADDR_TEXT];

	chan->listen_fd = find_listener(chan_address_text(addr, text));
	if (chan->listen_fd < 0)
		return;
	/* Else who says nothing would hold a descriptor for as long as he likes. */
	(void)setsockopt(chan->listen_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &patience_s,
			 sizeof(patience_s));
	if (epoll_ctl(chan->fd, EPOLL_CTL_ADD, chan->listen_fd, &event) != 0)
		chan->listen_fd = -1;
	else
		fill_reserve(chan);
}

void chan_ucx_listen_fini(struct ucx_chan *chan)
{
	if (chan->listen_fd >= 0)
		(void)epoll_ctl(chan->fd, EPOLL_CTL_DEL, chan->listen_fd, NULL); /* it is there */
	chan->listen_fd = -1;
	drop_reserve(chan);
}

void chan_ucx_listen_look(struct ucx_chan *chan)
{
	struct pollfd watched = { .fd = chan->listen_fd, .events = POLLIN };

	if (chan->listen_fd < 0)
		return;
	if (poll(&watched, 1, 0) > 0 && !has_descriptor(chan)) {
		drop_reserve(chan);
		chan->refill_ns = core_now_ns() + REFILL_NS;
	} else if (chan->refill_ns != 0 && core_now_ns() >= chan->refill_ns) {
		fill_reserve(chan);
	}
}
