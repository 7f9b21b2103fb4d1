/* SPDX-License-Identifier: BSD-3-Clause */
/* What the daemon takes from the process that looks into directories, and what it does not. */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/sight.h"

#define NUM_PLACES 3

static struct uromd_sight sight;

/* Notes as they are written, and how long they are. */
static char *written;
static size_t written_len;

static int begin(void **state)
{
	memset(&sight, 0, sizeof(sight));
	sight.num_places = NUM_PLACES;
	return test_begin(state);
}

static int end(void **state)
{
	uromd_sight_fini(&sight);
	free(written);
	written = NULL;
	return test_end(state);
}

static struct uromd_candidate candidate(const char *name, const char *path)
{
	struct uromd_candidate made = { .stat = { .st_mode = S_IFREG, .st_size = 7 } };

	(void)snprintf(made.name, sizeof(made.name), "%s", name);
	made.path = strdup(path);
	assert_non_null(made.path);
	return made;
}

static void write_candidate(FILE *out, const char *name, const char *path)
{
	struct uromd_candidate made = candidate(name, path);

	assert_true(uromd_note_candidate(out, &made));
	free(made.path);
}

/* A directory with a plugin, one that is left out, and the end. */
static void write_all(void)
{
	FILE *out = open_memstream(&written, &written_len);

	assert_non_null(out);
	assert_true(uromd_note_place(out, 0));
	write_candidate(out, "a", "/p/a.so");
	assert_true(uromd_note_place(out, 2));
	assert_true(uromd_note_complaint(out, "plugins: it\nis left out"));
	assert_true(uromd_note_end(out));
	assert_int_equal(fclose(out), 0);
}

static void check_all(void)
{
	assert_true(sight.is_over);
	assert_int_equal(sight.place, 2);
	assert_int_equal(sight.candidates.num, 1);
	assert_string_equal(sight.candidates.at[0].name, "a");
	assert_string_equal(sight.candidates.at[0].path, "/p/a.so");
	assert_int_equal(sight.candidates.at[0].stat.st_size, 7);
	assert_int_equal(sight.complaints.num, 1);
	assert_string_equal(sight.complaints.texts[0], "plugins: it?is left out");
}

static const uint8_t *bytes(void)
{
	return (const uint8_t *)written;
}

static void notes_come_in_any_portions(void **state)
{
	(void)state;
	write_all();
	for (size_t portion = 1; portion <= written_len; portion += portion < 300 ? 1 : 97) {
		for (size_t at = 0; at < written_len; at += portion) {
			const size_t left = written_len - at;

			assert_success(uromd_sight_take(&sight, bytes() + at,
							left < portion ? left : portion));
		}
		check_all();
		uromd_sight_fini(&sight);
		memset(&sight, 0, sizeof(sight));
		sight.num_places = NUM_PLACES;
	}
}

static void nothing_comes_behind_the_end(void **state)
{
	(void)state;
	write_all();
	assert_success(uromd_sight_take(&sight, bytes(), written_len));
	assert_int_equal(uromd_sight_take(&sight, bytes(), written_len), DOCA_ERROR_BAD_CONFIG);
	check_all();
}

static void candidate_is_taken_once(void **state)
{
	FILE *out = open_memstream(&written, &written_len);

	(void)state;
	assert_non_null(out);
	write_candidate(out, "a", "/p/a.so");
	write_candidate(out, "a", "/p/a.so");
	write_candidate(out, "b", "/p/a.so");
	assert_int_equal(fclose(out), 0);
	assert_success(uromd_sight_take(&sight, bytes(), written_len));
	assert_int_equal(sight.candidates.num, 2);
}

/* One note with a head of the test's own. */
static doca_error_t take_note(const struct uromd_note *note, const char *text)
{
	uint8_t *made = calloc(1, UROMD_NOTE_SIZE + 1);
	doca_error_t result;

	assert_non_null(made);
	memcpy(made, note, sizeof(*note));
	(void)stpcpy((char *)made + sizeof(*note), text);
	result = uromd_sight_take(&sight, made, sizeof(*note) + note->text_len);
	free(made);
	return result;
}

static void what_is_no_note_is_refused(void **state)
{
	static const struct {
		struct uromd_note note;
		const char *text;
	} rows[] = {
		{ { .kind = UROMD_NUM_NOTES }, "" },
		{ { .kind = UINT32_MAX }, "" },
		{ { .kind = UROMD_NOTE_COMPLAINT, .text_len = UROMD_NOTE_TEXT + 1 }, "" },
		{ { .kind = UROMD_NOTE_COMPLAINT, .text_len = 2 }, "a" },
		{ { .kind = UROMD_NOTE_PLACE, .place = NUM_PLACES }, "" },
		{ { .kind = UROMD_NOTE_CANDIDATE, .text_len = 2, .stat = { .st_mode = S_IFREG } },
		  "/a" },
		{ { .kind = UROMD_NOTE_CANDIDATE,
		    .text_len = 2,
		    .name = "a\n",
		    .stat = { .st_mode = S_IFREG } },
		  "/a" },
		{ { .kind = UROMD_NOTE_CANDIDATE,
		    .text_len = 1,
		    .name = "a",
		    .stat = { .st_mode = S_IFREG } },
		  "a" },
		{ { .kind = UROMD_NOTE_CANDIDATE,
		    .text_len = 2,
		    .name = "a",
		    .stat = { .st_mode = S_IFDIR } },
		  "/a" },
		{ { .kind = UROMD_NOTE_CANDIDATE, .name = "a", .stat = { .st_mode = S_IFREG } },
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(take_note(&rows[i].note, rows[i].text), DOCA_ERROR_BAD_CONFIG);
		assert_int_equal(sight.candidates.num, 0);
		memset(&sight, 0, sizeof(sight));
		sight.num_places = NUM_PLACES;
	}
}

static void name_without_an_end_is_refused(void **state)
{
	struct uromd_note note = {
		.kind = UROMD_NOTE_CANDIDATE,
		.text_len = 2,
		.stat = { .st_mode = S_IFREG },
	};

	(void)state;
	memset(note.name, 'a', sizeof(note.name));
	assert_int_equal(take_note(&note, "/a"), DOCA_ERROR_BAD_CONFIG);
}

static void directories_come_in_their_order(void **state)
{
	struct uromd_note note = { .kind = UROMD_NOTE_PLACE, .place = 1 };

	(void)state;
	assert_success(take_note(&note, ""));
	note.place = 0;
	assert_int_equal(take_note(&note, ""), DOCA_ERROR_BAD_CONFIG);
	assert_int_equal(sight.place, 1);
}

static void candidates_and_complaints_have_a_bound(void **state)
{
	struct uromd_note note = {
		.kind = UROMD_NOTE_CANDIDATE,
		.text_len = 2,
		.stat = { .st_mode = S_IFREG },
	};
	size_t num_complaints = 0;

	(void)state;
	for (int i = 0; i < UROMD_MAX_CANDIDATES; i++) {
		(void)snprintf(note.name, sizeof(note.name), "%d", i);
		assert_success(take_note(&note, "/a"));
	}
	assert_int_equal(take_note(&note, "/b"), DOCA_ERROR_BAD_CONFIG);
	note.kind = UROMD_NOTE_COMPLAINT;
	while (take_note(&note, "/a") == DOCA_SUCCESS)
		num_complaints++;
	assert_int_equal(num_complaints, UROMD_MAX_DIR_ENTRIES + 2);
}

static void text_that_is_too_long_is_cut(void **state)
{
	const size_t size = 2 * (size_t)UROMD_NOTE_TEXT;
	char *text = malloc(size);
	FILE *out = open_memstream(&written, &written_len);

	(void)state;
	assert_non_null(text);
	assert_non_null(out);
	memset(text, 'x', size - 1);
	text[size - 1] = '\0';
	assert_true(uromd_note_complaint(out, text));
	assert_int_equal(fclose(out), 0);
	assert_success(uromd_sight_take(&sight, bytes(), written_len));
	assert_int_equal(strlen(sight.complaints.texts[0]), UROMD_NOTE_TEXT);
	free(text);
}

#define SIGHT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SIGHT_TEST(notes_come_in_any_portions),
		SIGHT_TEST(nothing_comes_behind_the_end),
		SIGHT_TEST(candidate_is_taken_once),
		SIGHT_TEST(what_is_no_note_is_refused),
		SIGHT_TEST(name_without_an_end_is_refused),
		SIGHT_TEST(directories_come_in_their_order),
		SIGHT_TEST(candidates_and_complaints_have_a_bound),
		SIGHT_TEST(text_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
