/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_H_
#define BENCH_H_

/*
 * What the benchmarks share: each is a table of cases, and a case is the same work done twice, by
 * OpenUROM ("ours") and by the plainest program that can do it ("peer"). README.md says how a
 * figure is taken. Everything here is for the first thread of a program; a second process, if there
 * is one, only calls bench_pin().
 */

#include <stddef.h>
#include <stdint.h>

enum bench_unit {
	BENCH_NS,       /* nanoseconds an operation: less is better */
	BENCH_GB_PER_S, /* 10^9 bytes a second: more is better */
};

enum bench_clock {
	BENCH_ELAPSED,   /* for work that waits for others: another process, a kernel thread */
	BENCH_PROCESSOR, /* of the calling thread, for work that it does alone */
};

enum bench_limit_kind {
	BENCH_UNLIMITED,
	BENCH_AT_MOST,        /* ours, in the unit of the case */
	BENCH_AT_MOST_MORE,   /* ours - peer, in the unit of the case */
	BENCH_AT_MOST_RATIO,  /* ours / peer */
	BENCH_AT_LEAST_RATIO, /* ours / peer */
};

struct bench_limit {
	enum bench_limit_kind kind;
	double value;
	double more; /* BENCH_AT_MOST_RATIO: of ours that does not count, in the unit of the case */
};

/* All functions get what setup returned. A step that fails ends the program: bench_fail(). */
struct bench_case {
	const char *name; /* letters, digits and _ */
	const char
	    *transport;   /* what carries the bytes; setup may change it when it has found out */
	const char *peer; /* what the peer does, as a word */
	enum bench_unit unit;
	enum bench_clock clock;
	size_t bytes; /* that one operation moves */
	struct bench_limit limit;

	void *(*setup)(struct bench_case *one);
	void (*run_ours)(void *state, uint64_t count); /* count operations, one after the other */
	void (*run_peer)(void *state, uint64_t count);
	void (*teardown)(void *state);
};

struct bench_program {
	const char *name;
	unsigned int num_cores; /* 1, or 2 when it has a second process: it pins itself to core 1 */
	struct bench_case *cases;
	size_t num_cases;
};

/*
 * Measures the cases that the arguments ask for; prints a table, appends lines to the JSON file.
 * Returns the program's exit status: 0; 1: a limit was missed or the file could not be written; 2:
 * wrong usage.
 */
int bench_main(const struct bench_program *program, int argc, char **argv);

/*
 * Pins the calling thread to the processor that is index among those the program was allowed when
 * bench_main() began. Returns its number, or -1 when it could not be pinned.
 */
int bench_pin(unsigned int index);

/* Lets the calling thread run on all of them again, for a program that it becomes. */
void bench_unpin(void);

/* The number of that processor, or -1: there is none. */
int bench_core(unsigned int index);

/* Lets time go by that does not count; for run_ours() and run_peer() of an ELAPSED case. */
void bench_silence(uint64_t ns);

/* Ends the program with status 1 and a line that says what did not work, and why. */
__attribute__((noreturn)) void bench_fail(const char *what, const char *why);

#endif /* BENCH_H_ */
