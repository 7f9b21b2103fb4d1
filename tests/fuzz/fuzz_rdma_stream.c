/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A peer that has the secrets of a connection, and then sends what it likes: requests on its own
 * lane, and responses on ours; and the same as an initiator of DC, of which nothing may be left. An
 * input is a list of pieces, each with a byte that says what is done to it, so that requests come
 * through whose numbers and keys are right. Around the memory that may be written lie bytes that
 * must never change.
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_mmap.h>

#include "blob_input.h"
#include "core/mmap.h"
#include "rdma/providers/software/soft.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define GUARD_BYTES  4096
#define TARGET_BYTES 8192
#define NUM_RECEIVES 4
#define MAX_BYTES    65536
#define MAX_CALLS    100000 /* until what has ended is noticed */

/* What the first byte of a piece asks for. */
#define MAKE_REQUEST 1 /* number, key and reserved bytes as they must be */
#define MAKE_ADDRESS 2 /* and an address in the memory */
#define MAKE_SMALL   4 /* and a length that fits */

#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

static struct {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_mmap *mmap;
	struct core_mmap_record key;
	char bytes[GUARD_BYTES + TARGET_BYTES + GUARD_BYTES];
} target;

/* A context of each transport. */
static struct side {
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	unsigned int num_receives; /* in flight */
} sides[DOCA_RDMA_TRANSPORT_TYPE_DC + 1];

static void on_receive(struct doca_rdma_task_receive *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	struct side *side = ctx_user_data.ptr;

	(void)task_user_data;
	side->num_receives--;
	doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void side_open(struct side *side, enum doca_rdma_transport_type transport)
{
	CHECK(doca_rdma_create(target.dev, &side->rdma) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_transport_type(side->rdma, transport) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_permissions(side->rdma, RIGHTS) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_receive_set_conf(side->rdma, on_receive, on_receive, NUM_RECEIVES) ==
	      DOCA_SUCCESS);
	side->ctx = doca_rdma_as_ctx(side->rdma);
	CHECK(doca_ctx_set_user_data(side->ctx, (union doca_data){ .ptr = side }) == DOCA_SUCCESS);
	CHECK(doca_pe_connect_ctx(target.pe, side->ctx) == DOCA_SUCCESS);
	CHECK(doca_ctx_start(side->ctx) == DOCA_SUCCESS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const void *blob;
	size_t len;

	(void)argc;
	(void)argv;
	CHECK(setenv("DOCA_RDMA_SOCKETS", "unix", 1) == 0);
	target.dev = blob_input_open();
	memset(target.bytes, 'g', sizeof(target.bytes));
	CHECK(doca_mmap_create(&target.mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_set_memrange(target.mmap, target.bytes + GUARD_BYTES, TARGET_BYTES) ==
	      DOCA_SUCCESS);
	CHECK(doca_mmap_set_permissions(target.mmap, RIGHTS) == DOCA_SUCCESS);
	CHECK(doca_mmap_add_dev(target.mmap, target.dev) == DOCA_SUCCESS);
	CHECK(doca_mmap_start(target.mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_export_rdma(target.mmap, target.dev, &blob, &len) == DOCA_SUCCESS);
	CHECK(core_mmap_blob_decode(blob, len, &target.key) == DOCA_SUCCESS);
	CHECK(doca_pe_create(&target.pe) == DOCA_SUCCESS);
	side_open(&sides[DOCA_RDMA_TRANSPORT_TYPE_RC], DOCA_RDMA_TRANSPORT_TYPE_RC);
	side_open(&sides[DOCA_RDMA_TRANSPORT_TYPE_DC], DOCA_RDMA_TRANSPORT_TYPE_DC);
	return 0;
}

static void post_receives(struct side *side)
{
	while (side->num_receives < NUM_RECEIVES) {
		struct doca_rdma_task_receive *task;

		CHECK(doca_rdma_task_receive_allocate_init(
			  side->rdma, NULL, (union doca_data){ .u64 = 0 }, &task) == DOCA_SUCCESS);
		CHECK(doca_task_submit(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS);
		side->num_receives++;
	}
}

/* A connection whose peer is this fuzzer; nothing listens at its address. DC: a target. */
static struct doca_rdma_connection *make_conn(struct side *side, struct drdma_conn_record *peer)
{
	struct doca_rdma_connection *conn;
	const void *blob;
	uint8_t *own;
	size_t len;

	CHECK(doca_rdma_export(side->rdma, &blob, &len, &conn) == DOCA_SUCCESS);
	*peer = conn->record;
	peer->conn_id = 1;
	peer->port = 0;
	memset(peer->host, 0, sizeof(peer->host));
	memset(peer->secret, 's', sizeof(peer->secret));
	if (peer->transport == DOCA_RDMA_TRANSPORT_TYPE_DC)
		return conn;
	CHECK(drdma_record_encode(peer, &own) == DOCA_SUCCESS);
	CHECK(doca_rdma_connect(conn->rdma, own, len, conn) == DOCA_SUCCESS);
	free(own);
	return conn;
}

static int open_lane(const struct doca_rdma_connection *conn, const struct drdma_conn_record *peer)
{
	struct soft_hello hello = {
		.transport = conn->record.transport,
		.rnr_retry_count = 0,
		.from_id = peer->conn_id,
		.to_id = conn->record.conn_id,
	};
	uint8_t bytes[SOFT_HELLO_SIZE], welcome[SOFT_WELCOME_SIZE];
	int fd = soft_dial(conn->rdma->provider_data, &conn->record, 0);
	size_t got = 0;

	CHECK(fd >= 0);
	memcpy(hello.from_instance, peer->instance, sizeof(hello.from_instance));
	memcpy(hello.to_instance, conn->record.instance, sizeof(hello.to_instance));
	memcpy(hello.from_secret, peer->secret, sizeof(hello.from_secret));
	memcpy(hello.to_secret, conn->record.secret, sizeof(hello.to_secret));
	soft_hello_encode(&hello, bytes);
	CHECK(send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == (ssize_t)sizeof(bytes));
	while (got < sizeof(welcome)) {
		ssize_t more = recv(fd, welcome + got, sizeof(welcome) - got, MSG_DONTWAIT);

		CHECK(more != 0 && (more > 0 || errno == EAGAIN));
		(void)doca_pe_progress(target.pe);
		got += more > 0 ? (size_t)more : 0;
	}
	CHECK(welcome[6] == 1);
	return fd;
}

/* Makes a piece what its first byte asks for. */
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
	blob_number_put(request + 16, target.key.key.tag, 8);
	blob_number_put(request + 32, target.key.key.index, 4);
	memset(request + 36, 0, 4);
	if ((what & MAKE_ADDRESS) != 0)
		blob_number_put(request + 24, target.key.addr + request[24] * 32u, 8);
	if ((what & MAKE_SMALL) != 0)
		blob_number_put(request + 8, request[8] % 64u, 4);
}

/* Builds the stream from the pieces; returns its length. */
static size_t build(const uint8_t *input, size_t size, uint8_t *stream)
{
	uint32_t psn = 0;
	size_t len = 0;

	while (size > SOFT_REQUEST_SIZE && len + SOFT_REQUEST_SIZE + 256 < MAX_BYTES) {
		unsigned int what = *input;
		size_t payload = 0;

		memcpy(stream + len, input + 1, SOFT_REQUEST_SIZE);
		mend(stream + len, what, psn++);
		if ((what & MAKE_SMALL) != 0 && stream[len] != SOFT_OP_READ)
			payload = stream[len + 8];
		memset(stream + len + SOFT_REQUEST_SIZE, 'w', payload);
		len += SOFT_REQUEST_SIZE + payload;
		input += 1 + SOFT_REQUEST_SIZE;
		size -= 1 + SOFT_REQUEST_SIZE;
	}
	memcpy(stream + len, input, size); /* what is left, as it is */
	return len + size;
}

static void check_guards(void)
{
	for (size_t i = 0; i < GUARD_BYTES; i++) {
		CHECK(target.bytes[i] == 'g');
		CHECK(target.bytes[GUARD_BYTES + TARGET_BYTES + i] == 'g');
	}
}

/* What the other side answers has a form of its own; here no request of ours is under way. */
static void check_answers(const uint8_t *input, size_t size)
{
	uint8_t *response = malloc(SOFT_RESPONSE_SIZE), *welcome = malloc(SOFT_WELCOME_SIZE);
	uint8_t again[SOFT_RESPONSE_SIZE];
	struct soft_response decoded;
	struct soft_welcome greeting;

	CHECK(response != NULL && welcome != NULL);
	if (size >= SOFT_RESPONSE_SIZE) {
		memcpy(response, input, SOFT_RESPONSE_SIZE);
		memcpy(welcome, input, SOFT_WELCOME_SIZE);
		if (soft_response_decode(response, &decoded)) {
			soft_response_encode(&decoded, again);
			CHECK(memcmp(again, response, SOFT_RESPONSE_SIZE) == 0);
		}
		if (soft_welcome_decode(welcome, &greeting)) {
			soft_welcome_encode(&greeting, again);
			CHECK(memcmp(again, welcome, SOFT_WELCOME_SIZE) == 0);
		}
	}
	free(response);
	free(welcome);
}

/* A hello is read before any secret was compared. */
static void check_hello(const uint8_t *input, size_t size)
{
	uint8_t *bytes = malloc(SOFT_HELLO_SIZE);
	uint8_t again[SOFT_HELLO_SIZE];
	struct soft_hello hello;

	CHECK(bytes != NULL);
	if (size >= SOFT_HELLO_SIZE) {
		memcpy(bytes, input, SOFT_HELLO_SIZE);
		if (soft_hello_decode(bytes, &hello)) {
			CHECK(hello.transport <= DOCA_RDMA_TRANSPORT_TYPE_DC);
			soft_hello_encode(&hello, again);
			CHECK(memcmp(again, bytes, SOFT_HELLO_SIZE) == 0);
		}
	}
	free(bytes);
}

/* Sends all of it, as far as it is taken, and looks at no answer. */
static void send_stream(int fd, const uint8_t *stream, size_t len)
{
	static uint8_t answers[4096];
	bool is_open = true;
	size_t sent = 0;

	for (int quiet = 0; is_open && quiet < 20;) {
		ssize_t more = send(fd, stream + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		ssize_t got = recv(fd, answers, sizeof(answers), MSG_DONTWAIT);

		sent += more > 0 ? (size_t)more : 0;
		is_open = got > 0 || (got < 0 && errno == EAGAIN);
		quiet = more > 0 || got > 0 ? 0 : quiet + 1;
		(void)doca_pe_progress(target.pe);
	}
}

/* An initiator that has left leaves nothing. */
static void wait_for_end(const struct side *side)
{
	const struct soft_port *port = side->rdma->provider_data;

	for (int i = 0; port->num_responders > 0; i++) {
		CHECK(i < MAX_CALLS);
		(void)doca_pe_progress(target.pe);
	}
}

static void attack(struct side *side, const uint8_t *stream, size_t len)
{
	struct doca_rdma_connection *conn;
	struct drdma_conn_record peer;
	int fd;

	post_receives(side);
	conn = make_conn(side, &peer);
	fd = open_lane(conn, &peer);
	send_stream(fd, stream, len);
	close(fd);
	if (peer.transport == DOCA_RDMA_TRANSPORT_TYPE_DC)
		wait_for_end(side);
	CHECK(doca_rdma_connection_disconnect(conn) == DOCA_SUCCESS);
	while (doca_pe_progress(target.pe) != 0)
		continue;
	check_guards();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static uint8_t stream[2 * MAX_BYTES];
	size_t len;

	if (size > MAX_BYTES / 2)
		return 0;
	check_answers(input, size);
	check_hello(input, size);
	len = build(input, size, stream);
	attack(&sides[DOCA_RDMA_TRANSPORT_TYPE_RC], stream, len);
	attack(&sides[DOCA_RDMA_TRANSPORT_TYPE_DC], stream, len);
	(void)blob_input_take_lines();
	return 0;
}
