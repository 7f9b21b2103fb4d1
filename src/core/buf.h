/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_BUF_H_
#define CORE_BUF_H_

/*
 * Buffers: a window [head, head + len] in a mmap with a data section [data, data + data_len] in
 * it, alone or chained to a list. buf.c has the window, buf_list.c the lists, buf_inventory.c
 * where they come from. One thread's at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>

#include "core/export.h"

struct doca_buf_inventory;
struct doca_mmap;

struct doca_buf {
	char *head;
	size_t len; /* bytes */
	char *data;
	size_t data_len; /* bytes */
	struct doca_mmap *mmap;
	struct doca_buf *next; /* in the list, or in the inventory's free list */
	struct doca_buf *tail; /* of the list; right only in its first element */
	struct doca_buf_inventory *inventory;
	uint16_t refcount; /* of the list; an element that is not the first has 1, a free one 0 */
	bool is_first;
	bool is_counted; /* by its mmap; if not, the mmap may be gone before it */
};

/* Gives the element back to its inventory, and its mmap one buf less. */
void core_buf_release(struct doca_buf *buf);

/* The bytes between the end of the data section and the end of the buffer. */
static inline size_t core_buf_room(const struct doca_buf *buf)
{
	return buf->len - (size_t)(buf->data - buf->head) - buf->data_len;
}

#endif /* CORE_BUF_H_ */
