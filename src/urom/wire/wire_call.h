/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_CALL_H_
#define WIRE_CALL_H_

/*
 * Which plugin a worker is in, for the daemon to know when the process has ended, whatever has
 * ended it: a word in a page that both have mapped. No message could tell, as a process that dies
 * sends none. Plugins can write to it as well, so the daemon takes it for a stranger's word.
 */

#include <stdint.h>

/* What the worker is doing with a plugin. */
enum wire_call {
	WIRE_CALL_NONE, /* nothing: its own work */
	WIRE_CALL_LOAD,
	WIRE_CALL_GET_IFACE,
	WIRE_CALL_GET_VERSION,
	WIRE_CALL_OPEN,
	WIRE_CALL_ADDR,
	WIRE_CALL_GET_EVENT_FD,
	WIRE_CALL_ARM_EVENT,
	WIRE_CALL_WORKER_CMD,
	WIRE_CALL_PROGRESS,
	WIRE_CALL_NOTIF_PACK,
	WIRE_CALL_LISTS, /* what the plugin has put into a list, or left there */
	WIRE_CALL_CLOSE,
	WIRE_CALL_EXIT, /* exit(), with the destructors of all plugins */
	WIRE_NUM_CALLS,
};

/* Bytes of the page. */
#define WIRE_CALL_PAGE 4096

/* Set when the worker ends itself because the call does not return. */
#define WIRE_CALL_IS_LATE (UINT32_C(1) << 16)

/* The word. bit: the number of the bit of the plugin's id. */
static inline uint32_t wire_call_word(enum wire_call call, unsigned int bit)
{
	return (uint32_t)call | (uint32_t)bit << 8;
}

/* Its parts. The call may be none that there is, and so may the bit. */
static inline unsigned int wire_call_of(uint32_t word)
{
	return word & 0xff;
}

static inline unsigned int wire_call_bit(uint32_t word)
{
	return word >> 8 & 0xff;
}

/* The name of a call, such as "progress"; NULL for NONE and for what is no call. */
const char *wire_call_name(unsigned int call);

#endif /* WIRE_CALL_H_ */
