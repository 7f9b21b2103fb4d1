/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/export.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/challenge.h"
#include "urom/daemon/sessions/credential.h"
#include "urom/daemon/sessions/gauges.h"
#include "urom/daemon/sessions/handshake.h"

DOCA_LOG_REGISTER(UROMD::SESSION);

#define USEC_PER_SEC UINT64_C(1000000)

/* How late a bound may be, so that the loop can wake for several at once. */
#define ACCURACY_USEC 10000

/* What is read at a time of those that nobody listens to any more. */
#define SCRATCH_BYTES 4096

/* Is it a stranger's, who may come as often as he likes? */
static bool is_stranger(const struct uromd_session *session)
{
	return !uromd_session_is_worker(session);
}

/* Those whose peer has shown nothing yet, or will not. */
static const bool half_open_states[] = {
	[UROMD_SESSION_GREETING] = true, [UROMD_SESSION_PROVING] = true,
	[UROMD_SESSION_CHECKING] = true, [UROMD_SESSION_WELCOMING] = false,
	[UROMD_SESSION_OPEN] = false,    [UROMD_SESSION_LEAVING] = true,
	[UROMD_SESSION_OVER] = false,
};

/* Those in which messages are received. */
static const bool receiving_states[] = {
	[UROMD_SESSION_GREETING] = true,  [UROMD_SESSION_PROVING] = true,
	[UROMD_SESSION_CHECKING] = false, [UROMD_SESSION_WELCOMING] = false,
	[UROMD_SESSION_OPEN] = true,      [UROMD_SESSION_LEAVING] = false,
	[UROMD_SESSION_OVER] = false,
};
_Static_assert(CORE_ARRAY_LEN(half_open_states) == UROMD_SESSION_NUM_STATES &&
		   CORE_ARRAY_LEN(receiving_states) == UROMD_SESSION_NUM_STATES,
	       "a state is left out");

bool uromd_session_is_half_open(const struct uromd_session *session)
{
	return is_stranger(session) && half_open_states[session->state];
}

/* Has it said who it is, and been let in? */
static bool is_in(const struct uromd_session *session)
{
	return is_stranger(session) &&
	       (session->state == UROMD_SESSION_WELCOMING || session->state == UROMD_SESSION_OPEN);
}

/* by: 1 or -1. */
static void count(const struct uromd_session *session, int by)
{
	struct uromd_sessions *sessions = &session->daemon->sessions;

	sessions->num_half_open += uromd_session_is_half_open(session) ? by : 0;
	sessions->count += is_in(session) ? by : 0;
}

static void tell_counters(struct uromd_daemon *daemon)
{
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_SESSIONS, daemon->sessions.count);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_HALF_OPEN, daemon->sessions.num_half_open);
}

static void set_state(struct uromd_session *session, enum uromd_session_state state)
{
	count(session, -1);
	session->state = state;
	count(session, 1);
	tell_counters(session->daemon);
}

/* Answers that wait keep requests waiting, so nobody makes them pile up. */
static bool can_receive(const struct uromd_session *session)
{
	return receiving_states[session->state] && !chan_stream_is_sending(&session->stream);
}

/* Does something go on for it that no message of its peer ends? */
static bool is_busy(const struct uromd_session *session)
{
	return session->state == UROMD_SESSION_CHECKING ||
	       session->state == UROMD_SESSION_WELCOMING;
}

static void come_again(struct uromd_session *session)
{
	(void)sd_event_source_set_enabled(session->turn, SD_EVENT_ONESHOT); /* it is one of ours */
}

static void watch(struct uromd_session *session)
{
	uint32_t events = EPOLLIN;

	if (chan_stream_is_sending(&session->stream))
		events = EPOLLOUT;
	else if (is_busy(session))
		events = EPOLLRDHUP;
	if (session->io != NULL && sd_event_source_set_io_events(session->io, events) < 0) {
		DOCA_LOG_ERR("%s: cannot be waited for; closed", session->label);
		uromd_session_end(session);
	}
}

/* --- The end --- */

void uromd_session_end(struct uromd_session *session)
{
	if (session->state == UROMD_SESSION_OVER)
		return;
	set_state(session, UROMD_SESSION_OVER);
	uromd_credential_cancel(session->credential);
	session->credential = NULL;
	uromd_scan_cancel(session->scan);
	session->scan = NULL;
	session->io = sd_event_source_disable_unref(session->io);
	session->timer = sd_event_source_disable_unref(session->timer);
	come_again(session);
}

static void destroy(struct uromd_session *session)
{
	struct uromd_sessions *sessions = &session->daemon->sessions;

	if (session->state != UROMD_SESSION_OVER)
		uromd_session_end(session);
	if (session->role != NULL)
		session->role->closed(session);
	TAILQ_REMOVE(&sessions->list, session, link);
	sd_event_source_disable_unref(session->turn);
	chan_stream_fini(&session->stream);
	free(session);
}

/* What its hosts are told of a worker that is cut off for what it says. */
static void blame(struct uromd_session *session)
{
	if (session->worker != NULL && session->worker->cause == NULL)
		session->worker->cause = "has sent what no worker may send, and was cut off";
}

/* Of those who are in and of workers, every line is logged: there is a limit to what they cost. */
static bool may_log(const struct uromd_session *session, enum uromd_throttle_kind kind)
{
	return !uromd_session_is_half_open(session) || uromd_daemon_may_log(session->daemon, kind);
}

/* Who is asked for a proof and leaves has found that he has none: as good as a refusal. */
static void tell_unproven(const struct uromd_session *session)
{
	const struct uromd_auth *auth = session->daemon->config->auth;

	if (may_log(session, UROMD_THROTTLE_REFUSED))
		DOCA_LOG_WARN("%s: authentication by %s: it has left and not given the proof that "
			      "it was asked for; %s",
			      session->label, auth->name, auth->no_proof);
}

/* The stream has ended, or is none. */
static void lost(struct uromd_session *session, doca_error_t why)
{
	if (why == DOCA_ERROR_CONNECTION_ABORTED) {
		if (may_log(session, UROMD_THROTTLE_NONSENSE))
			DOCA_LOG_WARN("%s: sends what is no message of UROM; closed",
				      session->label);
	} else if (why != DOCA_ERROR_CONNECTION_RESET) {
		DOCA_LOG_ERR("%s: %s; closed", session->label, doca_error_get_descr(why));
	} else if (session->state == UROMD_SESSION_PROVING) {
		tell_unproven(session);
	} else if (is_stranger(session) && session->state != UROMD_SESSION_GREETING) {
		DOCA_LOG_INFO("%s: closed by its peer", session->label);
	} else {
		DOCA_LOG_DBG("%s: closed by its peer", session->label);
	}
	if (why != DOCA_ERROR_CONNECTION_RESET)
		blame(session);
	uromd_session_end(session);
}

void uromd_session_break(struct uromd_session *session, const struct chan_message *message,
			 const char *what)
{
	if (may_log(session, UROMD_THROTTLE_NONSENSE))
		DOCA_LOG_WARN("%s: %s (type %u) %s; closed", session->label,
			      chan_message_name(message), message->type, what);
	blame(session);
	uromd_session_end(session);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_session *session = arg;
	struct uromd_daemon *daemon = session->daemon;
	struct uromd_failure failure;

	(void)source;
	(void)usec;
	if (session->state == UROMD_SESSION_LEAVING) {
		uromd_session_end(session);
		return 0;
	}
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_HANDSHAKE);
	(void)uromd_limit_fail(&failure, DOCA_ERROR_TIME_OUT, UROMD_LIMIT_HANDSHAKE,
			       "no handshake within %lu s",
			       daemon->config->limits.of[UROMD_LIMIT_HANDSHAKE]);
	uromd_session_refuse(session, &failure);
	watch(session);
	return 0;
}

static doca_error_t set_timer(struct uromd_session *session, uint64_t seconds)
{
	session->timer = sd_event_source_disable_unref(session->timer);
	if (sd_event_add_time_relative(session->daemon->event, &session->timer, CLOCK_MONOTONIC,
				       seconds * USEC_PER_SEC, ACCURACY_USEC, on_timeout,
				       session) < 0)
		return DOCA_ERROR_NO_MEMORY;
	return DOCA_SUCCESS;
}

/* --- Receiving --- */

static void receive_one(struct uromd_session *session, const struct chan_message *message)
{
	if (session->state == UROMD_SESSION_GREETING)
		uromd_handshake_received(session, message);
	else if (session->state == UROMD_SESSION_PROVING)
		uromd_challenge_received(session, message);
	else
		session->role->received(session, message);
}

/* True: there may be more to receive at once. */
static bool receive(struct uromd_session *session)
{
	struct chan_message message;
	doca_error_t result = DOCA_SUCCESS;

	for (unsigned int i = 0; i < UROMD_MESSAGES_PER_TURN && can_receive(session); i++) {
		result = chan_stream_receive(&session->stream, &message);
		if (result != DOCA_SUCCESS)
			break;
		receive_one(session, &message);
	}
	if (result == DOCA_ERROR_AGAIN)
		return false;
	if (result != DOCA_SUCCESS)
		lost(session, result);
	return can_receive(session);
}

void uromd_session_drain(struct uromd_session *session)
{
	(void)chan_stream_flush(&session->stream); /* what waits can go nowhere any more */
	for (unsigned int i = 0; i < UROMD_LAST_TURNS && can_receive(session); i++) {
		if (!receive(session))
			break;
	}
}

/* Lets the peer read what it was told: a close with unread bytes would take that from it. */
static void leave(struct uromd_session *session)
{
	char scratch[SCRATCH_BYTES];
	ssize_t got;

	if (chan_stream_flush(&session->stream) != DOCA_SUCCESS) {
		uromd_session_end(session);
		return;
	}
	if (chan_stream_is_sending(&session->stream))
		return;
	(void)shutdown(session->stream.fd, SHUT_WR); /* what fails here fails below as well */
	got = recv(session->stream.fd, scratch, sizeof(scratch), MSG_DONTWAIT);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		uromd_session_end(session);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct uromd_session *session = arg;

	(void)source;
	(void)fd;
	if (session->state == UROMD_SESSION_LEAVING) {
		leave(session);
	} else if (is_busy(session)) {
		if ((events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0)
			lost(session, DOCA_ERROR_CONNECTION_RESET);
	} else {
		(void)chan_stream_flush(&session->stream); /* an end is received, too */
		if (receive(session))
			come_again(session);
	}
	watch(session);
	return 0;
}

static int on_turn(sd_event_source *source, void *arg)
{
	struct uromd_session *session = arg;

	(void)source;
	if (session->state == UROMD_SESSION_OVER) {
		destroy(session);
		return 0;
	}
	if (receive(session))
		come_again(session);
	watch(session);
	return 0;
}

/* --- Sending --- */

void uromd_session_send(struct uromd_session *session, uint16_t type, uint64_t id,
			const void *record)
{
	doca_error_t result;

	if (session->state == UROMD_SESSION_LEAVING || session->state == UROMD_SESSION_OVER)
		return;
	result = chan_stream_send(&session->stream, type, id, record);
	/* Of a peer that is gone, what it has sent before is still to be received. */
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_CONNECTION_RESET) {
		if (result == DOCA_ERROR_FULL)
			DOCA_LOG_WARN("%s: does not read; closed", session->label);
		else
			DOCA_LOG_ERR("%s: %s cannot be sent: %s; closed", session->label,
				     wire_message_find(type)->name, doca_error_get_descr(result));
		uromd_session_end(session);
	}
	watch(session);
}

static doca_error_t send_refused(struct uromd_session *session, const struct uromd_failure *failure)
{
	const struct wire_refused refused = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.error = failure->error,
		.reason = uromd_text(failure->reason),
	};

	return chan_stream_send(&session->stream, WIRE_REFUSED, session->hello_id, &refused);
}

void uromd_session_refuse(struct uromd_session *session, const struct uromd_failure *failure)
{
	doca_error_t result;

	if (uromd_session_is_worker(session) ||
	    uromd_daemon_may_log(session->daemon, UROMD_THROTTLE_REFUSED))
		DOCA_LOG_WARN("%s: refused, %s: %s", session->label,
			      doca_error_get_name(failure->error), failure->reason);
	set_state(session, UROMD_SESSION_LEAVING);
	result = send_refused(session, failure);
	if (result == DOCA_SUCCESS)
		result = set_timer(session, UROMD_LINGER_S);
	if (result == DOCA_SUCCESS)
		leave(session);
	else
		uromd_session_end(session);
}

void uromd_session_await_proof(struct uromd_session *session)
{
	set_state(session, UROMD_SESSION_PROVING);
}

void uromd_session_check_proof(struct uromd_session *session)
{
	set_state(session, UROMD_SESSION_CHECKING);
	watch(session);
}

void uromd_session_await_plugins(struct uromd_session *session, void (*done)(void *arg))
{
	doca_error_t result;

	/* What comes now takes as long as the plugins do, which is bounded elsewhere. */
	session->timer = sd_event_source_disable_unref(session->timer);
	set_state(session, UROMD_SESSION_WELCOMING);
	result = uromd_plugins_scan(session->daemon->plugins, done, session, &session->scan);
	if (result == DOCA_SUCCESS)
		return;
	DOCA_LOG_WARN("%s: is offered the plugins that were there before: %s", session->label,
		      doca_error_get_descr(result));
	done(session);
}

void uromd_session_open(struct uromd_session *session)
{
	session->timer = sd_event_source_disable_unref(session->timer);
	uromd_gauges_reach(session);
	session->stream.max_body = UROMD_MAX_BODY;
	set_state(session, UROMD_SESSION_OPEN);
	come_again(session);
	watch(session);
}

/* --- The beginning --- */

void uromd_session_set_label(struct uromd_session *session)
{
	(void)snprintf(session->label, sizeof(session->label), "session %lu (%s%s%s)",
		       session->number, session->host, session->host[0] != '\0' ? " at " : "",
		       session->peer);
}

static doca_error_t add_sources(struct uromd_session *session)
{
	sd_event *event = session->daemon->event;

	if (sd_event_add_defer(event, &session->turn, on_turn, session) < 0 ||
	    sd_event_source_set_enabled(session->turn, SD_EVENT_OFF) < 0 ||
	    sd_event_add_io(event, &session->io, session->stream.fd, EPOLLIN, on_io, session) < 0)
		return DOCA_ERROR_NO_MEMORY;
	return set_timer(session, session->daemon->config->limits.of[UROMD_LIMIT_HANDSHAKE]);
}

/* fd: taken, also when this fails. worker: NULL: a stranger's. */
static doca_error_t create(struct uromd_daemon *daemon, int fd, const char *peer,
			   struct uromd_worker *worker, struct uromd_session **session)
{
	struct uromd_sessions *sessions = &daemon->sessions;
	struct uromd_session *created = calloc(1, sizeof(*created));

	if (created == NULL) {
		close(fd);
		return DOCA_ERROR_NO_MEMORY;
	}
	created->daemon = daemon;
	created->number = ++sessions->last_number;
	created->begun_usec = uromd_daemon_now_usec(daemon);
	created->worker = worker;
	created->role = worker != NULL ? &uromd_role_worker : NULL;
	TAILQ_INIT(&created->conns);
	(void)snprintf(created->peer, sizeof(created->peer), "%s", peer);
	uromd_session_set_label(created);
	chan_stream_init(&created->stream, fd);
	created->stream.max_body = UROMD_MAX_HELLO;
	created->stream.max_out = UROMD_MAX_OUT;
	TAILQ_INSERT_TAIL(&sessions->list, created, link);
	count(created, 1);
	tell_counters(daemon);
	if (add_sources(created) != DOCA_SUCCESS) {
		DOCA_LOG_ERR("%s: cannot be watched; closed", created->label);
		destroy(created);
		return DOCA_ERROR_NO_MEMORY;
	}
	*session = created;
	return DOCA_SUCCESS;
}

/* Strangers who say nothing must not keep hosts out, so the one who has been silent longest goes.
 */
static void make_room(struct uromd_daemon *daemon)
{
	const uint64_t max = daemon->config->limits.of[UROMD_LIMIT_HALF_OPEN];
	struct uromd_sessions *sessions = &daemon->sessions;
	struct uromd_session *session;
	struct uromd_failure failure;

	if (sessions->num_half_open < max)
		return;
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_HALF_OPEN);
	TAILQ_FOREACH (session, &sessions->list, link) {
		if (uromd_session_is_half_open(session))
			break;
	}
	if (session == NULL)
		return;
	(void)uromd_limit_fail(&failure, DOCA_ERROR_FULL, UROMD_LIMIT_HALF_OPEN,
			       "closed without a handshake, as %lu others wait for theirs", max);
	if (uromd_daemon_may_log(daemon, UROMD_THROTTLE_SILENT))
		DOCA_LOG_WARN("%s: %s", session->label, failure.reason);
	(void)send_refused(session, &failure); /* should it read that, good */
	destroy(session);
}

/* He is told, as he may be a host that is only forgotten in the list. */
static void refuse_address(struct uromd_session *session)
{
	struct uromd_failure failure;

	(void)uromd_fail(&failure, DOCA_ERROR_AUTHENTICATION,
			 "%s is not among the addresses that may connect; --allow-hosts of the "
			 "daemon has them",
			 session->peer);
	uromd_session_refuse(session, &failure);
}

doca_error_t uromd_session_accept(struct uromd_daemon *daemon, int fd, const struct sockaddr *peer)
{
	struct uromd_session *session;
	char text[CHAN_ADDR_TEXT];
	doca_error_t result;
	socklen_t len;

	chan_address_text(peer, text);
	make_room(daemon);
	result = create(daemon, fd, text, NULL, &session);
	if (result != DOCA_SUCCESS)
		return result;
	chan_address_tune(fd);
	len = sizeof(session->local);
	if (getsockname(fd, (struct sockaddr *)&session->local, &len) != 0) {
		DOCA_LOG_ERR("%s: has no address: %s; closed", session->label, strerror(errno));
		destroy(session);
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	if (!uromd_allow_hosts_has(&daemon->config->allow_hosts, peer)) {
		refuse_address(session);
		return DOCA_SUCCESS;
	}
	DOCA_LOG_DBG("%s: connected", session->label);
	return DOCA_SUCCESS;
}

doca_error_t uromd_session_create_worker(struct uromd_daemon *daemon, int fd,
					 struct uromd_worker *worker,
					 struct uromd_session **session)
{
	char peer[CHAN_ADDR_TEXT];

	(void)snprintf(peer, sizeof(peer), "worker %lu", worker->id);
	return create(daemon, fd, peer, worker, session);
}

void uromd_sessions_init(struct uromd_sessions *sessions)
{
	*sessions = (struct uromd_sessions){ .count = 0 };
	TAILQ_INIT(&sessions->list);
}

void uromd_sessions_fini(struct uromd_sessions *sessions)
{
	struct uromd_session *session, *next;

	/* First all of them, so that none has another send anything any more. */
	TAILQ_FOREACH (session, &sessions->list, link)
		uromd_session_end(session);
	for (session = TAILQ_FIRST(&sessions->list); session != NULL; session = next) {
		next = TAILQ_NEXT(session, link);
		destroy(session);
	}
}
