/* SPDX-License-Identifier: BSD-3-Clause */

/* What a submit looks at, and what becomes of the bufs at the end. */

#include "rdma/rdma.h"

#include "core/buf.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mmap.h"
#include "rdma/provider.h"

CORE_LOG_REGISTER(RDMA::TASK);

/* Which bufs a kind has, and where they are. */
enum place {
	PLACE_NONE,
	PLACE_LOCAL,
	PLACE_REMOTE,
};

static const struct kind_shape {
	enum place src;
	enum place dst;
	uint32_t rights; /* that the context has by the book */
} shapes[] = {
	[DRDMA_RECEIVE] = { PLACE_NONE, PLACE_LOCAL, 0 },
	[DRDMA_SEND] = { PLACE_LOCAL, PLACE_NONE, 0 },
	[DRDMA_SEND_IMM] = { PLACE_LOCAL, PLACE_NONE, 0 },
	[DRDMA_READ] = { PLACE_REMOTE, PLACE_LOCAL, DOCA_ACCESS_FLAG_RDMA_READ },
	[DRDMA_WRITE] = { PLACE_LOCAL, PLACE_REMOTE, DOCA_ACCESS_FLAG_RDMA_WRITE },
	[DRDMA_WRITE_IMM] = { PLACE_LOCAL, PLACE_REMOTE, DOCA_ACCESS_FLAG_RDMA_WRITE },
};

_Static_assert(CORE_ARRAY_LEN(shapes) == DRDMA_NUM_KINDS, "a shape for each kind");

static doca_error_t refuse(const struct drdma_task *task, const char *role, const char *why,
			   doca_error_t error)
{
	DOCA_LOG_ERR("%s task: the %s %s", drdma_kind_names[task->kind], role, why);
	return error;
}

/* a + b, or the largest size: a sum of lengths that the application made up must not wrap. */
static size_t add_sizes(size_t a, size_t b)
{
	return a <= SIZE_MAX - b ? a + b : SIZE_MAX;
}

static doca_error_t check_local(const struct doca_rdma *rdma, const struct drdma_task *task,
				const struct doca_buf *list, const char *role, uint32_t max_len)
{
	uint32_t count = 0;

	if (list != NULL && !list->is_first)
		return refuse(task, role, "is free or not the first of its list",
			      DOCA_ERROR_INVALID_VALUE);
	for (const struct doca_buf *buf = list; buf != NULL; buf = buf->next) {
		const struct doca_mmap *mmap = buf->mmap;

		if (mmap->is_from_export)
			return refuse(task, role, "is in an imported mmap",
				      DOCA_ERROR_INVALID_VALUE);
		if (!core_mmap_has_dev(mmap, rdma->dev))
			return refuse(task, role, "is in a mmap without this device",
				      DOCA_ERROR_INVALID_VALUE);
		if (++count > max_len)
			return refuse(task, role, "is too long a list", DOCA_ERROR_INVALID_VALUE);
	}
	return DOCA_SUCCESS;
}

static doca_error_t check_writable(const struct drdma_task *task)
{
	for (const struct doca_buf *buf = task->dst; buf != NULL; buf = buf->next) {
		if ((buf->mmap->permissions & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0)
			return refuse(task, "destination", "is in a mmap without local write",
				      DOCA_ERROR_NOT_PERMITTED);
	}
	return DOCA_SUCCESS;
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

static doca_error_t set_len(const struct doca_rdma *rdma, struct drdma_task *task, size_t len)
{
	if (len > rdma->provider->caps.max_message_size)
		return refuse(task, "data", "is more than a message can be",
			      DOCA_ERROR_INVALID_VALUE);
	task->len = (uint32_t)len;
	return DOCA_SUCCESS;
}

/* at: where in the imported range the access begins; the target checks it all again. */
static doca_error_t set_remote(const struct doca_rdma *rdma, struct drdma_task *task,
			       const struct doca_buf *buf, const char *role, const char *at)
{
	const struct doca_mmap *mmap;

	task->has_remote = buf != NULL;
	if (buf == NULL)
		return task->len == 0 ? DOCA_SUCCESS
				      : refuse(task, role, "is not set", DOCA_ERROR_INVALID_VALUE);
	mmap = buf->mmap;
	if (!buf->is_first || !mmap->is_from_export)
		return refuse(task, role, "is not in an imported mmap", DOCA_ERROR_INVALID_VALUE);
	if (!core_mmap_has_dev(mmap, rdma->dev))
		return refuse(task, role, "was imported on another device",
			      DOCA_ERROR_INVALID_VALUE);
	task->key_index = mmap->remote.key.index;
	task->key_tag = mmap->remote.key.tag;
	task->remote_addr = (uintptr_t)at;
	return DOCA_SUCCESS;
}

/* The connection's own state is the provider's to look at. */
static doca_error_t check_conn(const struct doca_rdma *rdma, const struct drdma_task *task)
{
	if (task->conn == NULL)
		return refuse(task, "connection", "is not set", DOCA_ERROR_INVALID_VALUE);
	if (task->conn->rdma != rdma)
		return refuse(task, "connection", "is of another context",
			      DOCA_ERROR_INVALID_VALUE);
	if (task->conn->record.conn_id != task->conn_id)
		return refuse(task, "connection", "has ended", DOCA_ERROR_BAD_STATE);
	return DOCA_SUCCESS;
}

static doca_error_t prepare_receive(const struct doca_rdma *rdma, struct drdma_task *task)
{
	const uint32_t max = rdma->provider->caps.max_message_size;
	doca_error_t result =
	    check_local(rdma, task, task->dst, "destination", rdma->config.receive_list_len);
	size_t room = list_room(task->dst);

	if (result == DOCA_SUCCESS)
		result = check_writable(task);
	task->len = room < max ? (uint32_t)room : max;
	return result;
}

static doca_error_t prepare_source(const struct doca_rdma *rdma, struct drdma_task *task)
{
	doca_error_t result =
	    check_local(rdma, task, task->src, "source", rdma->config.send_list_len);

	return result == DOCA_SUCCESS ? set_len(rdma, task, list_data(task->src)) : result;
}

static doca_error_t prepare_write(const struct doca_rdma *rdma, struct drdma_task *task)
{
	const struct doca_buf *dst = task->dst;
	doca_error_t result = prepare_source(rdma, task);

	if (result != DOCA_SUCCESS)
		return result;
	result = set_remote(rdma, task, dst, "destination",
			    dst != NULL ? dst->data + dst->data_len : NULL);
	if (result == DOCA_SUCCESS && dst != NULL && core_buf_room(dst) < task->len)
		return refuse(task, "destination", "has too little room", DOCA_ERROR_INVALID_VALUE);
	return result;
}

static doca_error_t prepare_read(const struct doca_rdma *rdma, struct drdma_task *task)
{
	const struct doca_buf *src = task->src;
	doca_error_t result =
	    check_local(rdma, task, task->dst, "destination", rdma->config.send_list_len);

	if (result == DOCA_SUCCESS)
		result = check_writable(task);
	if (result == DOCA_SUCCESS)
		result = set_len(rdma, task, src != NULL ? src->data_len : 0);
	if (result == DOCA_SUCCESS)
		result = set_remote(rdma, task, src, "source", src != NULL ? src->data : NULL);
	if (result == DOCA_SUCCESS && list_room(task->dst) < task->len)
		return refuse(task, "destination", "has too little room", DOCA_ERROR_INVALID_VALUE);
	return result;
}

/* Says once what DOCA documents and its samples leave out. It is no fault: the target decides. */
static void tell_rights(struct doca_rdma *rdma, enum drdma_kind kind)
{
	const uint32_t rights = shapes[kind].rights;

	if ((rights & ~(rdma->config.permissions | rdma->told_rights)) == 0)
		return;
	rdma->told_rights |= rights;
	DOCA_LOG_INFO("rdma context %p: its own permissions have nothing for a %s task, which is "
		      "not needed here but documented",
		      (void *)rdma, drdma_kind_names[kind]);
}

doca_error_t drdma_task_prepare(struct doca_rdma *rdma, struct drdma_task *task)
{
	const struct kind_shape *shape = &shapes[task->kind];
	doca_error_t result;

	tell_rights(rdma, task->kind);
	task->has_remote = false;
	if (task->kind == DRDMA_RECEIVE)
		return prepare_receive(rdma, task);
	result = check_conn(rdma, task);
	if (result != DOCA_SUCCESS)
		return result;
	if (shape->src == PLACE_REMOTE)
		return prepare_read(rdma, task);
	if (shape->dst == PLACE_REMOTE)
		return prepare_write(rdma, task);
	return prepare_source(rdma, task);
}

/* Enters what was put into a list into its data lengths. */
static void account(struct doca_buf *dst, size_t len)
{
	for (; len > 0 && dst != NULL; dst = dst->next) {
		size_t room = core_buf_room(dst);
		size_t put = room < len ? room : len;

		dst->data_len += put;
		len -= put;
	}
}

static void finish(struct drdma_task *task)
{
	bool has_data = task->kind == DRDMA_READ ||
			(task->kind == DRDMA_RECEIVE &&
			 task->result_opcode != DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);

	if (task->result == DOCA_SUCCESS && has_data)
		account(task->dst, task->result_len);
	core_task_complete(&task->base, task->result);
}

void drdma_tasks_finish(struct drdma_queue *finished)
{
	struct doca_task *task;

	while ((task = STAILQ_FIRST(finished)) != NULL) {
		STAILQ_REMOVE_HEAD(finished, link);
		finish(drdma_from_task(task));
	}
}

doca_error_t drdma_set_conf(struct doca_rdma *rdma, enum drdma_kind kind,
			    doca_task_completion_cb_t success_cb,
			    doca_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	const uint32_t max =
	    kind == DRDMA_RECEIVE ? rdma->provider->caps.max_receives : DRDMA_MAX_TASKS;

	return core_pool_configure(&rdma->pools[kind], success_cb, error_cb, num_tasks, max);
}

doca_error_t drdma_task_alloc(struct doca_rdma *rdma, enum drdma_kind kind,
			      union doca_data user_data, struct drdma_task **task)
{
	struct doca_task *base;
	doca_error_t result = core_pool_get(&rdma->pools[kind], user_data, &base);

	if (result != DOCA_SUCCESS)
		return result;
	*task = drdma_from_task(base);
	(*task)->kind = kind;
	(*task)->conn = NULL;
	(*task)->src = NULL;
	(*task)->dst = NULL;
	(*task)->imm = 0;
	(*task)->result_len = 0;
	(*task)->result_opcode = DOCA_RDMA_OPCODE_RECV_SEND;
	(*task)->result_imm = 0;
	(*task)->result_conn = NULL;
	return DOCA_SUCCESS;
}

bool drdma_task_is_settable(const void *public_task, const char *func)
{
	const struct drdma_task *task = public_task;

	if (task == NULL) {
		(void)core_null_argument(func); /* there is no way to return it */
		return false;
	}
	if (task->base.state == CORE_TASK_USER)
		return true;
	DOCA_LOG_ERR("%s: task %p is free or in flight", func, (const void *)task);
	return false;
}

void drdma_task_set_conn(struct drdma_task *task, struct doca_rdma_connection *conn)
{
	task->conn = conn;
	task->conn_id = conn != NULL ? conn->record.conn_id : 0;
}

bool drdma_task_is_there(const void *public_task, const char *func)
{
	if (public_task == NULL)
		(void)core_null_argument(func); /* there is no way to return it */
	return public_task != NULL;
}
