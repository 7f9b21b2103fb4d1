/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RDMA between processes: the other side is this program, started again with a role. A role gets a
 * socket, by which both exchange their descriptors, and tell each other when something is over.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_thread.h"
#include "fixture.h"
#include "rdma_rig.h"

#define MIB        ((size_t)1024 * 1024)
#define SIDE_BYTES (16 * MIB)
#define PATIENCE_S 60
#define MAX_BLOB   4096

static const struct rdma_conf conf = { .len = SIDE_BYTES };

/* --- both sides ------------------------------------------------------------------------------ */

static size_t exchange(int socket, const void *own, size_t len, void *other)
{
	ssize_t got;

	assert_int_equal(send(socket, own, len, MSG_NOSIGNAL), (ssize_t)len);
	got = recv(socket, other, MAX_BLOB, 0);
	assert_true(got > 0);
	return (size_t)got;
}

static void side_connect(struct rdma_side *side, int socket)
{
	uint8_t other[MAX_BLOB];
	const void *blob;
	size_t len;

	rdma_side_start(side);
	assert_success(doca_rdma_export(side->rdma, &blob, &len, &side->conn));
	len = exchange(socket, blob, len, other);
	assert_success(doca_rdma_connect(side->rdma, other, len, side->conn));
	assert_success(doca_mmap_export_rdma(side->mmap, side->dev, &blob, &len));
	len = exchange(socket, blob, len, other);
	assert_success(doca_mmap_create_from_export(NULL, other, len, side->dev, &side->remote));
}

/* Waits until the other side says so, or is gone. */
static void wait_for_word(int socket)
{
	char word;

	(void)!recv(socket, &word, 1, 0);
}

static void say_word(int socket)
{
	(void)!send(socket, "x", 1, MSG_NOSIGNAL);
}

/* --- the roles of the other side ------------------------------------------------------------- */

/* Looks at its memory when it is told to, and does nothing with its context in between. */
static void be_passive(int socket)
{
	struct rdma_side side;

	rdma_side_init(&side, &conf);
	memset(side.bytes + SIDE_BYTES / 2, 'p', 100);
	side_connect(&side, socket);
	wait_for_word(socket);
	/* The order came by way of another process, which the thread sanitizer cannot see. */
	assert_success(doca_pe_request_notification(side.pe));
	assert_string_equal(side.bytes, "from another process");
	say_word(socket);
	wait_for_word(socket);
	rdma_side_fini(&side);
}

/* Posts receives for all that comes, and looks at it late. */
static void be_receiver(int socket)
{
	struct rdma_side side;

	rdma_side_init(&side, &conf);
	side_connect(&side, socket);
	for (uint64_t i = 0; i < 50; i++)
		rdma_submit(&side, rdma_receive_task(&side, rdma_room(&side, 100 * i, 100), i));
	say_word(socket);
	wait_for_word(socket); /* the sender has ended */
	while (side.heard.num_words < 50)
		(void)doca_pe_progress(side.pe);
	assert_null(strstr(side.heard.text, "FAILED"));
	for (int i = 0; i < 5000; i++)
		assert_int_equal((unsigned char)side.bytes[i], i / 100);
	rdma_side_fini(&side);
}

/* As the first, but a child of it lives on; tells the child's pid. */
static void be_parent(int socket)
{
	struct rdma_side side;
	pid_t child;

	rdma_side_init(&side, &conf);
	side_connect(&side, socket);
	child = fork();
	while (child == 0)
		(void)pause(); /* until its alarm, or that it is killed */
	(void)!send(socket, &child, sizeof(child), MSG_NOSIGNAL);
	wait_for_word(socket);
	rdma_side_fini(&side);
}

static const struct {
	const char *name;
	void (*run)(int socket);
} roles[] = {
	{ "passive", be_passive },
	{ "receiver", be_receiver },
	{ "parent", be_parent },
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
	fflush(NULL);
	other->pid = fork();
	assert_true(other->pid >= 0);
	if (other->pid == 0) {
		close(fds[0]);
		alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
		execl("/proc/self/exe", "other", role, number, NULL);
		_exit(EXIT_FAILURE);
	}
	close(fds[1]);
	other->socket = fds[0];
}

static void end_other(const struct other *other)
{
	int status = -1;

	assert_int_equal(waitpid(other->pid, &status, 0), other->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(other->socket);
}

static void kill_other(const struct other *other)
{
	assert_int_equal(kill(other->pid, SIGKILL), 0);
	assert_int_equal(waitpid(other->pid, NULL, 0), other->pid);
	close(other->socket);
}

static struct doca_buf *far_buf(struct rdma_side *side, size_t offset, size_t len, size_t data_len)
{
	struct doca_buf *buf;
	size_t all;
	void *base;

	assert_success(doca_mmap_get_memrange(side->remote, &base, &all));
	assert_success(doca_buf_inventory_buf_get_by_args(side->inventory, side->remote,
							  (char *)base + offset, len,
							  (char *)base + offset, data_len, &buf));
	side->bufs[side->num_bufs++] = buf;
	return buf;
}

/* rdma trap 1 */
static void target_needs_not_run(void **state)
{
	struct rdma_side side;
	struct other other;

	(void)state;
	start_other(&other, "passive");
	rdma_side_init(&side, &conf);
	side_connect(&side, other.socket);
	strcpy(side.bytes, "from another process");

	rdma_submit(&side,
		    rdma_write_task(&side, rdma_data(&side, 0, 21), far_buf(&side, 0, 21, 0), 1));
	rdma_submit(&side, rdma_read_task(&side, far_buf(&side, SIDE_BYTES / 2, 100, 100),
					  rdma_room(&side, 1000, 100), 2));

	rdma_hears(&side, "ok(1) ok(2)");
	assert_int_equal(side.bytes[1099], 'p');
	say_word(other.socket);
	wait_for_word(other.socket);
	say_word(other.socket);
	end_other(&other);
	rdma_side_fini(&side);
}

static void sender_may_end_at_its_completion(void **state)
{
	struct rdma_side side;
	struct other other;

	(void)state;
	start_other(&other, "receiver");
	rdma_side_init(&side, &conf);
	side_connect(&side, other.socket);
	wait_for_word(other.socket);
	for (uint64_t i = 0; i < 50; i++) {
		memset(side.bytes + 100 * i, (int)i, 100);
		rdma_submit(&side, rdma_send_task(&side, rdma_data(&side, 100 * i, 100), i));
	}
	while (side.heard.num_words < 50)
		(void)doca_pe_progress(side.pe);
	rdma_side_fini(&side);

	say_word(other.socket);

	end_other(&other);
}

/* rdma traps 8, 38 */
static void killed_peer_fails_what_is_outstanding(void **state)
{
	struct rdma_side side;
	struct other other;

	(void)state;
	start_other(&other, "passive");
	rdma_side_init(&side, &conf);
	side_connect(&side, other.socket);
	rdma_submit(&side, rdma_receive_task(&side, NULL, 100));
	rdma_submit(&side, rdma_write_task(&side, NULL, NULL, 0));
	rdma_hears(&side, "ok(0)");
	for (uint64_t i = 0; i < 16; i++)
		rdma_submit(&side, rdma_write_task(&side, rdma_data(&side, 0, 8 * MIB),
						   far_buf(&side, 0, 8 * MIB, 0), i));
	rdma_submit(&side, rdma_send_task(&side, NULL, 16)); /* which finds no receive */

	kill_other(&other);

	for (uint64_t end = test_now_ns() + UINT64_C(20000000000);
	     side.heard.num_words < 17 && test_now_ns() < end;)
		(void)doca_pe_progress(side.pe);
	assert_int_equal(side.heard.num_words, 17);
	assert_non_null(strstr(side.heard.text, "IO_FAILED(16)"));
	test_drop_log();
	assert_int_equal(doca_ctx_stop(side.ctx),
			 DOCA_ERROR_IN_PROGRESS); /* the receive is there */
	rdma_side_fini(&side);
}

/* The child has no copy of the sockets, by which the peer would seem to be alive. */
static void killed_peer_is_noticed_though_its_child_lives(void **state)
{
	struct rdma_side side;
	struct other other;
	pid_t child = 0;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	start_other(&other, "parent");
	rdma_side_init(&side, &conf);
	side_connect(&side, other.socket);
	assert_int_equal(recv(other.socket, &child, sizeof(child), 0), sizeof(child));
	rdma_submit(&side, rdma_receive_task(&side, NULL, 100));
	rdma_submit(&side, rdma_write_task(&side, NULL, NULL, 0));
	assert_hears(&side.heard, side.pe, "ok(0)");
	rdma_submit(&side, rdma_send_task(&side, NULL, 1)); /* which finds no receive */

	kill_other(&other);

	for (uint64_t end = test_now_ns() + UINT64_C(20000000000);
	     side.heard.num_words < 1 && test_now_ns() < end;)
		(void)doca_pe_progress(side.pe);
	assert_hears(&side.heard, side.pe, "IO_FAILED(1)");
	test_drop_log();
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(doca_ctx_stop(side.ctx), DOCA_ERROR_IN_PROGRESS);
	rdma_side_fini(&side);
}

/* rdma trap 38 */
static void stopped_peer_completes_nothing(void **state)
{
	struct rdma_side side;
	struct other other;

	(void)state;
	start_other(&other, "passive");
	rdma_side_init(&side, &conf);
	side_connect(&side, other.socket);
	rdma_submit(&side, rdma_write_task(&side, NULL, NULL, 0));
	rdma_hears(&side, "ok(0)");
	assert_int_equal(kill(other.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(other.pid, NULL, WUNTRACED), other.pid);

	rdma_submit(&side,
		    rdma_write_task(&side, rdma_data(&side, 0, 100), far_buf(&side, 0, 100, 0), 1));

	for (uint64_t end = test_now_ns() + 100000000; test_now_ns() < end;)
		assert_int_equal(doca_pe_progress(side.pe), 0);
	assert_int_equal(kill(other.pid, SIGCONT), 0);
	rdma_hears(&side, "ok(1)");
	kill_other(&other);
	rdma_side_fini(&side);
	test_drop_log();
}

/* A peer that answers, but takes nothing, is not a dead one, however long that lasts. */
static void full_sockets_are_waited_for(void **state)
{
	uint64_t patience_ns = rdma_is_over_tcp() ? UINT64_C(13000000000) : 10000000;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (uint64_t i = 0; i < 4; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 8 * MIB), i));
	for (uint64_t end = test_now_ns() + patience_ns; test_now_ns() < end; usleep(1000))
		assert_int_equal(doca_pe_progress(pair.a.pe), 0);
	for (uint64_t i = 0; i < 4; i++)
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 8 * MIB), i));
	rdma_hears(&pair.a, "ok(0) ok(1) ok(2) ok(3)");
	rdma_pair_fini(&pair);
}

/* rdma traps 8, 70 */
static void engine_takes_no_signals_and_ends(void **state)
{
	struct rdma_pair pair;
	uint64_t blocked;

	(void)state;
	assert_int_equal(engine_thread_find(), 0);
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 1));
	rdma_hears(&pair.a, "ok(1)"); /* it has served the other side, so it has its name */
	blocked = engine_thread_blocked_signals(engine_thread_find());
	for (int number = 1; number < 32; number++) {
		if (number != SIGKILL && number != SIGSTOP) /* which nobody can */
			assert_true((blocked >> (number - 1) & 1) != 0);
	}
	rdma_pair_fini(&pair);
	assert_int_equal(engine_thread_find(), 0);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST_ALONE(target_needs_not_run),
		RDMA_TEST_ALONE(sender_may_end_at_its_completion),
		RDMA_TEST_ALONE(killed_peer_fails_what_is_outstanding),
		RDMA_TEST_ALONE(killed_peer_is_noticed_though_its_child_lives),
		RDMA_TEST_ALONE(stopped_peer_completes_nothing),
		RDMA_TEST_ALONE(full_sockets_are_waited_for),
		RDMA_TEST_ALONE(engine_takes_no_signals_and_ends),
	};

	for (size_t i = 0; argc == 3 && i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(argv[1], roles[i].name) != 0)
			continue;
		roles[i].run(atoi(argv[2]));
		return EXIT_SUCCESS;
	}
	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
