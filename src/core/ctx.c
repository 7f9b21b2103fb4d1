/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/ctx.h"

#include <assert.h>

#include "core/error.h"
#include "core/log.h"
#include "core/pe.h"
#include "core/task.h"

/*
 * Who moves a context, and when:
 *  - doca_ctx_start() and doca_ctx_stop() make the moves that they can make at once;
 *  - the kind reports what came later (started, start failed, closed, failed), which is only
 *    noted here and wakes the engine;
 *  - core_ctx_deliver(), one call of progress, makes one noted move.
 * A finished task always goes before a noted move, so IDLE is the last thing anybody hears. The
 * callback of a move to IDLE may destroy the context: nothing here looks at it afterwards.
 */

CORE_LOG_REGISTER(CORE::CTX);

#define STATE_BIT(state) (1u << (state))

static const unsigned int next_states[] = {
	[DOCA_CTX_STATE_IDLE] =
	    STATE_BIT(DOCA_CTX_STATE_STARTING) | STATE_BIT(DOCA_CTX_STATE_RUNNING),
	[DOCA_CTX_STATE_STARTING] = STATE_BIT(DOCA_CTX_STATE_RUNNING) |
				    STATE_BIT(DOCA_CTX_STATE_STOPPING) |
				    STATE_BIT(DOCA_CTX_STATE_IDLE),
	[DOCA_CTX_STATE_RUNNING] = STATE_BIT(DOCA_CTX_STATE_STOPPING),
	[DOCA_CTX_STATE_STOPPING] = STATE_BIT(DOCA_CTX_STATE_IDLE),
};

static const char *const state_names[] = {
	[DOCA_CTX_STATE_IDLE] = "idle",
	[DOCA_CTX_STATE_STARTING] = "starting",
	[DOCA_CTX_STATE_RUNNING] = "running",
	[DOCA_CTX_STATE_STOPPING] = "stopping",
};

static void ctx_move(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	enum doca_ctx_states prev = ctx->state;
	struct doca_pe *pe = ctx->pe;

	assert(next_states[prev] & STATE_BIT(next));
	DOCA_LOG_DBG("%s context %p: %s, was %s", ctx->ops->name, (void *)ctx, state_names[next],
		     state_names[prev]);
	__atomic_store_n(&ctx->state, next, __ATOMIC_RELEASE);
	if (ctx->state_cb == NULL)
		return;
	core_pe_callback_begin(pe);
	ctx->state_cb(ctx->user_data, ctx, prev, next);
	core_pe_callback_end(pe);
}

/* STOPPING is over: the kind has closed, each callback has run and each task is back. */
static bool ctx_is_drained(const struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_STOPPING || ctx->is_closing || ctx->num_inflight > 0)
		return false;
	return ctx->num_tasks == 0 || (ctx->ops->flags & CORE_CTX_FREES_TASKS) != 0;
}

static bool ctx_has_something(const struct doca_ctx *ctx)
{
	return !STAILQ_EMPTY(&ctx->done) || ctx->has_next_state || ctx_is_drained(ctx);
}

void core_ctx_kick(struct doca_ctx *ctx)
{
	if (ctx_has_something(ctx))
		core_pe_ready(ctx->pe, ctx);
}

void core_ctx_wake_armed(struct doca_ctx *ctx)
{
	if (doca_likely(!core_pe_is_armed(ctx->pe)))
		return;
	if (ctx->ops->arm != NULL && ctx->ops->arm(ctx) != CORE_ARM_NEVER)
		core_pe_wake(ctx->pe);
}

static void ctx_note_move(struct doca_ctx *ctx, enum doca_ctx_states next)
{
	ctx->next_state = next;
	ctx->has_next_state = true;
	core_ctx_kick(ctx);
}

void core_ctx_init(struct doca_ctx *ctx, const struct core_ctx_ops *ops)
{
	ctx->ops = ops;
	STAILQ_INIT(&ctx->done);
}

void core_ctx_fini(struct doca_ctx *ctx)
{
	assert(ctx->state == DOCA_CTX_STATE_IDLE);
	if (ctx->pe != NULL)
		core_pe_remove(ctx->pe, ctx);
}

doca_error_t core_ctx_check_idle(const struct doca_ctx *ctx, const char *what)
{
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s context %p is %s: %s only when idle", ctx->ops->name, (const void *)ctx,
		     state_names[ctx->state], what);
	return DOCA_ERROR_BAD_STATE;
}

/* Is the context on its way to STOPPING, or there? */
static bool ctx_is_ending(const struct doca_ctx *ctx)
{
	return ctx->state == DOCA_CTX_STATE_STOPPING ||
	       (ctx->has_next_state && ctx->next_state == DOCA_CTX_STATE_STOPPING);
}

void core_ctx_started(struct doca_ctx *ctx)
{
	if (!ctx_is_ending(ctx))
		ctx_note_move(ctx, DOCA_CTX_STATE_RUNNING);
}

void core_ctx_start_failed(struct doca_ctx *ctx)
{
	if (ctx->state != DOCA_CTX_STATE_STOPPING)
		ctx_note_move(ctx, DOCA_CTX_STATE_IDLE);
}

void core_ctx_closed(struct doca_ctx *ctx)
{
	ctx->is_closing = false;
	core_ctx_kick(ctx);
}

void core_ctx_fail(struct doca_ctx *ctx)
{
	/* One that is not RUNNING may have reported so, and nobody has heard of it yet. */
	bool has_reported = ctx->has_next_state && ctx->next_state == DOCA_CTX_STATE_RUNNING;

	if (ctx->state == DOCA_CTX_STATE_RUNNING || ctx->state == DOCA_CTX_STATE_STARTING ||
	    has_reported)
		ctx_note_move(ctx, DOCA_CTX_STATE_STOPPING);
}

/* The way into STOPPING, for the application's stop and for the context's own. */
static doca_error_t ctx_begin_stop(struct doca_ctx *ctx)
{
	doca_error_t result;

	ctx->is_closing = true;
	result = ctx->ops->stop(ctx);
	if (DOCA_IS_ERROR(result) && result != DOCA_ERROR_IN_PROGRESS) {
		ctx->is_closing = false;
		return result;
	}
	if (result == DOCA_SUCCESS)
		ctx->is_closing = false;
	ctx->has_next_state = false;
	ctx_move(ctx, DOCA_CTX_STATE_STOPPING);
	return DOCA_SUCCESS;
}

/* False: the kind has refused to stop, so there was no move. */
static bool ctx_make_noted_move(struct doca_ctx *ctx)
{
	ctx->has_next_state = false;
	if (ctx->next_state != DOCA_CTX_STATE_STOPPING) {
		ctx_move(ctx, ctx->next_state);
		return true;
	}
	if (ctx_begin_stop(ctx) != DOCA_SUCCESS)
		return false;
	core_ctx_kick(ctx);
	return true;
}

bool core_ctx_deliver(struct doca_ctx *ctx)
{
	struct doca_task *task = STAILQ_FIRST(&ctx->done);

	if (task != NULL) {
		STAILQ_REMOVE_HEAD(&ctx->done, link);
		core_task_deliver(task);
		core_ctx_kick(ctx); /* it is not IDLE, so the callback cannot have destroyed it */
	} else if (ctx->has_next_state) {
		return ctx_make_noted_move(ctx);
	} else if (ctx_is_drained(ctx)) {
		ctx_move(ctx, DOCA_CTX_STATE_IDLE);
	} else {
		return false; /* a stop overtook the move that made it ready */
	}
	return true;
}

static doca_error_t ctx_check(const struct doca_ctx *ctx, const char *what)
{
	if (ctx == NULL) {
		DOCA_LOG_ERR("%s: the context is NULL", what);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (ctx->ops == NULL) {
		DOCA_LOG_ERR("%s: %p is not a context", what, (const void *)ctx);
		return DOCA_ERROR_UNEXPECTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_start(struct doca_ctx *ctx)
{
	doca_error_t result = ctx_check(ctx, "start");

	if (result != DOCA_SUCCESS)
		return result;
	result = core_ctx_check_idle(ctx, "start");
	if (result != DOCA_SUCCESS)
		return result;
	if (ctx->pe == NULL) {
		DOCA_LOG_ERR("%s context %p has no progress engine: doca_pe_connect_ctx() first",
			     ctx->ops->name, (void *)ctx);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	result = ctx->ops->start(ctx);
	if (result == DOCA_SUCCESS)
		ctx_move(ctx, DOCA_CTX_STATE_RUNNING);
	else if (result == DOCA_ERROR_IN_PROGRESS)
		ctx_move(ctx, DOCA_CTX_STATE_STARTING);
	else
		return result;
	core_ctx_wake_armed(ctx); /* a callback may have stopped it, but it is not IDLE */
	return result;
}

doca_error_t doca_ctx_stop(struct doca_ctx *ctx)
{
	doca_error_t result = ctx_check(ctx, "stop");

	if (result != DOCA_SUCCESS)
		return result;
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return DOCA_SUCCESS;
	if (ctx->state == DOCA_CTX_STATE_STOPPING)
		return DOCA_ERROR_IN_PROGRESS;
	result = ctx_begin_stop(ctx);
	if (result != DOCA_SUCCESS)
		return result;
	if (!core_pe_in_callback(ctx->pe) && ctx_is_drained(ctx)) {
		core_pe_not_ready(ctx->pe, ctx);
		ctx_move(ctx, DOCA_CTX_STATE_IDLE);
		return DOCA_SUCCESS;
	}
	core_ctx_kick(ctx);
	core_ctx_wake_armed(ctx);
	return DOCA_ERROR_IN_PROGRESS;
}

doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state)
{
	if (ctx == NULL || state == NULL)
		return core_null_argument(__func__);
	*state = ctx->state;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks)
{
	if (ctx == NULL || num_inflight_tasks == NULL)
		return core_null_argument(__func__);
	*num_inflight_tasks = ctx->num_inflight;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data)
{
	if (ctx == NULL)
		return core_null_argument(__func__);
	ctx->user_data = user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data)
{
	if (ctx == NULL || user_data == NULL)
		return core_null_argument(__func__);
	*user_data = ctx->user_data;
	return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb)
{
	if (ctx == NULL || cb == NULL)
		return core_null_argument(__func__);
	ctx->state_cb = cb;
	return DOCA_SUCCESS;
}
