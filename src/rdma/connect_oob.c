/* SPDX-License-Identifier: BSD-3-Clause */

/* Connections by descriptors that the application carries to the peer. */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/blob.h"
#include "core/error.h"
#include "core/log.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::CONNECT);

#define RECORD_FIELD(member) CORE_BLOB_FIELD(struct drdma_conn_record, member)

static const struct core_blob_field fields[] = {
	RECORD_FIELD(provider), RECORD_FIELD(transport), RECORD_FIELD(byte_order),
	RECORD_FIELD(port),     RECORD_FIELD(conn_id),   RECORD_FIELD(has),
	RECORD_FIELD(instance), RECORD_FIELD(secret),    RECORD_FIELD(host),
	RECORD_FIELD(listener), RECORD_FIELD(ipv4),      RECORD_FIELD(ipv6),
};

static const struct core_blob_format format = {
	.name = "connection descriptor",
	.magic = 0x4e4f434f, /* "OCON" */
	.version = 1,
	.fields = fields,
	.num_fields = CORE_ARRAY_LEN(fields),
};

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define OWN_BYTE_ORDER DRDMA_LITTLE_ENDIAN
#else
#define OWN_BYTE_ORDER DRDMA_BIG_ENDIAN
#endif

static uint32_t last_conn_id; /* atomic; ids begin at 1 and are unique in the process */

size_t drdma_record_size(void)
{
	return core_blob_size(&format);
}

doca_error_t drdma_record_encode(const struct drdma_conn_record *record, uint8_t **blob)
{
	uint8_t *bytes = malloc(core_blob_size(&format));

	if (bytes == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_blob_encode(&format, record, bytes);
	*blob = bytes;
	return DOCA_SUCCESS;
}

doca_error_t drdma_record_decode(const void *blob, size_t len, struct drdma_conn_record *record)
{
	struct drdma_conn_record decoded;

	if (core_blob_decode(&format, blob, len, &decoded) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	if (decoded.byte_order != OWN_BYTE_ORDER) {
		DOCA_LOG_ERR("connection descriptor: from a machine of another byte order");
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	*record = decoded;
	return DOCA_SUCCESS;
}

static doca_error_t refuse(const struct doca_rdma *rdma, const char *func, const char *why,
			   doca_error_t error)
{
	DOCA_LOG_ERR("rdma context %p: %s: %s", (const void *)rdma, func, why);
	return error;
}

static doca_error_t check_running(const struct doca_rdma *rdma, const char *func)
{
	if (rdma->base.state == DOCA_CTX_STATE_RUNNING ||
	    rdma->base.state == DOCA_CTX_STATE_STARTING || rdma->provider_data != NULL)
		return DOCA_SUCCESS;
	return refuse(rdma, func, "the context is not running", DOCA_ERROR_BAD_STATE);
}

/* What names the connection and proves that a peer has its descriptor. */
static doca_error_t record_init(const struct doca_rdma *rdma, struct drdma_conn_record *record)
{
	struct core_key keys[DRDMA_SECRET_SIZE / sizeof(uint64_t)];

	for (size_t i = 0; i < CORE_ARRAY_LEN(keys); i++) {
		if (core_key_make(&keys[i]) != DOCA_SUCCESS)
			return DOCA_ERROR_CONNECTION_ABORTED;
		memcpy(record->secret + i * sizeof(keys[i].tag), &keys[i].tag, sizeof(keys[i].tag));
	}
	memcpy(record->instance, keys[0].instance, sizeof(record->instance));
	record->provider = (uint16_t)rdma->provider->dev_kind;
	record->transport = (uint16_t)rdma->config.transport;
	record->byte_order = OWN_BYTE_ORDER;
	record->conn_id = __atomic_add_fetch(&last_conn_id, 1, __ATOMIC_RELAXED);
	return DOCA_SUCCESS;
}

static doca_error_t conn_open(struct doca_rdma_connection *conn)
{
	struct drdma_queue finished = STAILQ_HEAD_INITIALIZER(finished);
	const struct drdma_provider *provider = conn->rdma->provider;
	doca_error_t result;

	conn->state = DRDMA_CONN_EXPORTED;
	result = record_init(conn->rdma, &conn->record);
	if (result != DOCA_SUCCESS)
		return result;
	if (provider->open_conn(conn) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	if (drdma_record_encode(&conn->record, &conn->blob) == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	(void)provider->disconnect(conn, &finished); /* it is new, so it does not fail */
	drdma_tasks_finish(&finished);
	return DOCA_ERROR_CONNECTION_ABORTED;
}

doca_error_t doca_rdma_export(struct doca_rdma *rdma, const void **local_rdma_conn_details,
			      size_t *local_rdma_conn_details_size,
			      struct doca_rdma_connection **rdma_connection)
{
	struct doca_rdma_connection *conn;
	doca_error_t result;

	if (rdma == NULL || local_rdma_conn_details == NULL ||
	    local_rdma_conn_details_size == NULL || rdma_connection == NULL)
		return core_null_argument(__func__);
	result = check_running(rdma, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (rdma->num_conns >= rdma->config.max_num_connections)
		return refuse(rdma, __func__, "it has its maximum of connections", DOCA_ERROR_FULL);
	conn = drdma_conn_take(rdma);
	result = conn != NULL ? conn_open(conn) : DOCA_ERROR_CONNECTION_ABORTED;
	if (result != DOCA_SUCCESS) {
		if (conn != NULL) /* the application may know it from before */
			drdma_conn_give_back(conn);
		return refuse(rdma, __func__, "no memory, or no random bytes", result);
	}
	drdma_conn_add(conn);
	*local_rdma_conn_details = conn->blob;
	*local_rdma_conn_details_size = core_blob_size(&format);
	*rdma_connection = conn;
	return DOCA_SUCCESS;
}

static bool is_conn_of(const struct doca_rdma *rdma, const struct doca_rdma_connection *conn)
{
	const struct doca_rdma_connection *one;

	TAILQ_FOREACH (one, &rdma->conns, link) {
		if (one == conn)
			return true;
	}
	TAILQ_FOREACH (one, &rdma->ended_conns, link) {
		if (one == conn)
			return true;
	}
	return false;
}

static doca_error_t check_peer(const struct doca_rdma *rdma, const struct drdma_conn_record *peer)
{
	if (peer->provider != (uint16_t)rdma->provider->dev_kind)
		return refuse(rdma, "doca_rdma_connect", "the peer's device is of another kind",
			      DOCA_ERROR_CONNECTION_ABORTED);
	if (peer->transport != (uint16_t)rdma->config.transport)
		return refuse(rdma, "doca_rdma_connect",
			      "the transports are mixed: one side is RC, and the other DC",
			      DOCA_ERROR_CONNECTION_ABORTED);
	return DOCA_SUCCESS;
}

doca_error_t doca_rdma_connect(struct doca_rdma *rdma, const void *remote_rdma_conn_details,
			       size_t remote_rdma_conn_details_size,
			       struct doca_rdma_connection *rdma_connection)
{
	struct drdma_conn_record peer;
	doca_error_t result;

	if (rdma == NULL || remote_rdma_conn_details == NULL || rdma_connection == NULL)
		return core_null_argument(__func__);
	result = check_running(rdma, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (!is_conn_of(rdma, rdma_connection))
		return refuse(rdma, __func__, "not a connection of this context",
			      DOCA_ERROR_INVALID_VALUE);
	if (rdma_connection->blob == NULL)
		return refuse(rdma, __func__, "the connection has ended", DOCA_ERROR_BAD_STATE);
	result =
	    drdma_record_decode(remote_rdma_conn_details, remote_rdma_conn_details_size, &peer);
	if (result == DOCA_SUCCESS)
		result = check_peer(rdma, &peer);
	if (result != DOCA_SUCCESS)
		return result;
	result = rdma->provider->connect(rdma_connection, &peer);
	if (result == DOCA_ERROR_BAD_STATE)
		return refuse(rdma, __func__, "the connection is connected already", result);
	if (result != DOCA_SUCCESS)
		return refuse(rdma, __func__, "there is no memory for it", result);
	return DOCA_SUCCESS;
}
