/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Strangers at the door of a context: they dial and say hello, whole or in parts, rightly or with
 * some bytes changed, while the application exports, connects and disconnects; one of the
 * connections is a target of DC, which serves all who have its secret. An input is a list of steps.
 * Nobody is let in who has not said just the right hello, nobody besides a peer that is in already,
 * and nobody is left without an answer.
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer_memory.h"
#include "rdma_world.h"

#define NUM_CLIENTS    6
#define NUM_CONNS      3
#define MAX_STEPS      64
#define STEP_BYTES     3 /* what, who, and a number or so many bytes of changes behind */
#define FURTHER_ROUNDS 3 /* of progress after a step that nobody answers */
#define HELLO_NS       (UINT64_C(11) * 1000000000)

/* Where in a hello what may have any value is. */
#define RNR_AT         7
#define FROM_SECRET_AT 48
#define SECRET_ADDR_AT 80
#define ZERO_AT        88

struct client {
	int fd; /* -1: not there */
	uint8_t bytes[SOFT_HELLO_SIZE];
	size_t len;          /* of them are sent */
	unsigned int target; /* the connection that it dialled for */
	bool is_answered;
	bool is_in;
};

struct target {
	struct doca_rdma_connection *conn;
	struct drdma_conn_record peer;
	uint8_t hello[SOFT_HELLO_SIZE]; /* the right one */
	bool serves_all;                /* DC: is_connected then only says that nobody waits */
	bool is_connected;
	bool was_left; /* somebody was in, or about to be, and has gone; or it is broken */
};

static struct rdma_world *world;
static struct doca_rdma *contexts[DOCA_RDMA_TRANSPORT_TYPE_DC + 1];
static struct client clients[NUM_CLIENTS];
static struct target targets[NUM_CONNS];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	world = rdma_world_create();
	for (int i = 0; i <= DOCA_RDMA_TRANSPORT_TYPE_DC; i++) {
		contexts[i] = rdma_world_add(world, (enum doca_rdma_transport_type)i);
		rdma_world_start(world, contexts[i]);
	}
	return 0;
}

/* --- What the answers have to be --- */

static bool is_same(const struct client *client, const uint8_t *right, size_t from, size_t to)
{
	return memcmp(client->bytes + from, right + from, to - from) == 0;
}

/* Does it say whom it wants, with the secret of that, as it must? */
static bool is_addressed(const struct client *client, const uint8_t *right)
{
	return client->len == SOFT_HELLO_SIZE && client->bytes[RNR_AT] <= DRDMA_RNR_FOR_EVER &&
	       is_same(client, right, 0, RNR_AT) && is_same(client, right, 12, 16) &&
	       is_same(client, right, 32, 48) && is_same(client, right, 64, SECRET_ADDR_AT) &&
	       is_same(client, right, ZERO_AT, SOFT_HELLO_SIZE);
}

/* And who it is: the peer? */
static bool is_from_peer(const struct client *client, const uint8_t *right)
{
	return is_same(client, right, 8, 12) && is_same(client, right, 16, 32) &&
	       is_same(client, right, FROM_SECRET_AT, 64);
}

static bool is_right(const struct client *client, const struct target *target)
{
	return is_addressed(client, target->hello) &&
	       (target->serves_all || is_from_peer(client, target->hello));
}

static bool is_taken(unsigned int number)
{
	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		if (clients[i].is_in && clients[i].target == number)
			return true;
	}
	return false;
}

static void hang_up(struct client *client)
{
	if (client->fd < 0)
		return;
	close(client->fd);
	/* Or it will be, before the context sees that it has gone. */
	if (client->is_in || is_right(client, &targets[client->target]))
		targets[client->target].was_left = true;
	memset(client, 0, sizeof(*client));
	client->fd = -1;
}

/* Looks for an answer, or the end. */
static void take_answer(struct client *client)
{
	const struct target *target = &targets[client->target];
	uint8_t welcome[SOFT_WELCOME_SIZE];
	ssize_t got = recv(client->fd, welcome, sizeof(welcome), MSG_DONTWAIT);

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		CHECK(!is_right(client, target) || target->was_left); /* that has an answer */
		hang_up(client);
		return;
	}
	CHECK(got == (ssize_t)sizeof(welcome) && !client->is_answered);
	client->is_answered = true;
	if (welcome[6] == 0)
		return;
	CHECK(is_right(client, target) && target->is_connected);
	CHECK(target->serves_all || !is_taken(client->target));
	CHECK((welcome[7] == 1) ==
	      (is_same(client, target->hello, SECRET_ADDR_AT, SECRET_ADDR_AT + 8) &&
	       is_same(client, target->hello, FROM_SECRET_AT, 64)));
	client->is_in = true;
}

static void take_answers(void)
{
	(void)doca_pe_progress(world->pe);
	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		if (clients[i].fd >= 0 && !clients[i].is_answered)
			take_answer(&clients[i]);
	}
}

/* Must it be answered now? Who waits for the application need not. */
static bool is_due(const struct client *client)
{
	return client->fd >= 0 && client->len == SOFT_HELLO_SIZE && !client->is_answered &&
	       (targets[client->target].is_connected ||
		!is_right(client, &targets[client->target]));
}

/* One with another's names, but our secret, waits as well, and is then refused. */
static bool may_wait(const struct client *client)
{
	const struct target *target = &targets[client->target];

	return !target->is_connected && is_addressed(client, target->hello);
}

static bool is_anybody_due(void)
{
	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		if (is_due(&clients[i]) && !may_wait(&clients[i]))
			return true;
	}
	return false;
}

/* Is the connection still one that lets its peer in? The engine may have given it up. */
static bool is_whole(const struct target *target)
{
	struct soft_port *port = target->conn->rdma->provider_data;
	enum drdma_conn_state state;

	pthread_mutex_lock(&port->lock);
	state = target->conn->state;
	pthread_mutex_unlock(&port->lock);
	return target->serves_all ? state == DRDMA_CONN_EXPORTED
				  : state == DRDMA_CONN_CONNECTED && !target->was_left;
}

/* For ever if need be, which is a finding: libFuzzer has a limit of time. */
static void await_answers(void)
{
	while (is_anybody_due())
		take_answers();
}

/* Everybody has the answer that is due, and a peer that has said the right thing is in. */
static void settle(void)
{
	await_answers();
	for (int i = 0; i < FURTHER_ROUNDS; i++)
		take_answers();
	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		const struct client *client = &clients[i];

		if (client->fd >= 0 && is_right(client, &targets[client->target]) &&
		    targets[client->target].is_connected && is_whole(&targets[client->target]))
			CHECK(targets[client->target].serves_all ? client->is_in
								 : is_taken(client->target));
	}
}

/* --- Steps --- */

static void export(struct target *target, unsigned int number)
{
	memset(target, 0, sizeof(*target));
	target->serves_all = number == NUM_CONNS - 1;
	target->is_connected = target->serves_all;
	target->conn = rdma_world_export(contexts[target->serves_all ? DOCA_RDMA_TRANSPORT_TYPE_DC
								     : DOCA_RDMA_TRANSPORT_TYPE_RC],
					 number + 1, &target->peer);
	rdma_world_hello(target->conn, &target->peer, target->hello);
}

static void connect_target(unsigned int number)
{
	struct target *target = &targets[number];

	if (target->is_connected)
		return;
	target->is_connected = true;
	rdma_world_connect(target->conn, &target->peer);
}

/* All who have said hello to it are told; there is another one in its place. */
static void disconnect_target(unsigned int number)
{
	struct target *target = &targets[number];

	CHECK(doca_rdma_connection_disconnect(target->conn) == DOCA_SUCCESS);
	target->is_connected = true; /* nobody waits for it */
	target->was_left = true;
	await_answers();
	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		if (clients[i].target == number)
			hang_up(&clients[i]);
	}
	export(target, number);
}

static void dial(struct client *client, unsigned int number)
{
	if (client->fd >= 0)
		return;
	client->target = number;
	client->fd = rdma_world_dial(targets[number].conn);
}

/* Sends the next bytes of its hello; some of them are changed. */
static void say(struct client *client, const uint8_t *bytes, size_t len)
{
	if (client->is_answered || len > SOFT_HELLO_SIZE - client->len)
		return;
	memcpy(client->bytes + client->len, bytes, len);
	/* It may have been closed by now, for what it has said. */
	(void)!send(client->fd, client->bytes + client->len, len, MSG_NOSIGNAL);
	client->len += len;
}

static void run_timers(const struct doca_rdma *rdma)
{
	struct soft_port *port = rdma->provider_data;

	pthread_mutex_lock(&port->lock);
	soft_stranger_run_timers(port, core_now_ns()); /* is not that long */
	soft_stranger_run_timers(port, core_now_ns() + HELLO_NS);
	pthread_mutex_unlock(&port->lock);
}

/* The application waits for longer than a hello may take. */
static void elapse(void)
{
	bool is_over;

	for (size_t i = 0; i < NUM_CLIENTS; i++) {
		if (clients[i].fd >= 0 && is_right(&clients[i], &targets[clients[i].target]))
			targets[clients[i].target].was_left = true; /* if it was not read yet */
	}
	do {
		take_answers();
		for (int i = 0; i <= DOCA_RDMA_TRANSPORT_TYPE_DC; i++)
			run_timers(contexts[i]);
		is_over = true;
		for (size_t k = 0; k < NUM_CLIENTS; k++)
			is_over &= clients[k].fd < 0 || clients[k].len == SOFT_HELLO_SIZE;
	} while (!is_over);
}

/* Who is in says what is no request: that ends the connection, or an initiator alone. */
static void offend(struct client *client)
{
	uint8_t request[SOFT_REQUEST_SIZE];

	if (!client->is_in)
		return;
	memset(request, 0xff, sizeof(request));
	(void)!send(client->fd, request, sizeof(request), MSG_NOSIGNAL);
	while (!targets[client->target].serves_all && is_whole(&targets[client->target]))
		(void)doca_pe_progress(world->pe);
	targets[client->target].was_left = true;
}

enum what {
	SAY,  /* the whole rest of the hello, with changes: where, and by which bits */
	PART, /* so many bytes of it */
	RAW,  /* the bytes of the input */
	HANG_UP,
	CONNECT,
	DISCONNECT,
	ELAPSE,
	OFFEND,
	NUM_WHATS,
};

/* How many bytes behind the step belong to it. */
static size_t extra(enum what what, uint8_t number, size_t left)
{
	size_t wanted = what == SAY ? number % 4u * 2u : what == RAW ? number : 0;

	return wanted <= left ? wanted : left;
}

static void say_hello(struct client *client, const uint8_t *changes, size_t len)
{
	uint8_t hello[SOFT_HELLO_SIZE];

	memcpy(hello, targets[client->target].hello, sizeof(hello));
	for (size_t i = 0; i + 1 < len; i += 2)
		hello[changes[i] % SOFT_HELLO_SIZE] ^= changes[i + 1];
	say(client, hello + client->len, SOFT_HELLO_SIZE - client->len);
}

static void take_step(enum what what, const uint8_t *step, const uint8_t *more, size_t len)
{
	struct client *client = &clients[(step[1] & 15u) % NUM_CLIENTS];
	unsigned int number = (step[1] >> 4u) % NUM_CONNS;

	if (what <= RAW)
		dial(client, number);
	if (what == SAY)
		say_hello(client, more, len);
	else if (what == PART)
		say(client, targets[client->target].hello + client->len,
		    step[2] % (SOFT_HELLO_SIZE - client->len + 1));
	else if (what == RAW)
		say(client, more, len);
	else if (what == HANG_UP)
		hang_up(client);
	else if (what == CONNECT)
		connect_target(number);
	else if (what == DISCONNECT)
		disconnect_target(number);
	else if (what == ELAPSE)
		elapse();
	else
		offend(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	for (unsigned int i = 0; i < NUM_CONNS; i++)
		export(&targets[i], i);
	for (size_t i = 0; i < NUM_CLIENTS; i++)
		clients[i].fd = -1;
	for (int i = 0; i < MAX_STEPS && size >= STEP_BYTES; i++) {
		const uint8_t *step = input;
		enum what what = step[0] % NUM_WHATS;
		size_t len = extra(what, step[2], size - STEP_BYTES);

		input += STEP_BYTES + len;
		size -= STEP_BYTES + len;
		take_step(what, step, step + STEP_BYTES, len);
		settle();
	}
	for (size_t i = 0; i < NUM_CLIENTS; i++)
		hang_up(&clients[i]);
	for (unsigned int i = 0; i < NUM_CONNS; i++)
		CHECK(doca_rdma_connection_disconnect(targets[i].conn) == DOCA_SUCCESS);
	while (doca_pe_progress(world->pe) != 0)
		continue;
	(void)blob_input_take_lines();
	return 0;
}
