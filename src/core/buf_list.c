/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Lists of bufs: singly linked, the first element knows the last. An element is its own first one
 * until it is chained behind another list, and again after it is unchained.
 */

#include "core/buf.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::BUF_LIST);

doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf)
{
	if (buf == NULL || next_buf == NULL)
		return core_null_argument(__func__);
	*next_buf = buf->next;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf)
{
	if (buf == NULL || last_buf == NULL)
		return core_null_argument(__func__);
	if (buf->is_first)
		buf = buf->tail;
	while (buf->next != NULL)
		buf = buf->next;
	*last_buf = buf;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last)
{
	if (buf == NULL || is_last == NULL)
		return core_null_argument(__func__);
	*is_last = buf->next == NULL;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first)
{
	if (buf == NULL || is_first == NULL)
		return core_null_argument(__func__);
	*is_first = buf->is_first;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list)
{
	if (buf == NULL || is_in_list == NULL)
		return core_null_argument(__func__);
	*is_in_list = !buf->is_first || buf->next != NULL;
	return DOCA_SUCCESS;
}

static doca_error_t list_refuse(const struct doca_buf *buf, const char *why, doca_error_t error)
{
	DOCA_LOG_ERR("buf %p: %s", (const void *)buf, why);
	return error;
}

doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements)
{
	uint32_t count = 0;

	if (buf == NULL || num_elements == NULL)
		return core_null_argument(__func__);
	if (!buf->is_first)
		return list_refuse(buf, "is not the first of its list", DOCA_ERROR_NOT_PERMITTED);
	for (; buf != NULL; buf = buf->next)
		count++;
	*num_elements = count;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
				      struct doca_buf *list2)
{
	if (list1_head == NULL || list1_tail == NULL || list2 == NULL)
		return core_null_argument(__func__);
	if (!list1_head->is_first)
		return list_refuse(list1_head, "is not the first of its list",
				   DOCA_ERROR_NOT_PERMITTED);
	if (!list2->is_first)
		return list_refuse(list2, "is not the first of its list", DOCA_ERROR_NOT_PERMITTED);
	if (list1_head == list2)
		return list_refuse(list2, "cannot be chained to itself", DOCA_ERROR_NOT_PERMITTED);
	if (list1_head->tail != list1_tail)
		return list_refuse(list1_tail, "is not the last of that list",
				   DOCA_ERROR_INVALID_VALUE);
	if (list2->refcount != 1)
		return list_refuse(list2, "has not exactly one reference",
				   DOCA_ERROR_NOT_PERMITTED);
	list1_tail->next = list2;
	list1_head->tail = list2->tail;
	list2->is_first = false;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	if (list1 == NULL || list2 == NULL)
		return core_null_argument(__func__);
	return doca_buf_chain_list_tail(list1, list1->tail, list2);
}

doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2)
{
	struct doca_buf *before = list1;

	if (list1 == NULL || list2 == NULL)
		return core_null_argument(__func__);
	while (before != NULL && before->next != list2)
		before = before->next;
	if (!list1->is_first || before == NULL)
		return list_refuse(list2, "is not behind the first of that list",
				   DOCA_ERROR_INVALID_VALUE);
	before->next = NULL;
	list2->tail = list1->tail;
	list2->is_first = true;
	list2->refcount = 1;
	list1->tail = before;
	return DOCA_SUCCESS;
}
