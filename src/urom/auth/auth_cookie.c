/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_cookie.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

void auth_cookie_wipe(struct auth_cookie *cookie)
{
	sodium_memzero(cookie, sizeof(*cookie));
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool auth_cookie_parse(const void *text, size_t len, uint8_t *secret)
{
	const char *digits = text;

	if (len != AUTH_COOKIE_FILE_SIZE || digits[len - 1] != '\n')
		return false;
	for (size_t i = 0; i < len - 1; i++) {
		if (!is_hex(digits[i]))
			return false;
	}
	return sodium_hex2bin(secret, AUTH_SECRET_SIZE, digits, len - 1, NULL, NULL, NULL) == 0;
}

static doca_error_t check_status(const char *path, const struct stat *status,
				 struct auth_reason *reason)
{
	const uid_t self = geteuid();

	if (!S_ISREG(status->st_mode))
		return auth_fail(reason, DOCA_ERROR_AUTHENTICATION,
				 "cookie file %s: it is no regular file", path);
	if (self != 0 && status->st_uid != 0 && status->st_uid != self)
		return auth_fail(reason, DOCA_ERROR_AUTHENTICATION,
				 "cookie file %s: it belongs to user %u, who could change it; it "
				 "must belong to root or to user %u",
				 path, status->st_uid, self);
	if ((status->st_mode & (S_IWGRP | S_IRWXO)) != 0)
		return auth_fail(reason, DOCA_ERROR_AUTHENTICATION,
				 "cookie file %s: its mode %04o lets others in; chmod 600, or 640 "
				 "for a group that may use the service, mends it",
				 path, status->st_mode & 07777);
	return DOCA_SUCCESS;
}

/* One byte more than there must be is read, so that a longer file is seen. */
static doca_error_t read_secret(const char *path, int fd, uint8_t *secret,
				struct auth_reason *reason)
{
	char text[AUTH_COOKIE_FILE_SIZE + 1];
	ssize_t len = read(fd, text, sizeof(text));
	bool is_cookie = len >= 0 && auth_cookie_parse(text, (size_t)len, secret);

	sodium_memzero(text, sizeof(text));
	if (is_cookie)
		return DOCA_SUCCESS;
	return auth_fail(reason, DOCA_ERROR_AUTHENTICATION,
			 "cookie file %s: it does not hold 64 hexadecimal digits and a newline; "
			 "doca_urom_daemon --make-cookie makes one that does",
			 path);
}

static doca_error_t fail_open(const char *path, int err, struct auth_reason *reason)
{
	if (err == ENOENT || err == ENOTDIR)
		return auth_fail(reason, DOCA_ERROR_NOT_FOUND, "cookie file %s: there is none",
				 path);
	if (err == EACCES)
		return auth_fail(
		    reason, DOCA_ERROR_NOT_PERMITTED,
		    "cookie file %s: user %u may not read it, only its owner and its group", path,
		    geteuid());
	return auth_fail(reason, DOCA_ERROR_AUTHENTICATION, "cookie file %s: %s", path,
			 strerror(err));
}

doca_error_t auth_cookie_load(const char *path, struct auth_cookie *cookie,
			      struct auth_reason *reason)
{
	/* Neither waits for whoever opens the other end of a pipe, nor takes a terminal. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct auth_cookie loaded;
	doca_error_t result;
	struct stat status;

	if (fd < 0)
		return fail_open(path, errno, reason);
	if (fstat(fd, &status) != 0)
		result = fail_open(path, errno, reason);
	else
		result = check_status(path, &status, reason);
	if (result == DOCA_SUCCESS)
		result = read_secret(path, fd, loaded.secret, reason);
	close(fd);
	if (result != DOCA_SUCCESS)
		return result;
	loaded.owner = status.st_uid;
	loaded.group = status.st_gid;
	*cookie = loaded;
	auth_cookie_wipe(&loaded);
	return DOCA_SUCCESS;
}

doca_error_t auth_cookie_default(uid_t uid, const char *runtime_dir, char *path, size_t size,
				 struct auth_reason *reason)
{
	int len;

	if (uid == 0) {
		len = snprintf(path, size, "%s", AUTH_SYSTEM_COOKIE);
	} else if (runtime_dir != NULL && runtime_dir[0] == '/') {
		len = snprintf(path, size, "%s/openurom/cookie", runtime_dir);
	} else {
		return auth_fail(reason, DOCA_ERROR_NOT_FOUND,
				 "there is no place for the cookie file, as XDG_RUNTIME_DIR is not "
				 "set");
	}
	if (len >= 0 && (size_t)len < size)
		return DOCA_SUCCESS;
	return auth_fail(reason, DOCA_ERROR_NOT_FOUND, "the path of the cookie file is too long");
}
