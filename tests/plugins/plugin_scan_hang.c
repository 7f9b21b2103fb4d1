/* SPDX-License-Identifier: BSD-3-Clause */
/* Never comes back from being loaded, nor does what it has started. */

#include <signal.h>
#include <unistd.h>

static void __attribute__((constructor)) plugin_scan_hang(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	(void)fork();
	for (;;)
		(void)pause();
}
