/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What makes the plugin of the tests one that needs a library: when it is open, the variable
 * UROM_NEEDED tells which one it has got.
 */
#include <stdlib.h>

#include "urom_needed.h"

void urom_test_opened(void);

void urom_test_opened(void)
{
	setenv("UROM_NEEDED", urom_needed_text(), 1);
}
