/* SPDX-License-Identifier: BSD-3-Clause */

/* The files that workers write to: how they begin anew, and which of them are removed. */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin_dir.h"
#include "test.h"
#include "urom/daemon/workers/worker_log.h"

static struct plugin_dir dir;
static struct uromd_log_store store;

static int setup(void **state)
{
	int status = test_begin(state);

	plugin_dir_init(&dir, "urom_worker_log");
	assert_success(uromd_log_store_init(&store, dir.path, 2));
	return status;
}

static int teardown(void **state)
{
	uromd_log_store_fini(&store);
	plugin_dir_fini(&dir);
	return test_end(state);
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const char *path_of(pid_t pid, const char *suffix)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "urom_worker_%d_dev.log%s", (int)pid, suffix);
	return plugin_dir_path(&dir, name);
}

static off_t size_of(const char *path)
{
	struct stat found;

	return lstat(path, &found) == 0 ? found.st_size : -1;
}

static void begin(struct uromd_worker_log *log, pid_t pid)
{
	assert_success(uromd_worker_log_open(&store, geteuid(), log));
	assert_success(uromd_worker_log_name(&store, pid));
}

static void append(const struct uromd_worker_log *log, const char *text)
{
	assert_int_equal(write(log->fd, text, strlen(text)), strlen(text));
}

static void check_text(const char *path, const char *expected)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	assert_string_equal(text, expected);
}

static void what_was_there_is_kept_beside_it(void **state)
{
	struct uromd_worker_log log = { .is_open = false };

	(void)state;
	begin(&log, 7);
	append(&log, "one\n");
	assert_int_equal(uromd_worker_log_look(&log), 4);
	assert_success(uromd_worker_log_cut(&store, &log, 7));
	append(&log, "two\n");
	check_text(path_of(7, ""), "two\n");
	check_text(path_of(7, ".1"), "one\n");
	assert_success(uromd_worker_log_cut(&store, &log, 7));
	check_text(path_of(7, ".1"), "two\n");
	uromd_worker_log_end(&store, &log, 7);
}

static void only_the_end_of_a_long_one_is_kept(void **state)
{
	struct uromd_worker_log log = { .is_open = false };
	char last[8] = "";
	int fd;

	(void)state;
	begin(&log, 7);
	assert_int_equal(ftruncate(log.fd, 64 << 20), 0);
	append(&log, "last\n");
	assert_success(uromd_worker_log_cut(&store, &log, 7));
	assert_int_equal(size_of(path_of(7, "")), 0);
	assert_int_equal(size_of(path_of(7, ".1")), UROMD_LOG_TAIL);
	fd = open(path_of(7, ".1"), O_RDONLY);
	assert_int_equal(pread(fd, last, 5, UROMD_LOG_TAIL - 5), 5);
	close(fd);
	assert_string_equal(last, "last\n");
	uromd_worker_log_end(&store, &log, 7);
}

/* A folder cannot be replaced: the end is lost, and the log is cut all the same. */
static void what_cannot_be_kept_is_lost(void **state)
{
	struct uromd_worker_log log = { .is_open = false };

	(void)state;
	begin(&log, 7);
	append(&log, "one\n");
	assert_int_equal(mkdir(path_of(7, ".1"), 0755), 0);
	assert_int_not_equal(uromd_worker_log_cut(&store, &log, 7), DOCA_SUCCESS);
	assert_int_equal(size_of(path_of(7, "")), 0);
	uromd_worker_log_end(&store, &log, 7);
	assert_int_equal(rmdir(path_of(7, ".1")), 0);
}

static void without_a_process_no_file_is_left(void **state)
{
	struct uromd_worker_log log = { .is_open = false };

	(void)state;
	assert_success(uromd_worker_log_open(&store, geteuid(), &log));
	uromd_worker_log_drop(&store, &log);
	assert_int_equal(rmdir(dir.path), 0); /* it is empty */
	assert_int_equal(mkdir(dir.path, 0755), 0);
	uromd_worker_log_drop(&store, &log);
}

static void run_one(pid_t pid)
{
	struct uromd_worker_log log = { .is_open = false };

	begin(&log, pid);
	append(&log, "x");
	assert_success(uromd_worker_log_cut(&store, &log, pid));
	uromd_worker_log_end(&store, &log, pid);
}

static void oldest_of_too_many_goes_with_what_was_before_it(void **state)
{
	(void)state;
	run_one(3);
	run_one(1);
	run_one(2);
	assert_int_equal(size_of(path_of(3, "")), -1);
	assert_int_equal(size_of(path_of(3, ".1")), -1);
	assert_int_equal(size_of(path_of(1, "")), 0);
	assert_int_equal(size_of(path_of(2, ".1")), 1);
	assert_int_equal(store.num_removed, 1);
	assert_int_equal(store.num_ended, 2);
}

/* The same pid once more: the file is the new process's, and is not removed as the old one's. */
static void pid_that_comes_again_has_a_new_log(void **state)
{
	struct uromd_worker_log log = { .is_open = false };

	(void)state;
	run_one(1);
	begin(&log, 1);
	assert_int_equal(size_of(path_of(1, ".1")), -1);
	run_one(2);
	run_one(3);
	run_one(4);
	assert_int_equal(size_of(path_of(1, "")), 0);
	uromd_worker_log_end(&store, &log, 1);
}

static void logs_of_an_earlier_daemon_are_found(void **state)
{
	static const char *const others[] = { "urom_worker_x_dev.log", "urom_worker_9_dev.logs",
					      "urom_daemon_dev.log" };
	struct uromd_log_store second;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		plugin_dir_write(&dir, others[i], "x", 1);
	run_one(1);
	run_one(2);
	assert_success(uromd_log_store_init(&second, dir.path, 1));
	assert_int_equal(second.num_removed, 1);
	assert_int_equal(size_of(path_of(1, "")), -1);
	assert_int_equal(size_of(path_of(2, "")), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(size_of(plugin_dir_path(&dir, others[i])), 1);
	uromd_log_store_fini(&second);
}

/* Two daemons may log to one place. */
static void log_that_a_process_has_open_is_not_removed(void **state)
{
	struct uromd_worker_log log = { .is_open = false };
	struct uromd_log_store second;

	(void)state;
	begin(&log, 1);
	assert_success(uromd_log_store_init(&second, dir.path, 0));
	assert_int_equal(second.num_removed, 0);
	assert_int_equal(size_of(path_of(1, "")), 0);
	uromd_worker_log_end(&store, &log, 1);
	uromd_log_store_fini(&second);
	assert_success(uromd_log_store_init(&second, dir.path, 0));
	assert_int_equal(second.num_removed, 1);
	uromd_log_store_fini(&second);
}

static void link_is_neither_followed_nor_taken_for_a_log(void **state)
{
	struct uromd_log_store second;

	(void)state;
	plugin_dir_write(&dir, "precious", "x", 1);
	assert_int_equal(symlink(plugin_dir_path(&dir, "precious"), path_of(1, "")), 0);
	assert_success(uromd_log_store_init(&second, dir.path, 0));
	assert_int_equal(second.num_removed, 0);
	uromd_log_store_fini(&second);
	run_one(1);
	assert_int_equal(size_of(plugin_dir_path(&dir, "precious")), 1);
}

static void without_a_directory_there_are_no_logs(void **state)
{
	struct uromd_worker_log log = { .is_open = false };
	struct uromd_log_store none;

	(void)state;
	assert_success(uromd_log_store_init(&none, NULL, 2));
	assert_error(uromd_worker_log_open(&none, geteuid(), &log), DOCA_ERROR_NOT_FOUND);
	assert_int_equal(uromd_worker_log_look(&log), 0);
	uromd_worker_log_end(&none, &log, 1);
	uromd_log_store_fini(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(what_was_there_is_kept_beside_it),
		LOG_TEST(only_the_end_of_a_long_one_is_kept),
		LOG_TEST(what_cannot_be_kept_is_lost),
		LOG_TEST(without_a_process_no_file_is_left),
		LOG_TEST(oldest_of_too_many_goes_with_what_was_before_it),
		LOG_TEST(pid_that_comes_again_has_a_new_log),
		LOG_TEST(logs_of_an_earlier_daemon_are_found),
		LOG_TEST(log_that_a_process_has_open_is_not_removed),
		LOG_TEST(link_is_neither_followed_nor_taken_for_a_log),
		LOG_TEST(without_a_directory_there_are_no_logs),
	};

	return cmocka_run_group_tests_name("daemon_worker_log", tests, NULL, NULL);
}
