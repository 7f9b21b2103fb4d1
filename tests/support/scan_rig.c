/* SPDX-License-Identifier: BSD-3-Clause */
#include "scan_rig.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test.h"
#include "urom/daemon/process/account.h"

#define PATIENCE_NS UINT64_C(30000000000)
#define TURN_US     UINT64_C(10000)
#define NAMES_SIZE  8192

struct scan_rig rig;

static const char worker_script[] = "#!/bin/sh\n"
				    "[ \"$1\" = --probe ] && [ $# = 2 ] || exit 9\n"
				    "cd \"$(dirname \"$2\")\" || exit 9\n"
				    ". \"$2\"\n";

static void make_dir(struct plugin_dir *dir, const char *name)
{
	(void)snprintf(dir->path, sizeof(dir->path), "%s", plugin_dir_path(&rig.dir, name));
	assert_int_equal(mkdir(dir->path, 0700), 0);
}

int scan_rig_setup(void **state)
{
	plugin_dir_init(&rig.dir, "scan_rig");
	make_dir(&rig.a, "a:1");
	make_dir(&rig.b, "b");
	(void)snprintf(rig.both, sizeof(rig.both), "%s;%s", rig.a.path, rig.b.path);
	plugin_dir_write(&rig.dir, "worker", worker_script, sizeof(worker_script) - 1);
	(void)snprintf(rig.worker, sizeof(rig.worker), "%s", plugin_dir_path(&rig.dir, "worker"));
	assert_int_equal(chmod(rig.worker, 0755), 0);
	return test_begin(state);
}

int scan_rig_teardown(void **state)
{
	plugin_dir_fini(&rig.dir);
	return test_end(state);
}

void scan_rig_open(const char *search_path, const char *worker_program)
{
	const struct uromd_account own = uromd_account_own();

	assert_true(sd_event_new(&rig.event) >= 0);
	assert_success(
	    uromd_plugins_create(rig.event, search_path, worker_program, &own, &rig.plugins));
}

void scan_rig_open_a(void)
{
	scan_rig_open(rig.a.path, rig.worker);
}

void scan_rig_close(void)
{
	uromd_plugins_destroy(rig.plugins);
	rig.event = sd_event_unref(rig.event);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

void scan_rig_add(const char *name, const char *script)
{
	plugin_dir_write(&rig.a, name, script, strlen(script));
}

void scan_rig_add_b(const char *name, const char *script)
{
	plugin_dir_write(&rig.b, name, script, strlen(script));
}

void scan_rig_on_done(void *arg)
{
	bool *is_done = arg;

	assert_false(*is_done);
	*is_done = true;
}

struct uromd_scan *scan_rig_begin(bool *is_done)
{
	struct uromd_scan *scan;

	*is_done = false;
	assert_success(uromd_plugins_scan(rig.plugins, scan_rig_on_done, is_done, &scan));
	assert_false(*is_done);
	return scan;
}

void scan_rig_turn(void)
{
	assert_true(sd_event_run(rig.event, TURN_US) >= 0);
}

void scan_rig_wait(const bool *flag)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	while (!*flag && test_now_ns() < end_ns)
		scan_rig_turn();
	assert_true(*flag);
}

size_t scan_rig_scan(void)
{
	bool is_done;

	(void)scan_rig_begin(&is_done);
	scan_rig_wait(&is_done);
	return uromd_plugins_count(rig.plugins);
}

const struct uromd_plugin *scan_rig_named(const char *name)
{
	for (size_t i = 0; i < uromd_plugins_count(rig.plugins); i++) {
		const struct uromd_plugin *plugin = uromd_plugins_at(rig.plugins, i);

		if (strcmp(plugin->name, name) == 0)
			return plugin;
	}
	return NULL;
}

void scan_rig_check(const char *names)
{
	size_t count = uromd_plugins_count(rig.plugins);
	char listed[NAMES_SIZE] = "";

	for (size_t i = 0; i < count; i++) {
		const struct uromd_plugin *plugin = uromd_plugins_at(rig.plugins, i);

		assert_ptr_equal(uromd_plugins_find(rig.plugins, plugin->id), plugin);
		strcat(strcat(listed, i > 0 ? " " : ""), plugin->name);
		assert_true(strlen(listed) < sizeof(listed) - 2 * UROMD_PLUGIN_NAME_SIZE);
	}
	assert_null(uromd_plugins_at(rig.plugins, count));
	assert_string_equal(listed, names);
}

void scan_rig_scan_twice(const char *names)
{
	unsigned int num_logged;

	(void)scan_rig_scan();
	scan_rig_check(names);
	num_logged = test_num_logged();
	(void)scan_rig_scan();
	scan_rig_check(names);
	assert_int_equal(test_num_logged(), num_logged);
}
