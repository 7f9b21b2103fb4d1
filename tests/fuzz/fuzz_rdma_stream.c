/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A peer that has the secrets of a connection, and then sends what it likes: requests on its own
 * lane, and responses on ours. An input is a list of pieces, each with a byte that says what is
 * done to it, so that requests come through whose numbers and keys are right. Around the memory
 * that may be written lie bytes that must never change.
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
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_mmap *mmap;
	struct core_mmap_record key;
	char bytes[GUARD_BYTES + TARGET_BYTES + GUARD_BYTES];
	unsigned int num_receives; /* in flight */
} target;

static void on_receive(struct doca_rdma_task_receive *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	target.num_receives--;
	doca_task_free(doca_rdma_task_receive_as_task(task));
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
	CHECK(doca_rdma_create(target.dev, &target.rdma) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_permissions(target.rdma, RIGHTS) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_receive_set_conf(target.rdma, on_receive, on_receive, NUM_RECEIVES) ==
	      DOCA_SUCCESS);
	target.ctx = doca_rdma_as_ctx(target.rdma);
	CHECK(doca_pe_connect_ctx(target.pe, target.ctx) == DOCA_SUCCESS);
	CHECK(doca_ctx_start(target.ctx) == DOCA_SUCCESS);
	return 0;
}

static void post_receives(void)
{
	while (target.num_receives < NUM_RECEIVES) {
		struct doca_rdma_task_receive *task;

		CHECK(doca_rdma_task_receive_allocate_init(
			  target.rdma, NULL, (union doca_data){ .u64 = 0 }, &task) == DOCA_SUCCESS);
		CHECK(doca_task_submit(doca_rdma_task_receive_as_task(task)) == DOCA_SUCCESS);
		target.num_receives++;
	}
}

/* A connection whose peer is this fuzzer; nothing listens at its address. */
static struct doca_rdma_connection *make_conn(struct drdma_conn_record *peer)
{
	struct doca_rdma_connection *conn;
	const void *blob;
	uint8_t *own;
	size_t len;

	CHECK(doca_rdma_export(target.rdma, &blob, &len, &conn) == DOCA_SUCCESS);
	*peer = conn->record;
	peer->conn_id = 1;
	peer->port = 0;
	memset(peer->host, 0, sizeof(peer->host));
	memset(peer->secret, 's', sizeof(peer->secret));
	CHECK(drdma_record_encode(peer, &own) == DOCA_SUCCESS);
	CHECK(doca_rdma_connect(target.rdma, own, len, conn) == DOCA_SUCCESS);
	free(own);
	return conn;
}

static int open_lane(const struct doca_rdma_connection *conn, const struct drdma_conn_record *peer)
{
	struct soft_hello hello = {
		.rnr_retry_count = 0,
		.from_id = peer->conn_id,
		.to_id = conn->record.conn_id,
	};
	uint8_t bytes[SOFT_HELLO_SIZE], welcome[SOFT_WELCOME_SIZE];
	int fd = soft_dial(target.rdma->provider_data, &conn->record, 0);
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

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static uint8_t stream[2 * MAX_BYTES], answers[4096];
	struct doca_rdma_connection *conn;
	struct drdma_conn_record peer;
	size_t len, sent = 0;
	bool is_open = true;
	int fd;

	if (size > MAX_BYTES / 2)
		return 0;
	check_answers(input, size);
	post_receives();
	conn = make_conn(&peer);
	fd = open_lane(conn, &peer);
	len = build(input, size, stream);
	for (int quiet = 0; is_open && quiet < 20;) {
		ssize_t more = send(fd, stream + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		ssize_t got = recv(fd, answers, sizeof(answers), MSG_DONTWAIT);

		sent += more > 0 ? (size_t)more : 0;
		is_open = got > 0 || (got < 0 && errno == EAGAIN);
		quiet = more > 0 || got > 0 ? 0 : quiet + 1;
		(void)doca_pe_progress(target.pe);
	}
	close(fd);
	CHECK(doca_rdma_connection_disconnect(conn) == DOCA_SUCCESS);
	while (doca_pe_progress(target.pe) != 0)
		continue;
	check_guards();
	(void)blob_input_take_lines();
	return 0;
}
