/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_REAP_H_
#define UROMD_REAP_H_

#include <signal.h>

#include "urom/daemon/workers/workers.h"

/* How a process ended, such as "was killed by signal 11 (Segmentation fault)"; returns text. */
const char *uromd_reap_text(const siginfo_t *info, char *text, size_t size);

/* Waits for the end of a worker's process. Errors: NO_MEMORY. */
doca_error_t uromd_reap_watch(struct uromd_worker *worker);

#endif /* UROMD_REAP_H_ */
