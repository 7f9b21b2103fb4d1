/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DC between processes that are killed: the other side is this program, started again with a role
 * and a socket, by which it gets or tells the descriptors of a target.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma_dc.h"

#define MIB         ((size_t)1024 * 1024)
#define LEN         (8 * MIB)
#define NUM_KILLS   3
#define PATIENCE_S  60
#define PATIENCE_NS UINT64_C(20000000000)

static const struct rdma_conf conf = { .len = LEN };

/* What an initiator has to know. */
struct target_blobs {
	struct rdma_blob conn;
	struct rdma_blob memory;
};

static void target_open(struct rdma_side *target, struct target_blobs *blobs)
{
	rdma_dc_side_init(target, &conf);
	rdma_export(target, &blobs->conn, &target->conn);
	rdma_export_memory(target, &blobs->memory);
}

static void initiator_open(struct rdma_side *a, const struct target_blobs *blobs)
{
	rdma_dc_side_init(a, &conf);
	rdma_dc_connect(a, &blobs->conn);
	assert_success(doca_mmap_create_from_export(NULL, blobs->memory.bytes, blobs->memory.len,
						    a->dev, &a->remote));
}

/* The target's memory at that place, which is no address here. */
static struct doca_buf *far_buf(struct rdma_side *a, size_t offset, size_t len)
{
	struct doca_buf *buf;
	size_t all;
	void *base;

	assert_success(doca_mmap_get_memrange(a->remote, &base, &all));
	assert_success(doca_buf_inventory_buf_get_by_args(
	    a->inventory, a->remote, (char *)base + offset, len, (char *)base + offset, 0, &buf));
	a->bufs[a->num_bufs++] = buf;
	return buf;
}

static void submit_write(struct rdma_side *a, size_t offset, size_t len, uint64_t number)
{
	rdma_submit(a, rdma_write_task(a, rdma_data(a, 0, len), far_buf(a, offset, len), number));
}

/* --- the roles of the other side ------------------------------------------------------------- */

/* Writes without end, until it is killed in the middle of it. */
static void be_writer(int socket)
{
	struct target_blobs blobs;
	struct rdma_side a;

	assert_int_equal(recv(socket, &blobs, sizeof(blobs), 0), sizeof(blobs));
	initiator_open(&a, &blobs);
	a.heard.on_task = heard_submit_again;
	for (uint64_t i = 0; i < 4; i++)
		submit_write(&a, 0, LEN / 2, i);
	while (a.heard.num_words < 4)
		(void)doca_pe_progress(a.pe);
	(void)!send(socket, "x", 1, MSG_NOSIGNAL);
	for (;;)
		(void)doca_pe_progress(a.pe);
}

/* Its message finds no receive, and what is behind it waits as well. */
static void be_sender(int socket)
{
	struct target_blobs blobs;
	struct rdma_side a;

	assert_int_equal(recv(socket, &blobs, sizeof(blobs), 0), sizeof(blobs));
	initiator_open(&a, &blobs);
	rdma_submit(&a, rdma_write_task(&a, NULL, NULL, 0));
	rdma_hears(&a, "ok(0)");
	rdma_submit(&a, rdma_send_task(&a, NULL, 1));
	submit_write(&a, 0, LEN / 2, 2);
	(void)!send(socket, "x", 1, MSG_NOSIGNAL);
	for (;;)
		(void)doca_pe_progress(a.pe);
}

/* Is there, and does nothing. */
static void be_target(int socket)
{
	struct target_blobs blobs;
	struct rdma_side target;
	char word;

	target_open(&target, &blobs);
	(void)!send(socket, &blobs, sizeof(blobs), MSG_NOSIGNAL);
	(void)!recv(socket, &word, 1, 0);
	rdma_side_fini(&target);
}

static const struct {
	const char *name;
	void (*run)(int socket);
} roles[] = {
	{ "writer", be_writer },
	{ "sender", be_sender },
	{ "target", be_target },
};

/* --- this side ------------------------------------------------------------------------------- */

struct other {
	pid_t pid;
	int socket;
};

static void start_other(struct other *other, const char *role)
{
	char number[16];
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	(void)snprintf(number, sizeof(number), "%d", fds[1]);
	(void)fflush(NULL);
	other->pid = fork();
	assert_true(other->pid >= 0);
	if (other->pid == 0) {
		(void)close(fds[0]);
		(void)alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
		execl("/proc/self/exe", "other", role, number, NULL);
		_exit(EXIT_FAILURE);
	}
	(void)close(fds[1]);
	other->socket = fds[0];
}

static void kill_other(const struct other *other)
{
	assert_int_equal(kill(other->pid, SIGKILL), 0);
	assert_int_equal(waitpid(other->pid, NULL, 0), other->pid);
	(void)close(other->socket);
}

static void wait_for_fds(unsigned int num_fds)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (test_num_fds() > num_fds && test_now_ns() < deadline)
		(void)usleep(1000); /* it looks again: there is no event */
	assert_int_equal(test_num_fds(), num_fds);
}

/* An initiator of that role is killed; the target is served by the library alone. */
static void kill_initiator(const char *role, const struct target_blobs *blobs, struct rdma_side *a)
{
	const unsigned int num_fds = test_num_fds();
	struct other other;
	char word;

	start_other(&other, role);
	assert_int_equal(send(other.socket, blobs, sizeof(*blobs), 0), sizeof(*blobs));
	assert_int_equal(recv(other.socket, &word, 1, 0), 1);
	kill_other(&other);

	submit_write(a, LEN / 2, 100, 1);
	rdma_hears(a, "ok(1)");
	rdma_put_bufs(a);
	wait_for_fds(num_fds);
}

static void kill_initiators(const char *role)
{
	struct target_blobs blobs;
	struct rdma_side target, a;

	target_open(&target, &blobs);
	initiator_open(&a, &blobs);
	memcpy(a.bytes, "another's", 10);
	submit_write(&a, LEN / 2, 100, 0);
	rdma_hears(&a, "ok(0)");
	for (int i = 0; i < NUM_KILLS; i++)
		kill_initiator(role, &blobs, &a);
	assert_string_equal(target.bytes + LEN / 2, "another's");

	rdma_dc_receive(&target, 1, 100);
	rdma_submit(&a, rdma_send_task(&a, rdma_data(&a, 0, 100), 2));
	rdma_hears(&a, "ok(2)");
	rdma_hears(&target, "ok(0)");
	rdma_side_fini(&a);
	rdma_side_fini(&target);
}

/* rdma traps 8, 63 */
static void writer_that_is_killed_harms_no_other(void **state)
{
	(void)state;
	kill_initiators("writer");
}

/* Its message waits for a receive, which another's gets. */
static void sender_that_is_killed_harms_no_other(void **state)
{
	(void)state;
	kill_initiators("sender");
}

/* rdma trap 63 */
static void killed_target_fails_its_initiators(void **state)
{
	struct rdma_side initiators[2];
	struct target_blobs blobs;
	struct other other;

	(void)state;
	start_other(&other, "target");
	assert_int_equal(recv(other.socket, &blobs, sizeof(blobs), 0), sizeof(blobs));
	for (int i = 0; i < 2; i++) {
		initiator_open(&initiators[i], &blobs);
		submit_write(&initiators[i], 0, 100, 0);
		rdma_hears(&initiators[i], "ok(0)");
		rdma_submit(&initiators[i], rdma_send_task(&initiators[i], NULL, 1));
		submit_write(&initiators[i], 0, LEN, 2);
	}

	kill_other(&other);

	for (int i = 0; i < 2; i++) {
		rdma_hears(&initiators[i], "IO_FAILED(1) IO_FAILED(2)");
		test_take_log("gone");
		rdma_side_fini(&initiators[i]);
	}
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST_ALONE(writer_that_is_killed_harms_no_other),
		RDMA_TEST_ALONE(sender_that_is_killed_harms_no_other),
		RDMA_TEST_ALONE(killed_target_fails_its_initiators),
	};

	for (size_t i = 0; argc == 3 && i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(argv[1], roles[i].name) != 0)
			continue;
		roles[i].run((int)strtol(argv[2], NULL, 10));
		return EXIT_SUCCESS;
	}
	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
