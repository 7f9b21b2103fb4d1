/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "core/error.h"
#include "core/export.h"
#include "urom/chan/chan_user.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/config/cookie.h"
#include "urom/daemon/logs.h"
#include "urom/daemon/notify.h"
#include "urom/daemon/sessions/gauges.h"

DOCA_LOG_REGISTER(UROMD::DAEMON);

#define USEC_PER_SEC UINT64_C(1000000)

/* --- The end --- */

static void finish(struct uromd_daemon *daemon, int status)
{
	uromd_notify_fini(daemon);
	(void)sd_event_exit(daemon->event, status); /* the loop is there */
}

void uromd_daemon_worker_gone(struct uromd_daemon *daemon)
{
	if (daemon->is_draining && daemon->workers.count == 0)
		finish(daemon, EXIT_SUCCESS);
}

/* Nothing new begins; what there is has a while to end. */
static void drain(struct uromd_daemon *daemon)
{
	struct uromd_worker *worker;

	daemon->is_draining = true;
	uromd_listener_close(&daemon->listener);
	uromd_notify_stopping(daemon);
	TAILQ_FOREACH (worker, &daemon->workers.list, link)
		uromd_worker_shutdown(worker);
	uromd_daemon_worker_gone(daemon);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct uromd_daemon *daemon = arg;
	const char *name = sigabbrev_np((int)info->ssi_signo);

	(void)source;
	if (info->ssi_signo == SIGUSR1) {
		uromd_gauges_read(daemon);
		uromd_counters_log(&daemon->counters, &daemon->config->limits);
		return 0;
	}
	if (!daemon->is_draining) {
		DOCA_LOG_INFO("SIG%s: ending, with %u workers and %u sessions", name,
			      daemon->workers.count, daemon->sessions.count);
		drain(daemon);
		return 0;
	}
	DOCA_LOG_WARN("SIG%s again: %u workers are killed", name, daemon->workers.count);
	finish(daemon, EXIT_FAILURE);
	return 0;
}

/* --- The log --- */

uint64_t uromd_daemon_now_usec(const struct uromd_daemon *daemon)
{
	uint64_t now_usec = 0;

	(void)sd_event_now(daemon->event, CLOCK_MONOTONIC, &now_usec); /* the clock is there */
	return now_usec;
}

static void settle_later(struct uromd_daemon *daemon);

static int on_settling(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_daemon *daemon = arg;

	(void)source;
	daemon->settling = sd_event_source_disable_unref(daemon->settling);
	if (uromd_throttles_settle(&daemon->throttles, usec))
		settle_later(daemon);
	return 0;
}

/* Without memory for that, the next line of its kind tells. */
static void settle_later(struct uromd_daemon *daemon)
{
	if (daemon->settling == NULL)
		(void)sd_event_add_time_relative(daemon->event, &daemon->settling, CLOCK_MONOTONIC,
						 USEC_PER_SEC, 0, on_settling, daemon);
}

bool uromd_daemon_may_log(struct uromd_daemon *daemon, enum uromd_throttle_kind kind)
{
	if (uromd_throttle_take(&daemon->throttles, kind, uromd_daemon_now_usec(daemon)))
		return true;
	settle_later(daemon);
	return false;
}

/* --- The beginning --- */

/* Sessions and workers need more descriptors than the usual limit allows. */
static void raise_fd_limit(struct uromd_daemon *daemon)
{
	const uint64_t *limits = daemon->config->limits.of;
	const rlim_t needed = limits[UROMD_LIMIT_SESSIONS] + limits[UROMD_LIMIT_HALF_OPEN] +
			      UROMD_FDS_PER_WORKER * limits[UROMD_LIMIT_WORKERS] + UROMD_OTHER_FDS;
	struct rlimit raised;

	if (getrlimit(RLIMIT_NOFILE, &daemon->fd_limit) != 0)
		return; /* cannot be */
	raised = daemon->fd_limit;
	if (raised.rlim_cur >= needed)
		return;
	raised.rlim_cur = raised.rlim_max < needed ? raised.rlim_max : needed;
	if (setrlimit(RLIMIT_NOFILE, &raised) != 0 || raised.rlim_cur < needed)
		DOCA_LOG_DBG("%lu descriptors may be open, less than the %lu that the limits of "
			     "this service add up to",
			     raised.rlim_cur, needed);
}

static int on_turn_over(sd_event_source *source, void *arg)
{
	struct uromd_daemon *daemon = arg;

	(void)source;
	if (uromd_logs_turn(daemon->config))
		uromd_counter_hit(&daemon->counters, UROMD_LIMIT_LOG_SIZE);
	return 0;
}

static void tell_auth(const struct uromd_config *config)
{
	if (config->cookie_file == NULL)
		DOCA_LOG_INFO("hosts are authenticated by %s", config->auth->name);
	else
		DOCA_LOG_INFO("hosts are authenticated by cookie, %s%s", config->cookie_file,
			      config->has_made_cookie ? ", which was not there and is new" : "");
}

static doca_error_t make_loop(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGUSR1 };
	int status = sd_event_new(&daemon->event);

	_Static_assert(CORE_ARRAY_LEN(numbers) == CORE_ARRAY_LEN(daemon->signals), "a source each");
	for (size_t i = 0; i < CORE_ARRAY_LEN(numbers) && status >= 0; i++)
		status = sd_event_add_signal(daemon->event, &daemon->signals[i], numbers[i],
					     on_signal, daemon);
	if (status >= 0)
		status = sd_event_add_post(daemon->event, &daemon->after, on_turn_over, daemon);
	if (status >= 0)
		status = sd_event_set_watchdog(daemon->event, true);
	if (status >= 0)
		return DOCA_SUCCESS;
	return uromd_fail(failure, core_error_from_errno(-status), "no event loop: %s",
			  strerror(-status));
}

static doca_error_t find_cpus(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	cpu_set_t allowed;
	doca_error_t result = uromd_cpus_get_allowed(&allowed);

	if (result != DOCA_SUCCESS)
		return uromd_fail(failure, result, "no processor set: %s",
				  doca_error_get_descr(result));
	return uromd_cpus_init(&daemon->cpus, &allowed, daemon->config->cpuset, failure);
}

static doca_error_t make_plugins(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	doca_error_t result;

	result =
	    uromd_plugins_create(daemon->event, getenv("UROM_PLUGIN_PATH"), daemon->config->worker,
				 &daemon->config->worker_account, &daemon->plugins);
	if (result != DOCA_SUCCESS)
		(void)uromd_fail(failure, result, "no table of plugins: %s",
				 doca_error_get_descr(result));
	return result;
}

static doca_error_t (*const steps[])(struct uromd_daemon *, struct uromd_failure *) = {
	make_loop,
	find_cpus,
	make_plugins,
	uromd_listener_open,
};

static doca_error_t begin(struct uromd_daemon *daemon, struct uromd_config *config,
			  struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	for (size_t i = 0; i < CORE_ARRAY_LEN(steps) && result == DOCA_SUCCESS; i++)
		result = steps[i](daemon, failure);
	if (result == DOCA_SUCCESS)
		result = uromd_cookie_make(config, failure);
	if (result != DOCA_SUCCESS)
		return result;
	tell_auth(config);
	result = uromd_notify_ready(daemon, failure);
	if (result != DOCA_SUCCESS)
		uromd_cookie_take_back(config);
	return result;
}

doca_error_t uromd_daemon_create(struct uromd_config *config, struct uromd_daemon **daemon)
{
	struct uromd_daemon *created = calloc(1, sizeof(*created));
	struct uromd_failure failure;
	doca_error_t result;

	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->config = config;
	created->user_ns = chan_user_namespace();
	uromd_sessions_init(&created->sessions);
	uromd_credentials_init(&created->credentials);
	uromd_workers_init(&created->workers);
	uromd_watch_init(created);
	raise_fd_limit(created);
	result = begin(created, config, &failure);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("%s", failure.reason);
		uromd_daemon_destroy(created);
		return result;
	}
	*daemon = created;
	return DOCA_SUCCESS;
}

void uromd_daemon_destroy(struct uromd_daemon *daemon)
{
	if (daemon == NULL)
		return;
	daemon->is_draining = true;
	uromd_notify_fini(daemon);
	uromd_listener_close(&daemon->listener);
	uromd_sessions_fini(&daemon->sessions);
	uromd_credentials_fini(&daemon->credentials);
	uromd_workers_fini(&daemon->workers);
	uromd_plugins_destroy(daemon->plugins);
	for (size_t i = 0; i < CORE_ARRAY_LEN(daemon->signals); i++)
		sd_event_source_disable_unref(daemon->signals[i]);
	sd_event_source_disable_unref(daemon->settling);
	sd_event_source_disable_unref(daemon->after);
	uromd_watch_fini(&daemon->watch);
	sd_event_unref(daemon->event);
	free(daemon);
}

int uromd_daemon_run(struct uromd_daemon *daemon)
{
	int status = sd_event_loop(daemon->event);

	if (status < 0) {
		DOCA_LOG_CRIT("the event loop has failed: %s", strerror(-status));
		return EXIT_FAILURE;
	}
	uromd_counters_log_end(&daemon->counters);
	DOCA_LOG_INFO("ended");
	return status;
}
