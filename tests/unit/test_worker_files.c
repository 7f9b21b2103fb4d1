/* SPDX-License-Identifier: BSD-3-Clause */
/* How many descriptors are left. */
#include "urom/worker/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test.h"

#define NUM_LEFT 5

/* Sets how many this process may have; returns what that was. */
static struct rlimit set_limit(rlim_t max)
{
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return before;
}

/* The number of the n-th descriptor that could be opened. */
static int find_free(unsigned int n)
{
	int fd = -1;

	while (n > 0) {
		fd++;
		if (fcntl(fd, F_GETFD) < 0)
			n--;
	}
	return fd;
}

static void as_many_can_be_opened_as_are_left(void **state)
{
	const struct rlimit before = set_limit((rlim_t)find_free(NUM_LEFT) + 1);
	struct uromw_files files;
	int fds[NUM_LEFT];

	(void)state;
	for (int i = 0; i < NUM_LEFT; i++) {
		uromw_files_count(&files);
		assert_int_equal(files.left, NUM_LEFT - i);
		fds[i] = dup(STDERR_FILENO);
		assert_true(fds[i] >= 0);
	}
	uromw_files_count(&files);
	assert_int_equal(files.left, 0);
	assert_int_equal(dup(STDERR_FILENO), -1);
	for (int i = 0; i < NUM_LEFT; i++)
		close(fds[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* The limit was lowered below what is open, whose numbers it does not concern. */
static void fewer_than_none_are_none(void **state)
{
	const struct rlimit before = set_limit(1);
	struct uromw_files files;

	(void)state;
	uromw_files_count(&files);
	assert_int_equal(files.max, 1);
	assert_int_equal(files.left, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(as_many_can_be_opened_as_are_left),
		TEST(fewer_than_none_are_none),
	};

	return cmocka_run_group_tests_name("worker_files", tests, NULL, NULL);
}
