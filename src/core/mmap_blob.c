/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/mmap.h"

#include "core/blob.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::MMAP_BLOB);

#define RECORD_FIELD(member) CORE_BLOB_FIELD(struct core_mmap_record, member)

static const struct core_blob_field fields[] = {
	RECORD_FIELD(kind),         RECORD_FIELD(reserved),  RECORD_FIELD(permissions),
	RECORD_FIELD(key.instance), RECORD_FIELD(device_id), RECORD_FIELD(key.index),
	RECORD_FIELD(key.tag),      RECORD_FIELD(addr),      RECORD_FIELD(len),
};

static const struct core_blob_format format = {
	.name = "mmap descriptor",
	.magic = 0x50414d4f, /* "OMAP" */
	.version = 1,
	.fields = fields,
	.num_fields = CORE_ARRAY_LEN(fields),
};

size_t core_mmap_blob_size(void)
{
	return core_blob_size(&format);
}

void core_mmap_blob_encode(const struct core_mmap_record *record, uint8_t *blob)
{
	core_blob_encode(&format, record, blob);
}

static doca_error_t record_check(const struct core_mmap_record *record)
{
	if (record->kind == CORE_MMAP_KIND_PCI) {
		DOCA_LOG_ERR("mmap descriptor: made for PCI, which no device here supports");
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	if (record->kind != CORE_MMAP_KIND_RDMA || record->reserved != 0) {
		DOCA_LOG_ERR("mmap descriptor: kind %u is not known", record->kind);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (record->len == 0 || record->addr == 0 || record->addr > UINT64_MAX - record->len) {
		DOCA_LOG_ERR("mmap descriptor: 0x%llx + %llu is no range",
			     (unsigned long long)record->addr, (unsigned long long)record->len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if ((record->permissions & CORE_MMAP_RDMA_FLAGS) == 0) {
		DOCA_LOG_ERR("mmap descriptor: permits nothing to a peer");
		return DOCA_ERROR_INVALID_VALUE;
	}
	return core_mmap_check_permissions(record->permissions);
}

doca_error_t core_mmap_blob_decode(const void *blob, size_t len, struct core_mmap_record *record)
{
	struct core_mmap_record decoded;
	doca_error_t result = core_blob_decode(&format, blob, len, &decoded);

	if (result == DOCA_SUCCESS)
		result = record_check(&decoded);
	if (result == DOCA_SUCCESS)
		*record = decoded;
	return result;
}
