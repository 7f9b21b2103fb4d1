/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/reap.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <doca_log.h>

#include "core/export.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/logs.h"
#include "urom/daemon/process/segments.h"

DOCA_LOG_REGISTER(UROMD::REAP);

/* Within one of so many parts of a limit is as good as over it. */
#define NEAR_LIMIT 8

const char *uromd_reap_text(const siginfo_t *info, char *text, size_t size)
{
	const char *name = sigdescr_np(info->si_status);

	if (info->si_code == CLD_EXITED)
		(void)snprintf(text, size, "exited with status %d", info->si_status);
	else
		(void)snprintf(text, size, "was killed by signal %d (%s)%s", info->si_status,
			       name != NULL ? name : "unknown",
			       info->si_code == CLD_DUMPED ? ", core dumped" : "");
	return text;
}

/* Has it done what it was asked to, or what it had announced? */
static bool is_expected(const struct uromd_worker *worker, const siginfo_t *info)
{
	if (!worker->is_asked || worker->cause != NULL || uromd_call_is_inside(&worker->call))
		return false;
	if (info->si_code == CLD_EXITED)
		return info->si_status == 0 || worker->has_failed;
	return info->si_status == SIGTERM; /* that was the daemon's, before the handshake */
}

/* --- Ends by a limit --- */

/* Has it used up its time? One that does not end by SIGXCPU is killed soon after. */
static bool is_over_time(const struct uromd_worker *worker, const siginfo_t *info, uint64_t limit)
{
	if (limit == 0 || info->si_code == CLD_EXITED)
		return false;
	return info->si_status == SIGXCPU ||
	       (info->si_status == SIGKILL && worker->usage.cpu_s >= limit);
}

/*
 * The address space of one that has ended is not known any more. It was what it was at the last
 * look, and what has been filled since.
 */
static uint64_t most_memory(const struct uromd_worker *worker)
{
	const struct uromd_usage *usage = &worker->usage;
	const uint64_t most_filled = uromd_pidfd_most_filled(&worker->process);

	return usage->memory_bytes +
	       (most_filled > usage->filled_bytes ? most_filled - usage->filled_bytes : 0);
}

static bool is_over_memory(const struct uromd_worker *worker, const siginfo_t *info, uint64_t limit)
{
	if (limit == 0 || (info->si_code == CLD_EXITED && info->si_status == 0))
		return false;
	return !worker->has_begun || most_memory(worker) >= limit / NEAR_LIMIT * (NEAR_LIMIT - 1);
}

/* No core file although the signal asks for one: the limit did not leave room for any. */
static bool is_over_core(const siginfo_t *info)
{
	static const int numbers[] = { SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
				       SIGFPE,  SIGSEGV, SIGSYS,  SIGXCPU };

	for (size_t i = 0; i < CORE_ARRAY_LEN(numbers) && info->si_code == CLD_KILLED; i++) {
		if (info->si_status == numbers[i])
			return true;
	}
	return false;
}

/* What a limit has to do with the end, behind how that was; "": nothing. */
static const char *blame(struct uromd_worker *worker, const siginfo_t *info, char *text,
			 size_t size)
{
	const uint64_t *limits = worker->daemon->config->limits.of;
	struct uromd_counters *counters = &worker->daemon->counters;

	text[0] = '\0';
	(void)uromd_usage_read(worker->pid, &worker->usage); /* of a dead one, its time */
	if (is_over_core(info))
		uromd_counter_hit(counters, UROMD_LIMIT_CORE);
	if (is_over_time(worker, info, limits[UROMD_LIMIT_CPU_TIME])) {
		uromd_counter_hit(counters, UROMD_LIMIT_CPU_TIME);
		(void)snprintf(text, size,
			       ", as its %lu s of processor time were over, which --%s of the "
			       "daemon sets",
			       limits[UROMD_LIMIT_CPU_TIME],
			       uromd_limits[UROMD_LIMIT_CPU_TIME].name);
	} else if (is_over_memory(worker, info, limits[UROMD_LIMIT_MEMORY])) {
		uromd_counter_hit(counters, UROMD_LIMIT_MEMORY);
		(void)snprintf(
		    text, size,
		    "; it had no more than %lu bytes of memory, which --%s of the daemon "
		    "sets",
		    limits[UROMD_LIMIT_MEMORY], uromd_limits[UROMD_LIMIT_MEMORY].name);
	}
	return text;
}

/* Why it ended; what the daemon itself has done about it comes first. */
static void describe(struct uromd_worker *worker, const siginfo_t *info,
		     struct uromd_failure *failure)
{
	const char *log_dir = worker->daemon->config->log_dir;
	char how[64], where[UROMD_CALL_TEXT], log[PATH_MAX], blamed[160] = "";
	const char *cause = worker->cause;

	if (cause == NULL && uromd_call_is_late(&worker->call))
		cause = "ended itself, as a plugin did not return in time";
	if (cause == NULL) {
		cause = uromd_reap_text(info, how, sizeof(how));
		if (!is_expected(worker, info))
			blame(worker, info, blamed, sizeof(blamed));
	}
	uromd_call_text(&worker->call, worker->daemon->plugins, worker->plugins, where);
	(void)uromd_fail(failure,
			 worker->daemon->is_draining ? DOCA_ERROR_SHUTDOWN
						     : DOCA_ERROR_CONNECTION_RESET,
			 "%s %s%s; %s; its log is %s", worker->label, cause, blamed, where,
			 uromd_logs_worker_path(log_dir, worker->pid, log, sizeof(log)));
}

static void log_end(const struct uromd_worker *worker, const struct uromd_failure *failure)
{
	if (!worker->has_died)
		DOCA_LOG_INFO("%s ended", worker->label);
	else if (worker->is_asked)
		DOCA_LOG_WARN("%s", failure->reason);
	else
		DOCA_LOG_ERR("%s", failure->reason);
}

static void on_end(void *arg)
{
	struct uromd_worker *worker = arg;
	struct uromd_daemon *daemon = worker->daemon;
	struct uromd_failure failure;
	siginfo_t info;

	if (!uromd_pidfd_look(&worker->process, &info))
		info = (siginfo_t){ .si_code = CLD_KILLED }; /* somebody else has waited for it */
	/* Its last words may be why. */
	if (worker->session != NULL)
		uromd_session_drain(worker->session);
	describe(worker, &info, &failure);
	worker->has_died = !is_expected(worker, &info);
	log_end(worker, &failure);
	/* What its plugins have started goes with it: as long as it is not reaped, the group that
	 * has its pid is its own. */
	uromd_pidfd_kill_group(&worker->process);
	uromd_segments_remove(worker->pid);
	/* Now, so that there is no zombie left when hosts hear of it. */
	(void)uromd_pidfd_reap(&worker->process, &info);
	uromd_worker_gone(worker, &failure);
	uromd_daemon_worker_gone(daemon);
}

doca_error_t uromd_reap_watch(struct uromd_worker *worker)
{
	if (uromd_ending_watch(&worker->ending, worker->daemon->event, &worker->process, on_end,
			       worker) != 0)
		return DOCA_ERROR_NO_MEMORY;
	return DOCA_SUCCESS;
}
