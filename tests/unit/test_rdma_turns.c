/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A round of a port ends soon, whatever its peers do: sockets that take everything, or always have
 * more, are played by wraps of the calls on one descriptor.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define MIB       ((size_t)1024 * 1024)
#define NUM_SENDS 64
#define SEND_LEN  ((size_t)64 * 1024)

enum play {
	PLAY_FULL,      /* takes nothing */
	PLAY_TAKES_ALL, /* that is written */
	PLAY_HAS_MORE,  /* to be read, and to be accepted */
};

/* The descriptor of this process that is played, and what came of it; all of it atomic. */
static struct {
	int fd;
	enum play play;
	size_t num_taken; /* bytes */
	size_t num_given; /* bytes */
	int num_accepted;
} played = { .fd = -1 };

ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);

static enum play play_now(void)
{
	return __atomic_load_n(&played.play, __ATOMIC_SEQ_CST);
}

static bool is_played(int fd)
{
	return fd == __atomic_load_n(&played.fd, __ATOMIC_SEQ_CST);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
	if (!is_played(fd) || play_now() != PLAY_HAS_MORE)
		return __real_recv(fd, bytes, len, flags);
	if (__atomic_load_n(&played.num_given, __ATOMIC_SEQ_CST) > 64 * MIB)
		return 0; /* so that a test that fails ends */
	memset(bytes, 0, len);
	__atomic_fetch_add(&played.num_given, len, __ATOMIC_SEQ_CST);
	return (ssize_t)len;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	size_t len = 0;

	if (!is_played(fd))
		return __real_sendmsg(fd, message, flags);
	if (play_now() == PLAY_FULL) {
		errno = EAGAIN;
		return -1;
	}
	for (size_t i = 0; i < message->msg_iovlen; i++)
		len += message->msg_iov[i].iov_len;
	__atomic_fetch_add(&played.num_taken, len, __ATOMIC_SEQ_CST);
	return (ssize_t)len;
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	if (!is_played(fd))
		return __real_accept4(fd, address, len, flags);
	if (__atomic_fetch_add(&played.num_accepted, 1, __ATOMIC_SEQ_CST) > 1000)
		return -1;
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static void set_play(enum play play)
{
	__atomic_store_n(&played.play, play, __ATOMIC_SEQ_CST);
}

static void play(int fd, enum play how)
{
	__atomic_store_n(&played.num_taken, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&played.num_given, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&played.num_accepted, 0, __ATOMIC_SEQ_CST);
	set_play(how);
	__atomic_store_n(&played.fd, fd, __ATOMIC_SEQ_CST);
}

static void play_nothing(void)
{
	__atomic_store_n(&played.fd, -1, __ATOMIC_SEQ_CST);
}

static void play_nothing_step(struct rdma_side *side, void *unused)
{
	(void)side;
	(void)unused;
	play_nothing();
}

static struct soft_port *lock_port(struct rdma_side *side)
{
	struct soft_port *port = side->rdma->provider_data;

	pthread_mutex_lock(&port->lock);
	return port;
}

static void unlock_port(struct soft_port *port)
{
	pthread_mutex_unlock(&port->lock);
}

/* A pair whose lane from a to b is open. */
static void open_pair(struct rdma_pair *pair)
{
	const struct rdma_conf conf = { .len = 4 * MIB };

	rdma_pair_init(pair, &conf);
	rdma_submit(&pair->b, rdma_receive_task(&pair->b, NULL, 0));
	rdma_submit(&pair->a, rdma_send_task(&pair->a, NULL, 0));
	rdma_hears(&pair->a, "ok(0)");
	rdma_hears(&pair->b, "ok(0)");
}

/* A round may look at a lane twice: directly, and as the set says so. */
static void assert_is_short(size_t num_bytes)
{
	assert_in_range(num_bytes, 1, 2 * SOFT_SLICE_BYTES + SOFT_MAX_CHUNK);
}

static void ending_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = lock_port(side);
	struct soft_responder *responder = LIST_FIRST(&port->hot_responders);

	(void)unused;
	soft_respond_nak(responder, SOFT_STATUS_ACCESS);
	play(responder->sock.fd, PLAY_HAS_MORE);

	(void)soft_responder_poll(responder);

	assert_is_short(played.num_given);
	play_nothing();
	unlock_port(port);
}

static void input_without_end_of_a_failed_lane(void **state)
{
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair);
	rdma_at(&pair.b, ending_step, NULL, 0);
	rdma_pair_fini(&pair);
}

static void play_requester(struct rdma_side *side)
{
	struct soft_port *port = lock_port(side);

	play(LIST_FIRST(&port->hot_requesters)->sock.fd, PLAY_FULL);
	unlock_port(port);
}

static void socket_that_takes_all_requests(void **state)
{
	struct soft_port *port;
	struct rdma_pair pair;
	size_t num_taken;

	(void)state;
	open_pair(&pair);
	play_requester(&pair.a);
	for (uint64_t i = 0; i < NUM_SENDS; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, SEND_LEN), i));
	port = lock_port(&pair.a);
	set_play(PLAY_TAKES_ALL);

	(void)soft_port_poll(port);

	num_taken = played.num_taken;
	set_play(PLAY_FULL);
	unlock_port(port);
	assert_is_short(num_taken);
	assert_success(doca_rdma_connection_disconnect(pair.a.conn));
	play_nothing();
	rdma_drive(&pair, &pair.a, NUM_SENDS);
	rdma_pair_fini(&pair);
}

static void play_responder_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = lock_port(side);

	(void)unused;
	play(LIST_FIRST(&port->hot_responders)->sock.fd, PLAY_FULL);
	unlock_port(port);
}

static bool is_reading(struct rdma_side *side)
{
	struct soft_port *port = lock_port(side);
	const struct soft_responder *responder = LIST_FIRST(&port->hot_responders);
	bool is_reading;

	assert_non_null(responder);
	is_reading = responder->is_reading;
	unlock_port(port);
	return is_reading;
}

static void until_reading_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	while (!is_reading(side))
		(void)doca_pe_progress(side->pe);
}

/* Reads of a's, from 1 on, 4 MiB in all, whose data b cannot write. */
static void read_something(struct rdma_pair *pair, unsigned int num_reads)
{
	struct rdma_side *a = &pair->a, *b = &pair->b;
	size_t len = 4 * MIB / num_reads;

	rdma_at(b, play_responder_step, NULL, 0);
	for (unsigned int i = 0; i < num_reads; i++)
		rdma_submit(a, rdma_read_task(a, rdma_remote_buf(a, b, 0, len, len),
					      rdma_room(a, i * len, len), i + 1));
	rdma_at(b, until_reading_step, NULL, 0);
}

static void take_data_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = lock_port(side);
	size_t num_taken;

	(void)unused;
	set_play(PLAY_TAKES_ALL);

	(void)soft_port_poll(port);

	num_taken = played.num_taken;
	set_play(PLAY_FULL);
	unlock_port(port);
	assert_is_short(num_taken);
}

static void check_reads(unsigned int num_reads, const char *heard)
{
	struct rdma_pair pair;

	open_pair(&pair);
	read_something(&pair, num_reads);
	rdma_at(&pair.b, take_data_step, NULL, 0);
	assert_success(doca_rdma_connection_disconnect(pair.a.conn));
	rdma_hears(&pair.a, heard);
	rdma_at(&pair.b, play_nothing_step, NULL, 0);
	rdma_pair_fini(&pair);
}

static void socket_that_takes_all_data_of_a_read(void **state)
{
	(void)state;
	check_reads(1, "IO_FAILED(1)");
}

static void socket_that_takes_all_data_of_many_reads(void **state)
{
	(void)state;
	check_reads(4, "IO_FAILED(1) IO_FAILED(2) IO_FAILED(3) IO_FAILED(4)");
}

static void take_memory_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port;

	(void)unused;
	rdma_stop_memory(side);
	port = lock_port(side);
	set_play(PLAY_TAKES_ALL);

	(void)soft_port_poll(port);

	play_nothing();
	unlock_port(port);
}

/* What is left of the chunk is nobody's bytes, and behind it the reader is told. */
static void memory_that_is_taken_away_in_the_middle_of_a_read(void **state)
{
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair);
	read_something(&pair, 1);
	rdma_at(&pair.b, take_memory_step, NULL, 0);
	rdma_hears(&pair.a, "NOT_PERMITTED(1)");
	test_take_log("the peer does not permit the access");
	rdma_pair_fini(&pair);
}

/* Else the set would say so again and again, while there is no room to go on with. */
static void reader_that_says_no_more_is_let_go(void **state)
{
	struct soft_port *port;
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair);
	read_something(&pair, 1);

	port = lock_port(&pair.a);
	assert_int_equal(shutdown(LIST_FIRST(&port->hot_requesters)->sock.fd, SHUT_WR), 0);
	unlock_port(port);

	rdma_hears(&pair.a, "IO_FAILED(1)");
	test_take_log("the peer is gone");
	rdma_at(&pair.b, play_nothing_step, NULL, 0);
	rdma_pair_fini(&pair);
}

static void clients_without_end(void **state)
{
	struct soft_port *port;
	struct rdma_side side;
	struct soft_sock *listener;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	port = lock_port(&side);
	listener = rdma_is_over_tcp() ? &port->tcp_listener : &port->unix_listener;
	play(listener->fd, PLAY_HAS_MORE);

	listener->on_ready(listener, EPOLLIN);

	assert_in_range(played.num_accepted, 1, 100);
	play_nothing();
	unlock_port(port);
	rdma_side_fini(&side);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(input_without_end_of_a_failed_lane),
		RDMA_TEST_TCP(socket_that_takes_all_requests),
		RDMA_TEST(socket_that_takes_all_data_of_a_read),
		RDMA_TEST(socket_that_takes_all_data_of_many_reads),
		RDMA_TEST(memory_that_is_taken_away_in_the_middle_of_a_read),
		RDMA_TEST(reader_that_says_no_more_is_let_go),
		RDMA_TEST_ALONE(clients_without_end),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
