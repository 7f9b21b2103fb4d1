/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_SERVICE_AUTH_H_
#define UROMH_SERVICE_AUTH_H_

/*
 * What a host can show of itself, and what it wants to see of the daemon. The daemon shows first
 * that it has the secret, so the host finds out which of its own is meant, and gives nothing away
 * to one that has none of them.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "urom/auth/auth_proof.h"
#include "urom/wire/wire_messages.h"

#define UROMH_MAX_COOKIES 2

struct uromh_auth {
	uint8_t method;   /* that HELLO asks for; enum wire_auth */
	bool is_chosen;   /* by DOCA_UROM_AUTH, so that nothing else will do */
	bool is_answered; /* a challenge has come, which the host has answered */
	struct auth_cookie cookies[UROMH_MAX_COOKIES];
	size_t num_cookies;
	struct auth_reason lack; /* why there is no cookie; "" when there is */
	struct auth_context context;
	uint64_t deadline_ms; /* of the start, of core_now_ms() */
};

/*
 * Finds what there is to show, as DOCA_UROM_AUTH and DOCA_UROM_COOKIE say. To be ended by
 * uromh_auth_fini(). deadline_ms: until when an answer must be there.
 * Errors: INVALID_VALUE, NOT_SUPPORTED: the method. AUTHENTICATION: what was named cannot be used.
 * OPERATING_SYSTEM: no random bytes. All logged.
 */
doca_error_t uromh_auth_init(struct uromh_auth *auth, uint64_t deadline_ms);

/* Forgets all secrets; harmless in zeroed memory. */
void uromh_auth_fini(struct uromh_auth *auth);

/* Fills in what HELLO says of it. hello: role and versions are set. */
void uromh_auth_greet(struct uromh_auth *auth, struct wire_hello *hello);

/*
 * The answer to a challenge. peer: for log lines. proof: of WIRE_MAX_PROOF bytes.
 * Errors: AUTHENTICATION: there is none, or the daemon has shown nothing. TIME_OUT: what makes it
 * is not done by the deadline. Logged.
 */
doca_error_t uromh_auth_answer(struct uromh_auth *auth, const struct wire_challenge *challenge,
			       const char *peer, uint8_t *proof, uint32_t *len);

/*
 * Is a welcome enough from a daemon that has asked for nothing? address: its own.
 * Errors: AUTHENTICATION: logged.
 */
doca_error_t uromh_auth_check_welcome(const struct uromh_auth *auth, const char *peer,
				      const struct sockaddr *address);

#endif /* UROMH_SERVICE_AUTH_H_ */
