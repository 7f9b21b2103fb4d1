/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service_auth.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include "core/env.h"
#include "core/log.h"
#include "urom/auth/auth_method.h"
#include "urom/auth/auth_munge.h"
#include "urom/chan/chan_address.h"

CORE_LOG_REGISTER(UROM::SERVICE_AUTH);

/* --- Cookies --- */

/* The one that the program's user has named, or none. */
static doca_error_t load_named(struct uromh_auth *auth, const char *path)
{
	struct auth_reason reason;
	doca_error_t result = auth_cookie_load(path, &auth->cookies[0], &reason);

	if (result == DOCA_SUCCESS) {
		auth->num_cookies = 1;
		return DOCA_SUCCESS;
	}
	DOCA_LOG_ERR("DOCA_UROM_COOKIE: %s", reason.text);
	return DOCA_ERROR_AUTHENTICATION;
}

/* One of the files that are looked for unasked. */
static void load_default(struct uromh_auth *auth, uid_t uid)
{
	struct auth_reason reason;
	char path[PATH_MAX];
	doca_error_t result;

	result = auth_cookie_default(uid, getenv("XDG_RUNTIME_DIR"), path, sizeof(path), &reason);
	if (result == DOCA_SUCCESS)
		result = auth_cookie_load(path, &auth->cookies[auth->num_cookies], &reason);
	if (result == DOCA_SUCCESS) {
		auth->num_cookies++;
		return;
	}
	/* A file that is not there, or is not for this user, is no fault. */
	if (result == DOCA_ERROR_AUTHENTICATION)
		DOCA_LOG_WARN("left out: %s", reason.text);
	/* One that is there tells more than one that is not. */
	if (auth->lack.text[0] == '\0' || result == DOCA_ERROR_NOT_PERMITTED)
		auth->lack = reason;
}

static doca_error_t find_cookies(struct uromh_auth *auth)
{
	const char *named = core_env("DOCA_UROM_COOKIE");

	if (named != NULL)
		return load_named(auth, named);
	if (geteuid() != 0)
		load_default(auth, geteuid());
	load_default(auth, 0);
	if (auth->num_cookies > 0)
		auth->lack.text[0] = '\0';
	return DOCA_SUCCESS;
}

/* --- Methods --- */

static doca_error_t init_none(struct uromh_auth *auth)
{
	(void)auth;
	return DOCA_SUCCESS;
}

static doca_error_t init_cookie(struct uromh_auth *auth)
{
	doca_error_t result = find_cookies(auth);

	if (result != DOCA_SUCCESS || auth->num_cookies > 0)
		return result;
	DOCA_LOG_ERR("DOCA_UROM_AUTH is cookie, and this program has none: %s; DOCA_UROM_COOKIE "
		     "names another file",
		     auth->lack.text);
	return DOCA_ERROR_AUTHENTICATION;
}

static doca_error_t answer_cookie(struct uromh_auth *auth, const struct wire_bytes *shown,
				  const char *peer, uint8_t *proof, uint32_t *len)
{
	for (size_t i = 0; i < auth->num_cookies; i++) {
		const uint8_t *secret = auth->cookies[i].secret;

		if (!auth_proof_check(secret, &auth->context, AUTH_DAEMON, shown))
			continue;
		auth_proof_make(secret, &auth->context, AUTH_PEER, proof);
		*len = AUTH_PROOF_SIZE;
		return DOCA_SUCCESS;
	}
	DOCA_LOG_ERR("%s: authentication by cookie: the daemon has another secret than this "
		     "program; DOCA_UROM_COOKIE must name a copy of the daemon's cookie file",
		     peer);
	return DOCA_ERROR_AUTHENTICATION;
}

static doca_error_t init_munge(struct uromh_auth *auth)
{
	(void)auth;
	if (auth_munge_is_there())
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("DOCA_UROM_AUTH: this build has no authentication by munge, as libmunge was "
		     "not there; build with it, or use cookie");
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* The daemon has nothing to show: munged knows users, and the daemon is none in particular. */
static doca_error_t answer_munge(struct uromh_auth *auth, const struct wire_bytes *shown,
				 const char *peer, uint8_t *proof, uint32_t *len)
{
	struct auth_reason reason;
	doca_error_t result;

	(void)shown;
	result = auth_munge_encode(core_env("DOCA_UROM_MUNGE_SOCKET"), &auth->context,
				   auth->deadline_ms, proof, len, &reason);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("%s: %s", peer, reason.text);
	return result;
}

static const struct {
	doca_error_t (*init)(struct uromh_auth *auth);
	/* shown: what the daemon has shown; NULL: the method has no challenge */
	doca_error_t (*answer)(struct uromh_auth *auth, const struct wire_bytes *shown,
			       const char *peer, uint8_t *proof, uint32_t *len);
} methods[] = {
	[WIRE_AUTH_NONE] = { init_none, NULL },
	[WIRE_AUTH_COOKIE] = { init_cookie, answer_cookie },
	[WIRE_AUTH_MUNGE] = { init_munge, answer_munge },
};

static doca_error_t choose(struct uromh_auth *auth, const char *name)
{
	if (!auth_method_find(name, &auth->method)) {
		DOCA_LOG_ERR("DOCA_UROM_AUTH: %s is none of cookie, munge and none", name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	auth->is_chosen = true;
	return methods[auth->method].init(auth);
}

doca_error_t uromh_auth_init(struct uromh_auth *auth, uint64_t deadline_ms)
{
	/* An empty one is no method: whoever insists on one must not get none by an oversight. */
	const char *name = getenv("DOCA_UROM_AUTH");
	doca_error_t result;

	*auth = (struct uromh_auth){ .method = WIRE_AUTH_NONE, .deadline_ms = deadline_ms };
	if (name != NULL)
		result = choose(auth, name);
	else
		result = find_cookies(auth);
	if (result != DOCA_SUCCESS)
		return result;
	if (auth->num_cookies > 0)
		auth->method = WIRE_AUTH_COOKIE;
	result = auth_nonce(auth->context.hello_nonce);
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("no random bytes for the handshake");
	return result;
}

void uromh_auth_fini(struct uromh_auth *auth)
{
	sodium_memzero(auth, sizeof(*auth));
}

void uromh_auth_greet(struct uromh_auth *auth, struct wire_hello *hello)
{
	hello->auth = auth->method;
	memcpy(hello->nonce, auth->context.hello_nonce, sizeof(hello->nonce));
	auth->context.version_min = hello->version_min;
	auth->context.version_max = hello->version_max;
	auth->context.role = hello->role;
	auth->context.method = auth->method;
}

doca_error_t uromh_auth_answer(struct uromh_auth *auth, const struct wire_challenge *challenge,
			       const char *peer, uint8_t *proof, uint32_t *len)
{
	doca_error_t result;

	if (challenge->auth != auth->method || methods[auth->method].answer == NULL) {
		DOCA_LOG_ERR("%s: asks for authentication by %s, where this program has offered "
			     "%s; DOCA_UROM_AUTH chooses",
			     peer, auth_method_name(challenge->auth),
			     auth_method_name(auth->method));
		return DOCA_ERROR_AUTHENTICATION;
	}
	auth->context.version = challenge->version;
	memcpy(auth->context.challenge_nonce, challenge->nonce, sizeof(challenge->nonce));
	result = methods[auth->method].answer(auth, &challenge->proof, peer, proof, len);
	auth->is_answered = result == DOCA_SUCCESS;
	return result;
}

doca_error_t uromh_auth_check_welcome(const struct uromh_auth *auth, const char *peer,
				      const struct sockaddr *address)
{
	if (auth->is_answered || auth->method == WIRE_AUTH_NONE)
		return DOCA_SUCCESS;
	if (!auth->is_chosen && chan_address_is_loopback(address)) {
		DOCA_LOG_DBG("%s authenticates nobody, though this program has a cookie; it is on "
			     "this machine",
			     peer);
		return DOCA_SUCCESS;
	}
	DOCA_LOG_ERR("%s: authentication by %s: the daemon has not shown that it is the right one, "
		     "as it asks for no authentication; start it with --auth %s, or set "
		     "DOCA_UROM_AUTH=none for this program when it may talk to any",
		     peer, auth_method_name(auth->method), auth_method_name(auth->method));
	return DOCA_ERROR_AUTHENTICATION;
}
