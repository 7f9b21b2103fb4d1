/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_SIGNALS_H_
#define UROMW_SIGNALS_H_

/* The signals that ask a worker to end. One a process. */

#include <stdbool.h>

#include <doca_error.h>

/*
 * SIGTERM, SIGINT and SIGHUP ask for the end from here on, SIGPIPE does nothing, and nothing is
 * blocked that the daemon may have blocked.
 * Errors: as the system has them.
 */
doca_error_t uromw_signals_start(void);

/* Has the end been asked for? */
bool uromw_signals_is_end(void);

/* Readable from when the end was asked for; lent. */
int uromw_signals_fd(void);

#endif /* UROMW_SIGNALS_H_ */
