/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_H_
#define CORE_LOG_H_

/*
 * Logging of the libraries: the DOCA_LOG_* macros over a source of the SDK class, whose lines go
 * to the SDK backends alone. A file that logs has one CORE_LOG_REGISTER(NAME); near its top.
 */

#include <stdbool.h>

#include <doca_log.h>

#include "core/export.h"

/*
 * Registers a source of the libraries' class.
 * name: copied. source: the number to log with, written on success only.
 * Errors: NO_MEMORY: the table cannot grow.
 * Thread: any. Source: ours.
 */
CORE_EXPORT doca_error_t core_log_register_source(const char *name, int *source);

/* The libraries' counterpart of DOCA_LOG_REGISTER. */
#define CORE_LOG_REGISTER(name)                                                                   \
	static int log_source;                                                                    \
	__attribute__((constructor(101))) static void core_log_register_this_file(void)           \
	{                                                                                         \
		(void)core_log_register_source(#name, &log_source); /* its lines are then lost */ \
	}                                                                                         \
	extern int core_log_register_ends_here

#endif /* CORE_LOG_H_ */
