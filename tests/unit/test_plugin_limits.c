/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds of the daemon's discovery: of what it looks at, of what it remembers, and of memory. The
 * clock and the allocations are the test's.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan_rig.h"
#include "test.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/process/account.h"

#define SECOND_US   UINT64_C(1000000)
#define PATIENCE_NS UINT64_C(30000000000)

/* Not the system's: the linker leads the calls here. */
int __real_sd_event_now(sd_event *event, clockid_t clock, uint64_t *usec);
int __wrap_sd_event_now(sd_event *event, clockid_t clock, uint64_t *usec);
void *__real_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__real_reallocarray(void *old, size_t num, size_t size);
void *__wrap_reallocarray(void *old, size_t num, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
int __real_vasprintf(char **text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int __wrap_vasprintf(char **text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static uint64_t ahead_us;

/* Allocations until one fails; below 0: none does. */
static int num_left = -1;

static bool is_to_fail(void)
{
	return num_left >= 0 && num_left-- == 0;
}

int __wrap_sd_event_now(sd_event *event, clockid_t clock, uint64_t *usec)
{
	int ret = __real_sd_event_now(event, clock, usec);

	*usec += ahead_us;
	return ret;
}

void *__wrap_calloc(size_t num, size_t size)
{
	return is_to_fail() ? NULL : __real_calloc(num, size);
}

void *__wrap_reallocarray(void *old, size_t num, size_t size)
{
	return is_to_fail() ? NULL : __real_reallocarray(old, num, size);
}

char *__wrap_strdup(const char *text)
{
	return is_to_fail() ? NULL : __real_strdup(text);
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	return is_to_fail() ? -1 : __real_vasprintf(text, format, args);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = __wrap_vasprintf(text, format, args);
	va_end(args);
	return len;
}

static bool is_probing(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Scans until a script has been run so often that its file has so many bytes, and has ended. */
static void scan_until_run(size_t num_runs)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	size_t len;

	do {
		(void)scan_rig_scan();
		scan_rig_turn();
		free(plugin_dir_read(plugin_dir_path(&rig.a, "runs"), &len));
	} while ((len < num_runs || is_probing()) && test_now_ns() < end_ns);
	assert_int_equal(len, num_runs);
}

/* Each time with another reason, which is not worth another line. */
static void file_that_is_no_plugin_is_probed_again_a_minute_later(void **state)
{
	(void)state;
	scan_rig_add("a.so", "echo >>runs; echo $$ >&2; [ -e mended ] || exit 1\n" SCAN_ANSWER);
	scan_rig_open_a();
	scan_rig_scan_twice("");
	test_take_log("a.so is left out: ");
	ahead_us = (UROMD_PROBE_AGAIN_S - 10) * SECOND_US;
	scan_until_run(1);
	ahead_us = (UROMD_PROBE_AGAIN_S + 10) * SECOND_US;
	scan_until_run(2);
	scan_rig_check("");
	plugin_dir_write(&rig.a, "mended", "", 0);
	scan_until_run(2);
	ahead_us *= 2;
	scan_until_run(3);
	(void)scan_rig_scan();
	scan_rig_check("a");
	ahead_us *= 2;
	scan_until_run(3);
	ahead_us = 0;
	scan_rig_close();
}

static void directory_is_read_up_to_a_limit(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < UROMD_MAX_DIR_ENTRIES; i++) {
		(void)snprintf(name, sizeof(name), "file%d", i);
		plugin_dir_write(&rig.b, name, "", 0);
	}
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open(rig.both, rig.worker);
	scan_rig_scan_twice("a");
	test_take_log("/b is no place for plugins: only 4096 of its entries are looked at");
	scan_rig_close();
}

static void files_are_looked_at_up_to_a_limit(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < UROMD_MAX_CANDIDATES; i++) {
		(void)snprintf(name, sizeof(name), "f%03d.so", i);
		scan_rig_add(name, i > 0 ? "exit 1\n" : SCAN_ANSWER);
	}
	scan_rig_add_b("a.so", SCAN_ANSWER);
	scan_rig_open(rig.both, rig.worker);
	while (scan_rig_scan() != 1 || test_num_logged() < UROMD_MAX_CANDIDATES)
		scan_rig_turn();
	scan_rig_check("f000");
	test_take_log("there are more than 512 files, those from ");
	test_drop_log();
	scan_rig_close();
}

/* A table, and a scan of it, while an allocation fails. True: it is there, and has found a. */
static bool try_to_scan(void)
{
	const struct uromd_account own = uromd_account_own();
	struct uromd_scan *scan;
	bool is_done = false;

	rig.plugins = NULL;
	if (uromd_plugins_create(rig.event, rig.both, rig.worker, &own, &rig.plugins) !=
	    DOCA_SUCCESS)
		return false;
	if (uromd_plugins_scan(rig.plugins, scan_rig_on_done, &is_done, &scan) == DOCA_SUCCESS)
		scan_rig_wait(&is_done);
	return is_done && uromd_plugins_count(rig.plugins) == 1;
}

/*
 * The n-th allocation fails, for all n: in the end it works, and until then nothing breaks. A child
 * counts on from where the daemon was, so it may be the one that lacks memory.
 */
static void memory_that_runs_out_is_an_error_or_leaves_something_out(void **state)
{
	int num_tries = 0;

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_add("b.so", "exit 1\n");
	scan_rig_add_b("a.so", SCAN_ANSWER);
	assert_true(sd_event_new(&rig.event) >= 0);
	for (bool is_short = true; is_short; num_tries++) {
		num_left = num_tries;
		is_short = !try_to_scan() || num_left < 0;
		num_left = -1;
		if (is_short)
			uromd_plugins_destroy(rig.plugins);
	}
	assert_true(num_tries > 20);
	scan_rig_check("a");
	test_drop_log();
	scan_rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCAN_TEST(file_that_is_no_plugin_is_probed_again_a_minute_later),
		SCAN_TEST(directory_is_read_up_to_a_limit),
		SCAN_TEST(files_are_looked_at_up_to_a_limit),
		SCAN_TEST(memory_that_runs_out_is_an_error_or_leaves_something_out),
	};

	test_hear_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
