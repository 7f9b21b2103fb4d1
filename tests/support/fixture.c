/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

#define PATIENCE_NS   UINT64_C(10000000000)
#define TURN_PAUSE_NS 100000

struct doca_dev *fixture_dev_open_named(const char *name)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	assert_success(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count && dev == NULL; i++) {
		char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];

		assert_success(doca_devinfo_get_ibdev_name(list[i], found, sizeof(found)));
		if (strcmp(found, name) == 0)
			assert_success(doca_dev_open(list[i], &dev));
	}
	assert_success(doca_devinfo_destroy_list(list));
	return dev;
}

struct doca_dev *fixture_dev_open(void)
{
	struct doca_dev *dev = fixture_dev_open_named("soft_lo");

	if (dev == NULL)
		fail_msg("soft_lo is not listed: is the loopback interface up?");
	return dev;
}

struct doca_mmap *fixture_mmap_create(struct doca_dev *dev, void *addr, size_t len,
				      uint32_t permissions)
{
	struct doca_mmap *mmap;

	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, addr, len));
	assert_success(doca_mmap_set_permissions(mmap, permissions));
	if (dev != NULL)
		assert_success(doca_mmap_add_dev(mmap, dev));
	assert_success(doca_mmap_start(mmap));
	return mmap;
}

void fixture_mmap_destroy(struct doca_mmap *mmap)
{
	assert_success(doca_mmap_stop(mmap));
	assert_success(doca_mmap_destroy(mmap));
}

struct doca_buf_inventory *fixture_inventory_create(size_t num_elements)
{
	struct doca_buf_inventory *inventory;

	assert_success(doca_buf_inventory_create(num_elements, &inventory));
	assert_success(doca_buf_inventory_start(inventory));
	return inventory;
}

void fixture_inventory_destroy(struct doca_buf_inventory *inventory)
{
	assert_success(doca_buf_inventory_stop(inventory));
	assert_success(doca_buf_inventory_destroy(inventory));
}

void fixture_memory_init(struct fixture_memory *memory, size_t len, size_t num_bufs)
{
	memory->dev = fixture_dev_open();
	memory->bytes = calloc(1, len);
	memory->len = len;
	assert_non_null(memory->bytes);
	memory->mmap =
	    fixture_mmap_create(memory->dev, memory->bytes, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	memory->inventory = fixture_inventory_create(num_bufs);
}

void fixture_memory_fini(struct fixture_memory *memory)
{
	fixture_inventory_destroy(memory->inventory);
	fixture_mmap_destroy(memory->mmap);
	assert_success(doca_dev_close(memory->dev));
	free(memory->bytes);
}

struct doca_buf *fixture_buf(struct fixture_memory *memory, size_t offset, size_t len,
			     size_t data_offset, size_t data_len)
{
	char *head = memory->bytes + offset;
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(memory->inventory, memory->mmap, head,
							  len, head + data_offset, data_len, &buf));
	return buf;
}

void fixture_buf_put(struct doca_buf *buf)
{
	assert_success(doca_buf_dec_refcount(buf, NULL));
}

uint8_t fixture_turn(struct doca_pe *pe)
{
	const uint8_t told = doca_pe_progress(pe);

	if (told == 0)
		(void)nanosleep(&(struct timespec){ .tv_nsec = TURN_PAUSE_NS }, NULL);
	return told;
}

void fixture_progress_to(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states state)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	enum doca_ctx_states now;

	for (;;) {
		assert_success(doca_ctx_get_state(ctx, &now));
		if (now == state)
			return;
		if (test_now_ns() > end)
			fail_msg("the context is in state %d, not %d", (int)now, (int)state);
		(void)fixture_turn(pe);
	}
}
