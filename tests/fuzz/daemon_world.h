/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_DAEMON_WORLD_H_
#define FUZZ_DAEMON_WORLD_H_

/*
 * What is around a daemon, in place of the system: processes of workers that are none, timers that
 * are over when the input says so, and plugins that need no probing. All by --wrap of the linker;
 * what is between is the daemon's own code.
 */

#include "urom/daemon/daemon.h"

#define WORLD_MAX_PROCESSES 16

/* A worker's process, as its daemon sees it: the other end of its control connection. */
struct world_process {
	int fd;         /* -1: it has closed it */
	int pidfd;      /* the daemon's */
	int end_fd;     /* the same, here; -1: the daemon has none */
	siginfo_t end;  /* as waitid() tells it */
	bool has_ended; /* SIGKILL does that, too */
	bool is_reaped;
};

/* Forgets processes and timers of an earlier input. */
void world_begin(void);

/* The n-th process that was started and has not ended, in a circle; NULL: there is none. */
struct world_process *world_process(size_t n);

/* Has the process end, as waitid() would tell. */
void world_exit(struct world_process *process, bool is_signal, int status);

/* Has the n-th timer be over, in a circle. */
void world_elapse(size_t n);

/* From here on a scan is over when a timer is; before, with the next turn of the loop. */
void world_slow_scans(void);

/* The next process is not to be had. */
void world_refuse_process(void);

/* --- Those that look at credentials --- */

/* One such process, as the daemon sees it. */
struct world_asker {
	int verdict_fd; /* where it says what munged says; -1: it has ended */
	int pidfd;      /* the daemon's; -1: it has none */
	int end_fd;     /* readable for the daemon once it has ended */
	bool is_reaped;
};

/* The n-th that has not ended, in a circle; NULL: there is none. */
struct world_asker *world_asker(size_t n);

/* Has it end; what it has said is in its pipe. */
void world_asker_exit(struct world_asker *asker);

#endif /* FUZZ_DAEMON_WORLD_H_ */
