/* SPDX-License-Identifier: BSD-3-Clause */

/* The life of a local mmap: its range, rights, devices and free callback. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fixture.h"
#include "test.h"

#define RANGE_LEN   64
#define DEFAULT_MAX 32

static char bytes[RANGE_LEN];

static struct doca_mmap *mmap_new(void)
{
	struct doca_mmap *mmap;

	assert_success(doca_mmap_create(&mmap));
	return mmap;
}

static struct doca_mmap *mmap_ranged(void)
{
	struct doca_mmap *mmap = mmap_new();

	assert_success(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	return mmap;
}

static uint32_t mmap_bufs(const struct doca_mmap *mmap)
{
	uint32_t num_bufs;

	assert_success(doca_mmap_get_num_bufs(mmap, &num_bufs));
	return num_bufs;
}

struct freed {
	unsigned int calls;
	void *addr;
	size_t len;
	struct doca_dev *dev;
	doca_error_t closed;
};

static void on_free(void *addr, size_t len, void *cookie)
{
	struct freed *freed = cookie;

	freed->calls++;
	freed->addr = addr;
	freed->len = len;
	if (freed->dev != NULL)
		freed->closed = doca_dev_close(freed->dev);
}

static void new_mmap_has_nothing(void **state)
{
	struct doca_mmap *mmap = mmap_new();
	union doca_data data = { .u64 = 1 };
	uint8_t is_exported = 1, is_from_export = 1;
	uint32_t max = 0;

	(void)state;
	assert_success(doca_mmap_get_user_data(mmap, &data));
	assert_success(doca_mmap_get_exported(mmap, &is_exported));
	assert_success(doca_mmap_get_from_export(mmap, &is_from_export));
	assert_success(doca_mmap_get_max_num_devices(mmap, &max));

	assert_int_equal(data.u64, 0);
	assert_int_equal(is_exported, 0);
	assert_int_equal(is_from_export, 0);
	assert_int_equal(max, DEFAULT_MAX);
	assert_int_equal(mmap_bufs(mmap), 0);
	assert_success(doca_mmap_destroy(mmap));
}

/* --- the range --- */

static void range_must_not_wrap(void **state)
{
	static const struct {
		uintptr_t addr;
		size_t len;
		doca_error_t expected;
	} rows[] = {
		{ 4096, 0, DOCA_ERROR_INVALID_VALUE },
		{ UINTPTR_MAX, 1, DOCA_ERROR_INVALID_VALUE },
		{ UINTPTR_MAX - 7, 9, DOCA_ERROR_INVALID_VALUE },
		{ 2, SIZE_MAX - 1, DOCA_ERROR_INVALID_VALUE },
		{ 4096, SIZE_MAX, DOCA_ERROR_INVALID_VALUE },
		{ 1, 1, DOCA_SUCCESS },
		{ UINTPTR_MAX - 7, 7, DOCA_SUCCESS },
		{ 1, SIZE_MAX - 1, DOCA_SUCCESS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_mmap *mmap = mmap_new();
		void *addr = (void *)rows[i].addr; /* never followed */

		if (rows[i].expected == DOCA_SUCCESS)
			assert_success(doca_mmap_set_memrange(mmap, addr, rows[i].len));
		else
			assert_refused(doca_mmap_set_memrange(mmap, addr, rows[i].len),
				       rows[i].expected, "no range");
		assert_success(doca_mmap_destroy(mmap));
	}
}

static void refused_range_leaves_room_for_another(void **state)
{
	struct doca_mmap *mmap = mmap_new();
	void *addr;
	size_t len;

	(void)state;
	assert_refused(doca_mmap_set_memrange(mmap, bytes, 0), DOCA_ERROR_INVALID_VALUE, "range");
	assert_success(doca_mmap_set_memrange(mmap, bytes + 1, 5));

	assert_success(doca_mmap_get_memrange(mmap, &addr, &len));
	assert_ptr_equal(addr, bytes + 1);
	assert_int_equal(len, 5);
	assert_success(doca_mmap_destroy(mmap));
}

static void ranges_may_overlap(void **state)
{
	struct doca_mmap *one = fixture_mmap_create(NULL, bytes, 32, 0);
	struct doca_mmap *other = fixture_mmap_create(NULL, bytes + 31, 32, 0);

	(void)state;
	fixture_mmap_destroy(one);
	fixture_mmap_destroy(other);
}

static void user_data_is_kept(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	union doca_data data = { .ptr = bytes };

	(void)state;
	assert_success(doca_mmap_set_user_data(mmap, data));
	assert_success(doca_mmap_start(mmap));

	data.u64 = 0;
	assert_success(doca_mmap_get_user_data(mmap, &data));
	assert_ptr_equal(data.ptr, bytes);
	fixture_mmap_destroy(mmap);
}

/* --- rights --- */

static int is_allowed(uint32_t mask)
{
	const uint32_t pci = DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE;

	if (mask > 127 || (mask & pci) == pci)
		return 0;
	if ((mask & (DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC)) == 0)
		return 1;
	return (mask & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0;
}

static void check_mask(struct doca_mmap *mmap, uint32_t mask)
{
	if (is_allowed(mask))
		assert_success(doca_mmap_set_permissions(mmap, mask));
	else
		assert_refused(doca_mmap_set_permissions(mmap, mask), DOCA_ERROR_INVALID_VALUE,
			       "permissions");
}

static void every_set_of_rights_is_judged(void **state)
{
	struct doca_mmap *mmap = mmap_new();

	(void)state;
	for (uint32_t mask = 0; mask < 512; mask++)
		check_mask(mmap, mask);
	for (int bit = 7; bit < 32; bit++)
		check_mask(mmap, UINT32_C(1) << bit | DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	check_mask(mmap, UINT32_MAX);
	assert_success(doca_mmap_destroy(mmap));
}

static void later_rights_replace_earlier_ones(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = mmap_ranged();
	const void *blob;
	size_t len;

	(void)state;
	assert_success(doca_mmap_add_dev(mmap, dev));
	assert_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	assert_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE));
	assert_success(doca_mmap_start(mmap));

	assert_refused(doca_mmap_export_rdma(mmap, dev, &blob, &len), DOCA_ERROR_NOT_PERMITTED,
		       "permits nothing");
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

/* --- devices --- */

/* Opens that many devices over the loopback interface: d0, d1 and so on. */
static void devs_open(struct doca_dev **devs, unsigned int count)
{
	char variable[DEFAULT_MAX * 40] = "";
	size_t at = 0;

	for (unsigned int i = 0; i < count; i++)
		at += (size_t)snprintf(variable + at, sizeof(variable) - at,
				       "%sd%u@0000:00:%02x.0@lo", i > 0 ? "," : "", i, i % 32);
	assert_true(at < sizeof(variable));
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", variable, 1), 0);
	for (unsigned int i = 0; i < count; i++) {
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];

		(void)snprintf(name, sizeof(name), "d%u", i);
		devs[i] = fixture_dev_open_named(name);
		assert_non_null(devs[i]);
	}
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
}

static void devs_close(struct doca_dev **devs, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		assert_success(doca_dev_close(devs[i]));
}

static void holds_32_devices_at_first(void **state)
{
	struct doca_dev *devs[DEFAULT_MAX + 1];
	struct doca_mmap *mmap = mmap_new();

	(void)state;
	devs_open(devs, DEFAULT_MAX + 1);
	for (unsigned int i = 0; i < DEFAULT_MAX; i++)
		assert_success(doca_mmap_add_dev(mmap, devs[i]));

	assert_refused(doca_mmap_add_dev(mmap, devs[DEFAULT_MAX]), DOCA_ERROR_NO_MEMORY, "maximum");
	assert_success(doca_mmap_destroy(mmap));
	devs_close(devs, DEFAULT_MAX + 1);
}

static void maximum_of_devices_can_be_moved(void **state)
{
	struct doca_mmap *mmap = mmap_new();
	struct doca_dev *devs[3];
	uint32_t max;

	(void)state;
	devs_open(devs, 3);
	assert_success(doca_mmap_set_max_num_devices(mmap, 2));
	assert_success(doca_mmap_add_dev(mmap, devs[0]));
	assert_success(doca_mmap_add_dev(mmap, devs[1]));
	assert_refused(doca_mmap_add_dev(mmap, devs[2]), DOCA_ERROR_NO_MEMORY, "maximum");
	assert_refused(doca_mmap_set_max_num_devices(mmap, 1), DOCA_ERROR_INVALID_VALUE, "devices");
	assert_success(doca_mmap_set_max_num_devices(mmap, 2));

	assert_success(doca_mmap_set_max_num_devices(mmap, 3));
	assert_success(doca_mmap_add_dev(mmap, devs[2]));
	assert_success(doca_mmap_get_max_num_devices(mmap, &max));
	assert_int_equal(max, 3);
	assert_success(doca_mmap_destroy(mmap));
	devs_close(devs, 3);
}

static void removing_a_device_keeps_the_others(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	struct doca_dev *devs[3];
	const void *blob;
	size_t len;

	(void)state;
	devs_open(devs, 3);
	for (unsigned int i = 0; i < 3; i++)
		assert_success(doca_mmap_add_dev(mmap, devs[i]));
	assert_success(doca_mmap_rm_dev(mmap, devs[0]));
	assert_refused(doca_mmap_rm_dev(mmap, devs[0]), DOCA_ERROR_NOT_FOUND, "not that device");
	assert_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	assert_success(doca_mmap_start(mmap));

	assert_refused(doca_mmap_export_rdma(mmap, devs[0], &blob, &len), DOCA_ERROR_NOT_FOUND,
		       "d0");
	assert_success(doca_mmap_export_rdma(mmap, devs[1], &blob, &len));
	assert_success(doca_mmap_export_rdma(mmap, devs[2], &blob, &len));
	fixture_mmap_destroy(mmap);
	devs_close(devs, 3);
}

static void device_stays_open_while_a_mmap_has_it(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = mmap_new();

	(void)state;
	assert_success(doca_mmap_add_dev(mmap, dev));
	assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_mmap_rm_dev(mmap, dev));
	assert_success(doca_dev_close(dev));

	dev = fixture_dev_open();
	assert_success(doca_mmap_add_dev(mmap, dev));
	assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_mmap_destroy(mmap));
	assert_success(doca_dev_close(dev));
}

/* --- start, stop and the end --- */

static void starts_again_after_stop(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_success(doca_mmap_start(mmap));
		assert_success(doca_mmap_stop(mmap));
	}
	assert_success(doca_mmap_destroy(mmap));
}

static void thread_safe_mmap_does_not_count_its_bufs(void **state)
{
	struct doca_buf_inventory *inventory = fixture_inventory_create(1);
	struct doca_mmap *mmap = mmap_ranged();
	struct doca_buf *buf;

	(void)state;
	assert_success(doca_mmap_enable_thread_safety(mmap));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 1, &buf));

	assert_int_equal(mmap_bufs(mmap), 0);
	assert_success(doca_mmap_stop(mmap));
	assert_success(doca_mmap_destroy(mmap));
	fixture_buf_put(buf); /* after the end of its mmap, which did not wait for it */
	fixture_inventory_destroy(inventory);
}

static void destroy_calls_free_cb_once(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	struct freed replaced = { .calls = 0 }, freed = { .calls = 0 };

	(void)state;
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &replaced));
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_mmap_stop(mmap));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_mmap_stop(mmap));
	assert_int_equal(freed.calls, 0);

	assert_success(doca_mmap_destroy(mmap));
	assert_int_equal(freed.calls, 1);
	assert_int_equal(replaced.calls, 0);
	assert_ptr_equal(freed.addr, bytes);
	assert_int_equal(freed.len, sizeof(bytes));
}

static void destroy_without_stop_calls_free_cb(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	struct freed freed = { .calls = 0 };

	(void)state;
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_mmap_destroy(mmap));
	assert_int_equal(freed.calls, 1);
}

static void free_cb_is_not_called_when_never_started(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	struct freed freed = { .calls = 0 };

	(void)state;
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	assert_success(doca_mmap_stop(mmap));
	assert_success(doca_mmap_destroy(mmap));
	assert_int_equal(freed.calls, 0);
}

static void free_cb_may_close_the_device(void **state)
{
	struct doca_mmap *mmap = mmap_ranged();
	struct freed freed = { .dev = fixture_dev_open() };

	(void)state;
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	assert_success(doca_mmap_add_dev(mmap, freed.dev));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_mmap_destroy(mmap));
	assert_success(freed.closed);
}

static void refused_destroy_does_not_call_free_cb(void **state)
{
	struct doca_buf_inventory *inventory = fixture_inventory_create(1);
	struct doca_mmap *mmap = mmap_ranged();
	struct freed freed = { .calls = 0 };
	struct doca_buf *buf;

	(void)state;
	assert_success(doca_mmap_set_free_cb(mmap, on_free, &freed));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 1, &buf));
	assert_refused(doca_mmap_destroy(mmap), DOCA_ERROR_NOT_PERMITTED, "bufs");
	assert_int_equal(freed.calls, 0);

	fixture_buf_put(buf);
	fixture_mmap_destroy(mmap);
	assert_int_equal(freed.calls, 1);
	fixture_inventory_destroy(inventory);
}

static void memory_is_never_touched(void **state)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap;
	const void *blob;
	size_t len;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	mmap = fixture_mmap_create(dev, page, 4096, DOCA_ACCESS_FLAG_RDMA_READ);
	assert_success(doca_mmap_export_rdma(mmap, dev, &blob, &len));
	assert_success(doca_mmap_stop(mmap));
	assert_int_equal(munmap(page, 4096), 0);

	assert_success(doca_mmap_destroy(mmap));
	assert_success(doca_dev_close(dev));
}

static void pci_is_not_supported(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint8_t export_pci = 1, import_pci = 1;

	(void)state;
	assert_success(doca_mmap_cap_is_export_pci_supported(info, &export_pci));
	assert_success(doca_mmap_cap_is_create_from_export_pci_supported(info, &import_pci));
	assert_int_equal(export_pci, 0);
	assert_int_equal(import_pci, 0);

	assert_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_mmap_has_nothing),
		TEST(range_must_not_wrap),
		TEST(refused_range_leaves_room_for_another),
		TEST(ranges_may_overlap),
		TEST(user_data_is_kept),
		TEST(every_set_of_rights_is_judged),
		TEST(later_rights_replace_earlier_ones),
		TEST(holds_32_devices_at_first),
		TEST(maximum_of_devices_can_be_moved),
		TEST(removing_a_device_keeps_the_others),
		TEST(device_stays_open_while_a_mmap_has_it),
		TEST(starts_again_after_stop),
		TEST(thread_safe_mmap_does_not_count_its_bufs),
		TEST(destroy_calls_free_cb_once),
		TEST(destroy_without_stop_calls_free_cb),
		TEST(free_cb_is_not_called_when_never_started),
		TEST(free_cb_may_close_the_device),
		TEST(refused_destroy_does_not_call_free_cb),
		TEST(memory_is_never_touched),
		TEST(pci_is_not_supported),
	};

	return cmocka_run_group_tests_name("mmap", tests, NULL, NULL);
}
