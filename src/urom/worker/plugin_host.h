/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_PLUGIN_HOST_H_
#define UROMW_PLUGIN_HOST_H_

/*
 * A plugin in this process: its life, and the calls into it. All of them are made by the one
 * thread, and under the eyes of the watchdog.
 */

#include <stdbool.h>

#include <doca_urom_plugin.h>

#include "urom/worker/failure.h"
#include "urom/worker/watchdog.h"

/* Zeroed memory is none. It stays where it is from load to close: plugins keep &ctx. */
struct uromw_plugin {
	struct urom_worker_ctx ctx;
	uint64_t id;      /* one bit */
	unsigned int bit; /* its number */
	uint64_t version;
	char name[DOCA_UROM_PLUGIN_NAME_MAX_LEN]; /* its file without ".so" */
	bool is_open;

	void *addr; /* owned; NULL when it has none */
	size_t addr_len;

	/* How it wakes the worker; event_fd is -1 in one that has to be polled. */
	int event_fd; /* lent by the plugin */
	doca_error_t (*arm)(struct urom_worker_ctx *ctx);
	unsigned int num_refused_arms; /* AGAIN, one after the other */

	unsigned int num_outstanding; /* commands that no notification has ended yet */
	doca_error_t progress_result; /* what progress gave last */
	uint64_t num_strays;          /* notifications that belong to no command */
	uint64_t num_breaches;        /* of the contract, by other means */
};

/*
 * Loads a plugin's file, opens it and asks for its address and how it wakes.
 * path: of the file. id: one bit.
 * Errors: INITIALIZATION: the file cannot be loaded. NOT_SUPPORTED: it is no plugin.
 * UNSUPPORTED_VERSION: it is for a later interface. Those of its functions. failure says which
 * plugin, and what is wrong with it; nothing of it may be called any more.
 */
doca_error_t uromw_plugin_open(struct uromw_plugin *plugin, const char *path, uint64_t id,
			       struct uromw_failure *failure);

/* Closes it, if it is open. Its file stays loaded: threads of its own may be about to end. */
void uromw_plugin_close(struct uromw_plugin *plugin);

/* The watchdog's, and the daemon's, word for what is done with it until uromw_watch_end(). */
static inline void uromw_plugin_enter(const struct uromw_plugin *plugin, enum wire_call call)
{
	uromw_watch_begin(plugin->name, plugin->bit, call);
}

static inline doca_error_t uromw_plugin_command(struct uromw_plugin *plugin,
						ucs_list_link_t *commands)
{
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_WORKER_CMD);
	result = plugin->ctx.iface.worker_cmd(&plugin->ctx, commands);
	uromw_watch_end();
	return result;
}

static inline doca_error_t uromw_plugin_progress(struct uromw_plugin *plugin,
						 ucs_list_link_t *notifications)
{
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_PROGRESS);
	result = plugin->ctx.iface.progress(&plugin->ctx, notifications);
	uromw_watch_end();
	return result;
}

static inline doca_error_t uromw_plugin_pack(struct uromw_plugin *plugin,
					     struct urom_worker_notify *notification, size_t *len,
					     void *packed)
{
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_NOTIF_PACK);
	result = plugin->ctx.iface.notif_pack(notification, len, packed);
	uromw_watch_end();
	return result;
}

/* Whether a plugin lets the worker sleep. */
enum uromw_arm {
	UROMW_ARMED,  /* event_fd will tell */
	UROMW_BUSY,   /* progress first */
	UROMW_POLLED, /* for a short while: it does not tell */
};

/* Before each sleep. Thread: the worker's. */
enum uromw_arm uromw_plugin_arm(struct uromw_plugin *plugin);

/* From here on the plugin is polled; why: for the log. */
void uromw_plugin_poll(struct uromw_plugin *plugin, const char *why);

/*
 * Counts what a plugin should not have done, and tells whether the log is to hear of it: each time
 * there is twice as much of it.
 */
static inline bool uromw_plugin_count(uint64_t *counter)
{
	++*counter;
	return (*counter & (*counter - 1)) == 0;
}

#endif /* UROMW_PLUGIN_HOST_H_ */
