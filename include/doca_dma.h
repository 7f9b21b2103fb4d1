/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of local memory, done by the library while the engine is driven, at most 256 KiB a call of
 * doca_pe_progress(). A DMA context lives as doca_ctx.h says. It has one kind of task, memcpy: the
 * data of a source is appended to the data of a destination. A failed task ends with its error and
 * then takes the whole context to STOPPING.
 */
#ifndef DOCA_DMA_H_
#define DOCA_DMA_H_

#include <inttypes.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_gpu_dma;
struct doca_task;
struct doca_dma_task_memcpy;

/*
 * A copy has ended, well or not. Runs in doca_pe_progress(), on its thread. task: the application's
 * again, to free or to submit. task_user_data: of the task; ctx_user_data: of the context.
 * doca_pe_progress() must not be called in it.
 */
typedef void (*doca_dma_task_memcpy_completion_cb_t)(struct doca_dma_task_memcpy *task,
						     union doca_data task_user_data,
						     union doca_data ctx_user_data);

struct doca_dma;

/*
 * doca_dma_create() - an IDLE context that copies for dev.
 * dev: borrowed, must outlive the context. dma: owned, free with doca_dma_destroy().
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
doca_error_t doca_dma_create(struct doca_dev *dev, struct doca_dma **dma);

/*
 * doca_dma_destroy() - free a context and take it off its engine.
 * Errors: INVALID_VALUE: dma NULL. IN_USE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 DMA API; INVALID_VALUE ours.
 */
DOCA_STABLE
doca_error_t doca_dma_destroy(struct doca_dma *dma);

/*
 * doca_dma_cap_task_memcpy_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_dma_as_ctx() - the context as doca_ctx.h knows it; always the same pointer.
 * Returns: lent until doca_dma_destroy(); NULL for NULL.
 * Thread: any. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
struct doca_ctx *doca_dma_as_ctx(struct doca_dma *dma);

/*
 * doca_dma_cap_get_max_num_tasks() - the most tasks that a context can be configured for.
 * max_num_tasks: the count itself, not its logarithm.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 DMA API; count ours.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_get_max_num_tasks(struct doca_dma *dma, uint32_t *max_num_tasks);

/*
 * doca_dma_cap_task_memcpy_get_max_buf_list_len() - the most elements in a source or destination.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							   uint32_t *max_buf_list_len);

/*
 * doca_dma_cap_task_memcpy_get_max_buf_size() - the most bytes that one task copies.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
doca_error_t doca_dma_cap_task_memcpy_get_max_buf_size(const struct doca_devinfo *devinfo,
						       uint64_t *buf_size);

/*
 * doca_dma_task_memcpy_set_conf() - callbacks and pool size; needed before tasks can be allocated.
 * num_memcpy_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, or num_memcpy_tasks 0 or above
 * doca_dma_cap_get_max_num_tasks(). BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 DMA API; BAD_STATE ours.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_set_conf(struct doca_dma *dma,
					   doca_dma_task_memcpy_completion_cb_t task_completion_cb,
					   doca_dma_task_memcpy_completion_cb_t task_error_cb,
					   uint32_t num_memcpy_tasks);

/*
 * doca_dma_task_memcpy_alloc_init() - take a task from the pool and fill it in.
 * src, dst: borrowed, must outlive the task's flight; may be NULL and set later. user_data: copied.
 * task: owned, free with doca_task_free(). The lists are checked at submit: one that is NULL, of an
 * imported mmap or of a mmap without the device is INVALID_VALUE there, one of a stopped mmap
 * BAD_STATE, a destination without local write NOT_PERMITTED; a source without data or too little
 * room in dst ends in the error callback. The length is that of the source at submit; the data goes
 * behind what dst holds when the task's turn comes.
 * Errors: INVALID_VALUE: dma or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 DMA API; BAD_STATE ours.
 */
DOCA_STABLE
doca_error_t doca_dma_task_memcpy_alloc_init(struct doca_dma *dma, const struct doca_buf *src,
					     struct doca_buf *dst, union doca_data user_data,
					     struct doca_dma_task_memcpy **task);

/*
 * doca_dma_task_memcpy_as_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
struct doca_task *doca_dma_task_memcpy_as_task(struct doca_dma_task_memcpy *task);

/*
 * doca_dma_task_memcpy_set_src() - another source, while the task is not in flight.
 * src: borrowed, must outlive the task's flight; NULL is refused at submit. task: NULL: logged,
 * nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_src(struct doca_dma_task_memcpy *task, const struct doca_buf *src);

/*
 * doca_dma_task_memcpy_get_src() - the source set last.
 * Returns: the caller's own buffer; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
const struct doca_buf *doca_dma_task_memcpy_get_src(const struct doca_dma_task_memcpy *task);

/*
 * doca_dma_task_memcpy_set_dst() - another destination, while the task is not in flight.
 * dst: borrowed, must outlive the task's flight; NULL is refused at submit. task: NULL: logged,
 * nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
void doca_dma_task_memcpy_set_dst(struct doca_dma_task_memcpy *task, struct doca_buf *dst);

/*
 * doca_dma_task_memcpy_get_dst() - the destination set last.
 * Returns: the caller's own buffer; NULL for NULL. Also after doca_task_free(), until the task is
 * allocated again.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_STABLE
struct doca_buf *doca_dma_task_memcpy_get_dst(const struct doca_dma_task_memcpy *task);

/*
 * doca_dma_get_gpu_handle() - not available: no context has its tasks on a GPU.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: always.
 * Thread: the engine's. Source: DOCA 3.0 DMA API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dma_get_gpu_handle(struct doca_dma *dma, struct doca_gpu_dma **gpu_dma);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DMA_H_ */
