/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/fork.h"
#include "core/log_source.h"

/* A line that does not fit here is built on the heap. */
#define LOG_LINE_BYTES 1024

/* A message longer than this is cut: a runaway string must not take the memory. */
#define LOG_LINE_MAX_BYTES ((size_t)64 * 1024)

static void date_put(char *date, size_t size, time_t seconds)
{
	struct tm local;

	(void)pthread_mutex_lock(&log_time_lock); /* it cannot fail */
	localtime_r(&seconds, &local);
	(void)pthread_mutex_unlock(&log_time_lock); /* the same */
	(void)strftime(date, size, "%Y-%m-%d %H:%M:%S", &local);
}

/* Writes "[time][process][level][source] " and returns its length, which always fits. */
static size_t line_head(char *line, size_t size, uint32_t level, const char *source_name)
{
	struct timespec now;
	char date[32];

	clock_gettime(CLOCK_REALTIME, &now);
	date_put(date, sizeof(date), now.tv_sec);
	return (size_t)snprintf(line, size, "[%s.%06ld][%d][%s][%.64s] ", date, now.tv_nsec / 1000,
				(int)getpid(), log_level_tag(level), source_name);
}

/*
 * Ends the line in exactly one newline, whatever the message brought. Those of the libraries may
 * quote strangers, who are not to make lines of their own.
 */
static size_t line_end(const struct log_source *source, char *line, size_t len)
{
	while (len > 0 && line[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len && source->class == LOG_CLASS_SDK; i++) {
		if (iscntrl((unsigned char)line[i]))
			line[i] = '?';
	}
	line[len++] = '\n';
	line[len] = '\0';
	return len;
}

/* As vsnprintf(). err: what %m stands for, whatever has set errno since the caller logged. */
__attribute__((format(printf, 4, 0))) static int message_put(char *at, size_t size, int err,
							     const char *format, va_list args)
{
	errno = err;
	return vsnprintf(at, size, format, args);
}

__attribute__((format(printf, 3, 0))) static void
line_emit(const struct log_source *source, uint32_t level, const char *format, va_list args)
{
	const int err = errno;
	char small[LOG_LINE_BYTES];
	char *line = small;
	size_t head, len;
	va_list again;
	int text;

	head = line_head(small, sizeof(small), level, source->name);
	va_copy(again, args);
	text = message_put(small + head, sizeof(small) - head - 1, err, format, args);
	len = head + (text > 0 ? (size_t)text : 0);
	if (len > LOG_LINE_MAX_BYTES)
		len = LOG_LINE_MAX_BYTES;
	if (len + 2 > sizeof(small)) {
		line = malloc(len + 2);
		if (line != NULL) {
			memcpy(line, small, head);
			/* Cut is fine. */
			(void)message_put(line + head, len - head + 1, err, format, again);
		} else { /* the start of the message is better than nothing */
			line = small;
			len = sizeof(small) - 2;
		}
	}
	va_end(again);
	len = line_end(source, line, len);
	log_backend_emit(source->class, level, source->level != 0, line, len);
	if (line != small)
		free(line);
	errno = err; /* to log what failed must not change what the caller does about it */
}

__attribute__((format(printf, 3, 4))) static void line_say(const struct log_source *source,
							   uint32_t level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line_emit(source, level, format, args);
	va_end(args);
}

/* A line that somebody wants. Out of line, so that doca_log() is short for those that nobody does.
 */
__attribute__((format(printf, 3, 0), noinline)) static doca_error_t
line_log(int number, uint32_t level, const char *format, va_list args)
{
	struct log_source *source = log_source_get(number);
	uint32_t num_held;
	bool is_admitted;

	is_admitted = log_source_admit(source, &num_held);
	if (num_held > 0)
		line_say(source, DOCA_LOG_LEVEL_WARNING, "%u lines were over the limit", num_held);
	if (is_admitted)
		line_emit(source, level, format, args);
	return DOCA_SUCCESS;
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...)
{
	const uint32_t limit = log_source_limit(source);
	doca_error_t result;
	va_list args;

	/* The public interface carries the place in the code; our lines do without it. */
	(void)fname;
	(void)line;
	(void)func;
	if (limit == 0 || format == NULL || log_level_tag(level) == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (level > limit)
		return DOCA_SUCCESS;
	va_start(args, format);
	result = line_log(source, level, format, args);
	va_end(args);
	return result;
}
