/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync_event.h"

#include "core/log.h"

/*
 * Tasks that only touch the value are done one a progress, in the order of their submission. Waits
 * are looked at in every progress. An armed engine is woken by our own stores at once; a store
 * that nobody tells us of is found by looking again after a millisecond.
 */

CORE_LOG_REGISTER(CORE::SYNC_EVENT_CTX);

#define RAW_STORE_CHECK_NS UINT64_C(1000000)

static struct doca_sync_event *event_from_ctx(struct doca_ctx *ctx)
{
	return CORE_CONTAINER_OF(ctx, struct doca_sync_event, base);
}

static struct core_sync_task *sync_task_from_task(struct doca_task *task)
{
	return CORE_CONTAINER_OF(task, struct core_sync_task, base);
}

static void do_get(struct doca_sync_event *event, const struct core_sync_task *task)
{
	*task->result = core_sync_load(event->cell);
}

static void do_notify_set(struct doca_sync_event *event, const struct core_sync_task *task)
{
	core_sync_store(event->cell, task->value);
}

static void do_notify_add(struct doca_sync_event *event, const struct core_sync_task *task)
{
	uint64_t old = core_sync_add(event->cell, task->value);

	if (task->result != NULL)
		*task->result = old;
}

/* A kind either acts on the value or waits until it is so. */
static const struct {
	void (*act)(struct doca_sync_event *event, const struct core_sync_task *task);
	bool (*is_so)(uint64_t masked, uint64_t value);
	bool needs_result;
} kinds[] = {
	[CORE_SYNC_GET] = { .act = do_get, .needs_result = true },
	[CORE_SYNC_NOTIFY_SET] = { .act = do_notify_set },
	[CORE_SYNC_NOTIFY_ADD] = { .act = do_notify_add },
	[CORE_SYNC_WAIT_EQ] = { .is_so = core_sync_is_eq },
	[CORE_SYNC_WAIT_NEQ] = { .is_so = core_sync_is_neq },
};
_Static_assert(CORE_ARRAY_LEN(kinds) == CORE_SYNC_NUM_KINDS, "a row for each kind");

/* None, or one naturally aligned field of 1, 2, 4 or 8 bytes. */
static bool is_wait_mask(uint64_t mask)
{
	for (unsigned int bytes = 1; bytes <= sizeof(mask); bytes *= 2) {
		const uint64_t field = UINT64_MAX >> (64 - 8 * bytes);

		for (unsigned int at = 0; at < sizeof(mask); at += bytes) {
			if (mask == field << (8 * at))
				return true;
		}
	}
	return mask == 0;
}

static doca_error_t sync_start(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_from_ctx(ctx);
	doca_error_t result = core_sync_event_check(event);

	for (int i = 0; i < CORE_SYNC_NUM_KINDS && result == DOCA_SUCCESS; i++)
		result = core_pool_fill(&event->pools[i]);
	if (result == DOCA_SUCCESS)
		core_sync_event_begin(event);
	return result;
}

static void flush(struct core_sync_queue *queue)
{
	struct doca_task *task;

	while ((task = STAILQ_FIRST(queue)) != NULL) {
		STAILQ_REMOVE_HEAD(queue, link);
		core_task_complete(task, DOCA_ERROR_IO_FAILED);
	}
}

static doca_error_t sync_stop(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_from_ctx(ctx);

	core_sync_sleeper_remove(&event->sleeper);
	flush(&event->submitted);
	flush(&event->waits);
	return DOCA_SUCCESS;
}

static doca_error_t sync_submit(struct doca_ctx *ctx, struct doca_task *base, uint32_t flags)
{
	struct doca_sync_event *event = event_from_ctx(ctx);
	const struct core_sync_task *task = sync_task_from_task(base);
	const bool is_wait = kinds[task->kind].is_so != NULL;

	(void)flags; /* nothing is held back, and nothing fails later */
	if (kinds[task->kind].needs_result && task->result == NULL) {
		DOCA_LOG_ERR("%s task: there is nowhere to put the value", base->pool->name);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (is_wait && !is_wait_mask(task->mask)) {
		DOCA_LOG_ERR("%s task: mask 0x%llx is no aligned field of 1, 2, 4 or 8 bytes",
			     base->pool->name, (unsigned long long)task->mask);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (is_wait)
		STAILQ_INSERT_TAIL(&event->waits, base, link);
	else
		STAILQ_INSERT_TAIL(&event->submitted, base, link);
	return DOCA_SUCCESS;
}

static bool wait_is_over(const struct doca_sync_event *event, const struct core_sync_task *task)
{
	return kinds[task->kind].is_so(core_sync_load(event->cell) & task->mask, task->value);
}

static bool any_wait_is_over(const struct doca_sync_event *event)
{
	struct doca_task *task;

	STAILQ_FOREACH (task, &event->waits, link) {
		if (wait_is_over(event, sync_task_from_task(task)))
			return true;
	}
	return false;
}

/* Ends the waits that are over; the others stay in their order. */
static void complete_waits(struct doca_sync_event *event)
{
	struct core_sync_queue looked_at = event->waits;
	struct doca_task *task;

	STAILQ_INIT(&event->waits);
	while ((task = STAILQ_FIRST(&looked_at)) != NULL) {
		STAILQ_REMOVE_HEAD(&looked_at, link);
		if (wait_is_over(event, sync_task_from_task(task)))
			core_task_complete(task, DOCA_SUCCESS);
		else
			STAILQ_INSERT_TAIL(&event->waits, task, link);
	}
	if (STAILQ_EMPTY(&event->waits))
		core_sync_sleeper_remove(&event->sleeper);
}

static bool sync_progress(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_from_ctx(ctx);
	struct doca_task *task = STAILQ_FIRST(&event->submitted);

	if (any_wait_is_over(event))
		complete_waits(event);
	if (task == NULL)
		return false; /* looking at a value is no work */
	STAILQ_REMOVE_HEAD(&event->submitted, link);
	kinds[sync_task_from_task(task)->kind].act(event, sync_task_from_task(task));
	core_task_complete(task, DOCA_SUCCESS);
	return true;
}

static uint64_t sync_arm(struct doca_ctx *ctx)
{
	struct doca_sync_event *event = event_from_ctx(ctx);

	if (!STAILQ_EMPTY(&event->submitted))
		return CORE_ARM_NOW;
	if (STAILQ_EMPTY(&event->waits))
		return CORE_ARM_NEVER;
	core_sync_sleeper_add(&event->sleeper, event->cell, ctx->pe);
	return any_wait_is_over(event) ? CORE_ARM_NOW : RAW_STORE_CHECK_NS;
}

const struct core_ctx_ops core_sync_event_ops = {
	.name = "sync event",
	.start = sync_start,
	.stop = sync_stop,
	.submit = sync_submit,
	.progress = sync_progress,
	.arm = sync_arm,
};
