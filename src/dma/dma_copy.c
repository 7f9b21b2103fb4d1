/* SPDX-License-Identifier: BSD-3-Clause */
#include "dma/dma.h"

#include <string.h>

#include "core/buf.h"
#include "core/log.h"
#include "core/mmap.h"

CORE_LOG_REGISTER(DMA::COPY);

static doca_error_t list_refuse(const char *role, const char *why, doca_error_t error)
{
	DOCA_LOG_ERR("memcpy task: the %s %s", role, why);
	return error;
}

static doca_error_t check_element(const struct doca_dma *dma, const struct doca_buf *buf,
				  const char *role)
{
	const struct doca_mmap *mmap = buf->mmap;

	if (mmap == NULL)
		return list_refuse(role, "belongs to a task", DOCA_ERROR_INVALID_VALUE);
	if (mmap->is_from_export)
		return list_refuse(role, "is in an imported mmap", DOCA_ERROR_INVALID_VALUE);
	if (!mmap->is_started)
		return list_refuse(role, "is in a mmap that is not started", DOCA_ERROR_BAD_STATE);
	if (!core_mmap_has_dev(mmap, dma->dev))
		return list_refuse(role, "is in a mmap without this device",
				   DOCA_ERROR_INVALID_VALUE);
	return DOCA_SUCCESS;
}

static doca_error_t check_list(const struct doca_dma *dma, const struct doca_buf *list,
			       const char *role)
{
	unsigned int count = 0;

	if (list == NULL)
		return list_refuse(role, "is not set", DOCA_ERROR_INVALID_VALUE);
	if (!list->is_first)
		return list_refuse(role, "is free or not the first of its list",
				   DOCA_ERROR_INVALID_VALUE);
	for (const struct doca_buf *buf = list; buf != NULL; buf = buf->next) {
		doca_error_t result = check_element(dma, buf, role);

		if (result != DOCA_SUCCESS)
			return result;
		if (++count > DMA_MAX_BUF_LIST_LEN)
			return list_refuse(role, "is too long a list", DOCA_ERROR_INVALID_VALUE);
	}
	return DOCA_SUCCESS;
}

static doca_error_t check_writable(const struct doca_buf *list)
{
	for (const struct doca_buf *buf = list; buf != NULL; buf = buf->next) {
		if ((buf->mmap->permissions & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0)
			return list_refuse("destination", "is in a mmap without local write",
					   DOCA_ERROR_NOT_PERMITTED);
	}
	return DOCA_SUCCESS;
}

/* a + b, or the largest size: a sum of lengths that the application made up must not wrap. */
static size_t add_sizes(size_t a, size_t b)
{
	return a <= SIZE_MAX - b ? a + b : SIZE_MAX;
}

static size_t list_data(const struct doca_buf *list)
{
	size_t sum = 0;

	for (; list != NULL; list = list->next)
		sum = add_sizes(sum, list->data_len);
	return sum;
}

static size_t list_room(const struct doca_buf *list)
{
	size_t sum = 0;

	for (; list != NULL; list = list->next)
		sum = add_sizes(sum, core_buf_room(list));
	return sum;
}

/* What only shows in the contents: the task is taken, and fails in its turn. */
static const char *find_flaw(const struct doca_dma_task_memcpy *task)
{
	if (task->len == 0)
		return "the source has no data";
	if (list_room(task->dst) < task->len)
		return "the destination has too little room";
	return NULL;
}

doca_error_t dma_copy_prepare(const struct doca_dma *dma, struct doca_dma_task_memcpy *task,
			      uint32_t flags)
{
	doca_error_t result;

	result = check_list(dma, task->src, "source");
	if (result == DOCA_SUCCESS)
		result = check_list(dma, task->dst, "destination");
	if (result == DOCA_SUCCESS)
		result = check_writable(task->dst);
	if (result != DOCA_SUCCESS)
		return result;
	task->len = list_data(task->src);
	if (task->len > DMA_MAX_BUF_SIZE)
		return list_refuse("source", "is too big", DOCA_ERROR_INVALID_VALUE);
	task->flaw = find_flaw(task);
	if (task->flaw != NULL && (flags & CORE_SUBMIT_TRY) != 0) {
		DOCA_LOG_ERR("memcpy task: %s", task->flaw);
		return DOCA_ERROR_INVALID_VALUE;
	}
	task->is_begun = false; /* until then callbacks may still empty the destination */
	task->copy = (struct dma_copy){
		.src = task->src,
		.dst = task->dst,
		.left = task->len,
	};
	return DOCA_SUCCESS;
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Goes on to the next element where one is used up; false: there is none any more. */
static bool copy_refill(struct dma_copy *copy)
{
	for (; copy->have == 0; copy->src = copy->src->next) {
		if (copy->src == NULL)
			return false;
		copy->from = copy->src->data;
		copy->have = copy->src->data_len;
	}
	for (; copy->room == 0; copy->dst = copy->dst->next) {
		if (copy->dst == NULL)
			return false;
		copy->to = copy->dst->data + copy->dst->data_len;
		copy->room = core_buf_room(copy->dst);
	}
	return true;
}

/* Copies what lies in one piece on both sides, max at most. */
static size_t copy_piece(struct dma_copy *copy, size_t max)
{
	size_t len = min_size(min_size(copy->have, copy->room), min_size(copy->left, max));

	/* Source and destination may overlap: the application chose so, but it stays defined. */
	memmove(copy->to, copy->from, len);
	copy->from += len;
	copy->have -= len;
	copy->to += len;
	copy->room -= len;
	copy->left -= len;
	return len;
}

bool dma_copy_slice(struct doca_dma_task_memcpy *task)
{
	struct dma_copy copy = task->copy; /* a local one stays in registers */
	size_t max = DMA_SLICE_BYTES;

	if (!task->is_begun) {
		task->is_begun = true;
		task->flaw = find_flaw(task);
	}
	if (task->flaw != NULL)
		return true;
	while (copy.left > 0 && max > 0) {
		if (!copy_refill(&copy)) {
			/* The application changed them while they were in flight. */
			task->flaw = "its bufs hold less than they did at submit";
			return true;
		}
		max -= copy_piece(&copy, max);
	}
	task->copy = copy;
	return copy.left == 0;
}

void dma_copy_account(struct doca_buf *dst, size_t len)
{
	for (; len > 0 && dst != NULL; dst = dst->next) {
		size_t put = min_size(core_buf_room(dst), len);

		dst->data_len += put;
		len -= put;
	}
}
