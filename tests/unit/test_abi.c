/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program compiled against DOCA takes for granted of the headers of libdoca_common and
 * libdoca_dma: values, layouts and the type of every public function, copied from the API tables
 * and not from the headers. Nearly all of it holds when it compiles; what is left to run is at the
 * end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_build_config.h>
#include <doca_common_defines.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_types.h>
#include <doca_version.h>

#define HAS_VALUE(name, value) _Static_assert((name) == (value), #name " is " #value)
#define IS_TYPE(name, type) \
	_Static_assert(__builtin_types_compatible_p(name, type), #name " is " #type)
#define HAS_TYPE(function, result, ...)                                                   \
	_Static_assert(                                                                   \
	    __builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)), \
	    #function)
#define CAN_FAIL(function, ...) HAS_TYPE(function, doca_error_t, __VA_ARGS__)
#define HAS_SIZE(type, bytes)   _Static_assert(sizeof(type) == (bytes), #type)
#define HAS_FIELD(type, field, field_type, at)                               \
	_Static_assert(offsetof(type, field) == (at), #field " is at " #at); \
	IS_TYPE(__typeof__(((type *)NULL)->field), field_type)

/* The error codes are in the table for the run-time tests, in the order of their values. */

/* doca_types.h */
HAS_VALUE(doca_event_invalid_handle, -1);
HAS_VALUE(DOCA_GID_BYTE_LENGTH, 16);
HAS_VALUE(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, 0);
HAS_VALUE(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, 1);
HAS_VALUE(DOCA_ACCESS_FLAG_RDMA_READ, 2);
HAS_VALUE(DOCA_ACCESS_FLAG_RDMA_WRITE, 4);
HAS_VALUE(DOCA_ACCESS_FLAG_RDMA_ATOMIC, 8);
HAS_VALUE(DOCA_ACCESS_FLAG_PCI_READ_ONLY, 16);
HAS_VALUE(DOCA_ACCESS_FLAG_PCI_READ_WRITE, 32);
HAS_VALUE(DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING, 64);
HAS_VALUE(DOCA_PCI_FUNC_TYPE_PF, 0);
HAS_VALUE(DOCA_PCI_FUNC_TYPE_VF, 1);
HAS_VALUE(DOCA_PCI_FUNC_TYPE_SF, 2);
HAS_VALUE(DOCA_GPU_MEM_TYPE_GPU, 0);
HAS_VALUE(DOCA_GPU_MEM_TYPE_GPU_CPU, 1);
HAS_VALUE(DOCA_GPU_MEM_TYPE_CPU_GPU, 2);
HAS_VALUE(DOCA_ETH_WAIT_ON_TIME_TYPE_NONE, 0);
HAS_VALUE(DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE, 1);
HAS_VALUE(DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK, 2);
HAS_VALUE(DOCA_MTU_SIZE_256_BYTES, 0);
HAS_VALUE(DOCA_MTU_SIZE_512_BYTES, 1);
HAS_VALUE(DOCA_MTU_SIZE_1K_BYTES, 2);
HAS_VALUE(DOCA_MTU_SIZE_2K_BYTES, 3);
HAS_VALUE(DOCA_MTU_SIZE_4K_BYTES, 4);
HAS_VALUE(DOCA_MTU_SIZE_RAW_ETHERNET, 5);

/* doca_version.h */
HAS_VALUE(DOCA_VERSION_MAJOR, 3);
HAS_VALUE(DOCA_VERSION_MINOR, 3);
HAS_VALUE(DOCA_VERSION_PATCH, 0);

/* doca_log.h */
HAS_VALUE(DOCA_LOG_LEVEL_DISABLE, 10);
HAS_VALUE(DOCA_LOG_LEVEL_CRIT, 20);
HAS_VALUE(DOCA_LOG_LEVEL_ERROR, 30);
HAS_VALUE(DOCA_LOG_LEVEL_WARNING, 40);
HAS_VALUE(DOCA_LOG_LEVEL_INFO, 50);
HAS_VALUE(DOCA_LOG_LEVEL_DEBUG, 60);
HAS_VALUE(DOCA_LOG_LEVEL_TRACE, 70);

/* doca_dev.h */
HAS_VALUE(DOCA_DEVINFO_REP_FILTER_ALL, 0);
HAS_VALUE(DOCA_DEVINFO_REP_FILTER_NET, 2);
HAS_VALUE(DOCA_DEVINFO_REP_FILTER_EMULATED, 4);
HAS_VALUE(DOCA_DEVINFO_VUID_SIZE, 128);
HAS_VALUE(DOCA_DEVINFO_IPV4_ADDR_SIZE, 4);
HAS_VALUE(DOCA_DEVINFO_IPV6_ADDR_SIZE, 16);
HAS_VALUE(DOCA_DEVINFO_MAC_ADDR_SIZE, 6);
HAS_VALUE(DOCA_DEVINFO_IFACE_NAME_SIZE, 256);
HAS_VALUE(DOCA_DEVINFO_IBDEV_NAME_SIZE, 64);
HAS_VALUE(DOCA_DEVINFO_PCI_ADDR_SIZE, 13);
HAS_VALUE(DOCA_DEVINFO_PCI_BDF_SIZE, 8);
HAS_VALUE(DOCA_DEVINFO_REP_VUID_SIZE, 128);
HAS_VALUE(DOCA_DEVINFO_REP_PCI_ADDR_SIZE, 13);
HAS_VALUE(DOCA_DEVINFO_REP_PCI_BDF_SIZE, 8);

/* doca_ctx.h */
HAS_VALUE(DOCA_CTX_STATE_IDLE, 0);
HAS_VALUE(DOCA_CTX_STATE_STARTING, 1);
HAS_VALUE(DOCA_CTX_STATE_RUNNING, 2);
HAS_VALUE(DOCA_CTX_STATE_STOPPING, 3);

/* doca_pe.h */
HAS_VALUE(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16, 0);
HAS_VALUE(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32, 1);
HAS_VALUE(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64, 2);
HAS_VALUE(DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128, 3);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_1, 0);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_2, 1);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_4, 2);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_8, 3);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_16, 4);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_32, 5);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_64, 6);
HAS_VALUE(DOCA_EVENT_BATCH_EVENTS_NUMBER_128, 7);
HAS_VALUE(DOCA_TASK_SUBMIT_FLAG_NONE, 0);
HAS_VALUE(DOCA_TASK_SUBMIT_FLAG_FLUSH, 1);
HAS_VALUE(DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS, 2);
HAS_VALUE(DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, 0);
HAS_VALUE(DOCA_PE_EVENT_MODE_PROGRESS_ALL, 1);

HAS_VALUE(DOCA_VERSION_EXACT, 0x03030000);
HAS_VALUE(DOCA_VERSION_OFFICIAL, 0x03030000);
HAS_VALUE(DOCA_VERSION_CALC_EXACT(2, 9, 1), 0x02090001);
HAS_VALUE(DOCA_VERSION_CALC(2, 9, 1), 0x020903e8);
HAS_VALUE(DOCA_VERSION_EQ_CURRENT(3, 3, 0), 1);
HAS_VALUE(DOCA_VERSION_EQ_CURRENT(3, 2, 0), 0);
HAS_VALUE(DOCA_VERSION_LTE_CURRENT(2, 9, 9), 1);
HAS_VALUE(DOCA_VERSION_LTE_CURRENT(3, 3, 0), 1);
HAS_VALUE(DOCA_VERSION_LTE_CURRENT(3, 3, 1), 0);
HAS_SIZE(DOCA_VERSION_STRING, sizeof("3.3.0"));
IS_TYPE(__typeof__(DOCA_VERSION_EXACT), size_t);
IS_TYPE(__typeof__(DOCA_VERSION_OFFICIAL), size_t);

HAS_VALUE(doca_likely(2), 1);
HAS_VALUE(doca_unlikely(0), 0);
HAS_VALUE(DOCA_IS_ERROR(DOCA_SUCCESS), 0);
HAS_VALUE(DOCA_IS_ERROR(DOCA_ERROR_SKIPPED), 1);

/* A host, whatever the processor. */
#if defined(DOCA_ARCH_DPU) || !defined(DOCA_ARCH_HOST) || !defined(DOCA_COMPAT_HELPERS)
#error "doca_build_config.h or doca_config.h does not describe a host"
#endif
#if defined(__x86_64__) != defined(DOCA_ARCH_X86) || defined(__aarch64__) != defined(DOCA_ARCH_ARM)
#error "doca_build_config.h does not know the processor"
#endif
#define false_IS_FALSE 1
#define PASTE(word)    word##_IS_FALSE
#define IS_FALSE(word) PASTE(word)
HAS_VALUE(IS_FALSE(DOCA_ARCH_DPU_BF2), 1);

HAS_SIZE(union doca_data, 8);
HAS_FIELD(union doca_data, ptr, void *, 0);
HAS_FIELD(union doca_data, u64, uint64_t, 0);
HAS_SIZE(struct doca_gather_list, 24);
HAS_FIELD(struct doca_gather_list, addr, void *, 0);
HAS_FIELD(struct doca_gather_list, len, uint64_t, 8);
HAS_FIELD(struct doca_gather_list, next, struct doca_gather_list *, 16);

HAS_SIZE(doca_error_t, 4);
HAS_SIZE(enum doca_access_flag, 4);
HAS_SIZE(enum doca_pci_func_type, 4);
HAS_SIZE(enum doca_gpu_mem_type, 4);
HAS_SIZE(enum doca_eth_wait_on_time_type, 4);
HAS_SIZE(enum doca_mtu_size, 4);
HAS_SIZE(enum doca_log_level, 4);
HAS_SIZE(enum doca_devinfo_rep_filter, 4);
HAS_SIZE(enum doca_ctx_states, 4);
HAS_SIZE(enum doca_task_batch_max_tasks_number, 4);
HAS_SIZE(enum doca_event_batch_events_number, 4);
HAS_SIZE(enum doca_task_submit_flag, 4);
HAS_SIZE(enum doca_pe_event_mode, 4);

IS_TYPE(doca_error_t, enum doca_error);
IS_TYPE(doca_event_handle_t, int);
IS_TYPE(doca_notification_handle_t, int);
IS_TYPE(doca_be16_t, uint16_t);
IS_TYPE(doca_be32_t, uint32_t);
IS_TYPE(doca_be64_t, __be64);
HAS_SIZE(doca_be64_t, 8);
IS_TYPE(doca_dpa_dev_mmap_t, uint32_t);
IS_TYPE(log_flush_callback, void (*)(char *));
IS_TYPE(doca_mmap_memrange_free_cb_t, void(void *, size_t, void *));
IS_TYPE(doca_ctx_state_changed_callback_t,
	void (*)(union doca_data, struct doca_ctx *, enum doca_ctx_states, enum doca_ctx_states));
IS_TYPE(doca_task_completion_cb_t, void (*)(struct doca_task *, union doca_data, union doca_data));
IS_TYPE(doca_dma_task_memcpy_completion_cb_t,
	void (*)(struct doca_dma_task_memcpy *, union doca_data, union doca_data));

/* doca_version.h */
HAS_TYPE(doca_version, const char *, void);
HAS_TYPE(doca_version_runtime, const char *, void);

/* doca_error.h */
HAS_TYPE(doca_error_get_name, const char *, doca_error_t);
HAS_TYPE(doca_error_get_descr, const char *, doca_error_t);

/* doca_log.h */
CAN_FAIL(doca_log_backend_set_level_lower_limit, struct doca_log_backend *, uint32_t);
CAN_FAIL(doca_log_backend_set_level_upper_limit, struct doca_log_backend *, uint32_t);
CAN_FAIL(doca_log_backend_set_level_lower_limit_strict, struct doca_log_backend *);
CAN_FAIL(doca_log_backend_set_level_upper_limit_strict, struct doca_log_backend *);
CAN_FAIL(doca_log_level_set_global_lower_limit, uint32_t);
CAN_FAIL(doca_log_level_set_global_upper_limit, uint32_t);
HAS_TYPE(doca_log_level_get_global_lower_limit, uint32_t, void);
HAS_TYPE(doca_log_level_get_global_upper_limit, uint32_t, void);
CAN_FAIL(doca_log_register_source, const char *, int *);
CAN_FAIL(doca_log_unregister_source, int);
CAN_FAIL(doca_log_backend_create_with_file, FILE *, struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_fd, int, struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_buf, char *, size_t, log_flush_callback,
	 struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_syslog, const char *, struct doca_log_backend **);
CAN_FAIL(doca_log_backend_set_sdk_level, struct doca_log_backend *, uint32_t);
CAN_FAIL(doca_log_backend_create_with_file_sdk, FILE *, struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_fd_sdk, int, struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_buf_sdk, char *, size_t, log_flush_callback,
	 struct doca_log_backend **);
CAN_FAIL(doca_log_backend_create_with_syslog_sdk, const char *, struct doca_log_backend **);
CAN_FAIL(doca_log_level_set_global_sdk_limit, uint32_t);
HAS_TYPE(doca_log_level_get_global_sdk_limit, uint32_t, void);
CAN_FAIL(doca_log_backend_create_standard, void);
CAN_FAIL(doca_log, uint32_t, int, const char *, int, const char *, const char *, ...);

/* doca_dev.h */
CAN_FAIL(doca_devinfo_create_list, struct doca_devinfo ***, uint32_t *);
CAN_FAIL(doca_devinfo_destroy_list, struct doca_devinfo **);
CAN_FAIL(doca_devinfo_rep_create_list, struct doca_dev *, int, struct doca_devinfo_rep ***,
	 uint32_t *);
CAN_FAIL(doca_devinfo_rep_destroy_list, struct doca_devinfo_rep **);
CAN_FAIL(doca_dev_open, struct doca_devinfo *, struct doca_dev **);
CAN_FAIL(doca_dev_close, struct doca_dev *);
CAN_FAIL(doca_dev_accelerate_resource_reclaim, struct doca_dev *);
CAN_FAIL(doca_dev_rep_open, struct doca_devinfo_rep *, struct doca_dev_rep **);
CAN_FAIL(doca_dev_rep_close, struct doca_dev_rep *);
HAS_TYPE(doca_dev_as_devinfo, struct doca_devinfo *, const struct doca_dev *);
HAS_TYPE(doca_dev_rep_as_devinfo, struct doca_devinfo_rep *, struct doca_dev_rep *);
CAN_FAIL(doca_devinfo_get_pci_addr_str, const struct doca_devinfo *, char *);
CAN_FAIL(doca_devinfo_is_equal_pci_addr, const struct doca_devinfo *, const char *, uint8_t *);
CAN_FAIL(doca_devinfo_get_ipv4_addr, const struct doca_devinfo *, uint8_t *, uint32_t);
CAN_FAIL(doca_devinfo_get_ipv6_addr, const struct doca_devinfo *, uint8_t *, uint32_t);
CAN_FAIL(doca_devinfo_get_mac_addr, const struct doca_devinfo *, uint8_t *, uint32_t);
CAN_FAIL(doca_devinfo_get_iface_name, const struct doca_devinfo *, char *, uint32_t);
CAN_FAIL(doca_devinfo_get_ibdev_name, const struct doca_devinfo *, char *, uint32_t);
CAN_FAIL(doca_devinfo_get_lid, const struct doca_devinfo *, uint16_t *);
CAN_FAIL(doca_devinfo_get_active_rate, const struct doca_devinfo *, uint64_t *);
CAN_FAIL(doca_devinfo_get_vhca_id, const struct doca_devinfo *, uint16_t *);
CAN_FAIL(doca_devinfo_cap_is_hotplug_manager_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_devinfo_cap_is_notification_moderation_supported, const struct doca_devinfo *,
	 uint8_t *);
CAN_FAIL(doca_devinfo_rep_cap_is_filter_all_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_devinfo_rep_cap_is_filter_net_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_devinfo_rep_cap_is_filter_emulated_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_devinfo_cap_is_accelerate_resource_reclaim_supported, const struct doca_devinfo *,
	 uint8_t *);
CAN_FAIL(doca_devinfo_rep_get_vuid, const struct doca_devinfo_rep *, char *, uint32_t);
CAN_FAIL(doca_devinfo_rep_get_pci_addr_str, const struct doca_devinfo_rep *, char *);
CAN_FAIL(doca_devinfo_rep_get_pci_func_type, const struct doca_devinfo_rep *,
	 enum doca_pci_func_type *);
CAN_FAIL(doca_devinfo_rep_get_is_hotplug, const struct doca_devinfo_rep *, uint8_t *);
CAN_FAIL(doca_devinfo_rep_get_iface_name, const struct doca_devinfo_rep *, char *, uint32_t);
CAN_FAIL(doca_devinfo_rep_get_vhca_id, const struct doca_devinfo_rep *, uint16_t *);
CAN_FAIL(doca_devinfo_rep_is_equal_pci_addr, const struct doca_devinfo_rep *, const char *,
	 uint8_t *);
CAN_FAIL(doca_devinfo_get_pci_func_type, const struct doca_devinfo *, enum doca_pci_func_type *);
CAN_FAIL(doca_devinfo_get_sf_index, const struct doca_devinfo *, uint32_t *);

/* doca_mmap.h */
CAN_FAIL(doca_mmap_create, struct doca_mmap **);
CAN_FAIL(doca_mmap_destroy, struct doca_mmap *);
CAN_FAIL(doca_mmap_start, struct doca_mmap *);
CAN_FAIL(doca_mmap_stop, struct doca_mmap *);
CAN_FAIL(doca_mmap_add_dev, struct doca_mmap *, struct doca_dev *);
CAN_FAIL(doca_mmap_rm_dev, struct doca_mmap *, struct doca_dev *);
CAN_FAIL(doca_mmap_export_pci, struct doca_mmap *, const struct doca_dev *, const void **,
	 size_t *);
CAN_FAIL(doca_mmap_export_rdma, struct doca_mmap *, const struct doca_dev *, const void **,
	 size_t *);
CAN_FAIL(doca_mmap_dev_get_dpa_handle, struct doca_mmap *, const struct doca_dev *,
	 doca_dpa_dev_mmap_t *);
CAN_FAIL(doca_mmap_create_from_export, const union doca_data *, const void *, size_t,
	 struct doca_dev *, struct doca_mmap **);
CAN_FAIL(doca_mmap_set_memrange, struct doca_mmap *, void *, size_t);
CAN_FAIL(doca_mmap_set_dmabuf_memrange, struct doca_mmap *, int, void *, size_t, size_t);
CAN_FAIL(doca_mmap_set_dpa_memrange, struct doca_mmap *, struct doca_dpa *, uint64_t, size_t);
CAN_FAIL(doca_mmap_get_memrange, const struct doca_mmap *, void **, size_t *);
CAN_FAIL(doca_mmap_set_free_cb, struct doca_mmap *, doca_mmap_memrange_free_cb_t *, void *);
CAN_FAIL(doca_mmap_get_user_data, const struct doca_mmap *, union doca_data *);
CAN_FAIL(doca_mmap_get_max_num_devices, const struct doca_mmap *, uint32_t *);
CAN_FAIL(doca_mmap_get_num_bufs, const struct doca_mmap *, uint32_t *);
CAN_FAIL(doca_mmap_get_exported, const struct doca_mmap *, uint8_t *);
CAN_FAIL(doca_mmap_get_from_export, const struct doca_mmap *, uint8_t *);
CAN_FAIL(doca_mmap_set_max_num_devices, struct doca_mmap *, uint32_t);
CAN_FAIL(doca_mmap_set_permissions, struct doca_mmap *, uint32_t);
CAN_FAIL(doca_mmap_set_user_data, struct doca_mmap *, union doca_data);
CAN_FAIL(doca_mmap_cap_is_export_pci_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_mmap_cap_is_create_from_export_pci_supported, const struct doca_devinfo *, uint8_t *);
CAN_FAIL(doca_mmap_enable_thread_safety, struct doca_mmap *);

/* doca_buf.h */
CAN_FAIL(doca_buf_inc_refcount, struct doca_buf *, uint16_t *);
CAN_FAIL(doca_buf_dec_refcount, struct doca_buf *, uint16_t *);
CAN_FAIL(doca_buf_get_refcount, const struct doca_buf *, uint16_t *);
CAN_FAIL(doca_buf_get_len, const struct doca_buf *, size_t *);
CAN_FAIL(doca_buf_get_head, const struct doca_buf *, void **);
CAN_FAIL(doca_buf_get_data_len, const struct doca_buf *, size_t *);
CAN_FAIL(doca_buf_get_data, const struct doca_buf *, void **);
CAN_FAIL(doca_buf_set_data, struct doca_buf *, void *, size_t);
CAN_FAIL(doca_buf_set_data_len, struct doca_buf *, size_t);
CAN_FAIL(doca_buf_reset_data_len, struct doca_buf *);
CAN_FAIL(doca_buf_get_next_in_list, struct doca_buf *, struct doca_buf **);
CAN_FAIL(doca_buf_get_last_in_list, struct doca_buf *, struct doca_buf **);
CAN_FAIL(doca_buf_is_last_in_list, const struct doca_buf *, uint8_t *);
CAN_FAIL(doca_buf_is_first_in_list, const struct doca_buf *, uint8_t *);
CAN_FAIL(doca_buf_is_in_list, const struct doca_buf *, uint8_t *);
CAN_FAIL(doca_buf_get_list_len, const struct doca_buf *, uint32_t *);
CAN_FAIL(doca_buf_chain_list, struct doca_buf *, struct doca_buf *);
CAN_FAIL(doca_buf_chain_list_tail, struct doca_buf *, struct doca_buf *, struct doca_buf *);
CAN_FAIL(doca_buf_unchain_list, struct doca_buf *, struct doca_buf *);

/* doca_buf_inventory.h */
CAN_FAIL(doca_buf_inventory_create, size_t, struct doca_buf_inventory **);
CAN_FAIL(doca_buf_inventory_destroy, struct doca_buf_inventory *);
CAN_FAIL(doca_buf_inventory_start, struct doca_buf_inventory *);
CAN_FAIL(doca_buf_inventory_stop, struct doca_buf_inventory *);
CAN_FAIL(doca_buf_inventory_buf_get_by_args, struct doca_buf_inventory *, struct doca_mmap *,
	 void *, size_t, void *, size_t, struct doca_buf **);
CAN_FAIL(doca_buf_inventory_buf_reuse_by_args, struct doca_buf *, void *, size_t, void *, size_t);
CAN_FAIL(doca_buf_inventory_buf_reuse_by_addr, struct doca_buf *, void *, size_t);
CAN_FAIL(doca_buf_inventory_buf_reuse_by_data, struct doca_buf *, void *, size_t);
CAN_FAIL(doca_buf_inventory_buf_get_by_addr, struct doca_buf_inventory *, struct doca_mmap *,
	 void *, size_t, struct doca_buf **);
CAN_FAIL(doca_buf_inventory_buf_get_by_data, struct doca_buf_inventory *, struct doca_mmap *,
	 void *, size_t, struct doca_buf **);
CAN_FAIL(doca_buf_inventory_buf_dup, struct doca_buf_inventory *, const struct doca_buf *,
	 struct doca_buf **);
CAN_FAIL(doca_buf_inventory_set_user_data, struct doca_buf_inventory *, union doca_data);
CAN_FAIL(doca_buf_inventory_get_num_elements, const struct doca_buf_inventory *, uint32_t *);
CAN_FAIL(doca_buf_inventory_get_num_free_elements, const struct doca_buf_inventory *, uint32_t *);
CAN_FAIL(doca_buf_inventory_get_user_data, const struct doca_buf_inventory *, union doca_data *);
CAN_FAIL(doca_buf_inventory_expand, struct doca_buf_inventory *, uint32_t);

/* doca_ctx.h */
CAN_FAIL(doca_ctx_start, struct doca_ctx *);
CAN_FAIL(doca_ctx_stop, struct doca_ctx *);
CAN_FAIL(doca_ctx_get_num_inflight_tasks, const struct doca_ctx *, size_t *);
CAN_FAIL(doca_ctx_set_datapath_on_gpu, struct doca_ctx *, struct doca_gpu *);
CAN_FAIL(doca_ctx_set_user_data, struct doca_ctx *, union doca_data);
CAN_FAIL(doca_ctx_get_user_data, const struct doca_ctx *, union doca_data *);
CAN_FAIL(doca_ctx_set_state_changed_cb, struct doca_ctx *, doca_ctx_state_changed_callback_t);
CAN_FAIL(doca_ctx_get_state, const struct doca_ctx *, enum doca_ctx_states *);
HAS_TYPE(doca_ctx_flush_tasks, void, struct doca_ctx *);
CAN_FAIL(doca_ctx_set_datapath_on_dpa, struct doca_ctx *, struct doca_dpa *);
CAN_FAIL(doca_ctx_set_completion_vector, struct doca_ctx *, uint32_t);
CAN_FAIL(doca_ctx_cap_get_num_completion_vectors, const struct doca_devinfo *, uint32_t *);

/* doca_pe.h */
CAN_FAIL(doca_pe_create, struct doca_pe **);
CAN_FAIL(doca_pe_destroy, struct doca_pe *);
HAS_TYPE(doca_pe_progress, uint8_t, struct doca_pe *);
CAN_FAIL(doca_pe_get_notification_handle, const struct doca_pe *, doca_notification_handle_t *);
CAN_FAIL(doca_pe_clear_notification, struct doca_pe *, doca_notification_handle_t);
CAN_FAIL(doca_pe_request_notification, struct doca_pe *);
CAN_FAIL(doca_pe_get_num_inflight_tasks, const struct doca_pe *, size_t *);
CAN_FAIL(doca_task_submit, struct doca_task *);
CAN_FAIL(doca_task_submit_ex, struct doca_task *, uint32_t);
CAN_FAIL(doca_task_batch_submit, struct doca_task_batch *);
CAN_FAIL(doca_task_try_submit, struct doca_task *);
CAN_FAIL(doca_task_batch_try_submit, struct doca_task_batch *);
HAS_TYPE(doca_task_free, void, struct doca_task *);
HAS_TYPE(doca_task_batch_free, void, struct doca_task_batch *);
CAN_FAIL(doca_task_get_status, const struct doca_task *);
CAN_FAIL(doca_task_batch_get_status, const struct doca_task_batch *);
HAS_TYPE(doca_task_set_user_data, void, struct doca_task *, union doca_data);
HAS_TYPE(doca_task_batch_set_user_data, void, struct doca_task_batch *, union doca_data);
HAS_TYPE(doca_task_get_user_data, union doca_data, const struct doca_task *);
HAS_TYPE(doca_task_batch_get_user_data, union doca_data, const struct doca_task_batch *);
HAS_TYPE(doca_task_get_ctx, struct doca_ctx *, const struct doca_task *);
HAS_TYPE(doca_task_batch_get_ctx, struct doca_ctx *, const struct doca_task_batch *);
HAS_TYPE(doca_task_batch_get_ctx_user_data, union doca_data, const struct doca_task_batch *);
HAS_TYPE(doca_task_batch_get_tasks_num, uint16_t, struct doca_task_batch *);
CAN_FAIL(doca_pe_connect_ctx, struct doca_pe *, struct doca_ctx *);
CAN_FAIL(doca_pe_set_event_mode, struct doca_pe *, enum doca_pe_event_mode);

/* doca_dma.h */
CAN_FAIL(doca_dma_create, struct doca_dev *, struct doca_dma **);
CAN_FAIL(doca_dma_destroy, struct doca_dma *);
CAN_FAIL(doca_dma_cap_task_memcpy_is_supported, const struct doca_devinfo *);
HAS_TYPE(doca_dma_as_ctx, struct doca_ctx *, struct doca_dma *);
CAN_FAIL(doca_dma_cap_get_max_num_tasks, struct doca_dma *, uint32_t *);
CAN_FAIL(doca_dma_cap_task_memcpy_get_max_buf_list_len, const struct doca_devinfo *, uint32_t *);
CAN_FAIL(doca_dma_cap_task_memcpy_get_max_buf_size, const struct doca_devinfo *, uint64_t *);
CAN_FAIL(doca_dma_task_memcpy_set_conf, struct doca_dma *, doca_dma_task_memcpy_completion_cb_t,
	 doca_dma_task_memcpy_completion_cb_t, uint32_t);
CAN_FAIL(doca_dma_task_memcpy_alloc_init, struct doca_dma *, const struct doca_buf *,
	 struct doca_buf *, union doca_data, struct doca_dma_task_memcpy **);
HAS_TYPE(doca_dma_task_memcpy_as_task, struct doca_task *, struct doca_dma_task_memcpy *);
HAS_TYPE(doca_dma_task_memcpy_set_src, void, struct doca_dma_task_memcpy *,
	 const struct doca_buf *);
HAS_TYPE(doca_dma_task_memcpy_get_src, const struct doca_buf *,
	 const struct doca_dma_task_memcpy *);
HAS_TYPE(doca_dma_task_memcpy_set_dst, void, struct doca_dma_task_memcpy *, struct doca_buf *);
HAS_TYPE(doca_dma_task_memcpy_get_dst, struct doca_buf *, const struct doca_dma_task_memcpy *);
CAN_FAIL(doca_dma_get_gpu_handle, struct doca_dma *, struct doca_gpu_dma **);

/* Compiles only when it may stand at file scope with a semicolon after it. */
DOCA_LOG_REGISTER(TEST::ABI);

struct versioned {
	DOCA_STRUCT_START;
	int value;
};

HAS_FIELD(struct versioned, __doca_api_version, size_t, 0);

static const struct {
	doca_error_t code;
	const char *name;
} error_codes[] = {
	{ DOCA_SUCCESS, "DOCA_SUCCESS" },
	{ DOCA_ERROR_UNKNOWN, "DOCA_ERROR_UNKNOWN" },
	{ DOCA_ERROR_NOT_PERMITTED, "DOCA_ERROR_NOT_PERMITTED" },
	{ DOCA_ERROR_IN_USE, "DOCA_ERROR_IN_USE" },
	{ DOCA_ERROR_NOT_SUPPORTED, "DOCA_ERROR_NOT_SUPPORTED" },
	{ DOCA_ERROR_AGAIN, "DOCA_ERROR_AGAIN" },
	{ DOCA_ERROR_INVALID_VALUE, "DOCA_ERROR_INVALID_VALUE" },
	{ DOCA_ERROR_NO_MEMORY, "DOCA_ERROR_NO_MEMORY" },
	{ DOCA_ERROR_INITIALIZATION, "DOCA_ERROR_INITIALIZATION" },
	{ DOCA_ERROR_TIME_OUT, "DOCA_ERROR_TIME_OUT" },
	{ DOCA_ERROR_SHUTDOWN, "DOCA_ERROR_SHUTDOWN" },
	{ DOCA_ERROR_CONNECTION_RESET, "DOCA_ERROR_CONNECTION_RESET" },
	{ DOCA_ERROR_CONNECTION_ABORTED, "DOCA_ERROR_CONNECTION_ABORTED" },
	{ DOCA_ERROR_CONNECTION_INPROGRESS, "DOCA_ERROR_CONNECTION_INPROGRESS" },
	{ DOCA_ERROR_NOT_CONNECTED, "DOCA_ERROR_NOT_CONNECTED" },
	{ DOCA_ERROR_NO_LOCK, "DOCA_ERROR_NO_LOCK" },
	{ DOCA_ERROR_NOT_FOUND, "DOCA_ERROR_NOT_FOUND" },
	{ DOCA_ERROR_IO_FAILED, "DOCA_ERROR_IO_FAILED" },
	{ DOCA_ERROR_BAD_STATE, "DOCA_ERROR_BAD_STATE" },
	{ DOCA_ERROR_UNSUPPORTED_VERSION, "DOCA_ERROR_UNSUPPORTED_VERSION" },
	{ DOCA_ERROR_OPERATING_SYSTEM, "DOCA_ERROR_OPERATING_SYSTEM" },
	{ DOCA_ERROR_DRIVER, "DOCA_ERROR_DRIVER" },
	{ DOCA_ERROR_UNEXPECTED, "DOCA_ERROR_UNEXPECTED" },
	{ DOCA_ERROR_ALREADY_EXIST, "DOCA_ERROR_ALREADY_EXIST" },
	{ DOCA_ERROR_FULL, "DOCA_ERROR_FULL" },
	{ DOCA_ERROR_EMPTY, "DOCA_ERROR_EMPTY" },
	{ DOCA_ERROR_IN_PROGRESS, "DOCA_ERROR_IN_PROGRESS" },
	{ DOCA_ERROR_TOO_BIG, "DOCA_ERROR_TOO_BIG" },
	{ DOCA_ERROR_AUTHENTICATION, "DOCA_ERROR_AUTHENTICATION" },
	{ DOCA_ERROR_BAD_CONFIG, "DOCA_ERROR_BAD_CONFIG" },
	{ DOCA_ERROR_SKIPPED, "DOCA_ERROR_SKIPPED" },
};

_Static_assert(sizeof(error_codes) / sizeof(error_codes[0]) == 31, "every code has its row");

#define FIRST_UNKNOWN 31U
#define LAST_ASKED    40U

static const char unknown_code[] = "unrecognized error code";

/* rdma trap 69 */
static void every_error_code_has_its_value(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FIRST_UNKNOWN; i++)
		assert_int_equal(error_codes[i].code, i);
}

static void every_error_code_has_its_enumerator_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FIRST_UNKNOWN; i++)
		assert_string_equal(doca_error_get_name(error_codes[i].code), error_codes[i].name);
}

/* rdma trap 69 */
static void every_error_code_has_a_description_of_its_own(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < FIRST_UNKNOWN; i++) {
		const char *descr = doca_error_get_descr(error_codes[i].code);

		assert_non_null(descr);
		assert_string_not_equal(descr, "");
		assert_string_not_equal(descr, unknown_code);
		for (unsigned int other = 0; other < i; other++)
			assert_string_not_equal(descr,
						doca_error_get_descr(error_codes[other].code));
	}
}

/* rdma trap 69 */
static void unknown_error_codes_are_said_to_be_unrecognized(void **state)
{
	(void)state;
	for (unsigned int i = FIRST_UNKNOWN; i <= LAST_ASKED; i++) {
		assert_string_equal(doca_error_get_name((doca_error_t)i), unknown_code);
		assert_string_equal(doca_error_get_descr((doca_error_t)i), unknown_code);
	}
	assert_string_equal(doca_error_get_name((doca_error_t)-1), unknown_code);
	assert_string_equal(doca_error_get_descr((doca_error_t)-1), unknown_code);
}

static void error_propagate_keeps_the_first_error(void **state)
{
	doca_error_t result = DOCA_SUCCESS;

	(void)state;
	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	assert_int_equal(result, DOCA_SUCCESS);
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_FULL);
	assert_int_equal(result, DOCA_ERROR_FULL);
	DOCA_ERROR_PROPAGATE(result, DOCA_ERROR_EMPTY);
	assert_int_equal(result, DOCA_ERROR_FULL);
	DOCA_ERROR_PROPAGATE(result, DOCA_SUCCESS);
	assert_int_equal(result, DOCA_ERROR_FULL);
}

static void struct_ctor_stamps_the_version_and_keeps_the_rest(void **state)
{
	struct versioned by_value = { .value = 7 };
	struct versioned by_pointer = { .value = 8 };

	(void)state;
	DOCA_STRUCT_CTOR(by_value);
	DOCA_STRUCT_PTR_CTOR(&by_pointer);

	assert_int_equal(DOCA_STRUCT_GET_VERSION(&by_value), DOCA_VERSION_EXACT);
	assert_int_equal(by_value.value, 7);
	assert_int_equal(DOCA_STRUCT_GET_VERSION(&by_pointer), DOCA_VERSION_EXACT);
	assert_int_equal(by_pointer.value, 8);
}

static void struct_memset_ctor_zeroes_and_stamps(void **state)
{
	struct versioned by_value = { .value = 7 };
	struct versioned by_pointer = { .value = 8 };

	(void)state;
	DOCA_STRUCT_MEMSET_CTOR(by_value);
	DOCA_STRUCT_PTR_MEMSET_CTOR(&by_pointer);

	assert_int_equal(DOCA_STRUCT_GET_VERSION(&by_value), DOCA_VERSION_EXACT);
	assert_int_equal(by_value.value, 0);
	assert_int_equal(DOCA_STRUCT_GET_VERSION(&by_pointer), DOCA_VERSION_EXACT);
	assert_int_equal(by_pointer.value, 0);
}

static void struct_initializers_stamp_the_version(void **state)
{
	DOCA_STRUCT_DEF(versioned, defined);
	struct versioned listed = { DOCA_STRUCT_CTOR_LIST_START, .value = 9 };

	(void)state;
	assert_int_equal(DOCA_STRUCT_GET_VERSION(&defined), DOCA_VERSION_EXACT);
	assert_int_equal(defined.value, 0);
	assert_int_equal(DOCA_STRUCT_GET_VERSION(&listed), DOCA_VERSION_EXACT);
	assert_int_equal(listed.value, 9);
}

static void headers_and_library_are_of_one_version(void **state)
{
	(void)state;
	assert_string_equal(doca_version(), "3.3.0");
	assert_string_equal(doca_version_runtime(), "3.3.0");
}

static void disabled_trace_evaluates_nothing(void **state)
{
	int evaluated = 0;

	(void)state;
	DOCA_LOG_TRC("%d", ++evaluated);
	assert_int_equal(evaluated, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_code_has_its_value),
		cmocka_unit_test(every_error_code_has_its_enumerator_name),
		cmocka_unit_test(every_error_code_has_a_description_of_its_own),
		cmocka_unit_test(unknown_error_codes_are_said_to_be_unrecognized),
		cmocka_unit_test(error_propagate_keeps_the_first_error),
		cmocka_unit_test(struct_ctor_stamps_the_version_and_keeps_the_rest),
		cmocka_unit_test(struct_memset_ctor_zeroes_and_stamps),
		cmocka_unit_test(struct_initializers_stamp_the_version),
		cmocka_unit_test(headers_and_library_are_of_one_version),
		cmocka_unit_test(disabled_trace_evaluates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
