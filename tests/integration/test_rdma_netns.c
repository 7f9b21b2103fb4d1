/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA between two network namespaces, as between two machines: abstract Unix-domain sockets do not
 * reach from one to the other, so everything goes over a veth pair, whose counters say so. This
 * program makes the namespaces itself, as root or in a user namespace of its own. Argument: how
 * often the samples run, 3 unless given.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "rdma_rig.h"
#include "rdma_samples.h"

#define MIB        ((size_t)1024 * 1024)
#define MAX_BLOB   4096
#define PATIENCE_S 60 /* and more, when the samples run more often */
#define DEVICE     "soft_lo@0000:01:00.0@"

static int num_rounds = 3; /* of the samples */

static const struct rdma_conf conf = { .len = MIB };

static void run(const char *command)
{
	int status = system(command); /* NOLINT: a text of this file */

	if (status != 0)
		fail_msg("%s: status %d", command, status);
}

static size_t exchange(int socket, const void *own, size_t len, void *other)
{
	ssize_t got;

	assert_int_equal(send(socket, own, len, MSG_NOSIGNAL), (ssize_t)len);
	got = recv(socket, other, MAX_BLOB, 0);
	assert_true(got > 0);
	return (size_t)got;
}

/* A side on the device called soft_lo, which stands for the end of the pair here. */
static void side_open(struct rdma_side *side, int socket, uint32_t gid_index)
{
	uint8_t other[MAX_BLOB];
	const void *blob;
	size_t len;

	rdma_side_init(side, &conf);
	assert_success(doca_rdma_set_gid_index(side->rdma, gid_index));
	rdma_side_start(side);
	assert_success(doca_rdma_export(side->rdma, &blob, &len, &side->conn));
	len = exchange(socket, blob, len, other);
	assert_success(doca_rdma_connect(side->rdma, other, len, side->conn));
	assert_success(doca_mmap_export_rdma(side->mmap, side->dev, &blob, &len));
	len = exchange(socket, blob, len, other);
	assert_success(doca_mmap_create_from_export(NULL, other, len, side->dev, &side->remote));
}

/* --- an initiator of DC that is lost with its machine ---------------------------------------- */

static const struct rdma_conf dc_conf = { .len = MIB, .transport = DOCA_RDMA_TRANSPORT_TYPE_DC };

/* What the other side needs of a target. */
struct invitation {
	struct rdma_blob target, memory;
};

static void target_open(struct rdma_side *target, struct invitation *invitation)
{
	setenv("DOCA_RDMA_SOCKET_BUFFER", "4096", 1); /* what is read does not fit into sockets */
	rdma_side_init(target, &dc_conf);
	rdma_side_start(target);
	unsetenv("DOCA_RDMA_SOCKET_BUFFER");
	rdma_export(target, &invitation->target, &target->conn);
	rdma_export_memory(target, &invitation->memory);
}

/* Begins to read all of the target's memory, and then takes nothing any more. */
static void read_and_stop(int socket)
{
	struct invitation invitation;
	struct doca_buf *far;
	struct rdma_side side;
	size_t len;
	void *base;

	setenv("DOCA_RDMA_SOCKET_BUFFER", "4096", 1);
	assert_int_equal(recv(socket, &invitation, sizeof(invitation), 0), sizeof(invitation));
	rdma_side_init(&side, &dc_conf);
	rdma_side_start(&side);
	rdma_export(&side, &(struct rdma_blob){ .len = 0 }, &side.conn);
	assert_success(rdma_connect_to(&side, &invitation.target, side.conn));
	assert_success(doca_mmap_create_from_export(NULL, invitation.memory.bytes,
						    invitation.memory.len, side.dev, &side.remote));
	rdma_submit(&side, rdma_write_task(&side, NULL, NULL, 0));
	rdma_hears(&side, "ok(0)"); /* it is connected */
	assert_success(doca_mmap_get_memrange(side.remote, &base, &len));
	assert_success(
	    doca_buf_inventory_buf_get_by_data(side.inventory, side.remote, base, len, &far));
	rdma_submit(&side, rdma_read_task(&side, far, rdma_room(&side, 0, MIB), 1));
	(void)raise(SIGSTOP);
	_exit(EXIT_FAILURE);
}

static pid_t start_reader(int socket)
{
	int status = 0;
	pid_t reader;

	reader = fork();
	assert_true(reader >= 0);
	if (reader == 0)
		read_and_stop(socket);
	assert_int_equal(waitpid(reader, &status, WUNTRACED), reader);
	assert_true(WIFSTOPPED(status));
	return reader;
}

/* It has no descriptor for it any more. */
static void wait_for_fds(unsigned int num_fds)
{
	uint64_t deadline = test_now_ns() + UINT64_C(30000000000);

	while (test_num_fds() > num_fds && test_now_ns() < deadline)
		usleep(1000); /* it looks again: there is no event */
	assert_int_equal(test_num_fds(), num_fds);
}

/* The other side, in its own namespace: passive. */
static void be_other(int socket)
{
	struct rdma_side side;
	pid_t reader;
	char word;

	assert_int_equal(unshare(CLONE_NEWNET), 0);
	assert_int_equal(send(socket, "x", 1, 0), 1); /* it is there: its end can be moved to it */
	assert_int_equal(recv(socket, &word, 1, 0), 1);
	run("ip link set lo up && ip link set openurom1 up && "
	    "ip address add 10.99.0.2/24 dev openurom1 && "
	    "ip address add fd99::2/64 dev openurom1 nodad");
	setenv("DOCA_SOFT_DEVICES", DEVICE "openurom1", 1);
	assert_int_equal(send(socket, "x", 1, 0), 1);
	for (uint32_t gid_index = 0; gid_index < 2; gid_index++) {
		side_open(&side, socket, gid_index);
		assert_int_equal(recv(socket, &word, 1, 0), 1);
		if (gid_index == 1)
			break;
		rdma_side_fini(&side);
		assert_int_equal(send(socket, "x", 1, 0), 1);
	}
	reader = start_reader(socket);
	run("ip link set openurom1 down"); /* as if this machine had lost its power */
	assert_int_equal(send(socket, "x", 1, 0), 1);
	(void)!recv(socket, &word, 1, 0);
	assert_int_equal(kill(reader, SIGKILL), 0);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
}

static long sent_bytes(void)
{
	FILE *file = fopen("/sys/class/net/openurom0/statistics/tx_bytes", "re");
	long count = -1;

	if (file != NULL) {
		if (fscanf(file, "%ld", &count) != 1)
			count = -1;
		fclose(file);
	}
	return count;
}

/* /sys of the new namespace shows its own interfaces. */
static void enter_namespaces(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) {
		char map[64];
		int uid = (int)getuid();
		int fd;

		if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0)
			fail_msg("namespaces need root, or user namespaces");
		fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
		(void)snprintf(map, sizeof(map), "0 %d 1\n", uid);
		assert_int_equal(write(fd, map, strlen(map)), (ssize_t)strlen(map));
		close(fd);
	}
	run("mount --make-rprivate / && mount -t sysfs none /sys");
}

static void write_and_read(struct rdma_side *side)
{
	struct doca_buf *far;
	size_t len;
	void *base;

	assert_success(doca_mmap_get_memrange(side->remote, &base, &len));
	assert_success(doca_buf_inventory_buf_get_by_args(side->inventory, side->remote, base,
							  MIB / 2, base, 0, &far));
	side->bufs[side->num_bufs++] = far;
	memset(side->bytes, 'n', MIB / 2);
	rdma_submit(side, rdma_write_task(side, rdma_data(side, 0, MIB / 2), far, 1));
	rdma_hears(side, "ok(1)");
	assert_success(doca_buf_set_data_len(far, MIB / 2));
	rdma_submit(side, rdma_read_task(side, far, rdma_room(side, MIB / 2, MIB / 2), 2));
	rdma_hears(side, "ok(2)");
	assert_memory_equal(side->bytes, side->bytes + MIB / 2, MIB / 2);
}

static void notice_dead_host(struct rdma_side *side)
{
	uint64_t deadline = test_now_ns() + UINT64_C(30000000000);

	rdma_submit(side, rdma_send_task(side, rdma_data(side, 0, 100), 3));
	while (side->heard.num_words == 0 && test_now_ns() < deadline) {
		(void)doca_pe_progress(side->pe);
		usleep(1000);
	}
	rdma_heard(side, "IO_FAILED(3)");
}

/* Both a peer and an initiator of a target are gone with their machine, and nobody says so. */
static void lose_host(struct rdma_side *side, int socket)
{
	struct invitation invitation;
	struct rdma_side target;
	unsigned int num_fds;
	char word;

	target_open(&target, &invitation);
	num_fds = test_num_fds(); /* before anybody can connect */
	assert_int_equal(send(socket, &invitation, sizeof(invitation), 0), sizeof(invitation));
	assert_int_equal(recv(socket, &word, 1, 0), 1);
	assert_int_equal(test_num_fds(), num_fds + 1);
	notice_dead_host(side);
	wait_for_fds(num_fds - 2); /* one for each lane of the peer's as well */
	rdma_side_fini(&target);
}

/* The pairs of samples, the second program in the other namespace, by IPv4 and IPv6. */
static void run_samples(int other)
{
	struct sample_run how = {
		.sockets = "unix,tcp",
		.devices = { DEVICE "openurom0", DEVICE "openurom1" },
	};
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", other);
	how.networks[1] = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(how.networks[1] >= 0);
	for (int i = 0; i < 2 * num_rounds; i++) {
		long before = sent_bytes();

		how.gid_index = i % 2 == 0 ? "0" : "1";
		sample_run_pairs(&how);
		assert_true(before >= 0 && sent_bytes() > before);
	}
	close(how.networks[1]);
}

/* All of it in a process of its own, whose namespaces go with it. */
static void be_both(void **state)
{
	char command[256], word;
	struct rdma_side side;
	int fds[2];
	pid_t other;

	(void)state;
	alarm((unsigned int)(PATIENCE_S * (num_rounds + 2) / 3));
	enter_namespaces();
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	other = fork();
	assert_true(other >= 0);
	if (other == 0) {
		alarm((unsigned int)(PATIENCE_S * (num_rounds + 2) / 3));
		close(fds[0]);
		be_other(fds[1]);
		_exit(EXIT_SUCCESS);
	}
	close(fds[1]);
	assert_int_equal(recv(fds[0], &word, 1, 0), 1);
	(void)snprintf(command, sizeof(command),
		       "ip link set lo up && ip link add openurom0 type veth peer name openurom1 "
		       "&& ip link set openurom1 netns %d && ip link set openurom0 up && "
		       "ip address add 10.99.0.1/24 dev openurom0 && "
		       "ip address add fd99::1/64 dev openurom0 nodad",
		       (int)other);
	run(command);
	assert_int_equal(send(fds[0], "x", 1, 0), 1);
	assert_int_equal(recv(fds[0], &word, 1, 0), 1);
	setenv("DOCA_SOFT_DEVICES", DEVICE "openurom0", 1);
	run_samples((int)other);
	for (uint32_t gid_index = 0; gid_index < 2; gid_index++) {
		long before = sent_bytes();

		side_open(&side, fds[0], gid_index);
		write_and_read(&side);
		assert_true(before >= 0 && sent_bytes() - before >= (long)(MIB / 2));
		assert_int_equal(send(fds[0], "x", 1, 0), 1);
		if (gid_index == 1)
			lose_host(&side, fds[0]);
		else
			assert_int_equal(recv(fds[0], &word, 1, 0), 1);
		rdma_side_fini(&side);
	}
	close(fds[0]);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

static void pair_works_between_namespaces(void **state)
{
	char rounds[16];
	int status = -1;
	pid_t child;

	(void)state;
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)snprintf(rounds, sizeof(rounds), "%d", num_rounds);
		execl("/proc/self/exe", "both", "both", rounds, NULL);
		_exit(EXIT_FAILURE);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(pair_works_between_namespaces),
	};

	if (argc > 1)
		num_rounds = atoi(argv[argc - 1]);
	if (argc > 2) {
		const struct CMUnitTest both[] = { cmocka_unit_test(be_both) };

		/* It says what fails, and is no test of the list that is told of on the other. */
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		return cmocka_run_group_tests(both, NULL, NULL);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
