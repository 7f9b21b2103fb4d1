/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RDMA tasks of the software provider between two processes of this machine, beside the bare socket
 * loop of the same kind. The other process polls, sleeps on its handle, or does nothing at all.
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bench_rdma_rival.h"
#include "rdma_side.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* What the other process does with its context. */
enum role {
	ROLE_POLL,    /* drives its engine all the time */
	ROLE_PASSIVE, /* nothing */
	ROLE_ECHO,    /* answers messages, asleep in between */
};

struct rig {
	struct side side;
	size_t bytes;
	enum role role;
	pid_t child;      /* with the other side */
	pid_t peer_child; /* that answers the bare loop */
	int control;      /* of child: closed, it ends */
	int peer_socket;
	bool is_peer_spinning;
	char *peer_bytes;          /* of the bare loop, and at the same address in its process */
	const struct rival *rival; /* instead of the bare loop; NULL: none */
	void *client;              /* the rival's */
	pid_t running;             /* of both children: the other is stopped */
};

#define PEER_BYTES (16 * MIB)

static void fail_errno(const char *what)
{
	bench_fail(what, strerror(errno));
}

/* Lets one of the children run: both want the same processor, and each only while it is measured.
 */
static void let_run(struct rig *rig, pid_t child)
{
	if (rig->running == child)
		return;
	(void)kill(child == rig->child ? rig->peer_child : rig->child, SIGSTOP);
	(void)kill(child, SIGCONT);
	rig->running = child;
}

/* --- the bare loops ------------------------------------------------------------------------ */

/* len bytes, all of them; spinning or not is the socket's own. */
static void put_all(int fd, const char *from, size_t len)
{
	while (len > 0) {
		ssize_t done = send(fd, from, len, MSG_NOSIGNAL);

		if (done < 0 && errno != EAGAIN && errno != EINTR)
			_exit(0);
		if (done > 0) {
			from += done;
			len -= (size_t)done;
		}
	}
}

static void get_all(int fd, char *to, size_t len)
{
	while (len > 0) {
		ssize_t done = recv(fd, to, len, 0);

		if (done == 0 || (done < 0 && errno != EAGAIN && errno != EINTR))
			_exit(0);
		if (done > 0) {
			to += done;
			len -= (size_t)done;
		}
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

/* Answers each message of so many bytes with 8, for ever. */
static void answer(int fd, char *bytes, size_t len)
{
	for (;;) {
		get_all(fd, bytes, len);
		put_all(fd, bytes, 8);
	}
}

static void start_peer(struct rig *rig, bool is_tcp)
{
	int fds[2];

	if (rig->rival != NULL) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
			fail_errno("socketpair");
	} else if (is_tcp)
		tcp_pair(fds);
	else if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		fail_errno("socketpair");
	if (rig->is_peer_spinning) {
		set_spinning(fds[0]);
		set_spinning(fds[1]);
	}
	rig->peer_bytes = aligned_alloc(4 * KIB, PEER_BYTES);
	if (rig->peer_bytes == NULL)
		bench_fail("memory", "there is none left");
	memset(rig->peer_bytes, 1, PEER_BYTES);
	rig->peer_child = fork();
	if (rig->peer_child < 0)
		fail_errno("fork");
	if (rig->peer_child == 0) {
		(void)bench_pin(1);
		close(fds[0]);
		memset(rig->peer_bytes, 2, PEER_BYTES); /* pages of its own */
		if (rig->rival != NULL)
			rig->rival->serve(fds[1], rig->peer_bytes, PEER_BYTES);
		answer(fds[1], rig->peer_bytes, rig->bytes);
	}
	close(fds[1]);
	rig->peer_socket = fds[0];
	if (rig->rival != NULL)
		rig->client = rig->rival->open(fds[0], rig->peer_bytes, PEER_BYTES);
}

void rival_send(int socket, const void *block, size_t len)
{
	if (send(socket, block, len, MSG_NOSIGNAL) != (ssize_t)len)
		fail_errno("exchange");
}

size_t rival_receive(int socket, void *block)
{
	ssize_t got = recv(socket, block, RIVAL_MAX_BLOCK, 0);

	if (got <= 0)
		bench_fail("exchange", "the other process is gone");
	return (size_t)got;
}

static void peer_rival(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->write(rig->client, rig->bytes, 1, count);
}

static void peer_rival_8(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->write(rig->client, rig->bytes, SIDE_MAX_TASKS, count);
}

static void peer_ping_pong(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	for (; count > 0; count--) {
		put_all(rig->peer_socket, rig->peer_bytes, rig->bytes);
		get_all(rig->peer_socket, rig->peer_bytes, 8);
	}
}

/* As ours: as many blocks in turn as there are tasks, so that caches do as much for either. */
static char *turn(const struct rig *rig, size_t len, uint64_t count)
{
	size_t num = len / rig->bytes;

	return rig->peer_bytes + count % (num < SIDE_MAX_TASKS ? num : SIDE_MAX_TASKS) * rig->bytes;
}

/* What our engine does for a big write, without anything around it. */
static void peer_process_vm(void *state, uint64_t count)
{
	struct rig *rig = state;

	for (; count > 0; count--) {
		struct iovec local = { turn(rig, PEER_BYTES, count), rig->bytes };
		struct iovec remote = local;

		if (process_vm_readv(rig->peer_child, &local, 1, &remote, 1, 0) !=
		    (ssize_t)rig->bytes)
			fail_errno("process_vm_readv");
	}
}

/* Through a pointer that the compiler must not look behind, so that it stays a call. */
static void *(*volatile copy)(void *dst, const void *src, size_t len) = memcpy;

static void peer_memcpy(void *state, uint64_t count)
{
	struct rig *rig = state;

	for (; count > 0; count--) {
		char *to = turn(rig, PEER_BYTES / 2, count);

		copy(to, to + PEER_BYTES / 2, rig->bytes);
	}
}

/* --- ours ----------------------------------------------------------------------------------- */

static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void be_poller(struct side *side, int control)
{
	for (unsigned int i = 1; i % 65536 != 0 || !is_closed(control); i++)
		(void)doca_pe_progress(side->pe);
}

static void be_echo(struct side *side, int control)
{
	uint64_t answered = 0;

	side_submit(side, SIDE_RECEIVE, 0);
	while (!is_closed(control)) {
		/* What it waits for may have come while it waited for the other thing. */
		if (side->num_done[SIDE_SEND] < answered ||
		    side->num_done[SIDE_RECEIVE] == answered) {
			side_sleep(side);
			continue;
		}
		answered++;
		side_submit(side, SIDE_RECEIVE, 0);
		side_submit(side, SIDE_SEND, 0);
	}
}

static void be_other(const struct rig *rig, int control)
{
	struct side side;
	char byte;

	(void)bench_pin(1);
	side_open(&side, control);
	side_add_tasks(&side, SIDE_SEND, rig->bytes);
	side_add_tasks(&side, SIDE_RECEIVE, rig->bytes);
	if (rig->role == ROLE_POLL)
		be_poller(&side, control);
	else if (rig->role == ROLE_ECHO)
		be_echo(&side, control);
	else
		(void)!read(control, &byte, 1);
	_exit(0);
}

static void start_other(struct rig *rig)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
		fail_errno("socketpair");
	rig->child = fork();
	if (rig->child < 0)
		fail_errno("fork");
	if (rig->child == 0) {
		close(fds[0]);
		be_other(rig, fds[1]);
	}
	close(fds[1]);
	rig->control = fds[0];
	side_open(&rig->side, rig->control);
}

static void *setup(const struct bench_case *one, enum role role, bool is_peer_spinning,
		   const struct rival *rival)
{
	bool is_tcp = strcmp(one->transport, "tcp") == 0;
	struct rig *rig = calloc(1, sizeof(*rig));

	if (rig == NULL || setenv("DOCA_RDMA_SOCKETS", one->transport, 1) != 0)
		bench_fail("memory", "there is none left");
	rig->bytes = one->bytes;
	rig->role = role;
	rig->is_peer_spinning = is_peer_spinning;
	rig->rival = rival;
	start_peer(rig, is_tcp);
	start_other(rig);
	for (int kind = 0; kind < SIDE_NUM_KINDS; kind++)
		side_add_tasks(&rig->side, (enum side_task)kind, rig->bytes);
	return rig;
}

static void *setup_poll(struct bench_case *one)
{
	return setup(one, ROLE_POLL, true, NULL);
}

static void *setup_passive(struct bench_case *one)
{
	return setup(one, ROLE_PASSIVE, false, NULL);
}

static void *setup_echo(struct bench_case *one)
{
	return setup(one, ROLE_ECHO, false, NULL);
}

static void *setup_ucx(struct bench_case *one)
{
	return setup(one, ROLE_POLL, false, &rival_ucx);
}

static void *setup_libfabric(struct bench_case *one)
{
	return setup(one, ROLE_POLL, false, &rival_libfabric);
}

static void end_child(pid_t child)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

static void teardown(void *state)
{
	struct rig *rig = state;

	side_close(&rig->side);
	if (rig->rival != NULL)
		rig->rival->close(rig->client);
	close(rig->control);
	close(rig->peer_socket);
	end_child(rig->child);
	end_child(rig->peer_child);
	free(rig->peer_bytes);
	free(rig);
}

/* One after the other. */
static void one_by_one(struct rig *rig, enum side_task kind, uint64_t count)
{
	struct side *side = &rig->side;

	let_run(rig, rig->child);
	for (; count > 0; count--) {
		uint64_t before = side->num_done[kind];

		side_submit(side, kind, 0);
		while (side->num_done[kind] == before)
			(void)doca_pe_progress(side->pe);
	}
}

/* As many in flight as there are tasks. */
static void in_flight(struct rig *rig, enum side_task kind, uint64_t count)
{
	struct side *side = &rig->side;
	uint64_t submitted = side->num_done[kind], wanted = submitted + count;

	let_run(rig, rig->child);
	while (side->num_done[kind] < wanted) {
		while (submitted < wanted && submitted - side->num_done[kind] < SIDE_MAX_TASKS)
			side_submit(side, kind, submitted++ % SIDE_MAX_TASKS);
		(void)doca_pe_progress(side->pe);
	}
}

static void ours_write(void *state, uint64_t count)
{
	one_by_one(state, SIDE_WRITE, count);
}

static void ours_read(void *state, uint64_t count)
{
	one_by_one(state, SIDE_READ, count);
}

static void ours_write_8(void *state, uint64_t count)
{
	in_flight(state, SIDE_WRITE, count);
}

static void ours_read_8(void *state, uint64_t count)
{
	in_flight(state, SIDE_READ, count);
}

/* A message there and one back, asleep in between. */
static void ours_echo(void *state, uint64_t count)
{
	struct rig *rig = state;
	struct side *side = &rig->side;

	let_run(rig, rig->child);
	for (; count > 0; count--) {
		uint64_t sent = side->num_done[SIDE_SEND], received = side->num_done[SIDE_RECEIVE];

		side_submit(side, SIDE_RECEIVE, 0);
		side_submit(side, SIDE_SEND, 0);
		while (side->num_done[SIDE_SEND] == sent ||
		       side->num_done[SIDE_RECEIVE] == received)
			side_sleep(side);
	}
}

#define CASE(case_name, case_transport, case_peer, case_unit, case_bytes, case_setup, ours, \
	     peer_fn, ...)                                                                  \
	{                                                                                   \
		.name = (case_name), .transport = (case_transport), .peer = (case_peer),    \
		.unit = (case_unit), .clock = BENCH_ELAPSED, .bytes = (case_bytes),         \
		.limit = { __VA_ARGS__ }, .setup = (case_setup), .run_ours = (ours),        \
		.run_peer = (peer_fn), .teardown = teardown,                                \
	}

#define LATENCY(name, transport, peer, setup, ours, ...) \
	CASE(name, transport, peer, BENCH_NS, 8, setup, ours, peer_ping_pong, __VA_ARGS__)
#define BANDWIDTH(name, transport, peer, bytes, ours, peer_fn, ...) \
	CASE(name, transport, peer, BENCH_GB_PER_S, bytes, setup_poll, ours, peer_fn, __VA_ARGS__)

#define RIVAL(name, size, peer, setup, ours, peer_fn, unit_of)                                     \
	CASE(name, "tcp", peer, unit_of, size, setup, ours, peer_fn, .kind = RIVAL_LIMIT(unit_of), \
	     .value = 1)
#define RIVAL_LIMIT(unit_of) ((unit_of) == BENCH_NS ? BENCH_AT_MOST_RATIO : BENCH_AT_LEAST_RATIO)

#define SPIN                 "spinning_socket"
#define BLOCK                "blocking_socket"

static struct bench_case cases[] = {
	LATENCY("write_8b_unix", "unix", SPIN, setup_poll, ours_write, .kind = BENCH_AT_MOST_RATIO,
		.value = 1.6),
	LATENCY("write_8b_tcp", "tcp", SPIN, setup_poll, ours_write, .kind = BENCH_AT_MOST_RATIO,
		.value = 1.6),
	LATENCY("read_8b_unix", "unix", SPIN, setup_poll, ours_read, .kind = BENCH_UNLIMITED),
	LATENCY("read_8b_tcp", "tcp", SPIN, setup_poll, ours_read, .kind = BENCH_UNLIMITED),
	LATENCY("write_8b_passive_unix", "unix", BLOCK, setup_passive, ours_write,
		.kind = BENCH_AT_MOST_RATIO, .value = 1.5),
	LATENCY("write_8b_passive_tcp", "tcp", BLOCK, setup_passive, ours_write,
		.kind = BENCH_AT_MOST_RATIO, .value = 1.5),
	BANDWIDTH("write_64kib_unix", "unix", "process_vm_readv", 64 * KIB, ours_write_8,
		  peer_process_vm, .kind = BENCH_UNLIMITED),
	BANDWIDTH("write_1mib_unix", "unix", "process_vm_readv", MIB, ours_write_8, peer_process_vm,
		  .kind = BENCH_AT_LEAST_RATIO, .value = 0.6),
	BANDWIDTH("write_1mib_memcpy", "unix", "memcpy", MIB, ours_write_8, peer_memcpy,
		  .kind = BENCH_UNLIMITED),
	BANDWIDTH("read_64kib_unix", "unix", "process_vm_readv", 64 * KIB, ours_read_8,
		  peer_process_vm, .kind = BENCH_UNLIMITED),
	BANDWIDTH("read_1mib_unix", "unix", "process_vm_readv", MIB, ours_read_8, peer_process_vm,
		  .kind = BENCH_UNLIMITED),
	BANDWIDTH("write_64kib_tcp", "tcp", SPIN, 64 * KIB, ours_write_8, peer_ping_pong,
		  .kind = BENCH_UNLIMITED),
	BANDWIDTH("write_1mib_tcp", "tcp", SPIN, MIB, ours_write_8, peer_ping_pong,
		  .kind = BENCH_UNLIMITED),
	BANDWIDTH("read_1mib_tcp", "tcp", SPIN, MIB, ours_read_8, peer_ping_pong,
		  .kind = BENCH_UNLIMITED),
	RIVAL("write_8b_beside_ucx", 8, "ucx_tcp_put", setup_ucx, ours_write, peer_rival, BENCH_NS),
	RIVAL("write_64kib_beside_ucx", 64 * KIB, "ucx_tcp_put", setup_ucx, ours_write_8,
	      peer_rival_8, BENCH_GB_PER_S),
	RIVAL("write_1mib_beside_ucx", MIB, "ucx_tcp_put", setup_ucx, ours_write_8, peer_rival_8,
	      BENCH_GB_PER_S),
	RIVAL("write_8b_beside_libfabric", 8, "libfabric_tcp_write", setup_libfabric, ours_write,
	      peer_rival, BENCH_NS),
	RIVAL("write_64kib_beside_libfabric", 64 * KIB, "libfabric_tcp_write", setup_libfabric,
	      ours_write_8, peer_rival_8, BENCH_GB_PER_S),
	RIVAL("write_1mib_beside_libfabric", MIB, "libfabric_tcp_write", setup_libfabric,
	      ours_write_8, peer_rival_8, BENCH_GB_PER_S),
	LATENCY("echo_8b_event_unix", "unix", BLOCK, setup_echo, ours_echo,
		.kind = BENCH_UNLIMITED),
	LATENCY("echo_8b_event_tcp", "tcp", BLOCK, setup_echo, ours_echo, .kind = BENCH_UNLIMITED),
};

int main(int argc, char **argv)
{
	const struct bench_program program = {
		.name = "bench_rdma",
		.num_cores = 2,
		.cases = cases,
		.num_cases = sizeof(cases) / sizeof(cases[0]),
	};

	return bench_main(&program, argc, argv);
}
