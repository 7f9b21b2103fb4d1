/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what is not asked for, more than a pipe holds. */

#include <stdio.h>

static void __attribute__((constructor)) plugin_scan_print(void)
{
	for (int i = 0; i < 10000; i++) {
		(void)printf("plugin 99 0x1\n");
		(void)fprintf(stderr, "hello, here I am\n");
	}
}
