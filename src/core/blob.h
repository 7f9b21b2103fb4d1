/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_BLOB_H_
#define CORE_BLOB_H_

/*
 * Descriptors that one process makes and another takes in: a header, the fields of a record in
 * little-endian order, and a CRC. The fields are a table, from which both directions come. A blob
 * comes from strangers: decoding trusts nothing, and what it accepts is still only a claim.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/export.h"

/* A member of the record: an integer of 2, 4 or 8 bytes, or raw bytes of any other size. */
struct core_blob_field {
	uint16_t offset;
	uint16_t size; /* bytes, in the record and in the blob */
};

#define CORE_BLOB_FIELD(type, member)                               \
	{                                                           \
		offsetof(type, member), sizeof(((type *)0)->member) \
	}

struct core_blob_format {
	const char *name; /* for log lines */
	uint32_t magic;
	uint16_t version;
	const struct core_blob_field *fields;
	size_t num_fields;
};

/* The bytes of a blob of this format. */
CORE_EXPORT size_t core_blob_size(const struct core_blob_format *format);

/* Writes core_blob_size() bytes. record: borrowed for the call. */
CORE_EXPORT void core_blob_encode(const struct core_blob_format *format, const void *record,
				  uint8_t *blob);

/*
 * Reads a blob of len bytes; the record is written on success only.
 * Errors: INVALID_VALUE: not this format, another version, cut, or altered; logged.
 */
CORE_EXPORT doca_error_t core_blob_decode(const struct core_blob_format *format, const void *blob,
					  size_t len, void *record);

#endif /* CORE_BLOB_H_ */
