/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_PROCS_H_
#define UROM_PROCS_H_

/*
 * What runs on this machine, as /proc tells it. Whoever reaps a process waits, without leaving the
 * processor, for those who look at it in /proc at that moment, and on a busy machine they take
 * their time: a test that looks often would hold up the very end that it waits for. So nothing here
 * looks at processes of others, and waits for an end do without /proc.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define UROM_PROCS_MAX 64

/* The children of a process; returns how many there are. part: of their command lines, or NULL. */
size_t urom_procs_children(pid_t parent, const char *part, pid_t pids[UROM_PROCS_MAX]);

/* The letter for the state of a process, such as 'S' or 'Z'; '\0' when there is none. */
char urom_procs_state(pid_t pid);

/* Is there such a process, if only as a zombie? */
bool urom_procs_is_there(pid_t pid);

/* Waits until a process is gone, zombies being there still; fails after 10 s. */
void urom_procs_wait_gone(pid_t pid);

/* Waits until a process has that many children with part in their command lines; the same. */
void urom_procs_wait_children(pid_t parent, const char *part, size_t count);

/* The processor time that a process has used, in nanoseconds. */
uint64_t urom_procs_cpu_ns(pid_t pid);

/*
 * How long a process has been made to wait for a processor so far, in nanoseconds; 0 when there is
 * no such process. A bound that is to hold on a busy machine too has what was added to this on top.
 */
uint64_t urom_procs_delay_ns(pid_t pid);

/*
 * Is the process to run, and has it not since the last call? What it waits is not counted in its
 * delay before it runs. run_ns: of that call, and then of this one; 0 at first.
 */
bool urom_procs_is_delayed(pid_t pid, uint64_t *run_ns);

#endif /* UROM_PROCS_H_ */
