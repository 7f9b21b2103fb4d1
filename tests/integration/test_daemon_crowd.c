/* SPDX-License-Identifier: BSD-3-Clause */

/* Many hosts, many workers. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig_host.h"
#include "test.h"

#define NUM_WORKERS 600
#define AT_ONCE     20 /* each has its bound, also on a busy machine */
#define NUM_HOSTS   20
#define NUM_ROUNDS  60
#define NUM_PLUGINS 62

static struct daemon_rig rig;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, NULL, NULL);
	return status;
}

static int teardown(void **state)
{
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define CROWD_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A group's ids are more than the smallest of messages could hold. */
static void group_of_600_workers_has_600_ids(void **state)
{
	uint64_t *ids = calloc(NUM_WORKERS, sizeof(*ids));
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	assert_non_null(ids);
	rig_host_init(&host, &rig);
	for (unsigned int i = 0; i < NUM_WORKERS; i += AT_ONCE) {
		for (unsigned int j = i; j < i + AT_ONCE; j++) {
			/* Not in the order in which they will be told. */
			rig_start_init(&start, (j * 7 + 3) % NUM_WORKERS, NULL);
			start.start.has_group = true;
			start.start.group = 9;
			rig_host_send(&host, WIRE_WORKER_START, &start.start);
		}
		for (unsigned int j = i; j < i + AT_ONCE; j++)
			rig_host_receive(&host, WIRE_WORKER_STARTED, &started);
	}
	assert_int_equal(rig_host_get_group(&host, 9, ids, NUM_WORKERS), NUM_WORKERS);
	for (unsigned int i = 0; i < NUM_WORKERS; i++)
		assert_int_equal(ids[i], i);
	assert_int_equal(rig_host_get_group(&host, 0, ids, NUM_WORKERS), 0);
	rig_host_fini(&host);
	free(ids);
}

static void hosts_that_race_for_an_id_get_one_process(void **state)
{
	struct rig_host hosts[NUM_HOSTS];
	struct wire_worker_started started;
	uint64_t pid = 0, connections[NUM_HOSTS];
	struct rig_start start;

	(void)state;
	for (unsigned int i = 0; i < NUM_HOSTS; i++)
		rig_host_init(&hosts[i], &rig);
	for (unsigned int i = 0; i < NUM_HOSTS; i++) {
		rig_start_init(&start, 7, NULL);
		rig_host_send(&hosts[i], WIRE_WORKER_START, &start.start);
	}
	for (unsigned int i = 0; i < NUM_HOSTS; i++) {
		rig_host_receive(&hosts[i], WIRE_WORKER_STARTED, &started);
		pid = i == 0 ? started.pid : pid;
		assert_int_equal(started.pid, pid);
		connections[i] = started.connection;
		for (unsigned int j = 0; j < i; j++)
			assert_true(connections[i] != connections[j]);
	}
	for (unsigned int i = 0; i < NUM_HOSTS; i++)
		rig_host_fini(&hosts[i]);
	daemon_rig_wait_gone((pid_t)pid);
}

static unsigned int count_fds(void)
{
	char path[64];
	unsigned int count = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)rig.program.pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void do_round(unsigned int round)
{
	static const char *const modes[] = { NULL, "fail", "crash", "exit-early" };
	const char *mode = modes[round % 4];
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host host;

	rig_host_init(&host, &rig);
	rig_start_init(&start, UINT64_MAX, mode);
	if (mode == NULL) {
		rig_host_start(&host, &start, &started);
		rig_host_stop(&host, started.worker_id, started.connection);
	} else {
		rig_host_send(&host, WIRE_WORKER_START, &start.start);
		rig_host_receive(&host, WIRE_WORKER_REFUSED, &(struct wire_failure){ 0 });
	}
	rig_host_fini(&host);
}

/* Without sessions and workers a daemon has as many as it had at first, but for what its loop has
 * made for good with the first timer. */
static void nothing_is_left_of_what_has_ended(void **state)
{
	const uint64_t deadline = test_now_ns() + UINT64_C(20000000000);
	const unsigned int before = count_fds() + 1;

	(void)state;
	for (unsigned int i = 0; i < NUM_ROUNDS; i++)
		do_round(i);
	while (count_fds() > before) {
		if (test_now_ns() > deadline)
			fail_msg("%u descriptors are open, %u were", count_fds(), before);
	}
	daemon_rig_drop_log(&rig);
}

/* A file whose name is as long as a name may be, with ".so" behind it. */
static void add_plugin(unsigned int number)
{
	char name[128];
	FILE *file;

	(void)snprintf(name, sizeof(name), "plugins/p%02u_%.*s.so", number,
		       WIRE_MAX_PLUGIN_NAME - 4,
		       "0123456789012345678901234567890123456789012345678901234567890");
	file = fopen(daemon_rig_path(&rig, name), "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
}

static void host_is_offered_as_many_plugins_as_there_are_ids(void **state)
{
	struct wire_worker_started started;
	struct wire_bytes plugins;
	struct wire_plugin plugin;
	uint64_t ids = 0;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	/* The rig has two. */
	for (unsigned int i = 0; i < NUM_PLUGINS - 1; i++)
		add_plugin(i);
	rig_host_init(&host, &rig);
	plugins = host.welcome.plugins;
	for (unsigned int i = 0; i < NUM_PLUGINS; i++) {
		assert_true(wire_list_next(&plugins, &wire_plugin_message, &plugin));
		assert_int_equal(plugin.name.len, i < 2 ? 1 : WIRE_MAX_PLUGIN_NAME);
		assert_true((plugin.id & (plugin.id - 1)) == 0);
		assert_true((ids & plugin.id) == 0);
		ids |= plugin.id;
	}
	assert_false(wire_list_next(&plugins, &wire_plugin_message, &plugin));
	assert_true(ids == (UINT64_C(1) << NUM_PLUGINS) - 1);
	daemon_rig_take_log(&rig, "62");
	rig_start_init(&start, 7, NULL);
	start.start.plugins = ids;
	rig_host_start(&host, &start, &started);
	rig_host_fini(&host);
	daemon_rig_wait_gone((pid_t)started.pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CROWD_TEST(group_of_600_workers_has_600_ids),
		CROWD_TEST(hosts_that_race_for_an_id_get_one_process),
		CROWD_TEST(host_is_offered_as_many_plugins_as_there_are_ids),
		CROWD_TEST(nothing_is_left_of_what_has_ended),
	};

	return cmocka_run_group_tests_name("daemon_crowd", tests, NULL, NULL);
}
