/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_NOTIFY_H_
#define UROMW_NOTIFY_H_

/* From plugins to hosts. */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct uromw_host;
struct uromw_plugin;
struct uromw_worker;
struct wire_notify;

/*
 * Lets a plugin go on with its work, and sends what it has to tell; true when it had something.
 * Commands end, and hosts that cannot be told are disconnected.
 */
bool uromw_notify_collect(struct uromw_worker *worker, struct uromw_plugin *plugin);

/* Ends a command that its plugin will not: a status and no payload. urom_context: known or not. */
void uromw_notify_status(struct uromw_worker *worker, uint64_t urom_context, doca_error_t status);

/*
 * Sends a notification to a host that is attached, or disconnects it when it cannot be told.
 * id: of the command's exchange.
 */
void uromw_notify_send(struct uromw_worker *worker, struct uromw_host *host, uint64_t id,
		       const struct wire_notify *record);

#endif /* UROMW_NOTIFY_H_ */
