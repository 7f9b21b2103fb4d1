/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SCAN_RIG_H_
#define SCAN_RIG_H_

/*
 * The daemon's table of plugins in an event loop of the test's own, and directories for it. Plugins
 * are either real ones, for the real worker program, or shell scripts, for one that runs these.
 * What fails, fails the test.
 */

#include <stdbool.h>

#include "plugin_dir.h"
#include "urom/daemon/plugins/plugins.h"

#define SCAN_TEST(name) cmocka_unit_test_setup_teardown(name, scan_rig_setup, scan_rig_teardown)

/* A script that answers as a good plugin does. */
#define SCAN_ANSWER "echo plugin 1 0x3030000\n"

struct scan_rig {
	struct plugin_dir dir;          /* holds all the others */
	struct plugin_dir a;            /* "a:1" in it, for plugins; the first in the path */
	struct plugin_dir b;            /* "b", another one */
	char both[2 * PLUGIN_DIR_SIZE]; /* "a;b", as a path */
	char worker[PLUGIN_DIR_SIZE];   /* a program that takes plugins for shell scripts */
	sd_event *event;
	struct uromd_plugins *plugins;
};

/* One for all tests, made anew for each. */
extern struct scan_rig rig;

int scan_rig_setup(void **state);
int scan_rig_teardown(void **state);

/* Makes the table. Arguments as uromd_plugins_create() has them. */
void scan_rig_open(const char *search_path, const char *worker_program);

/* For directory a and the program for scripts. */
void scan_rig_open_a(void);

/* Destroys the table. No process of it is left behind. */
void scan_rig_close(void);

/* Writes a script into directory a, or b, where it is run. */
void scan_rig_add(const char *name, const char *script);
void scan_rig_add_b(const char *name, const char *script);

/* What a scan calls when it is done; arg: a bool that is false, and becomes true. */
void scan_rig_on_done(void *arg);

/* Begins a scan, and checks that it does not end within the call. is_done: false until it ends. */
struct uromd_scan *scan_rig_begin(bool *is_done);

/* Runs the loop until *flag, for 30 s at most. */
void scan_rig_wait(const bool *flag);

/* Runs the loop once, for 10 ms at most. */
void scan_rig_turn(void);

/* A whole scan. Returns: how many plugins are listed. */
size_t scan_rig_scan(void);

/* The plugin of that name, or NULL when it is not listed. */
const struct uromd_plugin *scan_rig_named(const char *name);

/* Fails unless just these are listed, in this order: names with spaces between them. */
void scan_rig_check(const char *names);

/* Two whole scans that both list these; the second one logs nothing. */
void scan_rig_scan_twice(const char *names);

#endif /* SCAN_RIG_H_ */
