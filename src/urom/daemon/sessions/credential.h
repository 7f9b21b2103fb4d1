/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CREDENTIAL_H_
#define UROMD_CREDENTIAL_H_

/*
 * Credentials that somebody else has to look at, who may let one wait: each is asked about in a
 * short-lived process, a few of these at a time, and the loop goes on.
 */

#include <sys/queue.h>

#include <doca_error.h>

#include "urom/wire/wire.h"

struct uromd_credential;
struct uromd_daemon;
struct uromd_session;

TAILQ_HEAD(uromd_credential_list, uromd_credential);

struct uromd_credentials {
	struct uromd_credential_list waiting; /* the oldest first */
	struct uromd_credential_list running;
	unsigned int num_running;
};

void uromd_credentials_init(struct uromd_credentials *credentials);

/* Ends every process. */
void uromd_credentials_fini(struct uromd_credentials *credentials);

/*
 * Has a session's credential looked at; uromd_challenge_over() follows, at once when no process
 * can be started for it.
 * bytes: copied. Errors: NO_MEMORY.
 */
doca_error_t uromd_credential_check(struct uromd_session *session, const struct wire_bytes *bytes);

/* Nobody wants to know any more. Accepts NULL. */
void uromd_credential_cancel(struct uromd_credential *credential);

#endif /* UROMD_CREDENTIAL_H_ */
