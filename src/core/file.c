/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

/* Why it is not read or written; NULL: it may be. */
static const char *find_flaw(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return strerror(errno);
	return S_ISREG(status.st_mode) ? NULL : "it is no regular file";
}

int core_file_open(const char *path, int flags, mode_t mode, const char **flaw)
{
	/* Neither waits for whoever opens the other end of a pipe, nor takes a terminal. Regular
	 * files know nothing of it. */
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
	const char *found;

	if (fd < 0) {
		/* So says a pipe that nobody reads to one who would write. */
		*flaw = errno == ENXIO ? "it is no regular file" : strerror(errno);
		return -1;
	}
	found = find_flaw(fd);
	if (found == NULL)
		return fd;
	*flaw = found;
	close(fd);
	return -1;
}

/* At most size bytes. Errors: errno tells. */
static doca_error_t read_bytes(int fd, char *bytes, size_t size, size_t *len)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = read(fd, bytes + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return core_error_from_errno(errno);
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*len = done;
	return DOCA_SUCCESS;
}

doca_error_t core_file_read(int fd, size_t max, char **text, size_t *len)
{
	/* One byte more than allowed tells that there are too many. */
	char *bytes = malloc(max + 1), *cut;
	doca_error_t result;
	size_t got = 0;

	if (bytes == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = read_bytes(fd, bytes, max + 1, &got);
	if (result == DOCA_SUCCESS && got > max)
		result = DOCA_ERROR_TOO_BIG;
	/* Cut to its size, a step past its end is one that sanitizers see. */
	cut = result == DOCA_SUCCESS ? realloc(bytes, got + 1) : NULL;
	if (cut == NULL) {
		free(bytes);
		return result != DOCA_SUCCESS ? result : DOCA_ERROR_NO_MEMORY;
	}
	cut[got] = '\0';
	*text = cut;
	*len = got;
	return DOCA_SUCCESS;
}
