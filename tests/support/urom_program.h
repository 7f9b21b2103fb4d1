/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_PROGRAM_H_
#define UROM_PROGRAM_H_

/*
 * Host programs besides the test's own: the test program itself, started anew with arguments, so
 * that nothing of it comes along by fork(). Whoever uses them has
 *
 *     if (argc > 1)
 *         return urom_program_main(argc, argv);
 *
 * in main(). They are told to go on by the end of their standard input, and tell lines.
 */

#include <stdio.h>
#include <sys/types.h>

#define UROM_PROGRAM_LINE 256

struct urom_program {
	pid_t pid;
	int in;  /* its standard input, or -1 */
	int out; /* its standard output */
};

/*
 * What they do, ending with 0. With a service alone:
 *
 *     turned-away       starts it, which must fail, and tells the error's name
 *     unwelcome PART    the same, with PART in the one line about it
 *     refused ID PART   starts that worker, which must fail, with PART in the one line about it
 *     list GROUP        tells the ids of its workers that it is told of, each with a blank behind
 *     stay-in ID GROUP  as stay, in a group
 *
 * With the id of a worker:
 *
 *     stay ID           starts it, tells "PID DEST" of it, waits, stops all and ends with 0
 *     leave ID          the same, but ends with 0 without stopping anything
 *     leave-busy ID     the same, with commands in flight, by exit()
 *     leave-by-thread ID
 *                       the same by exit() in a thread, while the main one drives the engine
 *     stop-at-exit ID   as leave, but a function of atexit() stops everything
 *     parent ID         starts it, tells, forks a child that lives, tells the child's pid, waits
 *     hold ID           starts it, submits commands that are answered in a second, tells, waits
 *     flow ID TAG COUNT starts it, waits, runs that many commands, tells "done", stops all
 *     steady ID         starts it, tells "PID DEST", runs one command after the other until it is
 * told to go on, tells "COUNT US" with the longest that one has taken, waits for processors left
 * out, stops all
 */
int urom_program_main(int argc, char **argv);

/* Starts one; args end with NULL. */
void urom_program_start(struct urom_program *program, const char *const *args);

/* The same, as another user, with his number for a group; the test is root's. */
void urom_program_start_as(struct urom_program *program, uid_t uid, const char *const *args);

/* The same, for a user who is in another group besides. */
void urom_program_start_in_group(struct urom_program *program, uid_t uid, gid_t group,
				 const char *const *args);

/* The next line that it tells, without its newline; fails after 30 s. */
void urom_program_read(struct urom_program *program, char line[UROM_PROGRAM_LINE]);

/* Tells it to go on. */
void urom_program_go_on(struct urom_program *program);

/* Waits for its end, which must be with status 0. */
void urom_program_finish(struct urom_program *program);

/* Ends it by SIGKILL. */
void urom_program_kill(struct urom_program *program);

#endif /* UROM_PROGRAM_H_ */
