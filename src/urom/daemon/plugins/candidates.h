/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CANDIDATES_H_
#define UROMD_CANDIDATES_H_

/* The files that may be plugins, by their names. */

#include <stddef.h>
#include <sys/stat.h>

#include <doca_error.h>

#include "urom/daemon/plugins/complaints.h"
#include "urom/daemon/plugins/plugins.h"

struct uromd_candidate {
	char name[UROMD_PLUGIN_NAME_SIZE];
	char *path; /* owned; without symlinks */
	struct stat stat;
};

/* Zeroed memory has none. */
struct uromd_candidates {
	struct uromd_candidate *at;
	size_t num;
	size_t capacity;
};

void uromd_candidates_fini(struct uromd_candidates *candidates);

/*
 * Looks into each directory of search_path, and takes the files in it by name. NULL has none.
 * candidates: added to. complaints: added to, for what cannot be read or looks like a plugin only.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_candidates_read(const char *search_path, struct uromd_candidates *candidates,
				   struct uromd_complaints *complaints);

#endif /* UROMD_CANDIDATES_H_ */
