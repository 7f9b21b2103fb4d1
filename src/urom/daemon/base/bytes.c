/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/base/bytes.h"

#include <stdlib.h>
#include <string.h>

doca_error_t uromd_bytes_copy(struct uromd_bytes *bytes, const struct wire_bytes *from)
{
	void *data = malloc((size_t)from->len + 1); /* NULL is no memory, even for none */

	if (data == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (from->len > 0)
		memcpy(data, from->data, from->len);
	*bytes = (struct uromd_bytes){ .data = data, .len = from->len };
	return DOCA_SUCCESS;
}

void uromd_bytes_fini(struct uromd_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct uromd_bytes){ .data = NULL };
}
