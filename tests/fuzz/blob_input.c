/* SPDX-License-Identifier: BSD-3-Clause */
#include "blob_input.h"

#include <string.h>

#include <doca_log.h>

#define MAGIC_SIZE   4
#define VERSION_SIZE 2
#define LENGTH_SIZE  2

static char line[1024];
static unsigned int num_lines;

static void on_line(char *text)
{
	(void)text;
	num_lines++;
}

struct doca_dev *blob_input_open(void)
{
	struct doca_log_backend *backend;
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count;

	CHECK(setenv("DOCA_SOFT_DEVICES", "fuzzed@0000:00:00.0@lo", 1) == 0);
	CHECK(doca_log_backend_create_with_buf_sdk(line, sizeof(line), on_line, &backend) ==
	      DOCA_SUCCESS);
	CHECK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS);
	CHECK(doca_devinfo_create_list(&list, &count) == DOCA_SUCCESS && count > 0);
	CHECK(doca_dev_open(list[count - 1], &dev) == DOCA_SUCCESS);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
	return dev;
}

unsigned int blob_input_take_lines(void)
{
	unsigned int count = num_lines;

	num_lines = 0;
	return count;
}

uint64_t blob_number_at(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

void blob_number_put(uint8_t *at, uint64_t value, size_t size)
{
	for (; size > 0; size--, value >>= 8)
		*at++ = (uint8_t)value;
}

/* CRC-32 by half bytes, unlike the decoder's by bits. */
static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc = crc >> 4 ^ table[(crc ^ bytes[i]) & 15];
		crc = crc >> 4 ^ table[(crc ^ bytes[i] >> 4) & 15];
	}
	return ~crc;
}

int blob_is_sound(const uint8_t *blob, size_t len, const char *magic, size_t size)
{
	return len == size && memcmp(blob, magic, MAGIC_SIZE) == 0 &&
	       blob_number_at(blob + MAGIC_SIZE, VERSION_SIZE) == 1 &&
	       blob_number_at(blob + MAGIC_SIZE + VERSION_SIZE, LENGTH_SIZE) == size &&
	       blob_number_at(blob + size - BLOB_CRC_SIZE, BLOB_CRC_SIZE) ==
		   crc_of(blob, size - BLOB_CRC_SIZE);
}

void blob_input_try(const uint8_t *input, size_t len, const char *magic,
		    void (*check)(const uint8_t *blob, size_t len))
{
	uint8_t *blob;

	check(input, len);
	if (len < BLOB_HEADER_SIZE + BLOB_CRC_SIZE)
		return;
	blob = malloc(len);
	CHECK(blob != NULL);
	memcpy(blob, input, len);
	memcpy(blob, magic, MAGIC_SIZE);
	blob_number_put(blob + MAGIC_SIZE, 1, VERSION_SIZE);
	blob_number_put(blob + MAGIC_SIZE + VERSION_SIZE, len, LENGTH_SIZE);
	blob_number_put(blob + len - BLOB_CRC_SIZE, crc_of(blob, len - BLOB_CRC_SIZE),
			BLOB_CRC_SIZE);
	check(blob, len);
	free(blob);
}
