/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_OUTSTANDING_H_
#define UROMW_OUTSTANDING_H_

/*
 * The commands that plugins have and no notification has ended. A plugin knows one by its
 * urom_context, which is the number of a slot and that slot's generation, so that a late answer
 * never ends somebody else's command.
 */

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

struct uromw_host;
struct uromw_plugin;

struct uromw_command {
	struct uromw_host *host; /* NULL: the slot is free */
	struct uromw_plugin *plugin;
	uint64_t context; /* the host's number of it */
	uint64_t id;      /* of the exchange */
	uint32_t generation;
	uint32_t next_free;
};

/* Zeroed memory is an empty one. It counts in its hosts and plugins what is outstanding there. */
struct uromw_outstanding {
	struct uromw_command *slots; /* owned */
	uint32_t num_slots;
	uint32_t first_free; /* num_slots: none */
	uint32_t count;
};

void uromw_outstanding_fini(struct uromw_outstanding *table);

/*
 * Adds a command. command: its host, plugin, context and id; copied.
 * urom_context: never 0, and none that was used shortly before.
 * Errors: FULL: over UROMW_MAX_OUTSTANDING, or the host over UROMW_MAX_HOST_OUTSTANDING.
 * NO_MEMORY.
 */
doca_error_t uromw_outstanding_add(struct uromw_outstanding *table,
				   const struct uromw_command *command, uint64_t *urom_context);

/* The command of that number; lent until the next add or remove; NULL when there is none. */
static inline struct uromw_command *uromw_outstanding_find(struct uromw_outstanding *table,
							   uint64_t urom_context)
{
	const uint32_t slot = (uint32_t)urom_context;

	if (slot >= table->num_slots || table->slots[slot].host == NULL ||
	    table->slots[slot].generation != urom_context >> 32)
		return NULL;
	return &table->slots[slot];
}

/* Ends a command that was found. */
void uromw_outstanding_remove(struct uromw_outstanding *table, struct uromw_command *command);

/* Forgets the commands of a host. */
void uromw_outstanding_drop(struct uromw_outstanding *table, const struct uromw_host *host);

#endif /* UROMW_OUTSTANDING_H_ */
