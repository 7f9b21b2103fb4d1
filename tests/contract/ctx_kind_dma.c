/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_kind.h"

#include <stdlib.h>

#include <doca_dma.h>

#include "fixture.h"
#include "test.h"

/* DMA by its public API alone. Every task copies the same few bytes behind those before. */

#define SRC_BYTES   16
#define WORLD_BYTES ((size_t)1024 * 1024)

struct dma_world {
	struct fixture_memory memory;
	struct doca_buf *src;
	struct doca_buf *dst;
};

static void *dma_kind_open(void)
{
	struct dma_world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	fixture_memory_init(&world->memory, WORLD_BYTES, 2);
	world->src = fixture_buf(&world->memory, 0, SRC_BYTES, 0, SRC_BYTES);
	world->dst = fixture_buf(&world->memory, SRC_BYTES, WORLD_BYTES - SRC_BYTES, 0, 0);
	return world;
}

static void dma_kind_close(void *opened)
{
	struct dma_world *world = opened;

	fixture_buf_put(world->src);
	fixture_buf_put(world->dst);
	fixture_memory_fini(&world->memory);
	free(world);
}

static void *dma_kind_create(void *opened)
{
	struct dma_world *world = opened;
	struct doca_dma *dma;

	assert_success(doca_dma_create(world->memory.dev, &dma));
	return dma;
}

static struct doca_ctx *dma_kind_as_ctx(void *object)
{
	return doca_dma_as_ctx(object);
}

static doca_error_t dma_kind_destroy(void *object)
{
	return doca_dma_destroy(object);
}

static doca_error_t dma_kind_configure(void *object, doca_task_completion_cb_t success_cb,
				       doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_dma_task_memcpy_set_conf(
	    object, (doca_dma_task_memcpy_completion_cb_t)success_cb,
	    (doca_dma_task_memcpy_completion_cb_t)error_cb, num_tasks);
}

static doca_error_t dma_kind_alloc_task(void *opened, void *object, union doca_data user_data,
					struct doca_task **task)
{
	struct dma_world *world = opened;
	struct doca_dma_task_memcpy *taken;
	doca_error_t result =
	    doca_dma_task_memcpy_alloc_init(object, world->src, world->dst, user_data, &taken);

	if (result == DOCA_SUCCESS)
		*task = doca_dma_task_memcpy_as_task(taken);
	return result;
}

const struct ctx_kind ctx_kind_dma = {
	.name = "dma",
	.flush_status = DOCA_ERROR_IO_FAILED,
	.late_conf_error = DOCA_ERROR_BAD_STATE,
	.busy_destroy_error = DOCA_ERROR_IN_USE,
	.pool_factor = 1,
	.open = dma_kind_open,
	.close = dma_kind_close,
	.create = dma_kind_create,
	.as_ctx = dma_kind_as_ctx,
	.destroy = dma_kind_destroy,
	.configure = dma_kind_configure,
	.alloc_task = dma_kind_alloc_task,
};
