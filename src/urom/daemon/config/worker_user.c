/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/worker_user.h"

#include <stdio.h>
#include <unistd.h>

/* Who loads plugins to see what they are, when there is nobody else: he owns nothing. */
#define NOBODY "nobody"

/* Does the method say who a host's user is? */
static bool says_who(const struct uromd_auth *auth)
{
	return auth->number == WIRE_AUTH_MUNGE;
}

static doca_error_t find_named(struct uromd_config *config, struct uromd_failure *failure)
{
	struct uromd_failure why;
	doca_error_t result =
	    uromd_account_find(&config->worker_account, config->worker_user, &why);

	if (result != DOCA_SUCCESS)
		return uromd_fail(failure, result, "--worker-user %s: %s", config->worker_user,
				  why.reason);
	return DOCA_SUCCESS;
}

/* Without root's rights there is no other user. */
static doca_error_t settle_own(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result = DOCA_SUCCESS;

	if (config->worker_user != NULL)
		result = find_named(config, failure);
	if (result != DOCA_SUCCESS)
		return result;
	if (config->worker_account.is_other)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--worker-user %s: only a daemon of root's runs workers as "
				  "somebody else; leave it out, or start the daemon as root",
				  config->worker_user);
	uromd_account_fini(&config->worker_account);
	config->worker_account = uromd_account_own();
	return DOCA_SUCCESS;
}

/* Each host's user has his own; the account is for plugins that are being probed. */
static doca_error_t settle_hosts(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result;

	config->has_hosts_users = true;
	if (config->worker_user != NULL) {
		result = find_named(config, failure);
		if (result == DOCA_SUCCESS && config->worker_account.is_other)
			result = uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
					    "--worker-user %s: with --auth %s workers are their "
					    "hosts' users'; only root can be named, who then may "
					    "have some, too",
					    config->worker_user, config->auth->name);
		return result;
	}
	result = uromd_account_find(&config->worker_account, UROMD_WORKER_USER, failure);
	if (result == DOCA_ERROR_NOT_FOUND)
		result = uromd_account_find(&config->worker_account, NOBODY, failure);
	return result;
}

/* A cookie that root has made a user's is how he is given a service of root's. */
static bool is_cookie_of_user(const struct uromd_config *config)
{
	return config->auth->number == WIRE_AUTH_COOKIE && config->cookie.owner != 0;
}

static doca_error_t find_owner(struct uromd_config *config, struct uromd_failure *failure)
{
	struct uromd_failure why;
	doca_error_t result;
	char number[16];

	(void)snprintf(number, sizeof(number), "%u", config->cookie.owner);
	result = uromd_account_find(&config->worker_account, number, &why);
	if (result != DOCA_SUCCESS)
		return uromd_fail(failure, result,
				  "workers are to be processes of the owner of cookie file %s: %s",
				  config->cookie_file, why.reason);
	return DOCA_SUCCESS;
}

/* One account for all. */
static doca_error_t settle_one(struct uromd_config *config, struct uromd_failure *failure)
{
	doca_error_t result;

	if (config->worker_user != NULL)
		return find_named(config, failure);
	if (is_cookie_of_user(config))
		return find_owner(config, failure);
	result = uromd_account_find(&config->worker_account, UROMD_WORKER_USER, failure);
	if (result == DOCA_ERROR_NOT_FOUND)
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "workers would be root's processes, and run what hosts and "
				  "plugins like; --worker-user NAME names another user, there is "
				  "none called " UROMD_WORKER_USER
				  ", and --worker-user root allows it all the same");
	return result;
}

doca_error_t uromd_worker_user_settle(struct uromd_config *config, struct uromd_failure *failure)
{
	if (geteuid() != 0)
		return settle_own(config, failure);
	return says_who(config->auth) ? settle_hosts(config, failure) : settle_one(config, failure);
}

doca_error_t uromd_worker_user_get(const struct uromd_config *config,
				   const struct uromd_identity *identity,
				   struct uromd_account *account, struct uromd_failure *failure)
{
	if (!config->has_hosts_users) {
		*account = config->worker_account;
		return DOCA_SUCCESS;
	}
	if (!identity->is_known)
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "nobody has said whose process the worker is to be");
	/* What stands for root's own account when workers may be root's. */
	if (identity->uid == config->worker_account.uid && !config->worker_account.is_other) {
		*account = config->worker_account;
		return DOCA_SUCCESS;
	}
	if (identity->uid == 0)
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED,
				  "the service runs no workers as root, unless it is started with "
				  "--worker-user root");
	*account = (struct uromd_account){
		.is_other = identity->uid != geteuid(),
		.uid = identity->uid,
		.gid = identity->gid,
	};
	(void)snprintf(account->name, sizeof(account->name), "%s", identity->name);
	return DOCA_SUCCESS;
}
