/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_FILE_H_
#define CORE_FILE_H_

/*
 * Files that a user has named. There may be anything under such a name: a pipe whose other end
 * nobody opens, or a device that never ends. Only a regular file is one, and nothing is waited for.
 */

#include <stddef.h>
#include <sys/types.h>

#include <doca_error.h>

#include "core/export.h"

/*
 * Opens a regular file.
 * flags: of open(); O_CLOEXEC goes without saying. mode: of a file that O_CREAT makes.
 * flaw: why not, on an error; lent until this thread's next strerror().
 * Returns: a descriptor that the caller owns, or -1.
 * Thread: any. Source: ours.
 */
CORE_EXPORT int core_file_open(const char *path, int flags, mode_t mode, const char **flaw);

/*
 * Reads all that a descriptor has, which may be of a pipe.
 * max: how many bytes that may be. text: owned, free(); len bytes, and one of value 0 behind them.
 * Errors: TOO_BIG: it has more than max bytes. NO_MEMORY. As the system has them: errno tells.
 * Nothing is logged.
 * Thread: any. Source: ours.
 */
CORE_EXPORT doca_error_t core_file_read(int fd, size_t max, char **text, size_t *len);

#endif /* CORE_FILE_H_ */
