/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/room.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 16

/* Bytes that nobody should touch, and that it is harmless to touch. */
#define MARK_BYTES 64
#define MARK       0xd5

static size_t round_up(size_t len, size_t unit)
{
	return (len + unit - 1) / unit * unit;
}

doca_error_t uromw_room_init(struct uromw_room *room, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t used = round_up(len + MARK_BYTES, ALIGNMENT), usable = round_up(used, page);
	uint8_t *map =
	    mmap(NULL, usable + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return DOCA_ERROR_NO_MEMORY;
	if (mprotect(map + usable, page, PROT_NONE) != 0) {
		(void)munmap(map, usable + page);
		return DOCA_ERROR_NO_MEMORY;
	}
	*room = (struct uromw_room){
		.bytes = map + usable - used,
		.len = len,
		.map = map,
		.map_len = usable + page,
	};
	return DOCA_SUCCESS;
}

void uromw_room_fini(struct uromw_room *room)
{
	if (room->map != NULL)
		(void)munmap(room->map, room->map_len);
	*room = (struct uromw_room){ .bytes = NULL };
}

void uromw_room_mark(struct uromw_room *room, size_t len)
{
	memset(room->bytes + len, MARK, MARK_BYTES);
}

bool uromw_room_is_intact(const struct uromw_room *room, size_t len)
{
	uint8_t mark[MARK_BYTES];

	memset(mark, MARK, sizeof(mark));
	return memcmp(room->bytes + len, mark, sizeof(mark)) == 0;
}
