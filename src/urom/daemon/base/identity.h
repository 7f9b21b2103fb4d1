/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_IDENTITY_H_
#define UROMD_IDENTITY_H_

/*
 * Who the user of a host is. Only an authentication method that proves it knows; of all others, and
 * of a session whose handshake is not over, nobody does. Zeroed memory is nobody known.
 */

#include <stdbool.h>
#include <sys/types.h>

#define UROMD_USER_NAME_SIZE 64

struct uromd_identity {
	bool is_known; /* false: the rest says nothing */
	uid_t uid;
	gid_t gid;
	char name[UROMD_USER_NAME_SIZE]; /* empty: the uid has none, or it was not looked up */
};

/* Are they one user's? Where nobody is known, everybody is the same. */
static inline bool uromd_identity_is_same(const struct uromd_identity *one,
					  const struct uromd_identity *other)
{
	return one->is_known == other->is_known && (!one->is_known || one->uid == other->uid);
}

/* May a user hear of what is another's? Root may, and whoever is not known to be somebody else. */
static inline bool uromd_identity_may_see(const struct uromd_identity *viewer,
					  const struct uromd_identity *owner)
{
	return !viewer->is_known || viewer->uid == 0 || uromd_identity_is_same(viewer, owner);
}

#endif /* UROMD_IDENTITY_H_ */
