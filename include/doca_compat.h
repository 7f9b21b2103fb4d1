/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long a declaration can be relied on, and structures that say by which version they were
 * filled in.
 */
#ifndef DOCA_COMPAT_H_
#define DOCA_COMPAT_H_

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <doca_config.h>

/* Kept by the compiler though nothing in sight refers to it. */
#define DOCA_USED __attribute__((used))

/* Stays as it is. */
#define DOCA_STABLE __attribute__((visibility("default"))) DOCA_USED

/* May change or go; its use warns unless DOCA_ALLOW_EXPERIMENTAL_API is defined. */
#ifdef DOCA_ALLOW_EXPERIMENTAL_API
#define DOCA_EXPERIMENTAL __attribute__((section(".text.experimental"))) DOCA_STABLE
#else
#define DOCA_EXPERIMENTAL                                                                   \
	__attribute__((deprecated("experimental, silenced by DOCA_ALLOW_EXPERIMENTAL_API"), \
		       section(".text.experimental"))) DOCA_STABLE
#endif

/* Will go; its use warns unless DOCA_ALLOW_DEPRECATED_API is defined. */
#ifdef DOCA_ALLOW_DEPRECATED_API
#define DOCA_DEPRECATED __attribute__((section(".text.deprecated"))) DOCA_STABLE
#else
#define DOCA_DEPRECATED                                                                    \
	__attribute__((deprecated("to be removed, silenced by DOCA_ALLOW_DEPRECATED_API"), \
		       section(".text.deprecated"))) DOCA_STABLE
#endif

/* After the macros above: the two headers include each other, and that one uses them. */
#include <doca_version.h>

#ifdef DOCA_COMPAT_HELPERS

/* First member of a structure that both sides of an interface may know in different versions. */
#define DOCA_STRUCT_START            size_t __doca_api_version

#define DOCA_STRUCT_GET_VERSION(_X_) (_X_)->__doca_api_version

/* Stamp a structure, or the one behind a pointer, with the version of these headers. */
#define DOCA_STRUCT_CTOR(_X_)     (_X_).__doca_api_version = DOCA_VERSION_EXACT
#define DOCA_STRUCT_PTR_CTOR(_X_) DOCA_STRUCT_CTOR(*(_X_))

/* The same after zeroing it; _X_ is evaluated more than once. */
#define DOCA_STRUCT_MEMSET_CTOR(_X_)            \
	do {                                    \
		memset(&(_X_), 0, sizeof(_X_)); \
		DOCA_STRUCT_CTOR(_X_);          \
	} while (0)
#define DOCA_STRUCT_PTR_MEMSET_CTOR(_X_) DOCA_STRUCT_MEMSET_CTOR(*(_X_))

/* First entry of an initializer. */
#define DOCA_STRUCT_CTOR_LIST_START .__doca_api_version = DOCA_VERSION_EXACT

/* Define a variable __name__ of struct __st__, stamped, all else zero. */
#define DOCA_STRUCT_DEF(__st__, __name__) \
	struct __st__ __name__ = { .__doca_api_version = DOCA_VERSION_EXACT }

#endif /* DOCA_COMPAT_HELPERS */

#endif /* DOCA_COMPAT_H_ */
