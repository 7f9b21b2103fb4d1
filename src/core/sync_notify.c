/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * How a change of a cell reaches an engine that sleeps. Who changes a cell stores it and then looks
 * for sleepers; who goes to sleep is listed and then looks at the cell. With a fence between both
 * steps on both sides, one of them sees the other.
 */

#include "core/sync_event.h"

#include <pthread.h>

#include "core/fork.h"
#include "core/pe.h"

static LIST_HEAD(, core_sync_sleeper) sleepers = LIST_HEAD_INITIALIZER(sleepers);
static unsigned int num_sleepers; /* atomic: read without the lock */

uint64_t core_sync_load(const uint64_t *cell)
{
	return __atomic_load_n(cell, __ATOMIC_ACQUIRE);
}

void core_sync_store(uint64_t *cell, uint64_t value)
{
	__atomic_store_n(cell, value, __ATOMIC_RELEASE);
	core_sync_notify(cell, sizeof(*cell));
}

uint64_t core_sync_add(uint64_t *cell, uint64_t value)
{
	uint64_t old = __atomic_fetch_add(cell, value, __ATOMIC_ACQ_REL);

	core_sync_notify(cell, sizeof(*cell));
	return old;
}

void core_sync_notify(const void *addr, size_t len)
{
	const uintptr_t start = (uintptr_t)addr;
	struct core_sync_sleeper *sleeper;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&num_sleepers, __ATOMIC_RELAXED) == 0)
		return;
	pthread_mutex_lock(&core_sync_sleepers_lock);
	LIST_FOREACH(sleeper, &sleepers, link)
	{
		const uintptr_t cell = (uintptr_t)sleeper->cell;

		if (cell < start + len && cell + sizeof(*sleeper->cell) > start)
			core_pe_wake(sleeper->pe);
	}
	pthread_mutex_unlock(&core_sync_sleepers_lock);
}

void core_sync_sleeper_add(struct core_sync_sleeper *sleeper, const uint64_t *cell,
			   struct doca_pe *pe)
{
	if (sleeper->is_listed)
		return;
	sleeper->cell = cell;
	sleeper->pe = pe;
	sleeper->is_listed = true;
	pthread_mutex_lock(&core_sync_sleepers_lock);
	LIST_INSERT_HEAD(&sleepers, sleeper, link);
	__atomic_fetch_add(&num_sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&core_sync_sleepers_lock);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* the look at the cell comes after it */
}

void core_sync_sleeper_remove(struct core_sync_sleeper *sleeper)
{
	if (!sleeper->is_listed)
		return;
	pthread_mutex_lock(&core_sync_sleepers_lock);
	LIST_REMOVE(sleeper, link);
	__atomic_fetch_sub(&num_sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&core_sync_sleepers_lock);
	sleeper->is_listed = false;
}
