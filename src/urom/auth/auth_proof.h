/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_PROOF_H_
#define AUTH_AUTH_PROOF_H_

/*
 * What is proved in a handshake. A statement is bytes that say whose proof it is and of which
 * handshake; a cookie's proof is its keyed hash, a munge credential has it as its payload. As both
 * nonces are in it, it is good for one connection.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "urom/auth/auth_cookie.h"
#include "urom/wire/wire_messages.h"

#define AUTH_PROOF_SIZE     32
#define AUTH_LABEL_SIZE     16
#define AUTH_STATEMENT_SIZE (AUTH_LABEL_SIZE + 8 + 2 + 2 + 2 + 1 + 1 + 2 * WIRE_NONCE_SIZE)

/* Whose proof. */
enum auth_prover {
	AUTH_DAEMON,
	AUTH_PEER, /* a host or an operator */
	AUTH_NUM_PROVERS,
};

/* One handshake, as its HELLO and its CHALLENGE have it. */
struct auth_context {
	uint16_t version_min; /* of HELLO */
	uint16_t version_max;
	uint16_t version; /* of CHALLENGE */
	uint8_t role;
	uint8_t method;
	uint8_t hello_nonce[WIRE_NONCE_SIZE];
	uint8_t challenge_nonce[WIRE_NONCE_SIZE];
};

/* Fills a nonce with bytes that nobody knows. Errors: OPERATING_SYSTEM. Thread: any. */
doca_error_t auth_nonce(uint8_t nonce[WIRE_NONCE_SIZE]);

/* Writes the statement. */
void auth_statement(const struct auth_context *context, enum auth_prover prover,
		    uint8_t statement[AUTH_STATEMENT_SIZE]);

/* The proof of who has the secret. */
void auth_proof_make(const uint8_t secret[AUTH_SECRET_SIZE], const struct auth_context *context,
		     enum auth_prover prover, uint8_t proof[AUTH_PROOF_SIZE]);

/* Is it that proof? In a time that does not depend on how much of it is right. */
bool auth_proof_check(const uint8_t secret[AUTH_SECRET_SIZE], const struct auth_context *context,
		      enum auth_prover prover, const struct wire_bytes *proof);

/* Are these bytes that statement? In such a time as well. */
bool auth_statement_check(const struct auth_context *context, enum auth_prover prover,
			  const struct wire_bytes *bytes);

#endif /* AUTH_AUTH_PROOF_H_ */
