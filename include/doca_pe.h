/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress engine, which runs every completion callback, and the part that all tasks have in
 * common. One engine serves many contexts and belongs to one thread; a context has one engine until
 * it is destroyed. Engine: create, connect contexts, progress, destroy after its contexts.
 * Task: allocated by its kind from the context's pool, submitted, called back, then submitted again
 * or freed. A submitted task belongs to the library until its callback. No kind of task can be
 * batched here, so no batch object exists and the batch calls have nothing to work on.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;
struct doca_task_batch;
struct doca_devinfo;

/* Most tasks in one batch. The enumerators count from 0, they are not the sizes. */
enum doca_task_batch_max_tasks_number {
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16 = 0,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32 = 1,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64 = 2,
	DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128 = 3,
};

/* Events in one batch. The enumerators count from 0, they are not the sizes. */
enum doca_event_batch_events_number {
	DOCA_EVENT_BATCH_EVENTS_NUMBER_1 = 0,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_2 = 1,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_4 = 2,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_8 = 3,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_16 = 4,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_32 = 5,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_64 = 6,
	DOCA_EVENT_BATCH_EVENTS_NUMBER_128 = 7,
};

/* Bits, joined by OR, for doca_task_submit_ex(). */
enum doca_task_submit_flag {
	DOCA_TASK_SUBMIT_FLAG_NONE = 0,             /* may wait for a later flush */
	DOCA_TASK_SUBMIT_FLAG_FLUSH = 1,            /* start this one and those that wait */
	DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = 2, /* the callback may come late, with others */
};

enum doca_pe_event_mode {
	DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE = 0, /* clear the notification after a wake-up */
	DOCA_PE_EVENT_MODE_PROGRESS_ALL = 1,       /* arming clears it */
};

/*
 * A task has ended, well or not; doca_task_get_status() says which. Runs in doca_pe_progress(), on
 * its thread. task: the application's again, to free or to submit. task_user_data: of the task;
 * ctx_user_data: of its context. doca_pe_progress() must not be called in it.
 */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
					  union doca_data ctx_user_data);

/*
 * doca_pe_create() - an engine without contexts.
 * pe: owned, free with doca_pe_destroy().
 * Errors: INVALID_VALUE: pe NULL. NO_MEMORY: no memory or descriptor left.
 * OPERATING_SYSTEM: another failure of the system.
 * Thread: any. Source: DOCA 3.0 Core API; OPERATING_SYSTEM ours.
 */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/*
 * doca_pe_destroy() - free an engine whose contexts have all been destroyed.
 * Errors: INVALID_VALUE: pe NULL. IN_USE: a context is connected, and stopping it does not undo
 * that; or a callback of the engine is running.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/*
 * doca_pe_progress() - do what is to be done without waiting; deliver at most one callback.
 * Returns: 1 exactly when a completion or event was called back or a context made a later move,
 * else 0; also 0 for NULL or inside a callback of the same engine. Contexts take turns.
 * Thread: the engine's. Source: DOCA 3.0 Core API; one delivery a call ours.
 */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/*
 * doca_pe_get_notification_handle() - the descriptor to wait on, for poll, epoll and the like.
 * handle: lent until doca_pe_destroy(), always the same; never read, written or closed by the
 * caller.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's; the handle may be waited on by any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle);

/*
 * doca_pe_clear_notification() - after a wake-up, before progress: take the handle's signal back.
 * handle: not looked at. Needed in PROGRESS_SELECTIVE mode, harmless in the other.
 * Errors: INVALID_VALUE: pe NULL. OPERATING_SYSTEM: a system call failed.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/*
 * doca_pe_request_notification() - arm the handle for one wake-up; without it, it stays silent.
 * Work that is pending already makes it readable at once. Cycle: request, wait, clear, progress
 * until 0, request again.
 * Errors: INVALID_VALUE: pe NULL. OPERATING_SYSTEM: a system call failed.
 * Thread: the engine's. Source: DOCA 3.0 Core API; error codes ours.
 */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/*
 * doca_pe_get_num_inflight_tasks() - sum of the counts of its contexts.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/*
 * doca_task_submit() - doca_task_submit_ex() with DOCA_TASK_SUBMIT_FLAG_FLUSH.
 * task: taken until its callback. What is wrong with its content may end in the error callback.
 * Errors: INVALID_VALUE: task NULL, content that its kind refuses. BAD_STATE: context not RUNNING,
 * task in flight or freed, connection gone, mmap of a buffer stopped. NOT_PERMITTED: local memory
 * may not be written. FULL, AGAIN, NO_MEMORY: progress, then submit again. On each the task stays
 * the caller's, uncalled.
 * Thread: the engine's. Source: DOCA 3.0 Core API; checks ours.
 */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);

/*
 * doca_task_submit_ex() - hand a task over; nothing is called back inside the call.
 * task: taken until its callback. flags: OR of doca_task_submit_flag; a task without FLUSH may wait
 * for one with it or for doca_ctx_flush_tasks().
 * Errors: INVALID_VALUE: task NULL, unknown flags, content that its kind refuses. Others:
 * doca_task_submit().
 * Thread: the engine's. Source: DOCA 3.0 Core API; checks ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);

/*
 * doca_task_batch_submit() - not available: no batch exists.
 * Errors: INVALID_VALUE: task_batch NULL. NOT_SUPPORTED: always.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);

/*
 * doca_task_try_submit() - doca_task_submit() after a check of all that can be seen to be wrong.
 * task: taken until its callback.
 * Errors: INVALID_VALUE: task NULL or any content error, also one that doca_task_submit() lets end
 * in the error callback; nothing was sent. Others: doca_task_submit().
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/*
 * doca_task_batch_try_submit() - not available: no batch exists.
 * Errors: INVALID_VALUE: task_batch NULL. NOT_SUPPORTED: always.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);

/*
 * doca_task_free() - give a task back to its context's pool; allowed in its own callback.
 * task: NULL, in flight or freed before: logged and left alone. Its fields can be
 * read until it is allocated again. The last one freed lets a STOPPING context go to IDLE in the
 * next progress.
 * Thread: the engine's. Source: DOCA 3.0 Core API; misuse ours.
 */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/*
 * doca_task_batch_free() - does nothing: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; "nothing" ours.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);

/*
 * doca_task_get_status() - how the task ended.
 * Of use from its callback on, until it is submitted or allocated again.
 * Errors: INVALID_VALUE: task NULL. Any other: the task failed so; its kind says which codes there
 * are. Flushed: SHUTDOWN for UROM, IO_FAILED for the other kinds.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/*
 * doca_task_batch_get_status() - not available: no batch exists.
 * Errors: INVALID_VALUE: task_batch NULL. NOT_SUPPORTED: always.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);

/*
 * doca_task_set_user_data() - the value that the task's callback gets.
 * user_data: copied; what a pointer in it points to is never looked at. task: NULL: logged,
 * nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);

/*
 * doca_task_batch_set_user_data() - does nothing: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; "nothing" ours.
 */
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);

/*
 * doca_task_get_user_data() - the value set last, at allocation or since.
 * Returns: the value; zero for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);

/*
 * doca_task_batch_get_user_data() - always zero: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);

/*
 * doca_task_get_ctx() - the context that the task was allocated from.
 * Returns: lent until the context is destroyed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/*
 * doca_task_batch_get_ctx() - always NULL: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);

/*
 * doca_task_batch_get_ctx_user_data() - always zero: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);

/*
 * doca_task_batch_get_tasks_num() - always 0: no batch exists.
 * Thread: the engine's. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/*
 * doca_pe_connect_ctx() - make pe the engine of ctx; only the destruction of ctx undoes it.
 * pe: borrowed, must outlive ctx.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: ctx not IDLE. NOT_PERMITTED: ctx has an
 * engine. NO_MEMORY: no memory.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/*
 * doca_pe_set_event_mode() - who clears the notification handle; PROGRESS_SELECTIVE at first.
 * In both modes progress serves every context that has work.
 * Errors: INVALID_VALUE: pe NULL, unknown mode. BAD_STATE: inside a callback of pe.
 * Thread: the engine's. Source: DOCA 3.0 Core API; default and BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
