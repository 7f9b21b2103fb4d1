/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `doca_urom_worker --probe`, as the daemon runs it and an operator may: one line for a plugin, and
 * for anything else a reason.
 */

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin_dir.h"
#include "program.h"
#include "test.h"

#define BUILT(name) SCAN_PLUGINS "/plugin_scan_" name ".so"

static struct plugin_dir dir;

static int dir_setup(void **state)
{
	plugin_dir_init(&dir, "plugin_probe");
	return test_begin(state);
}

static int dir_teardown(void **state)
{
	plugin_dir_fini(&dir);
	return test_end(state);
}

#define DIR_TEST(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)

static int probe(struct program *program, const char *path, const char *variable)
{
	const char *const argv[] = { DOCA_UROM_WORKER, "--probe", path, NULL };
	const char *const env[] = { variable, NULL };

	return program_run(program, argv, variable != NULL ? env : NULL);
}

static void check_plugin(const char *path, const char *variable, const char *answer)
{
	struct program program;

	assert_int_equal(probe(&program, path, variable), 0);
	assert_string_equal(program.out, answer);
}

/* The reason is the last line, and nothing is on standard output. */
static void check_refused(const char *path, const char *reason)
{
	struct program program;
	const char *at;

	assert_int_equal(probe(&program, path, NULL), 1);
	assert_string_equal(program.out, "");
	at = strstr(program.err, reason);
	if (at == NULL || strchr(at, '\n') == NULL || strchr(at, '\n')[1] != '\0')
		fail_msg("%s: \"%s\" is not about \"%s\"", path, program.err, reason);
}

static void plugin_is_told_in_one_line(void **state)
{
	(void)state;
	check_plugin(BUILT("good"), NULL, "plugin 1 0x3030000\n");
	check_plugin(BUILT("good2"), NULL, "plugin 18446744073709551615 0x0\n");
}

static void path_needs_no_slash(void **state)
{
	(void)state;
	assert_int_equal(chdir(SCAN_PLUGINS), 0);
	check_plugin("plugin_scan_good.so", NULL, "plugin 1 0x3030000\n");
}

static void what_a_plugin_prints_is_no_answer(void **state)
{
	struct program program;

	(void)state;
	assert_int_equal(probe(&program, BUILT("print"), NULL), 0);
	assert_string_equal(program.out, "plugin 3 0x0\n");
	assert_non_null(strstr(program.err, "plugin 99 0x1\n"));
	assert_int_equal(probe(&program, BUILT("leave"), NULL), 0);
	assert_string_equal(program.out, "");
}

static void what_is_no_plugin_is_refused_with_a_reason(void **state)
{
	(void)state;
	check_refused(BUILT("half"), "it does not define urom_plugin_get_iface");
	check_refused(BUILT("mute"), "urom_plugin_get_version fails: DOCA_ERROR_BAD_STATE");
	check_refused(BUILT("newer"), "its interface is newer than 3.3.0");
	check_refused("/dev/null", "it is no regular file");
	check_refused("/", "it is no regular file");
	check_refused("/nowhere/x.so", "it cannot be opened: No such file or directory");
	check_refused("", "it cannot be opened: No such file or directory");
}

static void pipe_without_a_writer_is_refused_at_once(void **state)
{
	const char *path = plugin_dir_path(&dir, "x.so");

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	check_refused(path, "it is no regular file");
}

static void file_of_another_kind_is_refused_unloaded(void **state)
{
	const struct {
		size_t at;
		unsigned char byte;
		const char *reason;
	} rows[] = {
		{ EI_CLASS, ELFCLASS32, "it is for another architecture" },
		{ EI_DATA, ELFDATA2MSB, "it is for another architecture" },
		{ offsetof(Elf64_Ehdr, e_machine), EM_S390, "it is for another architecture" },
		{ offsetof(Elf64_Ehdr, e_type), ET_REL, "it is no shared object" },
		{ EI_MAG1, 'F', "it is no ELF file" },
	};
	const char *path = plugin_dir_path(&dir, "x.so");
	size_t len;
	unsigned char *bytes = plugin_dir_read(BUILT("good"), &len);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned char byte = bytes[rows[i].at];

		bytes[rows[i].at] = rows[i].byte;
		plugin_dir_write(&dir, "x.so", bytes, len);
		check_refused(path, rows[i].reason);
		bytes[rows[i].at] = byte;
	}
	plugin_dir_write(&dir, "x.so", "#!/bin/sh\n", 10);
	check_refused(path, "it is no ELF file");
	plugin_dir_write(&dir, "x.so", "", 0);
	check_refused(path, "it is empty");
	free(bytes);
}

/* Section headers come last, and are not loaded: without them it is still a plugin. */
static void file_that_is_cut_short_is_refused_unloaded(void **state)
{
	const char *path = plugin_dir_path(&dir, "x.so");
	size_t len;
	unsigned char *bytes = plugin_dir_read(BUILT("good"), &len);

	(void)state;
	for (size_t part = 1; part < 16; part++) {
		struct program program;

		plugin_dir_write(&dir, "x.so", bytes, len * part / 16);
		if (probe(&program, path, NULL) != 0)
			check_refused(path, "it is cut short");
		else
			assert_string_equal(program.out, "plugin 1 0x3030000\n");
	}
	plugin_dir_write(&dir, "x.so", bytes, 40);
	check_refused(path, "it is cut short");
	free(bytes);
}

static void plugin_without_a_library_is_told_all_the_same(void **state)
{
	static const char *const plugins[] = { BUILT("needy"), BUILT("needy_now") };
	char beside[256];

	(void)state;
	plugin_dir_copy(&dir, "libplugin_scan_here.so", SCAN_PLUGINS "/libplugin_scan_here.so");
	(void)snprintf(beside, sizeof(beside), "LD_LIBRARY_PATH=%s", dir.path);
	for (size_t i = 0; i < 2; i++) {
		/* In the folder where it was built, both of its libraries are there. */
		check_plugin(plugins[i], NULL, "plugin 142 0x3030000\n");
		plugin_dir_copy(&dir, "needy.so", plugins[i]);
		check_plugin(plugin_dir_path(&dir, "needy.so"), beside, "plugin 101 0x3030000\n");
		check_plugin(plugin_dir_path(&dir, "needy.so"), "LD_LIBRARY_PATH=" SCAN_PLUGINS,
			     "plugin 142 0x3030000\n");
	}
}

/* No host can bring what none of its libraries has. */
static void plugin_without_a_symbol_is_refused(void **state)
{
	(void)state;
	check_refused(BUILT("broken"), "undefined symbol: plugin_scan_gone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plugin_is_told_in_one_line),
		TEST(path_needs_no_slash),
		TEST(what_a_plugin_prints_is_no_answer),
		TEST(what_is_no_plugin_is_refused_with_a_reason),
		DIR_TEST(pipe_without_a_writer_is_refused_at_once),
		DIR_TEST(file_of_another_kind_is_refused_unloaded),
		DIR_TEST(file_that_is_cut_short_is_refused_unloaded),
		DIR_TEST(plugin_without_a_library_is_told_all_the_same),
		TEST(plugin_without_a_symbol_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
