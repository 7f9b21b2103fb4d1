/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(UROM::COMMAND);

/* Both buffers begin at a multiple of this, which is a page as well. */
#define BUFFER_ALIGN 4096
#define SMALL_ALIGN  64

/* Some host halves of plugins write into a response that is empty. */
#define MIN_DIRTY 512

static size_t buffer_size(const struct doca_urom_worker_cmd_task *task)
{
	size_t align = task->is_mapped ? BUFFER_ALIGN : SMALL_ALIGN;

	return (task->capacity + UROMH_BUFFER_SLACK + align - 1) & ~(align - 1);
}

void uromh_cmd_task_fini(struct doca_task *base)
{
	struct doca_urom_worker_cmd_task *task = uromh_cmd_from_base(base);

	if (task->is_mapped)
		munmap(task->memory, task->memory_size);
	else
		free(task->memory);
	task->memory = NULL;
	task->is_mapped = false;
}

static doca_error_t make_buffers(struct doca_urom_worker_cmd_task *task, uint32_t capacity)
{
	void *memory = NULL;

	uromh_cmd_task_fini(&task->base);
	task->capacity = capacity;
	task->response_dirty = 0;
	task->is_mapped = capacity > UROMH_MAPPED_FROM;
	task->memory_size = 2 * buffer_size(task);
	if (task->is_mapped) {
		memory = mmap(NULL, task->memory_size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			memory = NULL;
	} else if (posix_memalign(&memory, SMALL_ALIGN, task->memory_size) == 0) {
		memset(memory, 0, task->memory_size);
	}
	if (memory != NULL) {
		task->memory = memory;
		return DOCA_SUCCESS;
	}
	task->is_mapped = false;
	DOCA_LOG_ERR("no memory for a command's buffers of %u bytes", capacity);
	return DOCA_ERROR_NO_MEMORY;
}

static void zero_buffers(struct doca_urom_worker_cmd_task *task)
{
	if (task->is_mapped) {
		/* Only pages that were touched cost anything. Cannot fail for such memory. */
		(void)madvise(task->memory, task->memory_size, MADV_DONTNEED);
	} else {
		memset(task->memory, 0, buffer_size(task));
		memset((char *)task->memory + buffer_size(task), 0, task->response_dirty);
	}
	task->response_dirty = 0;
}

doca_error_t uromh_cmd_task_prepare(struct doca_urom_worker_cmd_task *task, uint32_t capacity)
{
	if (doca_unlikely(task->memory == NULL || task->capacity != capacity)) {
		doca_error_t result = make_buffers(task, capacity);

		if (result != DOCA_SUCCESS)
			return result;
	} else {
		zero_buffers(task);
	}
	core_buf_init_own(&task->payload, &task->payload_store, task->memory, capacity);
	core_buf_init_own(&task->response, &task->response_store,
			  (char *)task->memory + buffer_size(task), capacity);
	task->response.data_len = 0;
	memset(task->user_data, 0, sizeof(task->user_data));
	return DOCA_SUCCESS;
}

void uromh_cmd_task_respond(struct doca_urom_worker_cmd_task *task, struct wire_bytes payload)
{
	char *response = (char *)task->memory + buffer_size(task);

	if (payload.len > 0)
		memcpy(response, payload.data, payload.len);
	if (payload.len < task->response_dirty)
		memset(response + payload.len, 0, task->response_dirty - payload.len);
	task->response_dirty = payload.len > MIN_DIRTY ? payload.len : MIN_DIRTY;
	if (task->response_dirty > task->capacity)
		task->response_dirty = task->capacity;
	task->response.data = response;
	task->response.data_len = payload.len;
}

/* --- The task as the application sees it --- */

/* A free task of the first pool that has one; pools behind the first are made here. */
static doca_error_t take_task(struct doca_urom_worker *worker, struct doca_task **task)
{
	const union doca_data nothing = { .u64 = 0 };
	struct core_pool *pool = worker->pools;
	doca_error_t result;

	if (worker->base.state != DOCA_CTX_STATE_RUNNING) {
		DOCA_LOG_ERR("command task: worker %p is not running", (void *)worker);
		return DOCA_ERROR_BAD_STATE;
	}
	for (size_t i = 0; i < UROMH_NUM_POOLS; i++, pool++) {
		if (STAILQ_EMPTY(&pool->free) && pool->num_filled > 0)
			continue;
		result = core_pool_fill(pool);
		return result == DOCA_SUCCESS ? core_pool_get(pool, nothing, task) : result;
	}
	DOCA_LOG_DBG("worker %p: all %u command tasks are out", (void *)worker,
		     UROMH_NUM_POOLS * worker->max_inflight);
	return DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
						struct doca_urom_worker_cmd_task **task)
{
	struct doca_urom_worker_cmd_task *taken;
	struct doca_task *base;
	doca_error_t result;

	if (worker_ctx == NULL || task == NULL)
		return core_null_argument(__func__);
	result = take_task(worker_ctx, &base);
	if (result != DOCA_SUCCESS)
		return result;
	taken = uromh_cmd_from_base(base);
	result = uromh_cmd_task_prepare(taken, worker_ctx->max_message);
	if (result != DOCA_SUCCESS) {
		doca_task_free(base);
		return result;
	}
	taken->plugin = 0;
	taken->cb = NULL;
	*task = taken;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
						     uint64_t plugin,
						     struct doca_urom_worker_cmd_task **task)
{
	doca_error_t result = doca_urom_worker_cmd_task_allocate(worker_ctx, task);

	if (result == DOCA_SUCCESS)
		(*task)->plugin = plugin;
	return result;
}

doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task)
{
	if (task == NULL)
		return core_null_argument(__func__);
	if (task->base.state == CORE_TASK_INFLIGHT || task->base.state == CORE_TASK_DONE) {
		DOCA_LOG_ERR("command task %p is not released: it is in flight", (void *)task);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	doca_task_free(&task->base);
	return DOCA_SUCCESS;
}

void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin)
{
	if (task == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
	else
		task->plugin = plugin;
}

void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
				      doca_urom_worker_cmd_task_completion_cb_t cb)
{
	if (task == NULL || cb == NULL)
		(void)core_null_argument(__func__); /* there is no way to return it */
	else
		task->cb = cb;
}

struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &task->payload;
}

struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &task->response;
}

void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return task->user_data;
}

struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task)
{
	if (task == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &task->base;
}
