/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/linger.h"

#include <stdio.h>
#include <string.h>

#include <doca_log.h>

#include "urom/daemon/daemon.h"

DOCA_LOG_REGISTER(UROMD::LINGER);

#define USEC_PER_SEC  UINT64_C(1000000)
#define ACCURACY_USEC 10000

static int on_timeout(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_worker *worker = arg;

	(void)source;
	(void)usec;
	DOCA_LOG_DBG("%s: nobody has attached in its time of grace", worker->label);
	uromd_worker_shutdown(worker);
	return 0;
}

void uromd_linger_begin(struct uromd_worker *worker)
{
	const struct uromd_config *config = worker->daemon->config;
	const uint64_t grace_us = (uint64_t)config->grace_s * USEC_PER_SEC;

	/* Without memory for a timer it would stay for ever. */
	if (!config->is_keeping &&
	    (grace_us == 0 ||
	     sd_event_add_time_relative(worker->daemon->event, &worker->timer, CLOCK_MONOTONIC,
					grace_us, ACCURACY_USEC, on_timeout, worker) < 0)) {
		uromd_worker_shutdown(worker);
		return;
	}
	worker->state = UROMD_WORKER_LINGERING;
	worker->lost_at = ++worker->daemon->workers.num_lost;
	if (config->is_keeping)
		DOCA_LOG_INFO("%s has lost its last host and is kept", worker->label);
	else
		DOCA_LOG_INFO("%s has lost its last host, and ends unless one attaches within %d s",
			      worker->label, config->grace_s);
}

void uromd_linger_end(struct uromd_worker *worker)
{
	if (worker->state != UROMD_WORKER_LINGERING)
		return;
	worker->timer = sd_event_source_disable_unref(worker->timer);
	worker->state = UROMD_WORKER_READY;
	DOCA_LOG_INFO("%s has a host again", worker->label);
}

bool uromd_linger_gives_way(struct uromd_worker *worker, const struct uromd_identity *asker,
			    struct uromd_failure *failure)
{
	const size_t len = strlen(failure->reason);

	if (worker->state != UROMD_WORKER_LINGERING ||
	    !uromd_identity_is_same(asker, &worker->owner))
		return false;
	if (worker->daemon->config->is_keeping) {
		(void)snprintf(failure->reason + len, sizeof(failure->reason) - len,
			       "; it is kept without a host: start it as it is and stop it, and "
			       "its id is free");
		return false;
	}
	DOCA_LOG_INFO("%s makes way for another, which is to be different: %s", worker->label,
		      failure->reason);
	uromd_worker_shutdown(worker);
	return true;
}

struct uromd_worker *uromd_linger_make_room(struct uromd_workers *workers)
{
	struct uromd_worker *worker, *longest = NULL;

	TAILQ_FOREACH (worker, &workers->list, link) {
		if (worker->state == UROMD_WORKER_LINGERING &&
		    (longest == NULL || worker->lost_at < longest->lost_at))
			longest = worker;
	}
	if (longest == NULL)
		return NULL;
	DOCA_LOG_INFO("%s has no host, and makes room for another worker", longest->label);
	uromd_worker_shutdown(longest);
	return longest;
}
