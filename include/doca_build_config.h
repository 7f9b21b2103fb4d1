/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For which machine the code is being compiled. Always a host: build files test DOCA_ARCH_DPU to
 * find out whether they run on a DPU, and for OpenUROM there is none.
 */
#ifndef DOCA_BUILD_CONFIG_H_
#define DOCA_BUILD_CONFIG_H_

#undef DOCA_ARCH_X86
#undef DOCA_ARCH_ARM
#undef DOCA_ARCH_HOST
#undef DOCA_ARCH_DPU
#undef DOCA_ARCH_DPU_BF2

/* The compiler's target decides, so one installed header serves both. */
#if defined(__x86_64__) || defined(__i386__)
#define DOCA_ARCH_X86
#elif defined(__aarch64__) || defined(__arm__)
#define DOCA_ARCH_ARM
#endif

#define DOCA_ARCH_HOST

#define DOCA_ARCH_DPU_BF2 false

#endif /* DOCA_BUILD_CONFIG_H_ */
