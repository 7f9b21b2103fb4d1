/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Events of another process: the exporter's descriptor names its cell by a key, and the importer's
 * object only carries it. The tasks that reach the cell are the RDMA library's.
 */

#include "core/sync_event.h"

#include <stdlib.h>

#include "core/blob.h"
#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"
#include "core/sync_remote.h"

CORE_LOG_REGISTER(CORE::SYNC_EVENT_EXPORT);

#define RECORD_FIELD(member) CORE_BLOB_FIELD(struct core_sync_record, member)

static const struct core_blob_field fields[] = {
	RECORD_FIELD(device_id), RECORD_FIELD(key.index), RECORD_FIELD(key.instance),
	RECORD_FIELD(key.tag),   RECORD_FIELD(addr),
};

static const struct core_blob_format format = {
	.name = "sync event descriptor",
	.magic = 0x5645534f, /* "OSEV" */
	.version = 1,
	.fields = fields,
	.num_fields = CORE_ARRAY_LEN(fields),
};

static doca_error_t check_exportable(const struct doca_sync_event *event)
{
	if (!core_sync_event_is_started(event)) {
		DOCA_LOG_ERR("event %p is not exported: it is not started", (const void *)event);
		return DOCA_ERROR_BAD_STATE;
	}
	if ((event->publishers & CORE_SYNC_REMOTE_NET) == 0) {
		DOCA_LOG_ERR("event %p is not exported: it has no remote net publisher",
			     (const void *)event);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (event->subscriber_dev->info.kind != CORE_DEV_SOFTWARE) {
		DOCA_LOG_ERR("event %p is not exported: %s is no software device",
			     (const void *)event, event->subscriber_dev->info.ibdev_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	return DOCA_SUCCESS;
}

static doca_error_t export_make(struct doca_sync_event *event)
{
	struct core_sync_record record = {
		.device_id = event->subscriber_dev->id,
		.addr = (uintptr_t)event->cell,
	};
	doca_error_t result = core_key_make(&record.key);

	if (result != DOCA_SUCCESS)
		return result;
	/* Lent until the event is destroyed, so a later start writes to the same memory. */
	if (event->blob == NULL)
		event->blob = malloc(core_blob_size(&format));
	if (event->blob == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_blob_encode(&format, &record, event->blob);
	event->is_exported = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
						  const uint8_t **data, size_t *sz)
{
	doca_error_t result;

	if (event == NULL || data == NULL || sz == NULL)
		return core_null_argument(__func__);
	result = check_exportable(event);
	if (result == DOCA_SUCCESS && !event->is_exported)
		result = export_make(event);
	if (result != DOCA_SUCCESS)
		return result;
	*data = event->blob;
	*sz = core_blob_size(&format);
	return DOCA_SUCCESS;
}

doca_error_t core_sync_record_decode(const void *data, size_t len, struct core_sync_record *record)
{
	struct core_sync_record decoded;
	doca_error_t result = core_blob_decode(&format, data, len, &decoded);

	if (result != DOCA_SUCCESS)
		return result;
	if (decoded.addr == 0 || decoded.addr % sizeof(uint64_t) != 0) {
		DOCA_LOG_ERR("sync event descriptor: 0x%llx is no place for an event",
			     (unsigned long long)decoded.addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*record = decoded;
	return DOCA_SUCCESS;
}

doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event)
{
	struct doca_sync_event_remote_net *created;
	struct core_sync_record record;
	doca_error_t result;

	if (dev == NULL || data == NULL || event == NULL)
		return core_null_argument(__func__);
	if (dev->info.kind != CORE_DEV_SOFTWARE) {
		DOCA_LOG_ERR("device %s imports no sync events", dev->info.ibdev_name);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	result = core_sync_record_decode(data, sz, &record);
	if (result != DOCA_SUCCESS)
		return result;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->record = record;
	created->dev = dev;
	core_dev_hold(dev);
	*event = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	core_dev_release(event->dev);
	free(event);
	return DOCA_SUCCESS;
}
