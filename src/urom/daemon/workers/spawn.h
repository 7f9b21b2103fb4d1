/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SPAWN_H_
#define UROMD_SPAWN_H_

#include <sys/socket.h>
#include <sys/types.h>

#include "urom/daemon/sessions/conns.h"
#include "urom/daemon/workers/call.h"

struct uromd_account;
struct uromd_daemon;

struct uromd_process {
	pid_t pid;              /* a child, to be reaped */
	int fd;                 /* owned: the daemon's end of the control connection */
	struct uromd_call call; /* owned */
};

/* What it is to be. All of it is borrowed. */
struct uromd_birth {
	uint64_t id;
	const struct uromd_request *request;
	const struct uromd_account *account; /* whose it is */
	const struct sockaddr *local; /* where its channel listens; the port is not looked at */
	int log_fd;                   /* what it writes to; -1: the daemon's standard error */
};

/*
 * Starts a worker's process. What fails in the process itself, before the program of the workers
 * is there, is said by it with WORKER_FAILED, as the program would.
 * process: written on success. Errors: as the system has them. NO_MEMORY. failure tells.
 */
doca_error_t uromd_spawn(const struct uromd_daemon *daemon, const struct uromd_birth *birth,
			 struct uromd_process *process, struct uromd_failure *failure);

#endif /* UROMD_SPAWN_H_ */
