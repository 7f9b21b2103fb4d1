/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves a process behind that holds what it has inherited. */

#include <unistd.h>

static void __attribute__((constructor)) plugin_scan_stray(void)
{
	if (fork() != 0)
		return;
	for (;;)
		(void)pause();
}
