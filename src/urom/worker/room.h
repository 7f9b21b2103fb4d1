/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_ROOM_H_
#define UROMW_ROOM_H_

/*
 * Memory for plugins to write to, who may write more than there is room for. What goes a little too
 * far is seen afterwards and has done no harm; what goes further ends the process there and then.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

/* Zeroed memory has none. */
struct uromw_room {
	uint8_t *bytes; /* aligned to 16; owned */
	size_t len;
	void *map;
	size_t map_len;
};

/* len: bytes; they are zeros. Errors: NO_MEMORY. */
doca_error_t uromw_room_init(struct uromw_room *room, size_t len);
void uromw_room_fini(struct uromw_room *room);

/* Before a plugin is given the first len bytes, at most all of them. */
void uromw_room_mark(struct uromw_room *room, size_t len);

/* Has nothing been written behind them since then? */
bool uromw_room_is_intact(const struct uromw_room *room, size_t len);

#endif /* UROMW_ROOM_H_ */
