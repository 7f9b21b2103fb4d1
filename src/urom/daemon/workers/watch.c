/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/watch.h"

#include <errno.h>
#include <string.h>

#include <doca_log.h>

#include "urom/daemon/daemon.h"

DOCA_LOG_REGISTER(UROMD::WATCH);

#define USEC_PER_MS UINT64_C(1000)

/* Between two turns; the second, while a log grows fast. */
#define TURN_MS      1000
#define FAST_TURN_MS 100

/* When it lets the loop wake for other things as well. */
#define ACCURACY_USEC 50000

/* Of one turn: each has a megabyte to copy; each has a few files of /proc to read. */
#define MAX_CUTS  8
#define MAX_LOOKS 32

/* --- Logs --- */

static void cut(struct uromd_daemon *daemon, struct uromd_worker *worker)
{
	struct uromd_watch *watch = &daemon->watch;
	doca_error_t result = uromd_worker_log_cut(&watch->logs, &worker->log, worker->pid);

	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_LOG_SIZE);
	DOCA_LOG_DBG("%s: its log begins anew", worker->label);
	if (result != DOCA_SUCCESS && !watch->is_failing)
		DOCA_LOG_WARN("%s: the end of its log is not kept: %s", worker->label,
			      strerror(errno));
	watch->is_failing = result != DOCA_SUCCESS;
}

/* True: one of them grows so fast that the next look cannot wait. */
static bool look_at_logs(struct uromd_daemon *daemon)
{
	const uint64_t max = daemon->config->limits.of[UROMD_LIMIT_LOG_SIZE];
	unsigned int num_cuts = 0;
	struct uromd_worker *worker;
	uint64_t largest = 0;
	bool is_fast = false;

	TAILQ_FOREACH (worker, &daemon->workers.list, link) {
		const uint64_t before = worker->log.size_bytes;
		const uint64_t size = uromd_worker_log_look(&worker->log);

		largest = size > largest ? size : largest;
		if (max == 0)
			continue;
		is_fast |= size > before && size - before > max / 4;
		if (size <= max)
			continue;
		if (num_cuts++ < MAX_CUTS)
			cut(daemon, worker);
		else
			is_fast = true;
	}
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_LOG_SIZE, largest);
	return is_fast;
}

/* --- Processes --- */

/* The next worker in the order of ids, or the first behind the last. NULL: there is none. */
static struct uromd_worker *next_worker(struct uromd_daemon *daemon)
{
	struct uromd_worker *worker;

	TAILQ_FOREACH (worker, &daemon->workers.list, link) {
		if (worker->id >= daemon->watch.next_id)
			break;
	}
	if (worker == NULL)
		worker = TAILQ_FIRST(&daemon->workers.list);
	if (worker != NULL)
		daemon->watch.next_id = worker->id + 1;
	return worker;
}

static void tell_counters(struct uromd_daemon *daemon)
{
	struct uromd_usage largest = { 0 };
	const struct uromd_worker *worker;

	TAILQ_FOREACH (worker, &daemon->workers.list, link) {
		const struct uromd_usage *usage = &worker->usage;

		if (usage->memory_bytes > largest.memory_bytes)
			largest.memory_bytes = usage->memory_bytes;
		if (usage->cpu_s > largest.cpu_s)
			largest.cpu_s = usage->cpu_s;
		if (usage->num_files > largest.num_files)
			largest.num_files = usage->num_files;
	}
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_MEMORY, largest.memory_bytes);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_CPU_TIME, largest.cpu_s);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_FILES, largest.num_files);
}

static void look_at_processes(struct uromd_daemon *daemon)
{
	const unsigned int count = daemon->workers.count;

	for (unsigned int i = 0; i < count && i < MAX_LOOKS; i++) {
		struct uromd_worker *worker = next_worker(daemon);

		if (worker == NULL)
			break;
		(void)uromd_usage_read(worker->pid, &worker->usage); /* else it stays as it was */
	}
	tell_counters(daemon);
}

/* --- Turns --- */

static int on_turn(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_daemon *daemon = arg;
	struct uromd_watch *watch = &daemon->watch;
	uint64_t pause_ms;

	pause_ms = look_at_logs(daemon) ? FAST_TURN_MS : TURN_MS;
	look_at_processes(daemon);
	if (daemon->workers.count == 0 ||
	    sd_event_source_set_time(source, usec + pause_ms * USEC_PER_MS) < 0 ||
	    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0)
		watch->timer = sd_event_source_disable_unref(watch->timer);
	return 0;
}

void uromd_watch_prepare(struct uromd_daemon *daemon, struct uromd_worker *worker)
{
	doca_error_t result = uromd_worker_log_open(&daemon->watch.logs, worker->uid, &worker->log);

	if (result != DOCA_SUCCESS && result != DOCA_ERROR_NOT_FOUND)
		DOCA_LOG_WARN("worker %lu gets no log in %s: %s; standard error is used instead",
			      worker->id, daemon->watch.logs.dir, strerror(errno));
}

void uromd_watch_begin(struct uromd_daemon *daemon, struct uromd_worker *worker)
{
	struct uromd_watch *watch = &daemon->watch;

	if (worker->log.is_open && uromd_worker_log_name(&watch->logs, worker->pid) != DOCA_SUCCESS)
		DOCA_LOG_WARN("worker %lu: its log does not get its name: %s", worker->id,
			      strerror(errno));
	if (watch->timer != NULL)
		return;
	/* Without memory for it the next worker begins it. */
	(void)sd_event_add_time_relative(daemon->event, &watch->timer, CLOCK_MONOTONIC,
					 TURN_MS * USEC_PER_MS, ACCURACY_USEC, on_turn, daemon);
}

void uromd_watch_ended(struct uromd_daemon *daemon, struct uromd_worker *worker)
{
	struct uromd_log_store *logs = &daemon->watch.logs;

	uromd_worker_log_end(logs, &worker->log, worker->pid);
	uromd_counter_set(&daemon->counters, UROMD_LIMIT_LOGS, logs->num_ended);
	daemon->counters.of[UROMD_LIMIT_LOGS].num_hits = logs->num_removed;
}

void uromd_watch_init(struct uromd_daemon *daemon)
{
	const struct uromd_config *config = daemon->config;

	if (uromd_log_store_init(&daemon->watch.logs, config->log_dir,
				 config->limits.of[UROMD_LIMIT_LOGS]) != DOCA_SUCCESS)
		DOCA_LOG_WARN("no memory for the logs that are in %s; not all of them will be "
			      "removed in their time",
			      config->log_dir);
}

void uromd_watch_fini(struct uromd_watch *watch)
{
	watch->timer = sd_event_source_disable_unref(watch->timer);
	if (watch->logs.ended.tqh_last != NULL)
		uromd_log_store_fini(&watch->logs);
}
