/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A daemon and hosts in two network namespaces, as on two machines: what a host with a cookie takes
 * from a daemon that shows nothing of itself, and whom a daemon lets in. This program makes the
 * namespaces itself, as root or in a user namespace of its own.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define DAEMONS_ADDRESS "10.98.0.1"
#define DAEMONS_LISTEN  "10.98.0.1:0"
#define HOSTS_ADDRESS   "10.98.0.2"

/* Of the daemon, and of hosts on the other machine. */
static int daemons_net = -1, hosts_net = -1;

static void run(const char *command)
{
	const int status = system(command); /* NOLINT: a text of this file */

	if (status != 0)
		fail_msg("%s: status %d", command, status);
}

/* --- namespaces --- */

static int open_net(pid_t pid)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void go_to(int net)
{
	assert_int_equal(setns(net, CLONE_NEWNET), 0);
}

/* /sys of the new namespace shows its own interfaces. */
static void leave_own_namespaces(void)
{
	char map[64];
	int fd, len;

	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
		len = snprintf(map, sizeof(map), "0 %d 1\n", (int)getuid());
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0)
			fail_msg("namespaces need root, or user namespaces");
		fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
		assert_int_equal(write(fd, map, (size_t)len), len);
		close(fd);
	}
	run("mount --make-rprivate / && mount -t sysfs none /sys");
}

/* A process in a network namespace of its own, for as long as that has no other name. */
static pid_t start_holder(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (unshare(CLONE_NEWNET) != 0 || write(ends[1], "x", 1) != 1)
			_exit(EXIT_FAILURE);
		for (;;)
			(void)pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static int make_namespaces(void **state)
{
	char command[256];
	pid_t holder;

	(void)state;
	leave_own_namespaces();
	holder = start_holder();
	daemons_net = open_net(getpid());
	hosts_net = open_net(holder);
	(void)snprintf(command, sizeof(command),
		       "ip link set lo up && ip link add openurom0 type veth peer name openurom1 "
		       "&& ip link set openurom1 netns %d && ip link set openurom0 up && "
		       "ip address add " DAEMONS_ADDRESS "/24 dev openurom0",
		       (int)holder);
	run(command);
	go_to(hosts_net);
	run("ip link set lo up && ip link set openurom1 up && "
	    "ip address add " HOSTS_ADDRESS "/24 dev openurom1");
	go_to(daemons_net);
	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	return 0;
}

/* --- a start from there --- */

static void check_starts_from(int net)
{
	struct urom_host host;

	go_to(net);
	urom_host_init_running(&host);
	(void)urom_host_plugin(&host);
	urom_host_fini(&host);
	go_to(daemons_net);
}

static void check_refused_from(int net, const char *part)
{
	struct urom_host host;

	go_to(net);
	urom_host_init(&host);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_AUTHENTICATION, part);
	urom_host_fini(&host);
	go_to(daemons_net);
}

/* --- a daemon that asks for nothing --- */

/* Somebody on the way could have taken the daemon's place. */
static void host_with_a_cookie_refuses_it_from_beyond_loopback(void **state)
{
	static const char *const args[] = { "--listen", DAEMONS_LISTEN, "--auth",
					    "none",     "--insecure",   NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_refused_from(hosts_net, "has not shown that it is the right one, as it asks for no "
				      "authentication; start it with --auth cookie, or set "
				      "DOCA_UROM_AUTH=none for this program");
	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
	check_starts_from(hosts_net);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	urom_rig_fini(&rig);
}

/* Whoever reaches that address may be on another machine, so it is no loopback here either. */
static void host_with_a_cookie_refuses_it_by_an_address_that_others_reach(void **state)
{
	static const char *const args[] = { "--listen", "0.0.0.0:0",  "--auth",
					    "none",     "--insecure", NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;
	char address[64];

	(void)state;
	urom_rig_init(&rig, &options);
	(void)snprintf(address, sizeof(address), DAEMONS_ADDRESS ":%u", rig.port);
	urom_rig_write_service(&rig, address);
	check_refused_from(daemons_net, "has not shown that it is the right one");
	(void)snprintf(address, sizeof(address), "127.0.0.1:%u", rig.port);
	urom_rig_write_service(&rig, address);
	check_starts_from(daemons_net);
	urom_rig_fini(&rig);
}

/* --- a daemon with a cookie --- */

static void same_cookie_serves_beyond_loopback(void **state)
{
	static const char *const args[] = { "--listen", DAEMONS_LISTEN, NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_starts_from(hosts_net);
	assert_true(urom_logs_have(&rig.logs, "urom_daemon", "authenticated by cookie"));
	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
	check_refused_from(hosts_net, "authentication by cookie is asked for");
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	urom_logs_take(&rig.logs, "authentication by cookie is asked for");
	urom_rig_fini(&rig);
}

static void addresses_that_are_not_allowed_are_refused_with_the_cookie_too(void **state)
{
	static const char *const args[] = { "--listen", DAEMONS_LISTEN, "--allow-hosts",
					    DAEMONS_ADDRESS, NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_refused_from(hosts_net, "is not among the addresses that may connect");
	urom_logs_take(&rig.logs, "is not among the addresses that may connect");
	check_starts_from(daemons_net);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_with_a_cookie_refuses_it_from_beyond_loopback),
		TEST(host_with_a_cookie_refuses_it_by_an_address_that_others_reach),
		TEST(same_cookie_serves_beyond_loopback),
		TEST(addresses_that_are_not_allowed_are_refused_with_the_cookie_too),
	};

	return cmocka_run_group_tests(tests, make_namespaces, NULL);
}
