/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the environment says of sources: levels and rates of their own. The rate is read when a
 * process begins, so its tests run this program again, with an argument that names the scenario.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/log.h"
#include "log_capture.h"
#include "test.h"

#define LEVELS "DOCA_LOG_SOURCE_LEVELS"
#define RATE   "DOCA_LOG_RATE_LIMIT"

static const char *program;

/* The monotonic clock stands still, so that a second ends when a test says so. */
static time_t second_now = 1000;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, now);
	*now = (struct timespec){ .tv_sec = second_now };
	return 0;
}

static int source_with(const char *levels, const char *name)
{
	int source;

	assert_int_equal(setenv(LEVELS, levels, 1), 0);
	assert_success(doca_log_register_source(name, &source));
	assert_int_equal(unsetenv(LEVELS), 0);
	return source;
}

static unsigned int lines_at(struct log_capture *app, int source, uint32_t level)
{
	(void)log_capture_take(app);
	assert_success(doca_log(level, source, __FILE__, __LINE__, __func__, "x"));
	return log_capture_take(app);
}

static void source_with_a_level_passes_the_lower_limit(void **state)
{
	static struct log_capture app;
	int source = source_with("TEST::A=DEBUG", "TEST::A");

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_DEBUG), 1);
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_TRACE), 0);
	log_capture_stop(&app);
	assert_success(doca_log_unregister_source(source));
}

static void source_with_a_level_is_quieter_than_the_limit(void **state)
{
	static struct log_capture app;
	int source = source_with("TEST::B=error", "TEST::B");

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_ERROR), 1);
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_WARNING), 0);
	log_capture_stop(&app);
	assert_success(doca_log_unregister_source(source));
}

static void upper_limit_holds_for_a_source_with_a_level(void **state)
{
	static struct log_capture app;
	int source = source_with("TEST::C=TRACE", "TEST::C");

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	assert_success(doca_log_backend_set_level_upper_limit(app.backend, DOCA_LOG_LEVEL_WARNING));
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_ERROR), 0);
	assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_TRACE), 1);
	assert_success(doca_log_backend_set_level_upper_limit(app.backend, DOCA_LOG_LEVEL_CRIT));
	log_capture_stop(&app);
	assert_success(doca_log_unregister_source(source));
}

static void entries_fit_by_prefix_and_the_last_counts(void **state)
{
	static struct log_capture app;
	static const struct {
		const char *levels;
		uint32_t highest; /* the most talkative level that comes through */
	} rows[] = {
		{ "TEST=60", DOCA_LOG_LEVEL_DEBUG },
		{ "TEST=DEBUG,TEST::D=ERROR", DOCA_LOG_LEVEL_ERROR },
		{ "TEST::D=ERROR,TEST=DEBUG", DOCA_LOG_LEVEL_DEBUG },
		{ "OTHER=TRACE", DOCA_LOG_LEVEL_INFO },
		{ "EST::D=TRACE", DOCA_LOG_LEVEL_INFO },
		{ "TEST::D::E=TRACE", DOCA_LOG_LEVEL_INFO },
		{ "", DOCA_LOG_LEVEL_INFO },
	};

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int source = source_with(rows[i].levels, "TEST::D");

		for (uint32_t level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE;
		     level += 10)
			assert_int_equal(lines_at(&app, source, level), level <= rows[i].highest);
		assert_success(doca_log_unregister_source(source));
	}
	log_capture_stop(&app);
}

static void malformed_entries_are_left_out(void **state)
{
	static struct log_capture app;
	static const char *const rows[] = {
		"TEST::E",
		"TEST::E=",
		"TEST::E=LOUD",
		"TEST::E=65",
		"TEST::E=-60",
		"TEST::E=+60",
		"TEST::E= 60",
		"TEST::E=60x",
		"=TRACE",
		",,,",
		"TEST::E=123456789012345678901234567890",
	};

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int source = source_with(rows[i], "TEST::E");

		assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_INFO), 1);
		assert_int_equal(lines_at(&app, source, DOCA_LOG_LEVEL_DEBUG), 0);
		assert_success(doca_log_unregister_source(source));
	}
	log_capture_stop(&app);
}

static void control_characters_make_no_lines_in_the_libraries(void **state)
{
	static struct log_capture sdk;
	int source;

	(void)state;
	assert_success(core_log_register_source("TEST::SDK", &source));
	log_capture_start(&sdk, LOG_CAPTURE_SDK);
	assert_success(doca_log(DOCA_LOG_LEVEL_INFO, source, __FILE__, __LINE__, __func__,
				"a\nb\r\033[2Jc\n"));
	log_line_check(sdk.line, "INF", "TEST::SDK", "a?b??[2Jc");
	log_capture_stop(&sdk);
}

/* What this program prints to standard error when it is run again; owned: free(). */
static char *run_again(const char *scenario, const char *variable, const char *value)
{
	char *text = calloc(1, 64 * 1024);
	size_t len = 0;
	int ends[2], status;
	ssize_t got;
	pid_t child;

	assert_non_null(text);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (setenv(variable, value, 1) == 0 && dup2(ends[1], STDERR_FILENO) >= 0)
			execl(program, program, scenario, (char *)NULL);
		_exit(EXIT_FAILURE);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + len, 64 * 1024 - 1 - len)) > 0)
		len += (size_t)got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return text;
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int found = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		found++;
	return found;
}

static void lines_over_the_limit_are_held_and_counted(void **state)
{
	char *text = run_again("flood", RATE, "5");
	unsigned int told = 0, let = count(text, "flood line");
	const char *at = strstr(text, "lines were over the limit");

	(void)state;
	assert_non_null(at);
	while (at > text && at[-1] != ']')
		at--;
	assert_int_equal(sscanf(at, " %u lines", &told), 1);
	assert_int_equal(count(text, "lines were over the limit"), 1);
	assert_int_equal(let, 5 + 1);
	assert_int_equal(told, 100 - 5);
	free(text);
}

static void sources_have_limits_of_their_own(void **state)
{
	char *text = run_again("two", RATE, "1");

	(void)state;
	assert_int_equal(count(text, "of the first"), 1);
	assert_int_equal(count(text, "of the second"), 1);
	free(text);
}

static void new_source_starts_with_new_books(void **state)
{
	char *text = run_again("again", RATE, "1");

	(void)state;
	assert_int_equal(count(text, "of the first"), 1);
	assert_int_equal(count(text, "of the next"), 1);
	assert_int_equal(count(text, "over the limit"), 0);
	free(text);
}

static void no_limit_holds_nothing(void **state)
{
	char *text = run_again("flood", "UNUSED", "1");

	(void)state;
	assert_int_equal(count(text, "flood line"), 101);
	free(text);
}

static void variable_that_cannot_be_used_is_told_of(void **state)
{
	static const struct {
		const char *name;
		const char *value;
	} rows[] = {
		{ RATE, "many" }, { RATE, "-1" },       { RATE, "99999999999999999999" },
		{ LEVELS, "X" },  { LEVELS, "X=LOUD" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = run_again("nothing", rows[i].name, rows[i].value);

		assert_int_equal(count(text, "is not all used"), 1);
		assert_int_equal(count(text, rows[i].name), 1);
		free(text);
	}
}

static void say(int source, const char *message)
{
	(void)doca_log(DOCA_LOG_LEVEL_ERROR, source, __FILE__, __LINE__, __func__, "%s", message);
}

/* 100 lines in one second, and one more in the next. */
static void scenario_flood(int source)
{
	for (int i = 0; i < 100; i++)
		say(source, "flood line");
	second_now++;
	say(source, "flood line");
}

/* The number of a source that is given back goes to the next one. */
static int scenario_again(void)
{
	struct doca_log_backend *backend;
	int first, next;

	if (doca_log_backend_create_with_fd(STDERR_FILENO, &backend) != DOCA_SUCCESS ||
	    doca_log_register_source("TEST::APP", &first) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	say(first, "of the first");
	say(first, "of the first");
	if (doca_log_unregister_source(first) != DOCA_SUCCESS ||
	    doca_log_register_source("TEST::APP2", &next) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	say(next, "of the next");
	return first == next ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_scenario(const char *name)
{
	int first, second;

	if (core_log_register_source("TEST::FIRST", &first) != DOCA_SUCCESS ||
	    core_log_register_source("TEST::SECOND", &second) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	if (strcmp(name, "again") == 0)
		return scenario_again();
	if (strcmp(name, "flood") == 0) {
		scenario_flood(first);
	} else if (strcmp(name, "two") == 0) {
		say(first, "of the first");
		say(second, "of the second");
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(source_with_a_level_passes_the_lower_limit),
		TEST(source_with_a_level_is_quieter_than_the_limit),
		TEST(upper_limit_holds_for_a_source_with_a_level),
		TEST(entries_fit_by_prefix_and_the_last_counts),
		TEST(malformed_entries_are_left_out),
		TEST(control_characters_make_no_lines_in_the_libraries),
		TEST(lines_over_the_limit_are_held_and_counted),
		TEST(sources_have_limits_of_their_own),
		TEST(new_source_starts_with_new_books),
		TEST(no_limit_holds_nothing),
		TEST(variable_that_cannot_be_used_is_told_of),
	};

	program = argv[0];
	if (argc > 1)
		return run_scenario(argv[1]);
	return cmocka_run_group_tests_name("log_source", tests, NULL, NULL);
}
