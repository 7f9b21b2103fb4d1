/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SYNC_RIG_H_
#define SYNC_RIG_H_

/* A sync event as a running context with a listener, its engine, and its five kinds of tasks. */

#include <stdint.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_sync_event.h>

#include "heard.h"

#define SYNC_RIG_NUM_TASKS 8 /* of each kind */

enum sync_kind {
	SYNC_GET,
	SYNC_SET,
	SYNC_ADD,
	SYNC_WAIT_EQ,
	SYNC_WAIT_NEQ,
	SYNC_NUM_KINDS,
};

/* What a task is made of; kinds leave alone what they do not have. */
struct sync_args {
	uint64_t value;   /* to set, to add, to wait for */
	uint64_t mask;    /* of a wait */
	uint64_t *result; /* of get and add */
};

/* The calls of a kind, alike for all. */
struct sync_calls {
	const char *name;
	doca_error_t (*set_conf)(struct doca_sync_event *event,
				 doca_task_completion_cb_t success_cb,
				 doca_task_completion_cb_t error_cb, uint32_t num_tasks);
	doca_error_t (*alloc)(struct doca_sync_event *event, const struct sync_args *args,
			      union doca_data user_data, struct doca_task **task);
	doca_error_t (*is_supported)(const struct doca_devinfo *devinfo);
};

extern const struct sync_calls sync_calls[SYNC_NUM_KINDS];

struct sync_rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_sync_event *event; /* NULL: the test has destroyed it */
	struct doca_ctx *ctx;
	struct heard heard; /* of ctx, since it was started; its owner is the rig */
	uint64_t *cell;     /* where the number is; NULL: in the event */
};

/* An event of this process alone, not started. owned: doca_sync_event_destroy(). */
struct doca_sync_event *sync_event_create(struct doca_dev *dev);

/* The number of a started one. */
uint64_t sync_event_number(struct doca_sync_event *event);

/* A rig that is RUNNING; cell: as in the rig. */
void sync_rig_init(struct sync_rig *rig, uint64_t *cell);

/* The same without doca_ctx_start(): configured, with an engine, IDLE. */
void sync_rig_init_idle(struct sync_rig *rig, uint64_t *cell);

/* Stops the context, drives it to IDLE and destroys all. Tasks must be free or in flight. */
void sync_rig_fini(struct sync_rig *rig);

/* A task with that number as user data. owned: the test or the reaction to its end frees it. */
struct doca_task *sync_rig_alloc(struct sync_rig *rig, enum sync_kind kind,
				 const struct sync_args *args, uint64_t number);

/* The same, submitted. */
struct doca_task *sync_rig_submit(struct sync_rig *rig, enum sync_kind kind,
				  const struct sync_args *args, uint64_t number);

/* A wait for a value, of the whole number. */
struct doca_task *sync_rig_wait(struct sync_rig *rig, uint64_t value, uint64_t number);

/* The engine's notification: arming it, clearing it, and a look at its handle. */
void sync_rig_arm(const struct sync_rig *rig);
void sync_rig_clear(const struct sync_rig *rig);
int sync_rig_is_readable(const struct sync_rig *rig, int timeout_ms);

#endif /* SYNC_RIG_H_ */
