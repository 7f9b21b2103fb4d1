/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_USE_H_
#define UROM_USE_H_

/* What a plugin takes of the machine: more than anybody wants it to. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes so many bytes to standard output, and as many to standard error. */
void urom_use_output(size_t len);

/* Takes so much address space, with no memory behind it, and keeps it. False: there is none. */
bool urom_use_space(uint32_t num_mib);

/*
 * Fills so much memory bit by bit, and keeps it. Where there is none the process ends by a signal,
 * as most programs do.
 */
void urom_use_memory(uint32_t num_mib);

/* Keeps a processor busy, and never comes back. */
void urom_use_processor(void);

#endif /* UROM_USE_H_ */
