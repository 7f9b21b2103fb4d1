/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/args_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>

#include "core/export.h"
#include "urom/daemon/config/config.h"

/* --- What is given. argp tells a callback nothing of its argument, so each has one of its own. ---
 */

static doca_error_t take(void *config, enum uromd_limit_id id, char *text)
{
	((struct uromd_config *)config)->limit_texts[id] = text;
	return text != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t take_text(void *config, enum uromd_limit_id id, const void *value)
{
	return take(config, id, strdup(value));
}

static doca_error_t take_number(void *config, enum uromd_limit_id id, const void *value)
{
	char *text;

	return take(config, id, asprintf(&text, "%d", *(const int *)value) > 0 ? text : NULL);
}

static doca_error_t on_max_sessions(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_SESSIONS, value);
}

static doca_error_t on_max_half_open(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_HALF_OPEN, value);
}

static doca_error_t on_handshake_timeout(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_HANDSHAKE, value);
}

static doca_error_t on_max_workers(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_WORKERS, value);
}

static doca_error_t on_max_workers_per_session(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_SESSION_WORKERS, value);
}

static doca_error_t on_max_environments(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_ENVIRONMENTS, value);
}

static doca_error_t on_worker_memory(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_MEMORY, value);
}

static doca_error_t on_worker_cpu_time(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_CPU_TIME, value);
}

static doca_error_t on_worker_files(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_FILES, value);
}

static doca_error_t on_worker_core(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_CORE, value);
}

static doca_error_t on_max_msg_size(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_MESSAGE, value);
}

static doca_error_t on_max_unread(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_UNREAD, value);
}

static doca_error_t on_max_log_size(void *value, void *config)
{
	return take_text(config, UROMD_LIMIT_LOG_SIZE, value);
}

static doca_error_t on_keep_logs(void *value, void *config)
{
	return take_number(config, UROMD_LIMIT_LOGS, value);
}

/* What takes no suffix is a number in a JSON file, too. */
static const struct {
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
} params[] = {
	[UROMD_LIMIT_SESSIONS] = { on_max_sessions, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_HALF_OPEN] = { on_max_half_open, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_HANDSHAKE] = { on_handshake_timeout, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_WORKERS] = { on_max_workers, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_SESSION_WORKERS] = { on_max_workers_per_session, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_ENVIRONMENTS] = { on_max_environments, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_MEMORY] = { on_worker_memory, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_CPU_TIME] = { on_worker_cpu_time, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_FILES] = { on_worker_files, DOCA_ARGP_TYPE_INT },
	[UROMD_LIMIT_CORE] = { on_worker_core, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_MESSAGE] = { on_max_msg_size, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_UNREAD] = { on_max_unread, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_LOG_SIZE] = { on_max_log_size, DOCA_ARGP_TYPE_STRING },
	[UROMD_LIMIT_LOGS] = { on_keep_logs, DOCA_ARGP_TYPE_INT },
};
_Static_assert(CORE_ARRAY_LEN(params) == UROMD_NUM_LIMITS, "a limit without an argument");

static doca_error_t add_limit(enum uromd_limit_id id)
{
	const struct uromd_limit *limit = &uromd_limits[id];
	struct doca_argp_param *param;
	char bounds[UROMD_LIMIT_TEXT], usual[UROMD_LIMIT_TEXT], text[4 * UROMD_LIMIT_TEXT];
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	(void)snprintf(text, sizeof(text), "Limit of %s: %s (%s)", limit->what,
		       uromd_limit_bounds_text(id, bounds),
		       uromd_limit_value_text(id, limit->usual, usual));
	if (limit->short_name != NULL)
		doca_argp_param_set_short_name(param, limit->short_name);
	doca_argp_param_set_long_name(param, limit->name);
	doca_argp_param_set_arguments(param, limit->unit);
	doca_argp_param_set_description(param, text);
	doca_argp_param_set_callback(param, params[id].callback);
	doca_argp_param_set_type(param, params[id].type);
	return doca_argp_register_param(param);
}

doca_error_t uromd_args_add_limits(void)
{
	doca_error_t result = DOCA_SUCCESS;

	for (unsigned int id = 0; id < UROMD_NUM_LIMITS && result == DOCA_SUCCESS; id++)
		result = add_limit(id);
	return result;
}
