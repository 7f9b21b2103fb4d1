/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the daemon makes of the answers of probes, what it remembers, and scans that overlap. The
 * worker program is a script here, and the plugins are scripts that it runs.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan_rig.h"
#include "test.h"

/* Counts how often it is run, in a file beside it. */
#define COUNTED "echo >>runs\n"

static size_t count_runs(void)
{
	size_t len;

	free(plugin_dir_read(plugin_dir_path(&rig.a, "runs"), &len));
	return len;
}

/* --- Files that are no plugins --- */

static void what_is_no_answer_is_no_plugin(void **state)
{
	static const char *const scripts[] = {
		"true\n",
		"printf 'plugin 1 0x0'\n",
		"echo plugin 1\n",
		"echo plugin 1 0x\n",
		"echo plugin 1 17\n",
		"echo plugin -1 0x0\n",
		"echo plugin +1 0x0\n",
		"echo 'plugin  1 0x0'\n",
		"echo plugin 0x1 0x0\n",
		"echo plugin 18446744073709551616 0x0\n",
		"echo plugin 1 0x10000000000000000\n",
		"echo ' plugin 1 0x0'\n",
		"echo 'plugin 1 0x0 '\n",
		"echo plugin 1 0x0; echo\n",
		"echo plugin 1 0x0; echo plugin 1 0x0\n",
		"printf 'plugin 1 0x0\\n\\0'\n",
		"printf '\\0plugin 1 0x0\\n'\n",
		"echo plugin 00000000000000000000000000000000000000000000000000000000000 0x1\n",
		"yes plugin 1 0x0 | head -n 20000\n",
	};
	const size_t num_scripts = sizeof(scripts) / sizeof(scripts[0]);

	(void)state;
	for (size_t i = 0; i < num_scripts; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "n%02zu.so", i);
		scan_rig_add(name, scripts[i]);
	}
	scan_rig_open_a();
	scan_rig_scan_twice("");
	for (size_t i = 0; i < num_scripts; i++)
		test_take_log(
		    ".so is left out: it ended the process that loaded it, with status 0");
	scan_rig_close();
}

static void reason_says_how_it_ended_and_what_it_printed(void **state)
{
	static const struct {
		const char *script;
		const char *reason;
	} rows[] = {
		{ "echo plugin 1 0x0; exit 2", "with status 2" },
		{ "echo one >&2; echo two >&2; exit 3", "with status 3: one" },
		{ "exit 1", "with status 1" },
		{ "echo noise >&2; echo reason >&2; exit 1", "left out: reason" },
		{ "echo noise >&2; printf reason >&2; exit 1", "left out: reason" },
		{ "kill -SEGV $$", "it crashed by signal 11 (Segmentation fault)" },
		{ "echo plugin 1 0x0; kill -KILL $$", "it crashed by signal 9 (Killed)" },
		{ "printf '\\n\\nthe\\tend\\033[1m\\n' >&2; kill -ABRT $$",
		  "it crashed by signal 6 (Aborted): the?end?[1m" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scan_rig_add("x.so", rows[i].script);
		scan_rig_open_a();
		scan_rig_scan_twice("");
		test_take_log(rows[i].reason);
		assert_int_equal(test_num_logged(), 0);
		scan_rig_close();
	}
}

static void output_has_no_limit_but_what_is_kept_has(void **state)
{
	(void)state;
	scan_rig_add("a.so", "yes | head -n 200000 >&2; echo plugin 5 0x0\n");
	scan_rig_add("b.so", "yes | tr -d '\\n' | head -c 200000 >&2; exit 1\n");
	scan_rig_open_a();
	scan_rig_scan_twice("a");
	assert_int_equal(scan_rig_named("a")->version, 5);
	test_take_log(
	    "b.so is left out: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
	scan_rig_close();
}

static void worker_program_that_cannot_be_started_is_told(void **state)
{
	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open(rig.a.path, plugin_dir_path(&rig.dir, "program"));
	scan_rig_scan_twice("");
	test_take_log("/program cannot be started: No such file or directory");
	/* That is no fault of the plugin, which is listed as soon as it can be. */
	assert_int_equal(rename(rig.worker, plugin_dir_path(&rig.dir, "program")), 0);
	scan_rig_scan_twice("a");
	scan_rig_close();
}

/* The script looks at its own process, and at that of grep, whose signals are as they were left. */
static void probe_inherits_the_environment_and_nothing_else(void **state)
{
	int fd;

	(void)state;
	scan_rig_add("a.so", "[ \"$SCAN_TEST\" = 'as it was' ] || exit 11\n"
			     "[ $(readlink /proc/$$/fd/0) = /dev/null ] || exit 12\n"
			     "[ ! -e /proc/$$/fd/200 ] || exit 13\n"
			     "grep -q '^SigIgn:.*0000$' /proc/self/status || exit 14\n"
			     "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] || exit 15\n" SCAN_ANSWER);
	assert_int_equal(setenv("SCAN_TEST", "as it was", 1), 0);
	fd = dup2(STDERR_FILENO, 200);
	assert_int_equal(fd, 200);
	assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	scan_rig_open_a();
	scan_rig_scan_twice("a");
	scan_rig_close();
	assert_true(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
	close(fd);
}

/* --- What is remembered --- */

static void files_are_probed_once_whatever_they_are(void **state)
{
	(void)state;
	scan_rig_add("a.so", COUNTED SCAN_ANSWER);
	scan_rig_add("b.so", COUNTED "exit 1\n");
	scan_rig_open_a();
	scan_rig_scan_twice("a");
	scan_rig_scan_twice("a");
	assert_int_equal(count_runs(), 2);
	test_take_log("b.so is left out");
	scan_rig_close();
}

static void file_that_changes_is_probed_again(void **state)
{
	(void)state;
	scan_rig_add("a.so", COUNTED "exit 1\n");
	scan_rig_open_a();
	scan_rig_scan_twice("");
	test_take_log("a.so is left out");
	scan_rig_add("a.so", COUNTED SCAN_ANSWER);
	scan_rig_scan_twice("a");
	assert_int_equal(count_runs(), 2);
	/* Neither its size nor the time of its content changes. */
	assert_int_equal(chmod(plugin_dir_path(&rig.a, "a.so"), 0600), 0);
	scan_rig_scan_twice("a");
	assert_int_equal(count_runs(), 3);
	scan_rig_close();
}

static void scans_that_overlap_share_their_probes(void **state)
{
	bool is_done[3];

	(void)state;
	scan_rig_add("a.so", COUNTED SCAN_ANSWER);
	scan_rig_open_a();
	for (size_t i = 0; i < 3; i++)
		(void)scan_rig_begin(&is_done[i]);
	for (size_t i = 0; i < 3; i++) {
		scan_rig_wait(&is_done[i]);
		scan_rig_check("a");
	}
	assert_int_equal(count_runs(), 1);
	scan_rig_close();
}

/* Says that it has begun, and waits for a file beside it. */
#define HELD "echo >begun; while [ ! -e go ]; do sleep 0.01; done\n"

static void wait_until_begun(void)
{
	const char *begun = plugin_dir_path(&rig.a, "begun");
	const uint64_t end_ns = test_now_ns() + UINT64_C(30000000000);

	while (access(begun, F_OK) != 0 && test_now_ns() < end_ns)
		scan_rig_turn();
	assert_int_equal(access(begun, F_OK), 0);
}

static void let_go(void)
{
	plugin_dir_write(&rig.a, "go", "", 0);
}

static void plugin_that_comes_during_a_scan_is_found_by_the_next(void **state)
{
	bool is_done[2];

	(void)state;
	scan_rig_add("a.so", HELD SCAN_ANSWER);
	scan_rig_open_a();
	(void)scan_rig_begin(&is_done[0]);
	wait_until_begun();
	scan_rig_add("b.so", SCAN_ANSWER);
	(void)scan_rig_begin(&is_done[1]);
	let_go();
	scan_rig_wait(&is_done[0]);
	scan_rig_wait(&is_done[1]);
	scan_rig_check("a b");
	scan_rig_close();
}

/* The first one still waits for a file that is gone when the second one begins. */
static void scan_that_is_overtaken_changes_nothing(void **state)
{
	bool is_done[2];

	(void)state;
	scan_rig_add("a.so", HELD SCAN_ANSWER);
	scan_rig_open_a();
	(void)scan_rig_begin(&is_done[0]);
	wait_until_begun();
	assert_int_equal(unlink(plugin_dir_path(&rig.a, "a.so")), 0);
	scan_rig_add("b.so", SCAN_ANSWER);
	(void)scan_rig_begin(&is_done[1]);
	scan_rig_wait(&is_done[1]);
	assert_false(is_done[0]);
	let_go();
	scan_rig_wait(&is_done[0]);
	scan_rig_check("b");
	scan_rig_close();
}

static void scan_that_is_cancelled_is_not_done(void **state)
{
	bool is_done[2];
	struct uromd_scan *scan;

	(void)state;
	scan_rig_add("a.so", HELD SCAN_ANSWER);
	scan_rig_open_a();
	uromd_scan_cancel(NULL);
	scan = scan_rig_begin(&is_done[0]);
	(void)scan_rig_begin(&is_done[1]);
	wait_until_begun();
	uromd_scan_cancel(scan);
	let_go();
	scan_rig_wait(&is_done[1]);
	assert_false(is_done[0]);
	scan_rig_check("a");
	/* Nor one that has begun nothing yet. */
	uromd_scan_cancel(scan_rig_begin(&is_done[0]));
	scan_rig_turn();
	assert_false(is_done[0]);
	scan_rig_close();
}

/* The one file then belongs to no scan, and is probed to its end all the same. */
static void scan_that_is_cancelled_alone_leaves_its_probe(void **state)
{
	bool is_done;

	(void)state;
	scan_rig_add("a.so", COUNTED HELD SCAN_ANSWER);
	scan_rig_open_a();
	for (int i = 0; i < 2; i++) {
		struct uromd_scan *scan = scan_rig_begin(&is_done);

		wait_until_begun();
		uromd_scan_cancel(scan);
	}
	let_go();
	assert_int_equal(scan_rig_scan(), 1);
	assert_false(is_done);
	assert_int_equal(count_runs(), 1);
	scan_rig_close();
}

static void table_is_destroyed_in_the_middle_of_a_scan(void **state)
{
	bool is_done;

	(void)state;
	uromd_plugins_destroy(NULL);
	scan_rig_add("a.so", HELD SCAN_ANSWER);
	scan_rig_open_a();
	(void)scan_rig_begin(&is_done);
	scan_rig_close();
	scan_rig_open_a();
	(void)scan_rig_begin(&is_done);
	wait_until_begun();
	scan_rig_close();
	assert_false(is_done);
}

/* Each adds itself to those that run, looks how many they are, and waits. */
static void few_are_probed_at_a_time(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < 12; i++) {
		(void)snprintf(name, sizeof(name), "p%02d.so", i);
		scan_rig_add(name, "mkdir run$$\n"
				   "for i in 1 2 3 4 5; do\n"
				   "[ $(ls -d run* | wc -l) -gt 4 ] && echo >>over; sleep 0.01\n"
				   "done; rmdir run$$\n" SCAN_ANSWER);
	}
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 12);
	assert_int_equal(access(plugin_dir_path(&rig.a, "over"), F_OK), -1);
	scan_rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCAN_TEST(what_is_no_answer_is_no_plugin),
		SCAN_TEST(reason_says_how_it_ended_and_what_it_printed),
		SCAN_TEST(output_has_no_limit_but_what_is_kept_has),
		SCAN_TEST(worker_program_that_cannot_be_started_is_told),
		SCAN_TEST(probe_inherits_the_environment_and_nothing_else),
		SCAN_TEST(files_are_probed_once_whatever_they_are),
		SCAN_TEST(file_that_changes_is_probed_again),
		SCAN_TEST(scans_that_overlap_share_their_probes),
		SCAN_TEST(plugin_that_comes_during_a_scan_is_found_by_the_next),
		SCAN_TEST(scan_that_is_overtaken_changes_nothing),
		SCAN_TEST(scan_that_is_cancelled_is_not_done),
		SCAN_TEST(scan_that_is_cancelled_alone_leaves_its_probe),
		SCAN_TEST(table_is_destroyed_in_the_middle_of_a_scan),
		SCAN_TEST(few_are_probed_at_a_time),
	};

	test_hear_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
