/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/cookie.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/env.h"

static doca_error_t fail(struct uromd_failure *failure, doca_error_t error,
			 const struct auth_reason *reason, const char *remedy)
{
	return uromd_fail(failure, error, "%s%s", reason->text, remedy);
}

/* One that somebody has named must be there: a new secret would be one that no host has. */
static doca_error_t load_named(struct uromd_config *config, struct uromd_failure *failure)
{
	struct auth_reason reason;
	doca_error_t result = auth_cookie_load(config->cookie_file, &config->cookie, &reason);

	if (result == DOCA_SUCCESS)
		return result;
	return fail(failure, result, &reason,
		    result == DOCA_ERROR_NOT_FOUND ? "; --make-cookie makes it" : "");
}

static doca_error_t make_file(struct uromd_config *config, struct auth_reason *reason)
{
	const mode_t mode = geteuid() == 0 ? 0755 : 0700;
	doca_error_t result = auth_cookie_make_folder(config->cookie_file, mode, reason);

	if (result == DOCA_SUCCESS)
		result = auth_cookie_make(config->cookie_file, reason);
	config->has_made_cookie = result == DOCA_SUCCESS;
	/* Another daemon may have been faster. */
	return result == DOCA_ERROR_ALREADY_EXIST ? DOCA_SUCCESS : result;
}

static doca_error_t load_default(struct uromd_config *config, struct uromd_failure *failure)
{
	char path[PATH_MAX];
	struct auth_reason reason;
	doca_error_t result;

	result =
	    auth_cookie_default(geteuid(), getenv("XDG_RUNTIME_DIR"), path, sizeof(path), &reason);
	if (result != DOCA_SUCCESS)
		return fail(failure, result, &reason,
			    "; --cookie names a file, and --make-cookie makes it");
	config->cookie_file = strdup(path);
	if (config->cookie_file == NULL)
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
	result = auth_cookie_load(path, &config->cookie, &reason);
	if (result == DOCA_ERROR_NOT_FOUND) {
		config->needs_cookie = true;
		config->cookie.owner = geteuid();
		return DOCA_SUCCESS;
	}
	return result == DOCA_SUCCESS ? result : fail(failure, result, &reason, "");
}

doca_error_t uromd_cookie_settle(struct uromd_config *config, struct uromd_failure *failure)
{
	const char *named = core_env("DOCA_UROM_COOKIE");

	if (config->cookie_file == NULL && named == NULL)
		return load_default(config, failure);
	if (config->cookie_file == NULL)
		config->cookie_file = strdup(named);
	if (config->cookie_file == NULL)
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
	return load_named(config, failure);
}

doca_error_t uromd_cookie_make(struct uromd_config *config, struct uromd_failure *failure)
{
	struct auth_reason reason;
	doca_error_t result;

	if (!config->needs_cookie)
		return DOCA_SUCCESS;
	result = make_file(config, &reason);
	if (result == DOCA_SUCCESS)
		result = auth_cookie_load(config->cookie_file, &config->cookie, &reason);
	config->needs_cookie = result != DOCA_SUCCESS;
	return result == DOCA_SUCCESS ? result : fail(failure, result, &reason, "");
}

void uromd_cookie_take_back(struct uromd_config *config)
{
	if (config->has_made_cookie)
		(void)unlink(config->cookie_file); /* or it stays, and is taken the next time */
	config->has_made_cookie = false;
}
