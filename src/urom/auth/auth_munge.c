/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_munge.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <munge.h>

#include "core/export.h"
#include "urom/auth/auth_munged.h"

#define PASSWD_BYTES 4096

/* What operators can do something about, in other words than the library's. */
static const char *const texts[] = {
	[EMUNGE_SOCKET] = "the munged of this machine cannot be reached; start it, or name its "
			  "socket by --munge-socket or DOCA_UROM_MUNGE_SOCKET",
	[EMUNGE_BAD_CRED] = "what was sent is no credential",
	[EMUNGE_BAD_REALM] = "the credential is of another security realm",
	[EMUNGE_CRED_INVALID] = "the credential was made with another key; the machines of host "
				"and daemon must have the same munge.key",
	[EMUNGE_CRED_EXPIRED] = "the credential has expired; the clocks of both machines must "
				"agree",
	[EMUNGE_CRED_REWOUND] = "the credential is from the future; the clocks of both machines "
				"must agree",
	[EMUNGE_CRED_REPLAYED] = "the credential was used before",
	[EMUNGE_CRED_UNAUTHORIZED] = "the credential is for others to decode",
};

static doca_error_t fail(struct auth_reason *reason, munge_err_t error)
{
	const char *text = error < CORE_ARRAY_LEN(texts) ? texts[error] : NULL;

	return auth_fail(reason, DOCA_ERROR_AUTHENTICATION, "authentication by munge: %s",
			 text != NULL ? text : munge_strerror(error));
}

bool auth_munge_is_there(void)
{
	return true;
}

/* owned: munge_ctx_destroy(). NULL: no memory, or the path is none. */
static munge_ctx_t make_ctx(const char *socket)
{
	munge_ctx_t ctx = munge_ctx_create();

	if (ctx == NULL || socket == NULL ||
	    munge_ctx_set(ctx, MUNGE_OPT_SOCKET, socket) == EMUNGE_SUCCESS)
		return ctx;
	munge_ctx_destroy(ctx);
	return NULL;
}

/* Errors: TIME_OUT: reason tells. */
static doca_error_t wait_for_munged(munge_ctx_t ctx, uint64_t deadline_ms,
				    struct auth_reason *reason)
{
	char *socket = NULL; /* the context's */

	if (munge_ctx_get(ctx, MUNGE_OPT_SOCKET, &socket) != EMUNGE_SUCCESS || socket == NULL ||
	    auth_munged_wait(socket, deadline_ms) == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	return auth_fail(reason, DOCA_ERROR_TIME_OUT,
			 "authentication by munge: the munged of this machine, at %.60s, does not "
			 "answer in time; start it again",
			 socket);
}

doca_error_t auth_munge_encode(const char *socket, const struct auth_context *context,
			       uint64_t deadline_ms, uint8_t *credential, uint32_t *len,
			       struct auth_reason *reason)
{
	munge_ctx_t ctx = make_ctx(socket);
	uint8_t statement[AUTH_STATEMENT_SIZE];
	doca_error_t result;
	char *made = NULL;
	munge_err_t error;
	size_t made_len;

	*len = 0;
	if (ctx == NULL)
		return fail(reason, EMUNGE_NO_MEMORY);
	result = wait_for_munged(ctx, deadline_ms, reason);
	if (result != DOCA_SUCCESS) {
		munge_ctx_destroy(ctx);
		return result;
	}
	auth_statement(context, AUTH_PEER, statement);
	error = munge_encode(&made, ctx, statement, sizeof(statement));
	munge_ctx_destroy(ctx);
	made_len = error == EMUNGE_SUCCESS ? strlen(made) : 0;
	if (made_len > WIRE_MAX_PROOF)
		error = EMUNGE_BAD_LENGTH;
	if (error == EMUNGE_SUCCESS) {
		memcpy(credential, made, made_len);
		*len = (uint32_t)made_len;
	}
	free(made);
	return error == EMUNGE_SUCCESS ? DOCA_SUCCESS : fail(reason, error);
}

/* A user that this machine does not know has a number all the same. */
static void find_name(struct auth_verdict *verdict)
{
	struct passwd entry, *found = NULL;
	char bytes[PASSWD_BYTES];

	if (getpwuid_r(verdict->uid, &entry, bytes, sizeof(bytes), &found) == 0 && found != NULL)
		(void)snprintf(verdict->name, sizeof(verdict->name), "%s", found->pw_name);
}

/* The payload also of a credential that is not good. */
static munge_err_t decode(const char *socket, const char *text, struct auth_verdict *verdict)
{
	munge_ctx_t ctx = make_ctx(socket);
	void *payload = NULL;
	munge_err_t error;
	int len = 0;

	if (ctx == NULL)
		return EMUNGE_NO_MEMORY;
	error = munge_decode(text, ctx, &payload, &len, &verdict->uid, &verdict->gid);
	munge_ctx_destroy(ctx);
	verdict->payload_len = len > 0 ? (uint32_t)len : 0;
	if (payload != NULL && verdict->payload_len <= sizeof(verdict->payload))
		memcpy(verdict->payload, payload, verdict->payload_len);
	free(payload);
	return error;
}

void auth_munge_decode(const char *socket, const struct wire_bytes *credential,
		       struct auth_verdict *verdict)
{
	char text[WIRE_MAX_PROOF + 1] = "";
	munge_err_t error = EMUNGE_BAD_CRED;

	memset(verdict, 0, sizeof(*verdict));
	/* The library takes a text. */
	if (credential->len > 0 && credential->len < sizeof(text) &&
	    memchr(credential->data, '\0', credential->len) == NULL) {
		memcpy(text, credential->data, credential->len);
		error = decode(socket, text, verdict);
	}
	if (error == EMUNGE_SUCCESS)
		find_name(verdict);
	else
		verdict->result = fail(&verdict->reason, error);
}
