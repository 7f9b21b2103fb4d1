/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A start goes QUEUED -> BRINGING -> TICKETING -> OPEN, or begins at any of the first three; each
 * step is another's doing: the end of an old process, a worker that is ready, one that knows the
 * ticket. Its bound runs from WORKER_START to the answer. Nothing that is sent here ends a session
 * or a worker before the loop comes round, so the lists may be walked meanwhile.
 */
#include "urom/daemon/sessions/conns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/gauges.h"
#include "urom/daemon/sessions/requests.h"
#include "urom/daemon/workers/linger.h"

DOCA_LOG_REGISTER(UROMD::CONNS);

#define USEC_PER_SEC  UINT64_C(1000000)
#define ACCURACY_USEC 10000

/* --- Lists --- */

static void enlist(struct uromd_conn *conn, struct uromd_worker *worker,
		   enum uromd_conn_state state)
{
	conn->worker = worker;
	conn->state = state;
	worker->num_conns++;
	if (state == UROMD_CONN_QUEUED)
		TAILQ_INSERT_TAIL(&worker->queue, conn, of_worker);
	else
		TAILQ_INSERT_TAIL(&worker->conns, conn, of_worker);
}

static void unlist(struct uromd_conn *conn)
{
	struct uromd_worker *worker = conn->worker;

	if (worker == NULL)
		return;
	worker->num_conns--;
	if (conn->state == UROMD_CONN_QUEUED)
		TAILQ_REMOVE(&worker->queue, conn, of_worker);
	else
		TAILQ_REMOVE(&worker->conns, conn, of_worker);
	conn->worker = NULL;
}

static void set_env_bytes(struct uromd_daemon *daemon, uint64_t num_bytes)
{
	daemon->num_env_bytes = num_bytes;
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_ENVIRONMENTS, num_bytes);
}

static doca_error_t keep_request(struct uromd_conn *conn, const struct wire_worker_start *start)
{
	struct uromd_daemon *daemon = conn->session->daemon;
	doca_error_t result = uromd_request_init(&conn->request, start);

	if (result == DOCA_SUCCESS)
		set_env_bytes(daemon, daemon->num_env_bytes + conn->request.environment.len);
	return result;
}

/* May be called again: it is empty then. */
static void drop_request(struct uromd_conn *conn)
{
	struct uromd_daemon *daemon = conn->session->daemon;

	set_env_bytes(daemon, daemon->num_env_bytes - conn->request.environment.len);
	uromd_request_fini(&conn->request);
}

static void destroy(struct uromd_conn *conn)
{
	unlist(conn);
	TAILQ_REMOVE(&conn->session->conns, conn, of_session);
	conn->session->num_conns--;
	sd_event_source_disable_unref(conn->timer);
	drop_request(conn);
	explicit_bzero(conn->ticket, sizeof(conn->ticket));
	free(conn);
}

/* --- Answers --- */

static void send_refused(struct uromd_session *session, uint64_t exchange,
			 const struct uromd_failure *failure)
{
	const struct wire_failure refused = {
		.error = failure->error,
		.reason = uromd_text(failure->reason),
	};

	uromd_session_send(session, WIRE_WORKER_REFUSED, exchange, &refused);
}

/* What is asked for cannot be. */
static void refuse(struct uromd_session *session, uint64_t exchange,
		   const struct uromd_failure *failure)
{
	DOCA_LOG_WARN("%s: no worker for it, %s: %s", session->label,
		      doca_error_get_name(failure->error), failure->reason);
	send_refused(session, exchange, failure);
}

/* What was asked for has failed: the end of a start. */
static void fail_start(struct uromd_conn *conn, const struct uromd_failure *failure)
{
	DOCA_LOG_ERR("%s: no worker for it, %s: %s", conn->session->label,
		     doca_error_get_name(failure->error), failure->reason);
	send_refused(conn->session, conn->exchange, failure);
	destroy(conn);
}

static void send_stopped(struct uromd_session *session, uint64_t exchange)
{
	const struct wire_empty nothing = { 0 };

	uromd_session_send(session, WIRE_WORKER_STOPPED, exchange, &nothing);
}

/* Once a connection, so that a host which reads nothing at all makes little of it wait. */
static void send_ended(const struct uromd_conn *conn, const struct uromd_failure *failure)
{
	const struct wire_connection_ended message = {
		.worker_id = conn->worker->id,
		.connection = conn->number,
		.reason = uromd_text(failure->reason),
	};

	uromd_session_send(conn->session, WIRE_CONNECTION_ENDED, 0, &message);
}

static void send_died(const struct uromd_conn *conn, const struct uromd_failure *died)
{
	const struct wire_worker_died message = {
		.worker_id = conn->worker->id,
		.error = died->error,
		.reason = uromd_text(died->reason),
	};

	uromd_session_send(conn->session, WIRE_WORKER_DIED, 0, &message);
}

static void send_started(const struct uromd_conn *conn)
{
	const struct uromd_worker *worker = conn->worker;
	struct wire_worker_started started = {
		.worker_id = worker->id,
		.connection = conn->number,
		.has_group = worker->has_group,
		.group = worker->group,
		.pid = (uint64_t)worker->pid,
		.uid = worker->uid,
		.user_ns = worker->daemon->user_ns,
		.channel_addr = uromd_bytes_view(&worker->channel_addr),
		.plugin_addrs = uromd_bytes_view(&worker->plugin_addrs),
	};

	memcpy(started.ticket, conn->ticket, sizeof(started.ticket));
	uromd_session_send(conn->session, WIRE_WORKER_STARTED, conn->exchange, &started);
	explicit_bzero(started.ticket, sizeof(started.ticket));
}

/* --- To the worker --- */

static void send_void(const struct uromd_conn *conn)
{
	const struct wire_ticket_void message = { .connection = conn->number };

	if (conn->worker->session != NULL)
		uromd_session_send(conn->worker->session, WIRE_TICKET_VOID, 0, &message);
}

/* A worker that nobody waits for any more is of no use; one that hangs does not close, either. */
static void abandon(struct uromd_worker *worker)
{
	if (!TAILQ_EMPTY(&worker->conns))
		return;
	if (worker->state == UROMD_WORKER_STARTING)
		uromd_worker_kill(worker, "was not ready in time and was killed");
	else
		uromd_worker_shutdown(worker);
}

/* A worker that is ready is told whom it is to let in. */
static void send_ticket(struct uromd_conn *conn)
{
	struct wire_ticket message = {
		.version = conn->session->version,
		.max_message = conn->request.max_message,
		.host = uromd_text(conn->session->host),
	};
	struct uromd_worker *worker = conn->worker;
	struct uromd_failure failure;

	conn->state = UROMD_CONN_TICKETING;
	conn->number = ++conn->session->daemon->last_conn;
	if (getrandom(conn->ticket, sizeof(conn->ticket), 0) != sizeof(conn->ticket)) {
		(void)uromd_fail(&failure, core_error_from_errno(errno),
				 "no random bytes for a ticket: %s", strerror(errno));
		fail_start(conn, &failure);
		abandon(worker);
		return;
	}
	message.connection = conn->number;
	memcpy(message.ticket, conn->ticket, sizeof(message.ticket));
	if (worker->session != NULL)
		uromd_session_send(worker->session, WIRE_TICKET, conn->number, &message);
	explicit_bzero(message.ticket, sizeof(message.ticket));
}

/* --- Starting --- */

/* Makes the worker that a start is for, or waits for the end of one that is of less use. */
static void place_new(struct uromd_conn *conn)
{
	struct uromd_session *session = conn->session;
	struct uromd_daemon *daemon = session->daemon;
	struct uromd_worker *worker = NULL;
	struct uromd_failure failure;

	if (uromd_workers_are_full(daemon))
		worker = uromd_linger_make_room(&daemon->workers);
	if (worker != NULL)
		enlist(conn, worker, UROMD_CONN_QUEUED);
	else if (uromd_worker_create(session, &conn->request, &worker, &failure) == DOCA_SUCCESS)
		enlist(conn, worker, UROMD_CONN_BRINGING);
	else
		fail_start(conn, &failure);
}

/* Finds or makes the worker that a start is for. */
static void place(struct uromd_conn *conn)
{
	const struct uromd_request *request = &conn->request;
	struct uromd_session *session = conn->session;
	struct uromd_worker *worker = NULL;
	struct uromd_failure failure;

	if (request->worker_id != UROMD_WORKER_ID_ANY)
		worker = uromd_workers_find(&session->daemon->workers, request->worker_id);
	if (worker == NULL) {
		place_new(conn);
	} else if (worker->state == UROMD_WORKER_ENDING) {
		enlist(conn, worker, UROMD_CONN_QUEUED);
	} else if (uromd_request_check_join(request, &session->identity, worker, &failure) !=
		   DOCA_SUCCESS) {
		if (uromd_linger_gives_way(worker, &session->identity, &failure)) {
			enlist(conn, worker, UROMD_CONN_QUEUED);
			return;
		}
		refuse(session, conn->exchange, &failure);
		destroy(conn);
	} else {
		uromd_linger_end(worker);
		enlist(conn, worker, UROMD_CONN_BRINGING);
		if (worker->state == UROMD_WORKER_READY)
			send_ticket(conn);
	}
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_conn *conn = arg;
	struct uromd_worker *worker = conn->worker;
	const bool is_queued = conn->state == UROMD_CONN_QUEUED;
	struct uromd_failure failure;

	(void)source;
	(void)usec;
	(void)uromd_fail(&failure, DOCA_ERROR_TIME_OUT, "%s %s within %d s", worker->label,
			 is_queued ? "did not make room for a new one" : "was not ready",
			 UROMD_BRING_UP_S);
	if (conn->state == UROMD_CONN_TICKETING)
		send_void(conn);
	fail_start(conn, &failure);
	if (!is_queued)
		abandon(worker);
	return 0;
}

/* NULL: no memory. */
static struct uromd_conn *create(struct uromd_session *session, uint64_t exchange,
				 const struct wire_worker_start *start)
{
	struct uromd_conn *conn = calloc(1, sizeof(*conn));

	if (conn == NULL)
		return NULL;
	conn->session = session;
	conn->exchange = exchange;
	TAILQ_INSERT_TAIL(&session->conns, conn, of_session);
	session->num_conns++;
	uromd_gauges_reach(session);
	if (keep_request(conn, start) == DOCA_SUCCESS &&
	    sd_event_add_time_relative(session->daemon->event, &conn->timer, CLOCK_MONOTONIC,
				       UROMD_BRING_UP_S * USEC_PER_SEC, ACCURACY_USEC, on_timeout,
				       conn) >= 0)
		return conn;
	destroy(conn);
	return NULL;
}

void uromd_conn_start(struct uromd_session *session, uint64_t exchange,
		      const struct wire_worker_start *start)
{
	struct uromd_failure failure;
	struct uromd_conn *conn = NULL;

	if (uromd_request_check(session, start, &failure) == DOCA_SUCCESS) {
		conn = create(session, exchange, start);
		if (conn == NULL)
			(void)uromd_fail(&failure, DOCA_ERROR_NO_MEMORY,
					 "no memory for a connection");
	}
	if (conn != NULL)
		place(conn);
	else
		refuse(session, exchange, &failure);
}

/* --- Stopping --- */

static struct uromd_conn *find_open(const struct uromd_session *session,
				    const struct wire_worker_stop *stop)
{
	struct uromd_conn *conn;

	TAILQ_FOREACH (conn, &session->conns, of_session) {
		if (conn->state == UROMD_CONN_OPEN && conn->number == stop->connection &&
		    conn->worker->id == stop->worker_id)
			break;
	}
	return conn;
}

static bool is_last(const struct uromd_conn *conn)
{
	return TAILQ_FIRST(&conn->worker->conns) == conn && TAILQ_NEXT(conn, of_worker) == NULL;
}

void uromd_conn_stop(struct uromd_session *session, uint64_t exchange,
		     const struct wire_worker_stop *stop)
{
	struct uromd_conn *conn = find_open(session, stop);

	if (conn == NULL) { /* the worker has gone already */
		send_stopped(session, exchange);
		return;
	}
	send_void(conn);
	if (is_last(conn)) {
		conn->state = UROMD_CONN_STOPPING;
		conn->exchange = exchange;
		uromd_worker_shutdown(conn->worker);
		return;
	}
	destroy(conn);
	send_stopped(session, exchange);
}

void uromd_conns_drop(struct uromd_session *session)
{
	struct uromd_conn *conn, *next;

	for (conn = TAILQ_FIRST(&session->conns); conn != NULL; conn = next) {
		struct uromd_worker *worker = conn->worker;

		next = TAILQ_NEXT(conn, of_session);
		if (conn->state == UROMD_CONN_TICKETING || conn->state == UROMD_CONN_OPEN)
			send_void(conn);
		destroy(conn);
		if (worker != NULL)
			uromd_worker_release(worker);
	}
}

/* --- What a worker does --- */

void uromd_conns_ready(struct uromd_worker *worker)
{
	struct uromd_conn *conn, *next;

	for (conn = TAILQ_FIRST(&worker->conns); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, of_worker);
		if (conn->state == UROMD_CONN_BRINGING)
			send_ticket(conn);
	}
}

/* The one whose ticket the worker was told; NULL: its host has left meanwhile. */
static struct uromd_conn *find_ticketing(struct uromd_worker *worker, uint64_t number)
{
	struct uromd_conn *conn;

	TAILQ_FOREACH (conn, &worker->conns, of_worker) {
		if (conn->state == UROMD_CONN_TICKETING && conn->number == number)
			break;
	}
	return conn;
}

void uromd_conns_known(struct uromd_worker *worker, uint64_t number)
{
	struct uromd_conn *conn = find_ticketing(worker, number);

	if (conn == NULL)
		return;
	worker->has_served = true;
	conn->timer = sd_event_source_disable_unref(conn->timer);
	conn->state = UROMD_CONN_OPEN;
	send_started(conn);
	DOCA_LOG_DBG("%s: connection %lu is for %s", worker->label, number, conn->session->label);
	explicit_bzero(conn->ticket, sizeof(conn->ticket));
	drop_request(conn);
}

/* failure: filled in. */
static void fail_over_files(const struct uromd_worker *worker, const char *reason,
			    struct uromd_failure *failure)
{
	struct uromd_daemon *daemon = worker->daemon;
	const bool is_inherited = daemon->config->limits.of[UROMD_LIMIT_FILES] == 0;

	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_FILES);
	(void)uromd_limit_fail(failure, DOCA_ERROR_FULL, UROMD_LIMIT_FILES,
			       "%s takes no more hosts: %s%s", worker->label, reason,
			       is_inherited ? " (as ulimit -n of the daemon has it)" : "");
}

void uromd_conns_not_taken(struct uromd_worker *worker, uint64_t number,
			   const struct wire_ticket_refused *told)
{
	const bool is_error = told->error != DOCA_SUCCESS && told->error <= DOCA_ERROR_SKIPPED;
	struct uromd_conn *conn = find_ticketing(worker, number);
	char reason[WIRE_MAX_REASON / 2];
	struct uromd_failure failure;

	if (conn == NULL)
		return;
	uromd_text_copy(reason, sizeof(reason), &told->reason);
	if (told->lacks_files)
		fail_over_files(worker, reason, &failure);
	else
		(void)uromd_fail(&failure, is_error ? told->error : DOCA_ERROR_UNEXPECTED,
				 "%s takes no more hosts: %s", worker->label, reason);
	fail_start(conn, &failure);
	/* One that nobody could ever use is of no use later, either. */
	if (worker->has_served)
		uromd_worker_release(worker);
	else
		abandon(worker);
}

void uromd_conns_deaf(struct uromd_worker *worker, uint64_t number)
{
	struct uromd_daemon *daemon = worker->daemon;
	struct uromd_failure failure;
	struct uromd_conn *conn;

	TAILQ_FOREACH (conn, &worker->conns, of_worker) {
		if (conn->number == number && number != 0)
			break;
	}
	/* Its host may have left meanwhile, and a worker may say it again. */
	if (conn == NULL || conn->is_deaf)
		return;
	conn->is_deaf = true;
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_UNREAD);
	(void)uromd_limit_fail(&failure, DOCA_ERROR_FULL, UROMD_LIMIT_UNREAD,
			       "the connection of this host to %s is ended, as more than %lu "
			       "bytes of answers wait for it",
			       worker->label, daemon->config->limits.of[UROMD_LIMIT_UNREAD]);
	DOCA_LOG_WARN("%s: %s", conn->session->label, failure.reason);
	if (conn->state == UROMD_CONN_OPEN)
		send_ended(conn, &failure);
}

void uromd_conns_refuse(struct uromd_worker *worker, const struct uromd_failure *failure)
{
	struct uromd_conn *conn, *next;

	for (conn = TAILQ_FIRST(&worker->conns); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, of_worker);
		if (conn->state == UROMD_CONN_BRINGING || conn->state == UROMD_CONN_TICKETING)
			fail_start(conn, failure);
	}
}

void uromd_conns_gone(struct uromd_worker *worker, const struct uromd_failure *died)
{
	struct uromd_failure failure = *died;
	struct uromd_conn *conn, *next;

	/* A crash, as far as a start is concerned. */
	if (failure.error == DOCA_ERROR_CONNECTION_RESET)
		failure.error = DOCA_ERROR_UNEXPECTED;
	uromd_conns_refuse(worker, &failure);
	for (conn = TAILQ_FIRST(&worker->conns); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, of_worker);
		if (conn->state == UROMD_CONN_STOPPING)
			send_stopped(conn->session, conn->exchange);
		/* Also behind the answer to a stop: it may be the host's answer to the death. */
		if (conn->state != UROMD_CONN_STOPPING || worker->has_died)
			send_died(conn, died);
		destroy(conn);
	}
}

void uromd_conns_resume(struct uromd_conn_list *queue)
{
	struct uromd_conn *conn;

	while ((conn = TAILQ_FIRST(queue)) != NULL) {
		TAILQ_REMOVE(queue, conn, of_worker);
		conn->worker = NULL;
		place(conn);
	}
}
