/* SPDX-License-Identifier: BSD-3-Clause */

/* What a device can do: the limits of its provider. */

#include <stddef.h>

#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CAPS);

#define IN_CAPS(member) offsetof(struct drdma_caps, member)

/*
 * The provider of a device; NULL: *result says why. INVALID_VALUE: an argument is NULL, logged.
 * NOT_SUPPORTED: there is none, which is an answer and is not logged.
 */
static const struct drdma_provider *find_provider(const struct doca_devinfo *devinfo,
						  const void *out, const char *func,
						  doca_error_t *result)
{
	const struct drdma_provider *provider;

	if (devinfo == NULL || out == NULL) {
		*result = core_null_argument(func);
		return NULL;
	}
	provider = drdma_provider_find(devinfo);
	*result = provider != NULL ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
	return provider;
}

static doca_error_t is_supported(const struct doca_devinfo *devinfo, const char *func)
{
	doca_error_t result;

	(void)find_provider(devinfo, devinfo, func, &result); /* whichever it is */
	return result;
}

/* place: of the number in struct drdma_caps. */
static doca_error_t get_cap(const struct doca_devinfo *devinfo, size_t place, uint32_t *value,
			    const char *func)
{
	doca_error_t result;
	const struct drdma_provider *provider = find_provider(devinfo, value, func, &result);

	if (provider != NULL)
		*value = *(const uint32_t *)(const void *)((const char *)&provider->caps + place);
	return result;
}

doca_error_t doca_rdma_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_recv_queue_size)
{
	return get_cap(devinfo, IN_CAPS(max_receives), max_recv_queue_size, __func__);
}

doca_error_t doca_rdma_cap_get_max_send_queue_size(const struct doca_devinfo *devinfo,
						   uint32_t *max_send_queue_size)
{
	return get_cap(devinfo, IN_CAPS(max_send_queue_size), max_send_queue_size, __func__);
}

doca_error_t doca_rdma_cap_get_max_send_buf_list_len(const struct doca_devinfo *devinfo,
						     uint32_t *max_send_buf_list_len)
{
	return get_cap(devinfo, IN_CAPS(max_send_list_len), max_send_buf_list_len, __func__);
}

doca_error_t doca_rdma_cap_get_max_message_size(const struct doca_devinfo *devinfo,
						uint32_t *max_message_size)
{
	return get_cap(devinfo, IN_CAPS(max_message_size), max_message_size, __func__);
}

doca_error_t doca_rdma_cap_get_gid_table_size(const struct doca_devinfo *devinfo,
					      uint32_t *gid_table_size)
{
	return get_cap(devinfo, IN_CAPS(gid_table_size), gid_table_size, __func__);
}

doca_error_t doca_rdma_cap_get_gid(const struct doca_devinfo *devinfo, uint32_t start_index,
				   uint32_t num_entries, struct doca_rdma_gid *gid_array)
{
	doca_error_t result;
	const struct drdma_provider *provider =
	    find_provider(devinfo, gid_array, __func__, &result);
	uint32_t size;

	if (provider == NULL)
		return result;
	size = provider->caps.gid_table_size;
	if (num_entries == 0 || start_index >= size || num_entries > size - start_index) {
		DOCA_LOG_ERR("device %s: GIDs %u + %u are not in its table of %u",
			     devinfo->ibdev_name, start_index, num_entries, size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	for (uint32_t i = 0; i < num_entries; i++)
		provider->get_gid(devinfo, start_index + i, &gid_array[i]);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_cap_transport_type_is_supported(const struct doca_devinfo *devinfo,
						       enum doca_rdma_transport_type transport_type)
{
	doca_error_t result;
	const struct drdma_provider *provider = find_provider(devinfo, devinfo, __func__, &result);

	if (provider == NULL)
		return result;
	if (transport_type != DOCA_RDMA_TRANSPORT_TYPE_RC &&
	    transport_type != DOCA_RDMA_TRANSPORT_TYPE_DC) {
		DOCA_LOG_ERR("transport type %d is not known", (int)transport_type);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return (provider->caps.transports & 1u << transport_type) != 0 ? DOCA_SUCCESS
								       : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_rdma_cap_task_receive_get_max_dst_buf_list_len(const struct doca_devinfo *devinfo,
						    enum doca_rdma_transport_type transport_type,
						    uint32_t *max_buf_list_len)
{
	doca_error_t result;
	const struct drdma_provider *provider =
	    find_provider(devinfo, max_buf_list_len, __func__, &result);

	if (provider == NULL)
		return result;
	result = doca_rdma_cap_transport_type_is_supported(devinfo, transport_type);
	if (result == DOCA_SUCCESS)
		*max_buf_list_len = provider->caps.max_receive_list_len;
	return result;
}

doca_error_t doca_rdma_cap_task_receive_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_send_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_send_imm_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_read_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_write_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}

doca_error_t doca_rdma_cap_task_write_imm_is_supported(const struct doca_devinfo *devinfo)
{
	return is_supported(devinfo, __func__);
}
