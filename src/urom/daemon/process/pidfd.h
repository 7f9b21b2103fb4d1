/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_PIDFD_H_
#define UROMD_PIDFD_H_

/*
 * A child process and its process group, which are signalled as long as they are surely ours: the
 * system gives a pid to another process only when its owner was reaped, and nobody but
 * uromd_pidfd_reap() does that. A group has the pid of its leader for a name, so it has that
 * time, too. From then on nothing here signals anybody.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <doca_error.h>

struct uromd_pidfd {
	pid_t pid; /* 0: there is none, or it was reaped */
	int pidfd; /* owned; readable when it has ended; -1: none */
};

#define UROMD_NO_PIDFD ((struct uromd_pidfd){ .pidfd = -1 })

/*
 * pid: a child that was not reaped. Errors: as the system has them, in errno too: the child is
 * killed and reaped.
 */
doca_error_t uromd_pidfd_init(struct uromd_pidfd *process, pid_t pid);

/* Closes what it has. The process is left alone; one that is not reaped is a zombie in the end. */
void uromd_pidfd_fini(struct uromd_pidfd *process);

void uromd_pidfd_signal(const struct uromd_pidfd *process, int number);

/*
 * Kills the child, when it has not ended, and its group: what it has started and what did not leave
 * the group. Comes before uromd_pidfd_reap(), or does nothing.
 */
void uromd_pidfd_kill_group(const struct uromd_pidfd *process);

/*
 * Is its end still to come? So it is for one that has ended but that its tracer has first. False:
 * it can be reaped, or was.
 */
bool uromd_pidfd_is_running(const struct uromd_pidfd *process);

/* How it has ended, while it is a zombie still. False: it has not, or was reaped. */
bool uromd_pidfd_look(const struct uromd_pidfd *process, siginfo_t *info);

/*
 * Bytes of memory that it filled at most, or one of its children that it has waited for, while it
 * is a zombie still. 0: it has not ended, or was reaped.
 */
uint64_t uromd_pidfd_most_filled(const struct uromd_pidfd *process);

/* Reaps it. False: it has not ended yet, or was reaped before. */
bool uromd_pidfd_reap(struct uromd_pidfd *process, siginfo_t *info);

/* Kills child and group, and reaps: the child is gone on return, or does not die within 1 s. */
void uromd_pidfd_end(struct uromd_pidfd *process);

#endif /* UROMD_PIDFD_H_ */
