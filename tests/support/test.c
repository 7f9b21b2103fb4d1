/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <doca_log.h>

#define MAX_LINES      4096
#define LINE_SIZE      512
#define LOG_LINE_BYTES 1024

/* Lines of the libraries, in order; from first_line on they are not taken yet. */
static struct {
	pthread_mutex_t lock;
	char lines[MAX_LINES][LINE_SIZE];
	unsigned int num_lines;
	unsigned int first_line;
} logged = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char sdk_line[LOG_LINE_BYTES];
static char program_line[LOG_LINE_BYTES];
static unsigned int num_fds_before;

static void on_line(char *line)
{
	pthread_mutex_lock(&logged.lock);
	if (logged.num_lines < MAX_LINES)
		(void)snprintf(logged.lines[logged.num_lines++], LINE_SIZE, "%.*s",
			       (int)strcspn(line, "\n"), line);
	pthread_mutex_unlock(&logged.lock);
}

static void capture_start(void)
{
	static bool is_started;
	struct doca_log_backend *backend;

	if (is_started)
		return;
	is_started = true;
	if (doca_log_backend_create_with_buf_sdk(sdk_line, sizeof(sdk_line), on_line, &backend) !=
		DOCA_SUCCESS ||
	    doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		fail_msg("the log of the libraries cannot be captured");
}

void test_hear_programs(void)
{
	struct doca_log_backend *backend;

	if (doca_log_backend_create_with_buf(program_line, sizeof(program_line), on_line,
					     &backend) != DOCA_SUCCESS ||
	    doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_WARNING) != DOCA_SUCCESS)
		fail_msg("the log of programs cannot be captured");
}

int test_begin(void **state)
{
	(void)state;
	capture_start();
	test_drop_log();
	num_fds_before = test_num_fds();
	return 0;
}

int test_end(void **state)
{
	unsigned int num_fds = test_num_fds();

	(void)state;
	for (unsigned int i = logged.first_line; i < logged.num_lines; i++)
		print_error("logged: %s\n", logged.lines[i]);
	if (test_num_logged() > 0)
		fail_msg("%u lines that the test did not expect", test_num_logged());
	if (num_fds != num_fds_before)
		fail_msg("%u descriptors are open, %u were", num_fds, num_fds_before);
	return 0;
}

unsigned int test_num_logged(void)
{
	unsigned int count;

	pthread_mutex_lock(&logged.lock);
	count = logged.num_lines - logged.first_line;
	pthread_mutex_unlock(&logged.lock);
	return count;
}

int test_has_logged(const char *part)
{
	int is_there = 0;

	pthread_mutex_lock(&logged.lock);
	for (unsigned int i = logged.first_line; i < logged.num_lines && !is_there; i++)
		is_there = strstr(logged.lines[i], part) != NULL;
	pthread_mutex_unlock(&logged.lock);
	return is_there;
}

void test_take_log(const char *part)
{
	const char *line;

	if (test_num_logged() == 0)
		fail_msg("nothing was logged, not even \"%s\"", part);
	line = logged.lines[logged.first_line++];
	if (strstr(line, part) == NULL)
		fail_msg("\"%s\" was logged, which is not about \"%s\"", line, part);
}

void test_drop_log(void)
{
	pthread_mutex_lock(&logged.lock);
	logged.num_lines = 0;
	logged.first_line = 0;
	pthread_mutex_unlock(&logged.lock);
}

void test_check_result(doca_error_t result, doca_error_t expected, const char *file, int line)
{
	if (result == expected)
		return;
	if (test_num_logged() > 0)
		print_error("logged last: %s\n", logged.lines[logged.num_lines - 1]);
	print_error("%s, not %s\n", doca_error_get_name(result), doca_error_get_name(expected));
	_fail(file, line);
}

void test_check_one_line(unsigned int logged_before, const char *part, const char *file, int line)
{
	unsigned int added = test_num_logged() - logged_before;
	const char *text = logged.lines[logged.num_lines - 1];

	if (added == 1 && strstr(text, part) != NULL) {
		logged.num_lines--;
		return;
	}
	print_error("%u lines, not one about \"%s\"%s%s\n", added, part,
		    added > 0 ? "; last: " : "", added > 0 ? text : "");
	_fail(file, line);
}

unsigned int test_num_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	if (dir == NULL)
		fail_msg("/proc/self/fd cannot be read");
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

int test_is_readable(int fd, int timeout_ms)
{
	struct pollfd watched = { .fd = fd, .events = POLLIN };

	return poll(&watched, 1, timeout_ms) == 1 && (watched.revents & POLLIN) != 0;
}

uint64_t test_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
