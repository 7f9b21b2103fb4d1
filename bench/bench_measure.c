/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_measure.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* More operations than this in a round make no figure better. */
#define MAX_COUNT (UINT64_C(1) << 40)

typedef void (*run_t)(void *state, uint64_t count);

/* One side while it is measured. */
struct side {
	run_t run;
	enum bench_clock clock;
	uint64_t count; /* operations a round */
	double values[BENCH_MAX_ROUNDS];
	unsigned int num_values;
	uint64_t instructions; /* of all rounds */
};

static cpu_set_t allowed;

static uint64_t silent_ns; /* of the round that runs */

void bench_cores_init(void)
{
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		CPU_ZERO(&allowed);
}

int bench_core(unsigned int index)
{
	for (int core = 0; core < CPU_SETSIZE; core++) {
		if (CPU_ISSET(core, &allowed) && index-- == 0)
			return core;
	}
	return -1;
}

int bench_pin(unsigned int index)
{
	int core = bench_core(index);
	cpu_set_t wanted;

	if (core < 0)
		return -1;
	CPU_ZERO(&wanted);
	CPU_SET(core, &wanted);
	return sched_setaffinity(0, sizeof(wanted), &wanted) == 0 ? core : -1;
}

void bench_unpin(void)
{
	(void)sched_setaffinity(0, sizeof(allowed), &allowed); /* it was allowed before */
}

static uint64_t now_ns(enum bench_clock clock)
{
	static const clockid_t clocks[] = {
		[BENCH_ELAPSED] = CLOCK_MONOTONIC,
		[BENCH_PROCESSOR] = CLOCK_THREAD_CPUTIME_ID,
	};
	struct timespec now;

	if (clock_gettime(clocks[clock], &now) != 0)
		bench_fail("clock", strerror(errno));
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A counter of this thread's instructions outside the kernel; -1: there is none. */
static int counter_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t counter_read(int counter)
{
	uint64_t value;

	if (counter < 0 || read(counter, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value;
}

void bench_silence(uint64_t ns)
{
	const uint64_t start = now_ns(BENCH_ELAPSED);
	const struct timespec until = {
		.tv_sec = (time_t)((start + ns) / 1000000000u),
		.tv_nsec = (long)((start + ns) % 1000000000u),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
	silent_ns += now_ns(BENCH_ELAPSED) - start;
}

/* Nanoseconds of one round, without its silence. */
static uint64_t side_run(const struct side *side, void *state)
{
	uint64_t start = now_ns(side->clock);

	silent_ns = 0;
	side->run(state, side->count);
	return now_ns(side->clock) - start - silent_ns;
}

/* Finds how many operations fill a round, which also warms up what there is to warm up. */
static void side_calibrate(struct side *side, void *state, uint64_t round_ns)
{
	uint64_t took;

	for (side->count = 1;; side->count *= 2) {
		took = side_run(side, state) + silent_ns;
		if (took >= round_ns / 2 || side->count >= MAX_COUNT)
			break;
	}
	side->count = (uint64_t)((double)side->count * (double)round_ns / (double)(took + 1));
	if (side->count == 0)
		side->count = 1;
}

static double value_of(const struct bench_case *one, uint64_t count, uint64_t took_ns)
{
	double ns = (double)(took_ns > 0 ? took_ns : 1) / (double)count;

	return one->unit == BENCH_GB_PER_S ? (double)one->bytes / ns : ns;
}

static void side_round(struct side *side, const struct bench_case *one, void *state, int counter)
{
	uint64_t before = counter_read(counter);
	uint64_t took = side_run(side, state);

	side->instructions += counter_read(counter) - before;
	side->values[side->num_values++] = value_of(one, side->count, took);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct bench_figure side_figure(struct side *side, bool is_counted)
{
	unsigned int half = side->num_values / 2;
	struct bench_figure figure = { .instructions = -1 };

	qsort(side->values, side->num_values, sizeof(side->values[0]), compare);
	figure.value = side->values[half];
	if (side->num_values % 2 == 0)
		figure.value = (figure.value + side->values[half - 1]) / 2;
	if (is_counted)
		figure.instructions =
		    (double)side->instructions / (double)side->count / (double)side->num_values;
	return figure;
}

static bool is_in_limit(const struct bench_limit *limit, const struct bench_result *result)
{
	switch (limit->kind) {
	case BENCH_UNLIMITED:
		return true;
	case BENCH_AT_MOST:
		return result->ours.value <= limit->value;
	case BENCH_AT_MOST_MORE:
		return result->ours.value - result->peer.value <= limit->value;
	case BENCH_AT_MOST_RATIO:
		return result->ours.value - limit->more <= limit->value * result->peer.value;
	case BENCH_AT_LEAST_RATIO:
		return result->ratio >= limit->value;
	}
	return false;
}

struct bench_result bench_measure(struct bench_case *one, const struct bench_plan *plan)
{
	struct side ours = { .run = one->run_ours, .clock = one->clock };
	struct side peer = { .run = one->run_peer, .clock = one->clock };
	int counter = counter_open();
	void *state = one->setup(one);
	struct bench_result result;

	side_calibrate(&ours, state, plan->round_ns);
	side_calibrate(&peer, state, plan->round_ns);
	for (unsigned int round = 0; round < plan->num_rounds; round++) {
		/* They take turns at being first, so that neither always finds warmer caches. */
		side_round(round % 2 == 0 ? &ours : &peer, one, state, counter);
		side_round(round % 2 == 0 ? &peer : &ours, one, state, counter);
	}
	one->teardown(state);
	result.ours = side_figure(&ours, counter >= 0);
	result.peer = side_figure(&peer, counter >= 0);
	result.ratio = result.ours.value / result.peer.value;
	result.is_in_limit = is_in_limit(&one->limit, &result);
	if (counter >= 0)
		close(counter);
	return result;
}
