/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_reason.h"

#include <stdarg.h>
#include <stdio.h>

doca_error_t auth_fail(struct auth_reason *reason, doca_error_t error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(reason->text, sizeof(reason->text), format, args) < 0)
		reason->text[0] = '\0';
	va_end(args);
	return error;
}
