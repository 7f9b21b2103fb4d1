/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_SYNC_REMOTE_H_
#define CORE_SYNC_REMOTE_H_

/* A sync event of another process, as its descriptor tells of it. */

#include <stddef.h>
#include <stdint.h>

#include <doca_sync_event.h>

#include "core/key.h"

/* What an exported descriptor says. */
struct core_sync_record {
	struct core_key key;
	uint32_t device_id;
	uint64_t addr; /* of the value, in the exporter's memory */
};

struct doca_sync_event_remote_net {
	struct core_sync_record record;
	struct doca_dev *dev; /* held */
};

/*
 * Reads a descriptor.
 * Errors: INVALID_VALUE: not one of ours, damaged, or saying what cannot be; logged.
 */
doca_error_t core_sync_record_decode(const void *data, size_t len, struct core_sync_record *record);

#endif /* CORE_SYNC_REMOTE_H_ */
