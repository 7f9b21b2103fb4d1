/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_FAILURE_H_
#define UROMW_FAILURE_H_

#include <doca_error.h>

#include "urom/wire/wire_messages.h"

/* Why the start of a worker fails: for its log, and for the daemon, who tells the host. */
struct uromw_failure {
	doca_error_t error;
	char text[WIRE_MAX_REASON + 1];
};

/* Fills it in, cut to fit, and returns error. */
doca_error_t uromw_failure_set(struct uromw_failure *failure, doca_error_t error,
			       const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* UROMW_FAILURE_H_ */
