/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_SCRIPT_H_
#define FUZZ_SCRIPT_H_

/*
 * Inputs that are a sequence of pieces, each a header and as many bytes as it says: what a session
 * goes through, step by step, or frames as they are on the wire. They are read here, and mutated
 * piece by piece, because a change in the middle that moves the lengths behind it is noise.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "urom/wire/wire_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

/* --- Steps --- */

/* Bytes before those of a step: what to do, to whom, a type, flags, and a length in two. */
#define SCRIPT_HEADER 6

/* Of what to do: the next step follows at once, before anybody has had a turn. */
#define SCRIPT_AT_ONCE 0x80

/* Of the flags: the frame is not the last of its message; the rest is its id. */
#define SCRIPT_MORE 0x80
#define SCRIPT_ID   0x7f

struct script_step {
	uint8_t what;
	uint8_t who;
	uint8_t type;
	uint8_t flags;
	const uint8_t *bytes; /* of the input */
	size_t len;
};

/* Takes the next step off the input; a length over what is left counts as that. */
bool script_next(const uint8_t **input, size_t *left, struct script_step *step);

/* Which of n things to do. */
static inline size_t script_what(const struct script_step *step, size_t n)
{
	return (step->what & ~SCRIPT_AT_ONCE & 0xff) % n;
}

static inline bool script_is_at_once(const struct script_step *step)
{
	return (step->what & SCRIPT_AT_ONCE) != 0;
}

static inline uint64_t script_id(const struct script_step *step)
{
	return step->flags & SCRIPT_ID;
}

/* The step as a frame: its header and its bytes. frame: owned. */
uint8_t *script_frame(const struct script_step *step, size_t *len);

/* Of the log: that no line has a control character of somebody else's in it. */
void script_watch_log(void);

/* --- Mutation --- */

/* Where a piece has its length, little-endian, and the flag of one that goes on. */
struct script_shape {
	size_t start; /* bytes before the first piece */
	size_t header_size;
	size_t len_at;
	size_t len_size;
	size_t more_at;
	uint8_t more_bit;
};

extern const struct script_shape script_steps;

/* Frames behind start bytes. */
struct script_shape script_frames(size_t start);

size_t script_mutate(const struct script_shape *shape, uint8_t *data, size_t size, size_t max_size,
		     unsigned int seed);

#endif /* FUZZ_SCRIPT_H_ */
