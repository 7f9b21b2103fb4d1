/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives between two contexts: what arrives, where, and in which order. */
#include <stdio.h>
#include <string.h>

#include "rdma_rig.h"

#define MIB ((size_t)1024 * 1024)

static void fill(char *bytes, size_t len, unsigned int seed)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(seed + i * 7 + (i >> 8));
}

static void send_comes_to_a_receive(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *src, *dst;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memcpy(pair.a.bytes, "Hi DOCA RDMA!", 14);
	src = rdma_data(&pair.a, 0, 14);
	dst = rdma_room(&pair.b, 100, 64);

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, dst, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, src, 2));

	rdma_hears(&pair.a, "ok(2)");
	rdma_hears(&pair.b, "ok(1)");
	assert_string_equal(pair.b.bytes + 100, "Hi DOCA RDMA!");
	assert_int_equal(rdma_data_len(&pair.b, dst), 14);
	assert_int_equal(rdma_data_len(&pair.a, src), 14);
	rdma_pair_fini(&pair);
}

static void assert_untouched(const char *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		assert_int_equal(bytes[i], 0);
}

/* rdma trap 19 */
static void received_data_is_appended(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *dst;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memset(pair.a.bytes, 'x', 20);
	dst = rdma_buf(&pair.b, 0, 100, 10, 5);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, dst, 1));

	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 20), 2));

	rdma_drive(&pair, &pair.b, 1);
	assert_untouched(pair.b.bytes, 0, 15);
	assert_memory_equal(pair.b.bytes + 15, pair.a.bytes, 20);
	assert_untouched(pair.b.bytes, 35, 100);
	assert_int_equal(rdma_data_len(&pair.b, dst), 25);
	assert_ptr_equal(rdma_data_at(&pair.b, dst), pair.b.bytes + 10);
	rdma_pair_fini(&pair);
}

/* rdma trap 20 */
static void two_messages_land_one_behind_the_other(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *dst;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memcpy(pair.a.bytes, "onetwo", 6);
	dst = rdma_room(&pair.b, 0, 100);
	for (uint64_t i = 0; i < 2; i++) {
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, dst, i));
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 3 * i, 3), i));
		rdma_drive(&pair, &pair.b, (unsigned int)i + 1);
	}

	assert_memory_equal(pair.b.bytes, "onetwo", 7);
	assert_int_equal(rdma_data_len(&pair.b, dst), 6);
	rdma_reset_data(&pair.b, dst);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, dst, 2));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 3, 3), 2));
	rdma_drive(&pair, &pair.b, 3);
	assert_memory_equal(pair.b.bytes, "twotwo", 7);
	rdma_pair_fini(&pair);
}

/* rdma trap 21 */
static void lists_are_gathered_and_scattered(void **state)
{
	const size_t sources[] = { 7, 0, 13 }, rooms[] = { 4, 1, 30 }, filled[] = { 4, 1, 15 };
	struct doca_buf *src[3], *dst[3];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	fill(pair.a.bytes, 1000, 3);
	for (size_t i = 0; i < 3; i++) {
		src[i] = rdma_data(&pair.a, 100 * i, sources[i]);
		dst[i] = rdma_room(&pair.b, 100 * i, rooms[i]);
	}
	(void)rdma_chain(&pair.a, src, 3);
	(void)rdma_chain(&pair.b, dst, 3);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, dst[0], 1));

	rdma_submit(&pair.a, rdma_send_task(&pair.a, src[0], 2));

	rdma_drive(&pair, &pair.b, 1);
	assert_memory_equal(pair.b.bytes, pair.a.bytes, 4);
	assert_memory_equal(pair.b.bytes + 100, pair.a.bytes + 4, 1);
	assert_memory_equal(pair.b.bytes + 200, pair.a.bytes + 5, 2);
	assert_memory_equal(pair.b.bytes + 202, pair.a.bytes + 200, 13);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(rdma_data_len(&pair.b, dst[i]), filled[i]);
		assert_int_equal(rdma_data_len(&pair.a, src[i]), sources[i]);
	}
	rdma_pair_fini(&pair);
}

/* rdma trap 21 */
static void too_long_a_list_is_refused(void **state)
{
	const struct rdma_conf conf = { .list_len = 2 };
	struct rdma_pair pair;
	struct doca_buf *bufs[3], *list;
	struct doca_task *task;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (size_t i = 0; i < 3; i++)
		bufs[i] = rdma_data(&pair.a, i, 1);
	list = rdma_chain(&pair.a, bufs, 3);

	task = rdma_send_task(&pair.a, list, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "too long");
	doca_task_free(task);
	task = rdma_receive_task(&pair.a, list, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "too long");
	doca_task_free(task);
	rdma_pair_fini(&pair);
}

static void big_messages_arrive_whole(void **state)
{
	static const size_t sizes[] = {
		4096, 4097, 8191, 8192, 16343, 16384, 65536, 300000, 3 * MIB
	};
	const struct rdma_conf conf = { .len = 4 * MIB };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(pair.a.bytes, sizes[i], i);
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 4 * MIB), i));
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, sizes[i]), i));
		rdma_drive(&pair, &pair.b, i + 1);
		assert_memory_equal(pair.a.bytes, pair.b.bytes, sizes[i]);
	}
	rdma_drive(&pair, &pair.a, sizeof(sizes) / sizeof(sizes[0]));
	rdma_pair_fini(&pair);
}

/* rdma trap 48 */
static void empty_messages_are_messages(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 8), 2));

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 0), 2));
	rdma_submit(&pair.a, rdma_read_task(&pair.a, NULL, NULL, 3));
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 4));

	rdma_hears(&pair.a, "ok(1) ok(2) ok(3) ok(4)");
	rdma_hears(&pair.b, "ok(1) ok(2)");
	rdma_pair_fini(&pair);
}

/* rdma traps 46, 47 */
static void immediate_value_comes_as_it_is(void **state)
{
	struct doca_task *receives[2];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_heard_of(&pair.b)->on_task = heard_keep_task;
	receives[0] = rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 8), 1));
	receives[1] = rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 2));

	rdma_submit(&pair.a, rdma_send_imm_task(&pair.a, rdma_data(&pair.a, 0, 5), 0xABCD, 1));
	rdma_submit(&pair.a,
		    rdma_write_imm_task(&pair.a, rdma_data(&pair.a, 0, 100),
					rdma_remote_buf(&pair.a, &pair.b, 64, 200, 0), 0xABCE, 2));

	rdma_hears(&pair.a, "ok(1) ok(2)");
	rdma_hears(&pair.b, "ok(1) ok(2)");
	for (int i = 0; i < 2; i++) {
		struct rdma_received received = rdma_received(&pair.b, receives[i]);

		assert_int_equal(received.opcode, 1 + i);
		assert_int_equal(received.imm, 0xABCD + i);
		assert_int_equal(received.len, i == 0 ? 5 : 100);
		assert_ptr_equal(received.conn, pair.b.conn);
		rdma_free(&pair.b, receives[i]);
	}
	rdma_pair_fini(&pair);
}

/* rdma trap 47 */
static void immediate_alone_needs_no_memory(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));

	rdma_submit(&pair.a, rdma_write_imm_task(&pair.a, NULL, NULL, 7, 2));

	rdma_hears(&pair.a, "ok(2)");
	rdma_hears(&pair.b, "ok(1)");
	rdma_pair_fini(&pair);
}

/* rdma trap 37 */
static void message_waits_for_a_receive(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 5), 1));
	for (uint64_t end = test_now_ns() + 50000000; test_now_ns() < end;) {
		rdma_is_silent(&pair.a, 1);
		rdma_is_silent(&pair.b, 1);
	}

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 5), 2));

	rdma_hears(&pair.b, "ok(2)");
	rdma_hears(&pair.a, "ok(1)");
	rdma_pair_fini(&pair);
}

/* Both came at once; the receive may be long in coming, or never come. */
static void what_is_before_a_waiting_message_ends(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 10),
					     rdma_remote_buf(&pair.a, &pair.b, 0, 10, 0), 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));

	rdma_hears(&pair.a, "ok(1)");
	rdma_is_silent(&pair.a, 100);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 3));
	rdma_hears(&pair.a, "ok(2)");
	rdma_pair_fini(&pair);
}

/* rdma trap 37 */
static void waiting_message_holds_up_nobody_else(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *a_second, *b_second;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_connect(&pair.a, &pair.b, &a_second, &b_second);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 5), 1));

	/* The other connection, and the other direction of the same one. */
	pair.b.bytes[0] = 'b';
	rdma_submit(&pair.b, rdma_read_task(&pair.b, rdma_remote_buf(&pair.b, &pair.a, 0, 5, 5),
					    rdma_room(&pair.b, 10, 5), 3));
	rdma_hears(&pair.b, "ok(3)");
	pair.a.conn = a_second;
	rdma_submit(&pair.a, rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 1, 1),
					    rdma_room(&pair.a, 100, 1), 2));
	rdma_hears(&pair.a, "ok(2)");
	assert_int_equal(pair.a.bytes[100], 'b');
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 5), 4));
	rdma_hears(&pair.a, "ok(1)");
	rdma_pair_fini(&pair);
}

/* rdma trap 37 */
static void retries_end(void **state)
{
	const struct rdma_conf conf = { .rnr_retry_count = 1, .has_rnr = true };
	struct doca_task *task;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 5), 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 5), 2));

	rdma_hears(&pair.a, "IO_FAILED(1) IO_FAILED(2)");
	test_take_log("no receive in time");
	task = rdma_send_task(&pair.a, NULL, 3);
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "has ended");
	doca_task_free(task);
	rdma_pair_fini(&pair);
}

/* rdma trap 44 */
static void too_small_a_receive_fails_on_both_sides(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *a_second, *b_second;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_connect(&pair.a, &pair.b, &a_second, &b_second);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 50), 1));
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 200, 100), 2));
	memset(pair.a.bytes, 'x', 100);

	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 100), 3));

	rdma_hears(&pair.a, "IO_FAILED(3)");
	test_take_log("too small");
	rdma_hears(&pair.b, "IO_FAILED(1)");
	assert_untouched(pair.b.bytes, 0, 300);
	pair.a.conn = a_second;
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 100), 4));
	rdma_hears(&pair.a, "ok(4)");
	rdma_hears(&pair.b, "ok(2)");
	rdma_pair_fini(&pair);
}

/* rdma trap 19 */
static void buf_without_room_receives_nothing(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_data(&pair.b, 0, 50), 1));

	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 1), 2));

	rdma_hears(&pair.a, "IO_FAILED(2)");
	test_take_log("too small");
	rdma_hears(&pair.b, "IO_FAILED(1)");
	rdma_pair_fini(&pair);
}

/* rdma traps 45, 46 */
static void receives_are_of_the_context(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *a_second, *b_second;
	struct doca_task *receives[3];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_connect(&pair.a, &pair.b, &a_second, &b_second);
	rdma_heard_of(&pair.b)->on_task = heard_keep_task;
	for (uint64_t i = 0; i < 3; i++)
		receives[i] = rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, i));
	assert_success(doca_rdma_connection_disconnect(pair.a.conn));
	pair.a.conn = a_second;

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 10));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 11));

	rdma_hears(&pair.a, "ok(10) ok(11)");
	rdma_hears(&pair.b, "ok(0) ok(1)");
	for (int i = 0; i < 2; i++)
		assert_ptr_equal(rdma_received(&pair.b, receives[i]).conn, b_second);
	assert_ptr_not_equal(b_second, pair.b.conn);
	rdma_free(&pair.b, receives[0]);
	rdma_free(&pair.b, receives[1]);
	rdma_heard_of(&pair.b)->on_task = NULL;
	rdma_pair_fini(&pair);
}

/* rdma trap 50 */
static void fifth_task_of_a_queue_of_four_is_full(void **state)
{
	const struct rdma_conf conf = { .send_queue_size = 4 };
	struct doca_task *task;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (uint64_t i = 0; i < 4; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, i));
	task = rdma_send_task(&pair.a, NULL, 4);
	assert_error(doca_task_submit(task), DOCA_ERROR_FULL);
	for (uint64_t i = 0; i < 5; i++)
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, i));
	rdma_hears(&pair.a, "ok(0) ok(1) ok(2) ok(3)");

	rdma_submit(&pair.a, task);

	rdma_hears(&pair.a, "ok(4)");
	rdma_pair_fini(&pair);
}

/* rdma trap 40 */
static void completions_keep_the_order_of_submits(void **state)
{
	char words[1024] = "";
	struct rdma_pair pair;
	size_t len = 0;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (uint64_t i = 0; i < 40; i++) {
		struct doca_buf *local = rdma_room(&pair.a, 32768, 16384);
		struct doca_buf *src = rdma_data(&pair.a, 0, i * 400);
		struct doca_task *task;

		rdma_submit(&pair.b,
			    rdma_receive_task(&pair.b, rdma_room(&pair.b, 32768, 32768), i));
		if (i % 5 == 0)
			task = rdma_send_task(&pair.a, src, i);
		else if (i % 5 == 1)
			task = rdma_write_task(&pair.a, src,
					       rdma_remote_buf(&pair.a, &pair.b, 0, 16384, 0), i);
		else if (i % 5 == 2)
			task = rdma_read_task(
			    &pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, i * 400, i * 400), local,
			    i);
		else if (i % 5 == 3)
			task = rdma_send_imm_task(&pair.a, src, (doca_be32_t)i, i);
		else
			task = rdma_write_imm_task(&pair.a, src,
						   rdma_remote_buf(&pair.a, &pair.b, 0, 16384, 0),
						   (doca_be32_t)i, i);
		rdma_submit(&pair.a, task);
		len += (size_t)sprintf(words + len, "%sok(%u)", i > 0 ? " " : "", (unsigned int)i);
	}

	rdma_hears(&pair.a, words);
	rdma_pair_fini(&pair);
}

/* rdma trap 49. Submitted before the peer has connected, so that all are in flight when the second
 * one fails. */
static void error_ends_its_connection_alone(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct doca_rdma_connection *a_second, *b_second;
	struct rdma_blob a_blob, b_blob;
	enum doca_ctx_states now;
	struct doca_buf *src;
	struct rdma_pair pair;
	struct doca_task *task;

	(void)state;
	rdma_pair_start(&pair, &conf);
	rdma_connect(&pair.a, &pair.b, &a_second, &b_second);
	pair.a.remote = rdma_import(&pair.a, &pair.b);
	rdma_export(&pair.a, &a_blob, &pair.a.conn);
	rdma_export(&pair.b, &b_blob, &pair.b.conn);
	assert_success(rdma_connect_to(&pair.a, &b_blob, pair.a.conn));
	src = rdma_data(&pair.a, 0, 8);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 1));
	for (uint64_t i = 2; i < 5; i++)
		rdma_submit(
		    &pair.a,
		    rdma_write_task(&pair.a, src, rdma_remote_buf(&pair.a, &pair.b, 0, 8, 0), i));
	rdma_stop_memory(&pair.b);

	assert_success(rdma_connect_to(&pair.b, &a_blob, pair.b.conn));

	rdma_hears(&pair.a, "ok(1) NOT_PERMITTED(2) IO_FAILED(3) IO_FAILED(4)");
	test_take_log("does not permit");
	task = rdma_write_task(&pair.a, NULL, NULL, 5);
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "has ended");
	doca_task_free(task);
	pair.a.conn = a_second;
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 6));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 7));
	rdma_hears(&pair.a, "ok(7)");
	assert_success(doca_ctx_get_state(pair.a.ctx, &now));
	assert_int_equal(now, DOCA_CTX_STATE_RUNNING);
	rdma_pair_fini(&pair);
}

/* rdma trap 5 */
static void pending_receive_is_no_event(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));

	rdma_is_silent(&pair.b, 10000);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));

	rdma_hears(&pair.b, "ok(1)");
	rdma_is_silent(&pair.b, 1000);
	rdma_pair_fini(&pair);
}

static void context_may_talk_to_itself(void **state)
{
	const void *blob;
	struct rdma_side side;
	size_t len;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	assert_success(doca_rdma_export(side.rdma, &blob, &len, &side.conn));
	assert_success(doca_rdma_connect(side.rdma, blob, len, side.conn));
	memcpy(side.bytes, "self", 4);
	rdma_submit(&side, rdma_receive_task(&side, rdma_room(&side, 10, 4), 1));

	rdma_submit(&side, rdma_send_task(&side, rdma_data(&side, 0, 4), 2));

	rdma_hears(&side, "ok(1) ok(2)");
	assert_memory_equal(side.bytes + 10, "self", 4);
	rdma_side_fini(&side);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(send_comes_to_a_receive),
		RDMA_TEST(received_data_is_appended),
		RDMA_TEST(two_messages_land_one_behind_the_other),
		RDMA_TEST(lists_are_gathered_and_scattered),
		RDMA_TEST(too_long_a_list_is_refused),
		RDMA_TEST(big_messages_arrive_whole),
		RDMA_TEST(empty_messages_are_messages),
		RDMA_TEST(immediate_value_comes_as_it_is),
		RDMA_TEST(immediate_alone_needs_no_memory),
		RDMA_TEST(message_waits_for_a_receive),
		RDMA_TEST(what_is_before_a_waiting_message_ends),
		RDMA_TEST(waiting_message_holds_up_nobody_else),
		RDMA_TEST(retries_end),
		RDMA_TEST(too_small_a_receive_fails_on_both_sides),
		RDMA_TEST(buf_without_room_receives_nothing),
		RDMA_TEST(receives_are_of_the_context),
		RDMA_TEST(fifth_task_of_a_queue_of_four_is_full),
		RDMA_TEST(completions_keep_the_order_of_submits),
		RDMA_TEST(error_ends_its_connection_alone),
		RDMA_TEST(pending_receive_is_no_event),
		RDMA_TEST_ALONE(context_may_talk_to_itself),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
