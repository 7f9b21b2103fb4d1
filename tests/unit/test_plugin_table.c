/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The daemon's table of plugins: which files get into it, under which ids, and what is said of the
 * others. The worker program is a script here, and the plugins are scripts that it runs.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scan_rig.h"
#include "test.h"

/* --- Ids --- */

static void ids_are_single_bits_in_the_order_of_names(void **state)
{
	(void)state;
	scan_rig_add("b.so", "echo plugin 18446744073709551615 0x0\n");
	scan_rig_add("a.so", "echo plugin 7 0x3030000\n");
	scan_rig_add("c.so", SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(uromd_plugins_count(rig.plugins), 0);
	assert_int_equal(scan_rig_scan(), 3);
	scan_rig_check("a b c");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(uromd_plugins_at(rig.plugins, i)->id, 1 << i);
	assert_int_equal(scan_rig_named("a")->version, 7);
	assert_true(scan_rig_named("b")->version == UINT64_MAX);
	assert_string_equal(scan_rig_named("a")->path, plugin_dir_path(&rig.a, "a.so"));
	assert_null(uromd_plugins_find(rig.plugins, 0));
	assert_null(uromd_plugins_find(rig.plugins, 3));
	assert_null(uromd_plugins_find(rig.plugins, 8));
	scan_rig_close();
}

static void ids_stay_when_a_plugin_comes_that_sorts_first(void **state)
{
	const struct uromd_plugin *plugin;

	(void)state;
	scan_rig_add("m.so", SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 1);
	plugin = scan_rig_named("m");
	scan_rig_add("a.so", SCAN_ANSWER);
	assert_int_equal(scan_rig_scan(), 2);
	scan_rig_check("a m");
	assert_int_equal(scan_rig_named("a")->id, 2);
	assert_ptr_equal(scan_rig_named("m"), plugin);
	assert_int_equal(plugin->id, 1);
	scan_rig_close();
}

static void plugin_that_comes_back_has_its_old_id_and_a_new_version(void **state)
{
	const struct uromd_plugin *plugin;

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 1);
	plugin = scan_rig_named("a");
	assert_int_equal(unlink(plugin_dir_path(&rig.a, "a.so")), 0);
	scan_rig_add("b.so", SCAN_ANSWER);
	(void)scan_rig_scan();
	scan_rig_check("b");
	assert_ptr_equal(uromd_plugins_find(rig.plugins, 1), plugin);
	assert_int_equal(scan_rig_named("b")->id, 2);
	scan_rig_add("a.so", "echo plugin 22 0x0\n");
	(void)scan_rig_scan();
	scan_rig_check("a b");
	assert_ptr_equal(scan_rig_named("a"), plugin);
	assert_int_equal(plugin->id, 1);
	assert_int_equal(plugin->version, 22);
	scan_rig_close();
}

static void plugin_is_its_file_wherever_links_lead_through(void **state)
{
	const struct uromd_plugin *plugin;

	(void)state;
	scan_rig_add_b("real.file", SCAN_ANSWER);
	assert_int_equal(symlink("../b/real.file", plugin_dir_path(&rig.a, "x.so")), 0);
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 1);
	plugin = scan_rig_named("x");
	assert_string_equal(plugin->path, plugin_dir_path(&rig.b, "real.file"));
	/* The same file by another way is the same plugin. */
	assert_int_equal(unlink(plugin_dir_path(&rig.a, "x.so")), 0);
	assert_int_equal(symlink(plugin->path, plugin_dir_path(&rig.a, "x.so")), 0);
	assert_int_equal(scan_rig_scan(), 1);
	assert_ptr_equal(scan_rig_named("x"), plugin);
	scan_rig_close();
}

static void file_of_that_name_elsewhere_is_another_plugin(void **state)
{
	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	scan_rig_open(rig.both, rig.worker);
	scan_rig_scan_twice("a");
	assert_int_equal(unlink(plugin_dir_path(&rig.a, "a.so")), 0);
	scan_rig_add_b("a.so", SCAN_ANSWER);
	scan_rig_scan_twice("a");
	assert_int_equal(scan_rig_named("a")->id, 2);
	assert_string_equal(uromd_plugins_find(rig.plugins, 1)->path,
			    plugin_dir_path(&rig.a, "a.so"));
	scan_rig_close();
}

static void file_with_two_names_is_two_plugins(void **state)
{
	(void)state;
	scan_rig_add("x-1.0.so", SCAN_ANSWER);
	assert_int_equal(symlink("x-1.0.so", plugin_dir_path(&rig.a, "x.so")), 0);
	scan_rig_open_a();
	scan_rig_scan_twice("x-1.0 x");
	assert_int_not_equal(scan_rig_named("x")->id, scan_rig_named("x-1.0")->id);
	scan_rig_close();
}

static void more_than_62_plugins_are_left_out_with_a_warning(void **state)
{
	char name[16];

	(void)state;
	for (int i = 0; i < 63; i++) {
		(void)snprintf(name, sizeof(name), "p%02d.so", i);
		scan_rig_add(name, SCAN_ANSWER);
	}
	scan_rig_open_a();
	assert_int_equal(scan_rig_scan(), 62);
	test_take_log("p62.so is left out: the ids are used up by 62 plugins");
	assert_int_equal(scan_rig_scan(), 62);
	assert_true(uromd_plugins_at(rig.plugins, 61)->id == UINT64_C(1) << 61);
	/* Ids are not given twice. */
	assert_int_equal(unlink(plugin_dir_path(&rig.a, "p00.so")), 0);
	assert_int_equal(scan_rig_scan(), 61);
	assert_string_equal(uromd_plugins_find(rig.plugins, 1)->name, "p00");
	scan_rig_close();
}

/* --- Directories --- */

static void path_is_split_at_semicolons_only(void **state)
{
	char path[2 * PLUGIN_DIR_SIZE + 16];

	(void)state;
	scan_rig_add("z.so", SCAN_ANSWER);
	scan_rig_add_b("a.so", SCAN_ANSWER);
	(void)snprintf(path, sizeof(path), ";%s/;;%s//;", rig.a.path, rig.b.path);
	scan_rig_open(path, rig.worker);
	scan_rig_scan_twice("z a");
	assert_string_equal(scan_rig_named("z")->path, plugin_dir_path(&rig.a, "z.so"));
	scan_rig_close();
}

static void without_directories_there_is_nothing(void **state)
{
	static const char *const paths[] = { NULL, "", ";;" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		scan_rig_open(paths[i], rig.worker);
		scan_rig_scan_twice("");
		scan_rig_close();
	}
}

static void directory_that_is_missing_is_one_warning(void **state)
{
	char path[PLUGIN_DIR_SIZE + 16];

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	(void)snprintf(path, sizeof(path), "/nowhere;%s", rig.a.path);
	scan_rig_open(path, rig.worker);
	scan_rig_scan_twice("a");
	test_take_log("/nowhere of UROM_PLUGIN_PATH is left out: No such file or directory");
	scan_rig_close();
}

static void directory_that_goes_again_is_a_new_warning(void **state)
{
	(void)state;
	assert_int_equal(rmdir(rig.a.path), 0);
	scan_rig_open_a();
	scan_rig_scan_twice("");
	test_take_log("is left out: No such file or directory");
	assert_int_equal(mkdir(rig.a.path, 0700), 0);
	scan_rig_scan_twice("");
	assert_int_equal(rmdir(rig.a.path), 0);
	scan_rig_scan_twice("");
	test_take_log("is left out: No such file or directory");
	scan_rig_close();
}

static void directory_that_is_named_twice_counts_once(void **state)
{
	char path[4 * PLUGIN_DIR_SIZE];

	(void)state;
	scan_rig_add("a.so", SCAN_ANSWER);
	assert_int_equal(symlink(rig.a.path, plugin_dir_path(&rig.dir, "link")), 0);
	(void)snprintf(path, sizeof(path), "%s;%s/;%s/link", rig.a.path, rig.a.path, rig.dir.path);
	scan_rig_open(path, rig.worker);
	scan_rig_scan_twice("a");
	scan_rig_close();
}

static void of_two_with_one_name_the_first_directory_wins(void **state)
{
	(void)state;
	scan_rig_add("a.so", "echo plugin 1 0x0\n");
	scan_rig_add_b("a.so", "echo plugin 2 0x0\n");
	scan_rig_open(rig.both, rig.worker);
	scan_rig_scan_twice("a");
	assert_int_equal(scan_rig_named("a")->version, 1);
	test_take_log("b/a.so is left out: ");
	assert_int_equal(test_num_logged(), 0);
	scan_rig_close();
}

static void file_that_is_no_plugin_hides_none_of_its_name(void **state)
{
	(void)state;
	scan_rig_add("a.so", "exit 1\n");
	scan_rig_add_b("a.so", "echo plugin 2 0x0\n");
	scan_rig_open(rig.both, rig.worker);
	scan_rig_scan_twice("a");
	assert_int_equal(scan_rig_named("a")->version, 2);
	test_take_log("a:1/a.so is left out: ");
	scan_rig_close();
}

/* --- Names --- */

static void names_must_end_in_so_and_be_regular_files(void **state)
{
	(void)state;
	scan_rig_add("good.so", SCAN_ANSWER);
	scan_rig_add("x.so.1", SCAN_ANSWER);
	scan_rig_add("x.la", SCAN_ANSWER);
	scan_rig_add("x.SO", SCAN_ANSWER);
	scan_rig_add("xso", SCAN_ANSWER);
	scan_rig_add("README", SCAN_ANSWER);
	scan_rig_add(".so", SCAN_ANSWER);
	assert_int_equal(mkdir(plugin_dir_path(&rig.a, "d.so"), 0700), 0);
	assert_int_equal(mkdir(plugin_dir_path(&rig.a, "d.so.p"), 0700), 0);
	assert_int_equal(mkfifo(plugin_dir_path(&rig.a, "f.so"), 0600), 0);
	assert_int_equal(symlink("nowhere", plugin_dir_path(&rig.a, "l.so")), 0);
	scan_rig_open_a();
	scan_rig_scan_twice("good");
	test_take_log("/.so is left out: it has no name");
	test_take_log("/d.so is left out: it is no regular file");
	test_take_log("/d.so.p is left out: its name does not end in .so");
	test_take_log("/f.so is left out: it is no regular file");
	test_take_log("/l.so is left out: No such file or directory");
	test_take_log("/x.la is left out: its name does not end in .so");
	test_take_log("/x.so.1 is left out: its name does not end in .so");
	scan_rig_close();
}

static void names_have_47_bytes_at_most(void **state)
{
	static const char name[] = "a23456789b23456789c23456789d23456789e23456789f.so";
	char longer[sizeof(name) + 4], longest[sizeof(name) + 4];

	(void)state;
	(void)snprintf(longer, sizeof(longer), "1%s", name);
	(void)snprintf(longest, sizeof(longest), "12%s", name);
	scan_rig_add(longer, SCAN_ANSWER);
	scan_rig_add(longest, SCAN_ANSWER);
	scan_rig_open_a();
	assert_int_equal(strlen(longer), 47 + 3);
	assert_int_equal(scan_rig_scan(), 1);
	assert_int_equal(strlen(uromd_plugins_at(rig.plugins, 0)->name), 47);
	test_take_log("f.so is left out: its name is longer than 47 bytes");
	scan_rig_close();
}

static void control_characters_do_not_get_into_names_nor_the_log(void **state)
{
	(void)state;
	scan_rig_add("a\nb.so", SCAN_ANSWER);
	scan_rig_add("h\xc3\xb6he.so", SCAN_ANSWER);
	scan_rig_open_a();
	scan_rig_scan_twice("h\xc3\xb6he");
	test_take_log("/a?b.so is left out: there are control characters in its name");
	scan_rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCAN_TEST(ids_are_single_bits_in_the_order_of_names),
		SCAN_TEST(ids_stay_when_a_plugin_comes_that_sorts_first),
		SCAN_TEST(plugin_that_comes_back_has_its_old_id_and_a_new_version),
		SCAN_TEST(plugin_is_its_file_wherever_links_lead_through),
		SCAN_TEST(file_of_that_name_elsewhere_is_another_plugin),
		SCAN_TEST(file_with_two_names_is_two_plugins),
		SCAN_TEST(more_than_62_plugins_are_left_out_with_a_warning),
		SCAN_TEST(path_is_split_at_semicolons_only),
		SCAN_TEST(without_directories_there_is_nothing),
		SCAN_TEST(directory_that_is_missing_is_one_warning),
		SCAN_TEST(directory_that_goes_again_is_a_new_warning),
		SCAN_TEST(directory_that_is_named_twice_counts_once),
		SCAN_TEST(of_two_with_one_name_the_first_directory_wins),
		SCAN_TEST(file_that_is_no_plugin_hides_none_of_its_name),
		SCAN_TEST(names_must_end_in_so_and_be_regular_files),
		SCAN_TEST(names_have_47_bytes_at_most),
		SCAN_TEST(control_characters_do_not_get_into_names_nor_the_log),
	};

	test_hear_programs();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
