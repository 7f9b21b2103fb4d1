/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a caller of doca_log() may give, what a line then looks like, and the sources that lines
 * come from.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/log.h"
#include "log_capture.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::LOG);

#define MAX_SOURCES       4096
#define SMALL_LINE_BYTES  1024
#define MAX_LINE_BYTES    (64 * 1024)
#define LONG_MESSAGE_SIZE (MAX_LINE_BYTES + SMALL_LINE_BYTES)

static struct log_capture app;

/* The allocations of the library that succeed before none does any more; counted always. */
static unsigned int allocations_left = UINT_MAX;
static unsigned int num_allocations;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
char *__real_strdup(const char *string);
char *__wrap_strdup(const char *string);

static bool may_allocate(void)
{
	num_allocations++;
	if (allocations_left == 0)
		return false;
	if (allocations_left != UINT_MAX)
		allocations_left--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

char *__wrap_strdup(const char *string)
{
	return may_allocate() ? __real_strdup(string) : NULL;
}

/* Whoever makes the time of a line may look for the time zone in a file, in vain. */
struct tm *__real_localtime_r(const time_t *seconds, struct tm *date);
struct tm *__wrap_localtime_r(const time_t *seconds, struct tm *date);

struct tm *__wrap_localtime_r(const time_t *seconds, struct tm *date)
{
	errno = ENOENT;
	return __real_localtime_r(seconds, date);
}

static doca_error_t log_text(uint32_t level, int source, const char *text)
{
	return doca_log(level, source, NULL, 0, NULL, "%s", text);
}

static int source_register(const char *name)
{
	int source = -1;

	assert_success(doca_log_register_source(name, &source));
	return source;
}

static int setup(void **state)
{
	log_capture_start(&app, LOG_CAPTURE_APP);
	assert_success(doca_log_backend_set_level_lower_limit(app.backend, DOCA_LOG_LEVEL_TRACE));
	return test_begin(state);
}

static int teardown(void **state)
{
	allocations_left = UINT_MAX;
	return test_end(state);
}

static void line_has_time_process_level_source_and_message(void **state)
{
	(void)state;
	DOCA_LOG_INFO("message %d of %s", 7, "nine");
	assert_int_equal(log_capture_take(&app), 1);
	log_line_check(app.line, "INF", "TEST::LOG", "message 7 of nine");
}

static void check_last_tag(const char *tag)
{
	assert_int_equal(log_capture_take(&app), 1);
	log_line_check(app.line, tag, "TEST::LOG", "x");
}

static void each_level_has_a_macro_and_a_tag(void **state)
{
	(void)state;
	DOCA_LOG_CRIT("x");
	check_last_tag("CRT");
	DOCA_LOG_ERR("x");
	check_last_tag("ERR");
	DOCA_LOG_WARN("x");
	check_last_tag("WRN");
	DOCA_LOG_INFO("x");
	check_last_tag("INF");
	DOCA_LOG_DBG("x");
	check_last_tag("DBG");
	DOCA_LOG(DOCA_LOG_LEVEL_TRACE, "x"); /* DOCA_LOG_TRC is nothing in this file */
	check_last_tag("TRC");
}

static void newlines_at_the_end_become_one(void **state)
{
	const char *const texts[] = { "text", "text\n", "text\n\n\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, texts[i]));
		log_line_check(app.line, "INF", "TEST::LOG", "text");
	}
}

static void message_may_be_empty_or_newlines_alone(void **state)
{
	const char *const texts[] = { "", "\n", "\n\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, texts[i]));
		log_line_check(app.line, "INF", "TEST::LOG", "");
	}
}

static void percent_signs_of_arguments_are_text(void **state)
{
	(void)state;
	DOCA_LOG_INFO("%d%% of %s", 100, "%s%n%99999999d%");
	log_line_check(app.line, "INF", "TEST::LOG", "100% of %s%n%99999999d%");
}

static void percent_signs_of_source_names_are_text(void **state)
{
	int source = source_register("%s%n");

	(void)state;
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, source, "x"));
	log_line_check(app.line, "INF", "%s%n", "x");
	assert_success(doca_log_unregister_source(source));
}

/* A message of len times 'x', ended by a 'y' to show that the end is there. */
static char *long_message(size_t len)
{
	char *message = malloc(len + 1);

	assert_non_null(message);
	memset(message, 'x', len - 1);
	message[len - 1] = 'y';
	message[len] = '\0';
	return message;
}

/* Around the size up to which a line is built on the stack, at every length. */
static void line_of_any_length_around_1_KiB_is_whole(void **state)
{
	char *message = long_message(2 * SMALL_LINE_BYTES);
	size_t len = 2 * SMALL_LINE_BYTES;

	(void)state;
	for (size_t cut = 0; cut < SMALL_LINE_BYTES + 200; cut++) {
		const char *got;

		assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, message + cut));
		got = log_line_message(app.line);
		assert_int_equal(strlen(got), len - cut + 1);
		assert_memory_equal(got, message + cut, len - cut);
		assert_int_equal(got[len - cut], '\n');
	}
	free(message);
}

static void line_of_60_KiB_is_whole(void **state)
{
	size_t len = 60 * 1024;
	char *message = long_message(len);
	const char *got;

	(void)state;
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, message));
	got = log_line_message(app.line);
	assert_int_equal(strlen(got), len + 1);
	assert_memory_equal(got, message, len);
	free(message);
}

static void line_over_64_KiB_is_cut_there(void **state)
{
	char *message = long_message(LONG_MESSAGE_SIZE);

	(void)state;
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, message));
	assert_int_equal(log_capture_take(&app), 1);
	assert_int_equal(strlen(app.line), MAX_LINE_BYTES + 1);
	assert_string_equal(app.line + MAX_LINE_BYTES - 3, "xxx\n");
	free(message);
}

static void long_line_is_cut_when_there_is_no_memory(void **state)
{
	char *message = long_message(2 * SMALL_LINE_BYTES);

	(void)state;
	allocations_left = 0;
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, log_source, message));
	allocations_left = UINT_MAX;
	assert_in_range(strlen(app.line), SMALL_LINE_BYTES - 8, SMALL_LINE_BYTES);
	assert_memory_equal(log_line_message(app.line), "xxxx", 4);
	assert_int_equal(app.line[strlen(app.line) - 1], '\n');
	free(message);
}

static void neither_short_nor_disabled_lines_allocate(void **state)
{
	unsigned int before;

	(void)state;
	assert_success(doca_log_backend_set_level_lower_limit(app.backend, DOCA_LOG_LEVEL_ERROR));
	before = num_allocations;
	DOCA_LOG_INFO("disabled %0*d", 2 * SMALL_LINE_BYTES, 1);
	DOCA_LOG_ERR("short %d", 1);
	assert_int_equal(num_allocations, before);
	assert_int_equal(log_capture_take(&app), 1);
}

static void ignore_line(char *line)
{
	(void)line;
}

static void backends_without_memory_are_NO_MEMORY(void **state)
{
	static char buf[8];
	struct doca_log_backend *backend = NULL;

	(void)state;
	allocations_left = 0;
	assert_error(doca_log_backend_create_with_file(stderr, &backend), DOCA_ERROR_NO_MEMORY);
	assert_error(doca_log_backend_create_with_fd(STDERR_FILENO, &backend),
		     DOCA_ERROR_NO_MEMORY);
	assert_error(doca_log_backend_create_with_buf(buf, sizeof(buf), ignore_line, &backend),
		     DOCA_ERROR_NO_MEMORY);
	assert_error(doca_log_backend_create_with_syslog("x", &backend), DOCA_ERROR_NO_MEMORY);
	assert_error(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY);
	assert_null(backend);
}

/* The address sanitizer sees it when the first allocation is forgotten. */
static void backends_that_allocate_twice_give_the_first_back(void **state)
{
	struct doca_log_backend *backend = NULL;

	(void)state;
	allocations_left = 1;
	assert_error(doca_log_backend_create_with_syslog("x", &backend), DOCA_ERROR_NO_MEMORY);
	allocations_left = 1;
	assert_error(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY);
	assert_null(backend);
}

static void logging_leaves_errno_alone(void **state)
{
	static struct doca_log_backend *broken;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* cannot be written */

	(void)state;
	assert_true(fd >= 0);
	assert_success(doca_log_backend_create_with_fd(fd, &broken));
	errno = ENOTTY;
	DOCA_LOG_INFO("why: %m");
	assert_int_equal(errno, ENOTTY);
	assert_string_equal(log_line_message(app.line), "why: Inappropriate ioctl for device\n");
	assert_success(doca_log_backend_set_level_lower_limit(broken, DOCA_LOG_LEVEL_DISABLE));
	close(fd);
}

static void format_NULL_is_refused(void **state)
{
	/* By way of a pointer, at which the compiler does not look as closely. */
	doca_error_t (*log)(uint32_t, int, const char *, int, const char *, const char *, ...) =
	    doca_log;

	(void)state;
	assert_error(log(DOCA_LOG_LEVEL_INFO, log_source, NULL, 0, NULL, NULL),
		     DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(log_capture_take(&app), 0);
}

/* With a backend that wants everything, and with none that wants anything. */
static void levels_that_no_line_has_are_refused(void **state)
{
	const uint32_t levels[] = { 0,  1,  DOCA_LOG_LEVEL_DISABLE, 19,        21, 45, 69,
				    71, 80, (uint32_t)INT_MAX + 1,  UINT32_MAX };
	const uint32_t limits[] = { DOCA_LOG_LEVEL_TRACE, DOCA_LOG_LEVEL_DISABLE };

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		for (size_t j = 0; j < sizeof(limits) / sizeof(limits[0]); j++) {
			assert_success(
			    doca_log_backend_set_level_lower_limit(app.backend, limits[j]));
			assert_error(log_text(levels[i], log_source, "x"),
				     DOCA_ERROR_INVALID_VALUE);
		}
	}
	assert_int_equal(log_capture_take(&app), 0);
}

/* 0 among them: that is what a file has whose registration failed. */
static void numbers_of_no_source_are_refused(void **state)
{
	const int sources[] = { 0, -1, INT_MIN, MAX_SOURCES, MAX_SOURCES + 1, INT_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		assert_error(log_text(DOCA_LOG_LEVEL_INFO, sources[i], "x"),
			     DOCA_ERROR_INVALID_VALUE);
		assert_error(doca_log_unregister_source(sources[i]), DOCA_ERROR_INVALID_VALUE);
	}
	assert_int_equal(log_capture_take(&app), 0);
}

static void source_name_is_copied(void **state)
{
	char name[] = "MINE::OWN";
	int source = source_register(name);

	(void)state;
	memset(name, 'X', sizeof(name) - 1);
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, source, "x"));
	log_line_check(app.line, "INF", "MINE::OWN", "x");
	assert_success(doca_log_unregister_source(source));
}

static void source_name_of_any_length_leaves_the_message_whole(void **state)
{
	char *name = long_message(2 * SMALL_LINE_BYTES);
	int source = source_register(name);

	(void)state;
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, source, "the message"));
	assert_string_equal(log_line_message(app.line), "the message\n");
	assert_success(doca_log_unregister_source(source));
	free(name);
}

static void source_needs_a_name_and_a_place_for_its_number(void **state)
{
	int source = -1;

	(void)state;
	assert_error(doca_log_register_source(NULL, &source), DOCA_ERROR_INVALID_VALUE);
	assert_error(doca_log_register_source("X", NULL), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(source, -1);
}

static void source_without_memory_is_NO_MEMORY(void **state)
{
	int source = -1;

	(void)state;
	allocations_left = 0;
	assert_error(doca_log_register_source("X", &source), DOCA_ERROR_NO_MEMORY);
	allocations_left = UINT_MAX;
	assert_int_equal(source, -1);
}

static void unregistered_source_logs_no_more(void **state)
{
	int source = source_register("GONE");

	(void)state;
	assert_success(doca_log_unregister_source(source));
	assert_error(log_text(DOCA_LOG_LEVEL_INFO, source, "x"), DOCA_ERROR_INVALID_VALUE);
	assert_error(doca_log_unregister_source(source), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(log_capture_take(&app), 0);
}

static void number_of_an_unregistered_source_is_used_again(void **state)
{
	int first = source_register("FIRST");
	int second;

	(void)state;
	assert_success(doca_log_unregister_source(first));
	second = source_register("SECOND");
	assert_int_equal(second, first);
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, second, "x"));
	log_line_check(app.line, "INF", "SECOND", "x");
	assert_success(doca_log_unregister_source(second));
}

static void source_of_the_libraries_cannot_be_unregistered(void **state)
{
	int source = -1;

	(void)state;
	assert_success(core_log_register_source("TEST::SDK", &source));
	assert_error(doca_log_unregister_source(source), DOCA_ERROR_INVALID_VALUE);
	assert_success(log_text(DOCA_LOG_LEVEL_INFO, source, "x"));
}

static void full_table_of_sources_is_NO_MEMORY(void **state)
{
	static int sources[MAX_SOURCES];
	doca_error_t result = DOCA_SUCCESS;
	int count = 0;

	(void)state;
	while (count < MAX_SOURCES && result == DOCA_SUCCESS) {
		result = doca_log_register_source("MANY", &sources[count]);
		count += result == DOCA_SUCCESS;
	}
	assert_int_equal(result, DOCA_ERROR_NO_MEMORY);
	assert_int_equal(sources[count], 0); /* not written */
	assert_success(doca_log_unregister_source(sources[count / 2]));
	assert_int_equal(source_register("ONE MORE"), sources[count / 2]);
	while (count > 0)
		assert_success(doca_log_unregister_source(sources[--count]));
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOG_TEST(line_has_time_process_level_source_and_message),
		LOG_TEST(each_level_has_a_macro_and_a_tag),
		LOG_TEST(newlines_at_the_end_become_one),
		LOG_TEST(message_may_be_empty_or_newlines_alone),
		LOG_TEST(percent_signs_of_arguments_are_text),
		LOG_TEST(percent_signs_of_source_names_are_text),
		LOG_TEST(line_of_any_length_around_1_KiB_is_whole),
		LOG_TEST(line_of_60_KiB_is_whole),
		LOG_TEST(line_over_64_KiB_is_cut_there),
		LOG_TEST(long_line_is_cut_when_there_is_no_memory),
		LOG_TEST(neither_short_nor_disabled_lines_allocate),
		LOG_TEST(backends_without_memory_are_NO_MEMORY),
		LOG_TEST(backends_that_allocate_twice_give_the_first_back),
		LOG_TEST(logging_leaves_errno_alone),
		LOG_TEST(format_NULL_is_refused),
		LOG_TEST(levels_that_no_line_has_are_refused),
		LOG_TEST(numbers_of_no_source_are_refused),
		LOG_TEST(source_name_is_copied),
		LOG_TEST(source_name_of_any_length_leaves_the_message_whole),
		LOG_TEST(source_needs_a_name_and_a_place_for_its_number),
		LOG_TEST(source_without_memory_is_NO_MEMORY),
		LOG_TEST(unregistered_source_logs_no_more),
		LOG_TEST(number_of_an_unregistered_source_is_used_again),
		LOG_TEST(source_of_the_libraries_cannot_be_unregistered),
		LOG_TEST(full_table_of_sources_is_NO_MEMORY),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
