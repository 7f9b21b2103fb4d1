/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ENGINE_THREAD_H_
#define ENGINE_THREAD_H_

/* The thread of the software provider, as the system sees it from outside. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its id in this process; 0: there is none, or it has served nothing yet. */
pid_t engine_thread_find(void);

/* Does it wait for something, rather than run or want to? */
bool engine_thread_sleeps(pid_t thread);

/* The signals that it does not take, a bit each: bit 0 is signal 1. */
uint64_t engine_thread_blocked_signals(pid_t thread);

/* The processor time that it has used, in milliseconds; the system counts in tens of them. */
uint64_t engine_thread_cpu_ms(pid_t thread);

#endif /* ENGINE_THREAD_H_ */
