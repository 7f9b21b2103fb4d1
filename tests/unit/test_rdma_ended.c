/* SPDX-License-Identifier: BSD-3-Clause */
/* What the application still has of connections that have ended. */
#include <string.h>

#include "fixture.h"
#include "rdma/rdma.h"
#include "rdma_rig.h"

/* How many ends later an ended connection may be a new one, generously. */
#define MANY (4 * DRDMA_NUM_ENDED)

static uint32_t id_of(const struct doca_rdma_connection *conn)
{
	uint32_t id;

	assert_success(doca_rdma_connection_get_id(conn, &id));
	return id;
}

static void end_conn(struct rdma_side *side)
{
	assert_success(doca_rdma_connection_disconnect(side->conn));
}

/* So many connections are made and ended. */
static void make_and_end(struct rdma_side *side, unsigned int count)
{
	struct rdma_blob unused;

	for (; count > 0; count--) {
		rdma_export(side, &unused, &side->conn);
		end_conn(side);
	}
}

/* A new connection of the side that is the old one's object again. */
static void make_again(struct rdma_side *side, const struct doca_rdma_connection *old,
		       struct rdma_blob *blob)
{
	for (unsigned int i = 0; i < MANY; i++) {
		rdma_export(side, blob, &side->conn);
		if (side->conn == old)
			return;
		end_conn(side);
	}
	fail_msg("an ended connection is never used again");
}

/* One that runs alone, and has a connection that has ended. */
static struct doca_rdma_connection *init_with_ended(struct rdma_side *side)
{
	struct doca_rdma_connection *old;
	struct rdma_blob unused;

	rdma_side_init(side, NULL);
	rdma_side_start(side);
	rdma_export(side, &unused, &side->conn);
	old = side->conn;
	end_conn(side);
	return old;
}

static void ended_connection_is_recognized_for_a_while(void **state)
{
	struct doca_rdma_connection *old;
	struct rdma_blob blob;
	struct rdma_side side;
	uint32_t id;

	(void)state;
	old = init_with_ended(&side);
	id = id_of(old);
	make_and_end(&side, DRDMA_NUM_ENDED - 1);
	rdma_export(&side, &blob, &side.conn);

	assert_refused(doca_rdma_connection_disconnect(old), DOCA_ERROR_BAD_STATE,
		       "disconnected already");
	assert_refused(rdma_connect_to(&side, &blob, old), DOCA_ERROR_BAD_STATE, "has ended");

	assert_int_equal(id_of(old), id);
	assert_success(rdma_connect_to(&side, &blob, side.conn));
	rdma_side_fini(&side);
}

static void task_of_an_ended_connection_is_not_a_new_ones(void **state)
{
	struct doca_rdma_connection *old;
	struct rdma_side side;
	struct rdma_blob blob;
	struct doca_task *task;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	rdma_export(&side, &blob, &side.conn);
	old = side.conn;
	task = rdma_send_task(&side, NULL, 1);
	end_conn(&side);
	make_again(&side, old, &blob);
	assert_success(rdma_connect_to(&side, &blob, side.conn));
	rdma_submit(&side, rdma_receive_task(&side, NULL, 2));

	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "has ended");

	doca_rdma_task_send_set_rdma_connection((struct doca_rdma_task_send *)(void *)task, old);
	rdma_submit(&side, task);
	rdma_hears(&side, "ok(2) ok(1)");
	rdma_side_fini(&side);
}

/* Keeps the task, and what it says of its connection while it is asked for. */
static void keep_conn(struct heard *heard)
{
	struct rdma_side *side = heard->owner;
	const struct doca_rdma_connection **conn = side->test;

	*conn = doca_rdma_task_receive_get_result_rdma_connection(
	    (const struct doca_rdma_task_receive *)(const void *)heard->task);
	doca_task_free(heard->task);
}

static void message_that_is_told_later_has_its_own_connection(void **state)
{
	const struct doca_rdma_connection *told = NULL;
	struct doca_rdma_connection *old;
	struct rdma_pair pair;
	uint32_t id;

	(void)state;
	rdma_pair_init(&pair, NULL);
	old = pair.b.conn;
	id = id_of(old);
	pair.b.test = &told;
	rdma_heard_of(&pair.b)->on_task = keep_conn;
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
	rdma_hears(&pair.a, "ok(2)"); /* so it has come, and b was not told */

	end_conn(&pair.b);
	make_and_end(&pair.b, MANY);

	rdma_hears(&pair.b, "ok(1)");
	assert_ptr_equal(told, old);
	assert_int_equal(id_of(told), id);
	rdma_pair_fini(&pair);
}

static void flushed_task_that_is_told_later_has_its_own_connection(void **state)
{
	struct doca_rdma_connection *old;
	struct rdma_pair pair;
	uint32_t id;

	(void)state;
	rdma_pair_init(&pair, NULL);
	old = pair.a.conn;
	id = id_of(old);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));

	end_conn(&pair.a);
	make_and_end(&pair.a, MANY);

	assert_int_equal(id_of(old), id);
	rdma_hears(&pair.a, "IO_FAILED(1)");
	rdma_pair_fini(&pair);
}

/* What had ended before the disconnect comes first, and as it ended. */
static void disconnect_keeps_the_order_of_ends(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
	rdma_hears(&pair.a, "ok(2)");
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 3));

	end_conn(&pair.b);

	rdma_hears(&pair.b, "ok(1) IO_FAILED(3)");
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST_ALONE(ended_connection_is_recognized_for_a_while),
		RDMA_TEST_ALONE(task_of_an_ended_connection_is_not_a_new_ones),
		RDMA_TEST_ALONE(message_that_is_told_later_has_its_own_connection),
		RDMA_TEST_ALONE(flushed_task_that_is_told_later_has_its_own_connection),
		RDMA_TEST_ALONE(disconnect_keeps_the_order_of_ends),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
