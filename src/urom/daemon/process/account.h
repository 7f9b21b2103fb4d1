/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ACCOUNT_H_
#define UROMD_ACCOUNT_H_

/*
 * A user of this machine that a process of the daemon's is to run as. What the system says of him
 * is looked up by name services, which may ask other machines and take as long as they like: so
 * before the daemon serves, or in the new process itself, where nobody else waits.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "urom/daemon/base/failure.h"
#include "urom/daemon/base/identity.h"

/* Zeroed memory has nothing to free. */
struct uromd_account {
	bool is_other;     /* than the daemon's own: else a process has all that the daemon has */
	bool is_looked_up; /* what stands below is known, too */
	uid_t uid;
	gid_t gid;
	char name[UROMD_USER_NAME_SIZE];
	char *home;    /* owned */
	char *shell;   /* owned */
	gid_t *groups; /* owned, num_groups entries: all that he is in */
	int num_groups;
};

/* The daemon's own. */
struct uromd_account uromd_account_own(void);

/*
 * Looks up a name, or a number that is a user's. May block.
 * account: written on success; uromd_account_fini(). Errors: NOT_FOUND: no such user. NO_MEMORY. As
 * the system has them: it cannot tell. failure tells.
 */
doca_error_t uromd_account_find(struct uromd_account *account, const char *text,
				struct uromd_failure *failure);

/* Looks up all the rest of a user whose uid is set. Otherwise as above. */
doca_error_t uromd_account_look_up(struct uromd_account *account, struct uromd_failure *failure);

void uromd_account_fini(struct uromd_account *account);

#endif /* UROMD_ACCOUNT_H_ */
