/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two outputs of a process show: of the standard backends, and of library lines before
 * there is an SDK backend. Each test is a scenario, named for what it shows, that runs in a child,
 * and a row of the table that says what must arrive. The parent makes no backend, so that every
 * child begins like a new process.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/log.h"
#include "log_capture.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::APP);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint32_t levels[] = {
	DOCA_LOG_LEVEL_CRIT, DOCA_LOG_LEVEL_ERROR, DOCA_LOG_LEVEL_WARNING,
	DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_DEBUG, DOCA_LOG_LEVEL_TRACE,
};

/* A scenario in which a call fails ends its process with a status that is not 0. */
static void need(bool is_good)
{
	if (!is_good)
		_exit(EXIT_FAILURE);
}

static void log_as_application(void)
{
	for (size_t i = 0; i < COUNT(levels); i++)
		need(doca_log(levels[i], log_source, NULL, 0, NULL, "x") == DOCA_SUCCESS);
}

static void log_as_library(void)
{
	int source;

	need(core_log_register_source("TEST::SDK", &source) == DOCA_SUCCESS);
	for (size_t i = 0; i < COUNT(levels); i++)
		need(doca_log(levels[i], source, NULL, 0, NULL, "x") == DOCA_SUCCESS);
}

static void create_standard(void)
{
	need(doca_log_backend_create_standard() == DOCA_SUCCESS);
}

static void set_global_lower(uint32_t level)
{
	need(doca_log_level_set_global_lower_limit(level) == DOCA_SUCCESS);
}

static void set_global_upper(uint32_t level)
{
	need(doca_log_level_set_global_upper_limit(level) == DOCA_SUCCESS);
}

static void standard_pair_splits_the_levels_at_WARNING(void)
{
	create_standard();
	log_as_application();
}

static void standard_pair_shows_all_levels_when_asked_to(void)
{
	create_standard();
	set_global_lower(DOCA_LOG_LEVEL_TRACE);
	log_as_application();
}

static void standard_pair_obeys_the_global_lower_limit(void)
{
	create_standard();
	set_global_lower(DOCA_LOG_LEVEL_ERROR);
	log_as_application();
}

static void standard_pair_obeys_a_lower_limit_set_before(void)
{
	set_global_lower(DOCA_LOG_LEVEL_ERROR);
	create_standard();
	log_as_application();
}

static void standard_pair_obeys_the_global_upper_limit(void)
{
	create_standard();
	set_global_lower(DOCA_LOG_LEVEL_TRACE);
	set_global_upper(DOCA_LOG_LEVEL_DEBUG);
	log_as_application();
}

static void standard_pair_obeys_an_upper_limit_set_before(void)
{
	set_global_lower(DOCA_LOG_LEVEL_TRACE);
	set_global_upper(DOCA_LOG_LEVEL_DEBUG);
	create_standard();
	log_as_application();
}

static void standard_pair_is_silenced_by_the_global_limit(void)
{
	create_standard();
	set_global_lower(DOCA_LOG_LEVEL_DISABLE);
	log_as_application();
}

static void standard_pair_comes_back_when_the_limits_do(void)
{
	create_standard();
	set_global_lower(DOCA_LOG_LEVEL_DISABLE);
	set_global_upper(DOCA_LOG_LEVEL_TRACE);
	set_global_lower(DOCA_LOG_LEVEL_INFO);
	set_global_upper(DOCA_LOG_LEVEL_CRIT);
	log_as_application();
}

static void standard_pair_takes_no_library_lines(void)
{
	struct doca_log_backend *silent;

	create_standard();
	need(doca_log_backend_create_with_fd_sdk(STDOUT_FILENO, &silent) == DOCA_SUCCESS);
	need(doca_log_backend_set_sdk_level(silent, DOCA_LOG_LEVEL_DISABLE) == DOCA_SUCCESS);
	log_as_library();
}

static void app_lines_go_nowhere_without_a_backend(void)
{
	log_as_application();
}

static void library_lines_go_to_stderr_at_WARNING_without_an_sdk_backend(void)
{
	log_as_library();
}

static void app_backends_leave_library_lines_on_stderr(void)
{
	create_standard();
	log_as_library();
}

static void global_sdk_limit_widens_library_lines_on_stderr(void)
{
	need(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE) == DOCA_SUCCESS);
	log_as_library();
}

static void global_sdk_limit_silences_library_lines_on_stderr(void)
{
	need(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE) == DOCA_SUCCESS);
	log_as_library();
}

static void sdk_backend_takes_the_place_of_stderr(void)
{
	struct doca_log_backend *backend;

	need(doca_log_backend_create_with_fd_sdk(STDOUT_FILENO, &backend) == DOCA_SUCCESS);
	log_as_library();
}

static void silent_sdk_backend_silences_the_libraries(void)
{
	struct doca_log_backend *backend;

	need(doca_log_backend_create_with_fd_sdk(STDOUT_FILENO, &backend) == DOCA_SUCCESS);
	need(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE) == DOCA_SUCCESS);
	log_as_library();
}

static void output_that_cannot_be_written_ends_nothing(void)
{
	create_standard();
	close(STDOUT_FILENO);
	log_as_application();
}

struct row {
	const char *name;
	void (*run)(void);
	const char *out; /* the tags of the lines that must come, each with a space */
	const char *err;
};

#define ROW(scenario, out_tags, err_tags)               \
	{                                               \
#scenario, scenario, out_tags, err_tags \
	}

static const struct row rows[] = {
	ROW(standard_pair_splits_the_levels_at_WARNING, "INF ", "CRT ERR WRN "),
	ROW(standard_pair_shows_all_levels_when_asked_to, "INF DBG TRC ", "CRT ERR WRN "),
	ROW(standard_pair_obeys_the_global_lower_limit, "", "CRT ERR "),
	ROW(standard_pair_obeys_a_lower_limit_set_before, "", "CRT ERR "),
	ROW(standard_pair_obeys_the_global_upper_limit, "DBG TRC ", ""),
	ROW(standard_pair_obeys_an_upper_limit_set_before, "DBG TRC ", ""),
	ROW(standard_pair_is_silenced_by_the_global_limit, "", ""),
	ROW(standard_pair_comes_back_when_the_limits_do, "INF ", "CRT ERR WRN "),
	ROW(standard_pair_takes_no_library_lines, "", ""),
	ROW(app_lines_go_nowhere_without_a_backend, "", ""),
	ROW(library_lines_go_to_stderr_at_WARNING_without_an_sdk_backend, "", "CRT ERR WRN "),
	ROW(app_backends_leave_library_lines_on_stderr, "", "CRT ERR WRN "),
	ROW(global_sdk_limit_widens_library_lines_on_stderr, "", "CRT ERR WRN INF DBG TRC "),
	ROW(global_sdk_limit_silences_library_lines_on_stderr, "", ""),
	ROW(sdk_backend_takes_the_place_of_stderr, "CRT ERR WRN INF ", ""),
	ROW(silent_sdk_backend_silences_the_libraries, "", ""),
	ROW(output_that_cannot_be_written_ends_nothing, "", "CRT ERR WRN "),
};

/* Runs a scenario with the two files for its outputs. */
static int run_in_child(void (*run)(void), FILE *out, FILE *err)
{
	int status = -1;
	pid_t child;

	fflush(NULL); /* what the parent has not written yet is not the child's */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		need(dup2(fileno(out), STDOUT_FILENO) >= 0);
		need(dup2(fileno(err), STDERR_FILENO) >= 0);
		run();
		_exit(EXIT_SUCCESS);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void check_output(FILE *file, const char *tags)
{
	char found[64] = "";
	char line[256];

	rewind(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		char tag[8];

		assert_int_equal(sscanf(line, "[%*[^]]][%*d][%3[A-Z]][TEST::%*3s] x", tag), 1);
		strcat(strcat(found, tag), " ");
		assert_true(strlen(found) < sizeof(found) - sizeof(tag));
	}
	assert_string_equal(found, tags);
	fclose(file);
}

static void scenario_check(void **state)
{
	const struct row *row = *state;
	FILE *out = tmpfile();
	FILE *err = tmpfile();

	assert_non_null(out);
	assert_non_null(err);
	assert_int_equal(run_in_child(row->run, out, err), 0);
	check_output(out, row->out);
	check_output(err, row->err);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(rows)] = { { .name = NULL } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		tests[i].name = rows[i].name;
		tests[i].test_func = scenario_check;
		tests[i].initial_state = (void *)(uintptr_t)&rows[i]; /* cmocka drops the const */
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
