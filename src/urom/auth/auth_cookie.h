/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_COOKIE_H_
#define AUTH_AUTH_COOKIE_H_

/*
 * The secret that daemon and hosts share, and the file that holds it: 64 hexadecimal digits and a
 * newline, for its owner and at most his group to read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "urom/auth/auth_reason.h"

#define AUTH_SECRET_SIZE      32
#define AUTH_COOKIE_FILE_SIZE (2 * AUTH_SECRET_SIZE + 1)

/* Where a root daemon has it, and the group that may read it there. */
#define AUTH_SYSTEM_COOKIE "/etc/openurom/cookie"
#define AUTH_COOKIE_GROUP  "openurom"

struct auth_cookie {
	uint8_t secret[AUTH_SECRET_SIZE];
	uid_t owner; /* of the file */
	gid_t group;
};

/* Forgets the secret. Thread: any. */
void auth_cookie_wipe(struct auth_cookie *cookie);

/* What a file says; false: it is no cookie. secret: AUTH_SECRET_SIZE bytes, written on success. */
bool auth_cookie_parse(const void *text, size_t len, uint8_t *secret);

/*
 * Reads a file. It must be a regular one, this user's or root's (root takes anybody's), that nobody
 * but its owner may write and nobody but owner and group may read. A link is followed: what counts
 * is the file at its end.
 * cookie: written on success only; to be wiped.
 * Errors: NOT_FOUND: there is none. NOT_PERMITTED: it may not be read. AUTHENTICATION: it is not as
 * it must be. reason tells, with the remedy.
 */
doca_error_t auth_cookie_load(const char *path, struct auth_cookie *cookie,
			      struct auth_reason *reason);

/*
 * Makes a file with a new secret, mode 0600; by root 0640 for the group AUTH_COOKIE_GROUP, where
 * there is one. Either all of it is there afterwards or nothing.
 * Errors: ALREADY_EXIST: nothing is ever overwritten. As the system has them. reason tells.
 */
doca_error_t auth_cookie_make(const char *path, struct auth_reason *reason);

/*
 * Makes the folder that the file will be in, unless it is there. mode: of the folder.
 * Errors: as the system has them; reason tells.
 */
doca_error_t auth_cookie_make_folder(const char *path, mode_t mode, struct auth_reason *reason);

/*
 * Where the cookie of that user's daemon is by default: AUTH_SYSTEM_COOKIE for root, else below
 * runtime_dir, which is $XDG_RUNTIME_DIR or NULL.
 * path: of size bytes. Errors: NOT_FOUND: no folder, or one whose path is too long; reason tells.
 */
doca_error_t auth_cookie_default(uid_t uid, const char *runtime_dir, char *path, size_t size,
				 struct auth_reason *reason);

#endif /* AUTH_AUTH_COOKIE_H_ */
