/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_needed.h"

__attribute__((visibility("default"))) const char *urom_needed_text(void)
{
	return UROM_NEEDED_TEXT;
}
