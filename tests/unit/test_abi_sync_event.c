/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program compiled against DOCA takes for granted of doca_buf_pool.h and doca_sync_event.h:
 * the type of every public function, copied from the API tables and not from the headers. All of it
 * holds when it compiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <doca_buf_pool.h>
#include <doca_sync_event.h>

#define IS_TYPE(name, type) \
	_Static_assert(__builtin_types_compatible_p(name, type), #name " is " #type)
#define HAS_TYPE(function, result, ...)                                                   \
	_Static_assert(                                                                   \
	    __builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)), \
	    #function)
#define CAN_FAIL(function, ...) HAS_TYPE(function, doca_error_t, __VA_ARGS__)

/* doca_buf_pool.h */
CAN_FAIL(doca_buf_pool_create, size_t, size_t, const struct doca_mmap *, struct doca_buf_pool **);
CAN_FAIL(doca_buf_pool_destroy, struct doca_buf_pool *);
CAN_FAIL(doca_buf_pool_start, struct doca_buf_pool *);
CAN_FAIL(doca_buf_pool_stop, struct doca_buf_pool *);
CAN_FAIL(doca_buf_pool_buf_alloc, struct doca_buf_pool *, struct doca_buf **);
CAN_FAIL(doca_buf_pool_set_user_data, struct doca_buf_pool *, union doca_data);
CAN_FAIL(doca_buf_pool_set_element_alignment, struct doca_buf_pool *, size_t);
CAN_FAIL(doca_buf_pool_get_num_elements, const struct doca_buf_pool *, uint32_t *);
CAN_FAIL(doca_buf_pool_get_num_free_elements, const struct doca_buf_pool *, uint32_t *);
CAN_FAIL(doca_buf_pool_get_user_data, const struct doca_buf_pool *, union doca_data *);
CAN_FAIL(doca_buf_pool_get_element_alignment, const struct doca_buf_pool *, size_t *);

/* doca_sync_event.h */
IS_TYPE(doca_dpa_dev_sync_event_t, uint64_t);
IS_TYPE(doca_dpa_dev_sync_event_remote_net_t, uint64_t);
IS_TYPE(doca_gpu_dev_sync_event_t, uint64_t);
IS_TYPE(doca_gpu_dev_sync_event_remote_net_t, uint64_t);
IS_TYPE(doca_sync_event_task_get_completion_cb_t,
	void (*)(struct doca_sync_event_task_get *, union doca_data, union doca_data));
IS_TYPE(doca_sync_event_task_notify_set_completion_cb_t,
	void (*)(struct doca_sync_event_task_notify_set *, union doca_data, union doca_data));
IS_TYPE(doca_sync_event_task_notify_add_completion_cb_t,
	void (*)(struct doca_sync_event_task_notify_add *, union doca_data, union doca_data));
IS_TYPE(doca_sync_event_task_wait_eq_completion_cb_t,
	void (*)(struct doca_sync_event_task_wait_eq *, union doca_data, union doca_data));
IS_TYPE(doca_sync_event_task_wait_neq_completion_cb_t,
	void (*)(struct doca_sync_event_task_wait_neq *, union doca_data, union doca_data));
CAN_FAIL(doca_sync_event_create, struct doca_sync_event **);
CAN_FAIL(doca_sync_event_create_from_export, struct doca_dev *, const uint8_t *, size_t,
	 struct doca_sync_event **);
CAN_FAIL(doca_sync_event_cap_is_create_from_export_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_remote_net_create_from_export, struct doca_dev *, const uint8_t *, size_t,
	 struct doca_sync_event_remote_net **);
CAN_FAIL(doca_sync_event_cap_remote_net_is_create_from_export_supported,
	 const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_destroy, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_remote_net_destroy, struct doca_sync_event_remote_net *);
CAN_FAIL(doca_sync_event_add_publisher_location_cpu, struct doca_sync_event *, struct doca_dev *);
CAN_FAIL(doca_sync_event_add_publisher_location_dpa, struct doca_sync_event *, struct doca_dpa *);
CAN_FAIL(doca_sync_event_add_publisher_location_gpu, struct doca_sync_event *, struct doca_gpu *);
CAN_FAIL(doca_sync_event_add_publisher_location_remote_pci, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_add_publisher_location_remote_net, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_add_subscriber_location_cpu, struct doca_sync_event *, struct doca_dev *);
CAN_FAIL(doca_sync_event_add_subscriber_location_dpa, struct doca_sync_event *, struct doca_dpa *);
CAN_FAIL(doca_sync_event_add_subscriber_location_gpu, struct doca_sync_event *, struct doca_gpu *);
CAN_FAIL(doca_sync_event_add_subscriber_location_remote_pci, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_set_addr, struct doca_sync_event *, uint64_t *);
CAN_FAIL(doca_sync_event_set_doca_buf, struct doca_sync_event *, struct doca_buf *);
CAN_FAIL(doca_sync_event_start, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_stop, struct doca_sync_event *);
HAS_TYPE(doca_sync_event_as_ctx, struct doca_ctx *, struct doca_sync_event *);
CAN_FAIL(doca_sync_event_cap_task_get_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_task_get_set_conf, struct doca_sync_event *,
	 doca_sync_event_task_get_completion_cb_t, doca_sync_event_task_get_completion_cb_t,
	 uint32_t);
CAN_FAIL(doca_sync_event_task_get_alloc_init, struct doca_sync_event *, uint64_t *, union doca_data,
	 struct doca_sync_event_task_get **);
HAS_TYPE(doca_sync_event_task_get_as_doca_task, struct doca_task *,
	 struct doca_sync_event_task_get *);
HAS_TYPE(doca_sync_event_task_get_set_ret_val_ptr, void, struct doca_sync_event_task_get *,
	 uint64_t *);
HAS_TYPE(doca_sync_event_task_get_get_ret_val_ptr, uint64_t *,
	 const struct doca_sync_event_task_get *);
CAN_FAIL(doca_sync_event_cap_task_notify_set_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_task_notify_set_set_conf, struct doca_sync_event *,
	 doca_sync_event_task_notify_set_completion_cb_t,
	 doca_sync_event_task_notify_set_completion_cb_t, uint32_t);
CAN_FAIL(doca_sync_event_task_notify_set_alloc_init, struct doca_sync_event *, uint64_t,
	 union doca_data, struct doca_sync_event_task_notify_set **);
HAS_TYPE(doca_sync_event_task_notify_set_as_doca_task, struct doca_task *,
	 struct doca_sync_event_task_notify_set *);
HAS_TYPE(doca_sync_event_task_notify_set_set_set_val, void,
	 struct doca_sync_event_task_notify_set *, uint64_t);
HAS_TYPE(doca_sync_event_task_notify_set_get_set_val, uint64_t,
	 const struct doca_sync_event_task_notify_set *);
CAN_FAIL(doca_sync_event_cap_task_notify_add_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_task_notify_add_set_conf, struct doca_sync_event *,
	 doca_sync_event_task_notify_add_completion_cb_t,
	 doca_sync_event_task_notify_add_completion_cb_t, uint32_t);
CAN_FAIL(doca_sync_event_task_notify_add_alloc_init, struct doca_sync_event *, uint64_t, uint64_t *,
	 union doca_data, struct doca_sync_event_task_notify_add **);
HAS_TYPE(doca_sync_event_task_notify_add_as_doca_task, struct doca_task *,
	 struct doca_sync_event_task_notify_add *);
HAS_TYPE(doca_sync_event_task_notify_add_set_inc_val, void,
	 struct doca_sync_event_task_notify_add *, uint64_t);
HAS_TYPE(doca_sync_event_task_notify_add_get_inc_val, uint64_t,
	 const struct doca_sync_event_task_notify_add *);
HAS_TYPE(doca_sync_event_task_notify_add_set_fetched_val_ptr, void,
	 struct doca_sync_event_task_notify_add *, uint64_t *);
HAS_TYPE(doca_sync_event_task_notify_add_get_fetched_val_ptr, uint64_t *,
	 const struct doca_sync_event_task_notify_add *);
CAN_FAIL(doca_sync_event_cap_task_wait_eq_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_task_wait_eq_set_conf, struct doca_sync_event *,
	 doca_sync_event_task_wait_eq_completion_cb_t, doca_sync_event_task_wait_eq_completion_cb_t,
	 uint32_t);
CAN_FAIL(doca_sync_event_task_wait_eq_alloc_init, struct doca_sync_event *, uint64_t, uint64_t,
	 union doca_data, struct doca_sync_event_task_wait_eq **);
HAS_TYPE(doca_sync_event_task_wait_eq_as_doca_task, struct doca_task *,
	 struct doca_sync_event_task_wait_eq *);
HAS_TYPE(doca_sync_event_task_wait_eq_set_wait_val, void, struct doca_sync_event_task_wait_eq *,
	 uint64_t);
HAS_TYPE(doca_sync_event_task_wait_eq_get_wait_val, uint64_t,
	 const struct doca_sync_event_task_wait_eq *);
HAS_TYPE(doca_sync_event_task_wait_eq_set_mask, void, struct doca_sync_event_task_wait_eq *,
	 uint64_t);
HAS_TYPE(doca_sync_event_task_wait_eq_get_mask, uint64_t,
	 const struct doca_sync_event_task_wait_eq *);
CAN_FAIL(doca_sync_event_cap_task_wait_neq_is_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_task_wait_neq_set_conf, struct doca_sync_event *,
	 doca_sync_event_task_wait_neq_completion_cb_t,
	 doca_sync_event_task_wait_neq_completion_cb_t, uint32_t);
CAN_FAIL(doca_sync_event_task_wait_neq_alloc_init, struct doca_sync_event *, uint64_t, uint64_t,
	 union doca_data, struct doca_sync_event_task_wait_neq **);
HAS_TYPE(doca_sync_event_task_wait_neq_as_doca_task, struct doca_task *,
	 struct doca_sync_event_task_wait_neq *);
HAS_TYPE(doca_sync_event_task_wait_neq_set_wait_val, void, struct doca_sync_event_task_wait_neq *,
	 uint64_t);
HAS_TYPE(doca_sync_event_task_wait_neq_get_wait_val, uint64_t,
	 const struct doca_sync_event_task_wait_neq *);
HAS_TYPE(doca_sync_event_task_wait_neq_set_mask, void, struct doca_sync_event_task_wait_neq *,
	 uint64_t);
HAS_TYPE(doca_sync_event_task_wait_neq_get_mask, uint64_t,
	 const struct doca_sync_event_task_wait_neq *);
CAN_FAIL(doca_sync_event_export_to_remote_pci, struct doca_sync_event *, struct doca_dev *,
	 const uint8_t **, size_t *);
CAN_FAIL(doca_sync_event_cap_is_export_to_remote_pci_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_get_dpa_handle, struct doca_sync_event *, struct doca_dpa *,
	 doca_dpa_dev_sync_event_t *);
CAN_FAIL(doca_sync_event_cap_is_export_to_dpa_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_get_gpu_handle, struct doca_sync_event *, struct doca_gpu *,
	 doca_gpu_dev_sync_event_t **);
CAN_FAIL(doca_sync_event_cap_is_export_to_gpu_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_export_to_remote_net, struct doca_sync_event *, const uint8_t **,
	 size_t *);
CAN_FAIL(doca_sync_event_cap_is_export_to_remote_net_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_remote_net_get_dpa_handle, struct doca_sync_event_remote_net *,
	 struct doca_dpa *, doca_dpa_dev_sync_event_remote_net_t *);
CAN_FAIL(doca_sync_event_cap_remote_net_is_export_to_dpa_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_remote_net_get_gpu_handle, struct doca_sync_event_remote_net *,
	 struct doca_gpu *, doca_gpu_dev_sync_event_remote_net_t *);
CAN_FAIL(doca_sync_event_cap_remote_net_is_export_to_gpu_supported, const struct doca_devinfo *);
CAN_FAIL(doca_sync_event_get, struct doca_sync_event *, uint64_t *);
CAN_FAIL(doca_sync_event_update_add, struct doca_sync_event *, uint64_t, uint64_t *);
CAN_FAIL(doca_sync_event_update_set, struct doca_sync_event *, uint64_t);
CAN_FAIL(doca_sync_event_wait_gt, struct doca_sync_event *, uint64_t, uint64_t);
CAN_FAIL(doca_sync_event_wait_gt_yield, struct doca_sync_event *, uint64_t, uint64_t);
CAN_FAIL(doca_sync_event_wait_eq, struct doca_sync_event *, uint64_t, uint64_t);
CAN_FAIL(doca_sync_event_wait_eq_yield, struct doca_sync_event *, uint64_t, uint64_t);
CAN_FAIL(doca_sync_event_wait_neq, struct doca_sync_event *, uint64_t, uint64_t);
CAN_FAIL(doca_sync_event_wait_neq_yield, struct doca_sync_event *, uint64_t, uint64_t);

static void sync_event_handles_have_64_bits(void **state)
{
	(void)state;
	assert_int_equal(sizeof(doca_dpa_dev_sync_event_t), 8);
	assert_int_equal(sizeof(doca_dpa_dev_sync_event_remote_net_t), 8);
	assert_int_equal(sizeof(doca_gpu_dev_sync_event_t), 8);
	assert_int_equal(sizeof(doca_gpu_dev_sync_event_remote_net_t), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sync_event_handles_have_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
