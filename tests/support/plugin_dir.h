/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLUGIN_DIR_H_
#define PLUGIN_DIR_H_

/* A directory of a test's own, for plugins. What fails, fails the test. */

#include <stddef.h>

#define PLUGIN_DIR_SIZE 64

struct plugin_dir {
	char path[PLUGIN_DIR_SIZE];
};

/* Makes an empty one. tag: stands in its name, which is "/tmp/<tag>XXXXXX". */
void plugin_dir_init(struct plugin_dir *dir, const char *tag);

/* Removes it and everything in it. */
void plugin_dir_fini(struct plugin_dir *dir);

/* The path of a file in it, lent until the eighth next call. */
const char *plugin_dir_path(const struct plugin_dir *dir, const char *name);

/* Copies a file into it, with its mode. */
void plugin_dir_copy(const struct plugin_dir *dir, const char *name, const char *source);

/* Writes a file, or writes it anew. */
void plugin_dir_write(const struct plugin_dir *dir, const char *name, const void *bytes,
		      size_t len);

/* Reads a whole file. Returns: owned, free(). */
void *plugin_dir_read(const char *path, size_t *len);

#endif /* PLUGIN_DIR_H_ */
