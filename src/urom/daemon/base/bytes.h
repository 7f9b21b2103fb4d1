/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_BYTES_H_
#define UROMD_BYTES_H_

/* Bytes of a message that are kept longer than it. Zeroed memory is none. */

#include <doca_error.h>

#include "urom/wire/wire.h"

struct uromd_bytes {
	void *data; /* owned */
	uint32_t len;
};

/* Errors: NO_MEMORY. */
doca_error_t uromd_bytes_copy(struct uromd_bytes *bytes, const struct wire_bytes *from);

/* Frees them; may be called again. */
void uromd_bytes_fini(struct uromd_bytes *bytes);

/* As they stand in a record. */
static inline struct wire_bytes uromd_bytes_view(const struct uromd_bytes *bytes)
{
	return (struct wire_bytes){ .data = bytes->data, .len = bytes->len };
}

#endif /* UROMD_BYTES_H_ */
