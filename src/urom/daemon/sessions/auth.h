/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_AUTH_H_
#define UROMD_AUTH_H_

/* How a host shows that it may use the daemon. One ops table a method. */

#include <stdbool.h>

#include "urom/auth/auth_proof.h"
#include "urom/daemon/base/failure.h"

struct uromd_config;
struct uromd_session;

struct uromd_auth {
	const char *name; /* as in --auth */
	uint8_t number;   /* enum wire_auth */
	/* What a host that has not asked for it is to do. */
	const char *remedy;
	/* Why a host may be unable to give a proof, and what it is to do then. */
	const char *no_proof;
	/*
	 * Has what the method needs made ready; NULL: nothing. Errors: NOT_SUPPORTED: it is not in
	 * this build. As cookie.h has them. failure tells.
	 */
	doca_error_t (*settle)(struct uromd_config *config, struct uromd_failure *failure);
	/* The daemon's own proof; NULL: it has none. */
	void (*prove)(const struct uromd_config *config, const struct auth_context *context,
		      uint8_t proof[AUTH_PROOF_SIZE]);
	/*
	 * Looks at what PROOF bears; NULL: nobody is asked for one, so that strangers must be kept
	 * out elsewhere.
	 * Errors: AUTHENTICATION: not let in; failure tells. IN_PROGRESS: uromd_challenge_over()
	 * follows.
	 */
	doca_error_t (*check)(struct uromd_session *session, const struct wire_bytes *proof,
			      struct uromd_failure *failure);
};

/*
 * The method of that name; whether this build has it, its settle() tells.
 * Errors: INVALID_VALUE: unknown; failure tells.
 */
doca_error_t uromd_auth_find(const char *name, const struct uromd_auth **auth,
			     struct uromd_failure *failure);

/* May a host begin that asks for that method? Errors: AUTHENTICATION; failure tells. */
doca_error_t uromd_auth_check_offer(const struct uromd_auth *auth, uint8_t offered,
				    struct uromd_failure *failure);

#endif /* UROMD_AUTH_H_ */
