/* SPDX-License-Identifier: BSD-3-Clause */
#include "cells.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#define A_PROCESSOR 4 /* that many at once for each */
#define LINE_BYTES  1024

struct cell {
	const char *name;
	pid_t pid; /* 0: it has not begun, or has ended */
	bool is_over;
	int status;
	FILE *output;
};

static struct cell cells[CELLS_MAX];
static size_t num_cells;
static size_t num_begun;
static size_t num_running;

/*
 * Each in a session of its own, as each worker is: many kernels share processors out by sessions,
 * and the hosts and daemons of all cells in one were seen to keep the workers from any for seconds.
 */
static void run_program(const struct cell *cell)
{
	/* It leaves its arguments alone. */
	char *argv[] = { (char *)(uintptr_t) "cells", (char *)(uintptr_t)CELLS_ROLE,
			 (char *)(uintptr_t)cell->name, NULL };

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setsid(); /* for a new process that cannot fail */
	if (dup2(fileno(cell->output), STDOUT_FILENO) >= 0 &&
	    dup2(fileno(cell->output), STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

static void begin(struct cell *cell)
{
	cell->output = tmpfile();
	assert_non_null(cell->output);
	fflush(NULL);
	cell->pid = fork();
	assert_true(cell->pid >= 0);
	if (cell->pid == 0)
		run_program(cell);
	num_running++;
}

/* CELLS_AT_ONCE in the environment counts first, for a machine with more to do. */
static size_t max_at_once(void)
{
	const char *wanted = getenv("CELLS_AT_ONCE");
	unsigned long count = wanted != NULL ? strtoul(wanted, NULL, 10) : 0;

	return count > 0 ? count : A_PROCESSOR * (size_t)get_nprocs();
}

static void begin_some(void)
{
	while (num_running < max_at_once() && num_begun < num_cells)
		begin(&cells[num_begun++]);
}

/* Waits for the end of any. */
static void end_one(void)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	assert_true(pid > 0);
	for (size_t i = 0; i < num_cells; i++) {
		if (cells[i].pid != pid)
			continue;
		cells[i].pid = 0;
		cells[i].is_over = true;
		cells[i].status = status;
		num_running--;
		return;
	}
}

static void print_output(struct cell *cell)
{
	char line[LINE_BYTES];

	rewind(cell->output);
	while (fgets(line, sizeof(line), cell->output) != NULL)
		print_error("#     %s", line);
}

static void check_cell(void **state)
{
	struct cell *cell = *state;

	while (!cell->is_over) {
		begin_some();
		end_one();
	}
	begin_some();
	if (cell->status != 0)
		print_output(cell);
	fclose(cell->output);
	if (cell->status != 0)
		fail_msg("its process ended with status 0x%x", cell->status);
}

static int run_here(const char *name, const struct CMUnitTest *tests, size_t count)
{
	cmocka_set_test_filter(name);
	return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

int cells_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
	struct CMUnitTest checks[CELLS_MAX];

	if (argc > 1)
		return run_here(argv[argc - 1], tests, count);
	if (count > CELLS_MAX) {
		fprintf(stderr, "there is room for %d cells\n", CELLS_MAX);
		return EXIT_FAILURE;
	}
	num_cells = count;
	for (size_t i = 0; i < count; i++) {
		cells[i].name = tests[i].name;
		checks[i] = (struct CMUnitTest){
			.name = tests[i].name,
			.test_func = check_cell,
			.initial_state = &cells[i],
		};
	}
	return _cmocka_run_group_tests("cells", checks, count, NULL, NULL);
}
