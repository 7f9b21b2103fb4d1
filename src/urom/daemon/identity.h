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

#endif /* UROMD_IDENTITY_H_ */
