/* SPDX-License-Identifier: BSD-3-Clause */
/* One of the two functions of a plugin. */

#include <doca_error.h>
#include <stdint.h>

doca_error_t urom_plugin_get_version(uint64_t *version);

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	*version = 1;
	return DOCA_SUCCESS;
}
