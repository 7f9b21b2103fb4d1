/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Processes that become the user of a host, as they do where the authentication says who he is: the
 * daemon knows his number, the process finds out the rest. It wants root or a user namespace that
 * has more users, as test_users.
 */

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/chan/chan_stream.h"
#include "urom/daemon/config/worker_user.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/workers/spawn.h"

#define HOST_USER   "daemon"
#define PATIENCE_MS 20000
#define DIR_BYTES   64
#define REPORT_SIZE 9000

struct spawned {
	char dir[DIR_BYTES];
	struct uromd_config config;
	struct uromd_daemon daemon;
	struct uromd_process process;
	struct uromd_worker_log log;
	struct chan_stream stream;
	struct chan_message message;
};

static void copy_program(const char *from, char *to)
{
	static char bytes[65536];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	ssize_t len;

	assert_true(in >= 0 && out >= 0);
	while ((len = read(in, bytes, sizeof(bytes))) > 0)
		assert_int_equal(write(out, bytes, (size_t)len), len);
	close(in);
	assert_int_equal(fchmod(out, 0755), 0);
	close(out);
}

/* A daemon that has nothing but what a worker's process is made from. */
static void make_daemon(struct spawned *spawned)
{
	static const struct uromd_auth munge = { .name = "munge", .number = WIRE_AUTH_MUNGE };
	struct uromd_failure failure;
	char *program = NULL;

	if (geteuid() != 0)
		fail_msg(
		    "two users take root; scripts/test_users.sh makes a namespace that has it");
	memset(spawned, 0, sizeof(*spawned));
	(void)snprintf(spawned->dir, sizeof(spawned->dir), "/tmp/urom_users.XXXXXX");
	assert_non_null(mkdtemp(spawned->dir));
	assert_int_equal(chmod(spawned->dir, 0755), 0);
	assert_true(asprintf(&program, "%s/worker", spawned->dir) > 0);
	copy_program(FAKE_WORKER, program);
	spawned->config.worker = program;
	spawned->config.auth = &munge;
	spawned->config.channel = strdup("ucx");
	spawned->config.log_dir = strdup(spawned->dir);
	assert_success(uromd_worker_user_settle(&spawned->config, &failure));
	spawned->daemon.config = &spawned->config;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &spawned->daemon.fd_limit), 0);
}

static void spawn_for(struct spawned *spawned, const struct uromd_identity *identity)
{
	const struct sockaddr_in local = { .sin_family = AF_INET };
	const struct uromd_request request = { .worker_id = 7 };
	struct uromd_log_store *const logs = &spawned->daemon.watch.logs;
	struct uromd_account account;
	struct uromd_birth birth = {
		.id = 7,
		.request = &request,
		.account = &account,
		.local = (const struct sockaddr *)&local,
	};
	struct uromd_failure failure;

	make_daemon(spawned);
	assert_success(uromd_worker_user_get(&spawned->config, identity, &account, &failure));
	assert_success(uromd_log_store_init(logs, spawned->dir, 1));
	assert_success(uromd_worker_log_open(logs, account.uid, &spawned->log));
	birth.log_fd = spawned->log.fd;
	assert_success(uromd_spawn(&spawned->daemon, &birth, &spawned->process, &failure));
	assert_success(uromd_worker_log_name(logs, spawned->process.pid));
	chan_stream_init(&spawned->stream, spawned->process.fd);
}

/* Waits for its end and removes all that it has left. */
static void end(struct spawned *spawned)
{
	char command[DIR_BYTES + 16];

	chan_stream_fini(&spawned->stream);
	close(spawned->log.fd);
	assert_int_equal(waitpid(spawned->process.pid, NULL, 0), spawned->process.pid);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", spawned->dir);
	assert_int_equal(system(command), 0);
	uromd_config_fini(&spawned->config);
}

static void receive(struct spawned *spawned, uint16_t type, void *record)
{
	struct pollfd watched = { .fd = spawned->process.fd, .events = POLLIN };
	doca_error_t result;

	while ((result = chan_stream_receive(&spawned->stream, &spawned->message)) ==
	       DOCA_ERROR_AGAIN)
		assert_int_equal(poll(&watched, 1, PATIENCE_MS), 1);
	assert_success(result);
	assert_int_equal(spawned->message.type, type);
	assert_success(chan_message_decode(&spawned->message, record));
}

/* What the process has found itself to be, a line each. */
static void get_report(struct spawned *spawned, char report[REPORT_SIZE])
{
	static const struct wire_welcome welcome = { .magic = WIRE_MAGIC, .version = 1 };
	struct wire_worker_ready ready;
	struct wire_hello hello;

	receive(spawned, WIRE_HELLO, &hello);
	assert_success(chan_stream_send(&spawned->stream, WIRE_WELCOME, 5, &welcome));
	receive(spawned, WIRE_WORKER_READY, &ready);
	(void)snprintf(report, REPORT_SIZE, "\n%.*s", (int)ready.channel_addr.len,
		       (const char *)ready.channel_addr.data);
}

static void check_has(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no \"%s\" in:%s", part, text);
}

static struct uromd_identity identity_of(const char *name)
{
	const struct passwd *found = getpwnam(name);

	if (found == NULL)
		fail_msg("there is no user %s", name);
	return (
	    struct uromd_identity){ .is_known = true, .uid = found->pw_uid, .gid = found->pw_gid };
}

static void worker_becomes_the_user_of_its_host(void **state)
{
	const struct uromd_identity identity = identity_of(HOST_USER);
	char report[REPORT_SIZE], path[128], line[256], text[4096];
	struct spawned spawned;
	struct stat info;
	FILE *status;

	(void)state;
	spawn_for(&spawned, &identity);
	get_report(&spawned, report);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)spawned.process.pid);
	status = fopen(path, "re");
	assert_non_null(status);
	text[fread(text, 1, sizeof(text) - 1, status)] = '\0';
	fclose(status);
	(void)snprintf(line, sizeof(line), "Uid:\t%u\t%u\t%u\t%u\n", identity.uid, identity.uid,
		       identity.uid, identity.uid);
	check_has(text, line);
	check_has(text, "CapPrm:\t0000000000000000\n");
	check_has(text, "NoNewPrivs:\t1\n");
	(void)snprintf(path, sizeof(path), "%s/urom_worker_%d_dev.log", spawned.dir,
		       (int)spawned.process.pid);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_uid, identity.uid);
	check_has(report, "\ndeath 15\n"); /* which a change of the user undoes */
	check_has(report, "\nleader 1\n");
	end(&spawned);
}

static void user_whom_this_machine_does_not_know_has_none(void **state)
{
	const struct uromd_identity identity = { .is_known = true, .uid = 54321, .gid = 54321 };
	struct wire_failure failure;
	struct spawned spawned;
	struct wire_hello hello;

	(void)state;
	spawn_for(&spawned, &identity);
	receive(&spawned, WIRE_HELLO, &hello);
	receive(&spawned, WIRE_WORKER_FAILED, &failure);
	assert_int_equal(failure.error, DOCA_ERROR_NOT_FOUND);
	assert_non_null(memmem(failure.reason.data, failure.reason.len, "54321", 5));
	end(&spawned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(worker_becomes_the_user_of_its_host),
		TEST(user_whom_this_machine_does_not_know_has_none),
	};

	return cmocka_run_group_tests_name("users_spawn", tests, NULL, NULL);
}
