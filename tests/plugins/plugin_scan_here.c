/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is there. */

#include "plugin_scan_needy.h"

int plugin_scan_here(void)
{
	return 100;
}
