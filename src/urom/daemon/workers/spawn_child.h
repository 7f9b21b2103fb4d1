/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SPAWN_CHILD_H_
#define UROMD_SPAWN_CHILD_H_

/*
 * The child's half of a spawn: what a new process does to itself between fork() and execve().
 * Decisions are made before, in the daemon. What a host's user is in is looked up here: name
 * services may take long, and here that holds up nobody else, as the daemon kills what is not ready
 * in time.
 */

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

#include "urom/daemon/process/account.h"
#include "urom/daemon/process/env.h"

struct uromd_daemon;

/* All that the child needs; borrowed until it runs. */
struct uromd_child {
	const struct uromd_daemon *daemon;
	char *const *argv;
	struct uromd_env env;
	struct uromd_account account;
	int fd;      /* its end of the control connection */
	int call_fd; /* of the page that tells which call it is in; -1: none */
	int log_fd;  /* for standard output and error */
	bool has_cpus;
	cpu_set_t cpus;
	pid_t parent;
};

/*
 * Becomes the worker. To be called in the new process, and never returns there: what fails is said
 * by the control connection with WORKER_FAILED, as the worker's program would.
 */
void __attribute__((noreturn)) uromd_child_run(struct uromd_child *child);

#endif /* UROMD_SPAWN_CHILD_H_ */
