/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A command is written straight into the payload of its task, and the callback of the caller waits
 * in the task's user area, so a loopback allocates nothing. The task is released when it is done.
 */
#include "urom_graph.h"

#include <doca_buf.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_urom.h>

#include "worker_graph.h"

DOCA_LOG_REGISTER(UROM::GRAPH);

/* What the API promises for the user area of a task. */
#define USER_AREA_BYTES 32

static uint64_t graph_id;

/* In the user area. */
struct loopback {
	union doca_data cookie;
	urom_graph_loopback_finished finished;
};

_Static_assert(sizeof(struct loopback) <= USER_AREA_BYTES, "it fits into the user area");

doca_error_t urom_graph_init(uint64_t plugin_id, uint64_t version)
{
	if (version != UROM_WORKER_GRAPH_VERSION) {
		DOCA_LOG_ERR("the plugin of the service has version %llu, this program's has %u",
			     (unsigned long long)version, UROM_WORKER_GRAPH_VERSION);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	graph_id = plugin_id;
	return DOCA_SUCCESS;
}

/* What a worker sends is not trusted. */
static doca_error_t read_response(struct doca_urom_worker_cmd_task *task, uint64_t *data)
{
	struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
	const struct urom_worker_graph_notify *notify;
	doca_error_t result;
	size_t len;
	void *bytes;

	result = doca_buf_get_data(response, &bytes);
	if (result == DOCA_SUCCESS)
		result = doca_buf_get_data_len(response, &len);
	if (result != DOCA_SUCCESS)
		return result;
	notify = bytes;
	if (len != sizeof(*notify) || notify->type != UROM_WORKER_NOTIFY_GRAPH_LOOPBACK) {
		DOCA_LOG_ERR("an answer of %zu bytes that is none to a loopback", len);
		return DOCA_ERROR_UNEXPECTED;
	}
	*data = notify->loopback.data;
	return DOCA_SUCCESS;
}

static void on_completed(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	const struct loopback *user_area = doca_urom_worker_cmd_task_get_user_data(task);
	struct loopback loopback = *user_area;
	uint64_t data = 0;
	doca_error_t result;

	(void)task_user_data;
	(void)ctx_user_data;
	result = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
	if (result == DOCA_SUCCESS)
		result = read_response(task, &data);
	/* Before the caller is told, so that it can send the next one in its callback. */
	(void)doca_urom_worker_cmd_task_release(task);
	loopback.finished(result, loopback.cookie, data);
}

static doca_error_t write_command(struct doca_urom_worker_cmd_task *task, uint64_t data)
{
	struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
	struct urom_worker_graph_cmd *cmd;
	doca_error_t result;
	void *bytes;
	size_t room;

	result = doca_buf_get_data(payload, &bytes);
	if (result == DOCA_SUCCESS)
		result = doca_buf_get_data_len(payload, &room);
	if (result != DOCA_SUCCESS)
		return result;
	if (room < sizeof(*cmd))
		return DOCA_ERROR_TOO_BIG;
	cmd = bytes;
	cmd->type = UROM_WORKER_CMD_GRAPH_LOOPBACK;
	cmd->loopback.data = data;
	return doca_buf_set_data(payload, cmd, sizeof(*cmd));
}

doca_error_t urom_graph_task_loopback(struct doca_urom_worker *worker_ctx, union doca_data cookie,
				      uint64_t data, urom_graph_loopback_finished cb)
{
	struct doca_urom_worker_cmd_task *task;
	struct loopback *loopback;
	doca_error_t result;

	if (cb == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_urom_worker_cmd_task_allocate_init(worker_ctx, graph_id, &task);
	if (result != DOCA_SUCCESS)
		return result;
	loopback = doca_urom_worker_cmd_task_get_user_data(task);
	*loopback = (struct loopback){ .cookie = cookie, .finished = cb };
	doca_urom_worker_cmd_task_set_cb(task, on_completed);

	result = write_command(task, data);
	if (result == DOCA_SUCCESS)
		result = doca_task_submit(doca_urom_worker_cmd_task_as_task(task));
	if (result != DOCA_SUCCESS)
		(void)doca_urom_worker_cmd_task_release(task);
	return result;
}
