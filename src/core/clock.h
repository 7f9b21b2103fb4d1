/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_CLOCK_H_
#define CORE_CLOCK_H_

/* The clock of deadlines: it never goes back, and says nothing of the time of day. */

#include <stdint.h>
#include <time.h>

#define CORE_NS_A_SECOND UINT64_C(1000000000)

static inline uint64_t core_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * CORE_NS_A_SECOND + (uint64_t)now.tv_nsec;
}

static inline uint64_t core_now_ms(void)
{
	return core_now_ns() / 1000000;
}

#endif /* CORE_CLOCK_H_ */
