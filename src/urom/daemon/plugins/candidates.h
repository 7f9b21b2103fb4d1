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
 * Adds one, unless it is there: a directory may be listed twice, under different names too.
 * name: copied, as much of it as fits. path: taken. Errors: NO_MEMORY.
 */
doca_error_t uromd_candidates_add(struct uromd_candidates *candidates, const char *name, char *path,
				  const struct stat *stat);

/*
 * Looks into a directory, and takes the files in it by name. Waits as long as the file system
 * lets it, so this is for a process that nobody waits for.
 * candidates: added to. complaints: added to, for what cannot be read or looks like a plugin only.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_candidates_read(const char *directory, struct uromd_candidates *candidates,
				   struct uromd_complaints *complaints);

#endif /* UROMD_CANDIDATES_H_ */
