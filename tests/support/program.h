/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROGRAM_H_
#define PROGRAM_H_

/* Programs that a test runs as a user does: what they print, and how they end. */

#include <stdio.h>
#include <sys/types.h>

#define PROGRAM_BYTES 16384

/* What it has printed so far stands in out and err, cut to their size. */
struct program {
	pid_t pid;
	FILE *out_file;
	FILE *err_file;
	char out[PROGRAM_BYTES];
	char err[PROGRAM_BYTES];
};

/*
 * Starts a program with the environment of the test, but for env: "NAME=value" to set, "NAME" to
 * take away. Its group is its own. argv, env: end with NULL; env may be NULL.
 */
void program_start(struct program *program, const char *const *argv, const char *const *env);

/* Waits until it has printed text to standard output; fails when it ends without, or after 20 s. */
void program_wait_for(struct program *program, const char *text);

/* Waits for its end, and fails after 60 s. Returns: its status, or minus the signal. */
int program_wait(struct program *program);

/* program_start(), then program_wait(). */
int program_run(struct program *program, const char *const *argv, const char *const *env);

/* Fails unless a text has these marks, one after the other. marks: end with NULL. */
void program_check_marks(const char *text, const char *const *marks);

#endif /* PROGRAM_H_ */
