/* SPDX-License-Identifier: BSD-3-Clause */
/* DC: one target that was exported, and as many initiators as come; who may be which. */
#include <string.h>

#include "rdma/rdma.h"
#include "rdma_dc.h"

#define NUM_MESSAGES  8
#define MESSAGE_BYTES 16
#define NUM_SIDES     4
#define NUM_CONNS     50 /* of each of them */

static void initiator_alone_connects(void **state)
{
	struct rdma_side *a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	memcpy(a->bytes, "to a target", 12);
	rdma_dc_receive(&dc.target, 1, 100);

	rdma_submit(a, rdma_send_task(a, rdma_data(a, 0, 12), 7));

	rdma_hears(a, "ok(7)");
	rdma_hears(&dc.target, "ok(0)");
	assert_string_equal(dc.target.bytes, "to a target");
	rdma_dc_fini(&dc);
}

/* Nobody calls progress at the target meanwhile. */
static void target_is_passive(void **state)
{
	struct rdma_side *a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	memcpy(a->bytes, "written", 8);
	memcpy(dc.target.bytes + 1000, "read", 5);

	rdma_submit(
	    a, rdma_write_task(a, rdma_data(a, 0, 8), rdma_remote_buf(a, &dc.target, 0, 8, 0), 1));
	rdma_submit(a, rdma_read_task(a, rdma_remote_buf(a, &dc.target, 1000, 5, 5),
				      rdma_room(a, 100, 5), 2));

	rdma_hears(a, "ok(1) ok(2)");
	assert_string_equal(dc.target.bytes, "written");
	assert_string_equal(a->bytes + 100, "read");
	rdma_dc_fini(&dc);
}

static void messages_with_immediates_arrive(void **state)
{
	struct doca_task *receives[2];
	struct rdma_received received;
	struct rdma_side *a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	rdma_heard_of(&dc.target)->on_task = heard_keep_task;
	for (uint64_t i = 0; i < 2; i++)
		receives[i] = rdma_submit(&dc.target, rdma_receive_task(&dc.target, NULL, i));
	memcpy(a->bytes, "12345", 5);

	rdma_submit(a, rdma_send_imm_task(a, NULL, 0xabcd, 1));
	rdma_submit(a, rdma_write_imm_task(a, rdma_data(a, 0, 5),
					   rdma_remote_buf(a, &dc.target, 0, 5, 0), 0x1234, 2));

	rdma_hears(a, "ok(1) ok(2)");
	rdma_hears(&dc.target, "ok(0) ok(1)");
	received = rdma_received(&dc.target, receives[0]);
	assert_int_equal(received.opcode, DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM);
	assert_int_equal(received.imm, 0xabcd);
	received = rdma_received(&dc.target, receives[1]);
	assert_int_equal(received.opcode, DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM);
	assert_int_equal(received.imm, 0x1234);
	assert_int_equal(received.len, 5);
	assert_memory_equal(dc.target.bytes, "12345", 5);
	for (int i = 0; i < 2; i++)
		rdma_free(&dc.target, receives[i]);
	rdma_dc_fini(&dc);
}

/* Big ones are pulled, or come in many pieces. */
static void big_payloads_arrive(void **state)
{
	const size_t len = (size_t)3 * 1024 * 1024;
	const struct rdma_conf conf = { .len = 2 * len, .transport = DOCA_RDMA_TRANSPORT_TYPE_DC };
	struct rdma_side a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, &conf);
	rdma_dc_side_init(&a, &conf);
	rdma_dc_connect(&a, &dc.blob);
	(void)rdma_import(&a, &dc.target);
	for (size_t i = 0; i < len; i++)
		a.bytes[i] = (char)(i * 5 + (i >> 8));

	rdma_submit(&a, rdma_write_task(&a, rdma_data(&a, 0, len),
					rdma_remote_buf(&a, &dc.target, 100, len, 0), 1));
	rdma_submit(&a, rdma_read_task(&a, rdma_remote_buf(&a, &dc.target, 100, len, len),
				       rdma_room(&a, len, len), 2));

	rdma_hears(&a, "ok(1) ok(2)");
	assert_memory_equal(dc.target.bytes + 100, a.bytes, len);
	assert_memory_equal(a.bytes + len, a.bytes, len);
	rdma_side_fini(&a);
	rdma_dc_fini(&dc);
}

static void send_from_all(struct rdma_dc *dc)
{
	for (size_t i = 0; i < dc->num_initiators; i++) {
		struct rdma_side *a = &dc->initiators[i];

		for (size_t seq = 0; seq < NUM_MESSAGES; seq++) {
			a->bytes[seq * MESSAGE_BYTES] = (char)i;
			a->bytes[seq * MESSAGE_BYTES + 1] = (char)seq;
			rdma_submit(
			    a, rdma_send_task(a, rdma_data(a, seq * MESSAGE_BYTES, MESSAGE_BYTES),
					      seq));
		}
	}
}

static void initiators_share_the_receives_and_keep_their_order(void **state)
{
	const size_t count = (size_t)RDMA_DC_MAX * NUM_MESSAGES;
	size_t next[RDMA_DC_MAX] = { 0 };
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, RDMA_DC_MAX, NULL);
	send_from_all(&dc);

	rdma_dc_receive(&dc.target, count, MESSAGE_BYTES);

	for (size_t i = 0; i < RDMA_DC_MAX; i++)
		rdma_dc_drive(&dc.initiators[i], NUM_MESSAGES);
	rdma_dc_drive(&dc.target, (unsigned int)count);
	for (size_t i = 0; i < count; i++) {
		const char *message = dc.target.bytes + i * MESSAGE_BYTES;
		size_t from = (size_t)message[0];

		assert_true(from < RDMA_DC_MAX);
		assert_int_equal(message[1], next[from]++);
	}
	rdma_dc_fini(&dc);
}

/* One message over each of the connections, all of which wait for receives first. */
static void send_over_many(struct rdma_side *side, const struct rdma_blob *target)
{
	for (uint64_t i = 0; i < NUM_CONNS; i++) {
		rdma_dc_connect(side, target);
		rdma_submit(side, rdma_send_task(side, NULL, i));
	}
}

static void hundreds_of_initiators_are_served(void **state)
{
	const struct rdma_conf many = { .max_conns = NUM_CONNS };
	const struct rdma_conf conf = { .num_tasks = NUM_SIDES * NUM_CONNS };
	struct rdma_side sides[NUM_SIDES];
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, &conf);
	for (int i = 0; i < NUM_SIDES; i++) {
		rdma_dc_side_init(&sides[i], &many);
		send_over_many(&sides[i], &dc.blob);
	}

	for (uint64_t i = 0; i < conf.num_tasks; i++)
		rdma_submit(&dc.target, rdma_receive_task(&dc.target, NULL, i));

	for (int i = 0; i < NUM_SIDES; i++)
		rdma_dc_drive(&sides[i], NUM_CONNS);
	rdma_dc_drive(&dc.target, conf.num_tasks);
	for (int i = 0; i < NUM_SIDES; i++)
		rdma_side_fini(&sides[i]);
	rdma_dc_fini(&dc);
}

static void waiting_message_holds_up_its_initiator_alone(void **state)
{
	struct rdma_side *a, *b;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 2, NULL);
	a = &dc.initiators[0];
	b = &dc.initiators[1];
	rdma_submit(a, rdma_send_task(a, NULL, 1)); /* there is no receive */
	rdma_submit(a, rdma_write_task(a, NULL, NULL, 2));
	rdma_is_silent(a, 1000);

	rdma_submit(b, rdma_write_task(b, rdma_data(b, 0, 10),
				       rdma_remote_buf(b, &dc.target, 0, 10, 0), 3));
	rdma_submit(b, rdma_read_task(b, rdma_remote_buf(b, &dc.target, 0, 10, 10),
				      rdma_room(b, 0, 10), 4));

	rdma_hears(b, "ok(3) ok(4)");
	rdma_is_silent(a, 100);
	rdma_dc_receive(&dc.target, 1, 100);
	rdma_hears(a, "ok(1) ok(2)");
	rdma_dc_fini(&dc);
}

static void user_data_step(struct rdma_side *side, void *args)
{
	const struct doca_rdma_connection *conn = ((const struct rdma_received *)args)->conn;
	union doca_data value = { .u64 = 42 };

	assert_success(doca_rdma_connection_set_user_data(side->conn, value));
	value.u64 = 0;
	assert_success(doca_rdma_connection_get_user_data(conn, &value));
	assert_int_equal(value.u64, 42);
}

static void cannot_send_step(struct rdma_side *side, void *unused)
{
	struct doca_task *task = rdma_send_task(side, NULL, 1);

	(void)unused;
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "not connected");
	doca_task_free(task);
}

/* With it one tells what was addressed, but cannot answer. */
static void receive_names_the_exported_connection(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *second;
	struct rdma_received received[2];
	struct rdma_blob second_blob;
	struct doca_task *receives[2];
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 2, &conf);
	rdma_export(&dc.target, &second_blob, &second);
	assert_success(rdma_disconnect(&dc.initiators[1], dc.initiators[1].conn));
	rdma_dc_connect(&dc.initiators[1], &second_blob);
	rdma_heard_of(&dc.target)->on_task = heard_keep_task;
	for (uint64_t i = 0; i < 2; i++) {
		struct rdma_side *from = &dc.initiators[i];

		receives[i] = rdma_submit(&dc.target, rdma_receive_task(&dc.target, NULL, i));
		rdma_submit(from, rdma_send_task(from, NULL, 1));
		rdma_hears(from, "ok(1)");
	}
	rdma_hears(&dc.target, "ok(0) ok(1)");

	for (int i = 0; i < 2; i++)
		received[i] = rdma_received(&dc.target, receives[i]);
	assert_ptr_equal(received[0].conn, dc.target.conn);
	assert_ptr_equal(received[1].conn, second);
	rdma_at(&dc.target, user_data_step, &received[0], sizeof(received[0]));
	rdma_at(&dc.target, cannot_send_step, NULL, 0);
	for (int i = 0; i < 2; i++)
		rdma_free(&dc.target, receives[i]);
	rdma_dc_fini(&dc);
}

static void exported_connection_takes_no_tasks(void **state)
{
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	rdma_at(&dc.target, cannot_send_step, NULL, 0);
	rdma_dc_fini(&dc);
}

static void one_export_more_step(struct rdma_side *side, void *unused)
{
	struct doca_rdma_connection *conn;
	const void *blob;
	size_t len;

	(void)unused;
	assert_refused(doca_rdma_export(side->rdma, &blob, &len, &conn), DOCA_ERROR_FULL,
		       "maximum");
}

static void maximum_of_connections_counts_exports(void **state)
{
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 3, NULL);
	for (size_t i = 0; i < 3; i++) {
		rdma_submit(&dc.initiators[i], rdma_write_task(&dc.initiators[i], NULL, NULL, 1));
		rdma_hears(&dc.initiators[i], "ok(1)");
	}

	rdma_at(&dc.target, one_export_more_step, NULL, 0);

	rdma_dc_fini(&dc);
}

static void context_may_be_target_and_initiator(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2, .transport = DOCA_RDMA_TRANSPORT_TYPE_DC };
	struct rdma_blob blobs[2], unused;
	struct rdma_pair pair;
	struct doca_rdma_connection *target;

	(void)state;
	rdma_pair_start(&pair, &conf);
	rdma_export(&pair.a, &blobs[0], &target);
	rdma_export(&pair.b, &blobs[1], &target);
	rdma_export(&pair.a, &unused, &pair.a.conn);
	rdma_export(&pair.b, &unused, &pair.b.conn);
	assert_success(rdma_connect_to(&pair.a, &blobs[1], pair.a.conn));
	assert_success(rdma_connect_to(&pair.b, &blobs[0], pair.b.conn));
	rdma_dc_receive(&pair.a, 1, 10);
	rdma_dc_receive(&pair.b, 1, 10);

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 2));

	rdma_dc_drive(&pair.a, 2);
	rdma_dc_drive(&pair.b, 2);
	rdma_pair_fini(&pair);
}

static void context_may_be_its_own_initiator(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *target;
	struct rdma_blob blob;
	struct rdma_side side;

	(void)state;
	rdma_dc_side_init(&side, &conf);
	rdma_export(&side, &blob, &target);
	rdma_dc_connect(&side, &blob);
	rdma_dc_receive(&side, 1, 10);

	rdma_submit(&side, rdma_send_task(&side, NULL, 1));

	rdma_dc_drive(&side, 2);
	rdma_side_fini(&side);
}

/* --- who is refused -------------------------------------------------------------------------- */

static void mixed_transports_are_refused(void **state)
{
	const enum doca_rdma_transport_type transports[] = { DOCA_RDMA_TRANSPORT_TYPE_RC,
							     DOCA_RDMA_TRANSPORT_TYPE_DC };
	struct rdma_side sides[2];
	struct rdma_blob blobs[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct rdma_conf conf = { .transport = transports[i] };

		if (i == 0)
			rdma_side_init(&sides[i], &conf);
		else
			rdma_peer_init(&sides[i], &conf);
		rdma_side_start(&sides[i]);
		rdma_export(&sides[i], &blobs[i], &sides[i].conn);
	}
	for (int i = 0; i < 2; i++) {
		assert_error(rdma_connect_to(&sides[i], &blobs[1 - i], sides[i].conn),
			     DOCA_ERROR_CONNECTION_ABORTED);
		rdma_take_log(&sides[i], "the transports are mixed");
	}
	for (int i = 0; i < 2; i++)
		rdma_side_fini(&sides[i]);
}

static void wrong_secret_is_not_let_in(void **state)
{
	struct drdma_conn_record record;
	struct rdma_blob forged;
	struct rdma_side thief;
	struct rdma_dc dc;
	uint8_t *bytes;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	rdma_dc_receive(&dc.target, 1, 10);
	rdma_dc_side_init(&thief, NULL);
	assert_success(drdma_record_decode(dc.blob.bytes, dc.blob.len, &record));
	record.secret[DRDMA_SECRET_SIZE - 1] ^= 1;
	assert_success(drdma_record_encode(&record, &bytes));
	forged = dc.blob;
	memcpy(forged.bytes, bytes, forged.len);
	free(bytes);
	rdma_dc_connect(&thief, &forged);

	rdma_dc_is_refused(&thief);
	test_take_log("");

	rdma_is_silent(&dc.target, 100);
	rdma_side_fini(&thief);
	rdma_dc_fini(&dc);
}

/* It has told its secret to its own target. */
static void initiator_is_no_target(void **state)
{
	struct rdma_blob blob;
	struct rdma_side third, a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	rdma_dc_side_init(&a, NULL);
	rdma_dc_side_init(&third, NULL);
	rdma_export(&a, &blob, &a.conn);
	assert_success(rdma_connect_to(&a, &dc.blob, a.conn));
	rdma_dc_receive(&a, 1, 10);
	rdma_dc_connect(&third, &blob);

	rdma_dc_is_refused(&third);
	test_take_log("");

	rdma_submit(&a, rdma_write_task(&a, NULL, NULL, 1)); /* nothing has happened to it */
	rdma_hears(&a, "ok(1)");
	rdma_side_fini(&third);
	rdma_side_fini(&a);
	rdma_dc_fini(&dc);
}

static void target_that_connects_lets_its_initiators_go(void **state)
{
	struct rdma_side *a, other;
	struct rdma_blob blob;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	rdma_dc_side_init(&other, NULL);
	rdma_export(&other, &blob, &other.conn);
	a = &dc.initiators[0];
	rdma_submit(a, rdma_write_task(a, NULL, NULL, 1));
	rdma_hears(a, "ok(1)");
	rdma_submit(a, rdma_send_task(a, NULL, 2)); /* waits for a receive */

	assert_success(rdma_connect_to(&dc.target, &blob, dc.target.conn));

	rdma_take_log(&dc.target, "1 initiators are let go");
	rdma_hears(a, "IO_FAILED(2)");
	test_take_log("gone");
	rdma_dc_receive(&other, 1, 10);
	rdma_submit(&dc.target, rdma_send_task(&dc.target, NULL, 3));
	rdma_hears(&dc.target, "ok(3)");
	rdma_side_fini(&other);
	rdma_dc_fini(&dc);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(initiator_alone_connects),
		RDMA_TEST(target_is_passive),
		RDMA_TEST(messages_with_immediates_arrive),
		RDMA_TEST(big_payloads_arrive),
		RDMA_TEST(initiators_share_the_receives_and_keep_their_order),
		RDMA_TEST(hundreds_of_initiators_are_served),
		RDMA_TEST(waiting_message_holds_up_its_initiator_alone),
		RDMA_TEST(receive_names_the_exported_connection),
		RDMA_TEST(exported_connection_takes_no_tasks),
		RDMA_TEST(maximum_of_connections_counts_exports),
		RDMA_TEST(context_may_be_target_and_initiator),
		RDMA_TEST_ALONE(context_may_be_its_own_initiator),
		RDMA_TEST(mixed_transports_are_refused),
		RDMA_TEST(wrong_secret_is_not_let_in),
		RDMA_TEST(initiator_is_no_target),
		RDMA_TEST(target_that_connects_lets_its_initiators_go),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
