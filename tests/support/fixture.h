/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIXTURE_H_
#define FIXTURE_H_

/* Objects that many tests need, made so that a failure fails the test. */

#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>

/* Opens the software device of the loopback interface. owned: close with doca_dev_close(). */
struct doca_dev *fixture_dev_open(void);

/* Opens the device of that name, or returns NULL when it is not listed. owned, as above. */
struct doca_dev *fixture_dev_open_named(const char *name);

/*
 * A started mmap over [addr, addr + len]. dev: added; NULL: none. owned: fixture_mmap_destroy().
 */
struct doca_mmap *fixture_mmap_create(struct doca_dev *dev, void *addr, size_t len,
				      uint32_t permissions);
void fixture_mmap_destroy(struct doca_mmap *mmap);

/* A started inventory. owned: fixture_inventory_destroy(). */
struct doca_buf_inventory *fixture_inventory_create(size_t num_elements);
void fixture_inventory_destroy(struct doca_buf_inventory *inventory);

/* Memory with a local read-write mmap for a device over it, and an inventory. */
struct fixture_memory {
	struct doca_dev *dev;
	char *bytes; /* len of them, zeroed */
	size_t len;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

void fixture_memory_init(struct fixture_memory *memory, size_t len, size_t num_bufs);
void fixture_memory_fini(struct fixture_memory *memory);

/* A buf over [offset, offset + len) of the memory, its data section at data_offset in it. */
struct doca_buf *fixture_buf(struct fixture_memory *memory, size_t offset, size_t len,
			     size_t data_offset, size_t data_len);

/* Gives one reference of a buf or of its whole list back. */
void fixture_buf_put(struct doca_buf *buf);

/*
 * One turn of the engine, and what it has told; when it was nothing, with a moment behind it that
 * leaves the processor to those whom the caller waits for.
 */
uint8_t fixture_turn(struct doca_pe *pe);

/* Drives the engine until the context has the state; fails after 10 s. */
void fixture_progress_to(struct doca_pe *pe, struct doca_ctx *ctx, enum doca_ctx_states state);

#endif /* FIXTURE_H_ */
