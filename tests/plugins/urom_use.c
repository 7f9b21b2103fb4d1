/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_use.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB ((size_t)1 << 20)

void urom_use_output(size_t len)
{
	static const char line[] = "a plugin says more than anybody wants to hear of it\n";

	for (size_t done = 0; done < len; done += strlen(line)) {
		fputs(line, stdout);
		fputs(line, stderr);
	}
}

bool urom_use_space(uint32_t num_mib)
{
	return mmap(NULL, num_mib * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0) != MAP_FAILED;
}

void urom_use_memory(uint32_t num_mib)
{
	for (uint32_t i = 0; i < num_mib; i++) {
		void *filled =
		    mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (filled == MAP_FAILED)
			abort();
		memset(filled, 1, MIB);
	}
}

void urom_use_processor(void)
{
	volatile bool is_over = false;

	while (!is_over)
		continue;
}
