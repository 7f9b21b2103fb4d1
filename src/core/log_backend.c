/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_backend.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/export.h"
#include "core/fork.h"
#include "core/log_level.h"
#include "core/log_sink.h"
#include "core/log_source.h"

/* Without a backend of their own, the libraries say what failed or is degraded. */
#define LOG_SDK_FALLBACK_LEVEL DOCA_LOG_LEVEL_WARNING

struct log_limits {
	uint32_t lower; /* the most talkative level let through */
	uint32_t upper; /* the most severe one */
};

struct doca_log_backend {
	struct doca_log_backend *next;
	enum log_class class;
	struct log_limits limits;
	struct log_limits bounds; /* fixed: what it is for, whatever the limits are */
	bool lower_strict;        /* the limit may still be narrowed, but not widened */
	bool upper_strict;
	struct log_sink sink;
};

const char *const log_level_tags[LOG_NUM_LEVEL_TAGS] = {
	[DOCA_LOG_LEVEL_CRIT] = "CRT",    [DOCA_LOG_LEVEL_ERROR] = "ERR",
	[DOCA_LOG_LEVEL_WARNING] = "WRN", [DOCA_LOG_LEVEL_INFO] = "INF",
	[DOCA_LOG_LEVEL_DEBUG] = "DBG",   [DOCA_LOG_LEVEL_TRACE] = "TRC",
};

/*
 * Whoever changes the list or a limit holds the lock; a line goes out without it. Backends are only
 * ever added, at the head, and never freed, so a walk over them is safe at any time; limits are
 * read and written atomically. So a thread that logs never waits for one that changes a limit, nor
 * the other way round. The function of a buffer backend holds its sink while it runs: a line of the
 * libraries may be passed on as one of the application's, which always takes the sinks in the same
 * order, and anything else that it logs goes to standard error.
 */
static struct doca_log_backend *backends;
static struct log_limits global[LOG_NUM_CLASSES] = {
	[LOG_CLASS_APP] = { DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT },
	[LOG_CLASS_SDK] = { DOCA_LOG_LEVEL_INFO, DOCA_LOG_LEVEL_CRIT },
};

/* The application asked for a level, so that holds also while it has no SDK backend. */
static bool sdk_limit_is_set;

/* The lowest limit of a class's backends: what is beyond it reaches nobody. */
static uint32_t wanted[LOG_NUM_CLASSES] = {
	[LOG_CLASS_APP] = DOCA_LOG_LEVEL_DISABLE,
	[LOG_CLASS_SDK] = LOG_SDK_FALLBACK_LEVEL,
};

static struct doca_log_backend *backends_first(void)
{
	return __atomic_load_n(&backends, __ATOMIC_ACQUIRE);
}

static uint32_t backend_lower(const struct doca_log_backend *backend)
{
	uint32_t lower = __atomic_load_n(&backend->limits.lower, __ATOMIC_RELAXED);

	return lower < backend->bounds.lower ? lower : backend->bounds.lower;
}

static uint32_t backend_upper(const struct doca_log_backend *backend)
{
	uint32_t upper = __atomic_load_n(&backend->limits.upper, __ATOMIC_RELAXED);

	return upper > backend->bounds.upper ? upper : backend->bounds.upper;
}

/* Called with the lock held, after each change of a limit or of the list. */
static void wanted_refresh(enum log_class class)
{
	uint32_t lowest = DOCA_LOG_LEVEL_DISABLE;
	const struct doca_log_backend *backend;
	bool has_backend = false;

	for (backend = backends; backend != NULL; backend = backend->next) {
		if (backend->class != class)
			continue;
		has_backend = true;
		if (backend_lower(backend) > lowest)
			lowest = backend_lower(backend);
	}
	if (class == LOG_CLASS_SDK && !has_backend)
		lowest = sdk_limit_is_set ? global[class].lower : LOG_SDK_FALLBACK_LEVEL;
	__atomic_store_n(&wanted[class], lowest, __ATOMIC_RELAXED);
	log_source_refresh(class);
}

uint32_t log_backend_wanted(enum log_class class)
{
	return __atomic_load_n(&wanted[class], __ATOMIC_RELAXED);
}

void log_backends_forked(void)
{
	struct doca_log_backend *backend;

	for (backend = backends; backend != NULL; backend = backend->next)
		log_sink_forked(&backend->sink);
}

/* Hands a line to the backends of its class; true: there was one. */
static bool emit_to_backends(enum log_class class, uint32_t level, bool has_own_level,
			     const char *line, size_t len)
{
	struct doca_log_backend *backend;
	bool has_backend = false;
	uint32_t lower;

	for (backend = backends_first(); backend != NULL; backend = backend->next) {
		if (backend->class != class)
			continue;
		has_backend = true;
		lower = has_own_level ? backend->bounds.lower : backend_lower(backend);
		if (level <= lower && level >= backend_upper(backend))
			log_sink_write(&backend->sink, level, line, len);
	}
	return has_backend;
}

void log_backend_emit(enum log_class class, uint32_t level, bool has_own_level, const char *line,
		      size_t len)
{
	/* What this thread is emitting while the function of a buffer backend logs. */
	static __thread enum {
		NOTHING,
		SDK_LINE,
		APP_LINE
	} emitting;
	const int outer = emitting;

	if (outer == APP_LINE || (outer == SDK_LINE && class == LOG_CLASS_SDK)) {
		log_sink_write_stderr(line, len);
		return;
	}
	emitting = class == LOG_CLASS_SDK ? SDK_LINE : APP_LINE;
	if (!emit_to_backends(class, level, has_own_level, line, len) && class == LOG_CLASS_SDK)
		log_sink_write_stderr(line, len);
	emitting = outer;
}

static struct doca_log_backend *backend_new(enum log_class class, const struct log_sink *sink)
{
	struct doca_log_backend *backend = calloc(1, sizeof(*backend));

	if (backend == NULL)
		return NULL;
	backend->class = class;
	backend->bounds.lower = DOCA_LOG_LEVEL_TRACE;
	backend->bounds.upper = DOCA_LOG_LEVEL_CRIT;
	backend->sink = *sink;
	pthread_mutex_init(&backend->sink.lock, NULL);
	return backend;
}

/* From here on the backend belongs to the list and lives until the process ends. */
static void backend_add(struct doca_log_backend *backend)
{
	pthread_mutex_lock(&log_backends_lock);
	backend->limits = global[backend->class];
	backend->next = backends;
	__atomic_store_n(&backends, backend, __ATOMIC_RELEASE);
	wanted_refresh(backend->class);
	pthread_mutex_unlock(&log_backends_lock);
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
	talk->bounds.upper = DOCA_LOG_LEVEL_INFO;
	alarm->bounds.lower = DOCA_LOG_LEVEL_WARNING;
	backend_add(talk);
	backend_add(alarm);
	return DOCA_SUCCESS;
}

static void set_lower(struct doca_log_backend *backend, uint32_t level)
{
	if (!backend->lower_strict || level < backend->limits.lower)
		__atomic_store_n(&backend->limits.lower, level, __ATOMIC_RELAXED);
}

static void set_upper(struct doca_log_backend *backend, uint32_t level)
{
	if (!backend->upper_strict || level > backend->limits.upper)
		__atomic_store_n(&backend->limits.upper, level, __ATOMIC_RELAXED);
}

typedef void (*limit_setter)(struct doca_log_backend *backend, uint32_t level);

static doca_error_t backend_set(struct doca_log_backend *backend, enum log_class class,
				limit_setter set, uint32_t level)
{
	if (backend == NULL || backend->class != class || !core_log_level_is_known(level))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&log_backends_lock);
	set(backend, level);
	wanted_refresh(class);
	pthread_mutex_unlock(&log_backends_lock);
	return DOCA_SUCCESS;
}

static doca_error_t global_set(enum log_class class, limit_setter set, uint32_t *limit,
			       uint32_t level)
{
	struct doca_log_backend *backend;

	if (!core_log_level_is_known(level))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&log_backends_lock);
	*limit = level;
	if (class == LOG_CLASS_SDK)
		sdk_limit_is_set = true;
	for (backend = backends; backend != NULL; backend = backend->next) {
		if (backend->class == class)
			set(backend, level);
	}
	wanted_refresh(class);
	pthread_mutex_unlock(&log_backends_lock);
	return DOCA_SUCCESS;
}

static uint32_t global_get(const uint32_t *limit)
{
	uint32_t level;

	pthread_mutex_lock(&log_backends_lock);
	level = *limit;
	pthread_mutex_unlock(&log_backends_lock);
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
