/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a connection waits for its peer. */
#include <stdlib.h>

#include "fixture.h"
#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define PATIENCE_NS UINT64_C(10000000000)

/* rdma trap 52. Another connection's task says when the time is over. */
static void connection_without_tasks_waits_for_its_peer(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *idle, *unused;
	struct rdma_blob a_blob, b_blob, other;
	struct rdma_pair pair;

	(void)state;
	rdma_side_init(&pair.a, &conf);
	rdma_peer_init(&pair.b, &conf);
	setenv("DOCA_RDMA_CONNECT_WAIT_MS", "100", 1);
	rdma_side_start(&pair.a);
	unsetenv("DOCA_RDMA_CONNECT_WAIT_MS");
	rdma_side_start(&pair.b);
	rdma_export(&pair.a, &a_blob, &idle);
	rdma_export(&pair.b, &b_blob, &pair.b.conn);
	assert_success(rdma_connect_to(&pair.a, &b_blob, idle));
	rdma_export(&pair.b, &b_blob, &unused);
	rdma_export(&pair.a, &other, &pair.a.conn);
	assert_success(rdma_connect_to(&pair.a, &b_blob, pair.a.conn));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	rdma_hears(&pair.a, "IO_FAILED(1)");
	test_take_log("not connected in time");

	assert_success(rdma_connect_to(&pair.b, &a_blob, pair.b.conn));

	/* Both ways: the lane that it dialled, and the one that it takes. */
	rdma_set_conn(&pair.a, idle);
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 2));
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 3));
	rdma_hears(&pair.b, "ok(3)");
	rdma_hears(&pair.a, "ok(2)");
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 4));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 5));
	rdma_hears(&pair.a, "ok(5)");
	rdma_pair_fini(&pair);
}

/* The time of a task is its own: the connection has waited before, and that does not count. */
static void patience_begins_with_the_first_task(void **state)
{
	const uint64_t wait_ns = UINT64_C(20) * 1000000;
	struct rdma_blob a_blob, b_blob;
	struct rdma_pair pair;
	uint64_t from_ns;

	(void)state;
	setenv("DOCA_RDMA_CONNECT_WAIT_MS", "20", 1);
	rdma_pair_start(&pair, NULL);
	rdma_export(&pair.a, &a_blob, &pair.a.conn);
	rdma_export(&pair.b, &b_blob, &pair.b.conn);
	assert_success(rdma_connect_to(&pair.a, &b_blob, pair.a.conn));
	for (uint64_t end_ns = test_now_ns() + wait_ns; test_now_ns() < end_ns;)
		assert_int_equal(doca_pe_progress(pair.a.pe), 0);

	from_ns = test_now_ns();
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));

	rdma_hears(&pair.a, "IO_FAILED(1)");
	assert_true(test_now_ns() - from_ns >= wait_ns);
	test_take_log("not connected in time");
	rdma_pair_fini(&pair);
}

/* What the requester of a side's connection is at; NULL: there is none any more. */
static struct soft_requester *lock_requester(const struct rdma_side *side)
{
	struct soft_port *port = side->rdma->provider_data;
	struct soft_conn *soft = side->conn->provider_data;

	pthread_mutex_lock(&port->lock);
	return soft->requester;
}

static void unlock(const struct rdma_side *side)
{
	struct soft_port *port = side->rdma->provider_data;

	pthread_mutex_unlock(&port->lock);
}

static void make_refusals_final(const struct rdma_side *side)
{
	struct soft_requester *requester = lock_requester(side);

	requester->refused_ns = 0;
	unlock(side);
}

/* Does it dial again, but much later? */
static bool is_in_no_hurry(const struct rdma_side *side)
{
	const uint64_t half_a_second_ns = UINT64_C(500) * 1000000;
	const struct soft_requester *requester = lock_requester(side);
	bool is_slow = requester != NULL && requester->retry_ns > core_now_ns() + half_a_second_ns;

	unlock(side);
	assert_non_null(requester);
	return is_slow;
}

/* Nobody is at the peer's address any more. That is a task's end, and only a task's. */
static void refused_connection_goes_on_until_there_is_a_task(void **state)
{
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	struct rdma_blob own, gone;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_start(&pair, NULL);
	rdma_export(&pair.b, &gone, &pair.b.conn);
	assert_success(rdma_stop(&pair.b));
	rdma_export(&pair.a, &own, &pair.a.conn);
	assert_success(rdma_connect_to(&pair.a, &gone, pair.a.conn));
	make_refusals_final(&pair.a);

	while (!is_in_no_hurry(&pair.a))
		assert_true(test_now_ns() < end_ns);

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	rdma_hears(&pair.a, "IO_FAILED(1)");
	test_take_log("nobody is there");
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(connection_without_tasks_waits_for_its_peer),
		RDMA_TEST(patience_begins_with_the_first_task),
		RDMA_TEST(refused_connection_goes_on_until_there_is_a_task),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
