/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The daemon's discovery with the real worker program and a fleet of real plugins: nothing that one
 * of them does keeps the others from being listed, or the daemon from going on.
 */

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan_rig.h"
#include "test.h"

#define NS_A_SECOND UINT64_C(1000000000)
#define PATIENCE_NS (30 * NS_A_SECOND)

/* A plugin of the fleet, under its own name. */
static void add(const char *name)
{
	char source[PATH_MAX], file[64];

	(void)snprintf(source, sizeof(source), SCAN_PLUGINS "/plugin_scan_%s.so", name);
	(void)snprintf(file, sizeof(file), "%s.so", name);
	plugin_dir_copy(&rig.a, file, source);
}

/* The good one, changed or cut. */
static void add_spoiled(const char *name, size_t at, unsigned char byte, size_t cut)
{
	size_t len;
	unsigned char *bytes = plugin_dir_read(SCAN_PLUGINS "/plugin_scan_good.so", &len);

	bytes[at] = byte;
	plugin_dir_write(&rig.a, name, bytes, len - cut * len / 4);
	free(bytes);
}

static int library_path_setup(void **state)
{
	/* What the test itself is run with may lead to everything. */
	assert_int_equal(unsetenv("LD_LIBRARY_PATH"), 0);
	return scan_rig_setup(state);
}

#define FLEET_TEST(name) \
	cmocka_unit_test_setup_teardown(name, library_path_setup, scan_rig_teardown)

static bool has_argument(const char *pid, const char *argument)
{
	char path[PATH_MAX], line[4096];
	ssize_t len = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, line, sizeof(line));
		close(fd);
	}
	return len > 0 && memmem(line, (size_t)len, argument, strlen(argument) + 1) != NULL;
}

/* Processes that run, in whose command line an argument ends so. */
static unsigned int count_processes(const char *argument)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	unsigned int count = 0;

	assert_non_null(proc);
	while ((entry = readdir(proc)) != NULL)
		count += isdigit((unsigned char)entry->d_name[0]) &&
			 has_argument(entry->d_name, argument);
	closedir(proc);
	return count;
}

/* Until so many run; the loop goes on meanwhile. */
static void wait_for_processes(const char *argument, unsigned int count)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	while (count_processes(argument) != count && test_now_ns() < end_ns)
		scan_rig_turn();
	assert_int_equal(count_processes(argument), count);
}

static void good_plugins_are_listed_whatever_the_others_do(void **state)
{
	static const char *const fleet[] = {
		"abort", "broken", "exit", "good",  "good2",
		"half",  "leave",  "mute", "newer", "print",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fleet) / sizeof(fleet[0]); i++)
		add(fleet[i]);
	plugin_dir_copy(&rig.a, "libplugin_scan_here.so", SCAN_PLUGINS "/libplugin_scan_here.so");
	scan_rig_add("text.so", "#!/bin/sh\n");
	add_spoiled("other.so", offsetof(Elf64_Ehdr, e_machine), EM_S390, 0);
	add_spoiled("cut.so", 0, ELFMAG0, 3);
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	scan_rig_scan_twice("good good2 print");
	assert_int_equal(scan_rig_named("good")->version, 1);
	assert_true(scan_rig_named("good2")->version == UINT64_MAX);
	assert_int_equal(scan_rig_named("print")->version, 3);
	/* A sanitizer makes more of the crash and of the exit. */
	test_take_log("/abort.so is left out: it ");
	test_take_log("/broken.so is left out: ");
	test_take_log("/cut.so is left out: it is cut short");
	test_take_log("/exit.so is left out: it ended the process that loaded it, with status ");
	test_take_log("/half.so is left out: it does not define urom_plugin_get_iface");
	test_take_log("/leave.so is left out: it ended the process that loaded it, with status 0");
	test_take_log("/libplugin_scan_here.so is left out: it does not define urom_plugin_get_");
	test_take_log("/mute.so is left out: urom_plugin_get_version fails: DOCA_ERROR_BAD_STATE");
	test_take_log("/newer.so is left out: its interface is newer than 3.3.0");
	test_take_log("/other.so is left out: it is for another architecture");
	test_take_log("/text.so is left out: it is no ELF file");
	scan_rig_close();
}

static void plugin_is_listed_without_a_library_that_workers_find(void **state)
{
	(void)state;
	add("needy");
	add("needy_now");
	plugin_dir_copy(&rig.a, "libplugin_scan_here.so", SCAN_PLUGINS "/libplugin_scan_here.so");
	assert_int_equal(setenv("LD_LIBRARY_PATH", rig.a.path, 1), 0);
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	scan_rig_scan_twice("needy needy_now");
	assert_int_equal(scan_rig_named("needy")->version, 101);
	assert_int_equal(scan_rig_named("needy_now")->version, 101);
	scan_rig_close();
	test_take_log("/libplugin_scan_here.so is left out");
	/* The environment of the daemon is that of its probes. */
	assert_int_equal(setenv("LD_LIBRARY_PATH", SCAN_PLUGINS, 1), 0);
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	scan_rig_scan_twice("needy needy_now");
	assert_int_equal(scan_rig_named("needy")->version, 142);
	assert_int_equal(scan_rig_named("needy_now")->version, 142);
	scan_rig_close();
	test_take_log("/libplugin_scan_here.so is left out");
}

static void signals_that_the_daemon_blocks_are_open_to_plugins(void **state)
{
	sigset_t mask, old;

	(void)state;
	add("signals");
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &mask, &old), 0);
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	(void)scan_rig_scan();
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	scan_rig_check("signals");
	assert_int_equal(scan_rig_named("signals")->version, 1000);
	scan_rig_close();
}

static void plugin_that_hangs_holds_up_one_scan_only_and_is_ended(void **state)
{
	const char *hang = plugin_dir_path(&rig.a, "hang.so");
	uint64_t start_ns;

	(void)state;
	add("good");
	add("hang");
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	start_ns = test_now_ns();
	(void)scan_rig_scan();
	assert_true(test_now_ns() - start_ns > NS_A_SECOND);
	scan_rig_check("good");
	test_take_log("/hang.so is left out: it gave no answer within 2 s");
	wait_for_processes(hang, 0);
	assert_true(test_now_ns() - start_ns > 4 * NS_A_SECOND);
	scan_rig_scan_twice("good");
	assert_int_equal(count_processes(hang), 0);
	scan_rig_close();
}

static void what_a_plugin_starts_is_ended_with_its_probe(void **state)
{
	(void)state;
	add("stray");
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	scan_rig_scan_twice("stray");
	wait_for_processes(plugin_dir_path(&rig.a, "stray.so"), 0);
	scan_rig_close();
}

static void probes_end_with_the_daemon(void **state)
{
	const char *hang = plugin_dir_path(&rig.a, "hang.so");
	pid_t daemon;
	bool is_done;

	(void)state;
	add("hang");
	scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
	daemon = fork();
	assert_true(daemon >= 0);
	if (daemon == 0) {
		scan_rig_open(rig.a.path, DOCA_UROM_WORKER);
		(void)scan_rig_begin(&is_done);
		wait_for_processes(hang, 1);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(daemon, NULL, 0), daemon);
	wait_for_processes(hang, 0);
	scan_rig_close();
}

/* Goes on when a file is there. */
#define HELD "while [ ! -e go ]; do sleep 0.01; done\n"

static void let_go(void)
{
	plugin_dir_write(&rig.a, "go", "", 0);
}

/* Scans until that one is listed. */
static void scan_until(const char *name)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	do {
		scan_rig_turn();
		(void)scan_rig_scan();
	} while (scan_rig_named(name) == NULL && test_now_ns() < end_ns);
	assert_non_null(scan_rig_named(name));
}

static void plugin_that_is_slow_is_listed_by_a_later_scan(void **state)
{
	(void)state;
	scan_rig_add("fast.so", SCAN_ANSWER);
	scan_rig_add("slow.so", HELD SCAN_ANSWER);
	scan_rig_open_a();
	(void)scan_rig_scan();
	scan_rig_check("fast");
	test_take_log("/slow.so is left out: it gave no answer within 2 s");
	/* It is known to be slow now, and holds up nobody. */
	(void)scan_rig_scan();
	scan_rig_check("fast");
	let_go();
	scan_until("slow");
	scan_rig_check("fast slow");
	scan_rig_close();
}

/* Four at a time, two seconds each: it is the turn of the last one after six. */
static void scan_ends_after_5_s_however_many_are_slow(void **state)
{
	uint64_t start_ns;
	char name[16];

	(void)state;
	for (int i = 0; i < 12; i++) {
		(void)snprintf(name, sizeof(name), "s%02d.so", i);
		scan_rig_add(name, HELD SCAN_ANSWER);
	}
	scan_rig_add("z.so", SCAN_ANSWER);
	scan_rig_open_a();
	start_ns = test_now_ns();
	(void)scan_rig_scan();
	assert_in_range(test_now_ns() - start_ns, 4 * NS_A_SECOND, 30 * NS_A_SECOND);
	scan_rig_check("");
	assert_int_equal(test_num_logged(), 13);
	test_drop_log();
	let_go();
	/* The first ones may have had their time. */
	scan_until("s11");
	scan_until("z");
	test_drop_log();
	scan_rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLEET_TEST(good_plugins_are_listed_whatever_the_others_do),
		FLEET_TEST(plugin_is_listed_without_a_library_that_workers_find),
		FLEET_TEST(signals_that_the_daemon_blocks_are_open_to_plugins),
		FLEET_TEST(plugin_that_hangs_holds_up_one_scan_only_and_is_ended),
		FLEET_TEST(what_a_plugin_starts_is_ended_with_its_probe),
		FLEET_TEST(probes_end_with_the_daemon),
		FLEET_TEST(plugin_that_is_slow_is_listed_by_a_later_scan),
		FLEET_TEST(scan_ends_after_5_s_however_many_are_slow),
	};

	test_hear_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
