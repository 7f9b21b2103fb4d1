/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/plugins.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/daemon/plugins/probe.h"
#include "urom/daemon/plugins/scan.h"

DOCA_LOG_REGISTER(UROMD::PLUGINS);

struct uromd_plugins {
	char *worker_program;
	struct uromd_prober prober;
	struct uromd_scans *scans;
	struct uromd_plugin *table[UROMD_MAX_PLUGINS]; /* owned; of id 1 << n is the n-th */
	size_t num_table;
	const struct uromd_plugin *list[UROMD_MAX_PLUGINS];
	size_t num_list;
	struct uromd_complaints complaints; /* of the latest scan */
};

/* The name is part of what makes a plugin itself: one file may be there under two of them. */
static struct uromd_plugin *find_file(const struct uromd_plugins *plugins,
				      const struct uromd_found *found)
{
	for (size_t i = 0; i < plugins->num_table; i++) {
		struct uromd_plugin *plugin = plugins->table[i];

		if (strcmp(plugin->path, found->path) == 0 &&
		    strcmp(plugin->name, found->name) == 0)
			return plugin;
	}
	return NULL;
}

static struct uromd_plugin *plugin_create(struct uromd_plugins *plugins,
					  const struct uromd_found *found)
{
	struct uromd_plugin *plugin = calloc(1, sizeof(*plugin));
	char *path = strdup(found->path);

	if (plugin == NULL || path == NULL) {
		free(plugin);
		free(path);
		return NULL;
	}
	plugin->id = UINT64_C(1) << plugins->num_table;
	plugin->path = path;
	(void)snprintf(plugin->name, sizeof(plugin->name), "%s", found->name);
	plugins->table[plugins->num_table++] = plugin;
	return plugin;
}

static bool is_listed(const struct uromd_plugins *plugins, const struct uromd_found *found,
		      struct uromd_complaints *complaints)
{
	for (size_t i = 0; i < plugins->num_list; i++) {
		if (strcmp(plugins->list[i]->name, found->name) != 0)
			continue;
		uromd_complain(complaints, "plugins: %s is left out: %s has the same name",
			       found->path, plugins->list[i]->path);
		return true;
	}
	return false;
}

static void list(struct uromd_plugins *plugins, const struct uromd_found *found,
		 struct uromd_complaints *complaints)
{
	struct uromd_plugin *plugin = find_file(plugins, found);
	bool is_news = plugin == NULL || plugin->version != found->version;

	if (plugin == NULL && plugins->num_table == UROMD_MAX_PLUGINS) {
		uromd_complain(complaints,
			       "plugins: %s is left out: the ids are used up by %d plugins",
			       found->path, UROMD_MAX_PLUGINS);
		return;
	}
	if (plugin == NULL)
		plugin = plugin_create(plugins, found);
	if (plugin == NULL) {
		uromd_complain(complaints, "plugins: %s is left out: no memory", found->path);
		return;
	}
	plugin->version = found->version;
	plugins->list[plugins->num_list++] = plugin;
	if (is_news)
		DOCA_LOG_INFO("plugin %s: version %" PRIu64 ", id 0x%" PRIx64 ", %s", plugin->name,
			      plugin->version, plugin->id, plugin->path);
}

static void on_found(void *arg, const struct uromd_found *found, size_t num_found,
		     struct uromd_complaints *complaints)
{
	struct uromd_plugins *plugins = arg;

	plugins->num_list = 0;
	for (size_t i = 0; i < num_found; i++) {
		if (!is_listed(plugins, &found[i], complaints))
			list(plugins, &found[i], complaints);
	}
	uromd_complaints_log(complaints, &plugins->complaints);
	uromd_complaints_fini(&plugins->complaints);
	plugins->complaints = *complaints;
	*complaints = (struct uromd_complaints){ .texts = NULL };
}

doca_error_t uromd_plugins_create(sd_event *event, const char *search_path,
				  const char *worker_program, const struct uromd_account *account,
				  struct uromd_plugins **plugins)
{
	struct uromd_plugins *made = calloc(1, sizeof(*made));
	doca_error_t result = DOCA_ERROR_NO_MEMORY;

	if (made == NULL)
		return result;
	made->worker_program = strdup(worker_program);
	made->prober = (struct uromd_prober){ made->worker_program, *account };
	if (made->worker_program != NULL)
		result = uromd_scans_create(event, search_path != NULL ? search_path : "",
					    &made->prober, on_found, made, &made->scans);
	if (result != DOCA_SUCCESS) {
		uromd_plugins_destroy(made);
		return result;
	}
	*plugins = made;
	return DOCA_SUCCESS;
}

void uromd_plugins_destroy(struct uromd_plugins *plugins)
{
	if (plugins == NULL)
		return;
	uromd_scans_destroy(plugins->scans);
	for (size_t i = 0; i < plugins->num_table; i++) {
		free(plugins->table[i]->path);
		free(plugins->table[i]);
	}
	uromd_complaints_fini(&plugins->complaints);
	free(plugins->worker_program);
	free(plugins);
}

doca_error_t uromd_plugins_scan(struct uromd_plugins *plugins, void (*done)(void *arg), void *arg,
				struct uromd_scan **scan)
{
	return uromd_scan_begin(plugins->scans, done, arg, scan);
}

size_t uromd_plugins_count(const struct uromd_plugins *plugins)
{
	return plugins->num_list;
}

const struct uromd_plugin *uromd_plugins_at(const struct uromd_plugins *plugins, size_t n)
{
	return n < plugins->num_list ? plugins->list[n] : NULL;
}

const struct uromd_plugin *uromd_plugins_find(const struct uromd_plugins *plugins, uint64_t id)
{
	for (size_t i = 0; i < plugins->num_table; i++) {
		if (plugins->table[i]->id == id)
			return plugins->table[i];
	}
	return NULL;
}
