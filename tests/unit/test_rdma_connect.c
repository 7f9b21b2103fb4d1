/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections by descriptors: who must be there, who is taken, and how they end. */
#include <arpa/inet.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/dev.h"
#include "fixture.h"
#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

/* Bytes that a thousand connections may leave behind: what lanes on their way out hold. */
#define MAX_GROWTH ((size_t)256 * 1024)

/* rdma trap 52 */
static void either_may_connect_first(void **state)
{
	const uint64_t wait_ns = rdma_rounds(30, 5000) * UINT64_C(1000000);

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rdma_side sides[2];
		struct rdma_blob blobs[2];

		rdma_side_init(&sides[0], NULL);
		rdma_peer_init(&sides[1], NULL);
		for (int j = 0; j < 2; j++) {
			rdma_side_start(&sides[j]);
			rdma_export(&sides[j], &blobs[j], &sides[j].conn);
		}
		assert_success(rdma_connect_to(&sides[i], &blobs[1 - i], sides[i].conn));
		rdma_submit(&sides[1], rdma_receive_task(&sides[1], NULL, 1));
		if (i == 0)
			rdma_submit(&sides[0], rdma_send_task(&sides[0], NULL, 2));
		for (uint64_t end = test_now_ns() + wait_ns; test_now_ns() < end;)
			assert_int_equal(doca_pe_progress(sides[0].pe), 0);
		assert_success(rdma_connect_to(&sides[1 - i], &blobs[i], sides[1 - i].conn));
		if (i == 1)
			rdma_submit(&sides[0], rdma_send_task(&sides[0], NULL, 2));
		rdma_hears(&sides[0], "ok(2)");
		rdma_hears(&sides[1], "ok(1)");
		rdma_side_fini(&sides[0]);
		rdma_side_fini(&sides[1]);
	}
}

/* rdma trap 53 */
static void task_before_connect_is_refused(void **state)
{
	struct rdma_side side;
	struct doca_task *task;
	const void *blob;
	size_t len;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	assert_success(doca_rdma_export(side.rdma, &blob, &len, &side.conn));

	task = rdma_send_task(&side, NULL, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "not connected");

	doca_task_free(task);
	rdma_side_fini(&side);
}

static void connection_of_nobody_or_another_is_refused(void **state)
{
	struct rdma_pair pair;
	struct doca_rdma_task_send *send;
	struct doca_task *task;

	(void)state;
	rdma_pair_init(&pair, NULL);
	task = rdma_send_task(&pair.a, NULL, 1);
	send = (struct doca_rdma_task_send *)(void *)task;

	doca_rdma_task_send_set_rdma_connection(send, pair.b.conn);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "of another context");
	doca_rdma_task_send_set_rdma_connection(send, NULL);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "not set");

	doca_task_free(task);
	rdma_pair_fini(&pair);
}

/* rdma traps 54, 56 */
static void exports_are_limited_and_differ(void **state)
{
	const struct rdma_conf conf = { .max_conns = 3 };
	struct doca_rdma_connection *conns[3], *extra;
	const void *blobs[3], *blob;
	uint32_t ids[3];
	uint8_t copies[3][512];
	struct rdma_side side;
	size_t lens[3], len;

	(void)state;
	rdma_side_init(&side, &conf);
	assert_refused(doca_rdma_export(side.rdma, &blob, &len, &extra), DOCA_ERROR_BAD_STATE,
		       "not running");
	rdma_side_start(&side);
	for (int i = 0; i < 3; i++) {
		assert_success(doca_rdma_export(side.rdma, &blobs[i], &lens[i], &conns[i]));
		assert_true(lens[i] < sizeof(copies[i]));
		memcpy(copies[i], blobs[i], lens[i]);
		assert_success(doca_rdma_connection_get_id(conns[i], &ids[i]));
	}
	assert_refused(doca_rdma_export(side.rdma, &blob, &len, &extra), DOCA_ERROR_FULL,
		       "maximum");
	for (int i = 0; i < 3; i++)
		assert_memory_equal(copies[i], blobs[i], lens[i]);
	assert_memory_not_equal(blobs[0], blobs[1], lens[0]);
	assert_int_not_equal(ids[0], ids[1]);
	assert_success(doca_rdma_connection_disconnect(conns[1]));
	assert_success(doca_rdma_export(side.rdma, &blob, &len, &extra));
	rdma_side_fini(&side);
}

/* rdma trap 54 */
static void descriptor_is_copied(void **state)
{
	struct rdma_pair pair;
	struct rdma_blob a_blob, b_blob;
	void *copy;

	(void)state;
	rdma_pair_start(&pair, NULL);
	rdma_export(&pair.a, &a_blob, &pair.a.conn);
	rdma_export(&pair.b, &b_blob, &pair.b.conn);
	copy = malloc(b_blob.len);
	assert_non_null(copy);
	memcpy(copy, b_blob.bytes, b_blob.len);
	assert_success(doca_rdma_connect(pair.a.rdma, copy, b_blob.len, pair.a.conn));
	memset(copy, 0xff, b_blob.len);
	free(copy);
	assert_success(rdma_connect_to(&pair.b, &a_blob, pair.b.conn));

	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 1));
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 2));

	rdma_hears(&pair.b, "ok(2)");
	rdma_pair_fini(&pair);
}

/* rdma trap 55 */
static void damaged_descriptors_are_refused(void **state)
{
	struct rdma_side side;
	uint8_t bytes[512];
	const void *blob;
	size_t len;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	assert_success(doca_rdma_export(side.rdma, &blob, &len, &side.conn));
	memcpy(bytes, blob, len);
	for (size_t i = 0; i < len; i++)
		assert_error(doca_rdma_connect(side.rdma, bytes, i, side.conn),
			     DOCA_ERROR_CONNECTION_ABORTED);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_error(doca_rdma_connect(side.rdma, bytes, len, side.conn),
			     DOCA_ERROR_CONNECTION_ABORTED);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	test_drop_log();
	assert_success(doca_rdma_connect(side.rdma, bytes, len, side.conn));
	assert_refused(doca_rdma_connect(side.rdma, bytes, len, side.conn), DOCA_ERROR_BAD_STATE,
		       "connected already");
	rdma_side_fini(&side);
}

/* A descriptor with another field, and the right checksum. */
static struct rdma_blob changed(const struct rdma_blob *blob,
				void (*change)(struct drdma_conn_record *record))
{
	struct drdma_conn_record record;
	struct rdma_blob other = *blob;
	uint8_t *bytes;

	assert_success(drdma_record_decode(blob->bytes, blob->len, &record));
	change(&record);
	assert_success(drdma_record_encode(&record, &bytes));
	memcpy(other.bytes, bytes, other.len);
	free(bytes);
	return other;
}

static void to_dc(struct drdma_conn_record *record)
{
	record->transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
}

static void to_verbs(struct drdma_conn_record *record)
{
	record->provider = 1;
}

static void to_other_order(struct drdma_conn_record *record)
{
	record->byte_order = 3 - record->byte_order;
}

/* rdma trap 55 */
static void other_kinds_of_peers_are_refused(void **state)
{
	void (*const changes[])(struct drdma_conn_record *) = { to_dc, to_verbs, to_other_order };
	struct rdma_blob blob, other;
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	rdma_export(&side, &blob, &side.conn);
	for (size_t i = 0; i < 3; i++) {
		other = changed(&blob, changes[i]);
		assert_refused(rdma_connect_to(&side, &other, side.conn),
			       DOCA_ERROR_CONNECTION_ABORTED, "");
	}
	rdma_side_fini(&side);
}

/* A send that must not arrive: the peer's refusal may come before the submit, or after it. */
static void cannot_send_step(struct rdma_side *side, void *unused)
{
	struct doca_task *task = rdma_send_task(side, NULL, 1);
	doca_error_t result = doca_task_submit(task);

	(void)unused;
	if (result == DOCA_SUCCESS) {
		rdma_hears(side, "IO_FAILED(1)");
	} else {
		assert_error(result, DOCA_ERROR_BAD_STATE);
		doca_task_free(task);
	}
	test_drop_log();
}

static void assert_cannot_send(struct rdma_side *side)
{
	rdma_at(side, cannot_send_step, NULL, 0);
}

static void to_other_secret(struct drdma_conn_record *record)
{
	record->secret[0] ^= 1;
}

static void to_other_instance(struct drdma_conn_record *record)
{
	record->instance[0] ^= 1;
}

/* rdma trap 55 */
static void wrong_secret_is_not_let_in(void **state)
{
	void (*const changes[])(struct drdma_conn_record *) = { to_other_secret,
								to_other_instance };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rdma_pair pair;
		struct rdma_blob a_blob, b_blob;

		rdma_pair_start(&pair, NULL);
		rdma_export(&pair.a, &a_blob, &pair.a.conn);
		rdma_export(&pair.b, &b_blob, &pair.b.conn);
		assert_success(rdma_connect_to(&pair.b, &a_blob, pair.b.conn));
		b_blob = changed(&b_blob, changes[i]);
		assert_success(rdma_connect_to(&pair.a, &b_blob, pair.a.conn));
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));

		assert_cannot_send(&pair.a);

		rdma_heard(&pair.b, "");
		rdma_pair_fini(&pair);
		test_drop_log();
	}
}

static void second_peer_of_one_descriptor_fails(void **state)
{
	struct rdma_side third;
	struct rdma_pair pair;
	struct rdma_blob a_blob, blob;

	(void)state;
	rdma_pair_start(&pair, NULL);
	rdma_side_init(&third, NULL);
	rdma_side_start(&third);
	rdma_export(&pair.a, &a_blob, &pair.a.conn);
	rdma_export(&third, &blob, &third.conn);
	assert_success(rdma_connect_to(&third, &a_blob, third.conn));
	rdma_export(&pair.b, &blob, &pair.b.conn);
	assert_success(rdma_connect_to(&pair.b, &a_blob, pair.b.conn));
	assert_success(rdma_connect_to(&pair.a, &blob, pair.a.conn));
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 1));

	assert_cannot_send(&third);
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 3));

	rdma_hears(&pair.b, "ok(3)");
	rdma_side_fini(&third);
	rdma_pair_fini(&pair);
}

static void peer_that_never_connects_is_waited_for(void **state)
{
	struct rdma_side sides[2];
	struct rdma_blob blob, own;

	(void)state;
	setenv("DOCA_RDMA_CONNECT_WAIT_MS", "100", 1);
	rdma_side_init(&sides[0], NULL);
	rdma_peer_init(&sides[1], NULL);
	rdma_side_start(&sides[0]);
	rdma_side_start(&sides[1]);
	rdma_export(&sides[1], &blob, &sides[1].conn);
	rdma_export(&sides[0], &own, &sides[0].conn);
	assert_success(rdma_connect_to(&sides[0], &blob, sides[0].conn));

	rdma_submit(&sides[0], rdma_send_task(&sides[0], NULL, 1));

	rdma_hears(&sides[0], "IO_FAILED(1)");
	test_take_log("not connected in time");
	rdma_side_fini(&sides[0]);
	rdma_side_fini(&sides[1]);
}

static void stopped_peer_is_noticed(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 0));
	rdma_hears(&pair.a, "ok(0)"); /* they are connected */
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2)); /* waits for a receive */
	assert_success(rdma_stop(&pair.b));

	rdma_hears(&pair.a, "IO_FAILED(2)");
	test_take_log("gone");
	for (int i = 0; i < 1000; i++)
		assert_int_equal(doca_pe_progress(pair.a.pe), 0);     /* the receive stays posted */
	assert_success(doca_rdma_connection_disconnect(pair.a.conn)); /* nobody has told yet */
	assert_refused(doca_rdma_connection_disconnect(pair.a.conn), DOCA_ERROR_BAD_STATE,
		       "disconnected already");
	rdma_pair_fini(&pair);
}

static void disconnect_flushes_its_tasks(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (uint64_t i = 0; i < 3; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, i));

	assert_success(doca_rdma_connection_disconnect(pair.a.conn));

	rdma_hears(&pair.a, "IO_FAILED(0) IO_FAILED(1) IO_FAILED(2)");
	rdma_pair_fini(&pair);
}

static void all_received_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	for (uint64_t end = test_now_ns() + UINT64_C(10000000000);
	     side->heard.num_words < 50 && test_now_ns() < end;)
		(void)doca_pe_progress(side->pe);
	assert_int_equal(side->heard.num_words, 50);
	assert_null(strstr(side->heard.text, "FAILED"));
}

/* What was acknowledged has been received, though the peer hangs up at once. */
static void disconnect_does_not_overtake_data(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (uint64_t i = 0; i < 50; i++) {
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 100), i));
		rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 100), i));
	}
	while (pair.a.heard.num_words < 50)
		(void)doca_pe_progress(pair.a.pe);
	rdma_side_fini(&pair.a);

	rdma_at(&pair.b, all_received_step, NULL, 0);
	rdma_side_fini(&pair.b);
}

/* Both dial at once: a link each time, and nothing is left of it. */
static void make_and_end(struct rdma_pair *pair)
{
	struct doca_rdma_connection *third;
	const void *blob;
	size_t len;

	rdma_connect(&pair->a, &pair->b, &pair->a.conn, &pair->b.conn);
	assert_refused(doca_rdma_export(pair->a.rdma, &blob, &len, &third), DOCA_ERROR_FULL,
		       "maximum");
	rdma_submit(&pair->b, rdma_receive_task(&pair->b, NULL, 1));
	rdma_submit(&pair->a, rdma_send_task(&pair->a, NULL, 2));
	rdma_hears(&pair->a, "ok(2)");
	rdma_hears(&pair->b, "ok(1)");
	assert_success(rdma_disconnect(&pair->a, pair->a.conn));
	assert_success(rdma_disconnect(&pair->b, pair->b.conn));
}

/* rdma traps 52, 56 */
static void connections_can_be_made_and_ended_often(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	const unsigned int num_rounds = rdma_rounds(100, 1000);
	struct doca_rdma_connection *a_other, *b_other;
	unsigned int num_fds = 0;
	size_t num_bytes = 0;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_start(&pair, &conf);
	rdma_connect(&pair.a, &pair.b, &a_other, &b_other); /* stays */
	for (unsigned int i = 0; i < num_rounds; i++) {
		make_and_end(&pair);
		if (i == 10) {
			num_fds = test_num_fds();
			num_bytes = mallinfo2().uordblks;
		}
	}
	assert_true(test_num_fds() <= num_fds + 4); /* a peer's lane may still be on its way out */
	assert_true(mallinfo2().uordblks <= num_bytes + MAX_GROWTH);
	rdma_pair_fini(&pair);
}

/* rdma trap 14 */
static void old_connections_are_void_after_a_restart(void **state)
{
	struct rdma_blob old, blob;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_start(&pair, NULL);
	rdma_export(&pair.a, &old, &pair.a.conn);
	assert_success(doca_ctx_stop(pair.a.ctx));
	rdma_heard(&pair.a, "running>stopping stopping>idle");
	rdma_side_start(&pair.a);
	rdma_export(&pair.b, &blob, &pair.b.conn);

	assert_refused(rdma_connect_to(&pair.a, &blob, pair.a.conn), DOCA_ERROR_BAD_STATE,
		       "has ended");
	assert_success(rdma_connect_to(&pair.b, &old, pair.b.conn));
	assert_cannot_send(&pair.b);
	assert_success(rdma_disconnect(&pair.b, pair.b.conn));
	rdma_connect(&pair.a, &pair.b, &pair.a.conn, &pair.b.conn);
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 2));
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 3));
	rdma_hears(&pair.b, "ok(3)");
	rdma_pair_fini(&pair);
}

/* Where the requests of a side's connection come from. */
static uint32_t source_of(const struct rdma_side *side)
{
	const struct soft_conn *soft = side->conn->provider_data;
	struct sockaddr_in from = { .sin_family = AF_UNSPEC };
	socklen_t len = sizeof(from);

	pthread_mutex_lock(&soft->port->lock);
	assert_int_equal(
	    getsockname(soft->requester->sock.fd, (struct sockaddr *)(void *)&from, &len), 0);
	pthread_mutex_unlock(&soft->port->lock);
	assert_int_equal(from.sin_family, AF_INET);
	return ntohl(from.sin_addr.s_addr);
}

/* Both are this machine's, which by itself would take for a source what the peer has. */
static void requests_come_from_the_address_of_the_device(void **state)
{
	struct rdma_pair pair;
	struct rdma_blob a_blob, b_blob;

	(void)state;
	rdma_pair_start(&pair, NULL);
	rdma_export(&pair.b, &b_blob, &pair.b.conn);
	pair.a.dev->info.ipv4[3] = 2;
	rdma_export(&pair.a, &a_blob, &pair.a.conn);

	assert_success(rdma_connect_to(&pair.a, &b_blob, pair.a.conn));
	pair.a.dev->info.ipv4[3] = 1;

	assert_int_equal(source_of(&pair.a), 0x7f000002);
	rdma_pair_fini(&pair);
}

static void user_data_is_kept(void **state)
{
	union doca_data value = { .u64 = 1 };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	assert_success(doca_rdma_connection_get_user_data(pair.a.conn, &value));
	assert_int_equal(value.u64, 0);
	value.u64 = 77;
	assert_success(doca_rdma_connection_set_user_data(pair.a.conn, value));
	value.u64 = 0;
	assert_success(doca_rdma_connection_get_user_data(pair.a.conn, &value));
	assert_int_equal(value.u64, 77);
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(either_may_connect_first),
		RDMA_TEST_ALONE(task_before_connect_is_refused),
		RDMA_TEST_ALONE(connection_of_nobody_or_another_is_refused),
		RDMA_TEST_ALONE(exports_are_limited_and_differ),
		RDMA_TEST(descriptor_is_copied),
		RDMA_TEST_ALONE(damaged_descriptors_are_refused),
		RDMA_TEST_ALONE(other_kinds_of_peers_are_refused),
		RDMA_TEST(wrong_secret_is_not_let_in),
		RDMA_TEST(second_peer_of_one_descriptor_fails),
		RDMA_TEST(peer_that_never_connects_is_waited_for),
		RDMA_TEST(stopped_peer_is_noticed),
		RDMA_TEST(disconnect_flushes_its_tasks),
		RDMA_TEST(disconnect_does_not_overtake_data),
		RDMA_TEST(connections_can_be_made_and_ended_often),
		RDMA_TEST(old_connections_are_void_after_a_restart),
		RDMA_TEST(user_data_is_kept),
		RDMA_TEST_TCP(requests_come_from_the_address_of_the_device),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
