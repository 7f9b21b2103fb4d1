/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is not there when a plugin is looked at. */

#include "plugin_scan_needy.h"

const int plugin_scan_gone_numbers[1000] = { 41 };

int plugin_scan_gone(int number)
{
	return number + plugin_scan_gone_numbers[0];
}
