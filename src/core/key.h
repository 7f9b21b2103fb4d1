/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_KEY_H_
#define CORE_KEY_H_

/*
 * What names a piece of this process's memory to a peer: the process, an index in it, and a random
 * tag that a peer can only have from a descriptor.
 */

#include <stdint.h>

#include <doca_error.h>

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
doca_error_t core_key_make(struct core_key *key);

#endif /* CORE_KEY_H_ */
