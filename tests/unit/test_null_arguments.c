/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, memory maps, buffers and inventories refuse each NULL that they cannot do with. */
#include "fixture.h"
#include "null_arguments.h"

#define BYTES     64

#define ANY_BYTES 256

/* Good objects. */
static struct fixture_memory memory;
static struct doca_devinfo *info;
static struct doca_mmap *map; /* has no range yet */
static struct doca_buf *buf, *tail, *other;
static const union doca_data no_data = { .u64 = 0 };

/* Any output goes here, and what no object exists of, representors and the like, is here too. */
static _Alignas(16) char any_bytes[ANY_BYTES];
static void *const any = any_bytes;

static void on_free(void *addr, size_t len, void *cookie)
{
	(void)addr;
	(void)len;
	(void)cookie;
}

static int group_setup(void **state)
{
	(void)state;
	fixture_memory_init(&memory, BYTES, 4);
	info = doca_dev_as_devinfo(memory.dev);
	assert_success(doca_mmap_create(&map));
	buf = fixture_buf(&memory, 0, BYTES, 0, 0);
	tail = fixture_buf(&memory, 0, BYTES, 0, 0);
	other = fixture_buf(&memory, 0, BYTES, 0, 0);
	assert_success(doca_buf_chain_list(buf, tail));
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	fixture_buf_put(buf);
	fixture_buf_put(other);
	assert_success(doca_mmap_destroy(map));
	fixture_memory_fini(&memory);
	return 0;
}

static void devices_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_devinfo_create_list, NULL, any);
	REFUSES(doca_devinfo_create_list, any, NULL);
	REFUSES(doca_devinfo_destroy_list, NULL);
	REFUSES(doca_dev_open, NULL, any);
	REFUSES(doca_dev_open, info, NULL);
	REFUSES(doca_dev_close, NULL);
	REFUSES(doca_dev_accelerate_resource_reclaim, NULL);
	RETURNS_ZERO(doca_dev_as_devinfo, NULL);
}

static void device_properties_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_devinfo_get_pci_addr_str, NULL, any);
	REFUSES(doca_devinfo_get_pci_addr_str, info, NULL);
	REFUSES(doca_devinfo_is_equal_pci_addr, NULL, "0000:00:00.0", any);
	REFUSES(doca_devinfo_is_equal_pci_addr, info, NULL, any);
	REFUSES(doca_devinfo_is_equal_pci_addr, info, "0000:00:00.0", NULL);
	REFUSES(doca_devinfo_get_ipv4_addr, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_get_ipv4_addr, info, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_get_ipv6_addr, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_get_ipv6_addr, info, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_get_mac_addr, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_get_mac_addr, info, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_get_iface_name, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_get_iface_name, info, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_get_ibdev_name, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_get_ibdev_name, info, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_get_lid, NULL, any);
	REFUSES(doca_devinfo_get_lid, info, NULL);
	REFUSES(doca_devinfo_get_active_rate, NULL, any);
	REFUSES(doca_devinfo_get_active_rate, info, NULL);
	REFUSES(doca_devinfo_get_vhca_id, NULL, any);
	REFUSES(doca_devinfo_get_vhca_id, info, NULL);
	REFUSES(doca_devinfo_get_pci_func_type, NULL, any);
	REFUSES(doca_devinfo_get_pci_func_type, info, NULL);
	REFUSES(doca_devinfo_get_sf_index, NULL, any);
	REFUSES(doca_devinfo_get_sf_index, info, NULL);
}

static void device_capabilities_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_devinfo_cap_is_hotplug_manager_supported, NULL, any);
	REFUSES(doca_devinfo_cap_is_hotplug_manager_supported, info, NULL);
	REFUSES(doca_devinfo_cap_is_notification_moderation_supported, NULL, any);
	REFUSES(doca_devinfo_cap_is_notification_moderation_supported, info, NULL);
	REFUSES(doca_devinfo_cap_is_accelerate_resource_reclaim_supported, NULL, any);
	REFUSES(doca_devinfo_cap_is_accelerate_resource_reclaim_supported, info, NULL);
	REFUSES(doca_devinfo_rep_cap_is_filter_all_supported, NULL, any);
	REFUSES(doca_devinfo_rep_cap_is_filter_all_supported, info, NULL);
	REFUSES(doca_devinfo_rep_cap_is_filter_net_supported, NULL, any);
	REFUSES(doca_devinfo_rep_cap_is_filter_net_supported, info, NULL);
	REFUSES(doca_devinfo_rep_cap_is_filter_emulated_supported, NULL, any);
	REFUSES(doca_devinfo_rep_cap_is_filter_emulated_supported, info, NULL);
	REFUSES(doca_mmap_cap_is_export_pci_supported, NULL, any);
	REFUSES(doca_mmap_cap_is_export_pci_supported, info, NULL);
	REFUSES(doca_mmap_cap_is_create_from_export_pci_supported, NULL, any);
	REFUSES(doca_mmap_cap_is_create_from_export_pci_supported, info, NULL);
}

static void representors_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_devinfo_rep_create_list, NULL, 0, any, any);
	REFUSES(doca_devinfo_rep_create_list, memory.dev, 0, NULL, any);
	REFUSES(doca_devinfo_rep_create_list, memory.dev, 0, any, NULL);
	REFUSES(doca_devinfo_rep_destroy_list, NULL);
	REFUSES(doca_dev_rep_open, NULL, any);
	REFUSES(doca_dev_rep_open, any, NULL);
	REFUSES(doca_dev_rep_close, NULL);
	RETURNS_ZERO(doca_dev_rep_as_devinfo, NULL);
	REFUSES(doca_devinfo_rep_get_vuid, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_rep_get_vuid, any, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_rep_get_pci_addr_str, NULL, any);
	REFUSES(doca_devinfo_rep_get_pci_addr_str, any, NULL);
	REFUSES(doca_devinfo_rep_get_pci_func_type, NULL, any);
	REFUSES(doca_devinfo_rep_get_pci_func_type, any, NULL);
	REFUSES(doca_devinfo_rep_get_is_hotplug, NULL, any);
	REFUSES(doca_devinfo_rep_get_is_hotplug, any, NULL);
	REFUSES(doca_devinfo_rep_get_iface_name, NULL, any, ANY_BYTES);
	REFUSES(doca_devinfo_rep_get_iface_name, any, NULL, ANY_BYTES);
	REFUSES(doca_devinfo_rep_get_vhca_id, NULL, any);
	REFUSES(doca_devinfo_rep_get_vhca_id, any, NULL);
	REFUSES(doca_devinfo_rep_is_equal_pci_addr, NULL, "00:00.0", any);
	REFUSES(doca_devinfo_rep_is_equal_pci_addr, any, NULL, any);
	REFUSES(doca_devinfo_rep_is_equal_pci_addr, any, "00:00.0", NULL);
}

static void memory_map_changes_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_mmap_create, NULL);
	REFUSES(doca_mmap_destroy, NULL);
	REFUSES(doca_mmap_start, NULL);
	REFUSES(doca_mmap_stop, NULL);
	REFUSES(doca_mmap_add_dev, NULL, memory.dev);
	REFUSES(doca_mmap_add_dev, map, NULL);
	REFUSES(doca_mmap_rm_dev, NULL, memory.dev);
	REFUSES(doca_mmap_rm_dev, map, NULL);
	REFUSES(doca_mmap_set_memrange, NULL, any, ANY_BYTES);
	REFUSES(doca_mmap_set_memrange, map, NULL, ANY_BYTES);
	REFUSES(doca_mmap_set_dmabuf_memrange, NULL, 0, any, 0, ANY_BYTES);
	REFUSES(doca_mmap_set_dpa_memrange, NULL, any, 0, ANY_BYTES);
	REFUSES(doca_mmap_set_dpa_memrange, map, NULL, 0, ANY_BYTES);
	REFUSES(doca_mmap_set_free_cb, NULL, on_free, any);
	REFUSES(doca_mmap_set_free_cb, map, NULL, any);
	REFUSES(doca_mmap_set_max_num_devices, NULL, 1);
	REFUSES(doca_mmap_set_permissions, NULL, 0);
	REFUSES(doca_mmap_set_user_data, NULL, no_data);
	REFUSES(doca_mmap_enable_thread_safety, NULL);
}

static void memory_map_exports_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_mmap_export_pci, NULL, memory.dev, any, any);
	REFUSES(doca_mmap_export_pci, memory.mmap, NULL, any, any);
	REFUSES(doca_mmap_export_pci, memory.mmap, memory.dev, NULL, any);
	REFUSES(doca_mmap_export_pci, memory.mmap, memory.dev, any, NULL);
	REFUSES(doca_mmap_export_rdma, NULL, memory.dev, any, any);
	REFUSES(doca_mmap_export_rdma, memory.mmap, NULL, any, any);
	REFUSES(doca_mmap_export_rdma, memory.mmap, memory.dev, NULL, any);
	REFUSES(doca_mmap_export_rdma, memory.mmap, memory.dev, any, NULL);
	REFUSES(doca_mmap_dev_get_dpa_handle, NULL, memory.dev, any);
	REFUSES(doca_mmap_dev_get_dpa_handle, memory.mmap, NULL, any);
	REFUSES(doca_mmap_dev_get_dpa_handle, memory.mmap, memory.dev, NULL);
	REFUSES(doca_mmap_create_from_export, &no_data, NULL, ANY_BYTES, memory.dev, any);
	REFUSES(doca_mmap_create_from_export, &no_data, any, ANY_BYTES, NULL, any);
	REFUSES(doca_mmap_create_from_export, &no_data, any, ANY_BYTES, memory.dev, NULL);
}

static void memory_map_properties_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_mmap_get_memrange, NULL, any, any);
	REFUSES(doca_mmap_get_memrange, memory.mmap, NULL, any);
	REFUSES(doca_mmap_get_memrange, memory.mmap, any, NULL);
	REFUSES(doca_mmap_get_user_data, NULL, any);
	REFUSES(doca_mmap_get_user_data, memory.mmap, NULL);
	REFUSES(doca_mmap_get_max_num_devices, NULL, any);
	REFUSES(doca_mmap_get_max_num_devices, memory.mmap, NULL);
	REFUSES(doca_mmap_get_num_bufs, NULL, any);
	REFUSES(doca_mmap_get_num_bufs, memory.mmap, NULL);
	REFUSES(doca_mmap_get_exported, NULL, any);
	REFUSES(doca_mmap_get_exported, memory.mmap, NULL);
	REFUSES(doca_mmap_get_from_export, NULL, any);
	REFUSES(doca_mmap_get_from_export, memory.mmap, NULL);
}

static void buffers_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_buf_inc_refcount, NULL, any);
	REFUSES(doca_buf_dec_refcount, NULL, any);
	REFUSES(doca_buf_get_refcount, NULL, any);
	REFUSES(doca_buf_get_refcount, buf, NULL);
	REFUSES(doca_buf_get_len, NULL, any);
	REFUSES(doca_buf_get_len, buf, NULL);
	REFUSES(doca_buf_get_head, NULL, any);
	REFUSES(doca_buf_get_head, buf, NULL);
	REFUSES(doca_buf_get_data_len, NULL, any);
	REFUSES(doca_buf_get_data_len, buf, NULL);
	REFUSES(doca_buf_get_data, NULL, any);
	REFUSES(doca_buf_get_data, buf, NULL);
	REFUSES(doca_buf_set_data, NULL, memory.bytes, 1);
	REFUSES_AS("is outside", doca_buf_set_data, buf, NULL, 1);
	REFUSES(doca_buf_set_data_len, NULL, 1);
	REFUSES(doca_buf_reset_data_len, NULL);
}

static void buffer_lists_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_buf_get_next_in_list, NULL, any);
	REFUSES(doca_buf_get_next_in_list, buf, NULL);
	REFUSES(doca_buf_get_last_in_list, NULL, any);
	REFUSES(doca_buf_get_last_in_list, buf, NULL);
	REFUSES(doca_buf_is_last_in_list, NULL, any);
	REFUSES(doca_buf_is_last_in_list, buf, NULL);
	REFUSES(doca_buf_is_first_in_list, NULL, any);
	REFUSES(doca_buf_is_first_in_list, buf, NULL);
	REFUSES(doca_buf_is_in_list, NULL, any);
	REFUSES(doca_buf_is_in_list, buf, NULL);
	REFUSES(doca_buf_get_list_len, NULL, any);
	REFUSES(doca_buf_get_list_len, buf, NULL);
	REFUSES(doca_buf_chain_list, NULL, other);
	REFUSES(doca_buf_chain_list, buf, NULL);
	REFUSES(doca_buf_chain_list_tail, NULL, tail, other);
	REFUSES(doca_buf_chain_list_tail, buf, NULL, other);
	REFUSES(doca_buf_chain_list_tail, buf, tail, NULL);
	REFUSES(doca_buf_unchain_list, NULL, tail);
	REFUSES(doca_buf_unchain_list, buf, NULL);
}

static void inventories_refuse_NULL(void **state)
{
	(void)state;
	REFUSES(doca_buf_inventory_create, 1, NULL);
	REFUSES(doca_buf_inventory_destroy, NULL);
	REFUSES(doca_buf_inventory_start, NULL);
	REFUSES(doca_buf_inventory_stop, NULL);
	REFUSES(doca_buf_inventory_expand, NULL, 1);
	REFUSES(doca_buf_inventory_set_user_data, NULL, no_data);
	REFUSES(doca_buf_inventory_get_user_data, NULL, any);
	REFUSES(doca_buf_inventory_get_user_data, memory.inventory, NULL);
	REFUSES(doca_buf_inventory_get_num_elements, NULL, any);
	REFUSES(doca_buf_inventory_get_num_elements, memory.inventory, NULL);
	REFUSES(doca_buf_inventory_get_num_free_elements, NULL, any);
	REFUSES(doca_buf_inventory_get_num_free_elements, memory.inventory, NULL);
}

/* The get and reuse calls for addresses and for data are made of those for both. */
#define GET_PART   "doca_buf_inventory_buf_get_by_args"
#define REUSE_PART "doca_buf_inventory_buf_reuse_by_args"

static void taking_buffers_refuses_NULL(void **state)
{
	struct doca_buf_inventory *from = memory.inventory;
	struct doca_mmap *mmap = memory.mmap;
	char *at = memory.bytes;

	(void)state;
	REFUSES(doca_buf_inventory_buf_get_by_args, NULL, mmap, at, 1, at, 1, any);
	REFUSES(doca_buf_inventory_buf_get_by_args, from, NULL, at, 1, at, 1, any);
	REFUSES(doca_buf_inventory_buf_get_by_args, from, mmap, NULL, 1, at, 1, any);
	REFUSES(doca_buf_inventory_buf_get_by_args, from, mmap, at, 1, NULL, 1, any);
	REFUSES(doca_buf_inventory_buf_get_by_args, from, mmap, at, 1, at, 1, NULL);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_addr, NULL, mmap, at, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_addr, from, NULL, at, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_addr, from, mmap, NULL, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_addr, from, mmap, at, 1, NULL);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_data, NULL, mmap, at, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_data, from, NULL, at, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_data, from, mmap, NULL, 1, any);
	REFUSES_AS(GET_PART, doca_buf_inventory_buf_get_by_data, from, mmap, at, 1, NULL);
	REFUSES(doca_buf_inventory_buf_dup, NULL, buf, any);
	REFUSES(doca_buf_inventory_buf_dup, from, NULL, any);
	REFUSES(doca_buf_inventory_buf_dup, from, buf, NULL);
}

static void reusing_buffers_refuses_NULL(void **state)
{
	char *at = memory.bytes;

	(void)state;
	REFUSES(doca_buf_inventory_buf_reuse_by_args, NULL, at, 1, at, 1);
	REFUSES(doca_buf_inventory_buf_reuse_by_args, other, NULL, 1, at, 1);
	REFUSES(doca_buf_inventory_buf_reuse_by_args, other, at, 1, NULL, 1);
	REFUSES_AS(REUSE_PART, doca_buf_inventory_buf_reuse_by_addr, NULL, at, 1);
	REFUSES_AS(REUSE_PART, doca_buf_inventory_buf_reuse_by_addr, other, NULL, 1);
	REFUSES_AS(REUSE_PART, doca_buf_inventory_buf_reuse_by_data, NULL, at, 1);
	REFUSES_AS(REUSE_PART, doca_buf_inventory_buf_reuse_by_data, other, NULL, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(devices_refuse_NULL),
		TEST(device_properties_refuse_NULL),
		TEST(device_capabilities_refuse_NULL),
		TEST(representors_refuse_NULL),
		TEST(memory_map_changes_refuse_NULL),
		TEST(memory_map_exports_refuse_NULL),
		TEST(memory_map_properties_refuse_NULL),
		TEST(buffers_refuse_NULL),
		TEST(buffer_lists_refuse_NULL),
		TEST(inventories_refuse_NULL),
		TEST(taking_buffers_refuses_NULL),
		TEST(reusing_buffers_refuses_NULL),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
