/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DMA_RIG_H_
#define DMA_RIG_H_

/* A running DMA context with a listener, its engine, and memory to copy in. */

#include <stddef.h>
#include <stdint.h>

#include <doca_dma.h>

#include "fixture.h"
#include "heard.h"

struct dma_rig {
	struct fixture_memory memory;
	struct doca_pe *pe;
	struct doca_dma *dma; /* NULL: the test has destroyed it */
	struct doca_ctx *ctx;
	struct heard heard; /* of ctx, since it was started; its owner is the rig */
	void *test;         /* for reactions */
};

/* A rig that is RUNNING, with len bytes, num_bufs descriptors and num_tasks tasks. */
void dma_rig_init(struct dma_rig *rig, size_t len, size_t num_bufs, uint32_t num_tasks);

/* The same without doca_ctx_start(): configured, with an engine, IDLE. */
void dma_rig_init_idle(struct dma_rig *rig, size_t len, size_t num_bufs, uint32_t num_tasks);

/* Stops the context, drives it to IDLE and destroys all. Tasks must be free or in flight. */
void dma_rig_fini(struct dma_rig *rig);

/* A task with that number as user data. owned: the test or the reaction to its end frees it. */
struct doca_task *dma_rig_task(struct dma_rig *rig, const struct doca_buf *src,
			       struct doca_buf *dst, uint64_t number);

/* The same, submitted. */
struct doca_task *dma_rig_submit(struct dma_rig *rig, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number);

/* The task as its kind knows it. */
struct doca_dma_task_memcpy *dma_rig_memcpy(struct doca_task *task);

/* Drives the engine until it delivers something and returns the calls; fails after 10 s. */
unsigned int dma_rig_deliver(struct dma_rig *rig);

/* Copies now: submits a task, drives the engine to its end, and takes no failure. */
void dma_rig_copy(struct dma_rig *rig, const struct doca_buf *src, struct doca_buf *dst);

/* The data length of one element. */
size_t dma_rig_data_len(const struct doca_buf *buf);

#endif /* DMA_RIG_H_ */
