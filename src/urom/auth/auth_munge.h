/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_MUNGE_H_
#define AUTH_AUTH_MUNGE_H_

/*
 * MUNGE credentials, which name the user of whoever had them made. Their payload is the statement
 * of the handshake, so that one that was overheard is good on no other connection. Both calls ask
 * munged and wait for it.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "urom/auth/auth_proof.h"

#define AUTH_USER_NAME_SIZE 64

/* What a credential has come to. Plain bytes, for the pipe of a process that decodes it. */
struct auth_verdict {
	doca_error_t result;
	struct auth_reason reason; /* of a failure */
	uid_t uid;
	gid_t gid;
	char name[AUTH_USER_NAME_SIZE]; /* of the user; "" when he has none here */
	uint32_t payload_len;           /* as it was, also when it is longer than what is kept */
	uint8_t payload[AUTH_STATEMENT_SIZE];
};

/* Has this build MUNGE? */
bool auth_munge_is_there(void);

/*
 * Has a credential made for the peer's side of a handshake.
 * socket: of munged; NULL: where it usually is. deadline_ms: of core_now_ms(), until when a munged
 * that does not answer is waited for; one that stops just then costs libmunge's 10 s.
 * credential: of WIRE_MAX_PROOF bytes. len: how many it has; 0 on an error.
 * Errors: NOT_SUPPORTED: not in this build. AUTHENTICATION: it cannot be made. TIME_OUT. reason
 * tells.
 */
doca_error_t auth_munge_encode(const char *socket, const struct auth_context *context,
			       uint64_t deadline_ms, uint8_t *credential, uint32_t *len,
			       struct auth_reason *reason);

/*
 * Has a credential looked at, and its user's name looked up: 10 s when munged does not answer.
 * verdict: written in any case. Errors, in the verdict: AUTHENTICATION: it is not good.
 * NOT_SUPPORTED: not in this build.
 */
void auth_munge_decode(const char *socket, const struct wire_bytes *credential,
		       struct auth_verdict *verdict);

/*
 * Is it a good credential, for the peer's side of this handshake?
 * Errors: as the verdict has them. AUTHENTICATION: it is of another handshake. reason tells.
 */
doca_error_t auth_verdict_check(const struct auth_verdict *verdict,
				const struct auth_context *context, struct auth_reason *reason);

#endif /* AUTH_AUTH_MUNGE_H_ */
