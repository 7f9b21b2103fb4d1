/* SPDX-License-Identifier: BSD-3-Clause */

/* Cookie files: which are taken, and how they are made. */
#include "urom/auth/auth_cookie.h"

#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"

#define DIGITS "00112233445566778899aabbccddeeffFFEEDDCCBBAA99887766554433221100"

static char dir[64];
static struct auth_reason reason;

/* Whom the room takes the process for. */
static uid_t pretended_user;
static const struct group *pretended_group;

uid_t __wrap_geteuid(void);
struct group *__wrap_getgrnam(const char *name);

uid_t __wrap_geteuid(void)
{
	return pretended_user;
}

struct group *__wrap_getgrnam(const char *name)
{
	assert_string_equal(name, "openurom");
	return (struct group *)(uintptr_t)pretended_group;
}

static int cookie_begin(void **state)
{
	(void)snprintf(dir, sizeof(dir), "/tmp/test_auth_cookie.XXXXXX");
	assert_non_null(mkdtemp(dir));
	pretended_user = getuid();
	pretended_group = NULL;
	return test_begin(state);
}

static int cookie_end(void **state)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	return test_end(state);
}

#define COOKIE_TEST(name) cmocka_unit_test_setup_teardown(name, cookie_begin, cookie_end)

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *write_file(const char *text, size_t len, mode_t mode)
{
	const char *path = path_of("cookie");
	FILE *file;

	(void)unlink(path); /* an earlier one may be one that not even its owner can write */
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* What is there is refused, for that reason. */
static void check_refused(const char *path, doca_error_t error, const char *part)
{
	struct auth_cookie cookie, before;

	memset(&cookie, 0x5a, sizeof(cookie));
	before = cookie;
	assert_error(auth_cookie_load(path, &cookie, &reason), error);
	assert_memory_equal(&cookie, &before, sizeof(cookie));
	if (strstr(reason.text, part) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", reason.text, part);
	assert_non_null(strstr(reason.text, path));
}

static void digits_of_both_cases_are_a_secret(void **state)
{
	struct auth_cookie cookie;

	(void)state;
	assert_success(auth_cookie_load(write_file(DIGITS "\n", 65, 0600), &cookie, &reason));
	assert_memory_equal(cookie.secret, "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa", 11);
	assert_memory_equal(cookie.secret + 16, "\xff\xee\xdd", 3);
	assert_int_equal(cookie.owner, getuid());
	assert_int_equal(cookie.group, getgid());
	auth_cookie_wipe(&cookie);
	for (size_t i = 0; i < sizeof(cookie.secret); i++)
		assert_int_equal(cookie.secret[i], 0);
}

static void files_that_hold_something_else_are_refused(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = {
		{ "", 0 },
		{ DIGITS, 64 },        /* no newline */
		{ DIGITS "\n\n", 66 }, /* more than that */
		{ DIGITS "0\n", 66 },  /* too long */
		{ DIGITS "\r\n", 66 }, /* of another system */
		{ DIGITS "\0", 65 },   /* ends otherwise */
		{ " " DIGITS, 65 },    /* begins otherwise */
		{ &(DIGITS)[1], 63 },  /* too short */
		{ "g" DIGITS "\n", 66 },
	};
	char text[65];

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++)
		check_refused(write_file(rows[i].text, rows[i].len, 0600),
			      DOCA_ERROR_AUTHENTICATION, "64 hexadecimal digits");
	/* Each digit counts. */
	for (size_t i = 0; i < 64; i++) {
		memcpy(text, DIGITS "\n", sizeof(text));
		text[i] = i % 2 == 0 ? 'g' : '\0';
		check_refused(write_file(text, sizeof(text), 0600), DOCA_ERROR_AUTHENTICATION,
			      "--make-cookie");
	}
}

static void secrets_are_in_no_reason(void **state)
{
	(void)state;
	check_refused(write_file(DIGITS "x", 65, 0600), DOCA_ERROR_AUTHENTICATION, "hexadecimal");
	assert_null(strstr(reason.text, "00112233"));
}

static void modes_that_let_others_in_are_refused(void **state)
{
	static const mode_t bad[] = { 0644, 0604, 0602, 0601, 0620, 0660, 0666, 0777, 04602 };
	static const mode_t good[] = { 0400, 0600, 0440, 0640, 0700, 0750 };
	struct auth_cookie cookie;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(bad); i++)
		check_refused(write_file(DIGITS "\n", 65, bad[i]), DOCA_ERROR_AUTHENTICATION,
			      "chmod 600");
	for (size_t i = 0; i < CORE_ARRAY_LEN(good); i++)
		assert_success(
		    auth_cookie_load(write_file(DIGITS "\n", 65, good[i]), &cookie, &reason));
}

static void files_of_other_users_are_refused(void **state)
{
	struct auth_cookie cookie;
	const char *path = write_file(DIGITS "\n", 65, 0600);

	(void)state;
	pretended_user = getuid() + 1;
	if (getuid() == 0) /* what is root's is good for everybody */
		assert_int_equal(chown(path, 4711, (gid_t)-1), 0);
	check_refused(path, DOCA_ERROR_AUTHENTICATION, "belongs to user");
	/* Root may have the file of the user that workers run as. */
	pretended_user = 0;
	assert_success(auth_cookie_load(path, &cookie, &reason));
	assert_int_equal(cookie.owner, getuid() == 0 ? 4711 : getuid());
}

static void what_is_no_regular_file_is_refused_at_once(void **state)
{
	char path[PATH_MAX];

	(void)state;
	check_refused(dir, DOCA_ERROR_AUTHENTICATION, "no regular file");
	check_refused("/dev/zero", DOCA_ERROR_AUTHENTICATION, "no regular file");
	(void)snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_refused(path, DOCA_ERROR_AUTHENTICATION, "no regular file");
}

static void links_count_as_what_they_lead_to(void **state)
{
	struct auth_cookie cookie;
	char link[PATH_MAX];

	(void)state;
	(void)snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(symlink("cookie", link), 0);
	check_refused(link, DOCA_ERROR_NOT_FOUND, "there is none");
	write_file(DIGITS "\n", 65, 0644);
	check_refused(link, DOCA_ERROR_AUTHENTICATION, "0644");
	write_file(DIGITS "\n", 65, 0600);
	assert_success(auth_cookie_load(link, &cookie, &reason));
}

static void files_that_are_not_there_are_named(void **state)
{
	(void)state;
	check_refused(path_of("none"), DOCA_ERROR_NOT_FOUND, "there is none");
	write_file(DIGITS "\n", 65, 0600);
	check_refused(path_of("cookie/below"), DOCA_ERROR_NOT_FOUND, "there is none");
}

/* --- Making --- */

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_mode & 07777;
}

static void one_that_is_made_can_be_loaded_and_is_new(void **state)
{
	struct auth_cookie first, second;
	const char *path = path_of("cookie");

	(void)state;
	assert_success(auth_cookie_make(path, &reason));
	assert_int_equal(mode_of(path), 0600);
	assert_success(auth_cookie_load(path, &first, &reason));
	assert_int_equal(unlink(path), 0);
	assert_success(auth_cookie_make(path, &reason));
	assert_success(auth_cookie_load(path, &second, &reason));
	assert_memory_not_equal(first.secret, second.secret, AUTH_SECRET_SIZE);
}

static void nothing_is_overwritten_and_nothing_left_behind(void **state)
{
	const char *path = write_file("mine", 4, 0600);
	char text[16] = "", target[PATH_MAX];
	FILE *file;

	(void)state;
	assert_error(auth_cookie_make(path, &reason), DOCA_ERROR_ALREADY_EXIST);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 4);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "mine");
	assert_int_equal(unlink(path), 0);
	/* Nor is a link followed, wherever it leads. */
	(void)snprintf(target, sizeof(target), "%s/elsewhere", dir);
	assert_int_equal(symlink(target, path), 0);
	assert_error(auth_cookie_make(path, &reason), DOCA_ERROR_ALREADY_EXIST);
	assert_int_not_equal(access(target, F_OK), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0); /* so it is empty */
	assert_int_equal(mkdir(dir, 0700), 0);
}

static void a_group_for_it_may_read_what_root_makes(void **state)
{
	const struct group group = { .gr_gid = getgid() };
	const char *path = path_of("cookie");
	struct auth_cookie cookie;

	(void)state;
	pretended_user = 0;
	pretended_group = &group;
	assert_success(auth_cookie_make(path, &reason));
	assert_int_equal(mode_of(path), 0640);
	assert_success(auth_cookie_load(path, &cookie, &reason));
	assert_int_equal(cookie.group, getgid());
	assert_int_equal(unlink(path), 0);
	/* No other user makes it for anybody else. */
	pretended_user = 1000;
	assert_success(auth_cookie_make(path, &reason));
	assert_int_equal(mode_of(path), 0600);
}

static void folders_get_the_mode_that_is_asked_for(void **state)
{
	char path[PATH_MAX], folder[128];
	const mode_t before = umask(077);

	(void)state;
	(void)snprintf(folder, sizeof(folder), "%s/openurom", dir);
	(void)snprintf(path, sizeof(path), "%s/cookie", folder);
	assert_success(auth_cookie_make_folder(path, 0755, &reason));
	umask(before);
	assert_int_equal(mode_of(folder), 0755);
	assert_success(auth_cookie_make_folder(path, 0700, &reason));
	assert_int_equal(mode_of(folder), 0755); /* one that is there stays as it is */
	(void)snprintf(path, sizeof(path), "%s/no/such/cookie", dir);
	assert_error(auth_cookie_make_folder(path, 0755, &reason), DOCA_ERROR_NOT_FOUND);
	assert_error(auth_cookie_make(path, &reason), DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(reason.text, path));
}

static void default_is_the_machines_for_root_and_the_users_else(void **state)
{
	char path[64], small[16];

	(void)state;
	assert_success(auth_cookie_default(0, "/run/user/0", path, sizeof(path), &reason));
	assert_string_equal(path, "/etc/openurom/cookie");
	assert_success(auth_cookie_default(7, "/run/user/7", path, sizeof(path), &reason));
	assert_string_equal(path, "/run/user/7/openurom/cookie");
	assert_error(auth_cookie_default(7, NULL, path, sizeof(path), &reason),
		     DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(reason.text, "XDG_RUNTIME_DIR"));
	assert_error(auth_cookie_default(7, "relative", path, sizeof(path), &reason),
		     DOCA_ERROR_NOT_FOUND);
	assert_error(auth_cookie_default(7, "/run/user/7", small, sizeof(small), &reason),
		     DOCA_ERROR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COOKIE_TEST(digits_of_both_cases_are_a_secret),
		COOKIE_TEST(files_that_hold_something_else_are_refused),
		COOKIE_TEST(secrets_are_in_no_reason),
		COOKIE_TEST(modes_that_let_others_in_are_refused),
		COOKIE_TEST(files_of_other_users_are_refused),
		COOKIE_TEST(what_is_no_regular_file_is_refused_at_once),
		COOKIE_TEST(links_count_as_what_they_lead_to),
		COOKIE_TEST(files_that_are_not_there_are_named),
		COOKIE_TEST(one_that_is_made_can_be_loaded_and_is_new),
		COOKIE_TEST(nothing_is_overwritten_and_nothing_left_behind),
		COOKIE_TEST(a_group_for_it_may_read_what_root_makes),
		COOKIE_TEST(folders_get_the_mode_that_is_asked_for),
		COOKIE_TEST(default_is_the_machines_for_root_and_the_users_else),
	};

	return cmocka_run_group_tests_name("auth_cookie", tests, NULL, NULL);
}
