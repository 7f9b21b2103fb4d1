/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_BUF_H_
#define CORE_BUF_H_

/*
 * Buffers: a window [head, head + len] in a mmap with a data section [data, data + data_len] in
 * it, alone or chained to a list. buf.c has the window, buf_list.c the lists, buf_store.c where
 * free ones wait, buf_inventory.c and buf_pool.c who hands them out. One thread's at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>

#include "core/export.h"

struct doca_buf;
struct doca_mmap;

/* Where free bufs wait; in an inventory or a pool. Zeroed memory is an empty one. */
struct core_buf_store {
	struct doca_buf *free; /* by next, the latest first: it may still be in the cache */
	uint32_t num_elements;
	uint32_t num_free;
};

struct doca_buf {
	char *head;
	size_t len; /* bytes */
	char *data;
	size_t data_len;        /* bytes */
	struct doca_mmap *mmap; /* NULL: it belongs to a task */
	struct doca_buf *next;  /* in the list, or among the free ones of its store */
	struct doca_buf *tail;  /* of the list; right only in its first element */
	struct core_buf_store *store;
	uint16_t refcount; /* of the list; an element that is not the first has 1, a free one 0 */
	bool is_first;
	bool is_counted; /* by its mmap; if not, the mmap may be gone before it */
};

/* Makes zeroed memory a free buf of the store. */
void core_buf_store_add(struct core_buf_store *store, struct doca_buf *buf);

/* Takes a free buf, with one reference, for a mmap; NULL: there is none. */
struct doca_buf *core_buf_take(struct core_buf_store *store, struct doca_mmap *mmap);

/*
 * Makes a buf that belongs to a task of one with one reference over all of its memory: its data is
 * all of it. Again for each user of the task, whatever the last one has done to it. store: of this
 * buf alone.
 */
CORE_EXPORT void core_buf_init_own(struct doca_buf *buf, struct core_buf_store *store, void *addr,
				   size_t len);

/* Gives the buf back to its store, and its mmap one buf less. */
void core_buf_release(struct doca_buf *buf);

/* Sets the window and the data section, which the caller has checked. */
void core_buf_set_window(struct doca_buf *buf, void *addr, size_t len, void *data, size_t data_len);

/* The bytes between the end of the data section and the end of the buffer. */
static inline size_t core_buf_room(const struct doca_buf *buf)
{
	return buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
}

#endif /* CORE_BUF_H_ */
