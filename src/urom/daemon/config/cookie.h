/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_COOKIE_H_
#define UROMD_COOKIE_H_

/* The daemon's cookie: which file it is, and who makes it. */

#include "urom/daemon/config/config.h"

/*
 * Loads the file of --cookie, of DOCA_UROM_COOKIE or the default one; that is made when there is
 * none. Errors: as auth_cookie_load() and auth_cookie_make() have them. failure tells.
 */
doca_error_t uromd_cookie_settle(struct uromd_config *config, struct uromd_failure *failure);

#endif /* UROMD_COOKIE_H_ */
