/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_SYNC_EVENT_H_
#define CORE_SYNC_EVENT_H_

/*
 * Sync events: a 64-bit counter that is set, added to and waited for, by calls of its own or by
 * tasks of a context. sync_event.c has the object, sync_event_ops.c the calls, sync_event_ctx.c
 * what the core calls, sync_event_task.c the tasks as the application sees them, sync_notify.c
 * how a change wakes who waits, sync_event_export.c the way to other processes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_sync_event.h>

#include "core/ctx.h"
#include "core/key.h"
#include "core/pool.h"
#include "core/task.h"

/* Where an event may be published from and subscribed to; the first and the last work here. */
enum core_sync_location {
	CORE_SYNC_CPU = 1 << 0,
	CORE_SYNC_DPA = 1 << 1,
	CORE_SYNC_GPU = 1 << 2,
	CORE_SYNC_REMOTE_PCI = 1 << 3,
	CORE_SYNC_REMOTE_NET = 1 << 4,
};

enum core_sync_mode {
	CORE_SYNC_MODE_NEW,  /* neither was chosen */
	CORE_SYNC_MODE_SELF, /* started by doca_sync_event_start() */
	CORE_SYNC_MODE_CTX,  /* seen as a context */
};

enum core_sync_task_kind {
	CORE_SYNC_GET,
	CORE_SYNC_NOTIFY_SET,
	CORE_SYNC_NOTIFY_ADD,
	CORE_SYNC_WAIT_EQ,
	CORE_SYNC_WAIT_NEQ,
	CORE_SYNC_NUM_KINDS,
};

/* Every task kind is this; the public types only name them apart. */
struct core_sync_task {
	struct doca_task base;
	enum core_sync_task_kind kind;
	uint64_t value;   /* to set, to add, to compare with */
	uint64_t mask;    /* of a wait */
	uint64_t *result; /* borrowed: where get and add put the old value; add: may be NULL */
};

STAILQ_HEAD(core_sync_queue, doca_task);

/* An engine that sleeps until a cell may have changed. */
struct core_sync_sleeper {
	LIST_ENTRY(core_sync_sleeper) link;
	const uint64_t *cell;
	struct doca_pe *pe;
	bool is_listed;
};

struct doca_sync_event {
	struct doca_ctx base;
	enum core_sync_mode mode;
	bool is_started;         /* in mode SELF; atomic: any thread may ask */
	unsigned int publishers; /* core_sync_location bits */
	unsigned int subscribers;
	struct doca_dev **devs; /* owned array of held devices, num_devs entries */
	unsigned int num_devs;
	struct doca_dev *subscriber_dev; /* one of devs: the first that peers can come over */
	uint64_t *cell;                  /* own, the application's, or a buf's data */
	uint64_t own_cell;
	struct core_pool pools[CORE_SYNC_NUM_KINDS];
	struct core_sync_queue submitted; /* done one a progress, in order */
	struct core_sync_queue waits;
	struct core_sync_sleeper sleeper;
	uint8_t *blob;    /* owned: what was exported last; NULL: nothing was */
	bool is_exported; /* since it was started */
};

extern const struct core_ctx_ops core_sync_event_ops;

/*
 * Checks what start needs, in either mode.
 * Errors: BAD_STATE: no publisher or no subscriber. NOT_SUPPORTED: a location that is not here.
 */
doca_error_t core_sync_event_check(const struct doca_sync_event *event);

/* The rest of a start, in either mode: a value of its own begins at 0, and old exports are void. */
void core_sync_event_begin(struct doca_sync_event *event);

/* Can its value be used: is it started, in either mode? Thread: any. */
bool core_sync_event_is_started(const struct doca_sync_event *event);

/* What a wait waits for, of the masked value and its own. */
static inline bool core_sync_is_eq(uint64_t masked, uint64_t value)
{
	return masked == value;
}

static inline bool core_sync_is_neq(uint64_t masked, uint64_t value)
{
	return masked != value;
}

static inline bool core_sync_is_gt(uint64_t masked, uint64_t value)
{
	return masked > value;
}

/* The value, with everything that was written before it was set. */
uint64_t core_sync_load(const uint64_t *cell);

/* Sets the value, or adds to it and gives the old one; then wakes who waits for the cell. */
void core_sync_store(uint64_t *cell, uint64_t value);
uint64_t core_sync_add(uint64_t *cell, uint64_t value);

/*
 * Something in [addr, addr + len) has changed: wakes the engines that sleep for a cell in there.
 * Costs a fence and a load when nobody does. Thread: any.
 */
CORE_EXPORT void core_sync_notify(const void *addr, size_t len);

/*
 * An engine is about to sleep, and must then look at the cell once more; and it sleeps no longer.
 * Thread: the engine's.
 */
void core_sync_sleeper_add(struct core_sync_sleeper *sleeper, const uint64_t *cell,
			   struct doca_pe *pe);
void core_sync_sleeper_remove(struct core_sync_sleeper *sleeper);

#endif /* CORE_SYNC_EVENT_H_ */
