/* SPDX-License-Identifier: BSD-3-Clause */

/* The properties: each may be set while the context is IDLE, and be read at any time. */

#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CONFIG);

#define MAX_SL 15

/* What a context may permit its peers; the local bit is accepted and means nothing. */
#define PERMISSIONS                                                                 \
	((uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

static doca_error_t check_settable(const struct doca_rdma *rdma, const char *func)
{
	return rdma == NULL ? core_null_argument(func) : core_ctx_check_idle(&rdma->base, func);
}

static doca_error_t refuse(const struct doca_rdma *rdma, const char *what, uint32_t value,
			   doca_error_t error)
{
	DOCA_LOG_ERR("rdma context %p: %s cannot be %u", (const void *)rdma, what, value);
	return error;
}

/* Sets a number that is in min..max. */
static doca_error_t set_u32(struct doca_rdma *rdma, const char *func, uint32_t *property,
			    uint32_t value, uint32_t min, uint32_t max)
{
	if (value < min || value > max)
		return refuse(rdma, func, value, DOCA_ERROR_INVALID_VALUE);
	*property = value;
	return DOCA_SUCCESS;
}

static doca_error_t get_u32(const struct doca_rdma *rdma, const char *func,
			    const uint32_t *property, uint32_t *value)
{
	if (rdma == NULL || value == NULL)
		return core_null_argument(func);
	*value = *property;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
	doca_error_t result = check_settable(rdma, __func__);
	uint32_t rounded = 1;

	if (result != DOCA_SUCCESS)
		return result;
	if (send_queue_size == 0)
		return refuse(rdma, __func__, send_queue_size, DOCA_ERROR_INVALID_VALUE);
	if (send_queue_size > rdma->provider->caps.max_send_queue_size)
		return refuse(rdma, __func__, send_queue_size, DOCA_ERROR_NOT_SUPPORTED);
	while (rounded < send_queue_size)
		rounded *= 2;
	rdma->config.send_queue_size = rounded;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.send_queue_size,
		       send_queue_size);
}

doca_error_t doca_rdma_set_recv_queue_size(struct doca_rdma *rdma, uint32_t recv_queue_size)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	return refuse(rdma, __func__, recv_queue_size, DOCA_ERROR_NOT_SUPPORTED);
}

doca_error_t doca_rdma_get_recv_queue_size(const struct doca_rdma *rdma,
					   uint32_t *recv_queue_size) /* NOLINT: the API's */
{
	if (rdma == NULL || recv_queue_size == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("rdma context %p has no receive queue of its own size: as many receives as "
		     "it has tasks",
		     (const void *)rdma);
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_rdma_set_max_send_buf_list_len(struct doca_rdma *rdma,
						 uint32_t max_send_buf_list_len)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	return set_u32(rdma, __func__, &rdma->config.send_list_len, max_send_buf_list_len, 1,
		       rdma->provider->caps.max_send_list_len);
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.send_list_len,
		       max_send_buf_list_len);
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t buf_list_len)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	return set_u32(rdma, __func__, &rdma->config.receive_list_len, buf_list_len, 1,
		       rdma->provider->caps.max_receive_list_len);
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
							 uint32_t *buf_list_len)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.receive_list_len,
		       buf_list_len);
}

doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result == DOCA_SUCCESS)
		result =
		    doca_rdma_cap_transport_type_is_supported(&rdma->dev->info, transport_type);
	if (result == DOCA_SUCCESS)
		rdma->config.transport = transport_type;
	return result;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type)
{
	if (rdma == NULL || transport_type == NULL)
		return core_null_argument(__func__);
	*transport_type = rdma->config.transport;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
		return refuse(rdma, __func__, mtu, DOCA_ERROR_NOT_SUPPORTED);
	if ((unsigned int)mtu > DOCA_MTU_SIZE_4K_BYTES)
		return refuse(rdma, __func__, mtu, DOCA_ERROR_INVALID_VALUE);
	rdma->config.mtu = mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
	if (rdma == NULL || mtu == NULL)
		return core_null_argument(__func__);
	*mtu = rdma->config.mtu;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if ((permissions & ~PERMISSIONS) != 0)
		return refuse(rdma, __func__, permissions, DOCA_ERROR_INVALID_VALUE);
	rdma->config.permissions = permissions;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.permissions,
		       permissions);
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (grh_enabled > 1)
		return refuse(rdma, __func__, grh_enabled, DOCA_ERROR_INVALID_VALUE);
	if (grh_enabled == 0)
		return refuse(rdma, __func__, grh_enabled, DOCA_ERROR_NOT_SUPPORTED);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
	if (rdma == NULL || grh_enabled == NULL)
		return core_null_argument(__func__);
	*grh_enabled = 1;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	return set_u32(rdma, __func__, &rdma->config.gid_index, gid_index, 0,
		       rdma->provider->caps.gid_table_size - 1);
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.gid_index, gid_index);
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	return set_u32(rdma, __func__, &rdma->config.sl, sl, 0, MAX_SL);
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
	return get_u32(rdma, __func__, rdma == NULL ? NULL : &rdma->config.sl, sl);
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (max_num_connections == 0)
		return refuse(rdma, __func__, 0, DOCA_ERROR_NOT_SUPPORTED);
	rdma->config.max_num_connections = max_num_connections;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_max_num_connections(const struct doca_rdma *rdma,
					       uint16_t *max_num_connections)
{
	if (rdma == NULL || max_num_connections == NULL)
		return core_null_argument(__func__);
	*max_num_connections = rdma->config.max_num_connections;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result != DOCA_SUCCESS)
		return result;
	if (rnr_retry_count > DRDMA_RNR_FOR_EVER)
		return refuse(rdma, __func__, rnr_retry_count, DOCA_ERROR_INVALID_VALUE);
	rdma->config.rnr_retry_count = rnr_retry_count;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
	if (rdma == NULL || rnr_retry_count == NULL)
		return core_null_argument(__func__);
	*rnr_retry_count = rdma->config.rnr_retry_count;
	return DOCA_SUCCESS;
}
