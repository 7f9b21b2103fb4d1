/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_MULTI_WORKERS_BOOTSTRAP_SAMPLE_H_
#define UROM_MULTI_WORKERS_BOOTSTRAP_SAMPLE_H_

#include <stdbool.h>

#include <doca_error.h>

#include "urom_common.h"

struct bootstrap_cfg {
	struct urom_common_cfg common;
	bool once; /* end when all is shown, without waiting for an interrupt */
};

/*
 * Starts four workers, each on a thread and an engine of its own, sends a number through each,
 * lists their groups, and ends them when SIGINT or SIGTERM comes, which it blocks for the process.
 * Errors: SHUTDOWN: it came before all was done. Others: of what failed first, which was logged.
 */
doca_error_t bootstrap_run(const struct bootstrap_cfg *cfg);

#endif /* UROM_MULTI_WORKERS_BOOTSTRAP_SAMPLE_H_ */
