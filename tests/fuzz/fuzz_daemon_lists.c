/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Lists that come to the daemon: of processors, by its arguments or its environment; of the files
 * in directories for plugins, whatever they are, and the notes that a process takes of them; and of
 * variables for a worker, by a host. The first byte says which. The verdict on processors and
 * variables is compared with a simple one.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/export.h"
#include "script.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/config/cpus.h"
#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/sight.h"
#include "urom/daemon/process/env.h"

#define MAX_FILES 8

static char *text_of(const uint8_t *input, size_t size)
{
	char *text = malloc(size + 1);

	CHECK(text != NULL);
	memcpy(text, input, size);
	text[size] = '\0';
	return text;
}

/* --- Processors --- */

static void check_map(const struct uromd_cpus *cpus, const cpu_set_t *allowed)
{
	cpu_set_t real, outside;

	uromd_cpus_map(cpus, cpus->advertised, &real);
	CPU_XOR(&outside, &real, allowed);
	CPU_AND(&outside, &outside, &real);
	CHECK(CPU_COUNT(&real) > 0 && CPU_COUNT(&outside) == 0);
}

static void try_cpus(const uint8_t *input, size_t size)
{
	uint8_t set[WIRE_CPUSET_SIZE], untouched[WIRE_CPUSET_SIZE];
	char *text = text_of(input, size);
	struct uromd_failure failure;
	struct uromd_cpus cpus;
	cpu_set_t allowed;
	doca_error_t result;

	memset(set, 0xee, sizeof(set));
	memset(untouched, 0xee, sizeof(untouched));
	result = uromd_cpus_parse(text, set);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_INVALID_VALUE);
	CHECK(result == DOCA_SUCCESS || memcmp(set, untouched, sizeof(set)) == 0);
	CHECK(uromd_cpus_get_allowed(&allowed) == DOCA_SUCCESS);
	CHECK(uromd_cpus_init(&cpus, &allowed, NULL, &failure) == DOCA_SUCCESS);
	check_map(&cpus, &allowed);
	if (size >= WIRE_CPUSET_SIZE)
		(void)uromd_cpus_is_part(&cpus, input);
	CHECK(uromd_cpus_init(&cpus, &allowed, text, &failure) == result);
	if (result == DOCA_SUCCESS) {
		CHECK(memcmp(cpus.advertised, set, sizeof(set)) == 0);
		CHECK(uromd_cpus_is_part(&cpus, set));
		check_map(&cpus, &allowed);
	}
	CPU_ZERO(&allowed);
	CHECK(uromd_cpus_init(&cpus, &allowed, text, &failure) == DOCA_ERROR_INVALID_VALUE);
	free(text);
}

/* --- Variables --- */

static const struct wire_field list_fields[] = {
	{ .name = "list",
	  .kind = WIRE_LIST,
	  .limit = WIRE_MAX_LIST,
	  .element = &wire_entry_message },
};

static const struct wire_message list_message = {
	.name = "LIST",
	.record_size = sizeof(struct wire_bytes),
	.fields = list_fields,
	.num_fields = 1,
};

static bool has_equals(const char *text)
{
	return strchr(text, '=') != NULL;
}

/* Each name once, and what the worker must not have from the daemon not at all. */
static void check_env(char *const *list)
{
	for (size_t i = 0; list[i] != NULL; i++) {
		const size_t len = strcspn(list[i], "=") + 1;

		CHECK(has_equals(list[i]) && strcmp(list[i], "NOTIFY_SOCKET=daemon") != 0);
		for (size_t k = 0; k < i; k++)
			CHECK(strncmp(list[i], list[k], len) != 0);
	}
}

static void try_env(const uint8_t *input, size_t size)
{
	static char variables[][32] = { "A=1", "B=2", "NOTIFY_SOCKET=daemon", "AB=3" };
	char *const base[] = { variables[0], variables[1], variables[2], variables[3], NULL };
	uint8_t *body = malloc(size + 4);
	const uint32_t len = (uint32_t)size;
	struct wire_bytes entries;
	struct uromd_env env;

	CHECK(body != NULL);
	memcpy(body, &len, sizeof(len));
	memcpy(body + 4, input, size);
	if (wire_decode(&list_message, body, size + 4, &entries) == WIRE_OK &&
	    uromd_env_is_good(&entries)) {
		CHECK(uromd_env_init(&env, base, &entries, size % 2 == 0) == DOCA_SUCCESS);
		CHECK(uromd_env_add(&env, "A", "2") == DOCA_SUCCESS);
		CHECK(uromd_env_add(&env, "HOME", "/") == DOCA_SUCCESS);
		check_env(env.list);
		uromd_env_fini(&env);
	}
	free(body);
}

/* --- Directories --- */

static int home = -1; /* where the corpus is */
static char place[] = "/tmp/fuzz_daemon_lists.XXXXXX";

/* A name within the place, or NULL. */
static char *name_in(const struct script_step *step)
{
	if (step->len == 0 || step->len > 200 || memchr(step->bytes, '/', step->len) != NULL ||
	    memchr(step->bytes, '\0', step->len) != NULL || step->bytes[0] == '.')
		return NULL;
	return text_of(step->bytes, step->len);
}

static void make_file(const struct script_step *step, const char *name)
{
	int fd;

	if (step->what % 4 == 1)
		(void)mkdir(name, 0700);
	else if (step->what % 4 == 2)
		(void)symlink(".", name);
	else if (step->what % 4 == 3)
		(void)symlink("nowhere", name);
	else if ((fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) >= 0)
		close(fd);
}

static void check_candidates(const struct uromd_candidates *candidates)
{
	for (size_t i = 0; i < candidates->num; i++) {
		const struct uromd_candidate *candidate = &candidates->at[i];

		CHECK(S_ISREG(candidate->stat.st_mode) && candidate->name[0] != '\0');
		CHECK(memchr(candidate->name, '\0', sizeof(candidate->name)) != NULL);
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(candidate->name, candidates->at[k].name) != 0 ||
			      strcmp(candidate->path, candidates->at[k].path) != 0);
	}
}

static void try_directories(const uint8_t *input, size_t size)
{
	struct uromd_candidates candidates = { .at = NULL };
	struct uromd_complaints complaints = { .texts = NULL };
	char *names[MAX_FILES];
	size_t num_names = 0;
	struct script_step step;
	char *text;

	CHECK(chdir(place) == 0);
	while (num_names < MAX_FILES && script_next(&input, &size, &step)) {
		char *name = name_in(&step);

		if (name == NULL)
			break;
		make_file(&step, name);
		names[num_names++] = name;
	}
	text = text_of(input, size);
	CHECK(uromd_candidates_read(".", &candidates, &complaints) == DOCA_SUCCESS);
	CHECK(uromd_candidates_read("./", &candidates, &complaints) == DOCA_SUCCESS);
	CHECK(uromd_candidates_read(text, &candidates, &complaints) == DOCA_SUCCESS);
	check_candidates(&candidates);
	uromd_candidates_fini(&candidates);
	uromd_complaints_fini(&complaints);
	free(text);
	while (num_names > 0) {
		(void)remove(names[--num_names]);
		free(names[num_names]);
	}
	CHECK(fchdir(home) == 0);
}

/* --- Notes of directories --- */

#define NUM_PLACES 200

/* A note of a step, whose bytes are a name, a ';' and a text. bytes: UROMD_NOTE_SIZE. */
static size_t make_note(const struct script_step *step, uint8_t *bytes)
{
	const uint8_t *text = memchr(step->bytes, ';', step->len);
	const size_t name_len = text != NULL ? (size_t)(text - step->bytes) : step->len;
	size_t text_len = text != NULL ? step->len - name_len - 1 : 0;
	struct uromd_note note = { .kind = step->type, .place = step->who };

	if (text_len > UROMD_NOTE_TEXT)
		text_len = UROMD_NOTE_TEXT;
	/* Or it says so only. */
	note.text_len = (step->flags & 2) != 0 ? UINT32_MAX : (uint32_t)text_len + step->flags / 16;
	note.stat.st_mode = (step->flags & 1) != 0 ? S_IFDIR : S_IFREG;
	memcpy(note.name, step->bytes, name_len < sizeof(note.name) ? name_len : sizeof(note.name));
	memcpy(bytes, &note, sizeof(note));
	if (text_len > 0)
		memcpy(bytes + sizeof(note), text + 1, text_len);
	return sizeof(note) + text_len;
}

static void check_sight(const struct uromd_sight *sight)
{
	CHECK(sight->place < NUM_PLACES && sight->candidates.num <= UROMD_MAX_CANDIDATES);
	check_candidates(&sight->candidates);
	for (size_t i = 0; i < sight->complaints.num; i++) {
		CHECK(strlen(sight->complaints.texts[i]) <= UROMD_NOTE_TEXT);
		CHECK(strchr(sight->complaints.texts[i], '\n') == NULL);
	}
}

/* In a block of its own, so that a read behind it is seen. */
static doca_error_t take_portion(struct uromd_sight *sight, const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);
	doca_error_t result;

	CHECK(copy != NULL);
	memcpy(copy, bytes, len);
	result = uromd_sight_take(sight, copy, len);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_BAD_CONFIG);
	free(copy);
	return result;
}

/* Notes that are whole, or whatever else there is, each in two portions. */
static void try_notes(const uint8_t *input, size_t size)
{
	static struct uromd_sight sight;
	static uint8_t note[UROMD_NOTE_SIZE];
	doca_error_t result = DOCA_SUCCESS;
	struct script_step step;

	memset(&sight, 0, sizeof(sight));
	sight.num_places = NUM_PLACES;
	while (result == DOCA_SUCCESS && script_next(&input, &size, &step)) {
		const bool is_note = step.what % 2 == 0;
		const size_t len = is_note ? make_note(&step, note) : step.len;
		const uint8_t *bytes = is_note ? note : step.bytes;
		const size_t cut = len * (step.what / 2) / 128;

		result = take_portion(&sight, bytes, cut);
		if (result == DOCA_SUCCESS)
			result = take_portion(&sight, bytes + cut, len - cut);
		check_sight(&sight);
	}
	uromd_sight_fini(&sight);
}

static void leave_place(void)
{
	(void)rmdir(place);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	home = open(".", O_PATH | O_CLOEXEC);
	CHECK(home >= 0 && mkdtemp(place) != NULL && atexit(leave_place) == 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static void (*const tries[])(const uint8_t *, size_t) = { try_cpus, try_env,
								  try_directories, try_notes };

	if (size > 0)
		tries[input[0] % CORE_ARRAY_LEN(tries)](input + 1, size - 1);
	return 0;
}
