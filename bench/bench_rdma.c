/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RDMA tasks of the software provider between two processes of this machine, beside the bare socket
 * loop of the same kind. The other process polls, sleeps on its handle, or does nothing at all.
 */

#include <errno.h>
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
#include "rdma_bare.h"
#include "rdma_side.h"

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)

/* What the other process does with its context. */
enum role {
	ROLE_POLL,    /* drives its engine all the time */
	ROLE_PASSIVE, /* nothing */
	ROLE_SLEEP,   /* sleeps on the handle of its engine, and serves what wakes it */
	ROLE_ECHO,    /* answers messages, asleep in between */
};

struct rig {
	struct side side;
	size_t bytes;
	enum role role;
	pid_t child;               /* with the other side */
	pid_t peer_child;          /* that answers the bare loop */
	int control;               /* of child: closed, it ends */
	struct bare bare;          /* its memory is also that of the other peers */
	const struct rival *rival; /* instead of the bare loop; NULL: none */
	int rival_socket;
	void *client;  /* the rival's */
	pid_t running; /* of both children: the other is stopped */
};

_Static_assert(BARE_MAX_IN_FLIGHT == SIDE_MAX_TASKS && RIVAL_MAX_IN_FLIGHT == SIDE_MAX_TASKS,
	       "as many in flight");

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

/* --- the peers ----------------------------------------------------------------------------- */

/* In the other process. */
__attribute__((noreturn)) static void be_peer(struct rig *rig, int fd)
{
	(void)bench_pin(1);
	memset(rig->bare.bytes, 2, BARE_BYTES); /* pages of its own */
	if (rig->rival != NULL)
		rig->rival->serve(fd, rig->bare.bytes, BARE_BYTES);
	bare_answer(&rig->bare, fd);
}

static void start_peer(struct rig *rig, bool is_read, bool is_tcp, bool is_spinning)
{
	int far, fds[2] = { -1, -1 };

	bare_open(&rig->bare, rig->bytes, is_read, is_tcp, is_spinning, &far);
	if (rig->rival != NULL && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) != 0)
		fail_errno("socketpair");
	rig->peer_child = fork();
	if (rig->peer_child < 0)
		fail_errno("fork");
	if (rig->peer_child == 0) {
		close(rig->bare.fd);
		close(fds[0]);
		be_peer(rig, rig->rival != NULL ? fds[1] : far);
	}
	close(far);
	if (rig->rival == NULL)
		return;
	close(fds[1]);
	rig->rival_socket = fds[0];
	rig->client = rig->rival->open(fds[0], rig->bare.bytes, BARE_BYTES);
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

static void peer_rival_write(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->write(rig->client, rig->bytes, 1, count);
}

static void peer_rival_write_8(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->write(rig->client, rig->bytes, RIVAL_MAX_IN_FLIGHT, count);
}

static void peer_rival_read(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->read(rig->client, rig->bytes, 1, count);
}

static void peer_rival_read_8(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	rig->rival->read(rig->client, rig->bytes, RIVAL_MAX_IN_FLIGHT, count);
}

static void peer_socket(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	bare_one_by_one(&rig->bare, count);
}

static void peer_socket_8(void *state, uint64_t count)
{
	struct rig *rig = state;

	let_run(rig, rig->peer_child);
	bare_in_flight(&rig->bare, count);
}

/* What our engine does for a big write, without anything around it. */
static void peer_process_vm(void *state, uint64_t count)
{
	struct rig *rig = state;

	for (; count > 0; count--) {
		struct iovec local = { bare_turn(&rig->bare, BARE_BYTES, count), rig->bytes };
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
		char *to = bare_turn(&rig->bare, BARE_BYTES / 2, count);

		copy(to, to + BARE_BYTES / 2, rig->bytes);
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

__attribute__((noreturn)) static void be_sleeper(struct side *side)
{
	for (;;)
		side_sleep(side); /* its end is a signal */
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
	else if (rig->role == ROLE_SLEEP)
		be_sleeper(&side);
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

/* The name of a case says what it does first. */
static void *setup(const struct bench_case *one, enum role role, bool is_peer_spinning,
		   const struct rival *rival)
{
	bool is_tcp = strcmp(one->transport, "tcp") == 0;
	bool is_read = strncmp(one->name, "read", 4) == 0;
	struct rig *rig = calloc(1, sizeof(*rig));

	if (rig == NULL || setenv("DOCA_RDMA_SOCKETS", one->transport, 1) != 0)
		bench_fail("memory", "there is none left");
	rig->bytes = one->bytes;
	rig->role = role;
	rig->rival = rival;
	start_peer(rig, is_read, is_tcp, is_peer_spinning);
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

static void *setup_sleep(struct bench_case *one)
{
	return setup(one, ROLE_SLEEP, false, NULL);
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
	if (rig->rival != NULL) {
		rig->rival->close(rig->client);
		close(rig->rival_socket);
	}
	close(rig->control);
	end_child(rig->child);
	end_child(rig->peer_child);
	bare_close(&rig->bare);
	free(rig);
}

/* What this process does until something has ended: it looks once, or sleeps. */
static void look(struct side *side)
{
	(void)doca_pe_progress(side->pe);
}

/* One after the other. */
static void one_by_one(struct rig *rig, enum side_task kind, uint64_t count,
		       void (*await)(struct side *side))
{
	struct side *side = &rig->side;

	let_run(rig, rig->child);
	for (; count > 0; count--) {
		uint64_t before = side->num_done[kind];

		side_submit(side, kind, 0);
		while (side->num_done[kind] == before)
			await(side);
	}
}

/* As many in flight as there are tasks. */
static void in_flight(struct rig *rig, enum side_task kind, uint64_t count,
		      void (*await)(struct side *side))
{
	struct side *side = &rig->side;
	uint64_t submitted = side->num_done[kind], wanted = submitted + count;

	let_run(rig, rig->child);
	while (side->num_done[kind] < wanted) {
		while (submitted < wanted && submitted - side->num_done[kind] < SIDE_MAX_TASKS)
			side_submit(side, kind, submitted++ % SIDE_MAX_TASKS);
		await(side);
	}
}

static void ours_write(void *state, uint64_t count)
{
	one_by_one(state, SIDE_WRITE, count, look);
}

static void ours_read(void *state, uint64_t count)
{
	one_by_one(state, SIDE_READ, count, look);
}

static void ours_write_8(void *state, uint64_t count)
{
	in_flight(state, SIDE_WRITE, count, look);
}

static void ours_read_8(void *state, uint64_t count)
{
	in_flight(state, SIDE_READ, count, look);
}

static void ours_write_event(void *state, uint64_t count)
{
	one_by_one(state, SIDE_WRITE, count, side_sleep);
}

static void ours_read_event(void *state, uint64_t count)
{
	one_by_one(state, SIDE_READ, count, side_sleep);
}

static void ours_write_8_event(void *state, uint64_t count)
{
	in_flight(state, SIDE_WRITE, count, side_sleep);
}

static void ours_read_8_event(void *state, uint64_t count)
{
	in_flight(state, SIDE_READ, count, side_sleep);
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

#define NO_LIMIT .kind = BENCH_UNLIMITED
#define AT_MOST  .kind = BENCH_AT_MOST_RATIO, .value
#define AT_LEAST .kind = BENCH_AT_LEAST_RATIO, .value

#define SPIN     "spinning_socket"
#define BLOCK    "blocking_socket"
#define VM       "process_vm_readv"

#define LATENCY(name, transport, peer, setup, ours, ...) \
	CASE(name, transport, peer, BENCH_NS, 8, setup, ours, peer_socket, __VA_ARGS__)
#define BANDWIDTH(name, transport, peer, bytes, setup, ours, peer_fn, ...) \
	CASE(name, transport, peer, BENCH_GB_PER_S, bytes, setup, ours, peer_fn, __VA_ARGS__)

/* At every size, and in either direction: faster than the others. */
#define RIVAL(what, rival, peer)                                                               \
	CASE(#what "_8b_beside_" #rival, "tcp", peer, BENCH_NS, 8, setup_##rival, ours_##what, \
	     peer_rival_##what, AT_MOST = 1),                                                  \
	    BANDWIDTH(#what "_64kib_beside_" #rival, "tcp", peer, 64 * KIB, setup_##rival,     \
		      ours_##what##_8, peer_rival_##what##_8, AT_LEAST = 1),                   \
	    BANDWIDTH(#what "_1mib_beside_" #rival, "tcp", peer, MIB, setup_##rival,           \
		      ours_##what##_8, peer_rival_##what##_8, AT_LEAST = 1)

static struct bench_case cases[] = {
	LATENCY("write_8b_unix", "unix", SPIN, setup_poll, ours_write, AT_MOST = 1.6),
	LATENCY("write_8b_tcp", "tcp", SPIN, setup_poll, ours_write, AT_MOST = 1.6),
	LATENCY("read_8b_unix", "unix", SPIN, setup_poll, ours_read, NO_LIMIT),
	LATENCY("read_8b_tcp", "tcp", SPIN, setup_poll, ours_read, NO_LIMIT),
	LATENCY("write_8b_passive_unix", "unix", BLOCK, setup_passive, ours_write, AT_MOST = 1.5),
	LATENCY("write_8b_passive_tcp", "tcp", BLOCK, setup_passive, ours_write, AT_MOST = 1.5),
	LATENCY("read_8b_passive_unix", "unix", BLOCK, setup_passive, ours_read, NO_LIMIT),
	LATENCY("read_8b_passive_tcp", "tcp", BLOCK, setup_passive, ours_read, NO_LIMIT),
	LATENCY("write_8b_event_unix", "unix", BLOCK, setup_sleep, ours_write_event, NO_LIMIT),
	LATENCY("write_8b_event_tcp", "tcp", BLOCK, setup_sleep, ours_write_event, NO_LIMIT),
	LATENCY("read_8b_event_unix", "unix", BLOCK, setup_sleep, ours_read_event, NO_LIMIT),
	LATENCY("read_8b_event_tcp", "tcp", BLOCK, setup_sleep, ours_read_event, NO_LIMIT),
	LATENCY("echo_8b_event_unix", "unix", BLOCK, setup_echo, ours_echo, NO_LIMIT),
	LATENCY("echo_8b_event_tcp", "tcp", BLOCK, setup_echo, ours_echo, NO_LIMIT),

	BANDWIDTH("write_64kib_unix", "unix", VM, 64 * KIB, setup_poll, ours_write_8,
		  peer_process_vm, NO_LIMIT),
	BANDWIDTH("write_1mib_unix", "unix", VM, MIB, setup_poll, ours_write_8, peer_process_vm,
		  AT_LEAST = 0.6),
	BANDWIDTH("write_1mib_memcpy", "unix", "memcpy", MIB, setup_poll, ours_write_8, peer_memcpy,
		  NO_LIMIT),
	BANDWIDTH("read_64kib_unix", "unix", VM, 64 * KIB, setup_poll, ours_read_8, peer_process_vm,
		  NO_LIMIT),
	BANDWIDTH("read_1mib_unix", "unix", VM, MIB, setup_poll, ours_read_8, peer_process_vm,
		  NO_LIMIT),
	BANDWIDTH("write_64kib_tcp", "tcp", SPIN, 64 * KIB, setup_poll, ours_write_8, peer_socket_8,
		  NO_LIMIT),
	BANDWIDTH("write_1mib_tcp", "tcp", SPIN, MIB, setup_poll, ours_write_8, peer_socket_8,
		  NO_LIMIT),
	BANDWIDTH("read_64kib_tcp", "tcp", SPIN, 64 * KIB, setup_poll, ours_read_8, peer_socket_8,
		  NO_LIMIT),
	BANDWIDTH("read_1mib_tcp", "tcp", SPIN, MIB, setup_poll, ours_read_8, peer_socket_8,
		  NO_LIMIT),
	BANDWIDTH("write_1mib_passive_unix", "unix", VM, MIB, setup_passive, ours_write_8,
		  peer_process_vm, NO_LIMIT),
	BANDWIDTH("write_1mib_passive_tcp", "tcp", BLOCK, MIB, setup_passive, ours_write_8,
		  peer_socket_8, NO_LIMIT),
	BANDWIDTH("read_1mib_passive_unix", "unix", VM, MIB, setup_passive, ours_read_8,
		  peer_process_vm, NO_LIMIT),
	BANDWIDTH("read_1mib_passive_tcp", "tcp", BLOCK, MIB, setup_passive, ours_read_8,
		  peer_socket_8, NO_LIMIT),
	BANDWIDTH("write_1mib_event_unix", "unix", VM, MIB, setup_sleep, ours_write_8_event,
		  peer_process_vm, NO_LIMIT),
	BANDWIDTH("write_1mib_event_tcp", "tcp", BLOCK, MIB, setup_sleep, ours_write_8_event,
		  peer_socket_8, NO_LIMIT),
	BANDWIDTH("read_1mib_event_unix", "unix", VM, MIB, setup_sleep, ours_read_8_event,
		  peer_process_vm, NO_LIMIT),
	BANDWIDTH("read_1mib_event_tcp", "tcp", BLOCK, MIB, setup_sleep, ours_read_8_event,
		  peer_socket_8, NO_LIMIT),

	RIVAL(write, ucx, "ucx_tcp_put"),
	RIVAL(read, ucx, "ucx_tcp_get"),
	RIVAL(write, libfabric, "libfabric_tcp_write"),
	RIVAL(read, libfabric, "libfabric_tcp_read"),
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
