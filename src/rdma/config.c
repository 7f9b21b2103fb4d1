/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The properties: each may be set while the context is IDLE, and be read at any time. What a number
 * may be stands in a table; the calls below name its row.
 */

#include <stddef.h>

#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CONFIG);

#define MAX_SL 15

/* What a context may permit its peers; the local bit is accepted and means nothing. */
#define PERMISSIONS                                                                 \
	((uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

enum property {
	SEND_QUEUE_SIZE,
	SEND_LIST_LEN,
	RECEIVE_LIST_LEN,
	TRANSPORT,
	MTU,
	PERMITTED,
	GRH_ENABLED,
	GID_INDEX,
	SL,
	MAX_CONNECTIONS,
	RNR_RETRY_COUNT,
	NUM_PROPERTIES,
};

#define IN_CONFIG(member) offsetof(struct drdma_config, member)
#define IN_CAPS(member)   offsetof(struct drdma_caps, member)
#define NO_CAP            SIZE_MAX

static const struct {
	size_t place; /* in the configuration */
	uint32_t min;
	uint32_t max;       /* of the interface, where the device has no limit of its own */
	size_t cap;         /* place of the device's in its limits, or NO_CAP */
	doca_error_t below; /* what is said of less, and of more */
	doca_error_t above;
} properties[] = {
	[SEND_QUEUE_SIZE] = { IN_CONFIG(send_queue_size), 1, 0, IN_CAPS(max_send_queue_size),
			      DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_NOT_SUPPORTED },
	[SEND_LIST_LEN] = { IN_CONFIG(send_list_len), 1, 0, IN_CAPS(max_send_list_len),
			    DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_INVALID_VALUE },
	[RECEIVE_LIST_LEN] = { IN_CONFIG(receive_list_len), 1, 0, IN_CAPS(max_receive_list_len),
			       DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_INVALID_VALUE },
	[TRANSPORT] = { IN_CONFIG(transport), DOCA_RDMA_TRANSPORT_TYPE_RC,
			DOCA_RDMA_TRANSPORT_TYPE_DC, NO_CAP, DOCA_ERROR_INVALID_VALUE,
			DOCA_ERROR_INVALID_VALUE },
	[MTU] = { IN_CONFIG(mtu), DOCA_MTU_SIZE_256_BYTES, DOCA_MTU_SIZE_4K_BYTES, NO_CAP,
		  DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_INVALID_VALUE },
	/* Its bits are the lowest ones, so that whatever is less is a set of them. */
	[PERMITTED] = { IN_CONFIG(permissions), 0, PERMISSIONS, NO_CAP, DOCA_ERROR_INVALID_VALUE,
			DOCA_ERROR_INVALID_VALUE },
	/* There is no Ethernet without one. */
	[GRH_ENABLED] = { IN_CONFIG(grh_enabled), 1, 1, NO_CAP, DOCA_ERROR_NOT_SUPPORTED,
			  DOCA_ERROR_INVALID_VALUE },
	[GID_INDEX] = { IN_CONFIG(gid_index), 0, 0, IN_CAPS(max_gid_index),
			DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_INVALID_VALUE },
	[SL] = { IN_CONFIG(sl), 0, MAX_SL, NO_CAP, DOCA_ERROR_INVALID_VALUE,
		 DOCA_ERROR_INVALID_VALUE },
	[MAX_CONNECTIONS] = { IN_CONFIG(max_num_connections), 1, UINT16_MAX, NO_CAP,
			      DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_INVALID_VALUE },
	[RNR_RETRY_COUNT] = { IN_CONFIG(rnr_retry_count), 0, DRDMA_RNR_FOR_EVER, NO_CAP,
			      DOCA_ERROR_INVALID_VALUE, DOCA_ERROR_INVALID_VALUE },
};

_Static_assert(CORE_ARRAY_LEN(properties) == NUM_PROPERTIES, "a row for each property");
_Static_assert((PERMISSIONS & (PERMISSIONS + 1)) == 0, "the lowest bits");

static doca_error_t check_settable(const struct doca_rdma *rdma, const char *func)
{
	return rdma == NULL ? core_null_argument(func) : core_ctx_check_idle(&rdma->base, func);
}

static doca_error_t refuse(const struct doca_rdma *rdma, const char *func, uint32_t value,
			   doca_error_t error)
{
	DOCA_LOG_ERR("rdma context %p: %s cannot be %u", (const void *)rdma, func, value);
	return error;
}

static uint32_t number_at(const void *object, size_t place)
{
	return *(const uint32_t *)(const void *)((const char *)object + place);
}

/* Sets a number that its row allows. func: the call's name. */
static doca_error_t set(struct doca_rdma *rdma, enum property which, uint32_t value,
			const char *func)
{
	doca_error_t result = check_settable(rdma, func);
	uint32_t max = properties[which].max;

	if (result != DOCA_SUCCESS)
		return result;
	if (properties[which].cap != NO_CAP)
		max = number_at(&rdma->provider->caps, properties[which].cap);
	if (value < properties[which].min)
		return refuse(rdma, func, value, properties[which].below);
	if (value > max)
		return refuse(rdma, func, value, properties[which].above);
	*(uint32_t *)(void *)((char *)&rdma->config + properties[which].place) = value;
	return DOCA_SUCCESS;
}

/* Written on success only. */
static doca_error_t get(const struct doca_rdma *rdma, enum property which, uint32_t *value,
			const char *func)
{
	if (rdma == NULL || value == NULL)
		return core_null_argument(func);
	*value = number_at(&rdma->config, properties[which].place);
	return DOCA_SUCCESS;
}

static doca_error_t get_u16(const struct doca_rdma *rdma, enum property which, uint16_t *value,
			    const char *func)
{
	uint32_t number = 0;
	doca_error_t result;

	if (value == NULL)
		return core_null_argument(func);
	result = get(rdma, which, &number, func);
	if (result == DOCA_SUCCESS)
		*value = (uint16_t)number;
	return result;
}

static doca_error_t get_u8(const struct doca_rdma *rdma, enum property which, uint8_t *value,
			   const char *func)
{
	uint32_t number = 0;
	doca_error_t result;

	if (value == NULL)
		return core_null_argument(func);
	result = get(rdma, which, &number, func);
	if (result == DOCA_SUCCESS)
		*value = (uint8_t)number;
	return result;
}

doca_error_t doca_rdma_set_send_queue_size(struct doca_rdma *rdma, uint32_t send_queue_size)
{
	doca_error_t result = set(rdma, SEND_QUEUE_SIZE, send_queue_size, __func__);
	uint32_t rounded = 1;

	if (result != DOCA_SUCCESS)
		return result;
	while (rounded < send_queue_size)
		rounded *= 2;
	rdma->config.send_queue_size = rounded;
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_get_send_queue_size(const struct doca_rdma *rdma, uint32_t *send_queue_size)
{
	return get(rdma, SEND_QUEUE_SIZE, send_queue_size, __func__);
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
	return set(rdma, SEND_LIST_LEN, max_send_buf_list_len, __func__);
}

doca_error_t doca_rdma_get_max_send_buf_list_len(const struct doca_rdma *rdma,
						 uint32_t *max_send_buf_list_len)
{
	return get(rdma, SEND_LIST_LEN, max_send_buf_list_len, __func__);
}

doca_error_t doca_rdma_task_receive_set_dst_buf_list_len(struct doca_rdma *rdma,
							 uint32_t buf_list_len)
{
	return set(rdma, RECEIVE_LIST_LEN, buf_list_len, __func__);
}

doca_error_t doca_rdma_task_receive_get_dst_buf_list_len(const struct doca_rdma *rdma,
							 uint32_t *buf_list_len)
{
	return get(rdma, RECEIVE_LIST_LEN, buf_list_len, __func__);
}

/* What its device cannot do is an answer, and is not logged. */
doca_error_t doca_rdma_set_transport_type(struct doca_rdma *rdma,
					  enum doca_rdma_transport_type transport_type)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result == DOCA_SUCCESS)
		result =
		    doca_rdma_cap_transport_type_is_supported(&rdma->dev->info, transport_type);
	return result == DOCA_SUCCESS ? set(rdma, TRANSPORT, transport_type, __func__) : result;
}

doca_error_t doca_rdma_get_transport_type(const struct doca_rdma *rdma,
					  enum doca_rdma_transport_type *transport_type)
{
	uint32_t number = 0;
	doca_error_t result;

	if (transport_type == NULL)
		return core_null_argument(__func__);
	result = get(rdma, TRANSPORT, &number, __func__);
	if (result == DOCA_SUCCESS)
		*transport_type = number;
	return result;
}

doca_error_t doca_rdma_set_mtu(struct doca_rdma *rdma, enum doca_mtu_size mtu)
{
	doca_error_t result = check_settable(rdma, __func__);

	if (result == DOCA_SUCCESS && mtu == DOCA_MTU_SIZE_RAW_ETHERNET)
		return refuse(rdma, __func__, mtu, DOCA_ERROR_NOT_SUPPORTED);
	return result == DOCA_SUCCESS ? set(rdma, MTU, mtu, __func__) : result;
}

doca_error_t doca_rdma_get_mtu(const struct doca_rdma *rdma, enum doca_mtu_size *mtu)
{
	uint32_t number = 0;
	doca_error_t result;

	if (mtu == NULL)
		return core_null_argument(__func__);
	result = get(rdma, MTU, &number, __func__);
	if (result == DOCA_SUCCESS)
		*mtu = number;
	return result;
}

doca_error_t doca_rdma_set_permissions(struct doca_rdma *rdma, uint32_t permissions)
{
	return set(rdma, PERMITTED, permissions, __func__);
}

doca_error_t doca_rdma_get_permissions(struct doca_rdma *rdma, uint32_t *permissions)
{
	return get(rdma, PERMITTED, permissions, __func__);
}

doca_error_t doca_rdma_set_grh_enabled(struct doca_rdma *rdma, uint8_t grh_enabled)
{
	return set(rdma, GRH_ENABLED, grh_enabled, __func__);
}

doca_error_t doca_rdma_get_grh_enabled(const struct doca_rdma *rdma, uint8_t *grh_enabled)
{
	return get_u8(rdma, GRH_ENABLED, grh_enabled, __func__);
}

doca_error_t doca_rdma_set_gid_index(struct doca_rdma *rdma, uint32_t gid_index)
{
	return set(rdma, GID_INDEX, gid_index, __func__);
}

doca_error_t doca_rdma_get_gid_index(const struct doca_rdma *rdma, uint32_t *gid_index)
{
	return get(rdma, GID_INDEX, gid_index, __func__);
}

doca_error_t doca_rdma_set_sl(struct doca_rdma *rdma, uint32_t sl)
{
	return set(rdma, SL, sl, __func__);
}

doca_error_t doca_rdma_get_sl(const struct doca_rdma *rdma, uint32_t *sl)
{
	return get(rdma, SL, sl, __func__);
}

doca_error_t doca_rdma_set_max_num_connections(struct doca_rdma *rdma, uint16_t max_num_connections)
{
	return set(rdma, MAX_CONNECTIONS, max_num_connections, __func__);
}

doca_error_t doca_rdma_get_max_num_connections(struct doca_rdma *rdma,
					       uint16_t *max_num_connections)
{
	return get_u16(rdma, MAX_CONNECTIONS, max_num_connections, __func__);
}

doca_error_t doca_rdma_set_rnr_retry_count(struct doca_rdma *rdma, uint8_t rnr_retry_count)
{
	return set(rdma, RNR_RETRY_COUNT, rnr_retry_count, __func__);
}

doca_error_t doca_rdma_get_rnr_retry_count(const struct doca_rdma *rdma, uint8_t *rnr_retry_count)
{
	return get_u8(rdma, RNR_RETRY_COUNT, rnr_retry_count, __func__);
}
