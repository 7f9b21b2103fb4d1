/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/buf.h"
#include "core/mmap.h"

void core_buf_store_add(struct core_buf_store *store, struct doca_buf *buf)
{
	buf->store = store;
	buf->next = store->free;
	store->free = buf;
	store->num_elements++;
	store->num_free++;
}

struct doca_buf *core_buf_take(struct core_buf_store *store, struct doca_mmap *mmap)
{
	struct doca_buf *buf = store->free;

	if (buf == NULL)
		return NULL;
	store->free = buf->next;
	store->num_free--;
	buf->mmap = mmap;
	buf->next = NULL;
	buf->tail = buf;
	buf->refcount = 1;
	buf->is_first = true;
	buf->is_counted = !mmap->is_thread_safe;
	if (buf->is_counted)
		core_mmap_buf_added(mmap);
	return buf;
}

void core_buf_init_own(struct doca_buf *buf, struct core_buf_store *store, void *addr, size_t len)
{
	*store = (struct core_buf_store){ .num_elements = 1 };
	*buf = (struct doca_buf){
		.head = addr,
		.len = len,
		.data = addr,
		.data_len = len,
		.tail = buf,
		.store = store,
		.refcount = 1,
		.is_first = true,
	};
}

void core_buf_release(struct doca_buf *buf)
{
	struct core_buf_store *store = buf->store;

	if (buf->is_counted)
		core_mmap_buf_removed(buf->mmap);
	buf->refcount = 0;
	buf->is_first = false; /* of no list: next means something else from here on */
	buf->next = store->free;
	store->free = buf;
	store->num_free++;
}

void core_buf_set_window(struct doca_buf *buf, void *addr, size_t len, void *data, size_t data_len)
{
	buf->head = addr;
	buf->len = len;
	buf->data = data;
	buf->data_len = data_len;
}
