/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma_rig.h"

#include <string.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(10000000000)

void dma_rig_init_idle(struct dma_rig *rig, size_t len, size_t num_bufs, uint32_t num_tasks)
{
	memset(rig, 0, sizeof(*rig));
	fixture_memory_init(&rig->memory, len, num_bufs);
	assert_success(doca_pe_create(&rig->pe));
	assert_success(doca_dma_create(rig->memory.dev, &rig->dma));
	rig->ctx = doca_dma_as_ctx(rig->dma);
	heard_init(&rig->heard, rig->ctx);
	rig->heard.owner = rig;
	/* A task is its own base, so the callbacks of any task do. */
	assert_success(doca_dma_task_memcpy_set_conf(
	    rig->dma, (doca_dma_task_memcpy_completion_cb_t)heard_on_success,
	    (doca_dma_task_memcpy_completion_cb_t)heard_on_error, num_tasks));
	assert_success(doca_pe_connect_ctx(rig->pe, rig->ctx));
}

void dma_rig_init(struct dma_rig *rig, size_t len, size_t num_bufs, uint32_t num_tasks)
{
	dma_rig_init_idle(rig, len, num_bufs, num_tasks);
	assert_success(doca_ctx_start(rig->ctx));
	assert_heard(&rig->heard, "idle>running");
}

void dma_rig_fini(struct dma_rig *rig)
{
	if (rig->dma != NULL) {
		(void)doca_ctx_stop(rig->ctx); /* or it stops already; what counts is the end */
		fixture_progress_to(rig->pe, rig->ctx, DOCA_CTX_STATE_IDLE);
		assert_success(doca_dma_destroy(rig->dma));
	}
	assert_success(doca_pe_destroy(rig->pe));
	fixture_memory_fini(&rig->memory);
}

struct doca_task *dma_rig_task(struct dma_rig *rig, const struct doca_buf *src,
			       struct doca_buf *dst, uint64_t number)
{
	union doca_data user_data = { .u64 = number };
	struct doca_dma_task_memcpy *task;

	assert_success(doca_dma_task_memcpy_alloc_init(rig->dma, src, dst, user_data, &task));
	return doca_dma_task_memcpy_as_task(task);
}

struct doca_task *dma_rig_submit(struct dma_rig *rig, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number)
{
	struct doca_task *task = dma_rig_task(rig, src, dst, number);

	assert_success(doca_task_submit(task));
	return task;
}

struct doca_dma_task_memcpy *dma_rig_memcpy(struct doca_task *task)
{
	struct doca_dma_task_memcpy *typed = (struct doca_dma_task_memcpy *)(void *)task;

	assert_ptr_equal(doca_dma_task_memcpy_as_task(typed), task);
	return typed;
}

unsigned int dma_rig_deliver(struct dma_rig *rig)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	unsigned int calls = 1;

	for (; doca_pe_progress(rig->pe) == 0; calls++) {
		if (test_now_ns() > end)
			fail_msg("nothing more is delivered after: %s", rig->heard.text);
	}
	return calls;
}

void dma_rig_copy(struct dma_rig *rig, const struct doca_buf *src, struct doca_buf *dst)
{
	(void)dma_rig_submit(rig, src, dst, 0);
	(void)dma_rig_deliver(rig);
	assert_heard(&rig->heard, "ok(0)");
}

size_t dma_rig_data_len(const struct doca_buf *buf)
{
	size_t data_len;

	assert_success(doca_buf_get_data_len(buf, &data_len));
	return data_len;
}
