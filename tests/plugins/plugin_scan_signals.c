/* SPDX-License-Identifier: BSD-3-Clause */
/* Has for its version the number of signals that are blocked when it is loaded, and 1000. */

#include <signal.h>
#include <stdint.h>

extern uint64_t plugin_scan_version;

static void __attribute__((constructor)) plugin_scan_signals(void)
{
	sigset_t blocked;

	(void)sigprocmask(SIG_BLOCK, NULL, &blocked);
	plugin_scan_version = 1000;
	for (int i = 1; i <= SIGRTMAX; i++)
		plugin_scan_version += (uint64_t)(sigismember(&blocked, i) == 1);
}
