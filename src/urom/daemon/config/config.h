/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CONFIG_H_
#define UROMD_CONFIG_H_

/* What the daemon was told: by its arguments, by the environment, by default. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "urom/daemon/config/allow.h"
#include "urom/daemon/config/limit_table.h"
#include "urom/daemon/process/account.h"
#include "urom/daemon/sessions/auth.h"

/* Zeroed memory is a config of which nothing was given. */
struct uromd_config {
	/* As given. owned; NULL: not given. */
	char *listen; /* ADDR[:PORT] */
	char *cpuset;
	char *log_dir;
	char *port_file;
	char *worker; /* the program */
	char *channel;
	char *auth_name;
	char *worker_user; /* name or number */
	char *limit_texts[UROMD_NUM_LIMITS];
	char *cookie_file;
	char *make_cookie; /* to be made, and nothing else */
	char *munge_socket;
	char *allow_hosts_text;
	char *allow_users_text;
	int plugin_timeout_s; /* INT_MIN: not given */
	int grace_s;          /* INT_MIN: not given */
	bool is_keeping;      /* workers without hosts */
	bool is_insecure;

	/* What that comes to. */
	int log_level; /* enum doca_log_level */
	int sdk_log_level;
	int log_fd;                      /* of the daemon's log file; 0: there is none */
	struct sockaddr_storage address; /* to listen on */
	const struct uromd_auth *auth;
	struct uromd_account worker_account; /* of what probes plugins as well */
	bool has_hosts_users; /* workers are their hosts' users', and not that account's */
	struct uromd_limit_values limits;
	struct auth_cookie cookie; /* of the method cookie */
	bool needs_cookie;         /* its file is the default one, and is still to be made */
	bool has_made_cookie;
	struct uromd_allow_hosts allow_hosts;
	struct uromd_allow_users allow_users;
};

/*
 * Puts defaults and the environment in place of what was not given, and checks everything.
 * Errors: INVALID_VALUE, NOT_FOUND: a value cannot be used. NOT_SUPPORTED: not in this build.
 * NOT_PERMITTED: it takes --insecure. AUTHENTICATION: the cookie file is not as it must be.
 * NO_MEMORY. failure tells.
 */
doca_error_t uromd_config_settle(struct uromd_config *config, struct uromd_failure *failure);

void uromd_config_fini(struct uromd_config *config);

#endif /* UROMD_CONFIG_H_ */
