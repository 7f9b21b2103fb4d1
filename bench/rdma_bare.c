/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_bare.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

static void fail_errno(const char *what)
{
	bench_fail(what, strerror(errno));
}

/* What a call has moved; 0: a spinning socket has nothing. Ends the process with the other one. */
static size_t moved(ssize_t result, bool is_over)
{
	if (is_over || (result < 0 && errno != EAGAIN && errno != EINTR))
		_exit(0);
	return result > 0 ? (size_t)result : 0;
}

static size_t put_some(int fd, const char *from, size_t len)
{
	return moved(send(fd, from, len, MSG_NOSIGNAL), false);
}

static size_t get_some(int fd, char *to, size_t len)
{
	ssize_t got = recv(fd, to, len, 0);

	return moved(got, got == 0);
}

/* len bytes, all of them; spinning or not is the socket's own. */
static void put_all(int fd, const char *from, size_t len)
{
	while (len > 0) {
		size_t done = put_some(fd, from, len);

		from += done;
		len -= done;
	}
}

static void get_all(int fd, char *to, size_t len)
{
	while (len > 0) {
		size_t done = get_some(fd, to, len);

		to += done;
		len -= done;
	}
}

static void tcp_pair(int *fds)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	const int one = 1;

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || fds[0] < 0 || bind(listener, (struct sockaddr *)&address, len) != 0 ||
	    listen(listener, 1) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &len) != 0 ||
	    connect(fds[0], (struct sockaddr *)&address, len) != 0)
		fail_errno("TCP");
	fds[1] = accept(listener, NULL, NULL);
	if (fds[1] < 0)
		fail_errno("TCP");
	for (int i = 0; i < 2; i++)
		(void)setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	close(listener);
}

static void set_spinning(int fd)
{
	if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0)
		fail_errno("fcntl");
}

void bare_open(struct bare *bare, size_t bytes, bool is_read, bool is_tcp, bool is_spinning,
	       int *far)
{
	int fds[2];

	if (is_tcp)
		tcp_pair(fds);
	else if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		fail_errno("socketpair");
	for (int i = 0; i < 2 && is_spinning; i++)
		set_spinning(fds[i]);
	bare->fd = fds[0];
	bare->is_spinning = is_spinning;
	bare->out = is_read ? BARE_SHORT : bytes;
	bare->in = is_read ? bytes : BARE_SHORT;
	bare->bytes = aligned_alloc(4096, BARE_BYTES);
	if (bare->bytes == NULL)
		bench_fail("memory", "there is none left");
	memset(bare->bytes, 1, BARE_BYTES);
	*far = fds[1];
}

static size_t block_size(const struct bare *bare)
{
	return bare->out > bare->in ? bare->out : bare->in;
}

/* As many blocks in turn as there are tasks of ours, so that caches do as much for either. */
static size_t num_blocks(const struct bare *bare, size_t len)
{
	size_t num = len / block_size(bare);

	return num < BARE_MAX_IN_FLIGHT ? num : BARE_MAX_IN_FLIGHT;
}

char *bare_turn(const struct bare *bare, size_t len, uint64_t count)
{
	return bare->bytes + count % num_blocks(bare, len) * block_size(bare);
}

void bare_answer(const struct bare *bare, int fd)
{
	const size_t num = num_blocks(bare, BARE_BYTES), size = block_size(bare);
	size_t index = 0;

	for (;;) {
		get_all(fd, bare->bytes + index * size, bare->out);
		put_all(fd, bare->bytes + index * size, bare->in);
		index = index + 1 < num ? index + 1 : 0;
	}
}

void bare_one_by_one(struct bare *bare, uint64_t count)
{
	for (; count > 0; count--) {
		put_all(bare->fd, bare->bytes, bare->out);
		get_all(bare->fd, bare->bytes, bare->in);
	}
}

/* A row of messages of the same size, as far as it has come. */
struct row {
	size_t size;
	uint64_t index; /* of the message that is under way */
	size_t done;    /* bytes of it */
};

static void row_advance(struct row *row, size_t bytes)
{
	row->done += bytes;
	if (row->done < row->size)
		return;
	row->done = 0;
	row->index++;
}

static char *row_at(const struct bare *bare, const struct row *row)
{
	return bare_turn(bare, BARE_BYTES, row->index) + row->done;
}

void bare_in_flight(struct bare *bare, uint64_t count)
{
	struct row out = { .size = bare->out }, in = { .size = bare->in };

	while (in.index < count) {
		bool may_send = out.index < count && out.index < in.index + BARE_MAX_IN_FLIGHT;

		if (may_send)
			row_advance(&out,
				    put_some(bare->fd, row_at(bare, &out), out.size - out.done));
		if (!may_send || bare->is_spinning)
			row_advance(&in, get_some(bare->fd, row_at(bare, &in), in.size - in.done));
	}
}

void bare_close(struct bare *bare)
{
	close(bare->fd);
	free(bare->bytes);
}
