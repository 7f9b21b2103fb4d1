/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_NOTIFY_H_
#define UROMD_NOTIFY_H_

/* How others learn that the daemon can be used, and where. */

#include "urom/daemon/base/failure.h"

struct uromd_daemon;

/*
 * Says where the daemon listens: in the log, to the service manager, and in the file that was asked
 * for. Errors: as the system has them, of the file; failure tells.
 */
doca_error_t uromd_notify_ready(struct uromd_daemon *daemon, struct uromd_failure *failure);

/* Says that it ends. */
void uromd_notify_stopping(const struct uromd_daemon *daemon);

/* Removes the file; may be called again. */
void uromd_notify_fini(struct uromd_daemon *daemon);

#endif /* UROMD_NOTIFY_H_ */
