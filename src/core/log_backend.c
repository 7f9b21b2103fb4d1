/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_backend.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "core/export.h"
#include "core/log_sink.h"

/* Without a backend of their own, the libraries say what failed or is degraded. */
#define LOG_SDK_FALLBACK_LEVEL DOCA_LOG_LEVEL_WARNING

struct log_limits {
	uint32_t lower; /* the most talkative level let through */
	uint32_t upper; /* the most severe one */
};

struct doca_log_backend {
	LIST_ENTRY(doca_log_backend) link;
	enum log_class class;
	struct log_limits limits;
	bool lower_strict; /* the limit may still be narrowed, but not widened */
	bool upper_strict;
	struct log_sink sink;
};

static const struct {
	uint32_t level;
	const char *tag;
} level_tags[] = {
	{ DOCA_LOG_LEVEL_CRIT, "CRT" },    { DOCA_LOG_LEVEL_ERROR, "ERR" },
	{ DOCA_LOG_LEVEL_WARNING, "WRN" }, { DOCA_LOG_LEVEL_INFO, "INF" },
	{ DOCA_LOG_LEVEL_DEBUG, "DBG" },   { DOCA_LOG_LEVEL_TRACE, "TRC" },
};

/* Guards the list, the limits and the global limits; held for reading while a line goes out. */
static pthread_rwlock_t backends_lock = PTHREAD_RWLOCK_INITIALIZER;
static LIST_HEAD(, doca_log_backend) backends = LIST_HEAD_INITIALIZER(backends);
static struct log_limits global[LOG_NUM_CLASSES] = {
	[LOG_CLASS_APP] = { DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT },
	[LOG_CLASS_SDK] = { DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT },
};

/* The lowest limit of a class's backends: what is beyond it reaches nobody. */
static uint32_t wanted[LOG_NUM_CLASSES] = {
	[LOG_CLASS_APP] = DOCA_LOG_LEVEL_DISABLE,
	[LOG_CLASS_SDK] = LOG_SDK_FALLBACK_LEVEL,
};
static bool has_backend[LOG_NUM_CLASSES];

const char *log_level_tag(uint32_t level)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(level_tags); i++) {
		if (level_tags[i].level == level)
			return level_tags[i].tag;
	}
	return NULL;
}

static bool level_is_limit(uint32_t level)
{
	return level == DOCA_LOG_LEVEL_DISABLE || log_level_tag(level) != NULL;
}

/* Called with the lock held for writing, after each change of a limit or of the list. */
static void wanted_refresh(void)
{
	uint32_t lowest[LOG_NUM_CLASSES] = { DOCA_LOG_LEVEL_DISABLE, DOCA_LOG_LEVEL_DISABLE };
	const struct doca_log_backend *backend;

	if (!has_backend[LOG_CLASS_SDK])
		lowest[LOG_CLASS_SDK] = LOG_SDK_FALLBACK_LEVEL;
	LIST_FOREACH(backend, &backends, link)
	{
		if (backend->limits.lower > lowest[backend->class])
			lowest[backend->class] = backend->limits.lower;
	}
	for (size_t i = 0; i < LOG_NUM_CLASSES; i++)
		__atomic_store_n(&wanted[i], lowest[i], __ATOMIC_RELAXED);
}

int log_backend_wants(enum log_class class, uint32_t level)
{
	return level <= __atomic_load_n(&wanted[class], __ATOMIC_RELAXED);
}

void log_backend_emit(enum log_class class, uint32_t level, const char *line, size_t len)
{
	struct doca_log_backend *backend;

	pthread_rwlock_rdlock(&backends_lock);
	LIST_FOREACH(backend, &backends, link)
	{
		if (backend->class == class && level <= backend->limits.lower &&
		    level >= backend->limits.upper)
			log_sink_write(&backend->sink, level, line, len);
	}
	if (class == LOG_CLASS_SDK && !has_backend[class])
		log_sink_write_stderr(line, len);
	pthread_rwlock_unlock(&backends_lock);
}

static struct doca_log_backend *backend_new(enum log_class class, const struct log_sink *sink)
{
	struct doca_log_backend *backend = calloc(1, sizeof(*backend));

	if (backend == NULL)
		return NULL;
	backend->class = class;
	backend->sink = *sink;
	pthread_mutex_init(&backend->sink.lock, NULL);
	return backend;
}

/* From here on the backend belongs to the list and lives until the process ends. */
static void backend_add(struct doca_log_backend *backend)
{
	pthread_rwlock_wrlock(&backends_lock);
	if (backend->limits.lower == 0)
		backend->limits.lower = global[backend->class].lower;
	if (backend->limits.upper == 0)
		backend->limits.upper = global[backend->class].upper;
	LIST_INSERT_HEAD(&backends, backend, link);
	has_backend[backend->class] = true;
	wanted_refresh();
	pthread_rwlock_unlock(&backends_lock);
}

doca_error_t log_backend_create(enum log_class class, const struct log_sink *sink,
				struct doca_log_backend **backend)
{
	struct doca_log_backend *created = backend_new(class, sink);

	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	backend_add(created);
	*backend = created;
	return DOCA_SUCCESS;
}

/* Talk and alarm split the levels between them: no limit that is set later makes them overlap. */
doca_error_t doca_log_backend_create_standard(void)
{
	const struct log_sink out = { .ops = &log_sink_file_ops, .file = stdout };
	const struct log_sink err = { .ops = &log_sink_file_ops, .file = stderr };
	struct doca_log_backend *talk, *alarm;

	talk = backend_new(LOG_CLASS_APP, &out);
	if (talk == NULL)
		return DOCA_ERROR_NO_MEMORY;
	alarm = backend_new(LOG_CLASS_APP, &err);
	if (alarm == NULL) {
		free(talk);
		return DOCA_ERROR_NO_MEMORY;
	}
	talk->limits.upper = DOCA_LOG_LEVEL_INFO;
	talk->upper_strict = true;
	alarm->limits.lower = DOCA_LOG_LEVEL_WARNING;
	alarm->lower_strict = true;
	backend_add(talk);
	backend_add(alarm);
	return DOCA_SUCCESS;
}

static void set_lower(struct doca_log_backend *backend, uint32_t level)
{
	if (!backend->lower_strict || level < backend->limits.lower)
		backend->limits.lower = level;
}

static void set_upper(struct doca_log_backend *backend, uint32_t level)
{
	if (!backend->upper_strict || level > backend->limits.upper)
		backend->limits.upper = level;
}

typedef void (*limit_setter)(struct doca_log_backend *backend, uint32_t level);

static doca_error_t backend_set(struct doca_log_backend *backend, enum log_class class,
				limit_setter set, uint32_t level)
{
	if (backend == NULL || backend->class != class || !level_is_limit(level))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_rwlock_wrlock(&backends_lock);
	set(backend, level);
	wanted_refresh();
	pthread_rwlock_unlock(&backends_lock);
	return DOCA_SUCCESS;
}

static doca_error_t global_set(enum log_class class, limit_setter set, uint32_t *limit,
			       uint32_t level)
{
	struct doca_log_backend *backend;

	if (!level_is_limit(level))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_rwlock_wrlock(&backends_lock);
	*limit = level;
	LIST_FOREACH(backend, &backends, link)
	{
		if (backend->class == class)
			set(backend, level);
	}
	wanted_refresh();
	pthread_rwlock_unlock(&backends_lock);
	return DOCA_SUCCESS;
}

static uint32_t global_get(const uint32_t *limit)
{
	uint32_t level;

	pthread_rwlock_rdlock(&backends_lock);
	level = *limit;
	pthread_rwlock_unlock(&backends_lock);
	return level;
}

doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level)
{
	return backend_set(backend, LOG_CLASS_APP, set_lower, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
						    uint32_t upper_limit)
{
	return backend_set(backend, LOG_CLASS_APP, set_upper, upper_limit);
}

doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	return backend_set(backend, LOG_CLASS_SDK, set_lower, level);
}

static void set_lower_strict(struct doca_log_backend *backend, uint32_t level)
{
	(void)level;
	backend->lower_strict = true;
}

static void set_upper_strict(struct doca_log_backend *backend, uint32_t level)
{
	(void)level;
	backend->upper_strict = true;
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend)
{
	return backend_set(backend, LOG_CLASS_APP, set_lower_strict, DOCA_LOG_LEVEL_DISABLE);
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend)
{
	return backend_set(backend, LOG_CLASS_APP, set_upper_strict, DOCA_LOG_LEVEL_DISABLE);
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level)
{
	return global_set(LOG_CLASS_APP, set_lower, &global[LOG_CLASS_APP].lower, level);
}

doca_error_t doca_log_level_set_global_upper_limit(uint32_t upper_limit)
{
	return global_set(LOG_CLASS_APP, set_upper, &global[LOG_CLASS_APP].upper, upper_limit);
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level)
{
	return global_set(LOG_CLASS_SDK, set_lower, &global[LOG_CLASS_SDK].lower, level);
}

uint32_t doca_log_level_get_global_lower_limit(void)
{
	return global_get(&global[LOG_CLASS_APP].lower);
}

uint32_t doca_log_level_get_global_upper_limit(void)
{
	return global_get(&global[LOG_CLASS_APP].upper);
}

uint32_t doca_log_level_get_global_sdk_limit(void)
{
	return global_get(&global[LOG_CLASS_SDK].lower);
}
