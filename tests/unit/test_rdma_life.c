/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an RDMA context, its properties, and what a stop does to its tasks. */
#include <string.h>

#include "core/dev.h"
#include "fixture.h"
#include "rdma_rig.h"

static void properties_have_their_defaults(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	enum doca_rdma_transport_type transport;
	struct doca_rdma *rdma;
	enum doca_mtu_size mtu;
	uint32_t number;
	uint16_t count;
	uint8_t byte;

	(void)state;
	assert_success(doca_rdma_create(dev, &rdma));
	assert_success(doca_rdma_get_send_queue_size(rdma, &number));
	assert_int_equal(number, 256);
	assert_success(doca_rdma_get_max_send_buf_list_len(rdma, &number));
	assert_int_equal(number, 16);
	assert_success(doca_rdma_task_receive_get_dst_buf_list_len(rdma, &number));
	assert_int_equal(number, 4);
	assert_success(doca_rdma_get_permissions(rdma, &number));
	assert_int_equal(number, 0);
	assert_success(doca_rdma_get_gid_index(rdma, &number));
	assert_int_equal(number, 0);
	assert_success(doca_rdma_get_sl(rdma, &number));
	assert_int_equal(number, 0);
	assert_success(doca_rdma_get_mtu(rdma, &mtu));
	assert_int_equal(mtu, DOCA_MTU_SIZE_1K_BYTES);
	assert_success(doca_rdma_get_transport_type(rdma, &transport));
	assert_int_equal(transport, DOCA_RDMA_TRANSPORT_TYPE_RC);
	assert_success(doca_rdma_get_grh_enabled(rdma, &byte));
	assert_int_equal(byte, 1);
	assert_success(doca_rdma_get_rnr_retry_count(rdma, &byte));
	assert_int_equal(byte, 7);
	assert_success(doca_rdma_get_max_num_connections(rdma, &count));
	assert_int_equal(count, 1);
	assert_success(doca_rdma_destroy(rdma));
	assert_success(doca_dev_close(dev));
}

/* rdma trap 18 */
static void queue_size_is_rounded_up(void **state)
{
	struct rdma_side side;
	uint32_t size;

	(void)state;
	rdma_side_init(&side, NULL);
	assert_success(doca_rdma_set_send_queue_size(side.rdma, 100));
	assert_success(doca_rdma_get_send_queue_size(side.rdma, &size));
	assert_int_equal(size, 128);
	assert_refused(doca_rdma_set_send_queue_size(side.rdma, 0), DOCA_ERROR_INVALID_VALUE, "0");
	assert_refused(doca_rdma_set_send_queue_size(side.rdma, 1 << 20), DOCA_ERROR_NOT_SUPPORTED,
		       "cannot be");
	assert_refused(doca_rdma_set_recv_queue_size(side.rdma, 16), DOCA_ERROR_NOT_SUPPORTED,
		       "16");
	assert_refused(doca_rdma_get_recv_queue_size(side.rdma, &size), DOCA_ERROR_NOT_SUPPORTED,
		       "receive");
	rdma_side_fini(&side);
}

/* rdma trap 30 */
static void rights_are_those_of_peers(void **state)
{
	static const uint32_t good[] = { 0, 1, 3, 7, 15 }, bad[] = { 16, 32, 64, 1 << 20 };
	struct rdma_side side;
	uint32_t rights;

	(void)state;
	rdma_side_init(&side, NULL);
	for (size_t i = 0; i < 5; i++) {
		assert_success(doca_rdma_set_permissions(side.rdma, good[i]));
		assert_success(doca_rdma_get_permissions(side.rdma, &rights));
		assert_int_equal(rights, good[i]);
	}
	for (size_t i = 0; i < 4; i++)
		assert_refused(doca_rdma_set_permissions(side.rdma, bad[i]),
			       DOCA_ERROR_INVALID_VALUE, "permissions");
	rdma_side_fini(&side);
}

static void transport_can_be_chosen(void **state)
{
	enum doca_rdma_transport_type transport;
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	assert_success(doca_rdma_set_transport_type(side.rdma, DOCA_RDMA_TRANSPORT_TYPE_DC));
	assert_success(doca_rdma_get_transport_type(side.rdma, &transport));
	assert_int_equal(transport, DOCA_RDMA_TRANSPORT_TYPE_DC);
	rdma_side_fini(&side);
}

static void values_out_of_range_are_refused(void **state)
{
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
#define BAD(call, error) assert_refused(call, DOCA_ERROR_##error, "")
	BAD(doca_rdma_set_max_send_buf_list_len(side.rdma, 0), INVALID_VALUE);
	BAD(doca_rdma_set_max_send_buf_list_len(side.rdma, 65), INVALID_VALUE);
	BAD(doca_rdma_task_receive_set_dst_buf_list_len(side.rdma, 65), INVALID_VALUE);
	BAD(doca_rdma_set_mtu(side.rdma, DOCA_MTU_SIZE_RAW_ETHERNET), NOT_SUPPORTED);
	BAD(doca_rdma_set_mtu(side.rdma, (enum doca_mtu_size)6), INVALID_VALUE);
	BAD(doca_rdma_set_grh_enabled(side.rdma, 0), NOT_SUPPORTED);
	BAD(doca_rdma_set_grh_enabled(side.rdma, 2), INVALID_VALUE);
	BAD(doca_rdma_set_gid_index(side.rdma, 16), INVALID_VALUE);
	BAD(doca_rdma_set_sl(side.rdma, 16), INVALID_VALUE);
	BAD(doca_rdma_set_max_num_connections(side.rdma, 0), NOT_SUPPORTED);
	BAD(doca_rdma_set_rnr_retry_count(side.rdma, 8), INVALID_VALUE);
	BAD(doca_rdma_set_transport_type(side.rdma, (enum doca_rdma_transport_type)2),
	    INVALID_VALUE);
	rdma_side_fini(&side);
}

/* rdma trap 17 */
static void setters_come_before_start(void **state)
{
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
#define LATE(call) assert_refused(call, DOCA_ERROR_BAD_STATE, "only when idle")
	LATE(doca_rdma_set_send_queue_size(side.rdma, 16));
	LATE(doca_rdma_set_recv_queue_size(side.rdma, 16));
	LATE(doca_rdma_set_max_send_buf_list_len(side.rdma, 1));
	LATE(doca_rdma_set_transport_type(side.rdma, DOCA_RDMA_TRANSPORT_TYPE_RC));
	LATE(doca_rdma_set_mtu(side.rdma, DOCA_MTU_SIZE_1K_BYTES));
	LATE(doca_rdma_set_permissions(side.rdma, 1));
	LATE(doca_rdma_set_grh_enabled(side.rdma, 1));
	LATE(doca_rdma_set_gid_index(side.rdma, 0));
	LATE(doca_rdma_set_sl(side.rdma, 0));
	LATE(doca_rdma_set_max_num_connections(side.rdma, 1));
	LATE(doca_rdma_set_rnr_retry_count(side.rdma, 7));
	LATE(doca_rdma_task_receive_set_dst_buf_list_len(side.rdma, 1));
#define LATE_CONF(kind)                                                           \
	LATE(doca_rdma_task_##kind##_set_conf(                                    \
	    side.rdma, (doca_rdma_task_##kind##_completion_cb_t)heard_on_success, \
	    (doca_rdma_task_##kind##_completion_cb_t)heard_on_error, 1))
	LATE_CONF(receive);
	LATE_CONF(send);
	LATE_CONF(send_imm);
	LATE_CONF(read);
	LATE_CONF(write);
	LATE_CONF(write_imm);
	rdma_side_fini(&side);
}

static void unused_gid_is_refused_at_start(void **state)
{
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	assert_success(doca_rdma_set_gid_index(side.rdma, 9));
	assert_refused(doca_ctx_start(side.ctx), DOCA_ERROR_INVALID_VALUE, "GID index 9");
	assert_success(doca_rdma_set_gid_index(side.rdma, 0));
	rdma_side_start(&side);
	rdma_side_fini(&side);
}

/* rdma trap 16 */
static void context_without_tasks_serves(void **state)
{
	const struct rdma_conf conf = { .has_no_tasks = true };
	struct rdma_pair pair;

	(void)state;
	rdma_side_init(&pair.a, NULL);
	rdma_peer_init(&pair.b, &conf);
	rdma_side_start(&pair.a);
	rdma_side_start(&pair.b);
	rdma_connect(&pair.a, &pair.b, &pair.a.conn, &pair.b.conn);
	pair.a.remote = rdma_import(&pair.a, &pair.b);
	pair.b.bytes[0] = 'b';

	rdma_submit(&pair.a, rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 1, 1),
					    rdma_room(&pair.a, 0, 1), 1));

	rdma_hears(&pair.a, "ok(1)");
	assert_int_equal(pair.a.bytes[0], 'b');
	rdma_pair_fini(&pair);
}

/* rdma trap 13 */
static void stop_flushes_and_waits_for_tasks(void **state)
{
	struct rdma_pair pair;
	enum doca_ctx_states now;
	struct doca_task *kept;
	size_t inflight;

	(void)state;
	rdma_pair_init(&pair, NULL);
	kept = rdma_send_task(&pair.a, NULL, 99);
	for (uint64_t i = 0; i < 4; i++)
		rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, i));
	for (uint64_t i = 10; i < 18; i++)
		rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, i));

	assert_int_equal(doca_ctx_stop(pair.a.ctx), DOCA_ERROR_IN_PROGRESS);

	rdma_hears(
	    &pair.a,
	    "running>stopping IO_FAILED(0) IO_FAILED(1) IO_FAILED(2) IO_FAILED(3) "
	    "IO_FAILED(10) IO_FAILED(11) IO_FAILED(12) IO_FAILED(13) IO_FAILED(14) IO_FAILED(15) "
	    "IO_FAILED(16) IO_FAILED(17)");
	assert_success(doca_ctx_get_num_inflight_tasks(pair.a.ctx, &inflight));
	assert_int_equal(inflight, 0);
	assert_int_equal(doca_pe_progress(pair.a.pe), 0);
	assert_success(doca_ctx_get_state(pair.a.ctx, &now));
	assert_int_equal(now, DOCA_CTX_STATE_STOPPING);
	doca_task_free(kept);
	rdma_hears(&pair.a, "stopping>idle");
	rdma_side_start(&pair.a);
	doca_task_free(rdma_receive_task(&pair.a, NULL, 20));
	rdma_pair_fini(&pair);
}

/* rdma traps 11, 12 */
static void stop_with_nothing_left_is_over_at_once(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	assert_success(doca_rdma_connection_disconnect(pair.a.conn));

	assert_success(doca_ctx_stop(pair.a.ctx));

	rdma_heard(&pair.a, "running>stopping stopping>idle");
	assert_success(doca_ctx_stop(pair.a.ctx));
	assert_success(doca_rdma_destroy(pair.a.rdma));
	pair.a.rdma = NULL;
	rdma_pair_fini(&pair);
}

/* rdma trap 10 */
static void stop_in_a_callback_is_deferred(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	pair.a.heard.on_task = heard_free_and_stop;
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));

	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));

	rdma_hears(&pair.a, "ok(2) +running>stopping stopping>idle");
	assert_int_equal(pair.a.heard.result, DOCA_ERROR_IN_PROGRESS);
	rdma_pair_fini(&pair);
}

static void destroy_needs_idle(void **state)
{
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	assert_refused(doca_rdma_destroy(side.rdma), DOCA_ERROR_BAD_STATE, "only when idle");
	rdma_side_fini(&side);
}

static void destroy_in_idle(struct heard *heard)
{
	struct rdma_side *side = heard->owner;

	heard->result = doca_rdma_destroy(side->rdma);
	side->rdma = NULL;
}

/* rdma trap 15 */
static void idle_callback_may_destroy(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	pair.a.heard.on_state[DOCA_CTX_STATE_IDLE] = destroy_in_idle;
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 1));

	assert_int_equal(doca_ctx_stop(pair.a.ctx), DOCA_ERROR_IN_PROGRESS);
	rdma_hears(&pair.a, "running>stopping IO_FAILED(1) stopping>idle");

	assert_success(pair.a.heard.result);
	for (int i = 0; i < 100; i++)
		assert_int_equal(doca_pe_progress(pair.a.pe), 0);
	rdma_pair_fini(&pair);
}

/* All in the callback of the start: export, connect, submit, stop. */
static void do_it_all(struct heard *heard)
{
	struct rdma_side *side = heard->owner, *other = side->test;

	rdma_connect(side, other, &side->conn, &other->conn);
	rdma_submit(other, rdma_receive_task(other, NULL, 1));
	rdma_submit(side, rdma_send_task(side, NULL, 2));
	rdma_hears(other, "ok(1)");
	heard->result = doca_ctx_stop(side->ctx);
}

/* rdma trap 3 */
static void running_callback_may_do_all(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_side_init(&pair.a, NULL);
	rdma_peer_init(&pair.b, NULL);
	rdma_side_start(&pair.b);
	pair.a.test = &pair.b;
	pair.a.heard.on_state[DOCA_CTX_STATE_RUNNING] = do_it_all;

	assert_success(doca_ctx_start(pair.a.ctx));

	assert_int_equal(pair.a.heard.result, DOCA_ERROR_IN_PROGRESS);
	fixture_progress_to(pair.a.pe, pair.a.ctx, DOCA_CTX_STATE_IDLE);
	rdma_heard(&pair.a, "idle>running +running>stopping ok(2) stopping>idle");
	rdma_pair_fini(&pair);
}

/* rdma trap 25 */
static void freed_task_can_still_be_asked(void **state)
{
	struct rdma_side side;
	struct doca_task *task;
	struct doca_buf *buf;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	buf = rdma_room(&side, 0, 8);
	task = rdma_receive_task(&side, buf, 1);
	doca_task_free(task);
	assert_ptr_equal(
	    doca_rdma_task_receive_get_dst_buf((struct doca_rdma_task_receive *)(void *)task), buf);
	doca_rdma_task_receive_set_dst_buf((struct doca_rdma_task_receive *)(void *)task, NULL);
	test_take_log("free or in flight");
	rdma_side_fini(&side);
}

/* rdma trap 67 */
static void task_is_its_own_base(void **state)
{
	struct doca_task *tasks[6];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	tasks[0] = rdma_receive_task(&pair.a, NULL, 0);
	tasks[1] = rdma_send_task(&pair.a, NULL, 0);
	tasks[2] = rdma_send_imm_task(&pair.a, NULL, 0, 0);
	tasks[3] = rdma_read_task(&pair.a, NULL, NULL, 0);
	tasks[4] = rdma_write_task(&pair.a, NULL, NULL, 0);
	tasks[5] = rdma_write_imm_task(&pair.a, NULL, NULL, 0, 0);
	assert_ptr_equal(doca_rdma_task_receive_as_task((void *)tasks[0]), tasks[0]);
	assert_ptr_equal(doca_rdma_task_send_as_task((void *)tasks[1]), tasks[1]);
	assert_ptr_equal(doca_rdma_task_send_imm_as_task((void *)tasks[2]), tasks[2]);
	assert_ptr_equal(doca_rdma_task_read_as_task((void *)tasks[3]), tasks[3]);
	assert_ptr_equal(doca_rdma_task_write_as_task((void *)tasks[4]), tasks[4]);
	assert_ptr_equal(doca_rdma_task_write_imm_as_task((void *)tasks[5]), tasks[5]);
	for (int i = 0; i < 6; i++)
		doca_task_free(tasks[i]);
	rdma_pair_fini(&pair);
}

static void capabilities_are_told(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	struct doca_rdma_gid gids[16];
	uint32_t number;

	(void)state;
	assert_success(doca_rdma_cap_get_max_message_size(info, &number));
	assert_int_equal(number, 1 << 30);
	assert_success(doca_rdma_cap_get_max_send_queue_size(info, &number));
	assert_int_equal(number, 32768);
	assert_success(doca_rdma_cap_get_max_recv_queue_size(info, &number));
	assert_int_equal(number, 32768);
	assert_success(doca_rdma_cap_get_max_send_buf_list_len(info, &number));
	assert_int_equal(number, 64);
	assert_success(doca_rdma_cap_task_receive_get_max_dst_buf_list_len(
	    info, DOCA_RDMA_TRANSPORT_TYPE_RC, &number));
	assert_int_equal(number, 64);
	assert_success(doca_rdma_cap_get_gid_table_size(info, &number));
	assert_int_equal(number, 16);
	assert_success(doca_rdma_cap_get_gid(info, 0, 16, gids));
	assert_memory_equal(gids[0].raw + 10, "\xff\xff\x7f\x00\x00\x01", 6);
	assert_refused(doca_rdma_cap_get_gid(info, 15, 2, gids), DOCA_ERROR_INVALID_VALUE, "table");
	assert_refused(doca_rdma_cap_get_gid(info, 0, 0, gids), DOCA_ERROR_INVALID_VALUE, "table");
	assert_success(
	    doca_rdma_cap_transport_type_is_supported(info, DOCA_RDMA_TRANSPORT_TYPE_RC));
	assert_success(
	    doca_rdma_cap_transport_type_is_supported(info, DOCA_RDMA_TRANSPORT_TYPE_DC));
	assert_refused(doca_rdma_cap_transport_type_is_supported(info, 2), DOCA_ERROR_INVALID_VALUE,
		       "not known");
	assert_success(doca_rdma_cap_task_receive_is_supported(info));
	assert_success(doca_rdma_cap_task_send_is_supported(info));
	assert_success(doca_rdma_cap_task_send_imm_is_supported(info));
	assert_success(doca_rdma_cap_task_read_is_supported(info));
	assert_success(doca_rdma_cap_task_write_is_supported(info));
	assert_success(doca_rdma_cap_task_write_imm_is_supported(info));
	assert_success(doca_dev_close(dev));
}

/* Whatever addresses this machine has. */
static void gid_table_has_the_addresses_of_the_device(void **state)
{
	static const uint8_t ipv4_gid[DOCA_GID_BYTE_LENGTH] = { [10] = 0xff, 0xff, 10, 1, 2, 3 };
	static const uint8_t ipv6[DOCA_GID_BYTE_LENGTH] = { 0xfd, 0x99, [15] = 7 };
	static const uint8_t none[15 * DOCA_GID_BYTE_LENGTH];
	struct doca_dev *dev = fixture_dev_open();
	struct doca_devinfo info = dev->info;
	struct doca_rdma_gid gids[16];

	(void)state;
	memcpy(info.ipv4, ipv4_gid + 12, sizeof(info.ipv4));
	memcpy(info.ipv6, ipv6, sizeof(info.ipv6));

	info.has = CORE_DEV_HAS_IPV4 | CORE_DEV_HAS_IPV6;
	assert_success(doca_rdma_cap_get_gid(&info, 0, 16, gids));
	assert_memory_equal(gids[0].raw, ipv4_gid, sizeof(ipv4_gid));
	assert_memory_equal(gids[1].raw, ipv6, sizeof(ipv6));
	assert_memory_equal(gids[2].raw, none, (size_t)14 * DOCA_GID_BYTE_LENGTH);

	info.has = CORE_DEV_HAS_IPV4;
	assert_success(doca_rdma_cap_get_gid(&info, 0, 16, gids));
	assert_memory_equal(gids[0].raw, ipv4_gid, sizeof(ipv4_gid));
	assert_memory_equal(gids[1].raw, none, sizeof(none));

	info.has = CORE_DEV_HAS_IPV6;
	assert_success(doca_rdma_cap_get_gid(&info, 0, 16, gids));
	assert_memory_equal(gids[0].raw, ipv6, sizeof(ipv6));
	assert_memory_equal(gids[1].raw, none, sizeof(none));
	assert_success(doca_dev_close(dev));
}

/* The limit that is told is the one that holds. */
static void receives_are_limited_by_the_capability(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	const doca_rdma_task_receive_completion_cb_t callback =
	    (doca_rdma_task_receive_completion_cb_t)heard_on_success;
	struct doca_rdma *rdma;
	uint32_t max;

	(void)state;
	assert_success(doca_rdma_cap_get_max_recv_queue_size(info, &max));
	assert_success(doca_rdma_create(dev, &rdma));
	assert_success(doca_rdma_task_receive_set_conf(rdma, callback, callback, max));
	assert_refused(doca_rdma_task_receive_set_conf(rdma, callback, callback, max + 1),
		       DOCA_ERROR_INVALID_VALUE, "");
	assert_success(doca_rdma_destroy(rdma));
	assert_success(doca_dev_close(dev));
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(properties_have_their_defaults),
		RDMA_TEST(queue_size_is_rounded_up),
		RDMA_TEST(rights_are_those_of_peers),
		RDMA_TEST(transport_can_be_chosen),
		RDMA_TEST(values_out_of_range_are_refused),
		RDMA_TEST(setters_come_before_start),
		RDMA_TEST(unused_gid_is_refused_at_start),
		RDMA_TEST(context_without_tasks_serves),
		RDMA_TEST(stop_flushes_and_waits_for_tasks),
		RDMA_TEST(stop_with_nothing_left_is_over_at_once),
		RDMA_TEST(stop_in_a_callback_is_deferred),
		RDMA_TEST(destroy_needs_idle),
		RDMA_TEST(idle_callback_may_destroy),
		RDMA_TEST(running_callback_may_do_all),
		RDMA_TEST(freed_task_can_still_be_asked),
		RDMA_TEST(task_is_its_own_base),
		RDMA_TEST(capabilities_are_told),
		RDMA_TEST_ALONE(gid_table_has_the_addresses_of_the_device),
		RDMA_TEST_ALONE(receives_are_limited_by_the_capability),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
