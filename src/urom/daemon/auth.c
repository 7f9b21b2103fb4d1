/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/auth.h"

#include <string.h>

#include "core/export.h"
#include "urom/auth/auth_method.h"
#include "urom/daemon/cookie.h"
#include "urom/daemon/daemon.h"

static void cookie_prove(const struct uromd_config *config, const struct auth_context *context,
			 uint8_t proof[AUTH_PROOF_SIZE])
{
	auth_proof_make(config->cookie.secret, context, AUTH_DAEMON, proof);
}

static doca_error_t cookie_check(struct uromd_session *session, const struct wire_bytes *proof,
				 struct uromd_failure *failure)
{
	if (auth_proof_check(session->daemon->config->cookie.secret, &session->auth, AUTH_PEER,
			     proof))
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_AUTHENTICATION,
			  "authentication by cookie: the proof is wrong; both sides must have the "
			  "same cookie file");
}

static const struct uromd_auth methods[] = {
	{ .name = "none", .number = WIRE_AUTH_NONE },
	{
	    .name = "cookie",
	    .number = WIRE_AUTH_COOKIE,
	    .remedy = "give it a copy of the daemon's cookie file and name that in "
		      "DOCA_UROM_COOKIE",
	    .settle = uromd_cookie_settle,
	    .prove = cookie_prove,
	    .check = cookie_check,
	},
};

doca_error_t uromd_auth_find(const char *name, const struct uromd_auth **auth,
			     struct uromd_failure *failure)
{
	uint8_t number;

	for (size_t i = 0; i < CORE_ARRAY_LEN(methods); i++) {
		if (strcmp(methods[i].name, name) == 0) {
			*auth = &methods[i];
			return DOCA_SUCCESS;
		}
	}
	if (auth_method_find(name, &number))
		return uromd_fail(failure, DOCA_ERROR_NOT_SUPPORTED,
				  "--auth %s: this build has no such authentication", name);
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "--auth %s: the methods are cookie, munge and none", name);
}

doca_error_t uromd_auth_check_offer(const struct uromd_auth *auth, uint8_t offered,
				    struct uromd_failure *failure)
{
	/* Who could prove who he is may come as well where nobody has to. */
	if (auth->check == NULL || auth->number == offered)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_AUTHENTICATION,
			  "authentication by %s is asked for, and the host offers %s: %s",
			  auth->name, auth_method_name(offered), auth->remedy);
}
