/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/notify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/worker/attach.h"
#include "urom/worker/link.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER::NOTIFY);

#define NOTIFY_HEADER sizeof(struct urom_worker_notify)
_Static_assert(NOTIFY_HEADER == 32, "what message limits count for a notification");

void uromw_notify_send(struct uromw_worker *worker, struct uromw_host *host, uint64_t id,
		       const struct wire_notify *record)
{
	doca_error_t result = chan_send(host->conn->chan_conn, WIRE_NOTIFY, id, record);

	/* Of a connection that is lost the channel tells by itself. */
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_RESET)
		return;
	if (result == DOCA_ERROR_FULL) {
		DOCA_LOG_WARN("host %" PRIu64 ": does not read, and answers of more than %" PRIu64
			      " bytes wait for it; it is disconnected",
			      host->connection, worker->options.max_unread);
		uromw_link_tell_deaf(worker, host->connection);
	} else {
		DOCA_LOG_ERR("host %" PRIu64
			     ": a notification cannot be sent (%s); it is disconnected",
			     host->connection, doca_error_get_name(result));
	}
	uromw_attach_drop(worker, host);
}

/* Sends the end of a command; the command is gone on return. */
static void end_command(struct uromw_worker *worker, struct uromw_command *command,
			struct wire_notify *record)
{
	struct uromw_host *host = command->host;
	const uint64_t id = command->id;

	record->plugin = command->plugin->id;
	record->context = command->context;
	uromw_outstanding_remove(&worker->outstanding, command);
	uromw_notify_send(worker, host, id, record);
}

void uromw_notify_status(struct uromw_worker *worker, uint64_t urom_context, doca_error_t status)
{
	struct uromw_command *command = uromw_outstanding_find(&worker->outstanding, urom_context);
	struct wire_notify record = { .status = status };

	if (command != NULL)
		end_command(worker, command, &record);
}

static void warn_of_breach(struct uromw_plugin *plugin, const char *what, doca_error_t result)
{
	if (uromw_plugin_count(&plugin->num_breaches))
		DOCA_LOG_WARN("plugin %s: %s (%s); %" PRIu64 " such things so far", plugin->name,
			      what, doca_error_get_name(result), plugin->num_breaches);
}

/*
 * Has the plugin pack a notification for a host with that message limit. Errors: TOO_BIG.
 * UNEXPECTED: the plugin has written too much, or says so. Those of notif_pack.
 */
static doca_error_t pack(struct uromw_worker *worker, struct uromw_plugin *plugin, size_t limit,
			 struct urom_worker_notify *notification, struct wire_notify *record)
{
	struct urom_worker_notify header;
	size_t len = limit;
	doca_error_t result;

	/* Before the call: there are plugins that do not look at the room that they have. */
	if (notification->len > limit - NOTIFY_HEADER)
		return DOCA_ERROR_TOO_BIG;
	uromw_room_mark(&worker->packed, limit);
	result = uromw_plugin_pack(plugin, notification, &len, worker->packed.bytes);
	if (!uromw_room_is_intact(&worker->packed, limit)) {
		warn_of_breach(plugin, "notif_pack writes more than there is room for",
			       DOCA_ERROR_UNEXPECTED);
		return DOCA_ERROR_UNEXPECTED;
	}
	if (result != DOCA_SUCCESS) {
		warn_of_breach(plugin, "notif_pack failed", result);
		return result;
	}
	if (len < NOTIFY_HEADER || len > limit) {
		warn_of_breach(plugin, "notif_pack gives a length that cannot be",
			       DOCA_ERROR_UNEXPECTED);
		return DOCA_ERROR_UNEXPECTED;
	}
	memcpy(&header, worker->packed.bytes, NOTIFY_HEADER);
	record->status = header.status;
	record->payload.data = worker->packed.bytes + NOTIFY_HEADER;
	record->payload.len = (uint32_t)(len - NOTIFY_HEADER);
	return DOCA_SUCCESS;
}

/* A notification for which there is no command. */
static void drop_stray(struct uromw_worker *worker, struct uromw_plugin *plugin,
		       const struct urom_worker_notif_desc *desc)
{
	const struct uromw_host *host = uromw_conns_find_host(&worker->conns, desc->dest_id);

	/* That hosts go plugins are not told. */
	if (host == NULL || host->conn == NULL || host->conn->state != UROMW_CONN_ATTACHED) {
		DOCA_LOG_DBG("plugin %s: a notification for host %" PRIu64 ", which is gone",
			     plugin->name, desc->dest_id);
		return;
	}
	if (uromw_plugin_count(&plugin->num_strays))
		DOCA_LOG_WARN(
		    "plugin %s: a notification for host %" PRIu64
		    " that answers no command of it, or a second time, is dropped; %" PRIu64
		    " so far",
		    plugin->name, desc->dest_id, plugin->num_strays);
}

static void deliver(struct uromw_worker *worker, struct uromw_plugin *plugin,
		    struct urom_worker_notif_desc *desc)
{
	struct urom_worker_notify *notification = &desc->worker_notif;
	struct uromw_command *command =
	    uromw_outstanding_find(&worker->outstanding, notification->urom_context);
	struct wire_notify record = { 0 };
	doca_error_t result;

	if (command == NULL || command->plugin != plugin ||
	    command->host->connection != desc->dest_id) {
		drop_stray(worker, plugin, desc);
		return;
	}
	result = pack(worker, plugin, command->host->max_message, notification, &record);
	if (result != DOCA_SUCCESS)
		record.status = result;
	end_command(worker, command, &record);
}

/* Whatever progress gives: what it has left in the list counts. */
static void look_at_result(struct uromw_plugin *plugin, doca_error_t result)
{
	if (result == plugin->progress_result)
		return;
	plugin->progress_result = result;
	if (result != DOCA_SUCCESS && result != DOCA_ERROR_EMPTY)
		warn_of_breach(plugin, "progress gives an error", result);
}

bool uromw_notify_collect(struct uromw_worker *worker, struct uromw_plugin *plugin)
{
	struct urom_worker_notif_desc *desc, *next;
	UCS_LIST_HEAD(list);

	look_at_result(plugin, uromw_plugin_progress(plugin, &list));
	if (ucs_list_is_empty(&list))
		return false;
	worker->wait.has_traffic = true;
	/* What is in the list may be anything but what was allocated for it. */
	uromw_plugin_enter(plugin, WIRE_CALL_LISTS);
	ucs_list_for_each_safe (desc, next, &list, entry) {
		deliver(worker, plugin, desc);
		/* Not a new call: a list that leads back to itself would never be late. */
		uromw_watch_again(plugin->bit, WIRE_CALL_LISTS);
		free(desc);
	}
	uromw_watch_end();
	return true;
}
