/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log.h"

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
#define LOG_LINE_MAX_BYTES (64 * 1024)

#define LOG_MAX_SOURCES    4096

struct log_source_entry {
	char *name; /* owned */
	enum log_class class;
};

static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;

/* A slot is free while its name is NULL; entries never move, so a lookup takes no lock. */
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
		*source = i;
		result = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&sources_lock);
	if (result != DOCA_SUCCESS)
		free(copy);
	return result;
}

static struct log_source_entry *source_find(int source)
{
	if (source < 0 || source >= LOG_MAX_SOURCES)
		return NULL;
	if (__atomic_load_n(&sources[source].name, __ATOMIC_ACQUIRE) == NULL)
		return NULL;
	return &sources[source];
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
	struct log_source_entry *entry = source_find(source);

	if (entry == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&sources_lock);
	free(entry->name);
	__atomic_store_n(&entry->name, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&sources_lock);
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
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
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

__attribute__((format(printf, 3, 0))) static void
line_emit(const struct log_source_entry *source, uint32_t level, const char *format, va_list args)
{
	char small[LOG_LINE_BYTES];
	char *line = small;
	size_t head, len;
	va_list again;
	int text;

	head = line_head(small, sizeof(small), level, source->name);
	va_copy(again, args);
	text = vsnprintf(small + head, sizeof(small) - head - 1, format, args);
	len = head + (text > 0 ? (size_t)text : 0);
	if (len > LOG_LINE_MAX_BYTES)
		len = LOG_LINE_MAX_BYTES;
	if (len + 2 > sizeof(small)) {
		line = malloc(len + 2);
		if (line != NULL) {
			memcpy(line, small, head);
			(void)vsnprintf(line + head, len - head + 1, format,
					again); /* cut is fine */
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
