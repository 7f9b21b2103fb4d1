/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The file is written under another name and then linked to its own. So nobody reads half of it,
 * and of two daemons that make it at the same time one finds that of the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "core/error.h"
#include "urom/auth/auth_cookie.h"

static doca_error_t fail(struct auth_reason *reason, const char *path, int err)
{
	if (err == EEXIST)
		return auth_fail(reason, DOCA_ERROR_ALREADY_EXIST,
				 "cookie file %s: there is one already, and it is not overwritten",
				 path);
	return auth_fail(reason, core_error_from_errno(err), "cookie file %s cannot be made: %s",
			 path, strerror(err));
}

/* For whom it is: 0 or an errno. */
static int set_access(int fd)
{
	const struct group *group = geteuid() == 0 ? getgrnam(AUTH_COOKIE_GROUP) : NULL;

	if (group == NULL)
		return fchmod(fd, 0600) == 0 ? 0 : errno;
	return fchown(fd, (uid_t)-1, group->gr_gid) == 0 && fchmod(fd, 0640) == 0 ? 0 : errno;
}

/* A secret, as text: 0 or an errno. */
static int write_secret(int fd)
{
	uint8_t secret[AUTH_SECRET_SIZE];
	char text[AUTH_COOKIE_FILE_SIZE];
	ssize_t written;

	randombytes_buf(secret, sizeof(secret));
	/* The newline takes the place of the text's end. */
	(void)sodium_bin2hex(text, sizeof(text), secret, sizeof(secret));
	text[sizeof(text) - 1] = '\n';
	errno = ENOSPC; /* for a write that is short */
	written = write(fd, text, sizeof(text));
	sodium_memzero(secret, sizeof(secret));
	sodium_memzero(text, sizeof(text));
	return written == (ssize_t)sizeof(text) && fsync(fd) == 0 ? 0 : errno;
}

/* Fills the file and gives it its name: 0 or an errno. */
static int fill(int fd, const char *temporary, const char *path)
{
	int err = set_access(fd);

	if (err == 0)
		err = write_secret(fd);
	if (err == 0 && link(temporary, path) != 0)
		err = errno;
	return err;
}

doca_error_t auth_cookie_make(const char *path, struct auth_reason *reason)
{
	char temporary[PATH_MAX];
	int fd, err, len;

	if (sodium_init() < 0)
		return fail(reason, path, ENOSYS);
	len = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	if (len < 0 || (size_t)len >= sizeof(temporary))
		return fail(reason, path, ENAMETOOLONG);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return fail(reason, path, errno);
	err = fill(fd, temporary, path);
	(void)unlink(temporary); /* it is ours */
	close(fd);
	return err == 0 ? DOCA_SUCCESS : fail(reason, path, err);
}

doca_error_t auth_cookie_make_folder(const char *path, mode_t mode, struct auth_reason *reason)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		return DOCA_SUCCESS;
	(void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	/* The mode is what is asked for, whatever the mask of the process says. */
	if (mkdir(folder, mode) == 0 && chmod(folder, mode) == 0)
		return DOCA_SUCCESS;
	return errno == EEXIST ? DOCA_SUCCESS : fail(reason, path, errno);
}
