/* SPDX-License-Identifier: BSD-3-Clause */
/* What is under a name that a user has given, and how it is read. */
#include "core/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugin_dir.h"
#include "test.h"

#define NOBODY 65534

static struct plugin_dir dir;
static const char *flaw;
static char *text;
static size_t len;

static int file_begin(void **state)
{
	plugin_dir_init(&dir, "test_file");
	flaw = NULL;
	text = NULL;
	len = 77;
	return test_begin(state);
}

static int file_end(void **state)
{
	free(text);
	plugin_dir_fini(&dir);
	return test_end(state);
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, file_begin, file_end)

static doca_error_t read_named(const char *path, size_t max)
{
	int fd = core_file_open(path, O_RDONLY, 0, &flaw);
	doca_error_t result;

	assert_true(fd >= 0);
	result = core_file_read(fd, max, &text, &len);
	close(fd);
	return result;
}

static const char *write_some(size_t size)
{
	char bytes[64];

	assert_true(size <= sizeof(bytes));
	memset(bytes, 'x', sizeof(bytes));
	plugin_dir_write(&dir, "some", bytes, size);
	return plugin_dir_path(&dir, "some");
}

static void file_is_read_whole_with_a_zero_behind_it(void **state)
{
	static const size_t sizes[] = { 0, 1, 63, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_success(read_named(write_some(sizes[i]), 64));
		assert_int_equal(len, sizes[i]);
		assert_int_equal(strlen(text), sizes[i]);
		free(text);
		text = NULL;
	}
	assert_null(flaw);
}

static void file_of_more_bytes_than_allowed_is_too_big(void **state)
{
	(void)state;
	assert_error(read_named(write_some(11), 10), DOCA_ERROR_TOO_BIG);
	assert_null(text);
	assert_int_equal(len, 77);
}

static void link_is_followed(void **state)
{
	const char *link = plugin_dir_path(&dir, "link");

	(void)state;
	assert_int_equal(symlink(write_some(5), link), 0);
	assert_success(read_named(link, 10));
	assert_int_equal(len, 5);
}

static void check_flaw(const char *path, int flags, const char *part)
{
	flaw = NULL;
	assert_int_equal(core_file_open(path, flags, 0600, &flaw), -1);
	assert_non_null(flaw);
	assert_non_null(strstr(flaw, part));
}

static void what_is_no_regular_file_is_left_alone_at_once(void **state)
{
	const char *pipe = plugin_dir_path(&dir, "pipe");

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	check_flaw(pipe, O_RDONLY, "it is no regular file");
	check_flaw(pipe, O_WRONLY | O_CREAT | O_APPEND, "it is no regular file");
	check_flaw(pipe, O_RDWR, "it is no regular file");
	check_flaw("/dev/zero", O_RDONLY, "it is no regular file");
	check_flaw("/dev/null", O_WRONLY, "it is no regular file");
	check_flaw(dir.path, O_RDONLY, "it is no regular file");
}

static void file_that_is_not_there_is_told(void **state)
{
	(void)state;
	check_flaw(plugin_dir_path(&dir, "none"), O_RDONLY, "No such file");
	check_flaw(plugin_dir_path(&dir, "none/either"), O_WRONLY | O_CREAT, "No such file");
}

static void file_that_may_not_be_read_is_told(void **state)
{
	const char *path = write_some(1);
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(chmod(dir.path, 0755), 0);
	assert_int_equal(chmod(path, 0), 0);
	(void)fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && seteuid(NOBODY) != 0)
			_exit(2);
		_exit(core_file_open(path, O_RDONLY, 0, &flaw) == -1 &&
			      strstr(flaw, "denied") != NULL
			  ? 0
			  : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void file_is_made_with_its_mode_and_kept_from_programs(void **state)
{
	const char *path = plugin_dir_path(&dir, "new");
	int fd = core_file_open(path, O_WRONLY | O_CREAT, 0600, &flaw);
	struct stat status;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(write(fd, "ab", 2), 2);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(file_is_read_whole_with_a_zero_behind_it),
		FILE_TEST(file_of_more_bytes_than_allowed_is_too_big),
		FILE_TEST(link_is_followed),
		FILE_TEST(what_is_no_regular_file_is_left_alone_at_once),
		FILE_TEST(file_that_is_not_there_is_told),
		FILE_TEST(file_that_may_not_be_read_is_told),
		FILE_TEST(file_is_made_with_its_mode_and_kept_from_programs),
	};

	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
