/* SPDX-License-Identifier: BSD-3-Clause */

/* Prints the tables of docs/wire.md; scripts/check_wire_doc.py puts them there. */

#include <stdio.h>

#include "urom/wire/wire_messages.h"

#define MAX_ELEMENTS 16

static const char *const kind_names[] = {
	[WIRE_BOOL] = "bool",   [WIRE_U8] = "u8",     [WIRE_U16] = "u16",
	[WIRE_U32] = "u32",     [WIRE_U64] = "u64",   [WIRE_FIXED] = "bytes",
	[WIRE_BYTES] = "bytes", [WIRE_TEXT] = "text", [WIRE_LIST] = "list",
};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == WIRE_NUM_KINDS,
	       "a name for each kind");

static void print_field(const struct wire_field *field)
{
	printf("| `%s` | %s", field->name, kind_names[field->kind]);
	if (field->kind == WIRE_LIST)
		printf(" of %s", field->element->name);
	if (field->kind == WIRE_FIXED)
		printf("[%u]", field->limit);
	else if (field->limit > 0)
		printf(", at most %u bytes", field->limit);
	printf(" |\n");
}

static void print_message(const struct wire_message *message)
{
	if (message->type != 0)
		printf("\n### %s (%u)\n\n", message->name, message->type);
	else
		printf("\n### %s, in lists\n\n", message->name);
	if (message->num_fields == 0) {
		printf("No fields.\n");
		return;
	}
	printf("| field | type |\n|---|---|\n");
	for (size_t i = 0; i < message->num_fields; i++)
		print_field(&message->fields[i]);
}

/* Adds the elements of its lists that are not there yet. */
static size_t collect_elements(const struct wire_message *message,
			       const struct wire_message *elements[], size_t count)
{
	for (size_t i = 0; i < message->num_fields; i++) {
		const struct wire_message *element = message->fields[i].element;
		size_t at = 0;

		while (at < count && elements[at] != element)
			at++;
		if (element != NULL && at == count && count < MAX_ELEMENTS)
			elements[count++] = element;
	}
	return count;
}

int main(void)
{
	const struct wire_message *elements[MAX_ELEMENTS];
	const struct wire_message *message;
	size_t num_elements = 0;

	for (size_t n = 0; (message = wire_message_at(n)) != NULL; n++) {
		print_message(message);
		num_elements = collect_elements(message, elements, num_elements);
	}
	for (size_t i = 0; i < num_elements; i++)
		print_message(elements[i]);
	return 0;
}
