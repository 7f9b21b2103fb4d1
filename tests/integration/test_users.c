/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Several users on one machine: root's daemon, whose workers are another user's, and hosts of
 * root's, of the worker's user and of a third. It wants root, or a user namespace that has these
 * users; scripts/test_users.sh runs it.
 */

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "program.h"
#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"
#include "users_rig.h"

#define WORKER_USER "nobody" /* whose the workers are */
#define HOST_USER   "daemon" /* another host's */
#define MANY_BYTES  300000
#define NUM_FLOWS   "200"
#define NUM_LOGS    3000 /* processes that begin elsewhere in the meantime, at most */

static char probes_path[PATH_MAX];
static char noting_path[PATH_MAX];

/* The daemon has what its workers must not: places and secrets of root's. */
static const char *const daemons_env[] = {
	users_rig_library,
	"HOME=/root",
	"USER=root",
	"XDG_RUNTIME_DIR=/run/root",
	"DOCA_UROM_COOKIE=/root/cookie",
	"TEST_KEPT=of the daemon",
	NULL,
};
static const char *const usual_args[] = { "--worker-user",  WORKER_USER, "--worker",
					  users_rig_worker, "-m",        "1048576",
					  "--auth",         "none",      NULL };
static const struct urom_rig_options usual = { .args = usual_args, .env = daemons_env };

/* --- A rig for everybody --- */

/* A worker's program that leaves a note of who runs it. */
static void write_noting_worker(struct urom_rig *rig)
{
	char text[2 * PATH_MAX];

	(void)snprintf(probes_path, sizeof(probes_path), "%s/notes/probes", rig->dir);
	(void)snprintf(text, sizeof(text),
		       "#!/bin/sh\n"
		       "[ \"$1\" != --probe ] || id -u >>%s\n"
		       "exec %s/bin/worker \"$@\"\n",
		       probes_path, rig->dir);
	urom_rig_write(rig, "bin/noting_worker", text);
	users_rig_make_folder(rig, "notes");
	urom_rig_write(rig, "notes/probes", "");
}

static void rig_init_stopped(struct urom_rig *rig, const struct urom_rig_options *options)
{
	users_rig_init_stopped(rig, options);
	write_noting_worker(rig);
	users_rig_open(rig, "bin/noting_worker", 0755);
	users_rig_open(rig, "notes", 0755);
	users_rig_open(rig, "notes/probes", 0666);
	/* For host programs of other users, who may not read the rig's cookie. */
	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
}

static int setup(void **state)
{
	static struct urom_rig rig;

	test_begin(NULL);
	rig_init_stopped(&rig, &usual);
	urom_rig_start(&rig);
	*state = &rig;
	return 0;
}

static int teardown(void **state)
{
	users_rig_fini(*state);
	(void)unsetenv("DOCA_UROM_AUTH");
	return test_end(NULL);
}

#define USERS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- What a process is --- */

static void check_variable(struct urom_host *host, struct doca_urom_worker *worker,
			   const char *name, const char *value)
{
	const struct urom_command command = { .op = UROM_TEST_ENVIRONMENT,
					      .bytes = name,
					      .len = strlen(name) };
	struct urom_answer answer;

	urom_host_ask(host, worker, &command, &answer);
	if (value == NULL) {
		assert_int_equal(answer.status, DOCA_ERROR_NOT_FOUND);
		return;
	}
	assert_success(answer.status);
	assert_int_equal(answer.len, strlen(value));
	assert_memory_equal(answer.bytes, value, answer.len);
}

#define ROOT_AND_NOBODY                   \
	"root:x:0:0:root:/root:/bin/sh\n" \
	"nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"
#define ROOTS_GROUP "root:x:0:\n"

/* --- Tests --- */

static void root_is_not_had_without_being_told(void **state)
{
	static const char *const argv[] = { DOCA_UROM_DAEMON, "--auth",      "none",
					    "--listen",       "127.0.0.1:0", NULL };
	struct program program;
	int status;

	users_rig_set_etc(*state, ROOT_AND_NOBODY, ROOTS_GROUP);
	status = program_run(&program, argv, NULL);
	users_rig_restore_etc();
	assert_int_equal(status, 2);
	assert_non_null(strstr(program.err, "--worker-user NAME"));
	assert_non_null(strstr(program.err, "--worker-user root"));
}

static void workers_are_openuroms_where_there_is_one(void **state)
{
	static const char *const args[] = { "--worker", users_rig_worker, "--auth", "none", NULL };
	static const struct urom_rig_options options = { .args = args,
							 .env = daemons_env,
							 .has_no_worker_user = true };
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	rig_init_stopped(&rig, &options);
	users_rig_set_etc(&rig, ROOT_AND_NOBODY "openurom:x:4321:4322:UROM:/:/bin/sh\n",
			  ROOTS_GROUP);
	urom_rig_start(&rig);
	users_rig_restore_etc();
	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 1);
	users_rig_check_status(urom_rig_worker(&rig), "Uid:\t4321\t4321\t4321\t4321");
	users_rig_check_status(urom_rig_worker(&rig), "Gid:\t4322\t4322\t4322\t4322");
	urom_host_fini(&host);
	users_rig_fini(&rig);
}

static void worker_is_the_named_user_and_nothing_more(void **state)
{
	const uid_t uid = users_rig_uid_of(WORKER_USER);
	const gid_t gid = users_rig_gid_of(WORKER_USER);
	static const char *const capabilities[] = { "CapInh", "CapPrm", "CapEff", "CapAmb" };
	char path[64], cwd[PATH_MAX] = "";
	struct urom_host host;
	pid_t pid;

	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 1);
	pid = urom_rig_worker(*state);
	users_rig_check_status(pid, "Uid:\t%u\t%u\t%u\t%u", uid, uid, uid, uid);
	users_rig_check_status(pid, "Gid:\t%u\t%u\t%u\t%u", gid, gid, gid, gid);
	users_rig_check_status(pid, "Groups:\t%u ", gid);
	users_rig_check_status(pid, "NoNewPrivs:\t1");
	users_rig_check_status(pid, "Umask:\t0022");
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		users_rig_check_status(pid, "%s:\t0000000000000000", capabilities[i]);
	(void)snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	assert_true(readlink(path, cwd, sizeof(cwd) - 1) > 0);
	assert_string_equal(cwd, "/");
	urom_host_fini(&host);
}

static void environment_has_nothing_of_the_daemons_user(void **state)
{
	const struct passwd *user = getpwnam(WORKER_USER);
	struct doca_urom_worker *worker;
	struct urom_host host;
	char home[256];

	(void)state;
	assert_non_null(user);
	(void)snprintf(home, sizeof(home), "%s", user->pw_dir);
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 1);
	check_variable(&host, worker, "TEST_KEPT", "of the daemon");
	check_variable(&host, worker, "HOME", home);
	check_variable(&host, worker, "USER", WORKER_USER);
	check_variable(&host, worker, "LOGNAME", WORKER_USER);
	check_variable(&host, worker, "XDG_RUNTIME_DIR", NULL);
	check_variable(&host, worker, "DOCA_UROM_COOKIE", NULL);
	urom_host_fini(&host);
}

static void log_is_its_users_alone(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	char path[PATH_MAX];
	struct stat info;

	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 1);
	(void)snprintf(path, sizeof(path), "%s/logs/urom_worker_%d_dev.log", rig->dir,
		       (int)urom_rig_worker(rig));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_uid, users_rig_uid_of(WORKER_USER));
	assert_int_equal(info.st_mode & 07777, 0640);
	assert_true(info.st_size > 0);
	urom_host_fini(&host);
}

static void hosts_of_all_users_are_served(void **state)
{
	static const char *const users[] = { WORKER_USER, HOST_USER };
	struct urom_program programs[2];
	struct urom_rig *rig = *state;
	char line[UROM_PROGRAM_LINE];
	struct urom_host host;

	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 7));
	for (size_t i = 0; i < 2; i++) {
		urom_program_start_as(
		    &programs[i], users_rig_uid_of(users[i]),
		    (const char *const[]){ "flow", "7", i == 0 ? "1" : "2", NUM_FLOWS, NULL });
		urom_program_read(&programs[i], line);
		assert_int_equal(strtoul(line, NULL, 10), urom_rig_worker(rig));
		urom_program_go_on(&programs[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		urom_program_read(&programs[i], line);
		assert_string_equal(line, "done");
		urom_program_finish(&programs[i]);
	}
	urom_host_fini(&host);
}

static void check_turned_away(struct urom_rig *rig, const char *why)
{
	struct urom_program program;
	char line[UROM_PROGRAM_LINE];

	urom_program_start_as(&program, users_rig_uid_of(HOST_USER),
			      (const char *const[]){ "turned-away", NULL });
	urom_program_read(&program, line);
	assert_string_equal(line, "DOCA_ERROR_AUTHENTICATION");
	urom_program_finish(&program);
	if (why != NULL)
		urom_logs_take(&rig->logs, why);
}

static void user_without_the_cookie_is_turned_away(void **state)
{
	static const char *const args[] = { "--worker-user", WORKER_USER, "--worker",
					    users_rig_worker, NULL };
	static const char *const env[] = { users_rig_library, NULL };
	static const struct urom_rig_options options = { .args = args, .env = env };
	struct urom_host host;
	struct urom_rig rig;
	char *cookie;

	(void)state;
	rig_init_stopped(&rig, &options);
	(void)unsetenv("DOCA_UROM_AUTH");
	urom_rig_start(&rig);
	/* He may not read the file that is named, nor has he one of his own. */
	check_turned_away(&rig, NULL);
	cookie = strdup(getenv("DOCA_UROM_COOKIE"));
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	check_turned_away(&rig, "authentication by cookie is asked for, and the host offers none");
	assert_int_equal(setenv("DOCA_UROM_COOKIE", cookie, 1), 0);
	free(cookie);
	assert_false(urom_logs_have(&rig.logs, "urom_worker_", ""));
	urom_host_init_running(&host); /* root's may */
	urom_host_fini(&host);
	users_rig_fini(&rig);
}

static void another_users_host_comes_over_tcp(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_logs_wait(&rig->logs, "urom_worker_", "attached over tcp");
	urom_host_fini(&host);
}

static void same_users_host_shares_memory(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_program program;
	char line[UROM_PROGRAM_LINE];

	urom_program_start_as(&program, users_rig_uid_of(WORKER_USER),
			      (const char *const[]){ "stay", "1", NULL });
	urom_program_read(&program, line);
	urom_logs_wait(&rig->logs, "urom_worker_", "attached over ");
	assert_false(urom_logs_have(&rig->logs, "urom_worker_", "attached over tcp"));
	urom_program_go_on(&program);
	urom_program_finish(&program);
}

static void long_messages_come_between_users(void **state)
{
	static uint8_t bytes[MANY_BYTES];
	const struct urom_command echo = { .op = UROM_TEST_ECHO,
					   .bytes = bytes,
					   .len = sizeof(bytes) };
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	(void)state;
	memset(bytes, 0x5a, sizeof(bytes));
	urom_host_init(&host);
	assert_success(doca_urom_service_set_max_comm_msg_size(host.service, 1048576));
	urom_host_start(&host);
	worker = urom_host_run_worker(&host, 1);
	for (int i = 0; i < 10; i++) {
		urom_host_ask(&host, worker, &echo, &answer);
		assert_success(answer.status);
		assert_int_equal(answer.len, sizeof(bytes));
		assert_memory_equal(answer.bytes, bytes, sizeof(answer.bytes));
	}
	urom_host_fini(&host);
}

static void worker_of_another_user_dies_with_the_daemon(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	pid_t pid;

	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 1);
	pid = urom_rig_worker(rig);
	urom_rig_kill(rig); /* waits for all that it leaves */
	assert_int_equal(urom_procs_state(pid), '\0');
	assert_hears(&host.heard, host.pe, "running>stopping stopping>idle");
	test_drop_log();
	urom_host_fini(&host);
}

static void plugins_are_probed_by_the_same_user(void **state)
{
	static const char *const args[] = { "--worker-user", WORKER_USER, "--worker", noting_path,
					    "--auth",        "none",      NULL };
	static const struct urom_rig_options options = { .args = args, .env = daemons_env };
	char text[USERS_RIG_TEXT], wanted[32];
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	rig_init_stopped(&rig, &options);
	(void)snprintf(noting_path, sizeof(noting_path), "%s/bin/noting_worker", rig.dir);
	urom_rig_start(&rig);
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	(void)snprintf(wanted, sizeof(wanted), "%u\n", users_rig_uid_of(WORKER_USER));
	assert_string_equal(users_rig_read(probes_path, text), wanted);
	urom_host_fini(&host);
	users_rig_fini(&rig);
}

static void program_that_the_user_cannot_run_is_named(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 1);
	users_rig_open(rig, "bin", 0700);
	urom_host_fail_worker(&host, worker, "as user " WORKER_USER);
	users_rig_open(rig, "bin", 0755);
	urom_logs_take(&rig->logs, "Permission denied");
	urom_host_fini(&host);
}

static void log_of_another_user_is_not_gone_on_with(void **state)
{
	struct urom_rig *rig = *state;
	char name[64], path[PATH_MAX], text[USERS_RIG_TEXT];
	struct urom_host host;
	struct stat info;
	pid_t pid;

	urom_host_init_running(&host);
	/* The next numbers of processes: one of them is the worker's. */
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(EXIT_SUCCESS);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (pid_t next = pid; next < pid + NUM_LOGS; next++) {
		(void)snprintf(name, sizeof(name), "logs/urom_worker_%d_dev.log", (int)next);
		urom_rig_write(rig, name, "root's secret\n");
	}
	(void)urom_host_run_worker(&host, 1);
	pid = urom_rig_worker(rig);
	(void)snprintf(path, sizeof(path), "%s/logs/urom_worker_%d_dev.log", rig->dir, (int)pid);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_uid, users_rig_uid_of(WORKER_USER));
	assert_null(strstr(users_rig_read(path, text), "root's secret"));
	urom_host_fini(&host);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		USERS_TEST(root_is_not_had_without_being_told),
		TEST(workers_are_openuroms_where_there_is_one),
		USERS_TEST(worker_is_the_named_user_and_nothing_more),
		USERS_TEST(environment_has_nothing_of_the_daemons_user),
		USERS_TEST(log_is_its_users_alone),
		USERS_TEST(hosts_of_all_users_are_served),
		TEST(user_without_the_cookie_is_turned_away),
		USERS_TEST(another_users_host_comes_over_tcp),
		USERS_TEST(same_users_host_shares_memory),
		USERS_TEST(long_messages_come_between_users),
		USERS_TEST(worker_of_another_user_dies_with_the_daemon),
		TEST(plugins_are_probed_by_the_same_user),
		USERS_TEST(program_that_the_user_cannot_run_is_named),
		USERS_TEST(log_of_another_user_is_not_gone_on_with),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests_name("users", tests, users_rig_enter_namespace, NULL);
}
