/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/log_backend.h"

/* A line that does not fit here is built on the heap. */
#define LOG_LINE_BYTES 1024

/* A message longer than this is cut: a runaway string must not take the memory. */
#define LOG_LINE_MAX_BYTES ((size_t)64 * 1024)

#define LOG_MAX_SOURCES    4096

struct log_source_entry {
	char *name; /* owned */
	enum log_class class;
};

static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * A slot is free while its name is NULL; entries never move, so a lookup takes no lock. Numbers
 * begin at 1: a file whose registration failed has 0, and must not log as somebody else.
 */
static struct log_source_entry sources[LOG_MAX_SOURCES];

static doca_error_t source_add(const char *name, enum log_class class, int *source)
{
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	char *copy = strdup(name);

	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	pthread_mutex_lock(&sources_lock);
	for (int i = 0; i < LOG_MAX_SOURCES && result != DOCA_SUCCESS; i++) {
		if (sources[i].name != NULL)
			continue;
		sources[i].class = class;
		__atomic_store_n(&sources[i].name, copy, __ATOMIC_RELEASE);
		*source = i + 1;
		result = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&sources_lock);
	if (result != DOCA_SUCCESS)
		free(copy);
	return result;
}

static struct log_source_entry *source_find(int source)
{
	struct log_source_entry *entry;

	if (source < 1 || source > LOG_MAX_SOURCES)
		return NULL;
	entry = &sources[source - 1];
	return __atomic_load_n(&entry->name, __ATOMIC_ACQUIRE) != NULL ? entry : NULL;
}

doca_error_t core_log_register_source(const char *name, int *source)
{
	return source_add(name, LOG_CLASS_SDK, source);
}

doca_error_t doca_log_register_source(const char *source_name, int *source)
{
	if (source_name == NULL || source == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return source_add(source_name, LOG_CLASS_APP, source);
}

doca_error_t doca_log_unregister_source(int source)
{
	struct log_source_entry *entry;
	char *name = NULL;

	pthread_mutex_lock(&sources_lock);
	entry = source_find(source);
	/* The libraries' sources are not the application's to give back. */
	if (entry != NULL && entry->class == LOG_CLASS_APP)
		name = __atomic_exchange_n(&entry->name, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&sources_lock);
	if (name == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(name);
	return DOCA_SUCCESS;
}

/* Writes "[time][process][level][source] " and returns its length, which always fits. */
static size_t line_head(char *line, size_t size, uint32_t level, const char *source_name)
{
	struct timespec now;
	struct tm local;
	char date[32];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	(void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
	return (size_t)snprintf(line, size, "[%s.%06ld][%d][%s][%.64s] ", date, now.tv_nsec / 1000,
				(int)getpid(), log_level_tag(level), source_name);
}

/* Ends the line in exactly one newline, whatever the message brought. */
static size_t line_end(char *line, size_t len)
{
	while (len > 0 && line[len - 1] == '\n')
		len--;
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
line_emit(const struct log_source_entry *source, uint32_t level, const char *format, va_list args)
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
	len = line_end(line, len);
	log_backend_emit(source->class, level, line, len);
	if (line != small)
		free(line);
	errno = err; /* to log what failed must not change what the caller does about it */
}

doca_error_t doca_log(uint32_t level, int source, const char *fname, int line, const char *func,
		      const char *format, ...)
{
	const struct log_source_entry *entry = source_find(source);
	va_list args;

	/* The public interface carries the place in the code; our lines do without it. */
	(void)fname;
	(void)line;
	(void)func;
	if (entry == NULL || format == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!log_backend_wants(entry->class, level))
		return log_level_tag(level) != NULL ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
	if (log_level_tag(level) == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	va_start(args, format);
	line_emit(entry, level, format, args);
	va_end(args);
	return DOCA_SUCCESS;
}
