/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_victim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "urom_fault.h"

#define NUM_HELD 3

static void do_nothing(struct urom_fault *fault)
{
	(void)fault;
}

static void run(struct urom_fault *fault)
{
	urom_fault_start(fault);
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
}

static void get_mail(struct urom_fault *fault)
{
	urom_fault_start(fault);
	urom_fault_get_mail(fault);
}

static void attach(struct urom_fault *fault)
{
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
	urom_fault_echo(fault);
}

static void hold(struct urom_fault *fault)
{
	run(fault);
	urom_fault_hold(fault, NUM_HELD);
}

static void answer_held(struct urom_fault *fault)
{
	urom_host_send(&fault->host, fault->worker, UROM_TEST_ANSWER_HELD, 0, NUM_HELD + 1);
	urom_fault_hear_ends(fault, &UROM_FAULT_ALL_GOOD(NUM_HELD + 1));
}

static void ask_much(struct urom_fault *fault)
{
	run(fault);
	urom_fault_fill_window(fault);
	urom_fault_hear_one(fault);
}

static void hear_all(struct urom_fault *fault)
{
	urom_fault_hear_ends(fault, &UROM_FAULT_ALL_GOOD(UROM_FAULT_WINDOW));
}

static void detach(struct urom_fault *fault)
{
	hold(fault);
	urom_fault_stop(fault);
}

static void hear_the_end(struct urom_fault *fault)
{
	urom_fault_hear_ends(fault, &(struct urom_fault_ends){ .count = NUM_HELD,
							       .middle = "running>stopping",
							       .status = "SHUTDOWN",
							       .tail = "stopping>idle" });
}

static void stop(struct urom_fault *fault)
{
	run(fault);
	urom_fault_stop(fault);
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
}

static const struct {
	const char *name;
	void (*reach)(struct urom_fault *fault);
	void (*go_on)(struct urom_fault *fault);
} steps[] = {
	{ "welcome", do_nothing, do_nothing }, { "start", run, urom_fault_echo },
	{ "mail", get_mail, attach },          { "held", hold, answer_held },
	{ "answers", ask_much, hear_all },     { "detach", detach, hear_the_end },
	{ "stop", stop, do_nothing },
};

static void wait_for_word(void)
{
	char byte;

	printf("here\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
}

int urom_victim_main(int argc, char **argv)
{
	struct urom_fault fault;
	size_t i = 0;

	while (i < sizeof(steps) / sizeof(steps[0]) && strcmp(argv[2], steps[i].name) != 0)
		i++;
	if (i == sizeof(steps) / sizeof(steps[0]))
		return 2;
	urom_fault_init_host(&fault, argc > 3 ? argv[3] : NULL);
	urom_host_start(&fault.host);
	steps[i].reach(&fault);
	wait_for_word();
	urom_fault_begin(&fault);
	steps[i].go_on(&fault);
	urom_fault_fini_host(&fault);
	return EXIT_SUCCESS;
}
