/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_point.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS 100

/* The FIFO's path, when that is the point where the process is wanted; NULL: it is not. */
static const char *path_for(const char *name)
{
	const char *wanted = getenv(UROM_POINT_VARIABLE);
	size_t len = strlen(name);

	if (wanted == NULL || strncmp(wanted, name, len) != 0 || wanted[len] != ':')
		return NULL;
	return wanted + len + 1;
}

static int open_fifo(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	fprintf(stderr, "%s: %m\n", path);
	abort();
}

void urom_point_reach(const char *name)
{
	static bool has_been_there;
	const char *path = path_for(name);
	char go[PATH_MAX], byte;
	struct pollfd watched = { .events = POLLIN };
	int fd;

	if (path == NULL || has_been_there)
		return;
	has_been_there = true;
	fd = open_fifo(path, O_RDWR); /* which waits for no reader */
	if (dprintf(fd, "%d\n", (int)getpid()) < 0)
		abort();
	close(fd);
	(void)snprintf(go, sizeof(go), "%s.go", path);
	watched.fd = open_fifo(go, O_RDONLY);
	/* Time and again: the thread sanitizer hands signals over when a call returns. */
	while (poll(&watched, 1, LOOK_MS) <= 0)
		continue;
	(void)!read(watched.fd, &byte, 1); /* the byte, or the end of a test that is over */
	close(watched.fd);
}
