/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_method.h"

#include <string.h>

#include "core/export.h"
#include "urom/wire/wire_messages.h"

static const char *const names[] = {
	[WIRE_AUTH_NONE] = "none",
	[WIRE_AUTH_COOKIE] = "cookie",
	[WIRE_AUTH_MUNGE] = "munge",
};

const char *auth_method_name(uint8_t number)
{
	return number < CORE_ARRAY_LEN(names) ? names[number] : "?";
}

bool auth_method_find(const char *name, uint8_t *number)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*number = (uint8_t)i;
			return true;
		}
	}
	return false;
}
