/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/requests.h"

#include <string.h>

#include "core/export.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/process/env.h"

doca_error_t uromd_request_init(struct uromd_request *request,
				const struct wire_worker_start *start)
{
	*request = (struct uromd_request){
		.worker_id = start->worker_id,
		.plugins = start->plugins,
		.has_group = start->has_group,
		.group = start->group,
		.has_cpuset = start->has_cpuset,
		.max_message = start->max_message,
	};
	memcpy(request->cpuset, start->cpuset, sizeof(request->cpuset));
	return uromd_bytes_copy(&request->environment, &start->environment);
}

void uromd_request_fini(struct uromd_request *request)
{
	uromd_bytes_fini(&request->environment);
}

/* --- At all --- */

static doca_error_t check_room(const struct uromd_session *session,
			       const struct wire_worker_start *start, struct uromd_failure *failure)
{
	struct uromd_daemon *daemon = session->daemon;

	(void)start;
	if (session->num_conns < daemon->config->limits.of[UROMD_LIMIT_SESSION_WORKERS])
		return DOCA_SUCCESS;
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_SESSION_WORKERS);
	return uromd_limit_fail(failure, DOCA_ERROR_FULL, UROMD_LIMIT_SESSION_WORKERS,
				"this host has %u connections to workers already",
				session->num_conns);
}

static doca_error_t check_plugins(const struct uromd_session *session,
				  const struct wire_worker_start *start,
				  struct uromd_failure *failure)
{
	if (start->plugins == 0)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE, "no plugin is asked for");
	for (unsigned int bit = 0; bit < 64; bit++) {
		const uint64_t id = UINT64_C(1) << bit;

		if ((start->plugins & id) != 0 &&
		    uromd_plugins_find(session->daemon->plugins, id) == NULL)
			return uromd_fail(failure, DOCA_ERROR_NOT_FOUND,
					  "there is no plugin with the id 0x%lx", id);
	}
	return DOCA_SUCCESS;
}

static doca_error_t check_max_message(const struct uromd_session *session,
				      const struct wire_worker_start *start,
				      struct uromd_failure *failure)
{
	const uint32_t limit = (uint32_t)session->daemon->config->limits.of[UROMD_LIMIT_MESSAGE];

	if (start->max_message >= UROMD_MIN_MESSAGE && start->max_message <= limit)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "messages of %u bytes are not within %d to %u", start->max_message,
			  UROMD_MIN_MESSAGE, limit);
}

static doca_error_t check_cpuset(const struct uromd_session *session,
				 const struct wire_worker_start *start,
				 struct uromd_failure *failure)
{
	if (!start->has_cpuset || uromd_cpus_is_part(&session->daemon->cpus, start->cpuset))
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "the processor set is empty, or has processors that the service does "
			  "not offer");
}

static doca_error_t check_environment(const struct uromd_session *session,
				      const struct wire_worker_start *start,
				      struct uromd_failure *failure)
{
	(void)session;
	if (uromd_env_is_good(&start->environment))
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "an entry of the environment is no NAME=value");
}

/* A start that waits for its worker keeps its environment; one that is answered does not. */
static doca_error_t check_environments(const struct uromd_session *session,
				       const struct wire_worker_start *start,
				       struct uromd_failure *failure)
{
	uint64_t len = start->environment.len;
	const struct uromd_conn *conn;

	TAILQ_FOREACH (conn, &session->conns, of_session)
		len += conn->request.environment.len;
	if (len <= UROMD_MAX_ENVIRONMENTS)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_FULL,
			  "the open starts of this host would have %lu bytes of environment, more "
			  "than %u",
			  len, UROMD_MAX_ENVIRONMENTS);
}

/* Hosts that keep within their own bound add up. */
static doca_error_t check_all_environments(const struct uromd_session *session,
					   const struct wire_worker_start *start,
					   struct uromd_failure *failure)
{
	struct uromd_daemon *daemon = session->daemon;
	const uint64_t len = daemon->num_env_bytes + start->environment.len;

	if (len <= daemon->config->limits.of[UROMD_LIMIT_ENVIRONMENTS])
		return DOCA_SUCCESS;
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_ENVIRONMENTS);
	return uromd_limit_fail(failure, DOCA_ERROR_FULL, UROMD_LIMIT_ENVIRONMENTS,
				"the open starts of all hosts would have %lu bytes of environment",
				len);
}

static doca_error_t (*const checks[])(const struct uromd_session *,
				      const struct wire_worker_start *, struct uromd_failure *) = {
	check_room,        check_plugins,      check_max_message,      check_cpuset,
	check_environment, check_environments, check_all_environments,
};

doca_error_t uromd_request_check(const struct uromd_session *session,
				 const struct wire_worker_start *start,
				 struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < CORE_ARRAY_LEN(checks) && result == DOCA_SUCCESS; i++)
		result = checks[i](session, start, failure);
	return result;
}

/* --- Of one that runs --- */

doca_error_t uromd_request_check_join(const struct uromd_request *request,
				      const struct uromd_identity *identity,
				      const struct uromd_worker *worker,
				      struct uromd_failure *failure)
{
	const uint64_t missing = request->plugins & ~worker->plugins;

	if (!uromd_identity_is_same(identity, &worker->owner))
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "%s runs already, for another user", worker->label);
	if (request->environment.len > 0)
		return uromd_fail(failure, DOCA_ERROR_ALREADY_EXIST,
				  "%s runs already, so its environment cannot be set",
				  worker->label);
	if (request->has_group && (!worker->has_group || worker->group != request->group))
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "%s runs already, and not in group %u", worker->label,
				  request->group);
	if (request->has_cpuset && (!worker->has_cpuset || memcmp(worker->cpuset, request->cpuset,
								  sizeof(worker->cpuset)) != 0))
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "%s runs already, with another processor set", worker->label);
	if (missing != 0)
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "%s runs already, without the plugins 0x%lx", worker->label,
				  missing);
	if (worker->num_conns >= UROMD_MAX_CONNS_PER_WORKER)
		return uromd_fail(failure, DOCA_ERROR_FULL, "%s has %u connections already",
				  worker->label, worker->num_conns);
	return DOCA_SUCCESS;
}
