/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lanes on which something is in the way: the next message waits for a receive, a socket takes half
 * of what is written.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define MIB       ((size_t)1024 * 1024)

#define CUT_BYTES 5

ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);

/* What happens to the answers that a side sends; atomic, as its engine's thread may send them. */
static enum {
	ANSWERS_PASS,
	ANSWERS_ARE_CUT, /* of the next one a few bytes are taken */
	ANSWERS_STOP,    /* and then none until the set says so */
} answers;
static unsigned int num_answers;

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	if (len != SOFT_RESPONSE_SIZE && len != SOFT_RESPONSE_SIZE - CUT_BYTES)
		return __real_send(fd, bytes, len, flags);
	__atomic_fetch_add(&num_answers, 1, __ATOMIC_RELAXED);
	switch (__atomic_load_n(&answers, __ATOMIC_RELAXED)) {
	case ANSWERS_PASS:
		break;
	case ANSWERS_ARE_CUT:
		__atomic_store_n(&answers, ANSWERS_STOP, __ATOMIC_RELAXED);
		return __real_send(fd, bytes, CUT_BYTES, flags);
	case ANSWERS_STOP:
		__atomic_store_n(&answers, ANSWERS_PASS, __ATOMIC_RELAXED);
		errno = EAGAIN;
		return -1;
	}
	return __real_send(fd, bytes, len, flags);
}

static void cut_answer_step(struct rdma_side *side, void *unused)
{
	(void)side;
	(void)unused;
	__atomic_store_n(&answers, ANSWERS_ARE_CUT, __ATOMIC_RELAXED);
}

static void num_answers_step(struct rdma_side *side, void *num)
{
	(void)side;
	*(unsigned int *)num = __atomic_load_n(&num_answers, __ATOMIC_RELAXED);
}

static unsigned int num_answers_of(struct rdma_side *side)
{
	unsigned int num;

	rdma_at(side, num_answers_step, &num, sizeof(num));
	return num;
}

/* Submits sends that are empty, numbers from and on. */
static void send_empty(struct rdma_side *side, uint64_t from, uint64_t count)
{
	for (uint64_t i = from; i < from + count; i++)
		rdma_submit(side, rdma_send_task(side, NULL, i));
}

/* A pair whose lane from a is open, so that what is submitted is sent at once. */
static void open_pair(struct rdma_pair *pair, const struct rdma_conf *conf)
{
	rdma_pair_init(pair, conf);
	rdma_submit(&pair->b, rdma_receive_task(&pair->b, NULL, 0));
	send_empty(&pair->a, 0, 1);
	rdma_hears(&pair->a, "ok(0)");
	rdma_hears(&pair->b, "ok(0)");
}

static void finished_send_is_told_while_the_next_one_waits(void **state)
{
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair, NULL);
	send_empty(&pair.a, 1, 3);

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 4));

	rdma_hears(&pair.a, "ok(1)");
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 5));
	rdma_hears(&pair.a, "ok(2)");
	assert_success(rdma_disconnect(&pair.a, pair.a.conn));
	rdma_hears(&pair.a, "IO_FAILED(3)");
	rdma_pair_fini(&pair);
}

static void rest_of_an_answer_is_told_while_the_next_one_waits(void **state)
{
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair, NULL);
	rdma_at(&pair.b, cut_answer_step, NULL, 0);
	send_empty(&pair.a, 1, 2);

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 3));

	rdma_hears(&pair.a, "ok(1)");
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 4));
	rdma_hears(&pair.a, "ok(2)");
	rdma_pair_fini(&pair);
}

/* Each of them is a slice of work, and none is told much later than it is done. */
static void finished_sends_are_told_while_more_is_there(void **state)
{
	const struct rdma_conf conf = { .len = MIB };
	unsigned int before;
	struct rdma_pair pair;

	(void)state;
	open_pair(&pair, &conf);
	before = num_answers_of(&pair.b);
	for (uint64_t i = 0; i < 8; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, MIB), i));
	for (uint64_t i = 0; i < 8; i++)
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, MIB), i));

	rdma_drive(&pair, &pair.a, 8);
	rdma_drive(&pair, &pair.b, 8);
	assert_in_range(num_answers_of(&pair.b) - before, 7, 8);
	rdma_pair_fini(&pair);
}

static void assert_plain(const struct soft_sock *sock)
{
	char name[16] = "";
	socklen_t len = sizeof(name);

	assert_int_equal(getsockopt(sock->fd, IPPROTO_TCP, TCP_CONGESTION, name, &len), 0);
	assert_string_equal(name, "reno");
}

/* Neither of those that were dialled nor of those that were accepted. */
static void lanes_within_a_machine_are_not_paced(void **state)
{
	const struct soft_port *port;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 1));
	rdma_hears(&pair.a, "ok(1)");
	rdma_submit(&pair.b, rdma_write_task(&pair.b, NULL, NULL, 2));
	rdma_hears(&pair.b, "ok(2)");

	port = pair.a.rdma->provider_data;
	assert_plain(&LIST_FIRST(&port->hot_requesters)->sock);
	assert_plain(&LIST_FIRST(&port->hot_responders)->sock);
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(finished_send_is_told_while_the_next_one_waits),
		RDMA_TEST(rest_of_an_answer_is_told_while_the_next_one_waits),
		RDMA_TEST(finished_sends_are_told_while_more_is_there),
		RDMA_TEST_TCP(lanes_within_a_machine_are_not_paced),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
