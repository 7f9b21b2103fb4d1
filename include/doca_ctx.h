/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part that every kind of context (RDMA, DMA, sync event, UROM) has in common. A kind's create
 * makes one and its _as_ctx gives the view that is used here. Life: create, configure,
 * doca_pe_connect_ctx(), doca_ctx_start(), tasks, doca_ctx_stop(), the kind's destroy. After a stop
 * it may be configured and started again. No call of a kind takes the place of these.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;

enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,     /* can be configured; has no tasks */
	DOCA_CTX_STATE_STARTING = 1, /* start goes on in progress; has no tasks yet */
	DOCA_CTX_STATE_RUNNING = 2,  /* the only state in which tasks are allocated and submitted */
	DOCA_CTX_STATE_STOPPING = 3, /* progress ends what is in flight, then it is IDLE */
};

/*
 * A context has moved from prev_state to next_state; doca_ctx_get_state() gives next_state already.
 * Runs inside doca_ctx_start() or doca_ctx_stop() for moves that the call makes, in
 * doca_pe_progress() for later ones. user_data: of doca_ctx_set_user_data(). ctx: lent. The kind's
 * destroy may be called inside the callback for IDLE.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/*
 * doca_ctx_start() - leave IDLE with the configuration as it is now.
 * SUCCESS: RUNNING on return, or already STOPPING when the callback for RUNNING stopped it (RDMA,
 * DMA, sync event, UROM service). Some kinds also give errors of their own.
 * Errors: IN_PROGRESS: STARTING, progress goes on (UROM worker and domain). INVALID_VALUE: ctx
 * NULL, or its configuration is not complete (sync event: BAD_STATE). BAD_STATE: not IDLE.
 * NOT_CONNECTED: no progress engine. NOT_SUPPORTED: the kind cannot use its device. NO_MEMORY: no
 * memory for its tasks. INITIALIZATION: other resources could not be set up. UNEXPECTED: ctx is no
 * context. On all but IN_PROGRESS its state stays as it is, with no callback. Thread: the engine's.
 * Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/*
 * doca_ctx_stop() - go to IDLE; no task can be submitted any more.
 * SUCCESS: IDLE on return, both moves called back inside the call; from IDLE without any callback,
 * engine or not. Tasks that were never freed hold STOPPING, except those of UROM contexts. Flushed
 * tasks end with SHUTDOWN for UROM, with IO_FAILED for the others.
 * Errors: IN_PROGRESS: STOPPING, drive the engine until IDLE (work or unfreed tasks left, called in
 * a callback of the engine, or stopping already; a UROM worker always). IN_USE: a UROM service has
 * workers that are not IDLE, it stays RUNNING. INVALID_VALUE: ctx NULL. UNEXPECTED: own fault.
 * Thread: the engine's. Source: DOCA 3.0 Core API; deferral, order and IN_USE ours.
 */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/*
 * doca_ctx_get_num_inflight_tasks() - tasks submitted whose callback has not begun.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
					     size_t *num_inflight_tasks);

struct doca_gpu;

/*
 * doca_ctx_set_datapath_on_gpu() - not available: tasks are submitted by the processor only.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not IDLE. NOT_SUPPORTED: otherwise.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/*
 * doca_ctx_set_user_data() - the value that state and task callbacks get as theirs.
 * user_data: copied; what a pointer in it points to is never looked at. In any state.
 * Errors: INVALID_VALUE: ctx NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/*
 * doca_ctx_get_user_data() - the value set last, 0 when there was none.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/*
 * doca_ctx_set_state_changed_cb() - be told of every move, IDLE to STARTING included.
 * cb: replaces the one set before. In any state.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t cb);

/*
 * doca_ctx_get_state() - the state now.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/*
 * doca_ctx_flush_tasks() - start all tasks that were submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH.
 * ctx: NULL: logged, nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

struct doca_dpa;

/*
 * doca_ctx_set_datapath_on_dpa() - not available: tasks are submitted by the processor only.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not IDLE. NOT_SUPPORTED: otherwise.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/*
 * doca_ctx_set_completion_vector() - which interrupt line reports completions; there is one.
 * comp_vector: 0.
 * Errors: INVALID_VALUE: ctx NULL, comp_vector not 0. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 Core API; the one vector ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);

/*
 * doca_ctx_cap_get_num_completion_vectors() - always 1.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
						     uint32_t *num_comp_vectors);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
