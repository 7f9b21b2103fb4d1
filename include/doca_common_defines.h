/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints to the compiler about which way a condition mostly goes.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#define doca_likely(x)   __builtin_expect(!!(x), 1)
#define doca_unlikely(x) __builtin_expect(!!(x), 0)

#endif /* DOCA_COMMON_DEFINES_H_ */
