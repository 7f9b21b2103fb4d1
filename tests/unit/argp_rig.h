/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ARGP_RIG_H_
#define ARGP_RIG_H_

/*
 * A program of 40 parameters, of every type and property, that is run inside the test, or in a
 * child where it may end. It notes what it is called back with, as "long-name=value " each (the
 * short name where there is no long one), and what it wrote to standard error.
 */

#include <stdbool.h>
#include <stddef.h>

#include <doca_argp.h>

#define RIG_NOTES_BYTES 8192

struct rig {
	char notes[RIG_NOTES_BYTES]; /* what was called, in order */
	char out[RIG_NOTES_BYTES];   /* standard output, of a child only */
	char err[RIG_NOTES_BYTES];   /* standard error */
};

extern struct rig rig;

/* What rig_expect() does with a row's text. */
struct rig_row {
	const char *line; /* the arguments, parted by blanks; '...' keeps blanks */
	const char *json; /* the content of a file that is given with -j; NULL: none */
	doca_error_t result;
	const char *text; /* SUCCESS: all notes, less the last blank; else part of the error line */
};

/* Initialises argp for the program, with its 40 parameters; the device is mandatory. */
void rig_init(void);

/* The same without any parameter. */
void rig_init_bare(void);

void rig_fini(void);

/* Adds "text " to the notes. */
void rig_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes a parameter that notes its values as name=value. Names may be NULL; owned, as any is that
 * doca_argp_param_create() made.
 */
struct doca_argp_param *rig_param(const char *short_name, const char *long_name,
				  enum doca_argp_type type, doca_argp_param_cb_t callback);

/* Makes a command that has no parameter yet. owned, as above. */
struct doca_argp_cmd *rig_cmd(const char *name, doca_argp_cmd_cb_t callback);

/* Runs doca_argp_start() with the line's arguments; notes and err are of this run. */
doca_error_t rig_start(const char *line);

/*
 * Runs setup, if there is one, and rig_start() in a child. Returns its exit status, or -1 when it
 * came back from the start without having ended. out and err are what it wrote.
 */
int rig_start_in_child(void (*setup)(void), const char *line);

/* Writes a file for -j and gives its path, which is good until the next call. */
const char *rig_json(const void *content, size_t len);

/* Runs the program of 40 parameters once a row; the first row that goes wrong fails the test. */
void rig_expect(const struct rig_row *rows, size_t count);

#define RIG_EXPECT(rows) rig_expect((rows), sizeof(rows) / sizeof((rows)[0]))

/* Fails unless err is one line that contains part, and then the usage. */
void rig_check_refusal(const char *part);

#endif /* ARGP_RIG_H_ */
