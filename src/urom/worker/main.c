/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urom/worker/probe.h"

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--probe") == 0)
		return uromw_probe_main(argv[2]);
	(void)fprintf(stderr, "usage: doca_urom_worker --probe SO_PATH\n");
	return EXIT_FAILURE;
}
