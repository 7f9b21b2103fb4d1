/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_TASK_H_
#define CORE_TASK_H_

/*
 * The base of every task kind. A kind embeds struct doca_task as its first member, takes its tasks
 * from a core_pool and completes each submitted one once; the engine calls the application back.
 */

#include <stdint.h>
#include <sys/queue.h>

#include <doca_error.h>
#include <doca_types.h>

#include "core/export.h"

struct core_pool;
struct doca_ctx;

enum core_task_state {
	CORE_TASK_FREE,     /* in its pool; fields stay readable */
	CORE_TASK_USER,     /* the application's: allocated, or called back */
	CORE_TASK_INFLIGHT, /* the kind's */
	CORE_TASK_DONE,     /* waits for its callback */
};

struct doca_task {
	struct core_pool *pool;
	struct doca_ctx *ctx;
	union doca_data user_data;
	STAILQ_ENTRY(doca_task) link; /* free list, the kind's queue, or the context's done queue */
	doca_error_t status;
	enum core_task_state state;
};

/* Ends an INFLIGHT task: its callback comes with a later progress, in the order of these calls. */
CORE_EXPORT void core_task_complete(struct doca_task *task, doca_error_t status);

/* Calls the application back for a DONE task, which is the application's from here on. */
void core_task_deliver(struct doca_task *task);

#endif /* CORE_TASK_H_ */
