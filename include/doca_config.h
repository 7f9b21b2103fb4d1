/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which optional parts of the headers are on.
 */
#ifndef DOCA_CONFIG_H_
#define DOCA_CONFIG_H_

#include <doca_build_config.h>

/* Turns on the DOCA_STRUCT_* macros of doca_compat.h. */
#undef DOCA_COMPAT_HELPERS
#ifndef DOCA_DPA_DEVICE
#define DOCA_COMPAT_HELPERS
#endif

#endif /* DOCA_CONFIG_H_ */
