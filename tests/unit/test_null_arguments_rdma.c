/* SPDX-License-Identifier: BSD-3-Clause */
/* RDMA refuses each NULL that it cannot do with. */
#include <doca_rdma.h>

#include "null_arguments.h"
#include "rdma_rig.h"

#define BYTES 64

/* Good objects, and a place for outputs. */
static struct rdma_side side;
static struct doca_devinfo *info;
static const union doca_data no_data = { .u64 = 0 };
static _Alignas(16) char any_bytes[BYTES];
static void *const any = any_bytes;

static struct doca_rdma_task_receive *receive;
static struct doca_rdma_task_send *send;
static struct doca_rdma_task_send_imm *send_imm;
static struct doca_rdma_task_read *read;
static struct doca_rdma_task_write *write;
static struct doca_rdma_task_write_imm *write_imm;

static void on_receive(struct doca_rdma_task_receive *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_send(struct doca_rdma_task_send *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_send_imm(struct doca_rdma_task_send_imm *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_read(struct doca_rdma_task_read *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_write(struct doca_rdma_task_write *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static void on_write_imm(struct doca_rdma_task_write_imm *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	heard_on_success((void *)task, task_user_data, ctx_user_data);
}

static int group_setup(void **state)
{
	const void *blob;
	size_t len;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	info = doca_dev_as_devinfo(side.dev);
	assert_success(doca_rdma_export(side.rdma, &blob, &len, &side.conn));
	receive = (void *)rdma_receive_task(&side, NULL, 0);
	send = (void *)rdma_send_task(&side, NULL, 0);
	send_imm = (void *)rdma_send_imm_task(&side, NULL, 0, 0);
	read = (void *)rdma_read_task(&side, NULL, NULL, 0);
	write = (void *)rdma_write_task(&side, NULL, NULL, 0);
	write_imm = (void *)rdma_write_imm_task(&side, NULL, NULL, 0, 0);
	return 0;
}

static int group_teardown(void **state)
{
	struct doca_task *tasks[] = {
		doca_rdma_task_receive_as_task(receive),
		doca_rdma_task_send_as_task(send),
		doca_rdma_task_send_imm_as_task(send_imm),
		doca_rdma_task_read_as_task(read),
		doca_rdma_task_write_as_task(write),
		doca_rdma_task_write_imm_as_task(write_imm),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		doca_task_free(tasks[i]);
	rdma_side_fini(&side);
	return 0;
}

static void life_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_create, NULL, any);
	REFUSES(doca_rdma_create, side.dev, NULL);
	REFUSES(doca_rdma_destroy, NULL);
	RETURNS_ZERO(doca_rdma_as_ctx, NULL);
}

static void connections_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_export, NULL, any, any, any);
	REFUSES(doca_rdma_export, side.rdma, NULL, any, any);
	REFUSES(doca_rdma_export, side.rdma, any, NULL, any);
	REFUSES(doca_rdma_export, side.rdma, any, any, NULL);
	REFUSES(doca_rdma_connect, NULL, any, BYTES, side.conn);
	REFUSES(doca_rdma_connect, side.rdma, NULL, BYTES, side.conn);
	REFUSES(doca_rdma_connect, side.rdma, any, BYTES, NULL);
	REFUSES(doca_rdma_connection_disconnect, NULL);
	REFUSES(doca_rdma_connection_set_user_data, NULL, no_data);
	REFUSES(doca_rdma_connection_get_user_data, NULL, any);
	REFUSES(doca_rdma_connection_get_user_data, side.conn, NULL);
	REFUSES(doca_rdma_connection_get_id, NULL, any);
	REFUSES(doca_rdma_connection_get_id, side.conn, NULL);
}

static void capabilities_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_cap_get_max_recv_queue_size, NULL, any);
	REFUSES(doca_rdma_cap_get_max_recv_queue_size, info, NULL);
	REFUSES(doca_rdma_cap_get_max_send_queue_size, NULL, any);
	REFUSES(doca_rdma_cap_get_max_send_queue_size, info, NULL);
	REFUSES(doca_rdma_cap_get_max_send_buf_list_len, NULL, any);
	REFUSES(doca_rdma_cap_get_max_send_buf_list_len, info, NULL);
	REFUSES(doca_rdma_cap_get_max_message_size, NULL, any);
	REFUSES(doca_rdma_cap_get_max_message_size, info, NULL);
	REFUSES(doca_rdma_cap_get_gid_table_size, NULL, any);
	REFUSES(doca_rdma_cap_get_gid_table_size, info, NULL);
	REFUSES(doca_rdma_cap_get_gid, NULL, 0, 1, any);
	REFUSES(doca_rdma_cap_get_gid, info, 0, 1, NULL);
	REFUSES(doca_rdma_cap_transport_type_is_supported, NULL, DOCA_RDMA_TRANSPORT_TYPE_RC);
	REFUSES(doca_rdma_cap_task_receive_get_max_dst_buf_list_len, NULL,
		DOCA_RDMA_TRANSPORT_TYPE_RC, any);
	REFUSES(doca_rdma_cap_task_receive_get_max_dst_buf_list_len, info,
		DOCA_RDMA_TRANSPORT_TYPE_RC, NULL);
	REFUSES(doca_rdma_cap_task_receive_is_supported, NULL);
	REFUSES(doca_rdma_cap_task_send_is_supported, NULL);
	REFUSES(doca_rdma_cap_task_send_imm_is_supported, NULL);
	REFUSES(doca_rdma_cap_task_read_is_supported, NULL);
	REFUSES(doca_rdma_cap_task_write_is_supported, NULL);
	REFUSES(doca_rdma_cap_task_write_imm_is_supported, NULL);
}

static void properties_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_set_send_queue_size, NULL, 16);
	REFUSES(doca_rdma_get_send_queue_size, NULL, any);
	REFUSES(doca_rdma_get_send_queue_size, side.rdma, NULL);
	REFUSES(doca_rdma_set_recv_queue_size, NULL, 16);
	REFUSES(doca_rdma_get_recv_queue_size, NULL, any);
	REFUSES(doca_rdma_get_recv_queue_size, side.rdma, NULL);
	REFUSES(doca_rdma_set_max_send_buf_list_len, NULL, 1);
	REFUSES(doca_rdma_get_max_send_buf_list_len, NULL, any);
	REFUSES(doca_rdma_get_max_send_buf_list_len, side.rdma, NULL);
	REFUSES(doca_rdma_set_transport_type, NULL, DOCA_RDMA_TRANSPORT_TYPE_RC);
	REFUSES(doca_rdma_get_transport_type, NULL, any);
	REFUSES(doca_rdma_get_transport_type, side.rdma, NULL);
	REFUSES(doca_rdma_set_mtu, NULL, DOCA_MTU_SIZE_1K_BYTES);
	REFUSES(doca_rdma_get_mtu, NULL, any);
	REFUSES(doca_rdma_get_mtu, side.rdma, NULL);
	REFUSES(doca_rdma_set_permissions, NULL, 1);
	REFUSES(doca_rdma_get_permissions, NULL, any);
	REFUSES(doca_rdma_get_permissions, side.rdma, NULL);
	REFUSES(doca_rdma_set_grh_enabled, NULL, 1);
	REFUSES(doca_rdma_get_grh_enabled, NULL, any);
	REFUSES(doca_rdma_get_grh_enabled, side.rdma, NULL);
	REFUSES(doca_rdma_set_gid_index, NULL, 0);
	REFUSES(doca_rdma_get_gid_index, NULL, any);
	REFUSES(doca_rdma_get_gid_index, side.rdma, NULL);
	REFUSES(doca_rdma_set_sl, NULL, 0);
	REFUSES(doca_rdma_get_sl, NULL, any);
	REFUSES(doca_rdma_get_sl, side.rdma, NULL);
	REFUSES(doca_rdma_set_max_num_connections, NULL, 1);
	REFUSES(doca_rdma_get_max_num_connections, NULL, any);
	REFUSES(doca_rdma_get_max_num_connections, side.rdma, NULL);
	REFUSES(doca_rdma_set_rnr_retry_count, NULL, 7);
	REFUSES(doca_rdma_get_rnr_retry_count, NULL, any);
	REFUSES(doca_rdma_get_rnr_retry_count, side.rdma, NULL);
	REFUSES(doca_rdma_task_receive_set_dst_buf_list_len, NULL, 1);
	REFUSES(doca_rdma_task_receive_get_dst_buf_list_len, NULL, any);
	REFUSES(doca_rdma_task_receive_get_dst_buf_list_len, side.rdma, NULL);
}

static void receive_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_receive_set_conf, NULL, on_receive, on_receive, 1);
	REFUSES_AS("callback", doca_rdma_task_receive_set_conf, side.rdma, NULL, on_receive, 1);
	REFUSES_AS("callback", doca_rdma_task_receive_set_conf, side.rdma, on_receive, NULL, 1);
	REFUSES(doca_rdma_task_receive_allocate_init, NULL, any, no_data, any);
	REFUSES(doca_rdma_task_receive_allocate_init, side.rdma, any, no_data, NULL);
	RETURNS_ZERO(doca_rdma_task_receive_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_receive_set_dst_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_receive_get_dst_buf, NULL);
	RETURNS_ZERO(doca_rdma_task_receive_get_result_len, NULL);
	RETURNS_ZERO(doca_rdma_task_receive_get_result_opcode, NULL);
	RETURNS_ZERO(doca_rdma_task_receive_get_result_immediate_data, NULL);
	RETURNS_ZERO(doca_rdma_task_receive_get_result_rdma_connection, NULL);
}

static void send_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_send_set_conf, NULL, on_send, on_send, 1);
	REFUSES_AS("callback", doca_rdma_task_send_set_conf, side.rdma, NULL, on_send, 1);
	REFUSES_AS("callback", doca_rdma_task_send_set_conf, side.rdma, on_send, NULL, 1);
	REFUSES(doca_rdma_task_send_allocate_init, NULL, side.conn, any, no_data, any);
	REFUSES(doca_rdma_task_send_allocate_init, side.rdma, side.conn, any, no_data, NULL);
	RETURNS_ZERO(doca_rdma_task_send_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_send_set_src_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_send_get_src_buf, NULL);
	DOES_NOTHING(doca_rdma_task_send_set_rdma_connection, NULL, side.conn);
	RETURNS_ZERO(doca_rdma_task_send_get_rdma_connection, NULL);
}

static void send_imm_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_send_imm_set_conf, NULL, on_send_imm, on_send_imm, 1);
	REFUSES_AS("callback", doca_rdma_task_send_imm_set_conf, side.rdma, NULL, on_send_imm, 1);
	REFUSES_AS("callback", doca_rdma_task_send_imm_set_conf, side.rdma, on_send_imm, NULL, 1);
	REFUSES(doca_rdma_task_send_imm_allocate_init, NULL, side.conn, any, 0, no_data, any);
	REFUSES(doca_rdma_task_send_imm_allocate_init, side.rdma, side.conn, any, 0, no_data, NULL);
	RETURNS_ZERO(doca_rdma_task_send_imm_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_send_imm_set_src_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_send_imm_get_src_buf, NULL);
	DOES_NOTHING(doca_rdma_task_send_imm_set_immediate_data, NULL, 0);
	RETURNS_ZERO(doca_rdma_task_send_imm_get_immediate_data, NULL);
	DOES_NOTHING(doca_rdma_task_send_imm_set_rdma_connection, NULL, side.conn);
	RETURNS_ZERO(doca_rdma_task_send_imm_get_rdma_connection, NULL);
}

static void read_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_read_set_conf, NULL, on_read, on_read, 1);
	REFUSES_AS("callback", doca_rdma_task_read_set_conf, side.rdma, NULL, on_read, 1);
	REFUSES_AS("callback", doca_rdma_task_read_set_conf, side.rdma, on_read, NULL, 1);
	REFUSES(doca_rdma_task_read_allocate_init, NULL, side.conn, any, any, no_data, any);
	REFUSES(doca_rdma_task_read_allocate_init, side.rdma, side.conn, any, any, no_data, NULL);
	RETURNS_ZERO(doca_rdma_task_read_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_read_set_src_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_read_get_src_buf, NULL);
	DOES_NOTHING(doca_rdma_task_read_set_dst_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_read_get_dst_buf, NULL);
	DOES_NOTHING(doca_rdma_task_read_set_rdma_connection, NULL, side.conn);
	RETURNS_ZERO(doca_rdma_task_read_get_rdma_connection, NULL);
	RETURNS_ZERO(doca_rdma_task_read_get_result_len, NULL);
}

static void write_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_write_set_conf, NULL, on_write, on_write, 1);
	REFUSES_AS("callback", doca_rdma_task_write_set_conf, side.rdma, NULL, on_write, 1);
	REFUSES_AS("callback", doca_rdma_task_write_set_conf, side.rdma, on_write, NULL, 1);
	REFUSES(doca_rdma_task_write_allocate_init, NULL, side.conn, any, any, no_data, any);
	REFUSES(doca_rdma_task_write_allocate_init, side.rdma, side.conn, any, any, no_data, NULL);
	RETURNS_ZERO(doca_rdma_task_write_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_write_set_src_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_write_get_src_buf, NULL);
	DOES_NOTHING(doca_rdma_task_write_set_dst_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_write_get_dst_buf, NULL);
	DOES_NOTHING(doca_rdma_task_write_set_rdma_connection, NULL, side.conn);
	RETURNS_ZERO(doca_rdma_task_write_get_rdma_connection, NULL);
}

static void write_imm_refuses_NULL(void **state)
{
	(void)state;
	REFUSES(doca_rdma_task_write_imm_set_conf, NULL, on_write_imm, on_write_imm, 1);
	REFUSES_AS("callback", doca_rdma_task_write_imm_set_conf, side.rdma, NULL, on_write_imm, 1);
	REFUSES_AS("callback", doca_rdma_task_write_imm_set_conf, side.rdma, on_write_imm, NULL, 1);
	REFUSES(doca_rdma_task_write_imm_allocate_init, NULL, side.conn, any, any, 0, no_data, any);
	REFUSES(doca_rdma_task_write_imm_allocate_init, side.rdma, side.conn, any, any, 0, no_data,
		NULL);
	RETURNS_ZERO(doca_rdma_task_write_imm_as_task, NULL);
	DOES_NOTHING(doca_rdma_task_write_imm_set_src_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_write_imm_get_src_buf, NULL);
	DOES_NOTHING(doca_rdma_task_write_imm_set_dst_buf, NULL, any);
	RETURNS_ZERO(doca_rdma_task_write_imm_get_dst_buf, NULL);
	DOES_NOTHING(doca_rdma_task_write_imm_set_immediate_data, NULL, 0);
	RETURNS_ZERO(doca_rdma_task_write_imm_get_immediate_data, NULL);
	DOES_NOTHING(doca_rdma_task_write_imm_set_rdma_connection, NULL, side.conn);
	RETURNS_ZERO(doca_rdma_task_write_imm_get_rdma_connection, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(life_refuses_NULL),        TEST(connections_refuse_NULL),
		TEST(capabilities_refuse_NULL), TEST(properties_refuse_NULL),
		TEST(receive_refuses_NULL),     TEST(send_refuses_NULL),
		TEST(send_imm_refuses_NULL),    TEST(read_refuses_NULL),
		TEST(write_refuses_NULL),       TEST(write_imm_refuses_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
