/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_munge.h"

doca_error_t auth_verdict_check(const struct auth_verdict *verdict,
				const struct auth_context *context, struct auth_reason *reason)
{
	const struct wire_bytes payload = { verdict->payload, verdict->payload_len };

	if (verdict->result != DOCA_SUCCESS) {
		*reason = verdict->reason;
		return verdict->result;
	}
	/* A payload that is longer than what is kept has a length that no statement has. */
	if (auth_statement_check(context, AUTH_PEER, &payload))
		return DOCA_SUCCESS;
	return auth_fail(reason, DOCA_ERROR_AUTHENTICATION,
			 "authentication by munge: the credential was made for another connection");
}
