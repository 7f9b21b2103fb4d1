/* SPDX-License-Identifier: BSD-3-Clause */
/* Both functions, but no answer from the first. */

#include <doca_urom_plugin.h>

doca_error_t urom_plugin_get_version(uint64_t *version);
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	(void)version;
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	(void)iface;
	return DOCA_SUCCESS;
}
