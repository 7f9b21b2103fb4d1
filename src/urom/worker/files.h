/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_FILES_H_
#define UROMW_FILES_H_

/*
 * The descriptors of the process. UCX ends it when it finds none while a host attaches, and with it
 * the commands of all other hosts; so it is looked beforehand.
 */

#include <stdint.h>

struct uromw_files {
	uint64_t max;  /* that it may have; RLIM_INFINITY: any number */
	uint64_t left; /* that it can still open; what cannot be seen counts as left */
};

void uromw_files_count(struct uromw_files *files);

#endif /* UROMW_FILES_H_ */
