/* SPDX-License-Identifier: BSD-3-Clause */

/* For builds without libmunge: the method is known, and never there. */
#include <string.h>

#include "urom/auth/auth_munge.h"

static doca_error_t fail(struct auth_reason *reason)
{
	return auth_fail(reason, DOCA_ERROR_NOT_SUPPORTED,
			 "authentication by munge: this build has none, as libmunge was not there");
}

bool auth_munge_is_there(void)
{
	return false;
}

doca_error_t auth_munge_encode(const char *socket, const struct auth_context *context,
			       uint64_t deadline_ms, uint8_t *credential, uint32_t *len,
			       struct auth_reason *reason)
{
	(void)socket;
	(void)context;
	(void)deadline_ms;
	credential[0] = '\0';
	*len = 0;
	return fail(reason);
}

void auth_munge_decode(const char *socket, const struct wire_bytes *credential,
		       struct auth_verdict *verdict)
{
	(void)socket;
	(void)credential;
	memset(verdict, 0, sizeof(*verdict));
	verdict->result = fail(&verdict->reason);
}
