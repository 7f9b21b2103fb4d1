/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_MESSAGE_H_
#define CHAN_CHAN_MESSAGE_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "core/export.h"
#include "urom/wire/wire.h"

/* A message as it has come, not decoded yet. */
struct chan_message {
	uint16_t type; /* enum wire_type, or anything: the peer's word */
	uint64_t id;   /* of the exchange */
	const void *body;
	size_t len; /* bytes */
};

/*
 * Reads the body as the record of its type; what the record points to is part of the body.
 * Errors: CONNECTION_ABORTED: it is no such message. Nothing is logged.
 */
CORE_EXPORT doca_error_t chan_message_decode(const struct chan_message *message, void *record);

/* A name for log lines, such as "WELCOME"; "?" when there is no such type. */
CORE_EXPORT const char *chan_message_name(const struct chan_message *message);

/* The error that stands for a result of encoding. */
doca_error_t chan_error_from_wire(enum wire_result result);

#endif /* CHAN_CHAN_MESSAGE_H_ */
