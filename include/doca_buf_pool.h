/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool cuts the range of one mmap into buffers of one size and hands them out. Life: create, set
 * the alignment, start, get buffers, stop after all came back, destroy. Where an inventory lets the
 * caller choose a range for each buffer, a pool chooses an element that nobody else has.
 */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_buf;
struct doca_buf_pool;

/*
 * doca_buf_pool_create() - a pool of num_elements buffers of element_size bytes each, stopped.
 * num_elements: entries, 1 to UINT32_MAX. mmap: borrowed, has a range, must outlive the pool; it
 * need not be started yet. buf_pool: owned, free with doca_buf_pool_destroy().
 * Errors: INVALID_VALUE: a NULL argument, num_elements out of range, element_size 0, mmap without a
 * range. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API; upper bound ours.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);

/*
 * doca_buf_pool_destroy() - stop it if need be and free it; the memory stays the application's.
 * Errors: INVALID_VALUE: buf_pool NULL. IN_USE: a buffer has not come back.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/*
 * doca_buf_pool_start() - cut the range and hand buffers out from now on; setters are refused.
 * Errors: INVALID_VALUE: buf_pool NULL. BAD_STATE: started already, or mmap neither started nor
 * imported. INITIALIZATION: the range is too small for all elements, with what the alignment costs.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; started and imported ours.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);

/*
 * doca_buf_pool_stop() - hand none out any more and allow changes; not needed before destroy.
 * Already stopped: SUCCESS.
 * Errors: INVALID_VALUE: buf_pool NULL. IN_USE: a buffer has not come back, it stays started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; stopped already ours.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/*
 * doca_buf_pool_buf_alloc() - a lone buffer over an element that is free; data = head, data_len 0.
 * What its memory holds is not changed. buf: owned, one reference, free with
 * doca_buf_dec_refcount(), which gives the element back.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: the pool or its mmap is not started. EMPTY:
 * all elements are out.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; mmap check ours.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

/*
 * doca_buf_pool_set_user_data() - keep a value of the application's with the pool.
 * user_data: copied.
 * Errors: INVALID_VALUE: buf_pool NULL. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);

/*
 * doca_buf_pool_set_element_alignment() - every element begins at a multiple of it; 1 at first.
 * element_alignment: bytes, a power of two. It holds for the address, wherever the range begins.
 * Errors: INVALID_VALUE: buf_pool NULL, element_alignment not a power of two. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment);

/*
 * doca_buf_pool_get_num_elements() - buffers in all, handed out or not.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements);

/*
 * doca_buf_pool_get_num_free_elements() - buffers that are not out; all of them while stopped.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
						 uint32_t *num_of_free_elements);

/*
 * doca_buf_pool_get_user_data() - the value set last, 0 when there was none.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data);

/*
 * doca_buf_pool_get_element_alignment() - what every element's address is a multiple of, in bytes.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
						 size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_BUF_POOL_H_ */
