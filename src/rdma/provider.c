/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/provider.h"

static const struct drdma_provider *const providers[] = { &soft_provider };

const struct drdma_provider *drdma_provider_find(const struct doca_devinfo *info)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(providers); i++) {
		if (providers[i]->dev_kind == info->kind)
			return providers[i];
	}
	return NULL;
}
