/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/worker.h"

#include <stdlib.h>

#include "core/log.h"

CORE_LOG_REGISTER(UROM::WORKER_CMD);

/*
 * A command in flight has a slot; the number that travels is the slot's index below its generation,
 * which changes with each use. So an answer to a task that was flushed, or a wrong one, meets
 * nobody.
 */

#define NO_SLOT UINT32_MAX

static void on_done(struct doca_task *base, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct doca_urom_worker_cmd_task *task = uromh_cmd_from_base(base);

	task->cb(task, task_user_data, ctx_user_data);
}

static doca_error_t make_slots(struct doca_urom_worker *worker)
{
	struct uromh_slot *slots;

	if (worker->num_slots == worker->max_inflight)
		return DOCA_SUCCESS;
	slots = calloc(worker->max_inflight, sizeof(*slots));
	if (slots == NULL) {
		DOCA_LOG_ERR("no memory for %u commands in flight", worker->max_inflight);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (uint32_t i = 0; i < worker->max_inflight; i++)
		slots[i].next_free = i + 1 < worker->max_inflight ? i + 1 : NO_SLOT;
	free(worker->slots);
	worker->slots = slots;
	worker->num_slots = worker->max_inflight;
	worker->first_free = 0;
	return DOCA_SUCCESS;
}

doca_error_t uromh_cmds_prepare(struct doca_urom_worker *worker)
{
	doca_error_t result = make_slots(worker);

	for (size_t i = 0; i < UROMH_NUM_POOLS && result == DOCA_SUCCESS; i++) {
		struct core_pool *pool = &worker->pools[i];
		bool is_resized = pool->num_filled != worker->max_inflight;

		if (is_resized && pool->num_out == 0)
			core_pool_visit(pool, uromh_cmd_task_fini);
		result = core_pool_configure(pool, on_done, on_done, worker->max_inflight,
					     UROMH_MAX_INFLIGHT);
		if (result == DOCA_SUCCESS && (i == 0 || pool->num_filled > 0))
			result = core_pool_fill(pool);
	}
	return result;
}

void uromh_cmds_fini(struct doca_urom_worker *worker)
{
	uint32_t num_out = 0;

	for (size_t i = 0; i < UROMH_NUM_POOLS; i++) {
		num_out += worker->pools[i].num_out;
		core_pool_visit(&worker->pools[i], uromh_cmd_task_fini);
		core_pool_fini(&worker->pools[i]);
	}
	if (num_out > 0)
		DOCA_LOG_WARN("worker %p is destroyed with %u command tasks that were not released",
			      (void *)worker, num_out);
	free(worker->slots);
}

static uint64_t take_slot(struct doca_urom_worker *worker, struct doca_urom_worker_cmd_task *task)
{
	uint32_t index = worker->first_free;
	struct uromh_slot *slot = &worker->slots[index];

	worker->first_free = slot->next_free;
	slot->task = task;
	slot->generation++;
	task->slot = index;
	worker->num_inflight++;
	TAILQ_INSERT_TAIL(&worker->flights, task, flight);
	return (uint64_t)slot->generation << 32 | index;
}

static void put_slot(struct doca_urom_worker *worker, struct doca_urom_worker_cmd_task *task)
{
	struct uromh_slot *slot = &worker->slots[task->slot];

	TAILQ_REMOVE(&worker->flights, task, flight);
	slot->task = NULL;
	slot->next_free = worker->first_free;
	worker->first_free = task->slot;
	worker->num_inflight--;
}

static doca_error_t refuse(const struct doca_urom_worker_cmd_task *task, doca_error_t error,
			   const char *why)
{
	DOCA_LOG_ERR("command task %p is not submitted: %s", (const void *)task, why);
	return error;
}

static doca_error_t check(const struct doca_urom_worker *worker,
			  const struct doca_urom_worker_cmd_task *task)
{
	if (task->cb == NULL)
		return refuse(task, DOCA_ERROR_INVALID_VALUE, "it has no callback");
	if ((task->plugin & worker->plugins) == 0 || (task->plugin & (task->plugin - 1)) != 0)
		return refuse(task, DOCA_ERROR_NOT_SUPPORTED, "the worker has no such plugin");
	if (task->payload.data_len + UROMH_COMMAND_OVERHEAD > worker->max_message)
		return refuse(task, DOCA_ERROR_INVALID_VALUE,
			      "its payload and 24 bytes are over the largest message");
	if (worker->phase != UROMH_ATTACHED)
		return refuse(task, DOCA_ERROR_CONNECTION_RESET, "the worker is gone");
	return DOCA_SUCCESS;
}

doca_error_t uromh_cmds_submit(struct doca_ctx *ctx, struct doca_task *base, uint32_t flags)
{
	struct doca_urom_worker *worker = uromh_worker_from_ctx(ctx);
	struct doca_urom_worker_cmd_task *task = uromh_cmd_from_base(base);
	doca_error_t result = check(worker, task);
	struct wire_command command = {
		.plugin = task->plugin,
		.payload = { task->payload.data, (uint32_t)task->payload.data_len },
	};
	(void)flags;

	if (result != DOCA_SUCCESS)
		return result;
	/* The application's own bound: no fault, so no line. */
	if (worker->num_inflight == worker->num_slots)
		return DOCA_ERROR_AGAIN;
	command.context = take_slot(worker, task);
	result = chan_send(worker->conn, WIRE_COMMAND, 0, &command);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	put_slot(worker, task);
	return refuse(task, result, doca_error_get_descr(result));
}

/* The task that a notification is for; NULL: it has ended. */
static struct doca_urom_worker_cmd_task *find_task(const struct doca_urom_worker *worker,
						   uint64_t context)
{
	uint32_t index = (uint32_t)context;
	const struct uromh_slot *slot;

	if (index >= worker->num_slots)
		return NULL;
	slot = &worker->slots[index];
	return slot->generation == (uint32_t)(context >> 32) ? slot->task : NULL;
}

doca_error_t uromh_cmds_notified(struct doca_urom_worker *worker,
				 const struct chan_message *message)
{
	struct doca_urom_worker_cmd_task *task;
	struct wire_notify notify;
	doca_error_t status;

	if (chan_message_decode(message, &notify) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	task = find_task(worker, notify.context);
	if (task == NULL) {
		DOCA_LOG_DBG("worker %lu: a notification for no command",
			     (unsigned long)worker->real_id);
		return DOCA_SUCCESS;
	}
	status = (doca_error_t)notify.status;
	if (notify.payload.len > task->capacity) {
		notify.payload.len = 0;
		status = DOCA_ERROR_TOO_BIG;
	}
	uromh_cmd_task_respond(task, notify.payload);
	put_slot(worker, task);
	core_task_complete(&task->base, status);
	return DOCA_SUCCESS;
}

void uromh_cmds_flush(struct doca_urom_worker *worker, doca_error_t status)
{
	const struct wire_bytes nothing = { NULL, 0 };
	struct doca_urom_worker_cmd_task *task;

	while ((task = TAILQ_FIRST(&worker->flights)) != NULL) {
		uromh_cmd_task_respond(task, nothing);
		put_slot(worker, task);
		core_task_complete(&task->base, status);
	}
}
