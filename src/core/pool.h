/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_POOL_H_
#define CORE_POOL_H_

/*
 * The tasks of one kind of one context: configured when IDLE, filled at start, so that nothing is
 * allocated while the context runs. All on the engine's thread.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_pe.h>

#include "core/export.h"
#include "core/task.h"

/* Zeroed memory with ctx, name and task_size set is a pool that is not configured yet. */
struct core_pool {
	struct doca_ctx *ctx; /* borrowed for its life */
	const char *name;     /* of the task kind, for log lines */
	size_t task_size;     /* bytes, struct doca_task first */
	uint32_t num_tasks;   /* 0: not configured */
	doca_task_completion_cb_t success_cb;
	doca_task_completion_cb_t error_cb;
	STAILQ_HEAD(, doca_task) free;
	void *block; /* of num_filled tasks; kept from start to start */
	uint32_t num_filled;
	uint32_t num_out; /* the application has */
};

/*
 * Sets callbacks and size; the last call before start wins.
 * Errors: INVALID_VALUE: a callback is NULL, num_tasks is 0 or over max_tasks. BAD_STATE: the
 * context is not IDLE.
 */
CORE_EXPORT doca_error_t core_pool_configure(struct core_pool *pool,
					     doca_task_completion_cb_t success_cb,
					     doca_task_completion_cb_t error_cb, uint32_t num_tasks,
					     uint32_t max_tasks);

/*
 * At start: makes the tasks when the size has changed. Errors: NO_MEMORY. BAD_STATE: it has changed
 * while the application kept tasks, which only contexts with CORE_CTX_FREES_TASKS let it do.
 */
CORE_EXPORT doca_error_t core_pool_fill(struct core_pool *pool);

/*
 * Gives the application a task, its core fields set.
 * Errors: BAD_STATE: the context is not RUNNING or the pool is not configured. NO_MEMORY: all
 * tasks are out.
 */
CORE_EXPORT doca_error_t core_pool_get(struct core_pool *pool, union doca_data user_data,
				       struct doca_task **task);

/* Takes a task back from the application; its fields stay as they are until it is given again. */
void core_pool_put(struct doca_task *task);

/* Calls visit for each task that was made, wherever it is. */
CORE_EXPORT void core_pool_visit(struct core_pool *pool, void (*visit)(struct doca_task *task));

/* Frees the block. Accepts a pool that was never filled. */
CORE_EXPORT void core_pool_fini(struct core_pool *pool);

#endif /* CORE_POOL_H_ */
