/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a copy needs: memory that the device may use (two mmaps), descriptors of parts of it (two
 * buffers from an inventory), a DMA context that makes tasks, and a progress engine that runs them
 * and calls back. They are made in this order, and ended in the opposite one.
 */
#include "dma_memcpy_sample.h"

#include <stdbool.h>
#include <string.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "common.h"

DOCA_LOG_REGISTER(SAMPLE::DMA_MEMCPY);

#define NUM_TASKS 1
#define NUM_BUFS  2

/* NULL is what was not made; so all of it can be ended at any time. */
struct copy {
	struct doca_dev *dev; /* borrowed */
	char from[64];
	char to[64];
	struct doca_mmap *from_mmap;
	struct doca_mmap *to_mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *src;
	struct doca_buf *dst;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_ctx *ctx; /* the view of dma that all kinds of contexts have */
	bool is_done;
	doca_error_t status; /* of the task, once it is done */
};

/* Lets the device use a range with these permissions. mmap: written as soon as there is one. */
static doca_error_t share_memory(struct copy *copy, void *addr, size_t len, uint32_t permissions,
				 struct doca_mmap **mmap)
{
	doca_error_t result;

	result = doca_mmap_create(mmap);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_memrange(*mmap, addr, len);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_set_permissions(*mmap, permissions);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_add_dev(*mmap, copy->dev);
	if (result == DOCA_SUCCESS)
		result = doca_mmap_start(*mmap);
	return sample_check("share memory with the device", result);
}

/* The source is full of data, the destination is all room: data is appended there. */
static doca_error_t take_buffers(struct copy *copy)
{
	doca_error_t result;

	result = doca_buf_inventory_create(NUM_BUFS, &copy->inventory);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_start(copy->inventory);
	if (result == DOCA_SUCCESS)
		result =
		    doca_buf_inventory_buf_get_by_data(copy->inventory, copy->from_mmap, copy->from,
						       strlen(copy->from) + 1, &copy->src);
	if (result == DOCA_SUCCESS)
		result = doca_buf_inventory_buf_get_by_addr(copy->inventory, copy->to_mmap,
							    copy->to, sizeof(copy->to), &copy->dst);
	return sample_check("describe the memory by buffers", result);
}

/* Called by the engine, for a success and for an error. From here on the task is ours again. */
static void on_copied(struct doca_dma_task_memcpy *memcpy_task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct doca_task *task = doca_dma_task_memcpy_as_task(memcpy_task);
	struct copy *copy = task_user_data.ptr;

	(void)ctx_user_data;
	copy->status = doca_task_get_status(task);
	copy->is_done = true;
	doca_task_free(task);
}

static doca_error_t start_context(struct copy *copy)
{
	doca_error_t result;

	result = doca_pe_create(&copy->pe);
	if (result == DOCA_SUCCESS)
		result = doca_dma_create(copy->dev, &copy->dma);
	if (result != DOCA_SUCCESS)
		return sample_check("create an engine and a DMA context", result);
	copy->ctx = doca_dma_as_ctx(copy->dma);
	result = doca_dma_task_memcpy_set_conf(copy->dma, on_copied, on_copied, NUM_TASKS);
	if (result == DOCA_SUCCESS)
		result = doca_pe_connect_ctx(copy->pe, copy->ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(copy->ctx);
	return sample_check("start the DMA context", result);
}

/* Nothing is copied in here: the engine does that when it is driven. */
static doca_error_t submit_task(struct copy *copy)
{
	union doca_data user_data = { .ptr = copy };
	struct doca_dma_task_memcpy *memcpy_task;
	doca_error_t result;

	result = sample_check("take a task",
			      doca_dma_task_memcpy_alloc_init(copy->dma, copy->src, copy->dst,
							      user_data, &memcpy_task));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_dma_task_memcpy_as_task(memcpy_task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_dma_task_memcpy_as_task(memcpy_task));
	return sample_check("submit the task", result);
}

static doca_error_t check_copy(const struct copy *copy)
{
	size_t len = 0;

	if (doca_buf_get_data_len(copy->dst, &len) != DOCA_SUCCESS ||
	    len != strlen(copy->from) + 1 || memcmp(copy->from, copy->to, len) != 0) {
		DOCA_LOG_ERR("the copy differs: %zu bytes", len);
		return DOCA_ERROR_UNEXPECTED;
	}
	DOCA_LOG_INFO("the destination holds \"%s\": %zu bytes, all the same", copy->to, len);
	return DOCA_SUCCESS;
}

static doca_error_t prepare(struct copy *copy)
{
	doca_error_t result;

	result = share_memory(copy, copy->from, sizeof(copy->from),
			      DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, &copy->from_mmap);
	if (result == DOCA_SUCCESS)
		result = share_memory(copy, copy->to, sizeof(copy->to),
				      DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, &copy->to_mmap);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("the device may use the memory of source and destination");
	if (result == DOCA_SUCCESS)
		result = take_buffers(copy);
	if (result == DOCA_SUCCESS)
		result = start_context(copy);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("the DMA context is running");
	return result;
}

static doca_error_t run(struct copy *copy)
{
	doca_error_t result;

	result = submit_task(copy);
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("the task is submitted: copy \"%s\"", copy->from);
	result = sample_check("wait for the task", sample_wait(copy->pe, &copy->is_done));
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("the task is done: %s", doca_error_get_descr(copy->status));
	return copy->status == DOCA_SUCCESS ? check_copy(copy) : copy->status;
}

/* An end that fails is logged by the library; the others are tried all the same. */
static void end(struct copy *copy)
{
	if (copy->ctx != NULL)
		(void)sample_stop(copy->pe, copy->ctx);
	if (copy->dma != NULL)
		(void)doca_dma_destroy(copy->dma);
	if (copy->pe != NULL)
		(void)doca_pe_destroy(copy->pe);
	if (copy->src != NULL)
		(void)doca_buf_dec_refcount(copy->src, NULL);
	if (copy->dst != NULL)
		(void)doca_buf_dec_refcount(copy->dst, NULL);
	if (copy->inventory != NULL)
		(void)doca_buf_inventory_destroy(copy->inventory);
	if (copy->to_mmap != NULL)
		(void)doca_mmap_destroy(copy->to_mmap);
	if (copy->from_mmap != NULL)
		(void)doca_mmap_destroy(copy->from_mmap);
}

doca_error_t dma_memcpy_run(struct doca_dev *dev)
{
	struct copy copy = { .dev = dev, .from = "from one memory range to another" };
	doca_error_t result;

	result = prepare(&copy);
	if (result == DOCA_SUCCESS)
		result = run(&copy);
	end(&copy);
	return result;
}
