/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A mmap descriptor from a stranger. Each input is tried as it is, and once more with header,
 * length and checksum made right, without which hardly any would reach the fields. The verdict is
 * compared with one of our own, and a mmap that was made must be just what the bytes say.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_log.h>

#include "core/mmap.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define HEADER_SIZE 8
#define CRC_SIZE    4
#define BLOB_SIZE   68

/* Where the fields of a descriptor lie; instance, device and key may be anything. */
#define AT_KIND        8
#define AT_RESERVED    10
#define AT_PERMISSIONS 12
#define AT_ADDR        48
#define AT_LEN         56

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

static struct doca_dev *dev;
static struct doca_buf_inventory *inventory;
static char line[1024];
static unsigned int num_lines;

static void on_line(char *text)
{
	(void)text;
	num_lines++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct doca_log_backend *backend;
	struct doca_devinfo **list;
	uint32_t count;

	(void)argc;
	(void)argv;
	CHECK(setenv("DOCA_SOFT_DEVICES", "fuzzed@0000:00:00.0@lo", 1) == 0);
	CHECK(doca_log_backend_create_with_buf_sdk(line, sizeof(line), on_line, &backend) ==
	      DOCA_SUCCESS);
	CHECK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING) == DOCA_SUCCESS);
	CHECK(doca_devinfo_create_list(&list, &count) == DOCA_SUCCESS && count > 0);
	CHECK(doca_dev_open(list[count - 1], &dev) == DOCA_SUCCESS);
	CHECK(doca_devinfo_destroy_list(list) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_create(1, &inventory) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	return 0;
}

static uint64_t number_at(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

static void number_put(uint8_t *at, uint64_t value, size_t size)
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

static bool rights_can_be(uint32_t rights)
{
	const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;
	const uint32_t remote_write = DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;

	if (rights > 127 || (rights & pci) == pci || (rights & CORE_MMAP_RDMA_FLAGS) == 0)
		return false;
	return (rights & remote_write) == 0 || (rights & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0;
}

/* What create_from_export has to answer. */
static doca_error_t verdict(const uint8_t *blob, size_t size)
{
	static const uint8_t header[HEADER_SIZE] = { 'O', 'M', 'A', 'P', 1, 0, BLOB_SIZE, 0 };
	uint64_t addr, len, kind;

	if (size != BLOB_SIZE || memcmp(blob, header, sizeof(header)) != 0 ||
	    number_at(blob + BLOB_SIZE - CRC_SIZE, CRC_SIZE) != crc_of(blob, BLOB_SIZE - CRC_SIZE))
		return DOCA_ERROR_INVALID_VALUE;
	kind = number_at(blob + AT_KIND, 2);
	if (kind == CORE_MMAP_KIND_PCI)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (kind != CORE_MMAP_KIND_RDMA || number_at(blob + AT_RESERVED, 2) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	addr = number_at(blob + AT_ADDR, 8);
	len = number_at(blob + AT_LEN, 8);
	if (addr == 0 || len == 0 || addr + len < addr) /* wraps, be it to 0 */
		return DOCA_ERROR_INVALID_VALUE;
	return rights_can_be((uint32_t)number_at(blob + AT_PERMISSIONS, 4))
		   ? DOCA_SUCCESS
		   : DOCA_ERROR_INVALID_VALUE;
}

/* A buf of all of the range can be had, and none that is a byte longer. */
static void check_bufs(struct doca_mmap *mmap, char *addr, size_t len)
{
	struct doca_buf *buf;

	CHECK(doca_buf_inventory_buf_get_by_data(inventory, mmap, addr, len, &buf) == DOCA_SUCCESS);
	CHECK(doca_buf_dec_refcount(buf, NULL) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_buf_get_by_data(inventory, mmap, addr, len + 1, &buf) ==
	      DOCA_ERROR_INVALID_VALUE);
}

static void check_imported(struct doca_mmap *mmap, const uint8_t *blob)
{
	struct core_mmap_record record;
	uint8_t again[BLOB_SIZE];
	void *addr;
	size_t len;

	CHECK(doca_mmap_get_memrange(mmap, &addr, &len) == DOCA_SUCCESS);
	CHECK((uintptr_t)addr == number_at(blob + AT_ADDR, 8));
	CHECK(len == number_at(blob + AT_LEN, 8));
	CHECK((uintptr_t)addr <= UINTPTR_MAX - len);
	CHECK(core_mmap_blob_decode(blob, BLOB_SIZE, &record) == DOCA_SUCCESS);
	CHECK(core_mmap_blob_size() == BLOB_SIZE);
	core_mmap_blob_encode(&record, again);
	CHECK(memcmp(again, blob, BLOB_SIZE) == 0);
	check_bufs(mmap, addr, len);
}

/* blob: at the end of its memory, so that the sanitizer sees a step behind it. */
static void check_blob(const uint8_t *blob, size_t size)
{
	doca_error_t expected = verdict(blob, size);
	struct doca_mmap *mmap = NULL;
	doca_error_t result;

	num_lines = 0;
	result = doca_mmap_create_from_export(NULL, blob, size, dev, &mmap);
	CHECK(result == expected);
	if (result != DOCA_SUCCESS) {
		CHECK(mmap == NULL);
		CHECK(num_lines == 1);
		return;
	}
	CHECK(num_lines == 0);
	check_imported(mmap, blob);
	CHECK(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint8_t *blob;

	check_blob(input, size);
	if (size < HEADER_SIZE + CRC_SIZE)
		return 0;
	blob = malloc(size);
	CHECK(blob != NULL);
	memcpy(blob, input, size);
	memcpy(blob, "OMAP\1\0", 6);
	number_put(blob + 6, size, 2);
	number_put(blob + size - CRC_SIZE, crc_of(blob, size - CRC_SIZE), CRC_SIZE);
	check_blob(blob, size);
	free(blob);
	return 0;
}
