/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_RESOLVE_H_
#define UROMH_RESOLVE_H_

/*
 * Addresses of names, by the system's resolver, which may ask other machines and take as long as it
 * likes. Nothing can end that, so it is asked on a thread of its own: when the time is over nobody
 * waits for it any more, and it ends when the resolver does. An address needs none of that.
 */

#include <stdint.h>
#include <sys/socket.h>

#include <doca_error.h>

#include "urom/host/service_names.h"

#define UROMH_MAX_ADDRESSES 16

/* Questions of this process that may be open at a time, those included that nobody waits for. */
#define UROMH_MAX_QUESTIONS 8

struct uromh_addresses {
	unsigned int num;
	struct sockaddr_storage at[UROMH_MAX_ADDRESSES];
	char whole_name[UROMH_MAX_HOST + 1]; /* as the resolver has it; "": it was not asked */
};

/*
 * Looks up a name or an address, by deadline_ms of core_now_ms().
 * flags: of getaddrinfo(). addresses: written on success only. why: a phrase, static, on failure.
 * Errors: NOT_FOUND: the resolver does not know it. TIME_OUT. NO_MEMORY: or no thread. Nothing is
 * logged. Thread: any.
 */
doca_error_t uromh_resolve(const char *host, uint16_t port, int flags, uint64_t deadline_ms,
			   struct uromh_addresses *addresses, const char **why);

/* In the child of a fork: the threads of its parent are not there, nor are their questions. */
void uromh_resolve_forget(void);

#endif /* UROMH_RESOLVE_H_ */
