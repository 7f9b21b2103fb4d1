/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LOOK_CHILD_H_
#define UROMD_LOOK_CHILD_H_

/*
 * The process that looks into directories, which may be on a file system that hangs. It is the
 * daemon once more, with one descriptor only, and dies with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct uromd_candidates;

/* A directory of the search path. */
struct uromd_place {
	const char *path; /* borrowed */
	bool is_left_out;
};

/*
 * Starts one, for those places from first on that are not left out. It writes notes to fd, which
 * is copied, as sight.h has them: places, candidates that are not in known, and complaints.
 * pid: to be waited for. Returns 0, or an errno: there is no process.
 */
int uromd_look_child_start(const struct uromd_place *places, size_t num_places, size_t first,
			   const struct uromd_candidates *known, int fd, pid_t *pid);

#endif /* UROMD_LOOK_CHILD_H_ */
