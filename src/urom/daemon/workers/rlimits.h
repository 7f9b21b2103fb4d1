/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_RLIMITS_H_
#define UROMD_RLIMITS_H_

/* What one worker may use of the machine. */

#include <sys/resource.h>

#include "urom/daemon/config/limit_table.h"

/*
 * Puts this process, which is to become a worker, under the limits. files: those of the descriptors
 * that the daemon was started with. Errors: as the system has them; *which: of the one that failed.
 */
doca_error_t uromd_rlimits_set(const struct uromd_limit_values *limits, const struct rlimit *files,
			       enum uromd_limit_id *which);

#endif /* UROMD_RLIMITS_H_ */
