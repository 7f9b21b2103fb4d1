/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <stdlib.h>
#include <string.h>

#include "core/log.h"

CORE_LOG_REGISTER(UROM::SERVICE_WELCOME);

_Static_assert(sizeof(doca_cpu_set_t) == WIRE_CPUSET_SIZE, "a set of processors has another size");

/* Is it one that a worker can be asked for with, and that no other of the list has? */
static bool is_plausible(const struct doca_urom_service *service, const struct wire_plugin *plugin)
{
	bool is_one_bit = plugin->id != 0 && (plugin->id & (plugin->id - 1)) == 0;

	if (!is_one_bit || plugin->id >= UINT64_C(1) << UROMH_MAX_PLUGINS || plugin->name.len == 0)
		return false;
	for (size_t i = 0; i < service->num_plugins; i++) {
		if (service->plugins[i].id == plugin->id)
			return false;
	}
	return true;
}

static void add_plugin(struct doca_urom_service *service, const struct wire_plugin *plugin)
{
	struct doca_urom_service_plugin_info *info;

	if (!is_plausible(service, plugin)) {
		DOCA_LOG_WARN("plugin \"%.*s\" with id 0x%lx of the daemon is left out",
			      (int)plugin->name.len, (const char *)plugin->name.data,
			      (unsigned long)plugin->id);
		return;
	}
	info = &service->plugins[service->num_plugins++];
	info->id = plugin->id;
	info->version = plugin->version;
	memcpy(info->plugin_name, plugin->name.data, plugin->name.len);
}

doca_error_t uromh_service_take_welcome(struct doca_urom_service *service,
					const struct chan_message *message)
{
	struct wire_welcome welcome;
	struct wire_plugin plugin;

	if (chan_message_decode(message, &welcome) != DOCA_SUCCESS || welcome.magic != WIRE_MAGIC ||
	    welcome.version < WIRE_VERSION_MIN || welcome.version > WIRE_VERSION_MAX) {
		DOCA_LOG_ERR("the daemon's WELCOME cannot be read; it is no UROM daemon, or one "
			     "that is broken: check host and port in the service file");
		return DOCA_ERROR_CONNECTION_ABORTED;
	}
	if (welcome.max_message < service->max_message) {
		DOCA_LOG_ERR(
		    "messages of %u bytes are more than the daemon's %u; start it with -m %u",
		    service->max_message, welcome.max_message, service->max_message);
		return DOCA_ERROR_INVALID_VALUE;
	}
	service->plugins = calloc(UROMH_MAX_PLUGINS, sizeof(*service->plugins));
	if (service->plugins == NULL) {
		DOCA_LOG_ERR("no memory for the list of plugins; start the service again when this "
			     "machine has some");
		return DOCA_ERROR_NO_MEMORY;
	}
	pthread_mutex_lock(&service->lock);
	memcpy(&service->cpuset, welcome.cpuset, sizeof(service->cpuset));
	pthread_mutex_unlock(&service->lock);
	while (service->num_plugins < UROMH_MAX_PLUGINS &&
	       wire_list_next(&welcome.plugins, &wire_plugin_message, &plugin))
		add_plugin(service, &plugin);
	DOCA_LOG_INFO("session %lu with daemon %.*s: %zu plugins", (unsigned long)welcome.session,
		      (int)welcome.daemon_version.len, (const char *)welcome.daemon_version.data,
		      service->num_plugins);
	return DOCA_SUCCESS;
}
