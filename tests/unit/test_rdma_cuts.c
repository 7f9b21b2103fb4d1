/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that do not come to their end, as their source cannot be read. What they had taken is
 * there for others.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define MIB ((size_t)1024 * 1024)

ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);

/* Atomic: the answers of this process's sides do not get out. */
static bool are_answers_held;

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	if (len != SOFT_RESPONSE_SIZE || !__atomic_load_n(&are_answers_held, __ATOMIC_RELAXED))
		return __real_send(fd, bytes, len, flags);
	errno = EAGAIN;
	return -1;
}

static void hold_answers_step(struct rdma_side *side, void *are_held)
{
	(void)side;
	__atomic_store_n(&are_answers_held, *(bool *)are_held, __ATOMIC_RELAXED);
}

static void hold_answers(struct rdma_side *side, bool are_held)
{
	rdma_at(side, hold_answers_step, &are_held, sizeof(are_held));
}

static int handle_of(struct rdma_side *side)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(side->pe, &handle));
	return handle;
}

/* Two connections, which are open from a to b. The memory of a is a mapping of its own. */
struct cut_pair {
	struct rdma_pair sides;
	char *memory;
	struct doca_rdma_connection *first;
	struct doca_rdma_connection *second;
};

/* A message that comes to its end, over that connection. */
static void exchange(struct cut_pair *pair, struct doca_rdma_connection *conn)
{
	rdma_set_conn(&pair->sides.a, conn);
	rdma_submit(&pair->sides.b, rdma_receive_task(&pair->sides.b, NULL, 0));
	rdma_submit(&pair->sides.a, rdma_send_task(&pair->sides.a, NULL, 0));
	rdma_hears(&pair->sides.a, "ok(0)");
	rdma_hears(&pair->sides.b, "ok(0)");
}

static void cut_pair_init(struct cut_pair *pair)
{
	struct rdma_conf conf = { .len = MIB, .max_conns = 2 };
	struct doca_rdma_connection *theirs;

	pair->memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pair->memory, MAP_FAILED);
	rdma_peer_init(&pair->sides.b, &conf);
	conf.bytes = pair->memory;
	rdma_side_init(&pair->sides.a, &conf);
	rdma_side_start(&pair->sides.a);
	rdma_side_start(&pair->sides.b);
	rdma_connect(&pair->sides.a, &pair->sides.b, &pair->first, &theirs);
	rdma_connect(&pair->sides.a, &pair->sides.b, &pair->second, &theirs);
	(void)rdma_import(&pair->sides.a, &pair->sides.b);
	exchange(pair, pair->second);
	exchange(pair, pair->first);
}

static void cut_pair_fini(struct cut_pair *pair)
{
	rdma_pair_fini(&pair->sides);
	assert_int_equal(munmap(pair->memory, MIB), 0);
}

/* Is one of the two lanes over at that side? It may have to say so yet. */
static bool has_failed(struct rdma_side *side)
{
	struct soft_port *port = side->rdma->provider_data;
	const struct soft_responder *responder;
	unsigned int num_good = 0;

	pthread_mutex_lock(&port->lock);
	LIST_FOREACH(responder, &port->hot_responders, hot_link)
	num_good += responder->is_ending ? 0 : 1;
	pthread_mutex_unlock(&port->lock);
	return num_good < 2;
}

static void until_failed_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	while (!has_failed(side))
		(void)doca_pe_progress(side->pe);
}

/*
 * Over the first connection a sends a message whose source cannot be read; it takes receive 1 of b.
 * Why it fails does not get out, so that b's end of the lane stays as long as it may.
 */
static void fail_in_the_middle(struct cut_pair *pair)
{
	const struct doca_buf *src = rdma_data(&pair->sides.a, 0, MIB);

	hold_answers(&pair->sides.b, true);
	rdma_submit(&pair->sides.b,
		    rdma_receive_task(&pair->sides.b, rdma_room(&pair->sides.b, 0, MIB), 1));
	assert_int_equal(mprotect(pair->memory, MIB, PROT_NONE), 0);
	rdma_submit(&pair->sides.a, rdma_send_task(&pair->sides.a, src, 2));
	if (rdma_is_pulling())
		rdma_at(&pair->sides.b, until_failed_step, NULL, 0);
}

static void stop_ends_the_receive_of_a_failed_message(void **state)
{
	struct cut_pair pair;

	(void)state;
	cut_pair_init(&pair);
	fail_in_the_middle(&pair);

	assert_error(rdma_stop(&pair.sides.b), DOCA_ERROR_IN_PROGRESS);

	rdma_hears(&pair.sides.b, "running>stopping IO_FAILED(1) stopping>idle");
	hold_answers(&pair.sides.b, false);
	rdma_hears(&pair.sides.a, "IO_FAILED(2)");
	test_take_log("1 tasks fail");
	cut_pair_fini(&pair);
}

static void receive_of_a_failed_message_takes_the_next_one(void **state)
{
	struct cut_pair pair;

	(void)state;
	cut_pair_init(&pair);
	fail_in_the_middle(&pair);

	rdma_set_conn(&pair.sides.a, pair.second);
	rdma_submit(&pair.sides.a, rdma_send_task(&pair.sides.a, NULL, 3));

	rdma_hears(&pair.sides.b, "ok(1)");
	hold_answers(&pair.sides.b, false);
	rdma_drive(&pair.sides, &pair.sides.a, 2); /* failed, and well, in an order of their own */
	test_take_log("1 tasks fail");
	cut_pair_fini(&pair);
}

static void unreadable_source_fails(size_t len)
{
	struct cut_pair pair;
	struct rdma_side *a, *b;
	const struct doca_buf *bad;

	cut_pair_init(&pair);
	a = &pair.sides.a;
	b = &pair.sides.b;
	bad = rdma_data(a, 0, len);
	assert_int_equal(mprotect(pair.memory, MIB, PROT_NONE), 0);
	rdma_submit(a, rdma_send_task(a, NULL, 1));
	rdma_submit(a, rdma_send_task(a, bad, 2));
	rdma_submit(a, rdma_send_task(a, NULL, 3));
	rdma_is_silent(a, 100);

	for (uint64_t i = 1; i < 3; i++)
		rdma_submit(b, rdma_receive_task(b, rdma_room(b, 0, MIB), i));

	rdma_hears(a, "ok(1) IO_FAILED(2) IO_FAILED(3)");
	test_take_log("2 tasks fail");
	rdma_hears(b, "ok(1)");
	rdma_set_conn(a, pair.second);
	rdma_submit(a, rdma_send_task(a, NULL, 4));
	rdma_hears(a, "ok(4)");
	rdma_hears(b, "ok(2)");
	cut_pair_fini(&pair);
}

static void unreadable_small_source_fails_its_task(void **state)
{
	(void)state;
	unreadable_source_fails(100);
}

static void unreadable_big_source_fails_its_task(void **state)
{
	(void)state;
	unreadable_source_fails(MIB);
}

/* In event mode nothing says so but the set, and nobody else may be there. */
static void unreadable_source_fails_a_task_alone(void **state)
{
	struct cut_pair pair;
	const struct doca_buf *bad;

	(void)state;
	cut_pair_init(&pair);
	bad = rdma_data(&pair.sides.a, 0, 100);
	assert_int_equal(mprotect(pair.memory, MIB, PROT_NONE), 0);
	rdma_submit(&pair.sides.a, rdma_send_task(&pair.sides.a, bad, 1));
	assert_success(doca_pe_request_notification(pair.sides.a.pe));

	assert_true(test_is_readable(handle_of(&pair.sides.a), 10000));

	assert_success(doca_pe_clear_notification(pair.sides.a.pe, 0));
	rdma_hears(&pair.sides.a, "IO_FAILED(1)");
	test_take_log("cannot be read");
	cut_pair_fini(&pair);
}

static void stop_reading_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = side->rdma->provider_data;
	struct soft_responder *responder;

	(void)unused;
	pthread_mutex_lock(&port->lock);
	LIST_FOREACH(responder, &port->hot_responders, hot_link)
	assert_int_equal(shutdown(responder->sock.fd, SHUT_RD), 0);
}

static void go_on_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = side->rdma->provider_data;

	(void)unused;
	pthread_mutex_unlock(&port->lock);
}

/* TCP does not say so: there it is known when the peer is gone. */
static void peer_that_reads_no_more_ends_the_tasks(void **state)
{
	struct cut_pair pair;
	struct rdma_side *a, *b;

	(void)state;
	cut_pair_init(&pair);
	a = &pair.sides.a;
	b = &pair.sides.b;
	rdma_at(b, stop_reading_step, NULL, 0);

	rdma_submit(a, rdma_send_task(a, NULL, 1));

	if (!rdma_is_over_tcp())
		rdma_hears(a, "IO_FAILED(1)");
	rdma_at(b, go_on_step, NULL, 0);
	if (rdma_is_over_tcp())
		rdma_hears(a, "IO_FAILED(1)");
	test_take_log("1 tasks fail");
	cut_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(stop_ends_the_receive_of_a_failed_message),
		RDMA_TEST(receive_of_a_failed_message_takes_the_next_one),
		RDMA_TEST(unreadable_small_source_fails_its_task),
		RDMA_TEST(unreadable_big_source_fails_its_task),
		RDMA_TEST(unreadable_source_fails_a_task_alone),
		RDMA_TEST(peer_that_reads_no_more_ends_the_tasks),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
