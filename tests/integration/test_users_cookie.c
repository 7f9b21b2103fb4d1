/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The default cookie of root's daemon, in an /etc of the test's own: whom it lets in, and that a
 * daemon which does not start makes none. It wants root, or a user namespace that has more users;
 * scripts/test_users.sh runs it.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"
#include "test.h"
#include "urom/auth/auth_cookie.h"
#include "urom_host.h"
#include "urom_program.h"
#include "users_rig.h"

#define PASSWD                                               \
	"root:x:0:0:root:/root:/bin/sh\n"                    \
	"nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n" \
	"openurom:x:4000:4400:UROM:/nonexistent:/bin/sh\n"   \
	"ada:x:4321:4321:Ada:/nonexistent:/bin/sh\n"         \
	"ben:x:5321:5321:Ben:/nonexistent:/bin/sh\n"
#define GROUP          "root:x:0:\nopenurom:x:4400:ada\n"

#define ADA            4321 /* in the group */
#define BEN            5321 /* outside */
#define OPENUROM_GROUP 4400

#define ARGS(...)      ((const char *const[]){ __VA_ARGS__, NULL })

static struct urom_rig rig;

/* No daemon runs, and nobody has a cookie. */
static int setup(void **state)
{
	static const char *const args[] = { "--worker", users_rig_worker, NULL };
	static const char *const env[] = { users_rig_library, NULL };
	static const struct urom_rig_options options = { .args = args,
							 .env = env,
							 .has_no_worker_user = true };

	(void)state;
	test_begin(NULL);
	users_rig_init_stopped(&rig, &options);
	users_rig_set_etc(&rig, PASSWD, GROUP);
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	assert_int_not_equal(access(AUTH_SYSTEM_COOKIE, F_OK), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	users_rig_fini(&rig);
	return test_end(NULL);
}

#define COOKIE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void default_cookie_is_roots_and_for_the_group_to_read(void **state)
{
	struct stat info;

	(void)state;
	urom_rig_start(&rig);
	assert_int_equal(stat(AUTH_SYSTEM_COOKIE, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0640);
	assert_int_equal(info.st_uid, 0);
	assert_int_equal(info.st_gid, OPENUROM_GROUP);
	assert_int_equal(stat("/etc/openurom", &info), 0);
	assert_int_equal(info.st_mode & 07777, 0755);
	assert_true(urom_logs_have(&rig.logs, "urom_daemon_dev.log",
				   AUTH_SYSTEM_COOKIE ", which was not there and is new"));
}

static void user_in_the_group_comes_in(void **state)
{
	struct urom_program program;
	char line[UROM_PROGRAM_LINE];

	(void)state;
	urom_rig_start(&rig);
	urom_program_start_in_group(&program, ADA, OPENUROM_GROUP, ARGS("flow", "7", "1", "100"));
	urom_program_read(&program, line);
	users_rig_check_status((pid_t)strtoul(line, NULL, 10), "Uid:\t4000\t4000\t4000\t4000");
	urom_program_go_on(&program);
	urom_program_read(&program, line);
	assert_string_equal(line, "done");
	urom_program_finish(&program);
}

static void user_outside_is_turned_away_and_told_of_the_file(void **state)
{
	struct urom_program program;

	(void)state;
	urom_rig_start(&rig);
	urom_program_start_as(&program, BEN,
			      ARGS("unwelcome", "cookie file " AUTH_SYSTEM_COOKIE
						": user 5321 may not read it, only its owner and "
						"its group"));
	urom_program_finish(&program);
	urom_program_start_as(&program, BEN, ARGS("unwelcome", "DOCA_UROM_COOKIE"));
	urom_program_finish(&program);
	urom_logs_take_all(&rig.logs, "authentication by cookie is asked for, and the host offers "
				      "none");
	assert_false(urom_logs_have(&rig.logs, "urom_worker_", ""));
}

static void next_daemon_takes_the_cookie_as_it_is(void **state)
{
	struct stat before, after;
	struct urom_host host;

	(void)state;
	urom_rig_start(&rig);
	assert_int_equal(stat(AUTH_SYSTEM_COOKIE, &before), 0);
	urom_rig_stop(&rig);
	urom_rig_start(&rig);
	assert_int_equal(stat(AUTH_SYSTEM_COOKIE, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	urom_host_init_running(&host);
	urom_host_fini(&host);
}

/* Its address is that of a daemon that runs, with a cookie of its own. */
static void check_fails(int status, const char *option, const char *value, const char *part)
{
	static const char *const env[] = { users_rig_library, NULL };
	const char *const argv[] = { DOCA_UROM_DAEMON, "--log-dir", rig.logs.dir, "--listen",
				     "127.0.0.1:0",    option,      value,        NULL };
	struct program program;

	assert_int_equal(program_run(&program, argv, env), status);
	if (strstr(program.err, part) == NULL)
		fail_msg("\"%s\" is not in: %s", part, program.err);
	assert_int_not_equal(access(AUTH_SYSTEM_COOKIE, F_OK), 0);
	urom_logs_take_all(&rig.logs, part);
}

static void daemon_that_does_not_start_makes_none(void **state)
{
	(void)state;
	check_fails(2, "--cpuset", "none", "--cpuset: none is no list");
	check_fails(2, "--worker", "/nowhere", "--worker: /nowhere");
	check_fails(2, "--worker-user", "carl", "--worker-user carl");
	check_fails(1, "--port-file", "/nowhere/port", "--port-file: /nowhere/port");
}

static void daemon_whose_port_is_in_use_makes_none(void **state)
{
	char address[32], path[PATH_MAX];
	const char *const argv[] = { DOCA_UROM_DAEMON, "--log-dir", rig.logs.dir,
				     "--listen",       address,     NULL };
	struct program program;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/cookie", rig.dir);
	assert_int_equal(setenv("DOCA_UROM_COOKIE", path, 1), 0);
	urom_rig_start(&rig);
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	(void)snprintf(address, sizeof(address), "127.0.0.1:%u", rig.port);
	assert_int_equal(program_run(&program, argv, NULL), 1);
	assert_non_null(strstr(program.err, "cannot listen on"));
	urom_logs_take(&rig.logs, "cannot listen on");
	assert_int_not_equal(access(AUTH_SYSTEM_COOKIE, F_OK), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		COOKIE_TEST(default_cookie_is_roots_and_for_the_group_to_read),
		COOKIE_TEST(user_in_the_group_comes_in),
		COOKIE_TEST(user_outside_is_turned_away_and_told_of_the_file),
		COOKIE_TEST(next_daemon_takes_the_cookie_as_it_is),
		COOKIE_TEST(daemon_that_does_not_start_makes_none),
		COOKIE_TEST(daemon_whose_port_is_in_use_makes_none),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests_name("users_cookie", tests, users_rig_enter_namespace, NULL);
}
