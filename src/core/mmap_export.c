/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/mmap.h"

#include <stdlib.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

/*
 * An export gives a key to a range: an index that names it in this process and a random tag, which
 * a peer can only have from the descriptor. Stopping the mmap makes the key void, and waits for the
 * peers' accesses that had begun; a new start and a new export give another one.
 */

CORE_LOG_REGISTER(CORE::MMAP_EXPORT);

static doca_error_t export_make(struct doca_mmap *mmap, struct core_mmap_dev *entry)
{
	const struct core_key_range range = {
		.addr = mmap->addr,
		.len = mmap->len,
		.permissions = mmap->permissions,
		.dev = entry->dev,
	};
	struct core_mmap_record record = {
		.kind = CORE_MMAP_KIND_RDMA,
		.permissions = mmap->permissions,
		.device_id = entry->dev->id,
		.addr = (uintptr_t)mmap->addr,
		.len = mmap->len,
	};
	doca_error_t result = core_key_make(&record.key);

	if (result != DOCA_SUCCESS)
		return result;
	entry->blob = malloc(core_mmap_blob_size());
	if (entry->blob == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = core_key_add(&record.key, &range);
	if (result != DOCA_SUCCESS) {
		free(entry->blob);
		entry->blob = NULL;
		return result;
	}
	core_mmap_blob_encode(&record, entry->blob);
	entry->record = record;
	mmap->num_exports++;
	return DOCA_SUCCESS;
}

static struct core_mmap_dev *find_dev(struct doca_mmap *mmap, const struct doca_dev *dev)
{
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i].dev == dev)
			return &mmap->devs[i];
	}
	DOCA_LOG_ERR("mmap %p: device %s was not added to it", (void *)mmap, dev->info.ibdev_name);
	return NULL;
}

static doca_error_t check_exportable(const struct doca_mmap *mmap)
{
	const char *why = NULL;

	if (mmap->is_from_export)
		why = "is imported";
	else if (!mmap->is_started)
		why = "is not started";
	else if ((mmap->permissions & CORE_MMAP_RDMA_FLAGS) == 0)
		why = "permits nothing to a peer";
	if (why == NULL)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("mmap %p is not exported: it %s", (const void *)mmap, why);
	return DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
				   const void **export_desc, size_t *export_desc_len)
{
	struct core_mmap_dev *entry;
	doca_error_t result;

	if (mmap == NULL || dev == NULL || export_desc == NULL || export_desc_len == NULL)
		return core_null_argument(__func__);
	result = check_exportable(mmap);
	if (result != DOCA_SUCCESS)
		return result;
	entry = find_dev(mmap, dev);
	if (entry == NULL)
		return DOCA_ERROR_NOT_FOUND;
	if (dev->info.kind != CORE_DEV_SOFTWARE) {
		DOCA_LOG_ERR("device %s: memory is not registered with verbs devices",
			     dev->info.ibdev_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (entry->blob == NULL)
		result = export_make(mmap, entry);
	if (result != DOCA_SUCCESS)
		return result;
	*export_desc = entry->blob;
	*export_desc_len = core_mmap_blob_size();
	return DOCA_SUCCESS;
}

void core_mmap_revoke(struct doca_mmap *mmap)
{
	for (uint32_t i = 0; i < mmap->num_devs; i++) {
		if (mmap->devs[i].blob == NULL)
			continue;
		core_key_remove(&mmap->devs[i].record.key);
		free(mmap->devs[i].blob);
		mmap->devs[i].blob = NULL;
	}
	mmap->num_exports = 0;
}

doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
					  size_t export_desc_len, struct doca_dev *dev,
					  struct doca_mmap **mmap)
{
	struct core_mmap_record record;
	struct doca_mmap *created;
	doca_error_t result;

	if (export_desc == NULL || dev == NULL || mmap == NULL)
		return core_null_argument(__func__);
	result = core_mmap_blob_decode(export_desc, export_desc_len, &record);
	if (result != DOCA_SUCCESS)
		return result;
	if (dev->info.kind != CORE_DEV_SOFTWARE) {
		DOCA_LOG_ERR("device %s: the descriptor is of a software device",
			     dev->info.ibdev_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	result = doca_mmap_create(&created);
	if (result != DOCA_SUCCESS)
		return result;
	result = core_mmap_append_dev(created, dev);
	if (result != DOCA_SUCCESS) {
		(void)doca_mmap_destroy(created); /* it is new: nothing can hold it */
		return result;
	}
	created->is_from_export = true;
	created->remote = record;
	created->addr = (char *)(uintptr_t)record.addr; /* NOLINT: another process's */
	created->len = record.len;
	created->permissions = record.permissions;
	if (user_data != NULL)
		created->user_data = *user_data;
	*mmap = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported)
{
	if (mmap == NULL || exported == NULL)
		return core_null_argument(__func__);
	*exported = mmap->num_exports > 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export)
{
	if (mmap == NULL || from_export == NULL)
		return core_null_argument(__func__);
	*from_export = mmap->is_from_export;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
				  const void **export_desc, size_t *export_desc_len) /* NOLINT */
{
	if (mmap == NULL || dev == NULL || export_desc == NULL || export_desc_len == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("mmap %p: no device here exports over PCI", (void *)mmap);
	return DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t cap_pci(const struct doca_devinfo *devinfo, uint8_t *is_supported,
			    const char *func)
{
	if (devinfo == NULL || is_supported == NULL)
		return core_null_argument(func);
	*is_supported = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
						   uint8_t *mmap_export)
{
	return cap_pci(devinfo, mmap_export, __func__);
}

doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
							       uint8_t *from_export)
{
	return cap_pci(devinfo, from_export, __func__);
}
