/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef AUTH_AUTH_METHOD_H_
#define AUTH_AUTH_METHOD_H_

/* The methods of authentication by their names, as in --auth and DOCA_UROM_AUTH. */

#include <stdbool.h>
#include <stdint.h>

/* The name of enum wire_auth; "?" for a number that is none. */
const char *auth_method_name(uint8_t number);

/* The number of a name; false: there is no such method. */
bool auth_method_find(const char *name, uint8_t *number);

#endif /* AUTH_AUTH_METHOD_H_ */
