/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma.h"

#include <stdlib.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(DMA);

doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma)
{
	struct doca_dma *created;

	if (dev == NULL || dma == NULL)
		return core_null_argument(__func__);
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_ctx_init(&created->base, &dma_ctx_ops);
	created->dev = dev;
	core_dev_hold(dev);
	created->memcpy_pool.ctx = &created->base;
	created->memcpy_pool.name = "memcpy";
	created->memcpy_pool.task_size = sizeof(struct doca_dma_task_memcpy);
	STAILQ_INIT(&created->submitted);
	*dma = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_destroy(struct doca_dma *dma)
{
	if (dma == NULL)
		return core_null_argument(__func__);
	if (core_ctx_check_idle(&dma->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_IN_USE;
	core_ctx_fini(&dma->base);
	core_pool_fini(&dma->memcpy_pool);
	core_dev_release(dma->dev);
	free(dma);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma)
{
	if (dma == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &dma->base;
}

doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo)
{
	/* The processor copies, whatever the device is. */
	return devinfo == NULL ? core_null_argument(__func__) : DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks)
{
	if (dma == NULL || max_num_tasks == NULL)
		return core_null_argument(__func__);
	*max_num_tasks = DMA_MAX_TASKS;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len)
{
	if (devinfo == NULL || max_buf_list_len == NULL)
		return core_null_argument(__func__);
	*max_buf_list_len = DMA_MAX_BUF_LIST_LEN;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size)
{
	if (devinfo == NULL || buf_size == NULL)
		return core_null_argument(__func__);
	*buf_size = DMA_MAX_BUF_SIZE;
	return DOCA_SUCCESS;
}

doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma)
{
	if (dma == NULL || gpu_dma == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("dma context %p: its data path is not on a GPU", (void *)dma);
	return DOCA_ERROR_BAD_STATE;
}
