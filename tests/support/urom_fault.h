/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_FAULT_H_
#define UROM_FAULT_H_

/*
 * A daemon, a host program with one worker, and something that happens to one of the three at a
 * step of their lives. The application's service and its worker have engines of their own, so that
 * a step between their two can be had. Beside them a witness: a program with another worker, which
 * runs commands all the time, and to which nothing may happen.
 */

#include "cells.h"
#include "urom_gate.h"
#include "urom_host.h"
#include "urom_program.h"

#define UROM_FAULT_ID         UINT64_C(7) /* of the application's worker */
#define UROM_FAULT_WITNESS_ID "9"

/*
 * What the contract gives a context to leave STARTING or STOPPING, and a turn. Waits for a
 * processor do not count, here and in the following.
 */
#define UROM_FAULT_BOUND_NS UINT64_C(10500000000)

/* No process is left after this, and a turn; with a call that does not return, after that. */
#define UROM_FAULT_ORPHAN_NS  UINT64_C(3000000000)
#define UROM_FAULT_CLOSING_NS UINT64_C(8500000000)

/* A pause, and one that is longer than all bounds of the contract and of TCP. */
#define UROM_FAULT_PAUSE_NS UINT64_C(300000000)
#define UROM_FAULT_LONG_NS  UINT64_C(12000000000)

/* Commands of a full window. */
#define UROM_FAULT_WINDOW 32

enum urom_fault_act {
	UROM_FAULT_KILL,
	UROM_FAULT_STOP,  /* for ever */
	UROM_FAULT_PAUSE, /* it goes on later */
};

struct urom_fault {
	struct urom_rig *rig;
	struct urom_gate *gate; /* NULL: none */
	char *variable;         /* borrowed: more environment of the worker; NULL: none */
	struct urom_program witness;
	pid_t witness_worker;
	struct urom_host host; /* the service */
	struct urom_host app;  /* the worker, on an engine of its own */
	struct doca_urom_worker *worker;
	uint64_t began_ns; /* the move that is to end within its bound */
	uint64_t delay_ns; /* what had been waited for a processor then */
};

/* The point of a plugin of that name, which is loaded when it is looked at for the first time. */
#define UROM_FAULT_LATE "late"

/*
 * Daemon and application, its service IDLE. point: where processes are to stop that have the gate's
 * variable in their environment, which the application's worker has, or with UROM_FAULT_LATE the
 * daemon; NULL: nowhere. channel: "ucx" or "tcp". One at a time.
 */
void urom_fault_init(struct urom_fault *fault, const char *point, const char *channel);

/* Ends all of it; nothing may be left. */
void urom_fault_fini(struct urom_fault *fault);

/* The application alone. variable: borrowed, for the worker; NULL: none. */
void urom_fault_init_host(struct urom_fault *fault, char *variable);
void urom_fault_fini_host(struct urom_fault *fault);

/* Starts the witness, and checks that it has fared well. */
void urom_fault_begin_witness(struct urom_fault *fault);
void urom_fault_end_witness(struct urom_fault *fault);

/* Takes what the logs say of that worker process. */
void urom_fault_take_logs(struct urom_fault *fault, pid_t worker);

/* A cell of type's value, which func finds in *state. */
#define UROM_FAULT_CELL(name, func, type, ...)                                \
	{                                                                     \
		name, func, test_begin, test_end, (void *)&(type)__VA_ARGS__, \
	}

/* main() of a program of cells, which is its host programs as well. */
int urom_fault_main(int argc, char **argv, const struct CMUnitTest *cells, size_t num_cells);

/* --- The application --- */

/* Makes the worker and starts it. */
void urom_fault_start(struct urom_fault *fault);

/* The same, up to RUNNING. Returns: its process. */
pid_t urom_fault_run(struct urom_fault *fault);

/* Drives the service alone, until the worker's engine has the daemon's answer. */
void urom_fault_get_mail(struct urom_fault *fault);

/* Stops the worker: it is STOPPING, and its engine has had no turn. */
void urom_fault_stop(struct urom_fault *fault);

/* One turn of both engines; false: nothing was told. */
bool urom_fault_turn(struct urom_fault *fault);

/* Both engines have turns for that time, in which nothing is told. */
void urom_fault_hear_nothing(struct urom_fault *fault, uint64_t ns);

/* The same for as long as what was struck is to stay so. */
void urom_fault_hear_nothing_while(struct urom_fault *fault, enum urom_fault_act act);

/* The process of the application's worker; there must be one. */
pid_t urom_fault_worker(struct urom_fault *fault);

/* What happens from here on has a bound, as starts and stops have by themselves. */
void urom_fault_begin(struct urom_fault *fault);

/* It was kept. */
void urom_fault_check_bound(const struct urom_fault *fault);

/*
 * What is heard of the worker: commands 1 to count end, each once. Some end well, and come first;
 * then middle, which may be NULL, as tail; then the others, with status; then tail.
 */
struct urom_fault_ends {
	uint64_t count;
	uint64_t min_good;
	uint64_t max_good;
	const char *middle;
	const char *status; /* "CONNECTION_RESET" */
	const char *tail;   /* "running>stopping stopping>idle" */
};

#define UROM_FAULT_ALL_GOOD(n)     \
	((struct urom_fault_ends){ \
	    .count = (n),          \
	    .min_good = (n),       \
	    .max_good = (n),       \
	})

/* Drives both engines until that was heard, and nothing else; within the bound. */
void urom_fault_hear_ends(struct urom_fault *fault, const struct urom_fault_ends *ends);

/* The same for moves alone. */
void urom_fault_hear_moves(struct urom_fault *fault, const char *moves);

/* Drives them until anything was heard, which is left there to be heard again. */
void urom_fault_hear_one(struct urom_fault *fault);

/* Has the plugin hold commands 1 to count: it has got them. */
void urom_fault_hold(struct urom_fault *fault, uint64_t count);

/* Submits large commands 1 to UROM_FAULT_WINDOW, as many as may be in flight. */
void urom_fault_fill_window(struct urom_fault *fault);

/* The worker answers. */
void urom_fault_echo(struct urom_fault *fault);

/* --- Afterwards --- */

/* Fails when a process is still there after that time. */
void urom_fault_wait_gone(pid_t pid, uint64_t within_ns);

/* The application destroys its worker, and gets another one with the same id, which works. */
void urom_fault_check_reuse(struct urom_fault *fault, pid_t old);

#endif /* UROM_FAULT_H_ */
