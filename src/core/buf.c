/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/buf.h"

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::BUF);

doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount)
{
	if (buf == NULL || refcount == NULL)
		return core_null_argument(__func__);
	*refcount = buf->refcount;
	return DOCA_SUCCESS;
}

/* References count a list as a whole, by its first element. */
static doca_error_t check_counted(const struct doca_buf *buf)
{
	if (buf->refcount == 0) {
		DOCA_LOG_ERR("buf %p is free already", (const void *)buf);
		return DOCA_ERROR_BAD_STATE;
	}
	if (!buf->is_first) {
		DOCA_LOG_ERR("buf %p is inside a list: its first element is counted",
			     (const void *)buf);
		return DOCA_ERROR_NOT_PERMITTED;
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	doca_error_t result;

	if (buf == NULL)
		return core_null_argument(__func__);
	result = check_counted(buf);
	if (result != DOCA_SUCCESS)
		return result;
	if (buf->refcount == UINT16_MAX) {
		DOCA_LOG_ERR("buf %p has as many references as can be counted", (void *)buf);
		return DOCA_ERROR_TOO_BIG;
	}
	if (refcount != NULL)
		*refcount = buf->refcount;
	buf->refcount++;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount)
{
	doca_error_t result;
	struct doca_buf *next;

	if (buf == NULL)
		return core_null_argument(__func__);
	result = check_counted(buf);
	if (result != DOCA_SUCCESS)
		return result;
	if (refcount != NULL)
		*refcount = buf->refcount;
	if (buf->refcount > 1) {
		buf->refcount--;
		return DOCA_SUCCESS;
	}
	for (; buf != NULL; buf = next) {
		next = buf->next;
		core_buf_release(buf);
	}
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len)
{
	if (buf == NULL || len == NULL)
		return core_null_argument(__func__);
	*len = buf->len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head)
{
	if (buf == NULL || head == NULL)
		return core_null_argument(__func__);
	*head = buf->head;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len)
{
	if (buf == NULL || data_len == NULL)
		return core_null_argument(__func__);
	*data_len = buf->data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data)
{
	if (buf == NULL || data == NULL)
		return core_null_argument(__func__);
	*data = buf->data;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len)
{
	uintptr_t head, at;

	if (buf == NULL)
		return core_null_argument(__func__);
	head = (uintptr_t)buf->head;
	at = (uintptr_t)data;
	if (at < head || at - head > buf->len || data_len > buf->len - (at - head)) {
		DOCA_LOG_ERR("buf %p: data %p + %zu is outside %p + %zu", (void *)buf, data,
			     data_len, (void *)buf->head, buf->len);
		return DOCA_ERROR_INVALID_VALUE;
	}
	buf->data = data;
	buf->data_len = data_len;
	return DOCA_SUCCESS;
}

doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len)
{
	if (buf == NULL)
		return core_null_argument(__func__);
	return doca_buf_set_data(buf, buf->data, data_len);
}

doca_error_t doca_buf_reset_data_len(struct doca_buf *buf)
{
	if (buf == NULL)
		return core_null_argument(__func__);
	buf->data_len = 0;
	return DOCA_SUCCESS;
}
