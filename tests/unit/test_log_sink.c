/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where lines end up: streams, descriptors, buffers and the system's log, by one thread and by
 * many. Backends cannot be destroyed, so each test makes its own, while the older ones are silent.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

/* This file is the one in which the trace macro is on. */
#define DOCA_LOGGING_ALLOW_TRACE
#include <doca_log.h>

#include "core/log.h"
#include "log_capture.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::SINK);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int sdk_source;

/* While set, write() takes a few bytes a time and is interrupted before each. */
static bool writes_are_short;
static bool is_interrupted;

ssize_t __real_write(int fd, const void *bytes, size_t len);
ssize_t __wrap_write(int fd, const void *bytes, size_t len);

ssize_t __wrap_write(int fd, const void *bytes, size_t len)
{
	if (!writes_are_short)
		return __real_write(fd, bytes, len);
	is_interrupted = !is_interrupted;
	if (is_interrupted) {
		errno = EINTR;
		return -1;
	}
	return __real_write(fd, bytes, len < 7 ? len : 7);
}

/* What went to syslog() last, and how often something did. */
static struct {
	int priority;
	char text[1024];
	unsigned int count;
} system_log;

void __wrap_syslog(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

void __wrap_syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(system_log.text, sizeof(system_log.text), format, args);
	va_end(args);
	system_log.priority = priority;
	system_log.count++;
}

static int group_setup(void **state)
{
	(void)state;
	assert_success(core_log_register_source("TEST::SDK", &sdk_source));
	return 0;
}

static int setup(void **state)
{
	writes_are_short = false;
	system_log.count = 0;
	assert_success(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DISABLE));
	return test_begin(state);
}

static void set_lower(struct doca_log_backend *backend, enum doca_log_level level)
{
	assert_success(doca_log_backend_set_level_lower_limit(backend, level));
}

static void log_as_library(enum doca_log_level level, const char *text)
{
	assert_success(doca_log(level, sdk_source, NULL, 0, NULL, "%s", text));
}

static int memory_file(void)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Checks that a file holds one line, and its parts. */
static void check_only_line(int fd, const char *tag, const char *source, const char *message)
{
	char line[256] = "";

	assert_in_range(pread(fd, line, sizeof(line) - 1, 0), 1, sizeof(line) - 2);
	log_line_check(line, tag, source, message);
}

static void stream_has_the_line_when_the_call_returns(void **state)
{
	struct doca_log_backend *backend;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_success(doca_log_backend_create_with_file(file, &backend));
	set_lower(backend, DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_INFO("to a stream");
	check_only_line(fileno(file), "INF", "TEST::SINK", "to a stream");
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
	fclose(file);
}

static void stream_takes_library_lines(void **state)
{
	struct doca_log_backend *backend;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_success(doca_log_backend_create_with_file_sdk(file, &backend));
	log_as_library(DOCA_LOG_LEVEL_INFO, "to a stream");
	check_only_line(fileno(file), "INF", "TEST::SDK", "to a stream");
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
	fclose(file);
}

static void descriptor_takes_app_lines(void **state)
{
	struct doca_log_backend *backend;
	int fd = memory_file();

	(void)state;
	assert_success(doca_log_backend_create_with_fd(fd, &backend));
	set_lower(backend, DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_INFO("to a descriptor");
	check_only_line(fd, "INF", "TEST::SINK", "to a descriptor");
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
	close(fd);
}

static void descriptor_takes_library_lines(void **state)
{
	struct doca_log_backend *backend;
	int fd = memory_file();

	(void)state;
	assert_success(doca_log_backend_create_with_fd_sdk(fd, &backend));
	log_as_library(DOCA_LOG_LEVEL_INFO, "to a descriptor");
	check_only_line(fd, "INF", "TEST::SDK", "to a descriptor");
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
	close(fd);
}

static void line_is_whole_when_writes_are_short_and_interrupted(void **state)
{
	struct doca_log_backend *backend;
	int fd = memory_file();

	(void)state;
	assert_success(doca_log_backend_create_with_fd(fd, &backend));
	set_lower(backend, DOCA_LOG_LEVEL_INFO);
	writes_are_short = true;
	DOCA_LOG_INFO("bit by bit");
	writes_are_short = false;
	check_only_line(fd, "INF", "TEST::SINK", "bit by bit");
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
	close(fd);
}

/* Handed over in a buffer's function: the capture has room for any line. */
static void buffer_takes_lines_of_either_class(void **state)
{
	static struct log_capture app, sdk;

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	log_capture_start(&sdk, LOG_CAPTURE_SDK);
	set_lower(app.backend, DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_INFO("a long line, to a buffer");
	DOCA_LOG_INFO("to a buffer");
	log_as_library(DOCA_LOG_LEVEL_INFO, "to another");
	assert_int_equal(log_capture_take(&app), 2);
	assert_int_equal(log_capture_take(&sdk), 1);
	log_line_check(app.line, "INF", "TEST::SINK", "to a buffer");
	log_line_check(sdk.line, "INF", "TEST::SDK", "to another");
	log_capture_stop(&app);
	log_capture_stop(&sdk);
}

static char handed_over[64];

static void keep_line(char *line)
{
	assert_in_range(strlen(line), 0, sizeof(handed_over) - 1);
	memcpy(handed_over, line, strlen(line) + 1);
}

static void buffer_cuts_a_line_at_its_capacity(void **state)
{
	static char buf[32];
	struct doca_log_backend *backend;

	(void)state;
	for (size_t capacity = 1; capacity < sizeof(buf); capacity++) {
		memset(buf, '#', sizeof(buf));
		assert_success(
		    doca_log_backend_create_with_buf(buf, capacity, keep_line, &backend));
		set_lower(backend, DOCA_LOG_LEVEL_INFO);
		DOCA_LOG_INFO("a line that is longer than any of these buffers");
		assert_int_equal(strlen(handed_over), capacity - 1);
		assert_int_equal(buf[capacity], '#');
		set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
	}
}

static void system_log_gets_name_line_and_priority(void **state)
{
	const struct {
		enum doca_log_level level;
		int priority;
		const char *tag;
	} rows[] = {
		{ DOCA_LOG_LEVEL_CRIT, LOG_CRIT, "CRT" },
		{ DOCA_LOG_LEVEL_ERROR, LOG_ERR, "ERR" },
		{ DOCA_LOG_LEVEL_WARNING, LOG_WARNING, "WRN" },
		{ DOCA_LOG_LEVEL_INFO, LOG_INFO, "INF" },
		{ DOCA_LOG_LEVEL_DEBUG, LOG_DEBUG, "DBG" },
		{ DOCA_LOG_LEVEL_TRACE, LOG_DEBUG, "TRC" },
	};
	struct doca_log_backend *backend;
	char name[] = "my%sprogram";

	(void)state;
	assert_success(doca_log_backend_create_with_syslog(name, &backend));
	memset(name, 'X', sizeof(name) - 1); /* it is copied */
	set_lower(backend, DOCA_LOG_LEVEL_TRACE);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *line = system_log.text + strlen("my%sprogram: ");

		DOCA_LOG(rows[i].level, "100%% %d", 1);
		assert_int_equal(system_log.count, i + 1);
		assert_int_equal(system_log.priority, rows[i].priority);
		assert_memory_equal(system_log.text, "my%sprogram: ", strlen("my%sprogram: "));
		strcat(line, "\n"); /* the system ends lines by itself */
		log_line_check(line, rows[i].tag, "TEST::SINK", "100% 1");
	}
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
}

static void system_log_takes_library_lines(void **state)
{
	struct doca_log_backend *backend;

	(void)state;
	assert_success(doca_log_backend_create_with_syslog_sdk("mine", &backend));
	log_as_library(DOCA_LOG_LEVEL_INFO, "to the system");
	DOCA_LOG_INFO("not there");
	assert_int_equal(system_log.count, 1);
	assert_non_null(strstr(system_log.text, "[INF][TEST::SDK] to the system"));
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
}

static void backends_need_all_their_arguments(void **state)
{
	static char buf[8];
	struct doca_log_backend *backend = NULL;
	const doca_error_t results[] = {
		doca_log_backend_create_with_file(NULL, &backend),
		doca_log_backend_create_with_file(stderr, NULL),
		doca_log_backend_create_with_file_sdk(NULL, &backend),
		doca_log_backend_create_with_file_sdk(stderr, NULL),
		doca_log_backend_create_with_fd(-1, &backend),
		doca_log_backend_create_with_fd(STDERR_FILENO, NULL),
		doca_log_backend_create_with_fd_sdk(-1, &backend),
		doca_log_backend_create_with_fd_sdk(STDERR_FILENO, NULL),
		doca_log_backend_create_with_buf(NULL, sizeof(buf), keep_line, &backend),
		doca_log_backend_create_with_buf(buf, 0, keep_line, &backend),
		doca_log_backend_create_with_buf(buf, sizeof(buf), NULL, &backend),
		doca_log_backend_create_with_buf(buf, sizeof(buf), keep_line, NULL),
		doca_log_backend_create_with_buf_sdk(NULL, sizeof(buf), keep_line, &backend),
		doca_log_backend_create_with_buf_sdk(buf, 0, keep_line, &backend),
		doca_log_backend_create_with_buf_sdk(buf, sizeof(buf), NULL, &backend),
		doca_log_backend_create_with_buf_sdk(buf, sizeof(buf), keep_line, NULL),
		doca_log_backend_create_with_syslog(NULL, &backend),
		doca_log_backend_create_with_syslog("x", NULL),
		doca_log_backend_create_with_syslog_sdk(NULL, &backend),
		doca_log_backend_create_with_syslog_sdk("x", NULL),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(results); i++)
		assert_int_equal(results[i], DOCA_ERROR_INVALID_VALUE);
	assert_null(backend);
}

static void trace_macro_logs_where_it_is_allowed(void **state)
{
	static struct log_capture app;

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	set_lower(app.backend, DOCA_LOG_LEVEL_TRACE);
	DOCA_LOG_TRC("trace %d", 1);
	log_line_check(app.line, "TRC", "TEST::SINK", "trace 1");
	log_capture_stop(&app);
}

static void child_of_a_fork_logs_under_its_own_number(void **state)
{
	struct doca_log_backend *backend;
	int fd = memory_file();
	char line[256] = "";
	char number[16];
	pid_t child;

	(void)state;
	assert_success(doca_log_backend_create_with_fd(fd, &backend));
	set_lower(backend, DOCA_LOG_LEVEL_INFO);
	child = fork();
	if (child == 0)
		_exit(DOCA_LOG_INFO("x") == DOCA_SUCCESS ? 0 : 1);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_in_range(pread(fd, line, sizeof(line) - 1, 0), 1, sizeof(line) - 2);
	snprintf(number, sizeof(number), "][%d][", (int)child);
	assert_non_null(strstr(line, number));
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
	close(fd);
}

/* How an application sends what the libraries say the way of its own lines. */
static void log_it_as_ours(char *line)
{
	DOCA_LOG_INFO("%s", log_line_message(line));
}

static void function_of_a_library_buffer_may_log_as_the_application(void **state)
{
	static struct log_capture app;
	static char buf[256];
	struct doca_log_backend *backend;

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	set_lower(app.backend, DOCA_LOG_LEVEL_INFO);
	assert_success(
	    doca_log_backend_create_with_buf_sdk(buf, sizeof(buf), log_it_as_ours, &backend));
	log_as_library(DOCA_LOG_LEVEL_INFO, "passed on");
	log_line_check(app.line, "INF", "TEST::SINK", "passed on");
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
	log_capture_stop(&app);
}

static unsigned int num_own_lines;

static void log_to_itself(char *line)
{
	(void)line;
	num_own_lines++;
	DOCA_LOG_INFO("and again");
}

static void line_that_a_buffer_logs_to_itself_passes_it_by(void **state)
{
	static char buf[256];
	struct doca_log_backend *backend;

	(void)state;
	assert_success(doca_log_backend_create_with_buf(buf, sizeof(buf), log_to_itself, &backend));
	set_lower(backend, DOCA_LOG_LEVEL_INFO);
	DOCA_LOG_INFO("once");
	DOCA_LOG_INFO("twice");
	assert_int_equal(num_own_lines, 2);
	assert_string_equal(log_line_message(buf), "twice\n");
	set_lower(backend, DOCA_LOG_LEVEL_DISABLE);
}

/* Two threads whose functions would each wait for the other's buffer. */
static char app_buf[256], sdk_buf[256];
static __thread bool is_passing_on;

static void log_as_the_other(char *line)
{
	if (is_passing_on)
		return;
	is_passing_on = true;
	if (line == app_buf)
		log_as_library(DOCA_LOG_LEVEL_INFO, "of an application's");
	else
		DOCA_LOG_INFO("of a library's");
	is_passing_on = false;
}

static void *log_many_as_library(void *unused)
{
	for (int i = 0; i < 5000; i++)
		log_as_library(DOCA_LOG_LEVEL_INFO, "library");
	return unused;
}

static void functions_that_log_to_each_other_do_not_wait_for_ever(void **state)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int err = dup(STDERR_FILENO);
	struct doca_log_backend *app, *sdk;
	pthread_t thread;

	(void)state;
	assert_true(null >= 0 && err >= 0 && dup2(null, STDERR_FILENO) >= 0);
	assert_success(
	    doca_log_backend_create_with_buf(app_buf, sizeof(app_buf), log_as_the_other, &app));
	assert_success(
	    doca_log_backend_create_with_buf_sdk(sdk_buf, sizeof(sdk_buf), log_as_the_other, &sdk));
	set_lower(app, DOCA_LOG_LEVEL_INFO);
	assert_int_equal(pthread_create(&thread, NULL, log_many_as_library, NULL), 0);
	for (int i = 0; i < 5000; i++)
		DOCA_LOG_INFO("application");
	assert_int_equal(pthread_join(thread, NULL), 0);
	set_lower(app, DOCA_LOG_LEVEL_DISABLE);
	assert_success(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_DISABLE));
	assert_true(dup2(err, STDERR_FILENO) >= 0);
	close(err);
	close(null);
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, test_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(stream_has_the_line_when_the_call_returns),
		LOG_TEST(stream_takes_library_lines),
		LOG_TEST(descriptor_takes_app_lines),
		LOG_TEST(descriptor_takes_library_lines),
		LOG_TEST(line_is_whole_when_writes_are_short_and_interrupted),
		LOG_TEST(buffer_takes_lines_of_either_class),
		LOG_TEST(buffer_cuts_a_line_at_its_capacity),
		LOG_TEST(system_log_gets_name_line_and_priority),
		LOG_TEST(system_log_takes_library_lines),
		LOG_TEST(backends_need_all_their_arguments),
		LOG_TEST(trace_macro_logs_where_it_is_allowed),
		LOG_TEST(child_of_a_fork_logs_under_its_own_number),
		LOG_TEST(function_of_a_library_buffer_may_log_as_the_application),
		LOG_TEST(line_that_a_buffer_logs_to_itself_passes_it_by),
		LOG_TEST(functions_that_log_to_each_other_do_not_wait_for_ever),
	};

	return cmocka_run_group_tests(tests, group_setup, NULL);
}
