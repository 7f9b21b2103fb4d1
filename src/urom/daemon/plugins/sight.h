/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SIGHT_H_
#define UROMD_SIGHT_H_

/*
 * What a process sees in the directories of the search path, as it comes from there: notes, one
 * behind the other, laid out as on this machine, since both ends are one program. They are read as
 * if a stranger had written them.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <doca_error.h>

#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/complaints.h"
#include "urom/daemon/plugins/plugins.h"

enum uromd_note_kind {
	UROMD_NOTE_PLACE,     /* a directory begins */
	UROMD_NOTE_CANDIDATE, /* a file in it; the text is its path */
	UROMD_NOTE_COMPLAINT, /* a line for the log, which is the text */
	UROMD_NOTE_END,       /* that was the last directory */
	UROMD_NUM_NOTES,
};

/* Bytes of a text at most: a path, and what is said of it. */
#define UROMD_NOTE_TEXT (PATH_MAX + 512)

/* Before each text. */
struct uromd_note {
	uint32_t kind;
	uint32_t place; /* of UROMD_NOTE_PLACE, its number */
	uint32_t text_len;
	char name[UROMD_PLUGIN_NAME_SIZE]; /* of UROMD_NOTE_CANDIDATE, as the next one */
	struct stat stat;
};

#define UROMD_NOTE_SIZE (sizeof(struct uromd_note) + UROMD_NOTE_TEXT)

/* Write notes, the last one of them out to its reader. Texts are cut. False: out has failed. */
bool uromd_note_place(FILE *out, size_t place);
bool uromd_note_candidate(FILE *out, const struct uromd_candidate *candidate);
bool uromd_note_complaint(FILE *out, const char *text);
bool uromd_note_end(FILE *out);

/* What has come of it so far. Zeroed memory has seen nothing, and no directory is to come. */
struct uromd_sight {
	size_t num_places; /* directories that there are */
	size_t place;      /* the one that was begun last */
	bool is_over;      /* all have come */
	struct uromd_candidates candidates;
	struct uromd_complaints complaints;
	size_t num_complaints; /* in that directory */
	size_t rest_len;
	uint8_t rest[UROMD_NOTE_SIZE]; /* a note that has not come to its end */
};

void uromd_sight_fini(struct uromd_sight *sight);

/*
 * Takes bytes, in whatever portions they come. Errors: BAD_CONFIG: those are no notes, or more than
 * there can be. NO_MEMORY. Nothing more is to be taken then.
 */
doca_error_t uromd_sight_take(struct uromd_sight *sight, const uint8_t *bytes, size_t len);

#endif /* UROMD_SIGHT_H_ */
