/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_KEY_H_
#define CORE_KEY_H_

/*
 * What names a piece of this process's memory to a peer: the process, an index in it, and a random
 * tag that a peer can only have from a descriptor. key.c makes keys, key_table.c knows the ranges
 * that they stand for.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/export.h"

struct doca_dev;

#define CORE_INSTANCE_SIZE 16

struct core_key {
	uint8_t instance[CORE_INSTANCE_SIZE]; /* random, one for a process; a fork has another */
	uint32_t index;                       /* unique in the process, never used again */
	uint64_t tag;                         /* random */
};

/*
 * Makes a key. Errors: OPERATING_SYSTEM: no random bytes; logged.
 * Thread: any. Source: ours.
 */
CORE_EXPORT doca_error_t core_key_make(struct core_key *key);

/* The memory that a key stands for, and what a peer may do there. */
struct core_key_range {
	char *addr;
	size_t len;                 /* bytes */
	uint32_t permissions;       /* doca_access_flag bits */
	const struct doca_dev *dev; /* over which it may be reached */
};

/*
 * Lets peers reach a range by its key. range: copied.
 * Errors: NO_MEMORY.
 * Thread: any. Source: ours.
 */
doca_error_t core_key_add(const struct core_key *key, const struct core_key_range *range);

/*
 * Makes a key void, and returns when no access that began before goes on. A key that was never
 * added: nothing happens.
 * Thread: any that is in no access itself. Source: ours.
 */
void core_key_remove(const struct core_key *key);

/*
 * Begins an access: false when no range has that index and tag. After true the range stays as it is
 * until core_key_release(), which must come soon, for whoever revokes the key waits for it.
 * range: written on success only. Thread: any. Source: ours.
 */
CORE_EXPORT bool core_key_acquire(uint32_t index, uint64_t tag, struct core_key_range *range);
CORE_EXPORT void core_key_release(uint32_t index);

#endif /* CORE_KEY_H_ */
