/* SPDX-License-Identifier: BSD-3-Clause */
/* The two functions of a plugin, and nothing that could go wrong in them. */

#include <doca_urom_plugin.h>
#include <doca_version.h>

doca_error_t urom_plugin_get_version(uint64_t *version);
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);

/* Seen from outside, so that it is read by way of the loader. */
extern uint64_t plugin_scan_version;
uint64_t plugin_scan_version = PLUGIN_SCAN_VERSION;

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*version = plugin_scan_version;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*iface = (struct urom_plugin_iface){ .__doca_api_version = PLUGIN_SCAN_API };
	return DOCA_SUCCESS;
}
