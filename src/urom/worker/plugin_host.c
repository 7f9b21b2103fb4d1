/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/plugin_host.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>
#include <doca_version.h>

#include "urom/worker/domain_tables.h"
#include "urom/worker/room.h"

DOCA_LOG_REGISTER(UROM_WORKER::PLUGIN);

#define SUFFIX ".so"

/*
 * A plugin that was built for a later interface may fill in more than ours has, before its version
 * can be looked at.
 */
#define IFACE_ROOM 4096

/*
 * A plugin that is not ready to sleep that many times in a row is polled until it is: it may have
 * to look for something itself, and the worker is not to spin as long as that takes.
 */
#define MAX_REFUSED_ARMS 1000

typedef doca_error_t (*get_version_fn)(uint64_t *version);
typedef doca_error_t (*get_iface_fn)(struct urom_plugin_iface *iface);
typedef doca_error_t (*get_event_fd_fn)(struct urom_worker_ctx *ctx, int *fd);
typedef doca_error_t (*arm_event_fn)(struct urom_worker_ctx *ctx);

static void set_name(struct uromw_plugin *plugin, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	size_t len = strlen(name);

	if (len > strlen(SUFFIX) && strcmp(name + len - strlen(SUFFIX), SUFFIX) == 0)
		len -= strlen(SUFFIX);
	if (len >= sizeof(plugin->name))
		len = sizeof(plugin->name) - 1;
	memcpy(plugin->name, name, len);
	plugin->name[len] = '\0';
}

/* The function of that name; NULL when there is none. */
static void *find_symbol(void *library, const char *name)
{
	return dlsym(library, name);
}

static doca_error_t get_iface(struct uromw_plugin *plugin, get_iface_fn get,
			      struct uromw_failure *failure)
{
	union {
		struct urom_plugin_iface iface;
		char room[IFACE_ROOM];
	} filled = { .room = { 0 } };
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_GET_IFACE);
	result = get(&filled.iface);
	uromw_watch_end();
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result,
					 "plugin %s: urom_plugin_get_iface failed: %s",
					 plugin->name, doca_error_get_name(result));
	if (filled.iface.__doca_api_version > DOCA_VERSION_EXACT)
		return uromw_failure_set(failure, DOCA_ERROR_UNSUPPORTED_VERSION,
					 "plugin %s is for interface 0x%zx, this worker for 0x%zx "
					 "and before",
					 plugin->name, filled.iface.__doca_api_version,
					 DOCA_VERSION_EXACT);
	plugin->ctx.iface = filled.iface;
	return DOCA_SUCCESS;
}

/* All but addr have to be there. */
static doca_error_t check_iface(const struct uromw_plugin *plugin, struct uromw_failure *failure)
{
	const struct urom_plugin_iface *iface = &plugin->ctx.iface;
	const struct {
		const char *name;
		bool is_there;
	} functions[] = {
		{ "open", iface->open != NULL },
		{ "close", iface->close != NULL },
		{ "worker_cmd", iface->worker_cmd != NULL },
		{ "progress", iface->progress != NULL },
		{ "notif_pack", iface->notif_pack != NULL },
	};

	for (size_t i = 0; i < CORE_ARRAY_LEN(functions); i++) {
		if (!functions[i].is_there)
			return uromw_failure_set(failure, DOCA_ERROR_NOT_SUPPORTED,
						 "plugin %s has no function %s", plugin->name,
						 functions[i].name);
	}
	return DOCA_SUCCESS;
}

static doca_error_t get_version(struct uromw_plugin *plugin, get_version_fn get,
				struct uromw_failure *failure)
{
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_GET_VERSION);
	result = get(&plugin->version);
	uromw_watch_end();
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result,
					 "plugin %s: urom_plugin_get_version failed: %s",
					 plugin->name, doca_error_get_name(result));
	return DOCA_SUCCESS;
}

static doca_error_t load(struct uromw_plugin *plugin, const char *path, void **library,
			 struct uromw_failure *failure)
{
	union {
		void *symbol;
		get_iface_fn call;
	} iface;
	union {
		void *symbol;
		get_version_fn call;
	} version;
	doca_error_t result;

	/* Locally: the functions of all plugins have the same names. */
	uromw_plugin_enter(plugin, WIRE_CALL_LOAD);
	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uromw_watch_end();
	if (*library == NULL)
		return uromw_failure_set(failure, DOCA_ERROR_INITIALIZATION,
					 "plugin %s cannot be loaded: %s", plugin->name, dlerror());
	iface.symbol = find_symbol(*library, "urom_plugin_get_iface");
	version.symbol = find_symbol(*library, "urom_plugin_get_version");
	if (iface.symbol == NULL || version.symbol == NULL)
		return uromw_failure_set(failure, DOCA_ERROR_NOT_SUPPORTED,
					 "plugin %s is none: it has no %s", plugin->name,
					 iface.symbol == NULL ? "urom_plugin_get_iface"
							      : "urom_plugin_get_version");
	result = get_iface(plugin, iface.call, failure);
	if (result == DOCA_SUCCESS)
		result = check_iface(plugin, failure);
	if (result == DOCA_SUCCESS)
		result = get_version(plugin, version.call, failure);
	return result;
}

static doca_error_t call_addr(struct uromw_plugin *plugin, void *addr, size_t *len)
{
	doca_error_t result;

	uromw_plugin_enter(plugin, WIRE_CALL_ADDR);
	result = plugin->ctx.iface.addr(&plugin->ctx, addr, len);
	uromw_watch_end();
	return result;
}

/* Its address of that length, copied; NULL: it has not given what it has announced. */
static void *copy_addr(struct uromw_plugin *plugin, size_t *len)
{
	const size_t announced = *len;
	struct uromw_room room = { 0 };
	doca_error_t result = uromw_room_init(&room, announced);
	void *copy = NULL;

	if (result == DOCA_SUCCESS) {
		uromw_room_mark(&room, announced);
		result = call_addr(plugin, room.bytes, len);
	}
	if (result != DOCA_SUCCESS)
		DOCA_LOG_WARN("plugin %s: it does not give the address that it has announced: %s",
			      plugin->name, doca_error_get_name(result));
	else if (*len > announced || !uromw_room_is_intact(&room, announced))
		DOCA_LOG_WARN("plugin %s: its address is longer than the %zu bytes that it has "
			      "announced, and is not told to anybody",
			      plugin->name, announced);
	else
		copy = calloc(1, announced);
	if (copy != NULL)
		memcpy(copy, room.bytes, *len);
	uromw_room_fini(&room);
	return copy;
}

/* A plugin that has no address can be used all the same, only not by its like. */
static void get_addr(struct uromw_plugin *plugin)
{
	size_t len = 0;
	doca_error_t result;

	if (plugin->ctx.iface.addr == NULL)
		return;
	result = call_addr(plugin, NULL, &len);
	if (result != DOCA_ERROR_INVALID_VALUE || len == 0) {
		DOCA_LOG_DBG("plugin %s has no address: %s", plugin->name,
			     doca_error_get_name(result));
		return;
	}
	if (len > WIRE_MAX_PLUGIN_ADDR) {
		DOCA_LOG_WARN("plugin %s: its address of %zu bytes is over the limit of %u, and "
			      "is not told to anybody",
			      plugin->name, len, WIRE_MAX_PLUGIN_ADDR);
		return;
	}
	plugin->addr = copy_addr(plugin, &len);
	plugin->addr_len = plugin->addr != NULL ? len : 0;
}

static void get_event(struct uromw_plugin *plugin, void *library)
{
	union {
		void *symbol;
		get_event_fd_fn call;
	} get = { find_symbol(library, "urom_plugin_get_event_fd") };
	union {
		void *symbol;
		arm_event_fn call;
	} arm = { find_symbol(library, "urom_plugin_arm_event") };
	doca_error_t result;
	int fd = -1;

	if (get.symbol == NULL && arm.symbol == NULL)
		return;
	if (get.symbol == NULL || arm.symbol == NULL) {
		DOCA_LOG_WARN("plugin %s has only one of urom_plugin_get_event_fd and "
			      "urom_plugin_arm_event; it is polled",
			      plugin->name);
		return;
	}
	uromw_plugin_enter(plugin, WIRE_CALL_GET_EVENT_FD);
	result = get.call(&plugin->ctx, &fd);
	uromw_watch_end();
	if (result != DOCA_SUCCESS || fd < 0) {
		DOCA_LOG_DBG("plugin %s has no event descriptor: %s", plugin->name,
			     doca_error_get_name(result));
		return;
	}
	plugin->event_fd = fd;
	plugin->arm = arm.call;
}

doca_error_t uromw_plugin_open(struct uromw_plugin *plugin, const char *path, uint64_t id,
			       struct uromw_failure *failure)
{
	void *library;
	doca_error_t result;

	memset(plugin, 0, sizeof(*plugin));
	plugin->id = id;
	plugin->bit = (unsigned int)__builtin_ctzll(id);
	plugin->event_fd = -1;
	set_name(plugin, path);
	result = load(plugin, path, &library, failure);
	if (result != DOCA_SUCCESS)
		return result;
	plugin->ctx.domain_iface = uromw_domain_lookups;
	uromw_plugin_enter(plugin, WIRE_CALL_OPEN);
	result = plugin->ctx.iface.open(&plugin->ctx);
	uromw_watch_end();
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result, "plugin %s: open failed: %s",
					 plugin->name, doca_error_get_name(result));
	plugin->is_open = true;
	get_addr(plugin);
	get_event(plugin, library);
	DOCA_LOG_DBG("plugin %s: version %llu, id 0x%llx, %s", plugin->name,
		     (unsigned long long)plugin->version, (unsigned long long)id,
		     plugin->event_fd >= 0 ? "wakes the worker" : "is polled");
	return DOCA_SUCCESS;
}

void uromw_plugin_close(struct uromw_plugin *plugin)
{
	if (!plugin->is_open)
		return;
	uromw_plugin_enter(plugin, WIRE_CALL_CLOSE);
	plugin->ctx.iface.close(&plugin->ctx);
	uromw_watch_end();
	plugin->is_open = false;
	free(plugin->addr);
	plugin->addr = NULL;
	DOCA_LOG_DBG("plugin %s: closed", plugin->name);
}

void uromw_plugin_poll(struct uromw_plugin *plugin, const char *why)
{
	DOCA_LOG_WARN("plugin %s: %s; it is polled from now on", plugin->name, why);
	plugin->event_fd = -1;
}

enum uromw_arm uromw_plugin_arm(struct uromw_plugin *plugin)
{
	doca_error_t result;

	if (plugin->event_fd < 0)
		return UROMW_POLLED;
	uromw_plugin_enter(plugin, WIRE_CALL_ARM_EVENT);
	result = plugin->arm(&plugin->ctx);
	uromw_watch_end();
	if (result == DOCA_SUCCESS) {
		plugin->num_refused_arms = 0;
		return UROMW_ARMED;
	}
	if (result != DOCA_ERROR_AGAIN) {
		uromw_plugin_poll(plugin, "its event cannot be armed");
		return UROMW_POLLED;
	}
	if (plugin->num_refused_arms == MAX_REFUSED_ARMS)
		return UROMW_POLLED;
	plugin->num_refused_arms++;
	return UROMW_BUSY;
}
