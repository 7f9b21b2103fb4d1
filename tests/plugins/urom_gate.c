/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's program, with a point "exec" before it: the process is there and has said nothing.
 */
#include <stdio.h>
#include <unistd.h>

#include "urom_point.h"

int main(int argc, char **argv)
{
	(void)argc;
	urom_point_reach("exec");
	execv(DOCA_UROM_WORKER, argv);
	perror(DOCA_UROM_WORKER);
	return 127;
}
