/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_logs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(10000000000)
#define LOOK_NS     5000000 /* between two looks */

/* What stands in lines that a test has to take. */
static const char *const bad_marks[] = { "][WRN][", "][ERR][", "][CRT][" };

/* What a sanitizer's report has in it, and what the C library says before it gives up. */
static const char *const fatal_marks[] = { "Sanitizer:", "runtime error:", "double free",
					   "corrupted" };

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* All taken lines of a text that is not one line. */
#define ALL_MARK '*'

/* What is done with a line; true: no other is wanted. */
typedef bool (*on_line_t)(const char *line, const void *arg, void *found);

static bool has_any(const char *line, const char *const *marks, size_t num_marks)
{
	for (size_t i = 0; i < num_marks; i++) {
		if (strstr(line, marks[i]) != NULL)
			return true;
	}
	return false;
}

static bool read_lines(const char *path, on_line_t on_line, const void *arg, void *found)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool is_over = false;

	if (file == NULL)
		return false;
	while (!is_over && getline(&line, &size, file) > 0) {
		/* One without an end is being written. */
		if (strchr(line, '\n') == NULL)
			break;
		line[strcspn(line, "\n")] = '\0';
		is_over = on_line(line, arg, found);
	}
	free(line);
	fclose(file);
	return is_over;
}

/* Goes over the lines of all logs, until on_line wants no more; is that why it ended? */
static bool find(const struct urom_logs *logs, const char *prefix, on_line_t on_line,
		 const void *arg, void *found)
{
	DIR *dir = opendir(logs->dir);
	struct dirent *entry;
	bool is_over = false;

	if (dir == NULL)
		return false;
	while (!is_over && (entry = readdir(dir)) != NULL) {
		char path[2048];

		if (entry->d_name[0] == '.' ||
		    (prefix != NULL && strncmp(entry->d_name, prefix, strlen(prefix)) != 0))
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", logs->dir, entry->d_name);
		is_over = read_lines(path, on_line, arg, found);
	}
	closedir(dir);
	return is_over;
}

void urom_logs_init(struct urom_logs *logs, const char *dir)
{
	memset(logs, 0, sizeof(*logs));
	(void)snprintf(logs->dir, sizeof(logs->dir), "%s", dir);
}

void urom_logs_fini(struct urom_logs *logs)
{
	for (size_t i = 0; i < logs->num_taken; i++)
		free(logs->taken[i]);
	logs->num_taken = 0;
}

static bool has_part(const char *line, const void *arg, void *found)
{
	(void)found;
	return strstr(line, arg) != NULL;
}

bool urom_logs_have(const struct urom_logs *logs, const char *file, const char *part)
{
	return find(logs, file, has_part, part, NULL);
}

static void pause_between_looks(void)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

void urom_logs_wait(const struct urom_logs *logs, const char *file, const char *part)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (!urom_logs_have(logs, file, part)) {
		if (test_now_ns() > end)
			fail_msg("no log says \"%s\"", part);
		pause_between_looks();
	}
}

static bool copy_part(const char *line, const void *arg, void *found)
{
	char **text = found;

	if (strstr(line, arg) == NULL)
		return false;
	*text = strdup(line);
	return true;
}

void urom_logs_get(const struct urom_logs *logs, const char *file, const char *part, char *line,
		   size_t size)
{
	char *text = NULL;

	urom_logs_wait(logs, file, part);
	assert_true(find(logs, file, copy_part, part, &text));
	assert_non_null(text);
	(void)snprintf(line, size, "%s", text);
	free(text);
}

static bool is_taken(const struct urom_logs *logs, const char *line)
{
	for (size_t i = 0; i < logs->num_taken; i++) {
		const char *taken = logs->taken[i];

		if (taken[0] == ALL_MARK ? strstr(line, taken + 1) != NULL
					 : strcmp(line, taken) == 0)
			return true;
	}
	return false;
}

struct wanted {
	const struct urom_logs *logs;
	const char *part; /* NULL: any */
};

static bool is_untaken(const char *line, const void *arg, void *found)
{
	const struct wanted *wanted = arg;
	char **text = found;

	if (!has_any(line, bad_marks, LEN(bad_marks)) || is_taken(wanted->logs, line) ||
	    (wanted->part != NULL && strstr(line, wanted->part) == NULL))
		return false;
	*text = strdup(line);
	return true;
}

static void note_taken(struct urom_logs *logs, char *line)
{
	assert_non_null(line);
	assert_true(logs->num_taken < UROM_LOGS_MAX_TAKEN);
	logs->taken[logs->num_taken++] = line;
}

void urom_logs_take(struct urom_logs *logs, const char *part)
{
	struct wanted wanted = { logs, part };
	uint64_t end = test_now_ns() + PATIENCE_NS;
	char *line = NULL;

	while (!find(logs, NULL, is_untaken, &wanted, &line)) {
		if (test_now_ns() > end)
			fail_msg("no log warns of \"%s\"", part);
		pause_between_looks();
	}
	note_taken(logs, line);
}

void urom_logs_take_all(struct urom_logs *logs, const char *part)
{
	char *text = NULL;

	assert_true(asprintf(&text, "%c%s", ALL_MARK, part) > 0);
	note_taken(logs, text);
}

static bool is_fatal(const char *line, const void *arg, void *found)
{
	char **text = found;

	if (!has_any(line, fatal_marks, LEN(fatal_marks)) || is_taken(arg, line))
		return false;
	*text = strdup(line);
	return true;
}

bool urom_logs_complain(const struct urom_logs *logs, char *text, size_t size)
{
	struct wanted wanted = { logs, NULL };
	char *line = NULL;

	if (!find(logs, NULL, is_fatal, logs, &line) &&
	    !find(logs, NULL, is_untaken, &wanted, &line))
		return false;
	(void)snprintf(text, size, "logged, and not expected: %s", line);
	free(line);
	return true;
}

size_t urom_logs_size(const struct urom_logs *logs, const char *file)
{
	DIR *dir = opendir(logs->dir);
	struct dirent *entry;
	size_t size = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		struct stat info;

		if (strncmp(entry->d_name, file, strlen(file)) == 0 &&
		    fstatat(dirfd(dir), entry->d_name, &info, 0) == 0 && S_ISREG(info.st_mode))
			size += (size_t)info.st_size;
	}
	closedir(dir);
	return size;
}
