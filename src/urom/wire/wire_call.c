/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/wire_call.h"

#include <stddef.h>

static const char *const names[] = {
	[WIRE_CALL_NONE] = NULL,
	[WIRE_CALL_LOAD] = "dlopen",
	[WIRE_CALL_GET_IFACE] = "urom_plugin_get_iface",
	[WIRE_CALL_GET_VERSION] = "urom_plugin_get_version",
	[WIRE_CALL_OPEN] = "open",
	[WIRE_CALL_ADDR] = "addr",
	[WIRE_CALL_GET_EVENT_FD] = "urom_plugin_get_event_fd",
	[WIRE_CALL_ARM_EVENT] = "urom_plugin_arm_event",
	[WIRE_CALL_WORKER_CMD] = "worker_cmd",
	[WIRE_CALL_PROGRESS] = "progress",
	[WIRE_CALL_NOTIF_PACK] = "notif_pack",
	[WIRE_CALL_LISTS] = "the lists",
	[WIRE_CALL_CLOSE] = "close",
	[WIRE_CALL_EXIT] = "exit",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == WIRE_NUM_CALLS, "a name each");

const char *wire_call_name(unsigned int call)
{
	return call < WIRE_NUM_CALLS ? names[call] : NULL;
}
