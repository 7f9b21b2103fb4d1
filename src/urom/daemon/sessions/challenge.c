/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/challenge.h"

#include <string.h>

#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/handshake.h"

void uromd_challenge_note(struct uromd_session *session, const struct wire_hello *hello)
{
	session->auth = (struct auth_context){
		.version_min = hello->version_min,
		.version_max = hello->version_max,
		.version = session->version,
		.role = hello->role,
		.method = session->daemon->config->auth->number,
	};
	memcpy(session->auth.hello_nonce, hello->nonce, sizeof(hello->nonce));
}

void uromd_challenge_send(struct uromd_session *session)
{
	const struct uromd_config *config = session->daemon->config;
	struct uromd_failure failure;
	uint8_t proof[AUTH_PROOF_SIZE];
	struct wire_challenge challenge = {
		.magic = WIRE_MAGIC,
		.version = session->version,
		.auth = config->auth->number,
	};

	if (auth_nonce(session->auth.challenge_nonce) != DOCA_SUCCESS) {
		(void)uromd_fail(&failure, DOCA_ERROR_OPERATING_SYSTEM,
				 "the service has no random bytes");
		uromd_session_refuse(session, &failure);
		return;
	}
	memcpy(challenge.nonce, session->auth.challenge_nonce, sizeof(challenge.nonce));
	if (config->auth->prove != NULL) {
		config->auth->prove(config, &session->auth, proof);
		challenge.proof = (struct wire_bytes){ proof, sizeof(proof) };
	}
	uromd_session_await_proof(session);
	uromd_session_send(session, WIRE_CHALLENGE, session->hello_id, &challenge);
}

void uromd_challenge_received(struct uromd_session *session, const struct chan_message *message)
{
	struct uromd_failure failure;
	struct wire_proof proof;
	doca_error_t result;

	if (message->type != WIRE_PROOF) {
		uromd_session_break(session, message, "is no proof, which was asked for");
		return;
	}
	if (chan_message_decode(message, &proof) != DOCA_SUCCESS) {
		uromd_session_break(session, message, "cannot be read");
		return;
	}
	session->hello_id = message->id;
	/* One proof a connection, right or wrong. */
	uromd_session_check_proof(session);
	result = session->daemon->config->auth->check(session, &proof.proof, &failure);
	if (result != DOCA_ERROR_IN_PROGRESS)
		uromd_challenge_over(session, result == DOCA_SUCCESS ? NULL : &failure);
}

/* Is he one of those who may come? Errors: AUTHENTICATION; failure tells. */
static doca_error_t check_user(const struct uromd_session *session, struct uromd_failure *failure)
{
	const struct uromd_allow_users *users = &session->daemon->config->allow_users;
	const struct uromd_identity *identity = &session->identity;

	if (!identity->is_known || uromd_allow_users_has(users, identity->uid))
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_AUTHENTICATION,
			  "user %s%s%u%s is not among those who may connect; --allow-users of the "
			  "daemon has them",
			  identity->name, identity->name[0] != '\0' ? " (" : "", identity->uid,
			  identity->name[0] != '\0' ? ")" : "");
}

void uromd_challenge_over(struct uromd_session *session, const struct uromd_failure *failure)
{
	struct uromd_failure other;

	if (failure == NULL && check_user(session, &other) != DOCA_SUCCESS)
		failure = &other;
	if (failure != NULL)
		uromd_session_refuse(session, failure);
	else
		uromd_handshake_proven(session);
}
