/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_MUNGED_H_
#define AUTH_AUTH_MUNGED_H_

/*
 * Whether munged is awake. libmunge has a clock of its own, 10 s long, and nobody can shorten it:
 * so who has less time finds out first whether it is worth asking.
 */

#include <stdint.h>

#include <doca_error.h>

/*
 * Connects to a socket and hangs up, and waits until the other side has seen it. In munged's log
 * that is a line at level INFO.
 * deadline_ms: of core_now_ms().
 * Errors: TIME_OUT: it does not answer. That nobody is there is none: libmunge will say so at once.
 * Nothing is logged.
 */
doca_error_t auth_munged_wait(const char *socket_path, uint64_t deadline_ms);

#endif /* AUTH_AUTH_MUNGED_H_ */
