/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LOGS_H_
#define UROMD_LOGS_H_

#include <stddef.h>
#include <sys/types.h>

#include "urom/daemon/config/config.h"

/*
 * From here on the daemon logs: to DIR/urom_daemon_dev.log, and errors to standard error as well.
 * Where the directory cannot be used, with a warning, to standard error alone. config->log_dir is
 * then NULL, and otherwise an absolute path.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_logs_open(struct uromd_config *config);

/*
 * Has the daemon's log begin anew when it is over its limit: what was there gets ".1" behind its
 * name. To be called now and then; it is cheap. Returns: it has begun anew.
 */
bool uromd_logs_turn(const struct uromd_config *config);

/* The log of the worker with that pid, into size bytes; returns text. log_dir: NULL: none. */
const char *uromd_logs_worker_path(const char *log_dir, pid_t pid, char *text, size_t size);

#endif /* UROMD_LOGS_H_ */
