/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_source.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/fork.h"
#include "core/log.h"
#include "core/log_level.h"

#define LEVELS_VARIABLE "DOCA_LOG_SOURCE_LEVELS"
#define RATE_VARIABLE   "DOCA_LOG_RATE_LIMIT"

static struct log_source sources[LOG_MAX_SOURCES]; /* entries never move */
uint32_t log_source_limits[LOG_MAX_SOURCES + 1];

/* Lines a second that each source may log; 0: as many as it likes. Set once, by the first source.
 */
static uint32_t rate_limit;

/* A variable that cannot be used as it is, and its form; told of once there is a source. */
static const char *bad_variable, *bad_variable_form;

CORE_LOG_REGISTER(CORE::LOG);

/* A whole text that is a number of 32 bits. */
static bool parse_number(const char *text, uint32_t *number)
{
	unsigned long value;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno != 0 || *end != '\0' || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* A level by name or number; len bytes of text. */
static bool parse_level(const char *text, size_t len, uint32_t *level)
{
	char copy[16];

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return core_log_level_from_text(copy, level);
}

static void note_bad_variable(const char *name, const char *form)
{
	bad_variable = name;
	bad_variable_form = form;
}

/*
 * The level that an entry PREFIX=LEVEL of the variable gives to the source, or 0. The last entry
 * that fits counts.
 */
static uint32_t level_from_environment(const char *name)
{
	const char *entry = getenv(LEVELS_VARIABLE);
	uint32_t found = 0;

	while (entry != NULL && *entry != '\0') {
		size_t len = strcspn(entry, ",");
		const char *equals = memchr(entry, '=', len);
		size_t prefix_len = equals != NULL ? (size_t)(equals - entry) : 0;
		uint32_t level;

		if (prefix_len == 0 || !parse_level(equals + 1, len - prefix_len - 1, &level))
			note_bad_variable(LEVELS_VARIABLE, "PREFIX=LEVEL[,...]");
		else if (strncmp(name, entry, prefix_len) == 0)
			found = level;
		entry += len + (entry[len] == ',' ? 1 : 0);
	}
	return found;
}

static void rate_from_environment(void)
{
	const char *text = getenv(RATE_VARIABLE);

	if (text != NULL && !parse_number(text, &rate_limit))
		note_bad_variable(RATE_VARIABLE, "lines a second");
}

/* After the sources of this library are registered, so that the lines have a name. */
__attribute__((constructor(102))) static void tell_bad_variable(void)
{
	if (bad_variable != NULL)
		DOCA_LOG_WARN("%s=\"%.96s\" is not all used: it is %s", bad_variable,
			      getenv(bad_variable), bad_variable_form);
}

/* Called with the lock held. */
static void limit_refresh(int index)
{
	const struct log_source *source = &sources[index];
	uint32_t limit = 0;

	if (source->name != NULL)
		limit = source->level != 0 ? source->level : log_backend_wanted(source->class);
	__atomic_store_n(&log_source_limits[index + 1], limit, __ATOMIC_RELEASE);
}

void log_source_refresh(enum log_class class)
{
	pthread_mutex_lock(&log_sources_lock);
	for (int i = 0; i < LOG_MAX_SOURCES; i++) {
		if (sources[i].class == class)
			limit_refresh(i);
	}
	pthread_mutex_unlock(&log_sources_lock);
}

static doca_error_t source_add(const char *name, enum log_class class, int *source)
{
	static pthread_once_t rate_once = PTHREAD_ONCE_INIT;
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	char *copy = strdup(name);

	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	(void)pthread_once(&rate_once, rate_from_environment); /* fails for a bad argument only */
	pthread_mutex_lock(&log_sources_lock);
	for (int i = 0; i < LOG_MAX_SOURCES && result != DOCA_SUCCESS; i++) {
		if (sources[i].name != NULL)
			continue;
		sources[i] = (struct log_source){
			.name = copy,
			.class = class,
			.level = level_from_environment(name),
		};
		limit_refresh(i);
		*source = i + 1;
		result = DOCA_SUCCESS;
	}
	pthread_mutex_unlock(&log_sources_lock);
	if (result != DOCA_SUCCESS)
		free(copy);
	return result;
}

struct log_source *log_source_get(int source)
{
	return &sources[source - 1];
}

bool log_source_admit(struct log_source *source, uint32_t *num_held)
{
	struct timespec now;
	bool is_admitted;

	*num_held = 0;
	if (rate_limit == 0)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&log_sources_lock);
	if (source->second != now.tv_sec) {
		*num_held = source->num_held;
		source->second = now.tv_sec;
		source->num_lines = 0;
		source->num_held = 0;
	}
	is_admitted = source->num_lines < rate_limit;
	if (is_admitted)
		source->num_lines++;
	else
		source->num_held++;
	pthread_mutex_unlock(&log_sources_lock);
	return is_admitted;
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
	char *name = NULL;

	pthread_mutex_lock(&log_sources_lock);
	/* The libraries' sources are not the application's to give back. */
	if (log_source_limit(source) != 0 && sources[source - 1].class == LOG_CLASS_APP) {
		name = sources[source - 1].name;
		sources[source - 1].name = NULL;
		limit_refresh(source - 1);
	}
	pthread_mutex_unlock(&log_sources_lock);
	if (name == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(name);
	return DOCA_SUCCESS;
}
