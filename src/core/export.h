/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_EXPORT_H_
#define CORE_EXPORT_H_

#include <stddef.h>

/* A core_ function that the project's other libraries call; it gets the private version node. */
#define CORE_EXPORT __attribute__((visibility("default")))

/* A variable of one library that several of its files use: reached without a table look-up. */
#define CORE_HIDDEN __attribute__((visibility("hidden")))

/* By way of void: the container is aligned, which the compiler cannot see. */
#define CORE_CONTAINER_OF(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define CORE_ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#endif /* CORE_EXPORT_H_ */
