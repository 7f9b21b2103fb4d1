/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/blob.h"

#include <stdbool.h>
#include <string.h>

#include "core/log.h"

CORE_LOG_REGISTER(CORE::BLOB);

/* Header: magic, version, length of the whole. Trailer: CRC-32 of all before it. */
#define MAGIC_SIZE   4
#define VERSION_SIZE 2
#define LENGTH_SIZE  2
#define HEADER_SIZE  (MAGIC_SIZE + VERSION_SIZE + LENGTH_SIZE)
#define CRC_SIZE     4

/* The reflected polynomial of IEEE 802.3. */
#define CRC_POLYNOMIAL UINT32_C(0xedb88320)

static uint32_t crc32_of(const uint8_t *bytes, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (CRC_POLYNOMIAL & -(crc & 1));
	}
	return ~crc;
}

static uint8_t *put_integer(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*at++ = (uint8_t)(value >> (8 * i));
	return at;
}

static uint64_t get_integer(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Writes one field of the record to the blob. */
static uint8_t *put_field(uint8_t *at, const void *member, size_t size)
{
	union {
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value;

	memcpy(&value, member, size <= sizeof(value) ? size : 0);
	switch (size) {
	case sizeof(value.u16):
		return put_integer(at, value.u16, size);
	case sizeof(value.u32):
		return put_integer(at, value.u32, size);
	case sizeof(value.u64):
		return put_integer(at, value.u64, size);
	default:
		memcpy(at, member, size);
		return at + size;
	}
}

/* Reads one field of the blob to the record. */
static void get_field(const uint8_t *at, void *member, size_t size)
{
	const uint64_t u64 = size <= sizeof(u64) ? get_integer(at, size) : 0;
	const uint32_t u32 = (uint32_t)u64;
	const uint16_t u16 = (uint16_t)u64;

	switch (size) {
	case sizeof(u16):
		memcpy(member, &u16, size);
		break;
	case sizeof(u32):
		memcpy(member, &u32, size);
		break;
	case sizeof(u64):
		memcpy(member, &u64, size);
		break;
	default:
		memcpy(member, at, size);
	}
}

size_t core_blob_size(const struct core_blob_format *format)
{
	size_t size = HEADER_SIZE + CRC_SIZE;

	for (size_t i = 0; i < format->num_fields; i++)
		size += format->fields[i].size;
	return size;
}

void core_blob_encode(const struct core_blob_format *format, const void *record, uint8_t *blob)
{
	uint8_t *at = blob;

	at = put_integer(at, format->magic, MAGIC_SIZE);
	at = put_integer(at, format->version, VERSION_SIZE);
	at = put_integer(at, core_blob_size(format), LENGTH_SIZE);
	for (size_t i = 0; i < format->num_fields; i++)
		at = put_field(at, (const char *)record + format->fields[i].offset,
			       format->fields[i].size);
	(void)put_integer(at, crc32_of(blob, (size_t)(at - blob)), CRC_SIZE);
}

static doca_error_t blob_refuse(const struct core_blob_format *format, const char *why)
{
	DOCA_LOG_ERR("%s: %s", format->name, why);
	return DOCA_ERROR_INVALID_VALUE;
}

static doca_error_t blob_check(const struct core_blob_format *format, const uint8_t *blob,
			       size_t len)
{
	size_t size = core_blob_size(format);

	if (len < HEADER_SIZE || get_integer(blob, MAGIC_SIZE) != format->magic)
		return blob_refuse(format, "the bytes are something else");
	if (get_integer(blob + MAGIC_SIZE, VERSION_SIZE) != format->version)
		return blob_refuse(format, "made by another version");
	if (len != size || get_integer(blob + MAGIC_SIZE + VERSION_SIZE, LENGTH_SIZE) != size)
		return blob_refuse(format, "of the wrong length");
	if (get_integer(blob + size - CRC_SIZE, CRC_SIZE) != crc32_of(blob, size - CRC_SIZE))
		return blob_refuse(format, "damaged: the checksum is wrong");
	return DOCA_SUCCESS;
}

doca_error_t core_blob_decode(const struct core_blob_format *format, const void *blob, size_t len,
			      void *record)
{
	const uint8_t *at = blob;
	doca_error_t result = blob_check(format, blob, len);

	if (result != DOCA_SUCCESS)
		return result;
	at += HEADER_SIZE;
	for (size_t i = 0; i < format->num_fields; i++) {
		get_field(at, (char *)record + format->fields[i].offset, format->fields[i].size);
		at += format->fields[i].size;
	}
	return DOCA_SUCCESS;
}
