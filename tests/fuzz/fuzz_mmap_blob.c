/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A mmap descriptor from a stranger. The verdict is compared with one of our own, and a mmap that
 * was made must be just what the bytes say.
 */

#include <stdbool.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>

#include "blob_input.h"
#include "core/mmap.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define MAGIC     "OMAP"
#define BLOB_SIZE 68

/* Where the fields of a descriptor lie; instance, device and key may be anything. */
#define AT_KIND        8
#define AT_RESERVED    10
#define AT_PERMISSIONS 12
#define AT_ADDR        48
#define AT_LEN         56

static struct doca_dev *dev;
static struct doca_buf_inventory *inventory;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	dev = blob_input_open();
	CHECK(doca_buf_inventory_create(1, &inventory) == DOCA_SUCCESS);
	CHECK(doca_buf_inventory_start(inventory) == DOCA_SUCCESS);
	return 0;
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
	uint64_t addr, len, kind;

	if (!blob_is_sound(blob, size, MAGIC, BLOB_SIZE))
		return DOCA_ERROR_INVALID_VALUE;
	kind = blob_number_at(blob + AT_KIND, 2);
	if (kind == CORE_MMAP_KIND_PCI)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (kind != CORE_MMAP_KIND_RDMA || blob_number_at(blob + AT_RESERVED, 2) != 0)
		return DOCA_ERROR_INVALID_VALUE;
	addr = blob_number_at(blob + AT_ADDR, 8);
	len = blob_number_at(blob + AT_LEN, 8);
	if (addr == 0 || len == 0 || addr + len < addr) /* wraps, be it to 0 */
		return DOCA_ERROR_INVALID_VALUE;
	return rights_can_be((uint32_t)blob_number_at(blob + AT_PERMISSIONS, 4))
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
	CHECK((uintptr_t)addr == blob_number_at(blob + AT_ADDR, 8));
	CHECK(len == blob_number_at(blob + AT_LEN, 8));
	CHECK((uintptr_t)addr <= UINTPTR_MAX - len);
	CHECK(core_mmap_blob_decode(blob, BLOB_SIZE, &record) == DOCA_SUCCESS);
	CHECK(core_mmap_blob_size() == BLOB_SIZE);
	core_mmap_blob_encode(&record, again);
	CHECK(memcmp(again, blob, BLOB_SIZE) == 0);
	check_bufs(mmap, addr, len);
}

static void check_blob(const uint8_t *blob, size_t size)
{
	doca_error_t expected = verdict(blob, size);
	struct doca_mmap *mmap = NULL;
	doca_error_t result;

	(void)blob_input_take_lines();
	result = doca_mmap_create_from_export(NULL, blob, size, dev, &mmap);
	CHECK(result == expected);
	CHECK(blob_input_take_lines() == (result != DOCA_SUCCESS));
	CHECK((mmap != NULL) == (result == DOCA_SUCCESS));
	if (result != DOCA_SUCCESS)
		return;
	check_imported(mmap, blob);
	CHECK(doca_mmap_destroy(mmap) == DOCA_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	blob_input_try(input, size, MAGIC, check_blob);
	return 0;
}
