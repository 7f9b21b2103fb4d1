/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_HANDSHAKE_H_
#define UROMD_HANDSHAKE_H_

#include "urom/daemon/sessions/session.h"

/* A session that is greeting has received its first message: refuses, ends or welcomes it. */
void uromd_handshake_received(struct uromd_session *session, const struct chan_message *message);

/* A stranger has shown that he may come. */
void uromd_handshake_proven(struct uromd_session *session);

#endif /* UROMD_HANDSHAKE_H_ */
