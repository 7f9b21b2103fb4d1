/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_USER_H_
#define CHAN_CHAN_USER_H_

/*
 * Whose process a peer on this machine is. Memory that UCX shares is for one user alone, and what a
 * number of a user means is said by the user namespace.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The number of this process's user namespace, unique on its machine; 0: the kernel has none. */
uint64_t chan_user_namespace(void);

/* Is it this process's user? user_ns: as above. Thread: any. */
bool chan_user_is_mine(uid_t uid, uint64_t user_ns);

#endif /* CHAN_CHAN_USER_H_ */
