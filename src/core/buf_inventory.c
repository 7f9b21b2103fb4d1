/* SPDX-License-Identifier: BSD-3-Clause */
#include <doca_buf_inventory.h>

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "core/buf.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mmap.h"

/* Elements come in blocks, one at create and one a call of expand; a block never moves. */

CORE_LOG_REGISTER(CORE::BUF_INVENTORY);

struct block {
	SLIST_ENTRY(block) link;
	struct doca_buf bufs[];
};

struct doca_buf_inventory {
	SLIST_HEAD(, block) blocks;
	struct core_buf_store store;
	bool is_started;
	union doca_data user_data;
};

static doca_error_t inventory_grow(struct doca_buf_inventory *inventory, uint32_t count)
{
	struct block *block = calloc(1, sizeof(*block) + count * sizeof(block->bufs[0]));

	if (block == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (uint32_t i = count; i > 0; i--)
		core_buf_store_add(&inventory->store, &block->bufs[i - 1]);
	SLIST_INSERT_HEAD(&inventory->blocks, block, link);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory)
{
	struct doca_buf_inventory *created;
	doca_error_t result;

	if (inventory == NULL)
		return core_null_argument(__func__);
	if (num_elements == 0 || num_elements > UINT32_MAX) {
		DOCA_LOG_ERR("an inventory of %zu elements: not in 1..%u", num_elements,
			     UINT32_MAX);
		return DOCA_ERROR_INVALID_VALUE;
	}
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	SLIST_INIT(&created->blocks);
	result = inventory_grow(created, (uint32_t)num_elements);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("an inventory of %zu elements: no memory", num_elements);
		free(created);
		return result;
	}
	*inventory = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory)
{
	struct block *block;

	if (inventory == NULL)
		return core_null_argument(__func__);
	if (inventory->store.num_free != inventory->store.num_elements) {
		DOCA_LOG_ERR("inventory %p is not destroyed: %u bufs are out", (void *)inventory,
			     inventory->store.num_elements - inventory->store.num_free);
		return DOCA_ERROR_IN_USE;
	}
	while ((block = SLIST_FIRST(&inventory->blocks)) != NULL) {
		SLIST_REMOVE_HEAD(&inventory->blocks, link);
		free(block);
	}
	free(inventory);
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return core_null_argument(__func__);
	if (inventory->is_started) {
		DOCA_LOG_ERR("inventory %p is started already", (void *)inventory);
		return DOCA_ERROR_BAD_STATE;
	}
	inventory->is_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory)
{
	if (inventory == NULL)
		return core_null_argument(__func__);
	inventory->is_started = false;
	return DOCA_SUCCESS;
}

static doca_error_t check_started(const struct doca_buf_inventory *inventory, const char *func)
{
	if (inventory->is_started)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: inventory %p is not started", func, (const void *)inventory);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements)
{
	doca_error_t result;

	if (inventory == NULL)
		return core_null_argument(__func__);
	result = check_started(inventory, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (num_elements == 0 || num_elements > UINT32_MAX - inventory->store.num_elements) {
		DOCA_LOG_ERR("inventory %p: %u more elements than %u", (void *)inventory,
			     num_elements, inventory->store.num_elements);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return inventory_grow(inventory, num_elements);
}

/* A window and a data section that are checked against each other and against the mmap. */
static doca_error_t check_window(const struct doca_mmap *mmap, const void *addr, size_t len,
				 const void *data, size_t data_len)
{
	uintptr_t head = (uintptr_t)addr;
	uintptr_t at = (uintptr_t)data;

	if (!core_mmap_contains(mmap, addr, len)) {
		DOCA_LOG_ERR("%p + %zu is outside mmap %p: %p + %zu", addr, len, (const void *)mmap,
			     (void *)mmap->addr, mmap->len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (at < head || at - head > len || data_len > len - (at - head)) {
		DOCA_LOG_ERR("data %p + %zu is outside its buffer %p + %zu", data, data_len, addr,
			     len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t inventory_empty(const struct doca_buf_inventory *inventory)
{
	DOCA_LOG_DBG("inventory %p has too few of its %u elements left", (const void *)inventory,
		     inventory->store.num_elements);
	return DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
						struct doca_mmap *mmap, void *addr, size_t len,
						void *data, size_t data_len, struct doca_buf **buf)
{
	struct doca_buf *taken;
	doca_error_t result;

	if (inventory == NULL || mmap == NULL || addr == NULL || data == NULL || buf == NULL)
		return core_null_argument(__func__);
	result = check_started(inventory, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (!core_mmap_is_usable(mmap)) {
		DOCA_LOG_ERR("%s: mmap %p is not started", __func__, (void *)mmap);
		return DOCA_ERROR_BAD_STATE;
	}
	result = check_window(mmap, addr, len, data, data_len);
	if (result != DOCA_SUCCESS)
		return result;
	taken = core_buf_take(&inventory->store, mmap);
	if (taken == NULL)
		return inventory_empty(inventory);
	core_buf_set_window(taken, addr, len, data, data_len);
	*buf = taken;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_buf_reuse_by_args(struct doca_buf *buf, void *addr, size_t len,
						  void *data, size_t data_len)
{
	doca_error_t result;

	if (buf == NULL || addr == NULL || data == NULL)
		return core_null_argument(__func__);
	if (buf->refcount == 0) {
		DOCA_LOG_ERR("%s: buf %p is free already", __func__, (void *)buf);
		return DOCA_ERROR_BAD_STATE;
	}
	if (!buf->is_first || buf->next != NULL) {
		DOCA_LOG_ERR("%s: buf %p is in a list", __func__, (void *)buf);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	result = check_window(buf->mmap, addr, len, data, data_len);
	if (result == DOCA_SUCCESS)
		core_buf_set_window(buf, addr, len, data, data_len);
	return result;
}

doca_error_t doca_buf_inventory_buf_reuse_by_addr(struct doca_buf *buf, void *addr, size_t len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, addr, len, addr, 0);
}

doca_error_t doca_buf_inventory_buf_reuse_by_data(struct doca_buf *buf, void *data, size_t data_len)
{
	return doca_buf_inventory_buf_reuse_by_args(buf, data, data_len, data, data_len);
}

/* Everything is checked before the first element is taken: it copies all or nothing. */
static doca_error_t check_copyable(const struct doca_buf_inventory *inventory,
				   const struct doca_buf *src_buf)
{
	uint32_t count = 0;

	if (!src_buf->is_first) {
		DOCA_LOG_ERR("buf %p is not copied: it is not the first of its list",
			     (const void *)src_buf);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	for (const struct doca_buf *buf = src_buf; buf != NULL; buf = buf->next, count++) {
		if (core_mmap_is_usable(buf->mmap))
			continue;
		DOCA_LOG_ERR("buf %p is not copied: its mmap is not started", (const void *)buf);
		return DOCA_ERROR_BAD_STATE;
	}
	return count <= inventory->store.num_free ? DOCA_SUCCESS : inventory_empty(inventory);
}

doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
					const struct doca_buf *src_buf, struct doca_buf **dst_buf)
{
	struct doca_buf *first = NULL;
	doca_error_t result;

	if (inventory == NULL || src_buf == NULL || dst_buf == NULL)
		return core_null_argument(__func__);
	result = check_started(inventory, __func__);
	if (result == DOCA_SUCCESS)
		result = check_copyable(inventory, src_buf);
	if (result != DOCA_SUCCESS)
		return result;
	for (const struct doca_buf *buf = src_buf; buf != NULL; buf = buf->next) {
		struct doca_buf *copy = core_buf_take(&inventory->store, buf->mmap);

		core_buf_set_window(copy, buf->head, buf->len, buf->data, buf->data_len);
		if (first == NULL)
			first = copy;
		else
			(void)doca_buf_chain_list(first, copy); /* both new: nothing forbids it */
	}
	*dst_buf = first;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
					      union doca_data user_data)
{
	doca_error_t result;

	if (inventory == NULL)
		return core_null_argument(__func__);
	result = check_started(inventory, __func__);
	if (result == DOCA_SUCCESS)
		inventory->user_data = user_data;
	return result;
}

doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
					      union doca_data *user_data)
{
	if (inventory == NULL || user_data == NULL)
		return core_null_argument(__func__);
	*user_data = inventory->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
						 uint32_t *num_of_elements)
{
	if (inventory == NULL || num_of_elements == NULL)
		return core_null_argument(__func__);
	*num_of_elements = inventory->store.num_elements;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
						      uint32_t *num_of_free_elements)
{
	if (inventory == NULL || num_of_free_elements == NULL)
		return core_null_argument(__func__);
	*num_of_free_elements = inventory->store.num_free;
	return DOCA_SUCCESS;
}
