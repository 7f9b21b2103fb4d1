/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NULL_ARGUMENTS_H_
#define NULL_ARGUMENTS_H_

/*
 * The rows of the tests of NULL arguments: a function, and what it is called with. Each row is a
 * call in which one pointer is NULL that must not be, and all else is good. scripts/
 * check_null_table.py reads them and fails when a pointer of a public function has none.
 */

#include "test.h"

/* INVALID_VALUE, and one line that names the function. */
#define REFUSES(function, ...) REFUSES_AS(#function, function, __VA_ARGS__)

/* The same with a line that does not name it, but contains part. */
#define REFUSES_AS(part, function, ...) \
	assert_refused(function(__VA_ARGS__), DOCA_ERROR_INVALID_VALUE, part)

/* INVALID_VALUE and no line: the function is an inline one of a header, which has no log. */
#define REFUSES_SILENTLY(function, ...)                                        \
	do {                                                                   \
		unsigned int before = test_num_logged();                       \
                                                                               \
		assert_error(function(__VA_ARGS__), DOCA_ERROR_INVALID_VALUE); \
		assert_int_equal(test_num_logged(), before);                   \
	} while (0)

/* No error can be returned: all bytes of the result are zero, and one line names the function. */
#define RETURNS_ZERO(function, ...)                                               \
	do {                                                                      \
		const __typeof__(function(__VA_ARGS__)) zero = { 0 };             \
		unsigned int before = test_num_logged();                          \
		__typeof__(function(__VA_ARGS__)) result = function(__VA_ARGS__); \
                                                                                  \
		assert_memory_equal(&result, &zero, sizeof(zero));                \
		test_check_one_line(before, #function, __FILE__, __LINE__);       \
	} while (0)

/* Nothing can be returned at all: one line names the function. */
#define DOES_NOTHING(function, ...)                                         \
	do {                                                                \
		unsigned int before = test_num_logged();                    \
                                                                            \
		function(__VA_ARGS__);                                      \
		test_check_one_line(before, #function, __FILE__, __LINE__); \
	} while (0)

#endif /* NULL_ARGUMENTS_H_ */
