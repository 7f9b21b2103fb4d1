/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin that needs two libraries. Its version is 101 without the one that is gone, which then is
 * all zeros, and 142 with it.
 */

#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "plugin_scan_needy.h"

doca_error_t urom_plugin_get_version(uint64_t *version);
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);

/* Needed as soon as the plugin is loaded, as the numbers are. */
extern int (*plugin_scan_pointer)(int number);
int (*plugin_scan_pointer)(int number) = plugin_scan_gone;

static void on_close(struct urom_worker_ctx *ctx)
{
	ctx->plugin_ctx = (void *)(uintptr_t)plugin_scan_gone(1);
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	*version = (uint64_t)(1 + plugin_scan_gone_numbers[0] + plugin_scan_here());
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	*iface = (struct urom_plugin_iface){
		.__doca_api_version = DOCA_VERSION_EXACT,
		.close = on_close,
	};
	return DOCA_SUCCESS;
}
