/* SPDX-License-Identifier: BSD-3-Clause */
#include "log_capture.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

/* Another time zone's clock differs by 15 minutes at least, a busy machine by less than this. */
#define MAX_AGE_S 600

static void on_line(char *line)
{
	struct log_capture *capture = (struct log_capture *)(void *)line;

	capture->num_lines++;
}

void log_capture_start(struct log_capture *capture, enum log_capture_class kind)
{
	doca_error_t (*create)(char *, size_t, log_flush_callback, struct doca_log_backend **) =
	    kind == LOG_CAPTURE_SDK ? doca_log_backend_create_with_buf_sdk
				    : doca_log_backend_create_with_buf;

	capture->num_lines = 0;
	capture->line[0] = '\0';
	if (capture->backend == NULL)
		assert_success(
		    create(capture->line, sizeof(capture->line), on_line, &capture->backend));
}

void log_capture_stop(struct log_capture *capture)
{
	/* One of the two takes the backend, the other refuses it. */
	if (doca_log_backend_set_sdk_level(capture->backend, DOCA_LOG_LEVEL_DISABLE) ==
	    DOCA_SUCCESS)
		return;
	assert_success(
	    doca_log_backend_set_level_lower_limit(capture->backend, DOCA_LOG_LEVEL_DISABLE));
	assert_success(doca_log_backend_set_level_lower_limit_strict(capture->backend));
}

unsigned int log_capture_take(struct log_capture *capture)
{
	unsigned int count = capture->num_lines;

	capture->num_lines = 0;
	return count;
}

const char *log_line_message(const char *line)
{
	const char *message = strstr(line, "] ");

	assert_non_null(message);
	return message + strlen("] ");
}

static void check_time(const char *line)
{
	struct tm date = { .tm_isdst = -1 };
	double age;

	assert_non_null(strptime(line, "[%Y-%m-%d %H:%M:%S", &date));
	age = difftime(time(NULL), mktime(&date));
	if (age < -1 || age > MAX_AGE_S)
		fail_msg("not of now: %s", line);
}

/* Written out, and not a regular expression: some tests check a great many lines. */
static int has_form(const char *line)
{
	const char *form = "[dddd-dd-dd dd:dd:dd.dddddd][";

	for (; *form != '\0'; form++, line++) {
		if (*form == 'd' ? !isdigit((unsigned char)*line) : *form != *line)
			return 0;
	}
	return 1;
}

void log_line_check(const char *line, const char *tag, const char *source, const char *message)
{
	char rest[1024];
	int len =
	    snprintf(rest, sizeof(rest), "][%d][%s][%s] %s\n", (int)getpid(), tag, source, message);

	assert_in_range(len, 1, sizeof(rest) - 1);
	if (!has_form(line))
		fail_msg("no time at the start: %s", line);
	check_time(line);
	assert_string_equal(strchr(line, ']'), rest);
}
