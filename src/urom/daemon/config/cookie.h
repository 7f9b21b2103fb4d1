/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_COOKIE_H_
#define UROMD_COOKIE_H_

/* The daemon's cookie: which file it is, and who makes it. */

#include "urom/daemon/config/config.h"

/*
 * Loads the file of --cookie, of DOCA_UROM_COOKIE or the default one. When that is not there it is
 * left to uromd_cookie_make(), and the cookie has only the owner that it will have.
 * Errors: as auth_cookie_load() has them. failure tells.
 */
doca_error_t uromd_cookie_settle(struct uromd_config *config, struct uromd_failure *failure);

/*
 * Makes the default file, when there was none, and loads it. Comes when all else has gone well, so
 * that a daemon which does not start leaves no secret behind.
 * Errors: as auth_cookie_make() and auth_cookie_load() have them. failure tells.
 */
doca_error_t uromd_cookie_make(struct uromd_config *config, struct uromd_failure *failure);

/* Removes the file that uromd_cookie_make() has made, if it has, as the daemon does not start. */
void uromd_cookie_take_back(struct uromd_config *config);

#endif /* UROMD_COOKIE_H_ */
