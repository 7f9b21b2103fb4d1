/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/candidates.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urom/daemon/base/limits.h"

#define SUFFIX ".so"

/* Where a plugin has to be, and what is told of it there. */
struct place {
	struct uromd_candidates *candidates;
	struct uromd_complaints *complaints;
	const char *directory;
};

/* The names in a directory that deserve a look. */
struct names {
	char **at; /* owned */
	size_t num;
};

void uromd_candidates_fini(struct uromd_candidates *candidates)
{
	for (size_t i = 0; i < candidates->num; i++)
		free(candidates->at[i].path);
	free(candidates->at);
	*candidates = (struct uromd_candidates){ .at = NULL };
}

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->num; i++)
		free(names->at[i]);
	free(names->at);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name), suffix_len = strlen(suffix);

	return len >= suffix_len && strcmp(name + len - suffix_len, suffix) == 0;
}

/* Built and installed beside plugins, by meson and libtool, or meant to be one. */
static bool looks_like_plugin(const char *name)
{
	return strstr(name, SUFFIX) != NULL || ends_in(name, ".la");
}

/* Why a file of that name is no plugin, or NULL. */
static const char *name_complaint(const char *name)
{
	size_t len = strlen(name);

	if (!ends_in(name, SUFFIX))
		return "its name does not end in " SUFFIX;
	len -= strlen(SUFFIX);
	if (len == 0)
		return "it has no name";
	if (len >= UROMD_PLUGIN_NAME_SIZE)
		return "its name is longer than 47 bytes";
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)name[i] < ' ' || name[i] == '\x7f')
			return "there are control characters in its name";
	}
	return NULL;
}

static bool is_known(const struct uromd_candidates *candidates, const char *name, const char *path)
{
	for (size_t i = 0; i < candidates->num; i++) {
		if (strcmp(candidates->at[i].name, name) == 0 &&
		    strcmp(candidates->at[i].path, path) == 0)
			return true;
	}
	return false;
}

/* The next free one; NULL: no memory. */
static struct uromd_candidate *make_room(struct uromd_candidates *candidates)
{
	size_t capacity = candidates->capacity > 0 ? 2 * candidates->capacity : 16;
	struct uromd_candidate *at = candidates->at;

	if (candidates->num == candidates->capacity) {
		at = reallocarray(candidates->at, capacity, sizeof(*at));
		if (at == NULL)
			return NULL;
		candidates->at = at;
		candidates->capacity = capacity;
	}
	return &at[candidates->num];
}

doca_error_t uromd_candidates_add(struct uromd_candidates *candidates, const char *name, char *path,
				  const struct stat *stat)
{
	struct uromd_candidate *candidate;

	if (is_known(candidates, name, path)) {
		free(path);
		return DOCA_SUCCESS;
	}
	candidate = make_room(candidates);
	if (candidate == NULL) {
		free(path);
		return DOCA_ERROR_NO_MEMORY;
	}
	(void)snprintf(candidate->name, sizeof(candidate->name), "%s", name);
	candidate->path = path;
	candidate->stat = *stat;
	candidates->num++;
	return DOCA_SUCCESS;
}

/* path: taken. */
static doca_error_t add(const struct place *place, const char *file_name, char *path,
			const struct stat *stat)
{
	char name[UROMD_PLUGIN_NAME_SIZE];

	(void)snprintf(name, sizeof(name), "%.*s", (int)(strlen(file_name) - strlen(SUFFIX)),
		       file_name);
	return uromd_candidates_add(place->candidates, name, path, stat);
}

/* Looks at the file itself. path: as it was found, NULL: there was no memory for it. */
static doca_error_t look_at(const struct place *place, const char *name, const char *path)
{
	const char *complaint = name_complaint(name);
	struct stat stat_of_file;
	char *real = NULL;

	if (path == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (complaint == NULL && stat(path, &stat_of_file) != 0)
		complaint = strerror(errno);
	else if (complaint == NULL && !S_ISREG(stat_of_file.st_mode))
		complaint = "it is no regular file";
	if (complaint == NULL) {
		real = realpath(path, NULL);
		complaint = real == NULL ? strerror(errno) : NULL;
	}
	if (real == NULL) {
		uromd_complain(place->complaints, "plugins: %s is left out: %s", path, complaint);
		return DOCA_SUCCESS;
	}
	return add(place, name, real, &stat_of_file);
}

static doca_error_t add_name(struct names *names, const char *name)
{
	names->at[names->num] = strdup(name);
	if (names->at[names->num] == NULL)
		return DOCA_ERROR_NO_MEMORY;
	names->num++;
	return DOCA_SUCCESS;
}

static doca_error_t read_names(const struct place *place, DIR *dir, struct names *names)
{
	for (size_t i = 0; i < UROMD_MAX_DIR_ENTRIES; i++) {
		const struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (entry == NULL && errno != 0)
			uromd_complain(place->complaints,
				       "plugins: %s cannot be read to its end: %s",
				       place->directory, strerror(errno));
		if (entry == NULL)
			return DOCA_SUCCESS;
		if (looks_like_plugin(entry->d_name) &&
		    add_name(names, entry->d_name) != DOCA_SUCCESS)
			return DOCA_ERROR_NO_MEMORY;
	}
	uromd_complain(place->complaints,
		       "plugins: %s is no place for plugins: only %d of its entries are looked at",
		       place->directory, UROMD_MAX_DIR_ENTRIES);
	return DOCA_SUCCESS;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that nothing depends on the file system. */
static doca_error_t look_at_all(const struct place *place, const struct names *names)
{
	doca_error_t result = DOCA_SUCCESS;

	qsort(names->at, names->num, sizeof(names->at[0]), compare_names);
	for (size_t i = 0; i < names->num && result == DOCA_SUCCESS; i++) {
		char *path;

		if (place->candidates->num == UROMD_MAX_CANDIDATES) {
			uromd_complain(place->complaints,
				       "plugins: there are more than %d files, those from %s/%s "
				       "on are left out",
				       UROMD_MAX_CANDIDATES, place->directory, names->at[i]);
			break;
		}
		if (asprintf(&path, "%s/%s", place->directory, names->at[i]) < 0)
			path = NULL;
		result = look_at(place, names->at[i], path);
		free(path);
	}
	return result;
}

static doca_error_t read_directory(const struct place *place)
{
	struct names names = { .at = calloc(UROMD_MAX_DIR_ENTRIES, sizeof(*names.at)) };
	DIR *dir = opendir(place->directory);
	doca_error_t result = DOCA_SUCCESS;

	if (dir == NULL)
		uromd_complain(place->complaints, "plugins: %s of UROM_PLUGIN_PATH is left out: %s",
			       place->directory, strerror(errno));
	else if (names.at == NULL)
		result = DOCA_ERROR_NO_MEMORY;
	else
		result = read_names(place, dir, &names);
	if (result == DOCA_SUCCESS)
		result = look_at_all(place, &names);
	if (dir != NULL)
		closedir(dir);
	names_fini(&names);
	return result;
}

doca_error_t uromd_candidates_read(const char *directory, struct uromd_candidates *candidates,
				   struct uromd_complaints *complaints)
{
	const struct place place = {
		.candidates = candidates,
		.complaints = complaints,
		.directory = directory,
	};

	return read_directory(&place);
}
