/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/base/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

doca_error_t uromd_fail(struct uromd_failure *failure, doca_error_t error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vsnprintf(failure->reason, sizeof(failure->reason), format, args) < 0)
		failure->reason[0] = '\0';
	va_end(args);
	failure->error = error;
	return error;
}

void uromd_text_copy(char *text, size_t size, const struct wire_bytes *bytes)
{
	const size_t len = bytes->len < size ? bytes->len : size - 1;

	if (len > 0)
		memcpy(text, bytes->data, len);
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
			text[i] = '?';
	}
	text[len] = '\0';
}

struct wire_bytes uromd_text(const char *text)
{
	return (struct wire_bytes){ .data = text, .len = (uint32_t)strlen(text) };
}
