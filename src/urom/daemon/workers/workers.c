/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/workers.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>

#include "urom/daemon/base/limits.h"
#include "urom/daemon/config/worker_user.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/logs.h"
#include "urom/daemon/workers/linger.h"
#include "urom/daemon/workers/reap.h"
#include "urom/daemon/workers/spawn.h"

DOCA_LOG_REGISTER(UROMD::WORKERS);

#define USEC_PER_SEC  UINT64_C(1000000)
#define ACCURACY_USEC 10000

/* Ids that the daemon chooses are far from those that people do. */
#define FIRST_ANY (UINT64_C(1) << 63)

/* Bytes of an id in a list. */
#define ID_SIZE 8

/* --- The table --- */

void uromd_workers_init(struct uromd_workers *workers)
{
	*workers = (struct uromd_workers){ .next_any = FIRST_ANY };
	TAILQ_INIT(&workers->list);
}

struct uromd_worker *uromd_workers_find(const struct uromd_workers *workers, uint64_t id)
{
	struct uromd_worker *worker;

	TAILQ_FOREACH (worker, &workers->list, link) {
		if (worker->id >= id)
			break;
	}
	return worker != NULL && worker->id == id ? worker : NULL;
}

static void insert(struct uromd_workers *workers, struct uromd_worker *worker)
{
	struct uromd_worker *after;

	TAILQ_FOREACH (after, &workers->list, link) {
		if (after->id > worker->id)
			break;
	}
	if (after != NULL)
		TAILQ_INSERT_BEFORE(after, worker, link);
	else
		TAILQ_INSERT_TAIL(&workers->list, worker, link);
	workers->count++;
	uromd_counter_set(&worker->daemon->counters, UROMD_LIMIT_WORKERS, workers->count);
}

/* An id that nobody has, and that the daemon has not chosen before. */
static uint64_t choose_id(struct uromd_workers *workers)
{
	uint64_t id;

	do {
		id = workers->next_any++;
		if (workers->next_any == UROMD_WORKER_ID_ANY)
			workers->next_any = FIRST_ANY;
	} while (uromd_workers_find(workers, id) != NULL);
	return id;
}

bool uromd_workers_are_full(const struct uromd_daemon *daemon)
{
	return daemon->workers.count >= daemon->config->limits.of[UROMD_LIMIT_WORKERS];
}

bool uromd_worker_is_ready(const struct uromd_worker *worker)
{
	return worker->state == UROMD_WORKER_READY || worker->state == UROMD_WORKER_LINGERING;
}

doca_error_t uromd_workers_get_group(const struct uromd_workers *workers, uint32_t group,
				     const struct uromd_identity *viewer, struct uromd_bytes *ids)
{
	uint8_t *list = malloc(ID_SIZE * (size_t)workers->count + 1);
	const struct uromd_worker *worker;
	size_t len = 0, added;

	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_FOREACH (worker, &workers->list, link) {
		const struct wire_id record = { worker->id };

		if (!worker->has_group || worker->group != group ||
		    !uromd_worker_is_ready(worker) ||
		    !uromd_identity_may_see(viewer, &worker->owner))
			continue;
		if (wire_encode(&wire_id_message, &record, list + len, ID_SIZE, &added) == WIRE_OK)
			len += added;
	}
	*ids = (struct uromd_bytes){ .data = list, .len = (uint32_t)len };
	return DOCA_SUCCESS;
}

/* --- The end --- */

static void fail_late(const struct uromd_worker *worker, struct uromd_failure *failure)
{
	const struct uromd_daemon *daemon = worker->daemon;
	char where[UROMD_CALL_TEXT], log[PATH_MAX];

	uromd_call_text(&worker->call, daemon->plugins, worker->plugins, where);
	uromd_logs_worker_path(daemon->config->log_dir, worker->pid, log, sizeof(log));
	(void)uromd_fail(failure, DOCA_ERROR_TIME_OUT,
			 "%s was not ready within %d s; %s; its log is %s", worker->label,
			 UROMD_BRING_UP_S, where, log);
}

static int on_timeout(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_worker *worker = arg;
	struct uromd_failure failure;

	(void)source;
	(void)usec;
	if (worker->state == UROMD_WORKER_STARTING) {
		fail_late(worker, &failure);
		uromd_worker_kill(worker, "was not ready in time and was killed");
		uromd_conns_refuse(worker, &failure);
	} else {
		uromd_worker_kill(worker, "did not close its plugins in time and was killed");
	}
	return 0;
}

static doca_error_t set_timer(struct uromd_worker *worker, unsigned int seconds)
{
	worker->timer = sd_event_source_disable_unref(worker->timer);
	if (sd_event_add_time_relative(worker->daemon->event, &worker->timer, CLOCK_MONOTONIC,
				       seconds * USEC_PER_SEC, ACCURACY_USEC, on_timeout,
				       worker) < 0)
		return DOCA_ERROR_NO_MEMORY;
	return DOCA_SUCCESS;
}

void uromd_worker_kill(struct uromd_worker *worker, const char *cause)
{
	worker->state = UROMD_WORKER_ENDING;
	if (worker->cause == NULL)
		worker->cause = cause;
	worker->timer = sd_event_source_disable_unref(worker->timer);
	uromd_pidfd_signal(&worker->process, SIGKILL);
}

/* Its process has a while to end. */
static void begin_to_end(struct uromd_worker *worker)
{
	worker->state = UROMD_WORKER_ENDING;
	if (set_timer(worker, UROMD_CLOSE_S) != DOCA_SUCCESS)
		uromd_worker_kill(worker, "was killed as no memory was left to wait for its end");
}

void uromd_worker_shutdown(struct uromd_worker *worker)
{
	const struct uromd_session *session = worker->session;
	const struct wire_empty nothing = { 0 };

	worker->is_asked = true;
	if (worker->state == UROMD_WORKER_ENDING)
		return;
	DOCA_LOG_DBG("%s: asked to end", worker->label);
	/* One that has not said hello knows no messages yet. */
	if (session != NULL && session->state == UROMD_SESSION_OPEN)
		uromd_session_send(worker->session, WIRE_SHUTDOWN, 0, &nothing);
	else
		uromd_pidfd_signal(&worker->process, SIGTERM);
	begin_to_end(worker);
}

void uromd_worker_release(struct uromd_worker *worker)
{
	if (!TAILQ_EMPTY(&worker->conns))
		return;
	if (worker->state == UROMD_WORKER_READY)
		uromd_linger_begin(worker);
	else if (worker->state != UROMD_WORKER_LINGERING)
		uromd_worker_shutdown(worker);
}

static void destroy(struct uromd_worker *worker)
{
	struct uromd_workers *workers = &worker->daemon->workers;

	if (worker->session != NULL) {
		worker->session->worker = NULL;
		uromd_session_end(worker->session);
	}
	uromd_ending_fini(&worker->ending);
	uromd_pidfd_fini(&worker->process);
	sd_event_source_disable_unref(worker->timer);
	TAILQ_REMOVE(&workers->list, worker, link);
	uromd_watch_ended(worker->daemon, worker);
	workers->count--;
	uromd_counter_set(&worker->daemon->counters, UROMD_LIMIT_WORKERS, workers->count);
	uromd_bytes_fini(&worker->channel_addr);
	uromd_bytes_fini(&worker->plugin_addrs);
	uromd_call_fini(&worker->call);
	free(worker);
}

/* The starts that wait for its end, in their order. queue: empty at first. */
static void take_queue(struct uromd_worker *worker, struct uromd_conn_list *queue)
{
	struct uromd_conn *conn, *next;

	for (conn = TAILQ_FIRST(&worker->queue); conn != NULL; conn = next) {
		next = TAILQ_NEXT(conn, of_worker);
		TAILQ_REMOVE(&worker->queue, conn, of_worker);
		TAILQ_INSERT_TAIL(queue, conn, of_worker);
	}
}

void uromd_worker_gone(struct uromd_worker *worker, const struct uromd_failure *died)
{
	struct uromd_conn_list queue = TAILQ_HEAD_INITIALIZER(queue);

	uromd_conns_gone(worker, died);
	take_queue(worker, &queue);
	destroy(worker);
	uromd_conns_resume(&queue);
}

void uromd_workers_fini(struct uromd_workers *workers)
{
	struct uromd_worker *worker, *next;

	for (worker = TAILQ_FIRST(&workers->list); worker != NULL; worker = next) {
		next = TAILQ_NEXT(worker, link);
		uromd_pidfd_signal(&worker->process, SIGKILL);
		destroy(worker);
	}
}

/* --- What its session hears --- */

void uromd_worker_set_ready(struct uromd_worker *worker, const struct wire_worker_ready *ready)
{
	/* Whoever would use it has left meanwhile. */
	if (worker->state == UROMD_WORKER_ENDING)
		return;
	if (uromd_bytes_copy(&worker->channel_addr, &ready->channel_addr) != DOCA_SUCCESS ||
	    uromd_bytes_copy(&worker->plugin_addrs, &ready->plugin_addrs) != DOCA_SUCCESS) {
		uromd_worker_kill(worker, "was killed as no memory was left for its addresses");
		return;
	}
	worker->state = UROMD_WORKER_READY;
	worker->timer = sd_event_source_disable_unref(worker->timer);
	(void)uromd_usage_read(worker->pid, &worker->usage); /* so that there was a look at all */
	DOCA_LOG_INFO("%s is ready", worker->label);
	uromd_conns_ready(worker);
}

static bool has_memory_limit(const struct uromd_worker *worker)
{
	return worker->daemon->config->limits.of[UROMD_LIMIT_MEMORY] != 0;
}

void uromd_worker_set_failed(struct uromd_worker *worker, const struct wire_failure *told)
{
	const char *log_dir = worker->daemon->config->log_dir;
	const bool is_error = told->error != DOCA_SUCCESS && told->error <= DOCA_ERROR_SKIPPED;
	char reason[WIRE_MAX_REASON + 1], log[PATH_MAX];
	struct uromd_failure failure;

	uromd_text_copy(reason, sizeof(reason), &told->reason);
	uromd_logs_worker_path(log_dir, worker->pid, log, sizeof(log));
	(void)uromd_fail(&failure, is_error ? told->error : DOCA_ERROR_UNEXPECTED,
			 "%s: %s%s; its log is %s", worker->label, reason,
			 told->error == DOCA_ERROR_NO_MEMORY && has_memory_limit(worker)
			     ? " (--worker-memory of the daemon limits it)"
			     : "",
			 log);
	if (told->error == DOCA_ERROR_NO_MEMORY && has_memory_limit(worker))
		uromd_counter_hit(&worker->daemon->counters, UROMD_LIMIT_MEMORY);
	worker->has_failed = true;
	worker->is_asked = true; /* nobody waits for it any more */
	if (worker->state != UROMD_WORKER_ENDING)
		begin_to_end(worker);
	uromd_conns_refuse(worker, &failure);
}

void uromd_worker_lost(struct uromd_worker *worker)
{
	worker->session = NULL;
	if (worker->state != UROMD_WORKER_ENDING)
		begin_to_end(worker);
}

/* --- The beginning --- */

/* What the new one is, before there is a process; NULL: no memory. */
static struct uromd_worker *make(struct uromd_daemon *daemon, const struct uromd_request *request)
{
	struct uromd_worker *worker = calloc(1, sizeof(*worker));

	if (worker == NULL)
		return NULL;
	worker->daemon = daemon;
	worker->process = UROMD_NO_PIDFD;
	worker->id = request->worker_id;
	if (worker->id == UROMD_WORKER_ID_ANY)
		worker->id = choose_id(&daemon->workers);
	worker->plugins = request->plugins;
	worker->has_group = request->has_group;
	worker->group = request->group;
	worker->has_cpuset = request->has_cpuset;
	memcpy(worker->cpuset, request->cpuset, sizeof(worker->cpuset));
	TAILQ_INIT(&worker->conns);
	TAILQ_INIT(&worker->queue);
	return worker;
}

/* The process is there; from here on its end goes the way of all ends. */
static doca_error_t watch(struct uromd_worker *worker, int fd)
{
	doca_error_t result = uromd_pidfd_init(&worker->process, worker->pid);

	if (result == DOCA_SUCCESS)
		result = uromd_reap_watch(worker);
	if (result != DOCA_SUCCESS) {
		close(fd);
		return result;
	}
	result = uromd_session_create_worker(worker->daemon, fd, worker, &worker->session);
	if (result == DOCA_SUCCESS)
		result = set_timer(worker, UROMD_BRING_UP_S);
	return result;
}

/* Starts the process. fd: owned, the daemon's end of its control connection. */
static doca_error_t spawn(struct uromd_worker *worker, const struct uromd_session *session,
			  const struct uromd_request *request, int *fd,
			  struct uromd_failure *failure)
{
	struct uromd_account account;
	struct uromd_birth birth = {
		.id = worker->id,
		.request = request,
		.account = &account,
		.local = (const struct sockaddr *)&session->local,
	};
	struct uromd_process process;
	doca_error_t result;

	result =
	    uromd_worker_user_get(worker->daemon->config, &session->identity, &account, failure);
	if (result != DOCA_SUCCESS)
		return result;
	worker->uid = account.uid;
	uromd_watch_prepare(worker->daemon, worker);
	birth.log_fd = worker->log.is_open ? worker->log.fd : -1;
	result = uromd_spawn(worker->daemon, &birth, &process, failure);
	if (result != DOCA_SUCCESS) {
		uromd_worker_log_drop(&worker->daemon->watch.logs, &worker->log);
		return result;
	}
	worker->pid = process.pid;
	worker->call = process.call;
	uromd_watch_begin(worker->daemon, worker);
	worker->owner = session->identity;
	(void)snprintf(worker->label, sizeof(worker->label), "worker %lu (pid %d)", worker->id,
		       (int)worker->pid);
	if (account.is_other)
		DOCA_LOG_INFO("%s started for %s, as user %u", worker->label, session->label,
			      account.uid);
	else
		DOCA_LOG_INFO("%s started for %s", worker->label, session->label);
	*fd = process.fd;
	return DOCA_SUCCESS;
}

doca_error_t uromd_worker_create(struct uromd_session *session, const struct uromd_request *request,
				 struct uromd_worker **worker, struct uromd_failure *failure)
{
	struct uromd_daemon *daemon = session->daemon;
	struct uromd_workers *workers = &daemon->workers;
	struct uromd_worker *created;
	doca_error_t result;
	int fd;

	if (daemon->is_draining)
		return uromd_fail(failure, DOCA_ERROR_SHUTDOWN, "the service is ending");
	if (uromd_workers_are_full(daemon)) {
		uromd_counter_hit(&daemon->counters, UROMD_LIMIT_WORKERS);
		return uromd_limit_fail(failure, DOCA_ERROR_FULL, UROMD_LIMIT_WORKERS,
					"the service has %u workers already", workers->count);
	}
	created = make(daemon, request);
	if (created == NULL)
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory for a worker");
	result = spawn(created, session, request, &fd, failure);
	if (result != DOCA_SUCCESS) {
		free(created);
		return result;
	}
	insert(workers, created);
	result = watch(created, fd);
	if (result != DOCA_SUCCESS) {
		uromd_pidfd_end(&created->process);
		destroy(created);
		return uromd_fail(failure, result, "a worker cannot be watched: %s",
				  doca_error_get_descr(result));
	}
	*worker = created;
	return DOCA_SUCCESS;
}
