/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_SIDE_H_
#define RDMA_SIDE_H_

/* One side of an RDMA benchmark: a context with memory that the other side may reach. */

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#define SIDE_MAX_TASKS 8
#define SIDE_BYTES     ((size_t)16 * 1024 * 1024)

enum side_task {
	SIDE_WRITE,
	SIDE_READ,
	SIDE_SEND,
	SIDE_RECEIVE,
	SIDE_NUM_KINDS,
};

struct side {
	char *bytes; /* SIDE_BYTES, written once */
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_mmap *remote; /* of the other side's bytes */
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_rdma_connection *conn;
	struct doca_task *tasks[SIDE_NUM_KINDS][SIDE_MAX_TASKS];
	struct doca_buf *local[SIDE_NUM_KINDS][SIDE_MAX_TASKS]; /* of the task; NULL: none */
	struct doca_buf *far[SIDE_NUM_KINDS][SIDE_MAX_TASKS];
	uint64_t num_done[SIDE_NUM_KINDS];
	int epoll_fd; /* with the engine's handle */
};

/* Opens a side and connects it over a socket, by which both exchange their descriptors. */
void side_open(struct side *side, int socket);

/* Makes the tasks of a kind, each of so many bytes of its own. */
void side_add_tasks(struct side *side, enum side_task kind, size_t bytes);

/* Frees the tasks and all else. */
void side_close(struct side *side);

/* Submits a task of a kind; what it fills is emptied before. */
void side_submit(struct side *side, enum side_task kind, unsigned int index);

/* Sleeps until the engine has something, and does all of it. */
void side_sleep(struct side *side);

#endif /* RDMA_SIDE_H_ */
