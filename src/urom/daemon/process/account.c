/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/account.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"

#define FEW_GROUPS 32 /* room for a first try */

/* A number and nothing else. */
static bool read_uid(const char *text, uid_t *uid)
{
	unsigned long value;

	if (*text == '\0' || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	value = strtoul(text, NULL, 10);
	if (errno != 0 || value >= UINT_MAX) /* the last one stands for "none" */
		return false;
	*uid = (uid_t)value;
	return true;
}

/* who: name or number, for the reason. */
static doca_error_t not_found(const char *who, struct uromd_failure *failure)
{
	/* Some name services say so by an error. */
	if (errno == 0 || errno == ENOENT || errno == ESRCH || errno == EBADF || errno == EPERM)
		return uromd_fail(failure, DOCA_ERROR_NOT_FOUND, "there is no user %s here", who);
	return uromd_fail(failure, core_error_from_errno(errno), "user %s cannot be looked up: %s",
			  who, strerror(errno));
}

static bool get_groups(struct uromd_account *account)
{
	int count = FEW_GROUPS;
	gid_t *groups = NULL;

	for (;;) {
		const int room = count;
		gid_t *more = reallocarray(groups, (size_t)room, sizeof(*groups));

		if (more == NULL)
			break;
		groups = more;
		if (getgrouplist(account->name, account->gid, groups, &count) >= 0) {
			account->groups = groups;
			account->num_groups = count;
			return true;
		}
		if (count <= room)
			break; /* it has failed otherwise */
	}
	free(groups);
	return false;
}

static doca_error_t take(struct uromd_account *account, const struct passwd *found,
			 struct uromd_failure *failure)
{
	struct uromd_account taken = { .uid = found->pw_uid, .gid = found->pw_gid };

	taken.is_other = taken.uid != geteuid();
	if (snprintf(taken.name, sizeof(taken.name), "%s", found->pw_name) >=
	    (int)sizeof(taken.name))
		return uromd_fail(failure, DOCA_ERROR_TOO_BIG, "the name of user %u is too long",
				  taken.uid);
	taken.home = strdup(found->pw_dir);
	taken.shell = strdup(found->pw_shell);
	if (taken.home == NULL || taken.shell == NULL || !get_groups(&taken)) {
		uromd_account_fini(&taken);
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY,
				  "no memory for the groups of user %u", found->pw_uid);
	}
	taken.is_looked_up = true;
	*account = taken;
	return DOCA_SUCCESS;
}

struct uromd_account uromd_account_own(void)
{
	return (struct uromd_account){ .uid = geteuid(), .gid = getegid() };
}

doca_error_t uromd_account_look_up(struct uromd_account *account, struct uromd_failure *failure)
{
	const struct passwd *found;
	char who[16];

	(void)snprintf(who, sizeof(who), "%u", account->uid);
	errno = 0;
	found = getpwuid(account->uid);
	return found != NULL ? take(account, found, failure) : not_found(who, failure);
}

doca_error_t uromd_account_find(struct uromd_account *account, const char *text,
				struct uromd_failure *failure)
{
	struct uromd_account by_uid = { .uid = 0 };
	const struct passwd *found;
	doca_error_t result;

	if (read_uid(text, &by_uid.uid)) {
		result = uromd_account_look_up(&by_uid, failure);
		if (result == DOCA_SUCCESS)
			*account = by_uid;
		return result;
	}
	errno = 0;
	found = getpwnam(text);
	return found != NULL ? take(account, found, failure) : not_found(text, failure);
}

void uromd_account_fini(struct uromd_account *account)
{
	free(account->home);
	free(account->shell);
	free(account->groups);
	*account = (struct uromd_account){ .uid = 0 };
}
