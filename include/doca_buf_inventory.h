/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An inventory is a store of buffer descriptors, made up front so that getting one allocates
 * nothing. Life: create, start, get buffers, stop, destroy after all buffers came back. It hands
 * out only while started and takes back always. Descriptors never move, not even when it grows.
 */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;
struct doca_buf_inventory;

/*
 * doca_buf_inventory_create() - an inventory of num_elements buffers, stopped.
 * num_elements: entries, 1 to UINT32_MAX. inventory: owned, free with
 * doca_buf_inventory_destroy().
 * Errors: INVALID_VALUE: inventory NULL, num_elements out of range. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);

/*
 * doca_buf_inventory_destroy() - free it, stopped or not.
 * Errors: INVALID_VALUE: inventory NULL. IN_USE: a buffer has not come back.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/*
 * doca_buf_inventory_start() - hand buffers out from now on.
 * Errors: INVALID_VALUE: inventory NULL. BAD_STATE: started already.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);

/*
 * doca_buf_inventory_stop() - hand none out any more; not needed before destroy.
 * Buffers that are out stay good. Already stopped: SUCCESS.
 * Errors: INVALID_VALUE: inventory NULL.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/*
 * doca_buf_inventory_buf_get_by_args() - a lone buffer over [addr, addr + len) of mmap.
 * mmap: borrowed, started or imported, must outlive buf. len, data_len: bytes. data: in the buffer,
 * its end included. buf: owned, one reference, free with doca_buf_dec_refcount().
 * Errors: INVALID_VALUE: a NULL argument, a range outside mmap, data outside the buffer. BAD_STATE:
 * inventory or mmap not started. NO_MEMORY: no buffer left.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE, data check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf);

/*
 * doca_buf_inventory_buf_reuse_by_args() - point a buffer elsewhere in its own mmap.
 * buf: a lone buffer; its references stay. len, data_len: bytes.
 * Errors: INVALID_VALUE: a NULL argument, a range outside its mmap, data outside the buffer.
 * BAD_STATE: buf was given back. NOT_PERMITTED: buf is in a list.
 * Thread: any, one at a time for an object. Source: DOCA 3.3 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
						  void *data, size_t data_len);

/*
 * doca_buf_inventory_buf_reuse_by_addr() - the same, without data: data = addr, data_len = 0.
 * buf: a lone buffer; its references stay. len: bytes.
 * Errors: those of doca_buf_inventory_buf_reuse_by_args().
 * Thread: any, one at a time for an object. Source: DOCA 3.3 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len);

/*
 * doca_buf_inventory_buf_reuse_by_data() - the same, full of data: addr = data, len = data_len.
 * buf: a lone buffer; its references stay. data_len: bytes.
 * Errors: those of doca_buf_inventory_buf_reuse_by_args().
 * Thread: any, one at a time for an object. Source: DOCA 3.3 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data,
						  size_t data_len);

/*
 * doca_buf_inventory_buf_get_by_addr() - a buffer without data, all of it room for a destination.
 * Ownership and len as for doca_buf_inventory_buf_get_by_args().
 * Errors: those of doca_buf_inventory_buf_get_by_args().
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
							      struct doca_mmap *mmap, void *addr,
							      size_t len, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/*
 * doca_buf_inventory_buf_get_by_data() - a buffer that is all data, a source; no room to append.
 * Ownership and data_len as for doca_buf_inventory_buf_get_by_args().
 * Errors: those of doca_buf_inventory_buf_get_by_args().
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
							      struct doca_mmap *mmap, void *data,
							      size_t data_len,
							      struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len,
						  buf);
}

/*
 * doca_buf_inventory_buf_dup() - new descriptors for the same memory, for all of src_buf's list.
 * src_buf: a head or lone buffer. dst_buf: owned, one reference, free with doca_buf_dec_refcount().
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: the inventory or an mmap of src_buf is not
 * started. NOT_PERMITTED: src_buf is not a head. NO_MEMORY: too few buffers left, none is taken.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/*
 * doca_buf_inventory_set_user_data() - keep a value of the application's with the inventory.
 * user_data: copied.
 * Errors: INVALID_VALUE: inventory NULL. BAD_STATE: not started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data);

/*
 * doca_buf_inventory_get_num_elements() - buffers in all, handed out or not.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_of_elements);

/*
 * doca_buf_inventory_get_num_free_elements() - buffers that can still be handed out.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements);

/*
 * doca_buf_inventory_get_user_data() - the value set last, 0 when there was none.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data);

/*
 * doca_buf_inventory_expand() - num_elements more; those that exist stay where they are.
 * num_elements: entries, at least 1, at most UINT32_MAX in all.
 * Errors: INVALID_VALUE: inventory NULL, num_elements out of range. BAD_STATE: not started.
 * NO_MEMORY: no memory, nothing has changed.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NO_MEMORY ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_INVENTORY_H_ */
