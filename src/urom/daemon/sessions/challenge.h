/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CHALLENGE_H_
#define UROMD_CHALLENGE_H_

/* The middle of a handshake: the proof that a stranger owes. */

#include "urom/daemon/sessions/session.h"

/* Keeps what HELLO says for the proof. */
void uromd_challenge_note(struct uromd_session *session, const struct wire_hello *hello);

/* Asks for the proof; what happens next is a message, for uromd_challenge_received(). */
void uromd_challenge_send(struct uromd_session *session);

/* A session that was asked has received a message: uromd_challenge_over() follows, or its end. */
void uromd_challenge_received(struct uromd_session *session, const struct chan_message *message);

/* What the proof has come to; failure: NULL: it is good. */
void uromd_challenge_over(struct uromd_session *session, const struct uromd_failure *failure);

#endif /* UROMD_CHALLENGE_H_ */
