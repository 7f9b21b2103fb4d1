/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program compiled against DOCA takes for granted of doca_rdma.h: values, and the type of
 * every public function, copied from the API tables and not from the headers. All of it holds when
 * it compiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <doca_rdma.h>

#define HAS_VALUE(name, value) _Static_assert((name) == (value), #name " is " #value)
#define IS_TYPE(name, type) \
	_Static_assert(__builtin_types_compatible_p(name, type), #name " is " #type)
#define HAS_TYPE(function, result, ...)                                                   \
	_Static_assert(                                                                   \
	    __builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)), \
	    #function)
#define CAN_FAIL(function, ...) HAS_TYPE(function, doca_error_t, __VA_ARGS__)

HAS_VALUE(DOCA_RDMA_TRANSPORT_TYPE_RC, 0);
HAS_VALUE(DOCA_RDMA_TRANSPORT_TYPE_DC, 1);
HAS_VALUE(DOCA_RDMA_OPCODE_RECV_SEND, 0);
HAS_VALUE(DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM, 1);
HAS_VALUE(DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM, 2);

IS_TYPE(doca_rdma_task_receive_completion_cb_t,
	void (*)(struct doca_rdma_task_receive *, union doca_data, union doca_data));
IS_TYPE(doca_rdma_task_send_completion_cb_t,
	void (*)(struct doca_rdma_task_send *, union doca_data, union doca_data));
IS_TYPE(doca_rdma_task_send_imm_completion_cb_t,
	void (*)(struct doca_rdma_task_send_imm *, union doca_data, union doca_data));
IS_TYPE(doca_rdma_task_read_completion_cb_t,
	void (*)(struct doca_rdma_task_read *, union doca_data, union doca_data));
IS_TYPE(doca_rdma_task_write_completion_cb_t,
	void (*)(struct doca_rdma_task_write *, union doca_data, union doca_data));
IS_TYPE(doca_rdma_task_write_imm_completion_cb_t,
	void (*)(struct doca_rdma_task_write_imm *, union doca_data, union doca_data));

CAN_FAIL(doca_rdma_create, struct doca_dev *, struct doca_rdma **);
CAN_FAIL(doca_rdma_destroy, struct doca_rdma *);
HAS_TYPE(doca_rdma_as_ctx, struct doca_ctx *, struct doca_rdma *);
CAN_FAIL(doca_rdma_export, struct doca_rdma *, const void **, size_t *,
	 struct doca_rdma_connection **);
CAN_FAIL(doca_rdma_connect, struct doca_rdma *, const void *, size_t,
	 struct doca_rdma_connection *);
CAN_FAIL(doca_rdma_connection_disconnect, struct doca_rdma_connection *);
CAN_FAIL(doca_rdma_cap_get_max_recv_queue_size, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_rdma_cap_get_max_send_queue_size, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_rdma_cap_get_max_send_buf_list_len, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_rdma_cap_get_max_message_size, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_rdma_cap_get_gid_table_size, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_rdma_cap_get_gid, const struct doca_devinfo *, uint32_t, uint32_t,
	 struct doca_rdma_gid *);
CAN_FAIL(doca_rdma_cap_transport_type_is_supported, const struct doca_devinfo *,
	 enum doca_rdma_transport_type);
CAN_FAIL(doca_rdma_set_send_queue_size, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_set_recv_queue_size, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_set_max_send_buf_list_len, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_set_transport_type, struct doca_rdma *, enum doca_rdma_transport_type);
CAN_FAIL(doca_rdma_set_mtu, struct doca_rdma *, enum doca_mtu_size);
CAN_FAIL(doca_rdma_set_permissions, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_set_grh_enabled, struct doca_rdma *, uint8_t);
CAN_FAIL(doca_rdma_set_gid_index, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_set_sl, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_connection_set_user_data, struct doca_rdma_connection *, union doca_data);
CAN_FAIL(doca_rdma_set_max_num_connections, struct doca_rdma *, uint16_t);
CAN_FAIL(doca_rdma_set_rnr_retry_count, struct doca_rdma *, uint8_t);
CAN_FAIL(doca_rdma_get_send_queue_size, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_get_recv_queue_size, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_get_max_send_buf_list_len, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_get_transport_type, const struct doca_rdma *, enum doca_rdma_transport_type *);
CAN_FAIL(doca_rdma_get_mtu, const struct doca_rdma *, enum doca_mtu_size *);
CAN_FAIL(doca_rdma_get_permissions, struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_get_grh_enabled, const struct doca_rdma *, uint8_t *);
CAN_FAIL(doca_rdma_get_gid_index, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_get_sl, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_connection_get_user_data, const struct doca_rdma_connection *,
	 union doca_data *);
CAN_FAIL(doca_rdma_connection_get_id, const struct doca_rdma_connection *, uint32_t *);
CAN_FAIL(doca_rdma_get_max_num_connections, struct doca_rdma *, uint16_t *);
CAN_FAIL(doca_rdma_get_rnr_retry_count, const struct doca_rdma *, uint8_t *);
CAN_FAIL(doca_rdma_cap_task_receive_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_cap_task_receive_get_max_dst_buf_list_len, const struct doca_devinfo *,
	 enum doca_rdma_transport_type, uint32_t *);
CAN_FAIL(doca_rdma_task_receive_set_conf, struct doca_rdma *,
	 doca_rdma_task_receive_completion_cb_t, doca_rdma_task_receive_completion_cb_t, uint32_t);
CAN_FAIL(doca_rdma_task_receive_set_dst_buf_list_len, struct doca_rdma *, uint32_t);
CAN_FAIL(doca_rdma_task_receive_get_dst_buf_list_len, const struct doca_rdma *, uint32_t *);
CAN_FAIL(doca_rdma_task_receive_allocate_init, struct doca_rdma *, struct doca_buf *,
	 union doca_data, struct doca_rdma_task_receive **);
HAS_TYPE(doca_rdma_task_receive_as_task, struct doca_task *, struct doca_rdma_task_receive *);
HAS_TYPE(doca_rdma_task_receive_set_dst_buf, void, struct doca_rdma_task_receive *,
	 struct doca_buf *);
HAS_TYPE(doca_rdma_task_receive_get_dst_buf, struct doca_buf *,
	 const struct doca_rdma_task_receive *);
HAS_TYPE(doca_rdma_task_receive_get_result_opcode, enum doca_rdma_opcode,
	 const struct doca_rdma_task_receive *);
HAS_TYPE(doca_rdma_task_receive_get_result_len, uint32_t, const struct doca_rdma_task_receive *);
HAS_TYPE(doca_rdma_task_receive_get_result_immediate_data, doca_be32_t,
	 const struct doca_rdma_task_receive *);
HAS_TYPE(doca_rdma_task_receive_get_result_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_receive *);
CAN_FAIL(doca_rdma_cap_task_send_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_task_send_set_conf, struct doca_rdma *, doca_rdma_task_send_completion_cb_t,
	 doca_rdma_task_send_completion_cb_t, uint32_t);
CAN_FAIL(doca_rdma_task_send_allocate_init, struct doca_rdma *, struct doca_rdma_connection *,
	 const struct doca_buf *, union doca_data, struct doca_rdma_task_send **);
HAS_TYPE(doca_rdma_task_send_as_task, struct doca_task *, struct doca_rdma_task_send *);
HAS_TYPE(doca_rdma_task_send_set_src_buf, void, struct doca_rdma_task_send *,
	 const struct doca_buf *);
HAS_TYPE(doca_rdma_task_send_get_src_buf, const struct doca_buf *,
	 const struct doca_rdma_task_send *);
HAS_TYPE(doca_rdma_task_send_set_rdma_connection, void, struct doca_rdma_task_send *,
	 struct doca_rdma_connection *);
HAS_TYPE(doca_rdma_task_send_get_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_send *);
CAN_FAIL(doca_rdma_cap_task_send_imm_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_task_send_imm_set_conf, struct doca_rdma *,
	 doca_rdma_task_send_imm_completion_cb_t, doca_rdma_task_send_imm_completion_cb_t,
	 uint32_t);
CAN_FAIL(doca_rdma_task_send_imm_allocate_init, struct doca_rdma *, struct doca_rdma_connection *,
	 const struct doca_buf *, doca_be32_t, union doca_data, struct doca_rdma_task_send_imm **);
HAS_TYPE(doca_rdma_task_send_imm_as_task, struct doca_task *, struct doca_rdma_task_send_imm *);
HAS_TYPE(doca_rdma_task_send_imm_set_src_buf, void, struct doca_rdma_task_send_imm *,
	 const struct doca_buf *);
HAS_TYPE(doca_rdma_task_send_imm_get_src_buf, const struct doca_buf *,
	 const struct doca_rdma_task_send_imm *);
HAS_TYPE(doca_rdma_task_send_imm_set_immediate_data, void, struct doca_rdma_task_send_imm *,
	 doca_be32_t);
HAS_TYPE(doca_rdma_task_send_imm_get_immediate_data, doca_be32_t,
	 const struct doca_rdma_task_send_imm *);
HAS_TYPE(doca_rdma_task_send_imm_set_rdma_connection, void, struct doca_rdma_task_send_imm *,
	 struct doca_rdma_connection *);
HAS_TYPE(doca_rdma_task_send_imm_get_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_send_imm *);
CAN_FAIL(doca_rdma_cap_task_read_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_task_read_set_conf, struct doca_rdma *, doca_rdma_task_read_completion_cb_t,
	 doca_rdma_task_read_completion_cb_t, uint32_t);
CAN_FAIL(doca_rdma_task_read_allocate_init, struct doca_rdma *, struct doca_rdma_connection *,
	 const struct doca_buf *, struct doca_buf *, union doca_data,
	 struct doca_rdma_task_read **);
HAS_TYPE(doca_rdma_task_read_as_task, struct doca_task *, struct doca_rdma_task_read *);
HAS_TYPE(doca_rdma_task_read_set_src_buf, void, struct doca_rdma_task_read *,
	 const struct doca_buf *);
HAS_TYPE(doca_rdma_task_read_get_src_buf, const struct doca_buf *,
	 const struct doca_rdma_task_read *);
HAS_TYPE(doca_rdma_task_read_set_dst_buf, void, struct doca_rdma_task_read *, struct doca_buf *);
HAS_TYPE(doca_rdma_task_read_get_dst_buf, struct doca_buf *, const struct doca_rdma_task_read *);
HAS_TYPE(doca_rdma_task_read_get_result_len, uint32_t, const struct doca_rdma_task_read *);
HAS_TYPE(doca_rdma_task_read_set_rdma_connection, void, struct doca_rdma_task_read *,
	 struct doca_rdma_connection *);
HAS_TYPE(doca_rdma_task_read_get_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_read *);
CAN_FAIL(doca_rdma_cap_task_write_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_task_write_set_conf, struct doca_rdma *, doca_rdma_task_write_completion_cb_t,
	 doca_rdma_task_write_completion_cb_t, uint32_t);
CAN_FAIL(doca_rdma_task_write_allocate_init, struct doca_rdma *, struct doca_rdma_connection *,
	 const struct doca_buf *, struct doca_buf *, union doca_data,
	 struct doca_rdma_task_write **);
HAS_TYPE(doca_rdma_task_write_as_task, struct doca_task *, struct doca_rdma_task_write *);
HAS_TYPE(doca_rdma_task_write_set_src_buf, void, struct doca_rdma_task_write *,
	 const struct doca_buf *);
HAS_TYPE(doca_rdma_task_write_get_src_buf, const struct doca_buf *,
	 const struct doca_rdma_task_write *);
HAS_TYPE(doca_rdma_task_write_set_dst_buf, void, struct doca_rdma_task_write *, struct doca_buf *);
HAS_TYPE(doca_rdma_task_write_get_dst_buf, struct doca_buf *, const struct doca_rdma_task_write *);
HAS_TYPE(doca_rdma_task_write_set_rdma_connection, void, struct doca_rdma_task_write *,
	 struct doca_rdma_connection *);
HAS_TYPE(doca_rdma_task_write_get_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_write *);
CAN_FAIL(doca_rdma_cap_task_write_imm_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_rdma_task_write_imm_set_conf, struct doca_rdma *,
	 doca_rdma_task_write_imm_completion_cb_t, doca_rdma_task_write_imm_completion_cb_t,
	 uint32_t);
CAN_FAIL(doca_rdma_task_write_imm_allocate_init, struct doca_rdma *, struct doca_rdma_connection *,
	 const struct doca_buf *, struct doca_buf *, doca_be32_t, union doca_data,
	 struct doca_rdma_task_write_imm **);
HAS_TYPE(doca_rdma_task_write_imm_as_task, struct doca_task *, struct doca_rdma_task_write_imm *);
HAS_TYPE(doca_rdma_task_write_imm_set_src_buf, void, struct doca_rdma_task_write_imm *,
	 const struct doca_buf *);
HAS_TYPE(doca_rdma_task_write_imm_get_src_buf, const struct doca_buf *,
	 const struct doca_rdma_task_write_imm *);
HAS_TYPE(doca_rdma_task_write_imm_set_dst_buf, void, struct doca_rdma_task_write_imm *,
	 struct doca_buf *);
HAS_TYPE(doca_rdma_task_write_imm_get_dst_buf, struct doca_buf *,
	 const struct doca_rdma_task_write_imm *);
HAS_TYPE(doca_rdma_task_write_imm_set_immediate_data, void, struct doca_rdma_task_write_imm *,
	 doca_be32_t);
HAS_TYPE(doca_rdma_task_write_imm_get_immediate_data, doca_be32_t,
	 const struct doca_rdma_task_write_imm *);
HAS_TYPE(doca_rdma_task_write_imm_set_rdma_connection, void, struct doca_rdma_task_write_imm *,
	 struct doca_rdma_connection *);
HAS_TYPE(doca_rdma_task_write_imm_get_rdma_connection, const struct doca_rdma_connection *,
	 const struct doca_rdma_task_write_imm *);

static void global_identifiers_have_16_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct doca_rdma_gid), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(global_identifiers_have_16_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
