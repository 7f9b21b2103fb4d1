/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_RIG_H_
#define RDMA_RIG_H_

/*
 * RDMA contexts with a listener, an engine and memory of their own, in pairs that are connected.
 * The tests of a program run over each kind of sockets that the software provider has, as
 * "KIND:TEST".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "heard.h"
#include "test.h"

#define RDMA_RIG_NUM_TASKS 64 /* of each kind */
#define RDMA_RIG_NUM_BUFS  256
#define RDMA_RIG_MAX_CONNS 8

#define RDMA_RIG_RIGHTS                                                   \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

struct rdma_side {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma; /* NULL: the test has destroyed it */
	struct doca_ctx *ctx;
	struct heard heard; /* of ctx, since it was started; its owner is the side */
	char *bytes;        /* len of them, zeroed */
	size_t len;
	struct doca_mmap *mmap; /* of all of them, RDMA_RIG_RIGHTS */
	struct doca_buf_inventory *inventory;
	struct doca_buf *bufs[RDMA_RIG_NUM_BUFS]; /* made by rdma_buf(), given back by fini */
	size_t num_bufs;
	struct doca_mmap *remote; /* the other's memory, imported; NULL: it was not */
	struct doca_rdma_connection *conn;
	void *test; /* the test's own */
};

/* What tests differ in; zero means the rig's or the library's default. */
struct rdma_conf {
	size_t len;           /* of the memory; 64 KiB */
	uint32_t ctx_rights;  /* RDMA_RIG_RIGHTS */
	uint32_t mmap_rights; /* RDMA_RIG_RIGHTS */
	uint16_t max_conns;   /* 1 */
	uint32_t send_queue_size;
	uint32_t list_len;       /* of sends and receives */
	uint8_t rnr_retry_count; /* used when has_rnr */
	bool has_rnr;
	bool has_no_tasks; /* no set_conf at all */
};

struct rdma_pair {
	struct rdma_side a;
	struct rdma_side b;
};

/* A configured side; RUNNING after start. conf: NULL for all defaults. */
void rdma_side_init(struct rdma_side *side, const struct rdma_conf *conf);
void rdma_side_start(struct rdma_side *side);

/* Stops, drives to IDLE and destroys all. Tasks must be free or in flight. */
void rdma_side_fini(struct rdma_side *side);

/* Two sides that are connected, each with the other's memory imported. */
void rdma_pair_init(struct rdma_pair *pair, const struct rdma_conf *conf);
void rdma_pair_fini(struct rdma_pair *pair);

/* One connection more between them. */
void rdma_connect(struct rdma_side *a, struct rdma_side *b, struct doca_rdma_connection **a_conn,
		  struct doca_rdma_connection **b_conn);

/* Imports the memory of another side. owned: doca_mmap_destroy(). */
struct doca_mmap *rdma_import(struct rdma_side *side, const struct rdma_side *other);

/* A buf in a side's own memory, and one in that of the other. Given back by fini. */
struct doca_buf *rdma_buf(struct rdma_side *side, size_t offset, size_t len, size_t data_offset,
			  size_t data_len);
struct doca_buf *rdma_remote_buf(struct rdma_side *side, const struct rdma_side *other,
				 size_t offset, size_t len, size_t data_len);

/* Gives all of them back, before fini. */
void rdma_put_bufs(struct rdma_side *side);

/* A buf full of data, and one that is all room. */
struct doca_buf *rdma_data(struct rdma_side *side, size_t offset, size_t len);
struct doca_buf *rdma_room(struct rdma_side *side, size_t offset, size_t len);

/* Tasks with that number as user data, over the side's connection; not submitted. */
struct doca_task *rdma_receive_task(struct rdma_side *side, struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_send_task(struct rdma_side *side, const struct doca_buf *src,
				 uint64_t number);
struct doca_task *rdma_send_imm_task(struct rdma_side *side, const struct doca_buf *src,
				     doca_be32_t imm, uint64_t number);
struct doca_task *rdma_read_task(struct rdma_side *side, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_write_task(struct rdma_side *side, const struct doca_buf *src,
				  struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_write_imm_task(struct rdma_side *side, const struct doca_buf *src,
				      struct doca_buf *dst, doca_be32_t imm, uint64_t number);

/* Submits; must go well. Returns the task. */
struct doca_task *rdma_submit(struct doca_task *task);

/* Drives both engines until the side has heard so many words; fails after 10 s. */
void rdma_drive(struct rdma_pair *pair, const struct rdma_side *side, unsigned int num_words);

size_t rdma_data_len(const struct doca_buf *buf);

/* For cmocka: each test over Unix-domain sockets, the same without pulling, and TCP. */
struct rdma_test {
	const char *name;
	void (*function)(void **state);
};

#define RDMA_TEST(function)         \
	{                           \
#function, function \
	}

/* Is this test's kind TCP? */
bool rdma_is_over_tcp(void);

/* What main() returns. */
int rdma_run(const struct rdma_test *tests, size_t num_tests);

#endif /* RDMA_RIG_H_ */
