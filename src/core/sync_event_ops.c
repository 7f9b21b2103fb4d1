/* SPDX-License-Identifier: BSD-3-Clause */

/* The calls on a started event: they act at once, and the waits block their caller alone. */

#include "core/sync_event.h"

#include <sched.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::SYNC_EVENT);

static doca_error_t check_started(const struct doca_sync_event *event, const char *func)
{
	if (core_sync_event_is_started(event))
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: event %p is not started", func, (const void *)event);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value)
{
	doca_error_t result;

	if (event == NULL || value == NULL)
		return core_null_argument(__func__);
	result = check_started(event, __func__);
	if (result == DOCA_SUCCESS)
		*value = core_sync_load(event->cell);
	return result;
}

doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value)
{
	doca_error_t result;

	if (event == NULL)
		return core_null_argument(__func__);
	result = check_started(event, __func__);
	if (result == DOCA_SUCCESS)
		core_sync_store(event->cell, value);
	return result;
}

doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
					uint64_t *fetched)
{
	doca_error_t result;
	uint64_t old;

	if (event == NULL)
		return core_null_argument(__func__);
	result = check_started(event, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	old = core_sync_add(event->cell, value);
	if (fetched != NULL)
		*fetched = old;
	return DOCA_SUCCESS;
}

static void relax_spin(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void relax_yield(void)
{
	(void)sched_yield(); /* never fails on Linux */
}

/* What a wait call waits for, and what it does in between. */
struct wait_way {
	bool (*is_so)(uint64_t masked, uint64_t value);
	void (*relax)(void);
};

static doca_error_t event_wait(const struct doca_sync_event *event, uint64_t value, uint64_t mask,
			       const struct wait_way *way, const char *func)
{
	doca_error_t result;

	if (event == NULL)
		return core_null_argument(func);
	result = check_started(event, func);
	if (result != DOCA_SUCCESS)
		return result;
	while (!way->is_so(core_sync_load(event->cell) & mask, value))
		way->relax();
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_gt, relax_spin };

	return event_wait(event, value, mask, &way, __func__);
}

doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_gt, relax_yield };

	return event_wait(event, value, mask, &way, __func__);
}

doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_eq, relax_spin };

	return event_wait(event, value, mask, &way, __func__);
}

doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_eq, relax_yield };

	return event_wait(event, value, mask, &way, __func__);
}

doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_neq, relax_spin };

	return event_wait(event, value, mask, &way, __func__);
}

doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
					    uint64_t mask)
{
	static const struct wait_way way = { core_sync_is_neq, relax_yield };

	return event_wait(event, value, mask, &way, __func__);
}
