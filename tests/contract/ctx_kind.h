/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTX_KIND_H_
#define CTX_KIND_H_

/*
 * What the contract tests have to know of a kind of context. A new kind is one file with one row,
 * and its name in ctx_kinds.c: then every ctx_contract program holds it to the contract.
 */

#include <stdbool.h>

#include <doca_ctx.h>
#include <doca_pe.h>

struct ctx_kind {
	const char *name; /* stands before the colon in the names of its tests; no spaces */

	/* In what the contract lets kinds differ. */
	bool frees_tasks;                /* unfreed tasks do not hold STOPPING */
	bool start_is_async;             /* start is IN_PROGRESS, RUNNING comes with progress */
	bool stop_is_never_sync;         /* IDLE comes with progress, whatever is outstanding */
	bool has_fixed_pool;             /* tasks are as many as they are, whatever is configured */
	bool is_remote;                  /* other processes do the work, at their own pace */
	doca_error_t flush_status;       /* of tasks that a stop ends */
	doca_error_t late_conf_error;    /* of configure() when not IDLE */
	doca_error_t busy_destroy_error; /* of destroy() when not IDLE */
	unsigned int pool_factor;        /* tasks to allocate for each that is configured */
	int patience_ms;                 /* how long a finished task may take to wake the engine */

	/* What contexts need around them: device, memory, peers. Failures fail the test. */
	void *(*open)(void);
	void (*close)(void *world);

	/* A context, configured but for its tasks. destroy() is the kind's own, with its errors. */
	void *(*create)(void *world);
	struct doca_ctx *(*as_ctx)(void *object);
	doca_error_t (*destroy)(void *object);

	/* One task type; num_tasks is at most 64 and so is what a test has at one time. */
	doca_error_t (*configure)(void *object, doca_task_completion_cb_t success_cb,
				  doca_task_completion_cb_t error_cb, uint32_t num_tasks);

	/* A task of it that will succeed, ready to be submitted any number of times. */
	doca_error_t (*alloc_task)(void *world, void *object, union doca_data user_data,
				   struct doca_task **task);

	/* Lets the oldest submitted task end well; NULL: driving the engine is enough. */
	void (*complete)(void *object);
};

/* All of them; the last is NULL. */
extern const struct ctx_kind *const ctx_kinds[];

extern const struct ctx_kind ctx_kind_probe;
extern const struct ctx_kind ctx_kind_freeing_probe;
extern const struct ctx_kind ctx_kind_async_probe;
extern const struct ctx_kind ctx_kind_dma;
extern const struct ctx_kind ctx_kind_rdma;
extern const struct ctx_kind ctx_kind_sync_event;
extern const struct ctx_kind ctx_kind_sync_event_wait;
extern const struct ctx_kind ctx_kind_urom_service;
extern const struct ctx_kind ctx_kind_urom_worker;

#endif /* CTX_KIND_H_ */
