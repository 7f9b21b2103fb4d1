/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/args.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_log.h>

#include "core/export.h"
#include "urom/daemon/config/args_limits.h"
#include "urom/daemon/config/worker_user.h"

#define PROGRAM "doca_urom_daemon"

static doca_error_t take_text(char **into, const char *value)
{
	*into = strdup(value);
	return *into != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t on_listen(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->listen, value);
}

static doca_error_t on_insecure(void *value, void *config)
{
	((struct uromd_config *)config)->is_insecure = *(const bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t on_auth(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->auth_name, value);
}

static doca_error_t on_cookie(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->cookie_file, value);
}

static doca_error_t on_make_cookie(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->make_cookie, value);
}

static doca_error_t on_munge_socket(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->munge_socket, value);
}

static doca_error_t on_allow_hosts(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->allow_hosts_text, value);
}

static doca_error_t on_allow_users(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->allow_users_text, value);
}

static doca_error_t on_channel(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->channel, value);
}

static doca_error_t on_cpuset(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->cpuset, value);
}

static doca_error_t on_plugin_timeout(void *value, void *config)
{
	((struct uromd_config *)config)->plugin_timeout_s = *(const int *)value;
	return DOCA_SUCCESS;
}

static doca_error_t on_grace(void *value, void *config)
{
	((struct uromd_config *)config)->grace_s = *(const int *)value;
	return DOCA_SUCCESS;
}

static doca_error_t on_keep_workers(void *value, void *config)
{
	((struct uromd_config *)config)->is_keeping = *(const bool *)value;
	return DOCA_SUCCESS;
}

static doca_error_t on_log_dir(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->log_dir, value);
}

static doca_error_t on_port_file(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->port_file, value);
}

static doca_error_t on_worker_user(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->worker_user, value);
}

static doca_error_t on_worker(void *value, void *config)
{
	return take_text(&((struct uromd_config *)config)->worker, value);
}

struct param {
	const char *short_name; /* NULL: none */
	const char *long_name;
	const char *arguments; /* NULL: none */
	const char *description;
	doca_argp_param_cb_t callback;
	enum doca_argp_type type;
	bool is_hidden;
};

static const struct param params[] = {
	{ NULL, "listen", "<addr[:port]>",
	  "Where hosts connect (127.0.0.1:18766); port 0 takes any that is free", on_listen,
	  DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "insecure", NULL,
	  "Allow an address that other machines reach, without authentication", on_insecure,
	  DOCA_ARGP_TYPE_BOOLEAN, false },
	{ NULL, "auth", "<method>", "How hosts are authenticated: cookie, munge or none (cookie)",
	  on_auth, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "cookie", "<file>", "The secret that hosts must have, too", on_cookie,
	  DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "make-cookie", "<file>", "Make such a file, where there is none, and exit",
	  on_make_cookie, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "munge-socket", "<path>", "Where munged is asked, with --auth munge",
	  on_munge_socket, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "allow-hosts", "<list>",
	  "Who may connect: addresses and prefixes, as 10.0.0.0/8,::1", on_allow_hosts,
	  DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "allow-users", "<list>",
	  "Whose programs may, by names or numbers; with --auth munge", on_allow_users,
	  DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "channel", "<kind>", "What carries commands: ucx or tcp (ucx)", on_channel,
	  DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "cpuset", "<list>",
	  "The processors to offer, such as 0-7,16; the n-th of those there are stands behind "
	  "number n",
	  on_cpuset, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "plugin-timeout", "<seconds>",
	  "End a worker whose plugin does not return for so long; 0: never (60)", on_plugin_timeout,
	  DOCA_ARGP_TYPE_INT, false },
	{ NULL, "grace", "<seconds>",
	  "How long a worker waits for another host when it has lost its last one; 0: not at all "
	  "(1)",
	  on_grace, DOCA_ARGP_TYPE_INT, false },
	{ NULL, "keep-workers", NULL,
	  "Keep workers that have lost their last host until one attaches and stops them",
	  on_keep_workers, DOCA_ARGP_TYPE_BOOLEAN, false },
	{ NULL, "log-dir", "<directory>", "Where the logs of the daemon and of its workers are",
	  on_log_dir, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "port-file", "<file>", "Write the address to this file once hosts can connect",
	  on_port_file, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "worker-user", "<name>",
	  "Whose processes workers of root's daemon are (the owner of the cookie file, if he is "
	  "not root, else " UROMD_WORKER_USER "); never root's unless named here",
	  on_worker_user, DOCA_ARGP_TYPE_STRING, false },
	{ NULL, "worker", "<program>", "The program of the workers", on_worker,
	  DOCA_ARGP_TYPE_STRING, true },
};

static doca_error_t add_param(const struct param *row)
{
	struct doca_argp_param *param;
	doca_error_t result = doca_argp_param_create(&param);

	if (result != DOCA_SUCCESS)
		return result;
	if (row->short_name != NULL)
		doca_argp_param_set_short_name(param, row->short_name);
	if (row->arguments != NULL)
		doca_argp_param_set_arguments(param, row->arguments);
	if (row->is_hidden)
		doca_argp_param_set_hidden(param);
	doca_argp_param_set_long_name(param, row->long_name);
	doca_argp_param_set_description(param, row->description);
	doca_argp_param_set_callback(param, row->callback);
	doca_argp_param_set_type(param, row->type);
	return doca_argp_register_param(param);
}

/*
 * Who silences the daemon silences the libraries in it; otherwise they warn, unless they are asked
 * for something else.
 */
static void take_levels(struct uromd_config *config)
{
	(void)doca_argp_get_log_level(&config->log_level); /* it is no NULL */
	(void)doca_argp_get_sdk_log_level(&config->sdk_log_level);
	if (config->log_level == DOCA_LOG_LEVEL_DISABLE) {
		config->sdk_log_level = DOCA_LOG_LEVEL_DISABLE;
		(void)doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE); /* a level */
	}
}

doca_error_t uromd_args_parse(int argc, char **argv, struct uromd_config *config)
{
	doca_error_t result;

	*config = (struct uromd_config){ .plugin_timeout_s = INT_MIN, .grace_s = INT_MIN };
	(void)doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING); /* it is a level */
	result = doca_argp_init(PROGRAM, config);
	if (result != DOCA_SUCCESS)
		return result;
	for (size_t i = 0; i < CORE_ARRAY_LEN(params) && result == DOCA_SUCCESS; i++)
		result = add_param(&params[i]);
	if (result == DOCA_SUCCESS)
		result = uromd_args_add_limits();
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	if (result == DOCA_SUCCESS)
		take_levels(config);
	(void)doca_argp_destroy(); /* it was initialised */
	return result;
}
