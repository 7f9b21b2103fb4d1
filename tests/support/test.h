/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_H_
#define TEST_H_

/*
 * What every test program shares. A test is TEST(name) in a list for cmocka, its function's name
 * is the behaviour that it holds. Around each one the support code looks at what the libraries
 * logged and at the open descriptors: a line that the test did not expect fails it, and so does a
 * descriptor that it leaves behind.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <doca_error.h>

/* The thread sanitizer wants all of the address space: no process of its may have a limit of it. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(thread_sanitizer)
#define TEST_HAS_TSAN 1
#else
#define TEST_HAS_TSAN 0
#endif

/* The address sanitizer's allocator has no handlers of fork(): a child finds its locks taken. */
#if __has_feature(address_sanitizer)
#define TEST_HAS_ASAN 1
#else
#define TEST_HAS_ASAN 0
#endif

/* With a sanitizer a process leaves no core file. */
#define TEST_HAS_NO_CORE (TEST_HAS_ASAN || TEST_HAS_TSAN)

#define TEST(name)       cmocka_unit_test_setup_teardown(name, test_begin, test_end)

int test_begin(void **state);
int test_end(void **state);

/*
 * From here on the lines of programs count as those of libraries do, for tests of a program's
 * modules. Once in a test program, before its tests.
 */
void test_hear_programs(void);

/* The number of warnings and errors that the libraries have logged and nothing has taken yet. */
unsigned int test_num_logged(void);

/* Has one of them that text? */
int test_has_logged(const char *part);

/* Takes the oldest of them, which must be there and contain part. */
void test_take_log(const char *part);

/* Takes all of them, for a test that provokes many. */
void test_drop_log(void);

/* SUCCESS, or the test fails with the name of what it got. */
#define assert_success(expression) test_check_result((expression), DOCA_SUCCESS, __FILE__, __LINE__)

/* That error, whatever was logged: for errors that are no one's fault, such as an empty pool. */
#define assert_error(expression, error) test_check_result((expression), (error), __FILE__, __LINE__)

/* A refusal: that error, and exactly one line that contains part. */
#define assert_refused(expression, error, part)                                 \
	do {                                                                    \
		unsigned int logged_before = test_num_logged();                 \
                                                                                \
		test_check_result((expression), (error), __FILE__, __LINE__);   \
		test_check_one_line(logged_before, (part), __FILE__, __LINE__); \
	} while (0)

void test_check_result(doca_error_t result, doca_error_t expected, const char *file, int line);
void test_check_one_line(unsigned int logged_before, const char *part, const char *file, int line);

/* The open descriptors of this process. */
unsigned int test_num_fds(void);

/* Is the descriptor readable within timeout_ms? 0 only looks. */
int test_is_readable(int fd, int timeout_ms);

/* Monotonic time in nanoseconds. */
uint64_t test_now_ns(void);

#endif /* TEST_H_ */
