/* SPDX-License-Identifier: BSD-3-Clause */
/* Never comes back from being loaded. */

#include <signal.h>
#include <unistd.h>

static void __attribute__((constructor)) plugin_scan_hang(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	for (;;)
		(void)pause();
}
