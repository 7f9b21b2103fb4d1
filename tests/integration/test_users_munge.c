/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two users on one machine whom MUNGE tells apart: root's daemon runs their workers as them, and
 * neither gets at the other's. The users are the test's own, in an /etc of its own, and so is the
 * munged. It wants root, or a user namespace that has more users; scripts/test_users.sh runs it.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "munge_rig.h"
#include "rig_host.h"
#include "test.h"
#include "urom_host.h"
#include "urom_program.h"
#include "users_rig.h"

#define PASSWD                                               \
	"root:x:0:0:root:/root:/bin/sh\n"                    \
	"nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n" \
	"ada:x:4321:4322:Ada:/nonexistent:/bin/sh\n"         \
	"ben:x:5321:5322:Ben:/nonexistent:/bin/sh\n"
#define GROUP                \
	"root:x:0:\n"        \
	"nogroup:x:65534:\n" \
	"ada:x:4322:\n"      \
	"ben:x:5322:\n"      \
	"laboratory:x:4400:ada\n"

#define ADA     4321
#define BEN     5321
#define ADAS_ID 7

struct person {
	uid_t uid;
	gid_t gid;
	const char *groups; /* as /proc has them */
	const char *id;     /* of the worker */
};

static const struct person people[] = {
	{ ADA, 4322, "4322 4400", "7" },
	{ BEN, 5322, "5322", "8" },
};
#define NUM_PEOPLE (sizeof(people) / sizeof(people[0]))

static struct munge_rig munge;
static struct urom_rig rig;

static int setup(void **state)
{
	static const char *args[] = { "--auth",         "munge", "--munge-socket", NULL, "--worker",
				      users_rig_worker, NULL };
	static const char *const env[] = { users_rig_library, NULL };
	static const struct urom_rig_options options = { .args = args,
							 .env = env,
							 .has_no_worker_user = true };

	(void)state;
	test_begin(NULL);
	users_rig_init_stopped(&rig, &options);
	users_rig_set_etc(&rig, PASSWD, GROUP);
	munge_rig_init(&munge);
	args[3] = munge.socket;
	urom_rig_start(&rig);
	assert_int_equal(setenv("DOCA_UROM_AUTH", "munge", 1), 0);
	assert_int_equal(setenv("DOCA_UROM_MUNGE_SOCKET", munge.socket, 1), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munge_rig_stop(&munge); /* the rig waits for all processes of this one */
	users_rig_fini(&rig);
	munge_rig_fini(&munge);
	(void)unsetenv("DOCA_UROM_AUTH");
	(void)unsetenv("DOCA_UROM_MUNGE_SOCKET");
	return test_end(NULL);
}

#define MUNGE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Starts a program of that user; returns the pid of its worker. */
static pid_t start(struct urom_program *program, uid_t uid, const char *const *args)
{
	char line[UROM_PROGRAM_LINE];

	urom_program_start_as(program, uid, args);
	urom_program_read(program, line);
	return (pid_t)strtoul(line, NULL, 10);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The worker serves its user, and ends with his program. */
static void check_serves(struct urom_program *program, uid_t uid, const char *id, pid_t pid)
{
	struct urom_program second;
	char line[UROM_PROGRAM_LINE];

	assert_int_equal(start(&second, uid, ARGS("flow", id, "1", "100")), pid);
	urom_program_go_on(&second);
	urom_program_read(&second, line);
	assert_string_equal(line, "done");
	urom_program_finish(&second);
	urom_program_finish(program);
}

static void check_log(const struct person *person, pid_t pid)
{
	char path[PATH_MAX];
	struct stat info;

	(void)snprintf(path, sizeof(path), "%s/logs/urom_worker_%d_dev.log", rig.dir, (int)pid);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_uid, person->uid);
	assert_int_equal(info.st_mode & 07777, 0640);
	assert_true(info.st_size > 0);
}

static void workers_are_the_users_of_their_hosts(void **state)
{
	struct urom_program programs[NUM_PEOPLE];
	pid_t pids[NUM_PEOPLE];

	(void)state;
	for (size_t i = 0; i < NUM_PEOPLE; i++)
		pids[i] = start(&programs[i], people[i].uid, ARGS("stay", people[i].id));
	for (size_t i = 0; i < NUM_PEOPLE; i++) {
		const struct person *one = &people[i];

		users_rig_check_status(pids[i], "Uid:\t%u\t%u\t%u\t%u", one->uid, one->uid,
				       one->uid, one->uid);
		users_rig_check_status(pids[i], "Gid:\t%u\t%u\t%u\t%u", one->gid, one->gid,
				       one->gid, one->gid);
		users_rig_check_status(pids[i], "Groups:\t%s ", one->groups);
		users_rig_check_status(pids[i], "CapPrm:\t0000000000000000");
		check_log(one, pids[i]);
	}
	for (size_t i = 0; i < NUM_PEOPLE; i++)
		check_serves(&programs[i], people[i].uid, people[i].id, pids[i]);
}

static void worker_of_another_user_cannot_be_attached_to(void **state)
{
	struct urom_program ada, ben;
	pid_t pid;

	(void)state;
	pid = start(&ada, ADA, ARGS("stay", "7"));
	urom_program_start_as(&ben, BEN, ARGS("refused", "7", "for another user"));
	urom_program_finish(&ben);
	urom_logs_take(&rig.logs, "runs already, for another user");
	check_serves(&ada, ADA, "7", pid);
}

static void check_list(uid_t uid, const char *ids)
{
	struct urom_program program;
	char line[UROM_PROGRAM_LINE];

	urom_program_start_as(&program, uid, ARGS("list", "5"));
	urom_program_read(&program, line);
	assert_string_equal(line, ids);
	urom_program_finish(&program);
}

static void users_are_told_of_their_own_workers_and_root_of_all(void **state)
{
	struct urom_program ada, ben;

	(void)state;
	(void)start(&ada, ADA, ARGS("stay-in", "7", "5"));
	check_list(BEN, "");
	(void)start(&ben, BEN, ARGS("stay-in", "8", "5"));
	check_list(ADA, "7 ");
	check_list(BEN, "8 ");
	check_list(0, "7 8 ");
	urom_program_finish(&ada);
	urom_program_finish(&ben);
}

/* --- Frame by frame: what no library would send --- */

/* Comes as that user. */
static void come(struct rig_host *host, const struct daemon_rig *at, uid_t uid)
{
	struct wire_hello hello = rig_host_hello();
	struct wire_challenge challenge;
	uint8_t bytes[WIRE_MAX_PROOF];
	struct wire_proof proof = { .proof = { .data = bytes } };

	hello.auth = WIRE_AUTH_MUNGE;
	rig_host_connect(host, at);
	rig_host_greet(host, &hello);
	rig_host_receive(host, WIRE_CHALLENGE, &challenge);
	host->auth.version = challenge.version;
	memcpy(host->auth.challenge_nonce, challenge.nonce, sizeof(challenge.nonce));
	assert_int_equal(seteuid(uid), 0);
	proof.proof.len = munge_rig_encode(&munge, &host->auth, 0, bytes);
	assert_int_equal(seteuid(0), 0);
	rig_host_send(host, WIRE_PROOF, &proof);
	rig_host_receive(host, WIRE_WELCOME, &host->welcome);
}

/* Whoever knows, or guesses, the number of another's connection has no way to end it. */
static void worker_of_another_user_cannot_be_stopped(void **state)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(rig.port),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	char line[UROM_PROGRAM_LINE], *connection;
	struct daemon_rig at = { 0 };
	struct urom_program ada;
	struct rig_host ben;
	pid_t pid;

	(void)state;
	memcpy(&at.address, &address, sizeof(address));
	urom_program_start_as(&ada, ADA, ARGS("stay", "7"));
	urom_program_read(&ada, line);
	pid = (pid_t)strtoul(line, &connection, 10);
	come(&ben, &at, BEN);
	rig_host_stop(&ben, ADAS_ID, strtoull(connection, NULL, 10));
	check_serves(&ada, ADA, "7", pid);
	rig_host_fini(&ben);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		MUNGE_TEST(workers_are_the_users_of_their_hosts),
		MUNGE_TEST(worker_of_another_user_cannot_be_attached_to),
		MUNGE_TEST(users_are_told_of_their_own_workers_and_root_of_all),
		MUNGE_TEST(worker_of_another_user_cannot_be_stopped),
	};

	if (argc > 1)
		return urom_program_main(argc, argv);
	return cmocka_run_group_tests_name("users_munge", tests, users_rig_enter_namespace, NULL);
}
