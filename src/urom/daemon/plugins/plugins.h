/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_PLUGINS_H_
#define UROMD_PLUGINS_H_

/*
 * The plugins that the daemon offers: found in the directories of UROM_PLUGIN_PATH by a child
 * process, probed one by one in a child process each, and numbered for the daemon's life. Nothing
 * here waits: a scan is begun, and its end is told by the event loop. All of it is the loop's
 * thread's.
 */

#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include <doca_error.h>

/* Ids are the bits below; the two above them are not for plugins. */
#define UROMD_MAX_PLUGINS 62

/* Bytes of a name, its NUL included. */
#define UROMD_PLUGIN_NAME_SIZE 48

/* A plugin that was listed at least once. */
struct uromd_plugin {
	uint64_t id;                       /* one bit, for good */
	uint64_t version;                  /* as of the latest scan that listed it */
	char name[UROMD_PLUGIN_NAME_SIZE]; /* its file without ".so" */
	char *path;                        /* owned by the table: the file, without symlinks */
};

struct uromd_account;
struct uromd_plugins;
struct uromd_scan;

/*
 * Makes an empty table; nothing is scanned yet.
 * event: referenced. search_path: copied; directories between ';', NULL: none. worker_program:
 * copied; the path of the program whose --probe loads a plugin. account: who does, the daemon's own
 * or one that was looked up; what it refers to is borrowed. plugins: owned.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_plugins_create(sd_event *event, const char *search_path,
				  const char *worker_program, const struct uromd_account *account,
				  struct uromd_plugins **plugins);

/* Ends the probes and forgets the scans, whose done will not run. Accepts NULL. */
void uromd_plugins_destroy(struct uromd_plugins *plugins);

/*
 * Begins to look for plugins as they are now. Scans that overlap share what they can.
 * done: called once from the event loop, never within this call, at most 5 s later. scan: lent
 * until done is called, for uromd_scan_cancel(). Errors: as the system has them, NO_MEMORY among
 * them: done will not run. What is wrong with directories and files is no error.
 */
doca_error_t uromd_plugins_scan(struct uromd_plugins *plugins, void (*done)(void *arg), void *arg,
				struct uromd_scan **scan);

/* Forgets a scan that is not done; its done will not run. Accepts NULL. */
void uromd_scan_cancel(struct uromd_scan *scan);

/* The plugins that the latest finished scan has found, in the order of the search path. */
size_t uromd_plugins_count(const struct uromd_plugins *plugins);

/* The n-th of them, lent until uromd_plugins_destroy(); NULL behind the last. */
const struct uromd_plugin *uromd_plugins_at(const struct uromd_plugins *plugins, size_t n);

/* The plugin of an id, be it listed now or only once; lent as above. NULL: none has it. */
const struct uromd_plugin *uromd_plugins_find(const struct uromd_plugins *plugins, uint64_t id);

#endif /* UROMD_PLUGINS_H_ */
