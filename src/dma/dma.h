/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DMA_DMA_H_
#define DMA_DMA_H_

/*
 * Local memory copies as asynchronous tasks; the smallest context kind. dma.c has the object and
 * its capabilities, dma_ctx.c what the core calls, dma_task.c the task as the application sees it,
 * dma_copy.c the copying.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_dma.h>

#include "core/ctx.h"
#include "core/pool.h"
#include "core/task.h"

#define DMA_MAX_TASKS        65536
#define DMA_MAX_BUF_LIST_LEN 64
#define DMA_MAX_BUF_SIZE     (UINT64_C(2) << 30)

/* What one progress copies at most: about 20 us, so that other contexts get their turn. */
#define DMA_SLICE_BYTES ((size_t)256 * 1024)

/*
 * Where a copy over two lists stands. An element is looked at once, when its turn comes: whatever
 * becomes of the bufs in the meantime, no byte outside of them is touched.
 */
struct dma_copy {
	const struct doca_buf *src; /* the next element; NULL: there is none */
	const struct doca_buf *dst;
	const char *from; /* what is left of the element before it: have bytes */
	char *to;         /* the same for the destination: room bytes */
	size_t have;
	size_t room;
	size_t left; /* of the whole copy, bytes */
};

struct doca_dma_task_memcpy {
	struct doca_task base;
	const struct doca_buf *src; /* borrowed */
	struct doca_buf *dst;       /* borrowed */
	struct dma_copy copy;       /* from submit on */
	size_t len;                 /* bytes of the whole copy */
	bool is_begun;              /* its turn has come */
	const char *flaw;           /* why it fails; NULL: nothing is known against it */
};

struct doca_dma {
	struct doca_ctx base;
	struct doca_dev *dev; /* held */
	struct core_pool memcpy_pool;
	STAILQ_HEAD(, doca_task) submitted; /* in order; the first may be half copied */
	bool has_failed;                    /* nothing more is copied until the next start */
};

extern const struct core_ctx_ops dma_ctx_ops;

/*
 * Checks the lists of a task and puts its copy at the start.
 * flags: as of core_ctx_ops.submit: with CORE_SUBMIT_TRY a flaw of the contents is refused too.
 * Errors: INVALID_VALUE: a list is NULL, free, no list, too long, of an imported or foreign mmap.
 * BAD_STATE: a mmap is stopped. NOT_PERMITTED: the destination may not be written. All logged.
 */
doca_error_t dma_copy_prepare(const struct doca_dma *dma, struct doca_dma_task_memcpy *task,
			      uint32_t flags);

/* Copies one slice, at first a look at the lists; true: it is over, well or with a flaw. */
bool dma_copy_slice(struct doca_dma_task_memcpy *task);

/* Enters a finished copy into the data lengths of the destination. */
void dma_copy_account(struct doca_buf *dst, size_t len);

#endif /* DMA_DMA_H_ */
