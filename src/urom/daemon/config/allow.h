/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ALLOW_H_
#define UROMD_ALLOW_H_

/* Lists of those who may come: of addresses, and of users. Zeroed memory lets everybody in. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "urom/daemon/base/failure.h"

#define UROMD_MAX_ALLOWED 1024

/* The first bits of an address, as in IPv6: those of IPv4 are ::ffff:a.b.c.d. */
struct uromd_prefix {
	uint8_t ip[16];
	unsigned int bits;
};

struct uromd_allow_hosts {
	struct uromd_prefix *prefixes; /* owned; NULL: there is no list */
	size_t count;
};

struct uromd_allow_users {
	uid_t *uids; /* owned; NULL: there is no list */
	size_t count;
};

/*
 * Reads "10.0.0.0/8,::1". hosts: owned, uromd_allow_hosts_fini().
 * Errors: INVALID_VALUE: failure tells. NO_MEMORY.
 */
doca_error_t uromd_allow_hosts_parse(const char *text, struct uromd_allow_hosts *hosts,
				     struct uromd_failure *failure);

bool uromd_allow_hosts_has(const struct uromd_allow_hosts *hosts, const struct sockaddr *address);

void uromd_allow_hosts_fini(struct uromd_allow_hosts *hosts);

/*
 * Reads "anne,1001": names of this machine's users, and numbers. users: owned,
 * uromd_allow_users_fini().
 * Errors: INVALID_VALUE: failure tells. NO_MEMORY.
 */
doca_error_t uromd_allow_users_parse(const char *text, struct uromd_allow_users *users,
				     struct uromd_failure *failure);

bool uromd_allow_users_has(const struct uromd_allow_users *users, uid_t uid);

void uromd_allow_users_fini(struct uromd_allow_users *users);

#endif /* UROMD_ALLOW_H_ */
