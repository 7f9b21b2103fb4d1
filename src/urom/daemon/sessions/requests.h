/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_REQUESTS_H_
#define UROMD_REQUESTS_H_

/* What hosts ask for when they start a worker: checked, and kept. */

#include "urom/daemon/base/identity.h"
#include "urom/daemon/sessions/conns.h"

/* Copies what is asked for. Errors: NO_MEMORY. */
doca_error_t uromd_request_init(struct uromd_request *request,
				const struct wire_worker_start *start);

/* Frees what it has; may be called again. */
void uromd_request_fini(struct uromd_request *request);

/*
 * Can it be asked for at all?
 * Errors: FULL: too many connections of this session, or too much environment of its open starts.
 * INVALID_VALUE: no plugin, or a processor set, a message limit or an environment that cannot be.
 * NOT_FOUND: a plugin that was never listed. failure tells.
 */
doca_error_t uromd_request_check(const struct uromd_session *session,
				 const struct wire_worker_start *start,
				 struct uromd_failure *failure);

/*
 * Can it be had from a worker that is there already? identity: of who asks.
 * Errors: NOT_PERMITTED also: it was started for another user. ALREADY_EXIST: it comes too late
 * with an environment. NOT_PERMITTED: the worker has another group, processor set or less plugins.
 * FULL: too many connections. failure tells.
 */
doca_error_t uromd_request_check_join(const struct uromd_request *request,
				      const struct uromd_identity *identity,
				      const struct uromd_worker *worker,
				      struct uromd_failure *failure);

#endif /* UROMD_REQUESTS_H_ */
