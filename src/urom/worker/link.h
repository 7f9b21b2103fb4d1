/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_LINK_H_
#define UROMW_LINK_H_

/* The control path to the daemon: handshake, readiness, tickets, the end. */

#include <doca_error.h>

#include "urom/worker/failure.h"

struct uromw_worker;

/*
 * Takes the descriptor of the options, says hello and waits for the daemon's welcome, at most
 * UROMW_HANDSHAKE_MS.
 * Errors: NOT_CONNECTED: the daemon is gone. TIME_OUT. CONNECTION_ABORTED: what comes is not the
 * protocol. UNSUPPORTED_VERSION. The daemon's own, when it refuses. failure says why.
 */
doca_error_t uromw_link_open(struct uromw_worker *worker, struct uromw_failure *failure);

/*
 * Tells the daemon that hosts may come.
 * Errors: TOO_BIG: the plugins' addresses are. Those of a channel without address, NO_MEMORY,
 * NOT_CONNECTED. failure says why.
 */
doca_error_t uromw_link_ready(struct uromw_worker *worker, struct uromw_failure *failure);

/* Tells the daemon, if it can, that nothing will come of it, and waits until that is sent. */
void uromw_link_fail(struct uromw_worker *worker, const struct uromw_failure *failure);

/* Does what the daemon asks for, and has what waits sent on. */
void uromw_link_progress(struct uromw_worker *worker);

/* Tells that the connection of a host was ended because it does not read. */
void uromw_link_tell_deaf(struct uromw_worker *worker, uint64_t connection);

/* Closes it. Zeroed memory is accepted. */
void uromw_link_close(struct uromw_worker *worker);

#endif /* UROMW_LINK_H_ */
