/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"

#include <errno.h>
#include <stddef.h>

#include "core/log.h"

CORE_LOG_REGISTER(CORE::ERROR);

struct error_text {
	const char *name;
	const char *descr;
};

#define ERROR_TEXT(code, text) [code] = { .name = #code, .descr = (text) }

static const struct error_text error_texts[] = {
	ERROR_TEXT(DOCA_SUCCESS, "success"),
	ERROR_TEXT(DOCA_ERROR_UNKNOWN, "unknown error"),
	ERROR_TEXT(DOCA_ERROR_NOT_PERMITTED, "operation is not permitted"),
	ERROR_TEXT(DOCA_ERROR_IN_USE, "resource is in use"),
	ERROR_TEXT(DOCA_ERROR_NOT_SUPPORTED, "operation is not supported"),
	ERROR_TEXT(DOCA_ERROR_AGAIN, "resource is busy, try again"),
	ERROR_TEXT(DOCA_ERROR_INVALID_VALUE, "invalid argument"),
	ERROR_TEXT(DOCA_ERROR_NO_MEMORY, "out of memory or of pool elements"),
	ERROR_TEXT(DOCA_ERROR_INITIALIZATION, "a resource could not be initialized"),
	ERROR_TEXT(DOCA_ERROR_TIME_OUT, "timed out"),
	ERROR_TEXT(DOCA_ERROR_SHUTDOWN, "ended by a shutdown"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_RESET, "connection was reset by the peer"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_ABORTED, "connection attempt was aborted"),
	ERROR_TEXT(DOCA_ERROR_CONNECTION_INPROGRESS, "connection attempt is in progress"),
	ERROR_TEXT(DOCA_ERROR_NOT_CONNECTED, "not connected"),
	ERROR_TEXT(DOCA_ERROR_NO_LOCK, "a lock could not be taken"),
	ERROR_TEXT(DOCA_ERROR_NOT_FOUND, "not found"),
	ERROR_TEXT(DOCA_ERROR_IO_FAILED, "input or output failed"),
	ERROR_TEXT(DOCA_ERROR_BAD_STATE, "object is in the wrong state for this"),
	ERROR_TEXT(DOCA_ERROR_UNSUPPORTED_VERSION, "version is not supported"),
	ERROR_TEXT(DOCA_ERROR_OPERATING_SYSTEM, "operating system call failed"),
	ERROR_TEXT(DOCA_ERROR_DRIVER, "driver call failed"),
	ERROR_TEXT(DOCA_ERROR_UNEXPECTED, "unexpected condition"),
	ERROR_TEXT(DOCA_ERROR_ALREADY_EXIST, "exists already"),
	ERROR_TEXT(DOCA_ERROR_FULL, "no room left"),
	ERROR_TEXT(DOCA_ERROR_EMPTY, "nothing there"),
	ERROR_TEXT(DOCA_ERROR_IN_PROGRESS, "operation is in progress"),
	ERROR_TEXT(DOCA_ERROR_TOO_BIG, "value is too big"),
	ERROR_TEXT(DOCA_ERROR_AUTHENTICATION, "authentication failed"),
	ERROR_TEXT(DOCA_ERROR_BAD_CONFIG, "configuration is bad"),
	ERROR_TEXT(DOCA_ERROR_SKIPPED, "skipped"),
};
_Static_assert(CORE_ARRAY_LEN(error_texts) == DOCA_ERROR_SKIPPED + 1, "a text for each error code");

static const struct error_text unrecognized = {
	.name = "unrecognized error code",
	.descr = "unrecognized error code",
};

static const struct {
	int err;
	doca_error_t error;
} errno_map[] = {
	{ EPERM, DOCA_ERROR_NOT_PERMITTED },    { EACCES, DOCA_ERROR_NOT_PERMITTED },
	{ ENOENT, DOCA_ERROR_NOT_FOUND },       { ENODEV, DOCA_ERROR_NOT_FOUND },
	{ EIO, DOCA_ERROR_IO_FAILED },          { EAGAIN, DOCA_ERROR_AGAIN },
	{ ENOMEM, DOCA_ERROR_NO_MEMORY },       { EMFILE, DOCA_ERROR_NO_MEMORY },
	{ ENFILE, DOCA_ERROR_NO_MEMORY },       { ENOSPC, DOCA_ERROR_NO_MEMORY },
	{ EBUSY, DOCA_ERROR_IN_USE },           { EADDRINUSE, DOCA_ERROR_IN_USE },
	{ EEXIST, DOCA_ERROR_ALREADY_EXIST },   { EINVAL, DOCA_ERROR_INVALID_VALUE },
	{ ENOSYS, DOCA_ERROR_NOT_SUPPORTED },   { EOPNOTSUPP, DOCA_ERROR_NOT_SUPPORTED },
	{ ETIMEDOUT, DOCA_ERROR_TIME_OUT },     { ECONNRESET, DOCA_ERROR_CONNECTION_RESET },
	{ EPIPE, DOCA_ERROR_CONNECTION_RESET }, { ECONNREFUSED, DOCA_ERROR_NOT_CONNECTED },
	{ ENOTCONN, DOCA_ERROR_NOT_CONNECTED }, { E2BIG, DOCA_ERROR_TOO_BIG },
};

doca_error_t core_error_from_errno(int err)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(errno_map); i++) {
		if (errno_map[i].err == err)
			return errno_map[i].error;
	}
	return DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t core_null_argument(const char *func)
{
	DOCA_LOG_ERR("%s: a needed argument is NULL", func);
	return DOCA_ERROR_INVALID_VALUE;
}

static const struct error_text *error_text_find(doca_error_t error)
{
	if ((size_t)error >= CORE_ARRAY_LEN(error_texts))
		return &unrecognized;
	return &error_texts[error];
}

const char *doca_error_get_name(doca_error_t error)
{
	return error_text_find(error)->name;
}

const char *doca_error_get_descr(doca_error_t error)
{
	return error_text_find(error)->descr;
}
