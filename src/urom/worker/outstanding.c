/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/outstanding.h"

#include <stdlib.h>

#include "urom/worker/conns.h"
#include "urom/worker/limits.h"
#include "urom/worker/plugin_host.h"

/* Enough for most workers' lives; it doubles when it is not. */
#define FIRST_SLOTS 1024

void uromw_outstanding_fini(struct uromw_outstanding *table)
{
	free(table->slots);
	*table = (struct uromw_outstanding){ 0 };
}

static doca_error_t grow(struct uromw_outstanding *table)
{
	const uint32_t num_slots = table->num_slots > 0 ? table->num_slots * 2 : FIRST_SLOTS;
	struct uromw_command *slots;

	if (num_slots > UROMW_MAX_OUTSTANDING)
		return DOCA_ERROR_FULL;
	slots = reallocarray(table->slots, num_slots, sizeof(*slots));
	if (slots == NULL)
		return DOCA_ERROR_NO_MEMORY;
	/* Generations begin at 1, so that no command has the number 0. */
	for (uint32_t i = table->num_slots; i < num_slots; i++)
		slots[i] = (struct uromw_command){ .generation = 1, .next_free = i + 1 };
	table->first_free = table->num_slots;
	table->slots = slots;
	table->num_slots = num_slots;
	return DOCA_SUCCESS;
}

doca_error_t uromw_outstanding_add(struct uromw_outstanding *table,
				   const struct uromw_command *command, uint64_t *urom_context)
{
	struct uromw_command *slot;
	uint32_t number;

	if (command->host->num_outstanding == UROMW_MAX_HOST_OUTSTANDING)
		return DOCA_ERROR_FULL;
	if (table->first_free == table->num_slots) {
		doca_error_t result = grow(table);

		if (result != DOCA_SUCCESS)
			return result;
	}
	number = table->first_free;
	slot = &table->slots[number];
	table->first_free = slot->next_free;
	slot->host = command->host;
	slot->plugin = command->plugin;
	slot->context = command->context;
	slot->id = command->id;
	slot->host->num_outstanding++;
	slot->plugin->num_outstanding++;
	table->count++;
	*urom_context = (uint64_t)slot->generation << 32 | number;
	return DOCA_SUCCESS;
}

void uromw_outstanding_remove(struct uromw_outstanding *table, struct uromw_command *command)
{
	command->host->num_outstanding--;
	command->plugin->num_outstanding--;
	command->host = NULL;
	if (++command->generation == 0)
		command->generation = 1;
	command->next_free = table->first_free;
	table->first_free = (uint32_t)(command - table->slots);
	table->count--;
}

void uromw_outstanding_drop(struct uromw_outstanding *table, const struct uromw_host *host)
{
	/* Rare, and sparing every command a place in a list of its host's. */
	for (uint32_t i = 0; i < table->num_slots && host->num_outstanding > 0; i++) {
		if (table->slots[i].host == host)
			uromw_outstanding_remove(table, &table->slots[i]);
	}
}
