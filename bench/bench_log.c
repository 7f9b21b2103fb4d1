/* SPDX-License-Identifier: BSD-3-Clause */

/* What a log line costs: one that nobody wants, and one that is written. */

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "bench.h"

DOCA_LOG_REGISTER(BENCH::LOG);

/* A line that is off may cost this much at most. */
#define OFF_LIMIT_NS 5

static int null_fd = -1;

static void *open_null(struct bench_case *one)
{
	static struct doca_log_backend *backend;

	(void)one;
	if (backend != NULL)
		return &null_fd;
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_fd < 0)
		bench_fail("/dev/null", "cannot be opened");
	if (doca_log_backend_create_with_fd(null_fd, &backend) != DOCA_SUCCESS)
		bench_fail("a backend", "no memory");
	return &null_fd;
}

static void close_nothing(void *state)
{
	(void)state; /* the backend lives until the process ends, and so does its descriptor */
}

static void log_disabled(void *state, uint64_t count)
{
	(void)state;
	for (uint64_t i = 0; i < count; i++)
		DOCA_LOG_DBG("line %d of %s", (int)i, "those that are off");
}

/* The loop alone. */
static void loop_empty(void *state, uint64_t count)
{
	(void)state;
	for (uint64_t i = 0; i < count; i++)
		__asm__ volatile("" ::: "memory");
}

static void log_enabled(void *state, uint64_t count)
{
	(void)state;
	for (uint64_t i = 0; i < count; i++)
		DOCA_LOG_INFO("line %d of %s", (int)i, "those that are written");
}

/* A line of the same form, made and written by hand. */
static void write_line(void *state, uint64_t count)
{
	const int *fd = state;

	for (uint64_t i = 0; i < count; i++) {
		struct timespec now;
		struct tm local;
		char date[32];

		clock_gettime(CLOCK_REALTIME, &now);
		localtime_r(&now.tv_sec, &local);
		(void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
		dprintf(*fd, "[%s.%06ld][%d][%s][%s] line %d of %s\n", date, now.tv_nsec / 1000,
			(int)getpid(), "INF", "BENCH::LOG", (int)i, "those that are written");
	}
}

static struct bench_case cases[] = {
	{
	    .name = "log_off",
	    .transport = "memory",
	    .peer = "loop",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .limit = { .kind = BENCH_AT_MOST_MORE, .value = OFF_LIMIT_NS },
	    .setup = open_null,
	    .run_ours = log_disabled,
	    .run_peer = loop_empty,
	    .teardown = close_nothing,
	},
	{
	    .name = "log_line",
	    .transport = "fd",
	    .peer = "dprintf",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .setup = open_null,
	    .run_ours = log_enabled,
	    .run_peer = write_line,
	    .teardown = close_nothing,
	},
};

int main(int argc, char **argv)
{
	const struct bench_program program = {
		.name = "bench_log",
		.num_cores = 1,
		.cases = cases,
		.num_cases = sizeof(cases) / sizeof(cases[0]),
	};

	return bench_main(&program, argc, argv);
}
