/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_TEST_H_
#define UROM_TEST_H_

/*
 * The plugin of the tests, as hosts see it. It does what a command says, well or badly, and checks
 * how the worker calls it: what must not be ends the process by abort().
 *
 * The name of its file decides what it does before there are commands: "load_dies" ends the process
 * while it is loaded, "open_dies" in open, "open_fails" returns DRIVER there, "open_waits" never
 * comes back from it.
 *
 * It has points (urom_point.h) "load", or "late" in a file of that name, "open", "addr",
 * "progress", which first comes when READY was sent and the daemon has not been heard since, and
 * "close".
 */

#include <stdint.h>

#define UROM_TEST_VERSION 7

#define UROM_TEST_TAIL    64 /* zero bytes that must follow a command */

enum urom_test_op {
	UROM_TEST_ECHO,          /* answers the bytes of the command */
	UROM_TEST_ECHO_LATER,    /* the same, after arg milliseconds */
	UROM_TEST_ECHO_TOGETHER, /* the same, in the turn in which arg of them are there */
	UROM_TEST_BYTES,         /* answers arg bytes, byte n being n */
	UROM_TEST_HOLD,          /* is answered by the next ANSWER_HELD only */
	UROM_TEST_ANSWER_HELD,   /* answers all that is held with its bytes, then itself */
	UROM_TEST_STATUS,        /* goes well, is answered with the error arg and its bytes */
	UROM_TEST_FAIL,          /* worker_cmd returns the error arg */
	UROM_TEST_FAIL_LEFT,     /* the same, and leaves the command where it is */
	UROM_TEST_FAIL_AND_TELL, /* returns the error arg, and is answered with it and its bytes */
	UROM_TEST_TWICE,         /* is answered twice */
	UROM_TEST_TO_NOBODY,     /* answers somebody who is not there, then as an echo */
	UROM_TEST_ODD_PROGRESS,  /* an echo, but its progress returns arg */
	UROM_TEST_CHECK_TAIL,    /* an echo, or BAD_CONFIG when bytes behind it are not zero */
	UROM_TEST_REPORT,        /* answers a struct urom_test_report */
	UROM_TEST_ENVIRONMENT,   /* answers the value of the variable named, or NOT_FOUND */
	UROM_TEST_PRINT,         /* writes arg bytes to standard output and as many to error */
	UROM_TEST_MAP,           /* takes arg MiB of address space, and keeps them */
	UROM_TEST_FILL,          /* fills arg MiB of memory; ends by a signal where there is none */
	UROM_TEST_WORK,          /* keeps its processor busy, and never comes back */
	UROM_TEST_LOOK_UP,     /* looks arg times for what no domain has, on a thread of its own */
	UROM_TEST_ABORT,       /* ends the process by a signal */
	UROM_TEST_EXIT,        /* ends it by exit(arg) */
	UROM_TEST_SPIN,        /* never comes back */
	UROM_TEST_ABORT_CLOSE, /* is answered; close ends the process by a signal */
	UROM_TEST_SPIN_CLOSE,  /* is answered; close never comes back */
	UROM_TEST_NUM_OPS,
};

/* A command; its bytes follow. */
struct urom_test_cmd {
	uint32_t op;
	uint32_t arg;
};

struct urom_test_report {
	uint64_t pid;
	uint64_t dest_id;
	uint64_t plugin;       /* the command's type */
	uint64_t num_commands; /* that this plugin has got, from anybody */
	uint8_t cpus[128];     /* bit n of byte n / 8 */
	char file[256];        /* what it was loaded from */
};

#endif /* UROM_TEST_H_ */
