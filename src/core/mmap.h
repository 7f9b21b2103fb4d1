/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_MMAP_H_
#define CORE_MMAP_H_

/*
 * Memory maps: one range of memory, the devices that may reach it and what they may do there.
 * mmap.c has the life and the settings, mmap_export.c the way to other processes, mmap_blob.c the
 * bytes that travel.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_mmap.h>
#include <doca_types.h>

#include "core/export.h"
#include "core/key.h"

#define CORE_MMAP_DEFAULT_MAX_DEVICES 32

/* What a peer may be given: at least one of them, for an export. */
#define CORE_MMAP_RDMA_FLAGS \
	(DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

/* What an exported descriptor says. */
struct core_mmap_record {
	uint16_t kind; /* CORE_MMAP_KIND_ */
	uint16_t reserved;
	uint32_t permissions; /* doca_access_flag bits */
	struct core_key key;
	uint32_t device_id;
	uint64_t addr; /* in the exporter's memory */
	uint64_t len;  /* bytes */
};

#define CORE_MMAP_KIND_RDMA 1
#define CORE_MMAP_KIND_PCI  2

/* A device of a mmap and its export. */
struct core_mmap_dev {
	struct doca_dev *dev; /* held */
	uint8_t *blob;        /* owned; NULL: not exported for this device */
	struct core_mmap_record record;
};

struct doca_mmap {
	char *addr;
	size_t len; /* bytes; 0: no range was set */
	uint32_t permissions;
	bool is_started;
	bool was_started;
	bool is_thread_safe; /* bufs are not counted */
	bool is_from_export;
	unsigned int num_exports;
	struct core_mmap_dev *devs; /* owned, num_devs entries */
	uint32_t num_devs;
	uint32_t max_devs;
	uint32_t num_bufs; /* atomic: several threads may share the mmap, each with an inventory */
	union doca_data user_data;
	doca_mmap_memrange_free_cb_t *free_cb;
	void *free_cb_opaque;
	struct core_mmap_record remote; /* of an imported one */
};

/* Can bufs be made on it? A local one is started; an imported one always can. */
bool core_mmap_is_usable(const struct doca_mmap *mmap);

/* Does [addr, addr + len] lie in its range? Never overflows. */
bool core_mmap_contains(const struct doca_mmap *mmap, const void *addr, size_t len);

/* Was the device added to it, or was it imported on that device? */
CORE_EXPORT bool core_mmap_has_dev(const struct doca_mmap *mmap, const struct doca_dev *dev);

/* A buf of it comes or goes, where bufs are counted. Thread: any. */
void core_mmap_buf_added(struct doca_mmap *mmap);
void core_mmap_buf_removed(struct doca_mmap *mmap);

/* Adds a device to the array and holds it. Errors: NO_MEMORY. */
doca_error_t core_mmap_append_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Makes all exports void; afterwards no peer touches the range any more. */
void core_mmap_revoke(struct doca_mmap *mmap);

/* The bytes of a descriptor. */
size_t core_mmap_blob_size(void);

/* Writes core_mmap_blob_size() bytes. */
void core_mmap_blob_encode(const struct core_mmap_record *record, uint8_t *blob);

/*
 * Reads a descriptor of a range that a peer may be given.
 * Errors: INVALID_VALUE: not one of ours, damaged, or saying what cannot be. NOT_SUPPORTED: it is
 * for PCI. All logged.
 */
doca_error_t core_mmap_blob_decode(const void *blob, size_t len, struct core_mmap_record *record);

/*
 * The check of a set of access flags.
 * Errors: INVALID_VALUE: unknown bits, or bits that exclude each other; logged.
 */
doca_error_t core_mmap_check_permissions(uint32_t access_mask);

#endif /* CORE_MMAP_H_ */
