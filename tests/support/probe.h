/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROBE_H_
#define PROBE_H_

/*
 * A context kind for tests: what its ops return and when its tasks complete is up to the test, so
 * that the core can be shown every way in which a kind may behave. It counts how it is called.
 */

#include <stdbool.h>
#include <stdint.h>

#include "core/ctx.h"
#include "core/pool.h"
#include "core/task.h"

struct probe_task {
	struct doca_task base;
};

struct probe {
	struct doca_ctx base;
	struct core_pool pool;
	STAILQ_HEAD(, doca_task) submitted;

	/* What the ops answer; zeroed: SUCCESS, CORE_ARM_NOW only while tasks are submitted. */
	doca_error_t start_result;
	doca_error_t stop_result;
	doca_error_t submit_result;
	uint64_t arm_delay_ns; /* 0: as above */
	bool keeps_tasks;      /* stop does not flush: the test completes them */
	bool completes_in_progress;
	bool works_in_vain; /* progress says that it has worked, and nothing comes of it */

	/* How they were called. */
	unsigned int num_starts;
	unsigned int num_stops;
	unsigned int num_progresses;
	unsigned int num_arms;
	unsigned int num_frees;
	uint32_t last_flags;
};

/* frees_tasks: the kind has CORE_CTX_FREES_TASKS. owned: probe_destroy(). */
struct probe *probe_create(bool frees_tasks);

/* Errors: IN_USE: not IDLE. */
doca_error_t probe_destroy(struct probe *probe);

struct doca_ctx *probe_as_ctx(struct probe *probe);

doca_error_t probe_set_conf(struct probe *probe, doca_task_completion_cb_t success_cb,
			    doca_task_completion_cb_t error_cb, uint32_t num_tasks);

doca_error_t probe_task_alloc(struct probe *probe, union doca_data user_data,
			      struct doca_task **task);

/* Completes the task that was submitted first; there must be one. */
void probe_complete(struct probe *probe, doca_error_t status);

#endif /* PROBE_H_ */
