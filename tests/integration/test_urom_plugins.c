/* SPDX-License-Identifier: BSD-3-Clause */
/* What a service offers of what lies in its directories. */
#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define MANY       63
#define MOST       62
#define LONGEST    "a_name_that_is_as_long_as_it_may_be_47_bytes_ok"
#define TOO_LONG   LONGEST "_"
#define LIST_BYTES 8192
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const char *const none[] = { NULL };

/* The names of all plugins of the service, sorted, each with a blank behind it. */
static void list_plugins(struct urom_host *host, char text[LIST_BYTES])
{
	const struct doca_urom_service_plugin_info *plugins;
	const char *names[64];
	size_t count, len = 0;

	assert_success(doca_urom_service_get_plugins_list(host->service, &plugins, &count));
	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		assert_true(memchr(plugins[i].plugin_name, '\0', 48) != NULL);
		for (; at > 0 && strcmp(names[at - 1], plugins[i].plugin_name) > 0; at--)
			names[at] = names[at - 1];
		names[at] = plugins[i].plugin_name;
	}
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, LIST_BYTES - len, "%s ", names[i]);
}

/* Starts a service at the rig's daemon, and compares what it offers. */
static void check_plugins(const char *expected)
{
	char text[LIST_BYTES];
	struct urom_host host;

	urom_host_init_running(&host);
	list_plugins(&host, text);
	assert_string_equal(text, expected);
	urom_host_fini(&host);
}

static void make_folder(struct urom_rig *rig, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig->dir, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* traps 20, 22 */
static void only_good_plugins_are_listed(void **state)
{
	static const char *const left_out[] = { "text.so",        "library.la",    "empty.so",
						"versioned.so.1", "no_symbols.so", "load_dies.so",
						"objects.so.p",   "folder.so",     "nowhere.so" };
	struct urom_rig *rig = *state;
	char to[PATH_MAX];

	urom_rig_write(rig, "plugins/text.so", "this is no shared object\n");
	urom_rig_write(rig, "plugins/library.la", "dlname='library.so'\n");
	urom_rig_write(rig, "plugins/empty.so", "");
	urom_rig_copy(rig, UROM_TEST_SO, "plugins/versioned.so.1");
	urom_rig_copy(rig, UROM_NEEDED_A_SO, "plugins/no_symbols.so");
	urom_rig_add_plugin(rig, "load_dies");
	make_folder(rig, "plugins/objects.so.p");
	make_folder(rig, "plugins/folder.so");
	(void)snprintf(to, sizeof(to), "%s/plugins/nowhere.so", rig->dir);
	assert_int_equal(symlink("/no/such/file", to), 0);

	check_plugins(UROM_RIG_PLUGIN " ");

	for (size_t i = 0; i < LEN(left_out); i++)
		urom_logs_take(&rig->logs, left_out[i]);
	/* And once only: whoever connects next finds them known. */
	check_plugins(UROM_RIG_PLUGIN " ");
}

/* traps 19, 23 */
static void directories_are_separated_by_semicolons(void **state)
{
	struct urom_rig_options options = { .plugins = none };
	struct urom_host host;
	struct urom_rig rig;
	char *path = NULL;
	const char *env[2] = { NULL, NULL };

	(void)state;
	urom_rig_init_stopped(&rig, &options);
	urom_rig_copy(&rig, UROM_TEST_SO, "a:b/first.so");
	urom_rig_copy(&rig, UROM_TEST_SO, "c d/second.so");
	assert_true(asprintf(&path, "UROM_PLUGIN_PATH=%s/a:b/;%s/c d/;", rig.dir, rig.dir) > 0);
	env[0] = path;
	rig.options.env = env;
	urom_rig_start(&rig);
	check_plugins("first second ");

	urom_host_init_running(&host);
	for (uint64_t i = 0; i < 2; i++) {
		struct doca_urom_worker *worker;
		struct urom_answer answer;
		uint64_t plugin = urom_host_plugin_named(&host, i == 0 ? "first" : "second");

		worker = urom_host_worker_of(&host, host.service, i, plugin);
		urom_host_start_worker(&host, worker);
		urom_host_ask(&host, worker, &(struct urom_command){ .plugin = plugin }, &answer);
		assert_success(answer.status);
	}
	urom_host_fini(&host);
	urom_rig_fini(&rig);
	free(path);
}

/* trap 21 */
static void plugins_with_the_same_symbols_are_kept_apart(void **state)
{
	static const char *const plugins[] = { "one", "two", "three", NULL };
	static const struct urom_rig_options options = { .plugins = plugins };
	struct urom_test_report report;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;
	struct urom_rig rig;
	uint64_t ids[3];

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	for (size_t i = 0; i < 3; i++)
		ids[i] = urom_host_plugin_named(&host, plugins[i]);
	worker = urom_host_worker_of(&host, host.service, 1, ids[0] | ids[1] | ids[2]);
	urom_host_start_worker(&host, worker);
	for (size_t i = 0; i < 9; i++) {
		const struct urom_command command = { .plugin = ids[i % 3],
						      .op = UROM_TEST_REPORT };

		urom_host_ask(&host, worker, &command, &answer);
		assert_success(answer.status);
		memcpy(&report, answer.bytes, sizeof(report));
		assert_int_equal(report.plugin, ids[i % 3]);
		assert_int_equal(report.num_commands, i / 3 + 1);
		assert_non_null(strstr(report.file, plugins[i % 3]));
	}
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* trap 25 */
static void more_plugins_than_there_are_bits_are_left_out(void **state)
{
	static const struct urom_rig_options options = { .plugins = none };
	const struct doca_urom_service_plugin_info *plugins;
	uint64_t all = 0;
	struct urom_host host;
	struct urom_rig rig;
	size_t count;

	(void)state;
	urom_rig_init(&rig, &options);
	for (unsigned int i = 0; i < MANY; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "plugin_%02u", i);
		urom_rig_add_plugin(&rig, name);
	}
	/* Some may come with a later connection, when the machine is slow. */
	for (count = 0; count < MOST;) {
		urom_host_init_running(&host);
		if (doca_urom_service_get_plugins_list(host.service, &plugins, &count) !=
		    DOCA_SUCCESS)
			test_drop_log();
		all = 0;
		for (size_t i = 0; i < count; i++)
			all |= plugins[i].id;
		urom_host_fini(&host);
	}
	assert_int_equal(count, MOST);
	assert_int_equal(all, (UINT64_C(1) << MOST) - 1);
	urom_logs_take(&rig.logs, "plugin_");
	urom_logs_take_all(&rig.logs, "plugin_");
	urom_rig_fini(&rig);
}

/* trap 25 */
static void names_are_as_long_as_there_is_room_for(void **state)
{
	struct urom_rig *rig = *state;

	assert_int_equal(strlen(LONGEST), DOCA_UROM_PLUGIN_NAME_MAX_LEN - 1);
	urom_rig_add_plugin(rig, LONGEST);
	urom_rig_add_plugin(rig, TOO_LONG);
	check_plugins(LONGEST " " UROM_RIG_PLUGIN " ");
	urom_logs_take(&rig->logs, TOO_LONG);
}

/* --- what lies about --- */

static void rig_path(struct urom_rig *rig, const char *name, char path[PATH_MAX])
{
	(void)snprintf(path, PATH_MAX, "%s/%s", rig->dir, name);
}

/* The good one, with a byte changed, and cut. */
static void copy_spoiled(struct urom_rig *rig, const char *name, off_t at, uint8_t byte, off_t len)
{
	char path[PATH_MAX];
	int fd;

	urom_rig_copy(rig, UROM_TEST_SO, name);
	rig_path(rig, name, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	if (len > 0)
		assert_int_equal(ftruncate(fd, len), 0);
	close(fd);
}

static void make_special(struct urom_rig *rig)
{
	char path[PATH_MAX];

	make_folder(rig, "plugins/folder.so");
	rig_path(rig, "plugins/fifo.so", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	rig_path(rig, "plugins/nowhere.so", path);
	assert_int_equal(symlink("/no/such/file", path), 0);
	urom_rig_write(rig, "plugins/sparse.so", "");
	rig_path(rig, "plugins/sparse.so", path);
	assert_int_equal(truncate(path, (off_t)64 << 30), 0);
	urom_rig_add_plugin(rig, "secret");
	rig_path(rig, "plugins/secret.so", path);
	assert_int_equal(chmod(path, 0), 0);
}

/*
 * From here on what this process starts reads no file that its owner may not, which root's usually
 * do. It is for good, so this test is the last one.
 */
static void give_up_overriding(void)
{
	(void)prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE); /* users have it not */
	(void)prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
}

static void whatever_else_lies_there_is_warned_of_once(void **state)
{
	static const char *const warnings[] = {
		"/text.so is left out: it is no ELF file",
		"/empty.so is left out: it is empty",
		"/cut.so is left out: it is cut short",
		"/other.so is left out: it is for another architecture",
		"/no_symbols.so is left out: it does not define urom_plugin_get_",
		"/secret.so is left out: it cannot be opened: Permission denied",
		"/folder.so is left out: it is no regular file",
		"/fifo.so is left out: it is no regular file",
		"/nowhere.so is left out: No such file or directory",
		"/sparse.so is left out: it is no ELF file",
		"/" LONGEST "_0123456789.so is left out: its name is longer than 47 bytes",
		"/more/" UROM_RIG_PLUGIN ".so is left out: ",
	};
	struct urom_rig_options options = { 0 };
	const char *env[2] = { NULL, NULL };
	struct urom_rig rig;
	char *path = NULL;

	(void)state;
	give_up_overriding();
	urom_rig_init_stopped(&rig, NULL);
	urom_rig_write(&rig, "plugins/text.so", "#!/bin/sh\n");
	urom_rig_write(&rig, "plugins/empty.so", "");
	copy_spoiled(&rig, "plugins/cut.so", 0, ELFMAG0, 4096);
	copy_spoiled(&rig, "plugins/other.so", offsetof(Elf64_Ehdr, e_machine), EM_S390, 0);
	urom_rig_copy(&rig, UROM_NEEDED_A_SO, "plugins/no_symbols.so");
	urom_rig_add_plugin(&rig, LONGEST "_0123456789");
	urom_rig_copy(&rig, UROM_TEST_SO, "more/" UROM_RIG_PLUGIN ".so");
	urom_rig_copy(&rig, UROM_TEST_SO, "more/second.so");
	make_special(&rig);
	assert_true(asprintf(&path, "UROM_PLUGIN_PATH=%s/plugins;%s/more", rig.dir, rig.dir) > 0);
	env[0] = path;
	options.env = env;
	rig.options = options;
	urom_rig_start(&rig);

	for (unsigned int i = 0; i < 3; i++)
		check_plugins("second " UROM_RIG_PLUGIN " ");
	for (size_t i = 0; i < LEN(warnings); i++)
		urom_logs_take(&rig.logs, warnings[i]);
	urom_rig_fini(&rig); /* finds any other warning */
	free(path);
}

/* As sanitizers would report the crashes, and find other statuses. */
static void plugins_that_harm_whoever_loads_them_are_left_out(void **state)
{
	static const struct {
		const char *plugin;
		const char *reason;
	} rows[] = {
		{ "load_crash", "it " },
		{ "load_exit", "it ended the process that loaded it, with status " },
		{ "load_leave", TEST_HAS_TSAN
				    ? "it ended the process that loaded it, with status "
				    : "it ended the process that loaded it, with status 0" },
		{ "load_abort", "it crashed by signal 6 (Aborted)" },
		{ "load_spin", "it gave no answer within 2 s" },
		{ "load_hog", "it crashed by signal 6 (Aborted): no memory is left" },
	};
	static const char *const env[] = {
		"ASAN_OPTIONS=allocator_may_return_null=1:handle_segv=0:symbolize=0", NULL
	};
	const struct urom_rig_options options = { .env = env };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_rig_copy(&rig, UROM_HOSTILE_SO, "plugins/load_leak.so");
	for (size_t i = 0; i < LEN(rows); i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "plugins/%s.so", rows[i].plugin);
		urom_rig_copy(&rig, UROM_HOSTILE_SO, name);
	}
	check_plugins("load_leak " UROM_RIG_PLUGIN " ");
	for (size_t i = 0; i < LEN(rows); i++) {
		char part[128];

		(void)snprintf(part, sizeof(part), "/%s.so is left out: %s", rows[i].plugin,
			       rows[i].reason);
		urom_logs_take(&rig.logs, part);
	}
	check_plugins("load_leak " UROM_RIG_PLUGIN " ");
	/* That sanitizer complains of who ends the process while he is loaded. */
	if (TEST_HAS_TSAN)
		urom_logs_take_all(&rig.logs, "main thread finished with ignores enabled");
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(only_good_plugins_are_listed),
		TEST(directories_are_separated_by_semicolons),
		TEST(plugins_with_the_same_symbols_are_kept_apart),
		TEST(more_plugins_than_there_are_bits_are_left_out),
		UROM_TEST(names_are_as_long_as_there_is_room_for),
		TEST(plugins_that_harm_whoever_loads_them_are_left_out),
		TEST(whatever_else_lies_there_is_warned_of_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
