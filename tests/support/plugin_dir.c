/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin_dir.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define NUM_PATHS 8
#define MAX_FDS   16

static void write_file(const char *path, const void *bytes, size_t len, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

void plugin_dir_init(struct plugin_dir *dir, const char *tag)
{
	int len = snprintf(dir->path, sizeof(dir->path), "/tmp/%sXXXXXX", tag);

	assert_in_range(len, 1, sizeof(dir->path) - 1);
	assert_non_null(mkdtemp(dir->path));
}

void plugin_dir_fini(struct plugin_dir *dir)
{
	assert_int_equal(nftw(dir->path, remove_entry, MAX_FDS, FTW_DEPTH | FTW_PHYS), 0);
}

const char *plugin_dir_path(const struct plugin_dir *dir, const char *name)
{
	static char paths[NUM_PATHS][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % NUM_PATHS];

	assert_in_range(snprintf(path, PATH_MAX, "%s/%s", dir->path, name), 1, PATH_MAX - 1);
	return path;
}

void *plugin_dir_read(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &stat), 0);
	*len = (size_t)stat.st_size;
	bytes = malloc(*len + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *len), *len);
	close(fd);
	return bytes;
}

void plugin_dir_copy(const struct plugin_dir *dir, const char *name, const char *source)
{
	size_t len;
	void *bytes = plugin_dir_read(source, &len);
	struct stat stat_of_source;

	assert_int_equal(stat(source, &stat_of_source), 0);
	write_file(plugin_dir_path(dir, name), bytes, len, stat_of_source.st_mode & 0777);
	free(bytes);
}

void plugin_dir_write(const struct plugin_dir *dir, const char *name, const void *bytes, size_t len)
{
	write_file(plugin_dir_path(dir, name), bytes, len, 0644);
}
