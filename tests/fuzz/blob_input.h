/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BLOB_INPUT_H_
#define BLOB_INPUT_H_

/*
 * What the fuzz targets for descriptors share: each input is tried as it is, and once more with
 * header, length and checksum made right, without which hardly any would reach the fields.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <doca_dev.h>

#define BLOB_HEADER_SIZE 8
#define BLOB_CRC_SIZE    4

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

/* Opens a software device and counts warnings and errors from here on. */
struct doca_dev *blob_input_open(void);

/* The warnings and errors since the last call. */
unsigned int blob_input_take_lines(void);

/* Little-endian integers of size bytes. */
uint64_t blob_number_at(const uint8_t *at, size_t size);
void blob_number_put(uint8_t *at, uint64_t value, size_t size);

/* Is it a whole blob of that magic, version 1 and size, with the right checksum? */
int blob_is_sound(const uint8_t *blob, size_t len, const char *magic, size_t size);

/* Calls check with the input, and with what it is made. Each lies at the end of its memory. */
void blob_input_try(const uint8_t *input, size_t len, const char *magic,
		    void (*check)(const uint8_t *blob, size_t len));

#endif /* BLOB_INPUT_H_ */
