/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/sight.h"

#include <stdlib.h>
#include <string.h>

#include "urom/daemon/base/limits.h"

/* Of one directory: each entry, and the directory itself twice. */
#define MAX_COMPLAINTS (UROMD_MAX_DIR_ENTRIES + 2)

/* --- Notes are written --- */

static bool write_note(FILE *out, struct uromd_note *note, const char *text)
{
	const size_t len = strnlen(text, UROMD_NOTE_TEXT);

	note->text_len = (uint32_t)len;
	return fwrite(note, sizeof(*note), 1, out) == 1 && fwrite(text, 1, len, out) == len;
}

bool uromd_note_place(FILE *out, size_t place)
{
	struct uromd_note note = { .kind = UROMD_NOTE_PLACE, .place = (uint32_t)place };

	/* Before anything is done that may take its time. */
	return write_note(out, &note, "") && fflush(out) == 0;
}

bool uromd_note_candidate(FILE *out, const struct uromd_candidate *candidate)
{
	struct uromd_note note = { .kind = UROMD_NOTE_CANDIDATE, .stat = candidate->stat };

	(void)snprintf(note.name, sizeof(note.name), "%s", candidate->name);
	return write_note(out, &note, candidate->path);
}

bool uromd_note_complaint(FILE *out, const char *text)
{
	struct uromd_note note = { .kind = UROMD_NOTE_COMPLAINT };

	return write_note(out, &note, text);
}

bool uromd_note_end(FILE *out)
{
	struct uromd_note note = { .kind = UROMD_NOTE_END };

	return write_note(out, &note, "") && fflush(out) == 0;
}

/* --- Notes are read --- */

void uromd_sight_fini(struct uromd_sight *sight)
{
	uromd_candidates_fini(&sight->candidates);
	uromd_complaints_fini(&sight->complaints);
}

static doca_error_t take_place(struct uromd_sight *sight, const struct uromd_note *note,
			       const char *text)
{
	(void)text;
	if (note->place >= sight->num_places || note->place < sight->place)
		return DOCA_ERROR_BAD_CONFIG;
	sight->place = note->place;
	sight->num_complaints = 0;
	return DOCA_SUCCESS;
}

static bool is_name(const char *name)
{
	if (name[0] == '\0' || memchr(name, '\0', UROMD_PLUGIN_NAME_SIZE) == NULL)
		return false;
	for (; *name != '\0'; name++) {
		if ((unsigned char)*name < ' ' || *name == '\x7f')
			return false;
	}
	return true;
}

static doca_error_t take_candidate(struct uromd_sight *sight, const struct uromd_note *note,
				   const char *text)
{
	char *path;

	if (!is_name(note->name) || text[0] != '/' || !S_ISREG(note->stat.st_mode) ||
	    sight->candidates.num == UROMD_MAX_CANDIDATES)
		return DOCA_ERROR_BAD_CONFIG;
	path = strdup(text);
	if (path == NULL)
		return DOCA_ERROR_NO_MEMORY;
	return uromd_candidates_add(&sight->candidates, note->name, path, &note->stat);
}

static doca_error_t take_complaint(struct uromd_sight *sight, const struct uromd_note *note,
				   const char *text)
{
	(void)note;
	if (sight->num_complaints == MAX_COMPLAINTS)
		return DOCA_ERROR_BAD_CONFIG;
	sight->num_complaints++;
	uromd_complain(&sight->complaints, "%s", text);
	return DOCA_SUCCESS;
}

static doca_error_t take_end(struct uromd_sight *sight, const struct uromd_note *note,
			     const char *text)
{
	(void)note;
	(void)text;
	sight->is_over = true;
	return DOCA_SUCCESS;
}

static doca_error_t (*const takers[])(struct uromd_sight *, const struct uromd_note *,
				      const char *) = {
	[UROMD_NOTE_PLACE] = take_place,
	[UROMD_NOTE_CANDIDATE] = take_candidate,
	[UROMD_NOTE_COMPLAINT] = take_complaint,
	[UROMD_NOTE_END] = take_end,
};

_Static_assert(sizeof(takers) / sizeof(takers[0]) == UROMD_NUM_NOTES, "a function each");

static doca_error_t take_note(struct uromd_sight *sight, const struct uromd_note *note)
{
	const uint8_t *bytes = sight->rest + sizeof(*note);
	char text[UROMD_NOTE_TEXT + 1];

	if (sight->is_over || memchr(bytes, '\0', note->text_len) != NULL)
		return DOCA_ERROR_BAD_CONFIG;
	memcpy(text, bytes, note->text_len);
	text[note->text_len] = '\0';
	return takers[note->kind](sight, note, text);
}

/* Adds to the note that is coming, up to so many bytes of it. True: they are there. */
static bool fill(struct uromd_sight *sight, size_t needed, const uint8_t **bytes, size_t *len)
{
	size_t more = needed - sight->rest_len;

	if (more > *len)
		more = *len;
	memcpy(sight->rest + sight->rest_len, *bytes, more);
	sight->rest_len += more;
	*bytes += more;
	*len -= more;
	return sight->rest_len == needed;
}

doca_error_t uromd_sight_take(struct uromd_sight *sight, const uint8_t *bytes, size_t len)
{
	struct uromd_note note;
	doca_error_t result = DOCA_SUCCESS;

	while (len > 0 && result == DOCA_SUCCESS) {
		if (sight->rest_len < sizeof(note) && !fill(sight, sizeof(note), &bytes, &len))
			return DOCA_SUCCESS;
		memcpy(&note, sight->rest, sizeof(note));
		if (note.kind >= UROMD_NUM_NOTES || note.text_len > UROMD_NOTE_TEXT)
			return DOCA_ERROR_BAD_CONFIG;
		if (!fill(sight, sizeof(note) + note.text_len, &bytes, &len))
			return DOCA_SUCCESS;
		sight->rest_len = 0;
		result = take_note(sight, &note);
	}
	return result;
}
