/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/dispatch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/worker/notify.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER::DISPATCH);

#define COMMAND_HEADER sizeof(struct urom_worker_cmd)
_Static_assert(COMMAND_HEADER == 24, "what message limits count for a command");

/*
 * Zeros behind a command. A plugin that reads an optional handle from behind the last one finds
 * none there: UCX takes zeros for its handle of nothing.
 */
#define TAIL_BYTES 64

/* The one block that the plugin is going to free. NULL: no memory. */
static struct urom_worker_cmd_desc *make_desc(const struct uromw_host *host,
					      const struct wire_command *command)
{
	const size_t len = command->payload.len;
	struct urom_worker_cmd_desc *desc = malloc(sizeof(*desc) + len + TAIL_BYTES);

	if (desc == NULL)
		return NULL;
	desc->dest_id = host->connection;
	desc->worker_cmd.type = command->plugin;
	desc->worker_cmd.len = len;
	if (len > 0)
		memcpy(desc->worker_cmd.plugin_cmd, command->payload.data, len);
	memset(desc->worker_cmd.plugin_cmd + len, 0, TAIL_BYTES);
	return desc;
}

static void free_left(ucs_list_link_t *commands)
{
	struct urom_worker_cmd_desc *desc, *next;

	ucs_list_for_each_safe (desc, next, commands, entry)
		free(desc);
}

/* What a plugin has not taken, or not accepted. */
static void end_refused(struct uromw_worker *worker, struct uromw_plugin *plugin,
			uint64_t urom_context, doca_error_t result)
{
	if (result == DOCA_SUCCESS) {
		result = DOCA_ERROR_UNEXPECTED;
		if (uromw_plugin_count(&plugin->num_breaches))
			DOCA_LOG_WARN("plugin %s: worker_cmd takes no command from its list, and "
				      "gives no error; %" PRIu64 " such things so far",
				      plugin->name, plugin->num_breaches);
	}
	DOCA_LOG_DBG("plugin %s refuses a command: %s", plugin->name, doca_error_get_name(result));
	/* Many plugins have a notification with the same error ready, and some have none. */
	(void)uromw_notify_collect(worker, plugin);
	uromw_notify_status(worker, urom_context, result);
}

static void run(struct uromw_worker *worker, struct uromw_plugin *plugin,
		struct urom_worker_cmd_desc *desc)
{
	const uint64_t urom_context = desc->worker_cmd.urom_context;
	doca_error_t result;
	UCS_LIST_HEAD(commands);

	/* One a call, so that it is clear which one an error is about. */
	ucs_list_add_tail(&commands, &desc->entry);
	result = uromw_plugin_command(plugin, &commands);
	if (result == DOCA_SUCCESS && ucs_list_is_empty(&commands))
		return;
	uromw_plugin_enter(plugin, WIRE_CALL_LISTS);
	free_left(&commands);
	uromw_watch_end();
	end_refused(worker, plugin, urom_context, result);
}

/* Errors: for the host. FULL, NO_MEMORY. */
static doca_error_t begin(struct uromw_worker *worker, struct uromw_host *host,
			  struct uromw_plugin *plugin, const struct wire_command *command,
			  uint64_t id)
{
	const struct uromw_command entry = {
		.host = host,
		.plugin = plugin,
		.context = command->context,
		.id = id,
	};
	struct urom_worker_cmd_desc *desc = make_desc(host, command);
	doca_error_t result;

	if (desc == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result =
	    uromw_outstanding_add(&worker->outstanding, &entry, &desc->worker_cmd.urom_context);
	if (result != DOCA_SUCCESS) {
		free(desc);
		return result;
	}
	run(worker, plugin, desc);
	return DOCA_SUCCESS;
}

doca_error_t uromw_dispatch(struct uromw_worker *worker, struct uromw_host *host,
			    const struct chan_message *message)
{
	struct uromw_plugin *plugin;
	struct wire_command command;
	struct wire_notify refusal;
	doca_error_t result = chan_message_decode(message, &command);

	if (result != DOCA_SUCCESS)
		return result;
	if (command.payload.len > host->max_message - COMMAND_HEADER)
		return DOCA_ERROR_CONNECTION_ABORTED;
	worker->wait.has_traffic = true;
	plugin = uromw_plugin_find(worker, command.plugin);
	result = plugin != NULL ? begin(worker, host, plugin, &command, message->id)
				: DOCA_ERROR_NOT_SUPPORTED;
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	DOCA_LOG_DBG("host %" PRIu64 ": a command for plugin 0x%" PRIx64 " is refused: %s",
		     host->connection, command.plugin, doca_error_get_name(result));
	refusal = (struct wire_notify){
		.plugin = command.plugin,
		.context = command.context,
		.status = result,
	};
	uromw_notify_send(worker, host, message->id, &refusal);
	return DOCA_SUCCESS;
}
