/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_WORLD_H_
#define RDMA_WORLD_H_

/*
 * What the fuzz targets for lanes share: contexts whose peers are the fuzzer, and memory with bytes
 * around it that must never change. All of it goes over Unix-domain sockets.
 */

#include <stddef.h>
#include <stdint.h>

#include "blob_input.h"
#include "core/mmap.h"
#include "rdma/providers/software/soft.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define RDMA_WORLD_GUARD_BYTES ((size_t)4096)
#define RDMA_WORLD_BYTES       ((size_t)512 * 1024)
#define RDMA_WORLD_MAX_CONNS   4

struct rdma_world {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_mmap *mmap; /* of bytes */
	struct doca_buf_inventory *inventory;
	const void *blob; /* the exported mmap */
	size_t blob_len;
	struct core_mmap_record key; /* what that says */
	char *bytes;                 /* RDMA_WORLD_BYTES, that anybody may do anything to */
};

/* Makes all of it. A process has one world. */
struct rdma_world *rdma_world_create(void);

/* A context of it, IDLE, and what makes it RUNNING. */
struct doca_rdma *rdma_world_add(const struct rdma_world *world,
				 enum doca_rdma_transport_type transport);
void rdma_world_start(const struct rdma_world *world, struct doca_rdma *rdma);

/* A finding, when a byte around the memory has changed. */
void rdma_world_check_guards(void);

/* A connection, and the record of a peer that has that id and listens nowhere. */
struct doca_rdma_connection *rdma_world_export(struct doca_rdma *rdma, uint32_t peer_id,
					       struct drdma_conn_record *peer);
void rdma_world_connect(struct doca_rdma_connection *conn, const struct drdma_conn_record *peer);

/* The right hello of that peer. Its secret can be read where it says (peer_memory.h). */
void rdma_world_hello(const struct doca_rdma_connection *conn, const struct drdma_conn_record *peer,
		      uint8_t hello[SOFT_HELLO_SIZE]);

/* Dials its context, which does not know that yet. Returns the descriptor. */
int rdma_world_dial(const struct doca_rdma_connection *conn);

/* A buf in bytes, with that data section; a remote one when the mmap is an imported one. */
struct doca_buf *rdma_world_buf(const struct rdma_world *world, struct doca_mmap *mmap,
				size_t offset, size_t len, size_t data_len);

#endif /* RDMA_WORLD_H_ */
