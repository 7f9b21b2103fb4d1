/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/auth.h"

#include <string.h>

#include "core/export.h"

static const char *const names[] = {
	[WIRE_AUTH_NONE] = "none",
	[WIRE_AUTH_COOKIE] = "cookie",
	[WIRE_AUTH_MUNGE] = "munge",
};

const char *uromd_auth_name(uint8_t number)
{
	return number < CORE_ARRAY_LEN(names) ? names[number] : "?";
}

static doca_error_t none_check(const struct wire_hello *hello, struct uromd_failure *failure)
{
	if (hello->auth == WIRE_AUTH_NONE)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_AUTHENTICATION,
			  "the service does not authenticate, and the host asks for the method %s",
			  uromd_auth_name(hello->auth));
}

static const struct uromd_auth methods[] = {
	{ .name = "none", .number = WIRE_AUTH_NONE, .is_proof = false, .check = none_check },
};

doca_error_t uromd_auth_find(const char *name, const struct uromd_auth **auth,
			     struct uromd_failure *failure)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(methods); i++) {
		if (strcmp(methods[i].name, name) == 0) {
			*auth = &methods[i];
			return DOCA_SUCCESS;
		}
	}
	for (size_t i = 0; i < CORE_ARRAY_LEN(names); i++) {
		if (strcmp(names[i], name) == 0)
			return uromd_fail(failure, DOCA_ERROR_NOT_SUPPORTED,
					  "--auth %s: this build has no such authentication; none "
					  "is the only one that it has",
					  name);
	}
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "--auth %s: the methods are cookie, munge and none", name);
}
