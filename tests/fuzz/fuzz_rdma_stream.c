/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A peer that has the secrets of a connection, and then sends what it likes on its own lane; and
 * the same as an initiator of DC, of which nothing may be left. An input is a list of pieces, each
 * with a byte that says what is done to it, so that requests come through whose numbers, keys and
 * pieces are right. Around the memory that may be written lie bytes that must never change, and
 * what is pulled from the peer is what its requests say.
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_buf.h>

#include "peer_memory.h"
#include "rdma_world.h"

#define NUM_RECEIVES  4
#define MAX_BYTES     65536
#define ADDRESS_STEP  32 /* bytes */
#define RECEIVE_BYTES 256
#define PEER_ID       1
#define RNR_AT        7 /* in a hello */

/* Rounds of progress in which nothing happens: time goes by, receives are posted, and it ends. */
#define TIMER_ROUNDS 6
#define POST_ROUNDS  10
#define QUIET_ROUNDS 20
#define LONG_NS      (UINT64_C(3) * 1000000000)
#define GONE_ROUNDS  80 /* or it is seen that nobody is there any more */

/* Bytes of the input that say what a piece of the peer's memory is. */
#define PIECE_INPUT 3
#define MAX_PIECES  8
#define TOO_LONG    254 /* instead of a length */

/* What the first byte of a piece of the input asks for. */
#define MAKE_REQUEST 1  /* number, key and reserved bytes as they must be */
#define MAKE_ADDRESS 2  /* and an address in the memory, near one of its ends */
#define MAKE_SMALL   4  /* and a length that fits */
#define MAKE_PULLED  8  /* and pieces, from what follows in the input */
#define MAKE_SUM     16 /* and their sum the length */
#define HANG_UP      32 /* behind it, before its payload and any answer */

static struct rdma_world *world;

/* A context of each transport. */
static struct side {
	struct doca_rdma *rdma;
	unsigned int num_receives; /* in flight */
} sides[DOCA_RDMA_TRANSPORT_TYPE_DC + 1];

static void on_receive(struct doca_rdma_task_receive *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct doca_buf *dst = doca_rdma_task_receive_get_dst_buf(task);
	struct side *side = ctx_user_data.ptr;

	(void)task_user_data;
	side->num_receives--;
	doca_task_free(doca_rdma_task_receive_as_task(task));
	if (dst != NULL)
		CHECK(doca_buf_dec_refcount(dst, NULL) == DOCA_SUCCESS);
}

static void side_open(struct side *side, enum doca_rdma_transport_type transport)
{
	side->rdma = rdma_world_add(world, transport);
	CHECK(doca_rdma_task_receive_set_dst_buf_list_len(side->rdma, 2) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_receive_set_conf(side->rdma, on_receive, on_receive, NUM_RECEIVES) ==
	      DOCA_SUCCESS);
	CHECK(doca_ctx_set_user_data(doca_rdma_as_ctx(side->rdma),
				     (union doca_data){ .ptr = side }) == DOCA_SUCCESS);
	rdma_world_start(world, side->rdma);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	world = rdma_world_create();
	side_open(&sides[DOCA_RDMA_TRANSPORT_TYPE_RC], DOCA_RDMA_TRANSPORT_TYPE_RC);
	side_open(&sides[DOCA_RDMA_TRANSPORT_TYPE_DC], DOCA_RDMA_TRANSPORT_TYPE_DC);
	return 0;
}

/* Room in two parts, the second of which ends where the memory does. */
static struct doca_buf *receive_room(void)
{
	struct doca_buf *first = rdma_world_buf(world, world->mmap, 0, RECEIVE_BYTES / 2, 0);
	struct doca_buf *second = rdma_world_buf(
	    world, world->mmap, RDMA_WORLD_BYTES - RECEIVE_BYTES / 2, RECEIVE_BYTES / 2, 0);

	CHECK(doca_buf_chain_list(first, second) == DOCA_SUCCESS);
	return first;
}

static void post_receives(struct side *side)
{
	while (side->num_receives < NUM_RECEIVES) {
		struct doca_rdma_task_receive *task;

		CHECK(doca_rdma_task_receive_allocate_init(side->rdma, receive_room(),
							   (union doca_data){ .u64 = 0 },
							   &task) == DOCA_SUCCESS);
		CHECK(doca_task_submit(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS);
		side->num_receives++;
	}
}

/* Dials as the peer of the connection, and is welcome. Its messages wait for receives, or not. */
static int open_lane(const struct doca_rdma_connection *conn, const struct drdma_conn_record *peer,
		     bool waits)
{
	uint8_t hello[SOFT_HELLO_SIZE], welcome[SOFT_WELCOME_SIZE];
	int fd = rdma_world_dial(conn);
	size_t got = 0;

	rdma_world_hello(conn, peer, hello);
	hello[RNR_AT] = waits ? DRDMA_RNR_FOR_EVER : 0;
	CHECK(send(fd, hello, sizeof(hello), MSG_NOSIGNAL) == (ssize_t)sizeof(hello));
	while (got < sizeof(welcome)) {
		ssize_t more = recv(fd, welcome + got, sizeof(welcome) - got, MSG_DONTWAIT);

		CHECK(more != 0 && (more > 0 || errno == EAGAIN));
		(void)doca_pe_progress(world->pe);
		got += more > 0 ? (size_t)more : 0;
	}
	CHECK(welcome[6] == 1 && welcome[7] == 1); /* it can be pulled */
	return fd;
}

static uint64_t address_near_an_end(uint8_t where)
{
	uint64_t end = world->key.addr + (where < 128 ? 0 : RDMA_WORLD_BYTES - 256 * ADDRESS_STEP);

	return end + where * (uint64_t)ADDRESS_STEP;
}

/* Makes a request what the byte before it asks for. */
static void mend(uint8_t *request, unsigned int what, uint32_t psn)
{
	if ((what & MAKE_REQUEST) == 0)
		return;
	request[0] %= SOFT_NUM_OPS;
	request[1] &= request[0] == SOFT_OP_SEND ? SOFT_HAS_IMM : SOFT_HAS_IMM | SOFT_HAS_REMOTE;
	if (request[0] == SOFT_OP_READ)
		request[1] = SOFT_HAS_REMOTE;
	memset(request + 2, 0, 2);
	blob_number_put(request + 4, psn, 4);
	blob_number_put(request + 16, world->key.key.tag, 8);
	blob_number_put(request + 32, world->key.key.index, 4);
	memset(request + 36, 0, 4);
	if ((what & MAKE_ADDRESS) != 0)
		blob_number_put(request + 24, address_near_an_end(request[24]), 8);
	if ((what & MAKE_SMALL) != 0)
		blob_number_put(request + 8, request[8] % 64u, 4);
}

/* Makes the request a pulled one; returns the bytes of its pieces, which are put behind it. */
static size_t put_pieces(uint8_t *request, unsigned int what, const uint8_t *input, size_t count)
{
	uint8_t *piece = request + SOFT_REQUEST_SIZE;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++, input += PIECE_INPUT, piece += SOFT_PIECE_SIZE) {
		uint64_t len = (what & MAKE_SMALL) != 0 ? input[2] % 16u : input[2] * UINT64_C(700);

		if (input[2] == TOO_LONG)
			len = SOFT_MAX_MESSAGE + 1;
		blob_number_put(piece, PEER_MEMORY_START + blob_number_at(input, 2), 8);
		blob_number_put(piece + 8, len, 8);
		sum += len;
	}
	request[1] |= SOFT_IS_PULLED;
	blob_number_put(request + 2, count, 2);
	if ((what & MAKE_SUM) != 0)
		blob_number_put(request + 8, sum, 4);
	return count * SOFT_PIECE_SIZE;
}

static size_t put_payload(uint8_t *request, unsigned int what)
{
	size_t len = 0;

	if ((what & MAKE_SMALL) != 0 && request[0] != SOFT_OP_READ)
		len = request[8];
	memset(request + SOFT_REQUEST_SIZE, 'w', len);
	return len;
}

/* Builds the stream from the pieces; returns its length. hangs_up: whether nothing is read then. */
static size_t build(const uint8_t *input, size_t size, uint8_t *stream, bool *hangs_up)
{
	uint32_t psn = 0;
	size_t len = 0;

	*hangs_up = false;
	while (size > SOFT_REQUEST_SIZE && len + SOFT_REQUEST_SIZE + 256 < MAX_BYTES) {
		unsigned int what = *input;
		uint8_t *request = stream + len;
		size_t count, behind;

		memcpy(request, input + 1, SOFT_REQUEST_SIZE);
		count = 1 + request[2] % MAX_PIECES;
		mend(request, what, psn++);
		input += 1 + SOFT_REQUEST_SIZE;
		size -= 1 + SOFT_REQUEST_SIZE;
		len += SOFT_REQUEST_SIZE;
		*hangs_up = (what & HANG_UP) != 0;
		if ((what & MAKE_PULLED) == 0 || count * PIECE_INPUT > size)
			count = 0;
		behind = count > 0 ? put_pieces(request, what, input, count)
				   : put_payload(request, what);
		if (*hangs_up)
			return len;
		len += behind;
		input += count * PIECE_INPUT;
		size -= count * PIECE_INPUT;
	}
	memcpy(stream + len, input, size); /* what is left, as it is */
	return len + size;
}

/* So much time goes by that who waits for a receive, or for the end, waits no more. */
static void elapse(const struct side *side)
{
	struct soft_port *port = side->rdma->provider_data;
	struct soft_responder *responder, *next;

	pthread_mutex_lock(&port->lock);
	for (responder = LIST_FIRST(&port->hot_responders); responder != NULL; responder = next) {
		next = LIST_NEXT(responder, hot_link);
		soft_responder_run_timers(responder, core_now_ns());
	}
	for (responder = LIST_FIRST(&port->hot_responders); responder != NULL; responder = next) {
		next = LIST_NEXT(responder, hot_link);
		soft_responder_run_timers(responder, core_now_ns() + LONG_NS);
	}
	pthread_mutex_unlock(&port->lock);
}

/* Sends what the socket takes at once, and goes. */
static void talk_and_go(int fd, const uint8_t *stream, size_t len)
{
	(void)!send(fd, stream, len, MSG_DONTWAIT | MSG_NOSIGNAL); /* or it is refused by now */
	close(fd);
	for (int i = 0; i < GONE_ROUNDS; i++)
		(void)doca_pe_progress(world->pe);
}

/* Sends the stream and reads what is answered, until nothing happens any more. */
static void talk(struct side *side, int fd, const uint8_t *stream, size_t len)
{
	static uint8_t answers[65536];
	size_t sent = 0;
	bool is_open = true, is_late = false;

	for (int quiet = 0; is_open && quiet < QUIET_ROUNDS;) {
		ssize_t more = send(fd, stream + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		ssize_t got = recv(fd, answers, sizeof(answers), MSG_DONTWAIT);

		sent += more > 0 ? (size_t)more : 0;
		is_open = got > 0 || (got < 0 && errno == EAGAIN);
		quiet = more > 0 || got > 0 ? 0 : quiet + 1;
		if (quiet == TIMER_ROUNDS && !is_late) {
			is_late = true; /* once, as who waits is told something each time */
			elapse(side);
		}
		if (quiet == POST_ROUNDS)
			post_receives(side);
		(void)doca_pe_progress(world->pe);
	}
	close(fd);
}

/* An initiator that has left leaves nothing. */
static void await_end(const struct side *side)
{
	struct soft_port *port = side->rdma->provider_data;
	unsigned int num_responders;

	do { /* for ever if need be, which is a finding: libFuzzer has a limit of time */
		(void)doca_pe_progress(world->pe);
		pthread_mutex_lock(&port->lock);
		num_responders = port->num_responders;
		pthread_mutex_unlock(&port->lock);
	} while (num_responders > 0);
}

/* What an input asks for. */
struct attack {
	uint8_t stream[2 * MAX_BYTES];
	size_t len;
	bool hangs_up;
	bool waits;
};

static void attack(struct side *side, const struct attack *with)
{
	struct drdma_conn_record peer;
	struct doca_rdma_connection *conn = rdma_world_export(side->rdma, PEER_ID, &peer);
	bool is_target = peer.transport == DOCA_RDMA_TRANSPORT_TYPE_DC;
	int fd;

	post_receives(side);
	if (!is_target)
		rdma_world_connect(conn, &peer);
	fd = open_lane(conn, &peer, with->waits);
	peer_memory_set_stream(with->stream, with->len);
	if (with->hangs_up)
		talk_and_go(fd, with->stream, with->len);
	else
		talk(side, fd, with->stream, with->len);
	if (is_target)
		await_end(side);
	CHECK(doca_rdma_connection_disconnect(conn) == DOCA_SUCCESS);
	while (doca_pe_progress(world->pe) != 0)
		continue;
	peer_memory_set_stream(NULL, 0);
	rdma_world_check_guards();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct attack with;

	if (size > MAX_BYTES / 2)
		return 0;
	with.len = build(input, size, with.stream, &with.hangs_up);
	with.waits = size % 2 == 1;
	attack(&sides[DOCA_RDMA_TRANSPORT_TYPE_RC], &with);
	attack(&sides[DOCA_RDMA_TRANSPORT_TYPE_DC], &with);
	(void)blob_input_take_lines();
	return 0;
}
