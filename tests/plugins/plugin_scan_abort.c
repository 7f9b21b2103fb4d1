/* SPDX-License-Identifier: BSD-3-Clause */
/* Crashes as soon as it is loaded. */

#include <stdio.h>
#include <stdlib.h>

static void __attribute__((constructor)) plugin_scan_abort(void)
{
	(void)fprintf(stderr, "this\tis the end\nof it\n");
	abort();
}
