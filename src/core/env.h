/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_ENV_H_
#define CORE_ENV_H_

/* Variables of the environment that name something. */

#include <stdlib.h>

/*
 * What a variable names; NULL: nothing, as it is not set, or empty as people leave it who mean the
 * same. lent: until the environment is changed.
 */
static inline const char *core_env(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

#endif /* CORE_ENV_H_ */
