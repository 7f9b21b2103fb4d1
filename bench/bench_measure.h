/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_MEASURE_H_
#define BENCH_MEASURE_H_

/* How a case is measured; for bench.c alone. */

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"

#define BENCH_MAX_ROUNDS 1001

/* What one side of a case came to. */
struct bench_figure {
	double value;        /* the median of the rounds, in the unit of the case */
	double instructions; /* of user code an operation; negative: they cannot be counted */
};

struct bench_result {
	struct bench_figure ours, peer;
	double ratio;     /* ours / peer */
	bool is_in_limit; /* also when there is none */
};

struct bench_plan {
	unsigned int num_rounds; /* 1 to BENCH_MAX_ROUNDS */
	uint64_t round_ns;       /* about, for one side */
};

/* Notes the processors that the program may use; before the first bench_pin(). */
void bench_cores_init(void);

/* Sets a case up, measures both of its sides, and takes it down. */
struct bench_result bench_measure(struct bench_case *one, const struct bench_plan *plan);

#endif /* BENCH_MEASURE_H_ */
