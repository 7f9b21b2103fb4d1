/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pe.h"

#include <stdlib.h>

#include "core/ctx.h"
#include "core/error.h"
#include "core/log.h"

/*
 * One call of progress drives contexts, from the one whose turn it is on, until one has worked or
 * something is ready, and then delivers at most one thing, from the context that has been ready for
 * the longest time. So a call is bounded however many contexts there are, and a context that always
 * has something neither keeps the others from being driven nor from being heard.
 */

CORE_LOG_REGISTER(CORE::PE);

doca_error_t doca_pe_create(struct doca_pe **pe)
{
	struct doca_pe *created;
	doca_error_t result;

	if (pe == NULL)
		return core_null_argument(__func__);
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&created->ctxs);
	TAILQ_INIT(&created->ready);
	result = core_pe_event_init(&created->event);
	if (result != DOCA_SUCCESS) {
		free(created);
		return result;
	}
	*pe = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_destroy(struct doca_pe *pe)
{
	if (pe == NULL)
		return core_null_argument(__func__);
	if (pe->num_ctxs > 0 || core_pe_in_callback(pe)) {
		DOCA_LOG_ERR("engine %p is in use: %u contexts, %u callbacks running", (void *)pe,
			     pe->num_ctxs, pe->callback_depth);
		return DOCA_ERROR_IN_USE;
	}
	core_pe_event_fini(&pe->event);
	free(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx)
{
	doca_error_t result;

	if (pe == NULL || ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(ctx, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (ctx->pe != NULL) {
		DOCA_LOG_ERR("%s context %p has a progress engine already", ctx->ops->name,
			     (void *)ctx);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	ctx->pe = pe;
	TAILQ_INSERT_TAIL(&pe->ctxs, ctx, pe_link);
	pe->num_ctxs++;
	return DOCA_SUCCESS;
}

void core_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx)
{
	core_pe_not_ready(pe, ctx);
	if (pe->turn == ctx)
		pe->turn = TAILQ_NEXT(ctx, pe_link);
	TAILQ_REMOVE(&pe->ctxs, ctx, pe_link);
	pe->num_ctxs--;
	ctx->pe = NULL;
}

void core_pe_ready(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (ctx->is_ready)
		return;
	ctx->is_ready = true;
	TAILQ_INSERT_TAIL(&pe->ready, ctx, ready_link);
	if (doca_unlikely(core_pe_is_armed(pe)))
		core_pe_wake(pe);
}

void core_pe_not_ready(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (!ctx->is_ready)
		return;
	ctx->is_ready = false;
	TAILQ_REMOVE(&pe->ready, ctx, ready_link);
}

/* True: that was work enough for one call. */
static bool pe_drive_next(struct doca_pe *pe)
{
	struct doca_ctx *ctx = pe->turn != NULL ? pe->turn : TAILQ_FIRST(&pe->ctxs);

	pe->turn = TAILQ_NEXT(ctx, pe_link);
	if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->ops->progress == NULL)
		return false;
	return ctx->ops->progress(ctx);
}

static uint8_t pe_deliver_one(struct doca_pe *pe)
{
	struct doca_ctx *ctx;

	while ((ctx = TAILQ_FIRST(&pe->ready)) != NULL) {
		core_pe_not_ready(pe, ctx);
		if (core_ctx_deliver(ctx))
			return 1;
	}
	return 0;
}

uint8_t doca_pe_progress(struct doca_pe *pe)
{
	if (pe == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return 0;
	}
	if (core_pe_in_callback(pe)) {
		DOCA_LOG_ERR("doca_pe_progress called in a callback of engine %p", (void *)pe);
		return 0;
	}
	for (unsigned int left = pe->num_ctxs; left > 0; left--) {
		if (pe_drive_next(pe) || !TAILQ_EMPTY(&pe->ready))
			break;
	}
	return pe_deliver_one(pe);
}

doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks)
{
	const struct doca_ctx *ctx;
	size_t sum = 0;

	if (pe == NULL || num_inflight_tasks == NULL)
		return core_null_argument(__func__);
	TAILQ_FOREACH (ctx, &pe->ctxs, pe_link)
		sum += ctx->num_inflight;
	*num_inflight_tasks = sum;
	return DOCA_SUCCESS;
}
