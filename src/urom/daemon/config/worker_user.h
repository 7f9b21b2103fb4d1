/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_WORKER_USER_H_
#define UROMD_WORKER_USER_H_

/*
 * Whose processes workers are. A daemon of root's runs none as root unless it is told to: they are
 * the host's user's when the authentication says who that is, else those of one account. A daemon
 * of anybody else's has but its own.
 */

#include "urom/daemon/base/identity.h"
#include "urom/daemon/config/config.h"

/* Who has no name in --worker-user, where there is such a user. */
#define UROMD_WORKER_USER "openurom"

/*
 * Decides on the account of a config whose method of authentication is settled. May block.
 * Errors: NOT_FOUND: no such user. INVALID_VALUE: one that cannot be had. NOT_PERMITTED: it would
 * be root, and nobody has said so. As uromd_account_find(). failure tells.
 */
doca_error_t uromd_worker_user_settle(struct uromd_config *config, struct uromd_failure *failure);

/*
 * Who the worker is to be that a host's user asks for.
 * account: what it refers to is lent by the config; one that is_other may still have to be looked
 * up. Errors: NOT_PERMITTED; failure tells.
 */
doca_error_t uromd_worker_user_get(const struct uromd_config *config,
				   const struct uromd_identity *identity,
				   struct uromd_account *account, struct uromd_failure *failure);

#endif /* UROMD_WORKER_USER_H_ */
