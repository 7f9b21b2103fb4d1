/* SPDX-License-Identifier: BSD-3-Clause */

/* What an application may ask of a mmap, and the kinds of memory that no device here can map. */

#include "core/error.h"
#include "core/log.h"
#include "core/mmap.h"

CORE_LOG_REGISTER(CORE::MMAP_INFO);

doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len)
{
	if (mmap == NULL || addr == NULL || len == NULL)
		return core_null_argument(__func__);
	if (mmap->len == 0) {
		DOCA_LOG_ERR("mmap %p: no range was set", (const void *)mmap);
		return DOCA_ERROR_BAD_STATE;
	}
	*addr = mmap->addr;
	*len = mmap->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data)
{
	if (mmap == NULL || user_data == NULL)
		return core_null_argument(__func__);
	*user_data = mmap->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices)
{
	if (mmap == NULL || max_num_devices == NULL)
		return core_null_argument(__func__);
	*max_num_devices = mmap->max_devs;
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs)
{
	if (mmap == NULL || num_bufs == NULL)
		return core_null_argument(__func__);
	*num_bufs = __atomic_load_n(&mmap->num_bufs, __ATOMIC_ACQUIRE);
	return DOCA_SUCCESS;
}

doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len)
{
	(void)dmabuf_fd;
	(void)addr;
	(void)dmabuf_offset;
	(void)len;
	if (mmap == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("mmap %p: no device here maps a dmabuf", (void *)mmap);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
					uint64_t dpa_addr, size_t len)
{
	(void)dpa_addr;
	(void)len;
	if (mmap == NULL || dpa == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("mmap %p: there is no DPA here", (void *)mmap);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
					  doca_dpa_dev_mmap_t *dpa_mmap_handle) /* NOLINT */
{
	if (mmap == NULL || dev == NULL || dpa_mmap_handle == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("mmap %p: there is no DPA here", (void *)mmap);
	return DOCA_ERROR_NOT_SUPPORTED;
}
