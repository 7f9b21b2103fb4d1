/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_CTX_H_
#define CORE_CTX_H_

/*
 * The base of every context kind: its life cycle, its finished tasks and its place in an engine.
 *
 * A kind embeds struct doca_ctx as its first member and fills one struct core_ctx_ops. It starts,
 * stops and completes; it never calls the application. Callbacks are the core's: those of tasks
 * and of later state moves run in doca_pe_progress(), one a call, and the others inside the call
 * that makes the move. See docs/architecture.md, "One life cycle".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_ctx.h>
#include <doca_pe.h>

#include "core/export.h"

struct doca_task;

/* What arm() returns when there is work now, or when only an event can bring some. */
#define CORE_ARM_NOW   UINT64_C(0)
#define CORE_ARM_NEVER UINT64_MAX

/* Tasks that the application kept do not hold STOPPING: the kind frees them at destroy. */
#define CORE_CTX_FREES_TASKS (1u << 0)

/* In the flags of submit(): refuse what would end in the error callback. Ours, never public. */
#define CORE_SUBMIT_TRY (1u << 31)

/* Every function runs on the engine's thread; none of them may call the application. */
struct core_ctx_ops {
	const char *name; /* of the kind, for log lines */
	unsigned int flags;

	/*
	 * The context is IDLE and has an engine. SUCCESS: it is RUNNING. IN_PROGRESS: it is
	 * STARTING until core_ctx_started() or core_ctx_start_failed(). Anything else: logged by
	 * the kind, and it stays IDLE.
	 */
	doca_error_t (*start)(struct doca_ctx *ctx);

	/*
	 * The context is RUNNING or STARTING and is to end: complete what is in flight, now or
	 * later. SUCCESS: nothing but tasks can still be open. IN_PROGRESS: so it is after
	 * core_ctx_closed(). Anything else: logged by the kind, and the context stays as it is.
	 */
	doca_error_t (*stop)(struct doca_ctx *ctx);

	/*
	 * The context is RUNNING and the task is the application's. SUCCESS: the kind has it and
	 * calls core_task_complete() once, but not in here. Anything else: logged, nothing changed.
	 */
	doca_error_t (*submit)(struct doca_ctx *ctx, struct doca_task *task, uint32_t flags);

	/*
	 * A bounded piece of work, never blocking; may be NULL. Not called when IDLE. True: it was
	 * worth this call of doca_pe_progress(), and the other contexts wait for the next one.
	 */
	bool (*progress)(struct doca_ctx *ctx);

	/* The nanoseconds after which progress() must run although no event came; may be NULL. */
	uint64_t (*arm)(struct doca_ctx *ctx);

	/* The application gave the task back; may be NULL. Its fields stay readable. */
	void (*free_task)(struct doca_ctx *ctx, struct doca_task *task);
};

struct doca_ctx {
	const struct core_ctx_ops *ops;
	struct doca_pe *pe;              /* borrowed, until core_ctx_fini() */
	enum doca_ctx_states state;      /* atomic: set on the engine's thread, read on any */
	enum doca_ctx_states next_state; /* of the move that progress is to make */
	bool has_next_state;
	bool is_closing; /* the kind's own part of STOPPING is not over */
	bool is_ready;   /* in the engine's list of contexts with something to deliver */
	doca_ctx_state_changed_callback_t state_cb;
	union doca_data user_data;
	size_t num_inflight; /* submitted, callback not begun */
	size_t num_tasks;    /* the application has, submitted ones included */
	STAILQ_HEAD(, doca_task) done;
	TAILQ_ENTRY(doca_ctx) pe_link;
	TAILQ_ENTRY(doca_ctx) ready_link;
};

/* Makes zeroed memory an IDLE context without an engine. ops: borrowed for its life. */
CORE_EXPORT void core_ctx_init(struct doca_ctx *ctx, const struct core_ctx_ops *ops);

/* Takes an IDLE context out of its engine. The kind then frees its pools and itself. */
CORE_EXPORT void core_ctx_fini(struct doca_ctx *ctx);

/*
 * The check of a setter that configures a context. what: names the call in the log line.
 * Errors: BAD_STATE: not IDLE.
 */
CORE_EXPORT doca_error_t core_ctx_check_idle(const struct doca_ctx *ctx, const char *what);

/* Ends STARTING well or badly; the move and its callback come with a later progress. */
CORE_EXPORT void core_ctx_started(struct doca_ctx *ctx);
CORE_EXPORT void core_ctx_start_failed(struct doca_ctx *ctx);

/* The kind's part of STOPPING is over; IDLE follows when no task is left. */
CORE_EXPORT void core_ctx_closed(struct doca_ctx *ctx);

/*
 * A context that is RUNNING, or has reported so, stops by itself: after what is finished, progress
 * moves it to STOPPING.
 */
CORE_EXPORT void core_ctx_fail(struct doca_ctx *ctx);

/* Tells the engine that there may be something to deliver. */
void core_ctx_kick(struct doca_ctx *ctx);

/*
 * The application has called the kind, which may now want to be driven: an engine that was armed
 * before that must not sleep over it.
 */
void core_ctx_wake_armed(struct doca_ctx *ctx);

/*
 * Delivers one finished task or makes one state move; false when there was neither. The context,
 * which has left the engine's list, may be gone afterwards.
 */
bool core_ctx_deliver(struct doca_ctx *ctx);

#endif /* CORE_CTX_H_ */
