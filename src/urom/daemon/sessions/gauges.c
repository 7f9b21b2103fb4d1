/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/gauges.h"

#include "urom/daemon/daemon.h"

#define USEC_PER_SEC UINT64_C(1000000)

/* The longest that somebody waits for the end of his handshake, or has. */
static uint64_t handshake_s(const struct uromd_session *session)
{
	return (uromd_daemon_now_usec(session->daemon) - session->begun_usec) / USEC_PER_SEC;
}

static bool is_shaking_hands(const struct uromd_session *session)
{
	return uromd_session_is_half_open(session) && session->state != UROMD_SESSION_LEAVING;
}

/* True: of a host or an operator, who was let in. */
static bool is_open(const struct uromd_session *session)
{
	return session->state == UROMD_SESSION_OPEN && !uromd_session_is_worker(session);
}

void uromd_gauges_reach(const struct uromd_session *session)
{
	struct uromd_counters *counters = &session->daemon->counters;

	if (uromd_session_is_worker(session))
		return;
	uromd_counter_reach(counters, UROMD_LIMIT_SESSION_WORKERS, session->num_conns);
	uromd_counter_reach(counters, UROMD_LIMIT_MESSAGE, session->max_message);
	if (session->state != UROMD_SESSION_OPEN)
		uromd_counter_reach(counters, UROMD_LIMIT_HANDSHAKE, handshake_s(session));
}

void uromd_gauges_read(struct uromd_daemon *daemon)
{
	uint64_t num_conns = 0, max_message = 0, waited_s = 0;
	const struct uromd_session *session;

	TAILQ_FOREACH (session, &daemon->sessions.list, link) {
		if (is_shaking_hands(session) && handshake_s(session) > waited_s)
			waited_s = handshake_s(session);
		if (!is_open(session))
			continue;
		if (session->num_conns > num_conns)
			num_conns = session->num_conns;
		if (session->max_message > max_message)
			max_message = session->max_message;
	}
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_SESSION_WORKERS, num_conns);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_MESSAGE, max_message);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_HANDSHAKE, waited_s);
}
