/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_FAILURE_H_
#define UROMD_FAILURE_H_

#include <doca_error.h>

#include "urom/wire/wire_messages.h"

/* Why something cannot be done, as a host or an operator reads it. */
struct uromd_failure {
	doca_error_t error;
	char reason[WIRE_MAX_REASON + 1];
};

/* Writes both and returns error; a reason that is too long is cut. */
doca_error_t uromd_fail(struct uromd_failure *failure, doca_error_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies bytes of a stranger as text of at most size - 1 bytes, control characters as '?'. */
void uromd_text_copy(char *text, size_t size, const struct wire_bytes *bytes);

/* The text as it stands in a record. text: borrowed. */
struct wire_bytes uromd_text(const char *text);

#endif /* UROMD_FAILURE_H_ */
