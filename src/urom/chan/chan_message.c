/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_message.h"

#include "urom/wire/wire_messages.h"

doca_error_t chan_message_decode(const struct chan_message *message, void *record)
{
	const struct wire_message *table = wire_message_find(message->type);

	if (table == NULL || wire_decode(table, message->body, message->len, record) != WIRE_OK)
		return DOCA_ERROR_CONNECTION_ABORTED;
	return DOCA_SUCCESS;
}

const char *chan_message_name(const struct chan_message *message)
{
	const struct wire_message *table = wire_message_find(message->type);

	return table != NULL ? table->name : "?";
}

doca_error_t chan_error_from_wire(enum wire_result result)
{
	static const doca_error_t errors[] = {
		[WIRE_OK] = DOCA_SUCCESS,
		[WIRE_TRUNCATED] = DOCA_ERROR_CONNECTION_ABORTED,
		[WIRE_TRAILING] = DOCA_ERROR_CONNECTION_ABORTED,
		[WIRE_TOO_LONG] = DOCA_ERROR_INVALID_VALUE,
		[WIRE_BAD_VALUE] = DOCA_ERROR_INVALID_VALUE,
		[WIRE_UNKNOWN] = DOCA_ERROR_INVALID_VALUE,
		[WIRE_NO_MEMORY] = DOCA_ERROR_NO_MEMORY,
	};
	_Static_assert(CORE_ARRAY_LEN(errors) == WIRE_NUM_RESULTS, "a result has no error");

	return errors[result];
}
