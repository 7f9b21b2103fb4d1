/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/auth.h"

#include <string.h>

#include "core/env.h"
#include "core/export.h"
#include "urom/auth/auth_method.h"
#include "urom/auth/auth_munge.h"
#include "urom/daemon/config/cookie.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/credential.h"

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

static doca_error_t munge_settle(struct uromd_config *config, struct uromd_failure *failure)
{
	const char *socket = core_env("DOCA_UROM_MUNGE_SOCKET");

	if (!auth_munge_is_there())
		return uromd_fail(failure, DOCA_ERROR_NOT_SUPPORTED,
				  "--auth munge: this build has none, as libmunge was not there");
	if (config->munge_socket != NULL || socket == NULL)
		return DOCA_SUCCESS;
	config->munge_socket = strdup(socket);
	return config->munge_socket != NULL
		   ? DOCA_SUCCESS
		   : uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
}

static doca_error_t munge_check(struct uromd_session *session, const struct wire_bytes *proof,
				struct uromd_failure *failure)
{
	if (uromd_credential_check(session, proof) == DOCA_SUCCESS)
		return DOCA_ERROR_IN_PROGRESS;
	return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
}

static const struct uromd_auth methods[] = {
	{ .name = "none", .number = WIRE_AUTH_NONE },
	{
	    .name = "cookie",
	    .number = WIRE_AUTH_COOKIE,
	    .remedy = "give it a copy of the daemon's cookie file and name that in "
		      "DOCA_UROM_COOKIE",
	    .no_proof = "its cookie may be another one: DOCA_UROM_COOKIE of its program must name "
			"a copy of the daemon's cookie file",
	    .settle = uromd_cookie_settle,
	    .prove = cookie_prove,
	    .check = cookie_check,
	},
	{
	    .name = "munge",
	    .number = WIRE_AUTH_MUNGE,
	    .remedy = "set DOCA_UROM_AUTH=munge for it",
	    .no_proof = "munged must run on its machine, and DOCA_UROM_MUNGE_SOCKET of its program "
			"name its socket when that is not the usual one",
	    .settle = munge_settle,
	    .check = munge_check,
	},
};

doca_error_t uromd_auth_find(const char *name, const struct uromd_auth **auth,
			     struct uromd_failure *failure)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(methods); i++) {
		if (strcmp(methods[i].name, name) == 0) {
			*auth = &methods[i];
			return DOCA_SUCCESS;
		}
	}
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
