/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/mmap.h"

#include <stdlib.h>
#include <string.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::MMAP);

#define KNOWN_FLAGS                                                         \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | CORE_MMAP_RDMA_FLAGS |         \
	 DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE | \
	 DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)

bool core_mmap_is_usable(const struct doca_mmap *mmap)
{
	return mmap->is_started || mmap->is_from_export;
}

bool core_mmap_contains(const struct doca_mmap *mmap, const void *addr, size_t len)
{
	uintptr_t start = (uintptr_t)mmap->addr;
	uintptr_t at = (uintptr_t)addr;

	return at >= start && at - start <= mmap->len && len <= mmap->len - (at - start);
}

bool core_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev)
{
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i].dev == dev)
			return true;
	}
	return false;
}

void core_mmap_buf_added(struct doca_mmap *mmap)
{
	__atomic_fetch_add(&mmap->num_bufs, 1, __ATOMIC_RELAXED);
}

void core_mmap_buf_removed(struct doca_mmap *mmap)
{
	__atomic_fetch_sub(&mmap->num_bufs, 1, __ATOMIC_RELEASE);
}

static uint32_t num_bufs(const struct doca_mmap *mmap)
{
	return __atomic_load_n(&mmap->num_bufs, __ATOMIC_ACQUIRE);
}

static doca_error_t mmap_refuse(const struct doca_mmap *mmap, const char *what, const char *why,
				doca_error_t error)
{
	DOCA_LOG_ERR("mmap %p: no %s: it %s", (const void *)mmap, what, why);
	return error;
}

/* The check of a setter; started: what a started mmap answers to it. */
static doca_error_t check_settable(const struct doca_mmap *mmap, const char *what,
				   doca_error_t started)
{
	if (mmap->is_from_export)
		return mmap_refuse(mmap, what, "is imported", DOCA_ERROR_NOT_PERMITTED);
	if (mmap->is_started)
		return mmap_refuse(mmap, what, "is started", started);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_create(struct doca_mmap **mmap)
{
	struct doca_mmap *created;

	if (mmap == NULL)
		return core_null_argument(__func__);
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->max_devs = CORE_MMAP_DEFAULT_MAX_DEVICES;
	*mmap = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_destroy(struct doca_mmap *mmap)
{
	struct doca_mmap gone;

	if (mmap == NULL)
		return core_null_argument(__func__);
	if (num_bufs(mmap) > 0)
		return mmap_refuse(mmap, "destroy", "has bufs", DOCA_ERROR_NOT_PERMITTED);
	core_mmap_revoke(mmap);
	for (uint32_t i = 0; i < mmap->num_devs; i++)
		core_dev_release(mmap->devs[i].dev);
	free(mmap->devs);
	gone = *mmap;
	free(mmap);
	if (gone.was_started && gone.free_cb != NULL)
		gone.free_cb(gone.addr, gone.len, gone.free_cb_opaque);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_start(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return core_null_argument(__func__);
	if (mmap->is_from_export)
		return mmap_refuse(mmap, "start", "is imported", DOCA_ERROR_NOT_PERMITTED);
	if (mmap->num_exports > 0)
		return mmap_refuse(mmap, "start", "is exported", DOCA_ERROR_NOT_PERMITTED);
	if (mmap->is_started)
		return mmap_refuse(mmap, "start", "is started", DOCA_ERROR_BAD_STATE);
	if (mmap->len == 0)
		return mmap_refuse(mmap, "start", "has no range", DOCA_ERROR_INVALID_VALUE);
	mmap->is_started = true;
	mmap->was_started = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_stop(struct doca_mmap *mmap)
{
	if (mmap == NULL)
		return core_null_argument(__func__);
	if (num_bufs(mmap) > 0)
		return mmap_refuse(mmap, "stop", "has bufs", DOCA_ERROR_NOT_PERMITTED);
	core_mmap_revoke(mmap);
	mmap->is_started = false;
	return DOCA_SUCCESS;
}

doca_error_t core_mmap_append_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	struct core_mmap_dev *devs = reallocarray(mmap->devs, mmap->num_devs + 1, sizeof(*devs));

	if (devs == NULL)
		return DOCA_ERROR_NO_MEMORY;
	mmap->devs = devs;
	devs[mmap->num_devs] = (struct core_mmap_dev){ .dev = dev };
	mmap->num_devs++;
	core_dev_hold(dev);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result;

	if (mmap == NULL || dev == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "add_dev", DOCA_ERROR_NOT_PERMITTED);
	if (result != DOCA_SUCCESS)
		return result;
	if (core_mmap_has_dev(mmap, dev))
		return mmap_refuse(mmap, "add_dev", "has that device", DOCA_ERROR_ALREADY_EXIST);
	if (mmap->num_devs >= mmap->max_devs)
		return mmap_refuse(mmap, "add_dev", "holds its maximum", DOCA_ERROR_NO_MEMORY);
	return core_mmap_append_dev(mmap, dev);
}

doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev)
{
	doca_error_t result;

	if (mmap == NULL || dev == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "rm_dev", DOCA_ERROR_NOT_PERMITTED);
	if (result != DOCA_SUCCESS)
		return result;
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i].dev != dev)
			continue;
		mmap->devs[i] = mmap->devs[--mmap->num_devs];
		core_dev_release(dev);
		return DOCA_SUCCESS;
	}
	return mmap_refuse(mmap, "rm_dev", "has not that device", DOCA_ERROR_NOT_FOUND);
}

doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices)
{
	if (mmap == NULL)
		return core_null_argument(__func__);
	if (mmap->is_from_export || mmap->was_started)
		return mmap_refuse(mmap, "set_max_num_devices", "was started or imported",
				   DOCA_ERROR_NOT_PERMITTED);
	if (max_num_devices == 0 || max_num_devices < mmap->num_devs)
		return mmap_refuse(mmap, "set_max_num_devices", "has more devices, or 0 was asked",
				   DOCA_ERROR_INVALID_VALUE);
	mmap->max_devs = max_num_devices;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len)
{
	doca_error_t result;

	if (mmap == NULL || addr == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "set_memrange", DOCA_ERROR_BAD_STATE);
	if (result != DOCA_SUCCESS)
		return result;
	if (mmap->len != 0)
		return mmap_refuse(mmap, "set_memrange", "has a range", DOCA_ERROR_NOT_PERMITTED);
	if (len == 0 || (uintptr_t)addr > UINTPTR_MAX - len) {
		DOCA_LOG_ERR("mmap %p: %p + %zu is no range", (void *)mmap, addr, len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	mmap->addr = addr;
	mmap->len = len;
	return DOCA_SUCCESS;
}

doca_error_t core_mmap_check_permissions(uint32_t access_mask)
{
	const uint32_t needs_local = DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	const char *why = NULL;

	if ((access_mask & ~(uint32_t)KNOWN_FLAGS) != 0)
		why = "unknown bits";
	else if ((access_mask & pci) == pci)
		why = "PCI read-only and read-write exclude each other";
	else if ((access_mask & needs_local) != 0 &&
		 (access_mask & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0)
		why = "remote write and atomic need local read-write";
	if (why == NULL)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("permissions 0x%x: %s", access_mask, why);
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask)
{
	doca_error_t result;

	if (mmap == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "set_permissions", DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS)
		result = core_mmap_check_permissions(access_mask);
	if (result == DOCA_SUCCESS)
		mmap->permissions = access_mask;
	return result;
}

doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
				   void *opaque)
{
	doca_error_t result;

	if (mmap == NULL || free_cb == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "set_free_cb", DOCA_ERROR_BAD_STATE);
	if (result != DOCA_SUCCESS)
		return result;
	mmap->free_cb = free_cb;
	mmap->free_cb_opaque = opaque;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data)
{
	doca_error_t result;

	if (mmap == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "set_user_data", DOCA_ERROR_BAD_STATE);
	if (result == DOCA_SUCCESS)
		mmap->user_data = user_data;
	return result;
}

doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap)
{
	doca_error_t result;

	if (mmap == NULL)
		return core_null_argument(__func__);
	result = check_settable(mmap, "enable_thread_safety", DOCA_ERROR_NOT_PERMITTED);
	if (result != DOCA_SUCCESS)
		return result;
	if (num_bufs(mmap) > 0)
		return mmap_refuse(mmap, "enable_thread_safety", "has bufs",
				   DOCA_ERROR_NOT_PERMITTED);
	mmap->is_thread_safe = true;
	return DOCA_SUCCESS;
}
