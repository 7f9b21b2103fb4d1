/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/failure.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

doca_error_t uromw_failure_set(struct uromw_failure *failure, doca_error_t error,
			       const char *format, ...)
{
	va_list args;

	failure->error = error;
	va_start(args, format);
	(void)vsnprintf(failure->text, sizeof(failure->text), format, args); /* cut is fine */
	va_end(args);
	/* It quotes file names and the dynamic linker, and ends up in the logs of others. */
	for (char *at = failure->text; *at != '\0'; at++) {
		if (iscntrl((unsigned char)*at))
			*at = ' ';
	}
	return error;
}
