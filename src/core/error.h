/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_ERROR_H_
#define CORE_ERROR_H_

#include <doca_error.h>

#include "core/export.h"

/*
 * The error code that stands for an errno of a system call.
 * err: a positive errno; unknown ones give OPERATING_SYSTEM.
 * Thread: any. Source: ours.
 */
CORE_EXPORT doca_error_t core_error_from_errno(int err);

/*
 * Logs that a public call got a NULL argument that it needs, and gives the error for it.
 * func: the call's name.
 * Errors: INVALID_VALUE, always.
 * Thread: any. Source: ours.
 */
CORE_EXPORT doca_error_t core_null_argument(const char *func);

#endif /* CORE_ERROR_H_ */
