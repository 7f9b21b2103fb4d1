/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include <stddef.h>

const struct ctx_kind *const ctx_kinds[] = {
	&ctx_kind_probe,
	&ctx_kind_freeing_probe,
	&ctx_kind_async_probe,
	&ctx_kind_dma,
	&ctx_kind_rdma,
	&ctx_kind_sync_event,
	&ctx_kind_sync_event_wait,
	&ctx_kind_urom_service,
	&ctx_kind_urom_worker,
	NULL,
};
