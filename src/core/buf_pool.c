/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_buf_pool.h>

#include <stdlib.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mmap.h"

/*
 * A pool cuts the range of a mmap into elements of one size, each at a multiple of the alignment.
 * Where element i lies follows from i, so an element that the application moved about comes back
 * to its place when it is handed out again.
 */

CORE_LOG_REGISTER(CORE::BUF_POOL);

struct doca_buf_pool {
	struct core_buf_store store;
	struct doca_mmap *mmap; /* borrowed */
	size_t element_size;    /* bytes */
	size_t alignment;       /* bytes, a power of two */
	char *first;            /* where element 0 lies, once started */
	size_t stride;          /* bytes from one element to the next */
	bool is_started;
	union doca_data user_data;
	struct doca_buf bufs[];
};

doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
				  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool)
{
	struct doca_buf_pool *created;

	if (mmap == NULL || buf_pool == NULL)
		return core_null_argument(__func__);
	if (num_elements == 0 || num_elements > UINT32_MAX || element_size == 0 || mmap->len == 0) {
		DOCA_LOG_ERR("a pool of %zu elements of %zu bytes in %zu bytes", num_elements,
			     element_size, mmap->len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	created = calloc(1, sizeof(*created) + num_elements * sizeof(created->bufs[0]));
	if (created == NULL) {
		DOCA_LOG_ERR("a pool of %zu elements: no memory", num_elements);
		return DOCA_ERROR_NO_MEMORY;
	}
	created->mmap = (struct doca_mmap *)(uintptr_t)mmap; /* NOLINT: it counts its bufs */
	created->element_size = element_size;
	created->alignment = 1;
	for (size_t i = num_elements; i > 0; i--)
		core_buf_store_add(&created->store, &created->bufs[i - 1]);
	*buf_pool = created;
	return DOCA_SUCCESS;
}

static doca_error_t check_all_back(const struct doca_buf_pool *pool, const char *func)
{
	if (pool->store.num_free == pool->store.num_elements)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: %u bufs of pool %p are out", func,
		     pool->store.num_elements - pool->store.num_free, (const void *)pool);
	return DOCA_ERROR_IN_USE;
}

doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool)
{
	doca_error_t result;

	if (buf_pool == NULL)
		return core_null_argument(__func__);
	result = check_all_back(buf_pool, __func__);
	if (result == DOCA_SUCCESS)
		free(buf_pool);
	return result;
}

/* Lays the elements out in the range; false when it is too small. */
static bool pool_lay_out(struct doca_buf_pool *pool)
{
	const size_t mask = pool->alignment - 1;
	const uintptr_t start = (uintptr_t)pool->mmap->addr;
	const size_t skip = (pool->alignment - (start & mask)) & mask;
	size_t stride, room;

	if (pool->element_size > SIZE_MAX - mask || skip > pool->mmap->len)
		return false;
	stride = (pool->element_size + mask) & ~mask;
	room = pool->mmap->len - skip;
	if (pool->element_size > room)
		return false;
	/* The last element needs no padding behind it. */
	if ((room - pool->element_size) / stride < pool->store.num_elements - 1)
		return false;
	pool->first = pool->mmap->addr + skip;
	pool->stride = stride;
	return true;
}

doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool)
{
	if (buf_pool == NULL)
		return core_null_argument(__func__);
	if (buf_pool->is_started || !core_mmap_is_usable(buf_pool->mmap)) {
		DOCA_LOG_ERR("pool %p is not started: %s", (void *)buf_pool,
			     buf_pool->is_started ? "it is already" : "its mmap is not");
		return DOCA_ERROR_BAD_STATE;
	}
	if (!pool_lay_out(buf_pool)) {
		DOCA_LOG_ERR(
		    "pool %p: %u elements of %zu bytes, aligned to %zu, need more than %zu",
		    (void *)buf_pool, buf_pool->store.num_elements, buf_pool->element_size,
		    buf_pool->alignment, buf_pool->mmap->len);
		return DOCA_ERROR_INITIALIZATION;
	}
	buf_pool->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool)
{
	doca_error_t result;

	if (buf_pool == NULL)
		return core_null_argument(__func__);
	result = check_all_back(buf_pool, __func__);
	if (result == DOCA_SUCCESS)
		buf_pool->is_started = false;
	return result;
}

doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf)
{
	struct doca_buf *taken;
	char *addr;

	if (buf_pool == NULL || buf == NULL)
		return core_null_argument(__func__);
	if (!buf_pool->is_started || !core_mmap_is_usable(buf_pool->mmap)) {
		DOCA_LOG_ERR("%s: pool %p or its mmap is not started", __func__, (void *)buf_pool);
		return DOCA_ERROR_BAD_STATE;
	}
	taken = core_buf_take(&buf_pool->store, buf_pool->mmap);
	if (taken == NULL) {
		DOCA_LOG_DBG("pool %p: all %u bufs are out", (void *)buf_pool,
			     buf_pool->store.num_elements);
		return DOCA_ERROR_EMPTY;
	}
	addr = buf_pool->first + (size_t)(taken - buf_pool->bufs) * buf_pool->stride;
	core_buf_set_window(taken, addr, buf_pool->element_size, addr, 0);
	*buf = taken;
	return DOCA_SUCCESS;
}

static doca_error_t check_settable(const struct doca_buf_pool *pool, const char *func)
{
	if (!pool->is_started)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: pool %p is started", func, (const void *)pool);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data)
{
	doca_error_t result;

	if (buf_pool == NULL)
		return core_null_argument(__func__);
	result = check_settable(buf_pool, __func__);
	if (result == DOCA_SUCCESS)
		buf_pool->user_data = user_data;
	return result;
}

doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
						 size_t element_alignment)
{
	doca_error_t result;

	if (buf_pool == NULL)
		return core_null_argument(__func__);
	result = check_settable(buf_pool, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (element_alignment == 0 || (element_alignment & (element_alignment - 1)) != 0) {
		DOCA_LOG_ERR("pool %p: alignment %zu is no power of two", (void *)buf_pool,
			     element_alignment);
		return DOCA_ERROR_INVALID_VALUE;
	}
	buf_pool->alignment = element_alignment;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
					    uint32_t *num_of_elements)
{
	if (buf_pool == NULL || num_of_elements == NULL)
		return core_null_argument(__func__);
	*num_of_elements = buf_pool->store.num_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
						 uint32_t *num_of_free_elements)
{
	if (buf_pool == NULL || num_of_free_elements == NULL)
		return core_null_argument(__func__);
	*num_of_free_elements = buf_pool->store.num_free;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
					 union doca_data *user_data)
{
	if (buf_pool == NULL || user_data == NULL)
		return core_null_argument(__func__);
	*user_data = buf_pool->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
						 size_t *element_alignment)
{
	if (buf_pool == NULL || element_alignment == NULL)
		return core_null_argument(__func__);
	*element_alignment = buf_pool->alignment;
	return DOCA_SUCCESS;
}
