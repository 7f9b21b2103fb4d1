/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where a context's data path runs. Here it is always the processor that calls the library: there
 * is no datapath on a GPU or a DPA, and one completion vector, which is the engine.
 */

#include <doca_ctx.h>

#include "core/ctx.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::CTX_DATAPATH);

#define NUM_COMPLETION_VECTORS 1

static doca_error_t set_datapath(const struct doca_ctx *ctx, const void *processor,
				 const char *func)
{
	doca_error_t result;

	if (ctx == NULL || processor == NULL)
		return core_null_argument(func);
	result = core_ctx_check_idle(ctx, func);
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_ERR("%s: the data path runs on the processor only", func);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev)
{
	return set_datapath(ctx, gpu_dev, __func__);
}

doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev)
{
	return set_datapath(ctx, dpa_dev, __func__);
}

doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector)
{
	doca_error_t result;

	if (ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(ctx, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (comp_vector >= NUM_COMPLETION_VECTORS) {
		DOCA_LOG_ERR("completion vector %u: there is only number 0", comp_vector);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_comp_vectors)
{
	if (devinfo == NULL || num_comp_vectors == NULL)
		return core_null_argument(__func__);
	*num_comp_vectors = NUM_COMPLETION_VECTORS;
	return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	/* Every kind starts a task when it is submitted, with or without the flush flag. */
	if (ctx == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
}
