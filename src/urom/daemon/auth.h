/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_AUTH_H_
#define UROMD_AUTH_H_

/* How a host shows that it may use the daemon. One ops table a method. */

#include "urom/daemon/failure.h"

struct uromd_auth {
	const char *name; /* as in --auth */
	uint8_t number;   /* enum wire_auth */
	/* Does it hold the other side to anything? Without, strangers must be kept out elsewhere.
	 */
	bool is_proof;
	/* Errors: AUTHENTICATION: not let in; failure tells. */
	doca_error_t (*check)(const struct wire_hello *hello, struct uromd_failure *failure);
};

/*
 * The method of that name.
 * Errors: NOT_SUPPORTED: known, but not in this build. INVALID_VALUE: unknown. failure tells.
 */
doca_error_t uromd_auth_find(const char *name, const struct uromd_auth **auth,
			     struct uromd_failure *failure);

/* A name for log lines of the method that a peer asks for; "?" when there is no such. */
const char *uromd_auth_name(uint8_t number);

#endif /* UROMD_AUTH_H_ */
