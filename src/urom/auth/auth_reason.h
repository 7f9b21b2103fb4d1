/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_REASON_H_
#define AUTH_AUTH_REASON_H_

/*
 * Why somebody is not let in, or cannot show who he is, as the operator reads it. Nothing of this
 * room logs: host and daemon have logs of different kinds. No secret, proof, credential or nonce is
 * ever in a reason.
 */

#include <doca_error.h>

#define AUTH_REASON_SIZE 512

struct auth_reason {
	char text[AUTH_REASON_SIZE];
};

/* Writes the text and returns error; one that is too long is cut. */
doca_error_t auth_fail(struct auth_reason *reason, doca_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* AUTH_AUTH_REASON_H_ */
