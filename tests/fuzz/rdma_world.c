/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_world.h"

#include <string.h>

#include <doca_buf_inventory.h>
#include <doca_mmap.h>

#include "peer_memory.h"

#define NUM_BUFS 64

#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

static char all[RDMA_WORLD_GUARD_BYTES + RDMA_WORLD_BYTES + RDMA_WORLD_GUARD_BYTES];
static struct rdma_world sole = { .bytes = all + RDMA_WORLD_GUARD_BYTES };

static void create_memory(void)
{
	memset(all, 'g', sizeof(all));
	CHECK(doca_mmap_create(&sole.mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_set_memrange(sole.mmap, sole.bytes, RDMA_WORLD_BYTES) == DOCA_SUCCESS);
	CHECK(doca_mmap_set_permissions(sole.mmap, RIGHTS) == DOCA_SUCCESS);
	CHECK(doca_mmap_add_dev(sole.mmap, sole.dev) == DOCA_SUCCESS);
	CHECK(doca_mmap_start(sole.mmap) == DOCA_SUCCESS);
	CHECK(doca_mmap_export_rdma(sole.mmap, sole.dev, &sole.blob, &sole.blob_len) ==
	      DOCA_SUCCESS);
	CHECK(core_mmap_blob_decode(sole.blob, sole.blob_len, &sole.key) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_create(NUM_BUFS, &sole.inventory) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_start(sole.inventory) == DOCA_SUCCESS);
}

struct rdma_world *rdma_world_create(void)
{
	CHECK(setenv("DOCA_RDMA_SOCKETS", "unix", 1) == 0);
	CHECK(setenv("DOCA_RDMA_SOCKET_BUFFER", "65536", 1) == 0);
	sole.dev = blob_input_open();
	create_memory();
	CHECK(doca_pe_create(&sole.pe) == DOCA_SUCCESS);
	return &sole;
}

struct doca_rdma *rdma_world_add(const struct rdma_world *world,
				 enum doca_rdma_transport_type transport)
{
	struct doca_rdma *rdma;

	CHECK(doca_rdma_create(world->dev, &rdma) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_transport_type(rdma, transport) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_permissions(rdma, RIGHTS) == DOCA_SUCCESS);
	CHECK(doca_rdma_set_max_num_connections(rdma, RDMA_WORLD_MAX_CONNS) == DOCA_SUCCESS);
	return rdma;
}

void rdma_world_start(const struct rdma_world *world, struct doca_rdma *rdma)
{
	struct doca_ctx *ctx = doca_rdma_as_ctx(rdma);

	CHECK(doca_pe_connect_ctx(world->pe, ctx) == DOCA_SUCCESS);
	CHECK(doca_ctx_start(ctx) == DOCA_SUCCESS);
}

void rdma_world_check_guards(void)
{
	for (size_t i = 0; i < RDMA_WORLD_GUARD_BYTES; i++) {
		CHECK(all[i] == 'g');
		CHECK(sole.bytes[RDMA_WORLD_BYTES + i] == 'g');
	}
}

struct doca_rdma_connection *rdma_world_export(struct doca_rdma *rdma, uint32_t peer_id,
					       struct drdma_conn_record *peer)
{
	struct doca_rdma_connection *conn;
	const void *blob;
	size_t len;

	CHECK(doca_rdma_export(rdma, &blob, &len, &conn) == DOCA_SUCCESS);
	*peer = conn->record;
	peer->conn_id = peer_id;
	peer->port = 0;
	memset(peer->host, 0, sizeof(peer->host));
	memcpy(peer->secret, peer_memory_secret, sizeof(peer->secret));
	return conn;
}

void rdma_world_connect(struct doca_rdma_connection *conn, const struct drdma_conn_record *peer)
{
	uint8_t *blob;

	CHECK(drdma_record_encode(peer, &blob) == DOCA_SUCCESS);
	CHECK(doca_rdma_connect(conn->rdma, blob, drdma_record_size(), conn) == DOCA_SUCCESS);
	free(blob);
}

void rdma_world_hello(const struct doca_rdma_connection *conn, const struct drdma_conn_record *peer,
		      uint8_t bytes[SOFT_HELLO_SIZE])
{
	struct soft_hello hello = {
		.transport = conn->record.transport,
		.from_id = peer->conn_id,
		.to_id = conn->record.conn_id,
		.secret_addr = PEER_MEMORY_SECRET_AT,
	};

	memcpy(hello.from_instance, peer->instance, sizeof(hello.from_instance));
	memcpy(hello.to_instance, conn->record.instance, sizeof(hello.to_instance));
	memcpy(hello.from_secret, peer->secret, sizeof(hello.from_secret));
	memcpy(hello.to_secret, conn->record.secret, sizeof(hello.to_secret));
	soft_hello_encode(&hello, bytes);
}

int rdma_world_dial(const struct doca_rdma_connection *conn)
{
	int fd = soft_dial(conn->rdma->provider_data, &conn->record, 0);

	CHECK(fd >= 0);
	return fd;
}

struct doca_buf *rdma_world_buf(const struct rdma_world *world, struct doca_mmap *mmap,
				size_t offset, size_t len, size_t data_len)
{
	char *at = world->bytes + offset;
	struct doca_buf *buf;

	CHECK(doca_buf_inventory_buf_get_by_args(world->inventory, mmap, at, len, at, data_len,
						 &buf) == DOCA_SUCCESS);
	return buf;
}
