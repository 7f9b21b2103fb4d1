/* SPDX-License-Identifier: BSD-3-Clause */

/* What a device can do with sync events, and the ways to other processors that none here has. */

#include <doca_sync_event.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::SYNC_EVENT_CAP);

/* The tasks are done by the processor, whatever the device is. */
static doca_error_t cap_always(const struct doca_devinfo *devinfo, const char *func)
{
	return devinfo == NULL ? core_null_argument(func) : DOCA_SUCCESS;
}

/* No log line from here on: that a device cannot do something is an answer, not a fault. */
static doca_error_t cap_never(const struct doca_devinfo *devinfo, const char *func)
{
	return devinfo == NULL ? core_null_argument(func) : DOCA_ERROR_NOT_SUPPORTED;
}

static doca_error_t cap_software(const struct doca_devinfo *devinfo, const char *func)
{
	if (devinfo == NULL)
		return core_null_argument(func);
	return devinfo->kind == CORE_DEV_SOFTWARE ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_always(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_always(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_always(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_always(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_always(devinfo, __func__);
}

doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo)
{
	return cap_software(devinfo, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	return cap_software(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo)
{
	return cap_never(devinfo, __func__);
}

/* object, first and output: what the call needs; the last is where it would answer. */
static doca_error_t refuse(const char *func, const void *object, const void *first, void *output)
{
	if (object == NULL || first == NULL || output == NULL)
		return core_null_argument(func);
	DOCA_LOG_ERR("%s: no device here can", func);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event)
{
	(void)sz;
	return refuse(__func__, dev, data, event);
}

doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
						  struct doca_dev *dev, const uint8_t **data,
						  size_t *sz)
{
	if (data == NULL)
		return core_null_argument(__func__);
	return refuse(__func__, event, dev, sz);
}

doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle)
{
	return refuse(__func__, event, dpa, dpa_dev_se_handle);
}

doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
					    doca_gpu_dev_sync_event_t **gpu_dev_se)
{
	return refuse(__func__, event, gpu, gpu_dev_se);
}

doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
					  struct doca_dpa *dpa,
					  doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event)
{
	return refuse(__func__, event, dpa, dpa_remote_event);
}

doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
					  struct doca_gpu *gpu,
					  doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event)
{
	return refuse(__func__, event, gpu, gpu_remote_event);
}
