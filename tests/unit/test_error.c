/* SPDX-License-Identifier: BSD-3-Clause */
/* How errors of the system become ours, and how a call refuses a NULL argument. */
#include <errno.h>
#include <limits.h>

#include "core/error.h"
#include "test.h"

/* Grouped by what the caller can do about it. */
static const struct {
	int err;
	doca_error_t error;
} rows[] = {
	{ EPERM, DOCA_ERROR_NOT_PERMITTED },
	{ EACCES, DOCA_ERROR_NOT_PERMITTED },
	{ ENOENT, DOCA_ERROR_NOT_FOUND },
	{ ENODEV, DOCA_ERROR_NOT_FOUND },
	{ EIO, DOCA_ERROR_IO_FAILED },
	{ EAGAIN, DOCA_ERROR_AGAIN },
	{ EWOULDBLOCK, DOCA_ERROR_AGAIN },
	{ ENOMEM, DOCA_ERROR_NO_MEMORY },
	{ EMFILE, DOCA_ERROR_NO_MEMORY },
	{ ENFILE, DOCA_ERROR_NO_MEMORY },
	{ ENOSPC, DOCA_ERROR_NO_MEMORY },
	{ EBUSY, DOCA_ERROR_IN_USE },
	{ EADDRINUSE, DOCA_ERROR_IN_USE },
	{ EEXIST, DOCA_ERROR_ALREADY_EXIST },
	{ EINVAL, DOCA_ERROR_INVALID_VALUE },
	{ ENOSYS, DOCA_ERROR_NOT_SUPPORTED },
	{ EOPNOTSUPP, DOCA_ERROR_NOT_SUPPORTED },
	{ ENOTSUP, DOCA_ERROR_NOT_SUPPORTED },
	{ ETIMEDOUT, DOCA_ERROR_TIME_OUT },
	{ ECONNRESET, DOCA_ERROR_CONNECTION_RESET },
	{ EPIPE, DOCA_ERROR_CONNECTION_RESET },
	{ ECONNREFUSED, DOCA_ERROR_NOT_CONNECTED },
	{ ENOTCONN, DOCA_ERROR_NOT_CONNECTED },
	{ E2BIG, DOCA_ERROR_TOO_BIG },
	/* Of no kind that a caller could tell apart. */
	{ EFAULT, DOCA_ERROR_OPERATING_SYSTEM },
	{ EDOM, DOCA_ERROR_OPERATING_SYSTEM },
	{ 0, DOCA_ERROR_OPERATING_SYSTEM },
	{ -EINVAL, DOCA_ERROR_OPERATING_SYSTEM },
	{ INT_MAX, DOCA_ERROR_OPERATING_SYSTEM },
	{ INT_MIN, DOCA_ERROR_OPERATING_SYSTEM },
};

static void each_errno_has_its_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_error(core_error_from_errno(rows[i].err), rows[i].error);
}

static void no_errno_is_a_success(void **state)
{
	(void)state;
	for (int err = 0; err < 4096; err++)
		assert_int_not_equal(core_error_from_errno(err), DOCA_SUCCESS);
}

static void NULL_argument_is_logged_with_the_name_of_the_call(void **state)
{
	(void)state;
	assert_refused(core_null_argument("a_call"), DOCA_ERROR_INVALID_VALUE,
		       "[CORE::ERROR] a_call: ");
}

static void NULL_argument_may_come_from_any_name(void **state)
{
	(void)state;
	assert_refused(core_null_argument("%s%n"), DOCA_ERROR_INVALID_VALUE, "] %s%n: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_errno_has_its_error),
		TEST(no_errno_is_a_success),
		TEST(NULL_argument_is_logged_with_the_name_of_the_call),
		TEST(NULL_argument_may_come_from_any_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
