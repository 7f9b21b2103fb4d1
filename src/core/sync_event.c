/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/sync_event.h"

#include <stdlib.h>

#include "core/buf.h"
#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mmap.h"

CORE_LOG_REGISTER(CORE::SYNC_EVENT);

/* A buf that backs an event: whoever may update the event may update the memory. */
#define BUF_PERMISSIONS                                                   \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)

#define PUBLISHERS_HERE  ((unsigned int)CORE_SYNC_CPU | CORE_SYNC_REMOTE_NET)
#define SUBSCRIBERS_HERE ((unsigned int)CORE_SYNC_CPU)

static const char *const task_names[] = {
	[CORE_SYNC_GET] = "sync event get",
	[CORE_SYNC_NOTIFY_SET] = "sync event notify_set",
	[CORE_SYNC_NOTIFY_ADD] = "sync event notify_add",
	[CORE_SYNC_WAIT_EQ] = "sync event wait_eq",
	[CORE_SYNC_WAIT_NEQ] = "sync event wait_neq",
};
_Static_assert(CORE_ARRAY_LEN(task_names) == CORE_SYNC_NUM_KINDS, "a name for each kind");

doca_error_t doca_sync_event_create(struct doca_sync_event **event)
{
	struct doca_sync_event *created;

	if (event == NULL)
		return core_null_argument(__func__);
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_ctx_init(&created->base, &core_sync_event_ops);
	created->cell = &created->own_cell;
	STAILQ_INIT(&created->submitted);
	STAILQ_INIT(&created->waits);
	for (size_t i = 0; i < CORE_SYNC_NUM_KINDS; i++) {
		created->pools[i].ctx = &created->base;
		created->pools[i].name = task_names[i];
		created->pools[i].task_size = sizeof(struct core_sync_task);
	}
	*event = created;
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_destroy(struct doca_sync_event *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	if (core_ctx_check_idle(&event->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_IN_USE;
	core_ctx_fini(&event->base);
	for (size_t i = 0; i < CORE_SYNC_NUM_KINDS; i++)
		core_pool_fini(&event->pools[i]);
	for (unsigned int i = 0; i < event->num_devs; i++)
		core_dev_release(event->devs[i]);
	free(event->devs);
	free(event->blob);
	free(event);
	return DOCA_SUCCESS;
}

bool core_sync_event_is_started(const struct doca_sync_event *event)
{
	return __atomic_load_n(&event->is_started, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&event->base.state, __ATOMIC_ACQUIRE) != DOCA_CTX_STATE_IDLE;
}

void core_sync_event_begin(struct doca_sync_event *event)
{
	__atomic_store_n(&event->own_cell, 0, __ATOMIC_RELAXED);
	event->is_exported = false;
}

/* The check of a call that configures: not once it is started, in either mode. */
static doca_error_t check_settable(const struct doca_sync_event *event, const char *func)
{
	if (!event->is_started)
		return core_ctx_check_idle(&event->base, func);
	DOCA_LOG_ERR("%s: event %p is started", func, (const void *)event);
	return DOCA_ERROR_BAD_STATE;
}

/* Keeps a processor's device open for as long as the event is there. */
static doca_error_t event_hold(struct doca_sync_event *event, struct doca_dev *dev)
{
	struct doca_dev **devs =
	    reallocarray(event->devs, event->num_devs + 1, sizeof(struct doca_dev *));

	if (devs == NULL)
		return DOCA_ERROR_NO_MEMORY;
	event->devs = devs;
	devs[event->num_devs++] = dev;
	core_dev_hold(dev);
	return DOCA_SUCCESS;
}

static doca_error_t add_location(struct doca_sync_event *event, unsigned int *locations,
				 enum core_sync_location location, const char *func)
{
	doca_error_t result = check_settable(event, func);

	if (result == DOCA_SUCCESS)
		*locations |= location;
	return result;
}

static doca_error_t add_cpu(struct doca_sync_event *event, unsigned int *locations,
			    struct doca_dev *dev, const char *func)
{
	doca_error_t result = check_settable(event, func);

	if (result == DOCA_SUCCESS)
		result = event_hold(event, dev);
	if (result == DOCA_SUCCESS)
		*locations |= CORE_SYNC_CPU;
	return result;
}

doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev)
{
	if (event == NULL || dev == NULL)
		return core_null_argument(__func__);
	return add_cpu(event, &event->publishers, dev, __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev)
{
	doca_error_t result;

	if (event == NULL || dev == NULL)
		return core_null_argument(__func__);
	result = add_cpu(event, &event->subscribers, dev, __func__);
	if (result == DOCA_SUCCESS && (event->subscriber_dev == NULL ||
				       event->subscriber_dev->info.kind != CORE_DEV_SOFTWARE))
		event->subscriber_dev = dev;
	return result;
}

doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->publishers, CORE_SYNC_REMOTE_NET, __func__);
}

/* The others are taken, as the interface has it, and refused by start. */

doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->publishers, CORE_SYNC_REMOTE_PCI, __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->subscribers, CORE_SYNC_REMOTE_PCI, __func__);
}

doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa)
{
	if (event == NULL || dpa == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->publishers, CORE_SYNC_DPA, __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa)
{
	if (event == NULL || dpa == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->subscribers, CORE_SYNC_DPA, __func__);
}

doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu)
{
	if (event == NULL || gpu == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->publishers, CORE_SYNC_GPU, __func__);
}

doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu)
{
	if (event == NULL || gpu == NULL)
		return core_null_argument(__func__);
	return add_location(event, &event->subscribers, CORE_SYNC_GPU, __func__);
}

static bool is_aligned(const void *addr)
{
	return (uintptr_t)addr % sizeof(uint64_t) == 0;
}

doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr)
{
	doca_error_t result;

	if (event == NULL || addr == NULL)
		return core_null_argument(__func__);
	result = check_settable(event, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (!is_aligned(addr)) {
		DOCA_LOG_ERR("event %p: %p is not aligned to 8 bytes", (void *)event, (void *)addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	event->cell = addr;
	return DOCA_SUCCESS;
}

static doca_error_t check_buf(const struct doca_buf *buf)
{
	const char *why = NULL;

	/* The mmap of a free one may be gone, so that comes first. */
	if (buf->is_first && buf->mmap->is_from_export) {
		DOCA_LOG_ERR("the buf of a sync event is in an imported mmap");
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (!buf->is_first || buf->next != NULL)
		why = "is free or in a list";
	else if (buf->data_len != sizeof(uint64_t) || !is_aligned(buf->data))
		why = "has not exactly 8 aligned bytes of data";
	else if ((buf->mmap->permissions & BUF_PERMISSIONS) != BUF_PERMISSIONS)
		why = "is in a mmap that lacks local, RDMA or atomic access";
	if (why == NULL)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("the buf of a sync event %s", why);
	return DOCA_ERROR_NOT_PERMITTED;
}

doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf)
{
	doca_error_t result;

	if (event == NULL || buf == NULL)
		return core_null_argument(__func__);
	result = check_settable(event, __func__);
	if (result == DOCA_SUCCESS)
		result = check_buf(buf);
	if (result == DOCA_SUCCESS)
		event->cell = (uint64_t *)(void *)buf->data;
	return result;
}

doca_error_t core_sync_event_check(const struct doca_sync_event *event)
{
	if (event->publishers == 0 || event->subscribers == 0) {
		DOCA_LOG_ERR("event %p has no %s location", (const void *)event,
			     event->publishers == 0 ? "publisher" : "subscriber");
		return DOCA_ERROR_BAD_STATE;
	}
	if ((event->publishers & ~PUBLISHERS_HERE) != 0 ||
	    (event->subscribers & ~SUBSCRIBERS_HERE) != 0) {
		DOCA_LOG_ERR("event %p has a DPA, a GPU or a remote PCI location",
			     (const void *)event);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_start(struct doca_sync_event *event)
{
	doca_error_t result;

	if (event == NULL)
		return core_null_argument(__func__);
	if (event->mode == CORE_SYNC_MODE_CTX || event->is_started) {
		DOCA_LOG_ERR("event %p is %s", (void *)event,
			     event->is_started ? "started already" : "used as a context");
		return DOCA_ERROR_BAD_STATE;
	}
	result = core_sync_event_check(event);
	if (result != DOCA_SUCCESS)
		return result;
	event->mode = CORE_SYNC_MODE_SELF;
	core_sync_event_begin(event);
	__atomic_store_n(&event->is_started, true, __ATOMIC_RELEASE);
	return DOCA_SUCCESS;
}

doca_error_t doca_sync_event_stop(struct doca_sync_event *event)
{
	if (event == NULL)
		return core_null_argument(__func__);
	if (event->mode == CORE_SYNC_MODE_CTX) {
		DOCA_LOG_ERR("event %p is used as a context: doca_ctx_stop() stops it",
			     (void *)event);
		return DOCA_ERROR_BAD_STATE;
	}
	__atomic_store_n(&event->is_started, false, __ATOMIC_RELEASE);
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event)
{
	if (event == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	if (event->mode == CORE_SYNC_MODE_SELF) {
		DOCA_LOG_ERR("event %p was started by doca_sync_event_start(): it is no context",
			     (void *)event);
		return NULL;
	}
	event->mode = CORE_SYNC_MODE_CTX;
	return &event->base;
}
