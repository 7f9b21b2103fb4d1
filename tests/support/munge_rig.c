/* SPDX-License-Identifier: BSD-3-Clause */
#include "munge_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <munge.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define LOOK_US     2000
#define KEY_BYTES   1024

static void make_key(const char *path)
{
	uint8_t key[KEY_BYTES];
	int in = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	int out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(read(in, key, sizeof(key)), sizeof(key));
	assert_int_equal(write(out, key, sizeof(key)), sizeof(key));
	close(in);
	close(out);
}

static bool answers(const struct munge_rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_there;

	assert_true(fd >= 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->socket);
	is_there = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	close(fd);
	return is_there;
}

static void wait_until_it_answers(struct munge_rig *rig)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (!answers(rig)) {
		if (test_now_ns() > deadline ||
		    waitpid(rig->program.pid, NULL, WNOHANG) == rig->program.pid)
			fail_msg("munged does not start; is the package munge installed?");
		usleep(LOOK_US);
	}
}

void munge_rig_init(struct munge_rig *rig)
{
	char key[96], pid_file[96], log[96], seed[96];
	const char *const argv[] = {
		"/usr/sbin/munged",
		"--foreground",
		"--num-threads",
		"2",
		"--socket",
		rig->socket,
		"--key-file",
		key,
		"--pid-file",
		pid_file,
		"--log-file",
		log,
		"--seed-file",
		seed,
		NULL,
	};

	memset(rig, 0, sizeof(*rig));
	(void)snprintf(rig->dir, sizeof(rig->dir), "/tmp/munge_rig.XXXXXX");
	assert_non_null(mkdtemp(rig->dir));
	/* It insists that everybody can get at the socket, and nobody at the key. */
	assert_int_equal(chmod(rig->dir, 0711), 0);
	(void)snprintf(rig->socket, sizeof(rig->socket), "%s/socket", rig->dir);
	(void)snprintf(key, sizeof(key), "%s/key", rig->dir);
	(void)snprintf(pid_file, sizeof(pid_file), "%s/pid", rig->dir);
	(void)snprintf(log, sizeof(log), "%s/log", rig->dir);
	(void)snprintf(seed, sizeof(seed), "%s/seed", rig->dir);
	make_key(key);
	program_start(&rig->program, argv, NULL);
	wait_until_it_answers(rig);
}

void munge_rig_stop(struct munge_rig *rig)
{
	if (rig->program.pid == 0)
		return;
	assert_int_equal(kill(rig->program.pid, SIGTERM), 0);
	(void)kill(rig->program.pid, SIGCONT);
	(void)program_wait(&rig->program);
	rig->program.pid = 0;
}

void munge_rig_fini(struct munge_rig *rig)
{
	char command[96];

	munge_rig_stop(rig);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", rig->dir);
	assert_int_equal(system(command), 0);
}

uint32_t munge_rig_encode(const struct munge_rig *rig, const struct auth_context *context,
			  int ttl_s, uint8_t *credential)
{
	uint8_t statement[AUTH_STATEMENT_SIZE];
	munge_ctx_t ctx = munge_ctx_create();
	char *made = NULL;
	size_t len;

	assert_non_null(ctx);
	assert_int_equal(munge_ctx_set(ctx, MUNGE_OPT_SOCKET, rig->socket), EMUNGE_SUCCESS);
	if (ttl_s > 0)
		assert_int_equal(munge_ctx_set(ctx, MUNGE_OPT_TTL, ttl_s), EMUNGE_SUCCESS);
	auth_statement(context, AUTH_PEER, statement);
	assert_int_equal(munge_encode(&made, ctx, statement, sizeof(statement)), EMUNGE_SUCCESS);
	munge_ctx_destroy(ctx);
	len = strlen(made);
	assert_true(len <= WIRE_MAX_PROOF);
	memcpy(credential, made, len);
	free(made);
	return (uint32_t)len;
}
