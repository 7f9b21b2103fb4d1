/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PEER_MEMORY_H_
#define PEER_MEMORY_H_

/*
 * The memory of a peer's process, as process_vm_readv() would find it: linked in its place. It has
 * the peer's secret, and a stretch of bytes that can be pulled; whatever else is asked for is not
 * mapped. What is asked for must be what the requests of a stream say.
 */

#include <stddef.h>
#include <stdint.h>

#include "rdma/rdma.h"

#define PEER_MEMORY_SECRET_AT UINT64_C(0x5ec0)
#define PEER_MEMORY_START     UINT64_C(0x700000)
#define PEER_MEMORY_BYTES     (UINT64_C(320) * 1024)

extern const uint8_t peer_memory_secret[DRDMA_SECRET_SIZE];

/*
 * From here on the pieces of that stream of requests may be pulled, one after the other, and
 * nothing else. stream: borrowed until the next call.
 */
void peer_memory_set_stream(const uint8_t *stream, size_t len);

#endif /* PEER_MEMORY_H_ */
