/* SPDX-License-Identifier: BSD-3-Clause */

/* The life of a sync event: where it is used from, which memory it lives in, how it is started. */

#include <string.h>

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

/* There is neither a DPA nor a GPU: what stands for one is never looked at. */
static char nothing[8];

/* --- starting --- */

static void event_without_locations_is_made_and_destroyed(void **state)
{
	struct doca_sync_event *event;

	(void)state;
	assert_success(doca_sync_event_create(&event));
	assert_success(doca_sync_event_destroy(event));
}

static void start_needs_a_publisher_and_a_subscriber(void **state)
{
	static const struct {
		int publishes, subscribes;
		const char *part;
	} rows[] = { { 0, 0, "no publisher" },
		     { 0, 1, "no publisher" },
		     { 1, 0, "no subscriber" } };
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event;
	struct doca_pe *pe;

	(void)state;
	assert_success(doca_pe_create(&pe));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_ctx *ctx;

		assert_success(doca_sync_event_create(&event));
		if (rows[i].publishes)
			assert_success(doca_sync_event_add_publisher_location_cpu(event, dev));
		if (rows[i].subscribes)
			assert_success(doca_sync_event_add_subscriber_location_cpu(event, dev));
		assert_refused(doca_sync_event_start(event), DOCA_ERROR_BAD_STATE, rows[i].part);
		ctx = doca_sync_event_as_ctx(event); /* a start that failed decides nothing */
		assert_success(doca_pe_connect_ctx(pe, ctx));
		assert_refused(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE, rows[i].part);
		assert_success(doca_sync_event_destroy(event));
	}
	assert_success(doca_pe_destroy(pe));
	assert_success(doca_dev_close(dev));
}

static doca_error_t add_pub_net(struct doca_sync_event *event)
{
	return doca_sync_event_add_publisher_location_remote_net(event);
}

static doca_error_t add_pub_pci(struct doca_sync_event *event)
{
	return doca_sync_event_add_publisher_location_remote_pci(event);
}

static doca_error_t add_sub_pci(struct doca_sync_event *event)
{
	return doca_sync_event_add_subscriber_location_remote_pci(event);
}

static doca_error_t add_pub_dpa(struct doca_sync_event *event)
{
	return doca_sync_event_add_publisher_location_dpa(event, (void *)nothing);
}

static doca_error_t add_sub_dpa(struct doca_sync_event *event)
{
	return doca_sync_event_add_subscriber_location_dpa(event, (void *)nothing);
}

static doca_error_t add_pub_gpu(struct doca_sync_event *event)
{
	return doca_sync_event_add_publisher_location_gpu(event, (void *)nothing);
}

static doca_error_t add_sub_gpu(struct doca_sync_event *event)
{
	return doca_sync_event_add_subscriber_location_gpu(event, (void *)nothing);
}

static void location_that_is_not_here_makes_starting_fail(void **state)
{
	doca_error_t (*const adds[])(struct doca_sync_event *) = {
		add_pub_pci, add_sub_pci, add_pub_dpa, add_sub_dpa, add_pub_gpu, add_sub_gpu,
	};
	struct doca_dev *dev = fixture_dev_open();
	struct doca_pe *pe;

	(void)state;
	assert_success(doca_pe_create(&pe));
	for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
		struct doca_sync_event *event = sync_event_create(dev);
		struct doca_ctx *ctx;

		assert_success(adds[i](event));
		assert_refused(doca_sync_event_start(event), DOCA_ERROR_NOT_SUPPORTED, "location");
		ctx = doca_sync_event_as_ctx(event);
		assert_success(doca_pe_connect_ctx(pe, ctx));
		assert_refused(doca_ctx_start(ctx), DOCA_ERROR_NOT_SUPPORTED, "location");
		assert_success(doca_sync_event_destroy(event));
	}
	assert_success(doca_pe_destroy(pe));
	assert_success(doca_dev_close(dev));
}

static void peers_may_be_the_only_publishers(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event;

	(void)state;
	assert_success(doca_sync_event_create(&event));
	assert_success(add_pub_net(event));
	assert_success(doca_sync_event_add_subscriber_location_cpu(event, dev));
	assert_success(doca_sync_event_start(event));
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
}

static void event_holds_the_devices_of_its_processors(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event;

	(void)state;
	assert_success(doca_sync_event_create(&event));
	for (int i = 0; i < 3; i++) /* the same one many times */
		assert_success(doca_sync_event_add_publisher_location_cpu(event, dev));
	assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_sync_event_add_subscriber_location_cpu(event, dev));
	assert_success(doca_sync_event_start(event));
	assert_refused(doca_sync_event_add_subscriber_location_cpu(event, dev),
		       DOCA_ERROR_BAD_STATE, "started");
	assert_success(doca_sync_event_destroy(event)); /* stops it, and lets all go */
	assert_success(doca_dev_close(dev));
}

/* --- the two ways --- */

static void first_start_decides_against_a_context(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event = sync_event_create(dev);

	(void)state;
	assert_success(doca_sync_event_stop(event)); /* nothing is decided by that */
	assert_success(doca_sync_event_start(event));
	assert_null(doca_sync_event_as_ctx(event));
	test_take_log("no context");
	assert_success(doca_sync_event_stop(event));
	assert_success(doca_sync_event_stop(event));
	assert_null(doca_sync_event_as_ctx(event));
	test_take_log("no context");
	assert_success(doca_sync_event_start(event));
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
}

static void context_is_always_the_same_and_started_as_one_only(void **state)
{
	struct sync_rig rig;

	(void)state;
	sync_rig_init_idle(&rig, NULL);
	assert_refused(doca_sync_event_start(rig.event), DOCA_ERROR_BAD_STATE, "as a context");
	assert_refused(doca_sync_event_stop(rig.event), DOCA_ERROR_BAD_STATE, "doca_ctx_stop");
	assert_success(doca_ctx_start(rig.ctx));
	assert_ptr_equal(doca_sync_event_as_ctx(rig.event), rig.ctx);
	assert_refused(doca_sync_event_start(rig.event), DOCA_ERROR_BAD_STATE, "as a context");
	assert_refused(doca_sync_event_stop(rig.event), DOCA_ERROR_BAD_STATE, "doca_ctx_stop");
	sync_rig_fini(&rig);
}

static void context_that_runs_is_not_destroyed(void **state)
{
	struct sync_rig rig;

	(void)state;
	sync_rig_init(&rig, NULL);
	assert_refused(doca_sync_event_destroy(rig.event), DOCA_ERROR_IN_USE, "running");
	assert_success(doca_ctx_stop(rig.ctx));
	assert_success(doca_sync_event_destroy(rig.event));
	rig.event = NULL;
	sync_rig_fini(&rig); /* the engine and the device are free */
}

/* --- memory --- */

static void own_number_begins_at_0_with_every_start(void **state)
{
	struct doca_sync_event *event;
	struct sync_rig rig;

	(void)state;
	sync_rig_init_idle(&rig, NULL);
	event = sync_event_create(rig.dev);
	for (int i = 0; i < 2; i++) {
		assert_success(doca_sync_event_start(event));
		assert_int_equal(sync_event_number(event), 0);
		assert_success(doca_sync_event_update_set(event, 5));
		assert_success(doca_sync_event_stop(event));
		assert_success(doca_ctx_start(rig.ctx));
		assert_int_equal(sync_event_number(rig.event), 0);
		assert_success(doca_sync_event_update_set(rig.event, 5));
		assert_success(doca_ctx_stop(rig.ctx));
	}
	assert_success(doca_sync_event_destroy(event));
	sync_rig_fini(&rig);
}

static void number_lives_in_the_memory_that_was_given(void **state)
{
	uint64_t cells[3] = { 1, 42, 3 };
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event = sync_event_create(dev);

	(void)state;
	assert_success(doca_sync_event_set_addr(event, &cells[1]));
	assert_success(doca_sync_event_start(event));
	assert_int_equal(sync_event_number(event), 42);
	assert_success(doca_sync_event_update_add(event, UINT64_C(1) << 63, NULL));
	assert_int_equal(cells[1], 42 + (UINT64_C(1) << 63));
	assert_success(doca_sync_event_stop(event));
	cells[1] = 7;
	assert_success(doca_sync_event_start(event));
	assert_int_equal(sync_event_number(event), 7);
	assert_success(doca_sync_event_destroy(event));
	assert_int_equal(cells[0] + cells[1] + cells[2], 1 + 7 + 3);
	assert_success(doca_dev_close(dev));
}

static void address_must_be_a_multiple_of_8(void **state)
{
	_Alignas(8) char bytes[16] = { 9 };
	struct doca_dev *dev = fixture_dev_open();
	struct doca_sync_event *event = sync_event_create(dev);

	(void)state;
	assert_success(doca_sync_event_set_addr(event, (uint64_t *)(void *)bytes));
	for (uintptr_t offset = 1; offset < 8; offset++)
		assert_refused(
		    doca_sync_event_set_addr(event, (uint64_t *)((uintptr_t)bytes + offset)),
		    DOCA_ERROR_INVALID_VALUE, "aligned");
	assert_success(doca_sync_event_start(event)); /* with the one that was good */
	assert_int_equal(sync_event_number(event) & 0xff, 9);
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
}

#define ALL_RIGHTS 15u /* local read-write; remote read, write and atomic */

/* Memory that a number may live in, and an event that is not started. */
struct backed {
	struct fixture_memory memory; /* its mmap has too few rights */
	struct doca_mmap *mmap;
	struct doca_sync_event *event;
};

static void backed_init(struct backed *backed)
{
	fixture_memory_init(&backed->memory, 64, 4);
	backed->mmap =
	    fixture_mmap_create(backed->memory.dev, backed->memory.bytes, 64, ALL_RIGHTS);
	backed->event = sync_event_create(backed->memory.dev);
}

static void backed_fini(struct backed *backed)
{
	assert_success(doca_sync_event_destroy(backed->event));
	fixture_mmap_destroy(backed->mmap);
	fixture_memory_fini(&backed->memory);
}

static struct doca_buf *backed_buf(struct backed *backed, struct doca_mmap *mmap, size_t offset,
				   size_t data_len)
{
	char *data = backed->memory.bytes + offset;
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(
	    backed->memory.inventory, mmap, backed->memory.bytes, 64, data, data_len, &buf));
	return buf;
}

static void number_lives_in_the_data_of_a_buf(void **state)
{
	const uint64_t first = 77;
	struct backed backed;
	struct doca_buf *buf;
	uint16_t refcount;
	uint64_t cell;

	(void)state;
	backed_init(&backed);
	memcpy(backed.memory.bytes + 16, &first, sizeof(first));
	buf = backed_buf(&backed, backed.mmap, 16, 8);
	assert_success(doca_sync_event_set_doca_buf(backed.event, buf));
	assert_success(doca_sync_event_start(backed.event));
	assert_int_equal(sync_event_number(backed.event), 77);
	assert_success(doca_sync_event_update_set(backed.event, 78));

	memcpy(&cell, backed.memory.bytes + 16, sizeof(cell));
	assert_int_equal(cell, 78);
	assert_success(doca_buf_get_refcount(buf, &refcount));
	assert_int_equal(refcount, 1);
	assert_success(doca_sync_event_stop(backed.event));
	fixture_buf_put(buf);
	backed_fini(&backed);
}

static void last_memory_that_was_given_counts(void **state)
{
	uint64_t cell = 1;
	struct backed backed;
	struct doca_buf *buf;

	(void)state;
	backed_init(&backed);
	buf = backed_buf(&backed, backed.mmap, 0, 8);
	assert_success(doca_sync_event_set_doca_buf(backed.event, buf));
	assert_success(doca_sync_event_set_addr(backed.event, &cell));
	assert_success(doca_sync_event_start(backed.event));
	assert_int_equal(sync_event_number(backed.event), 1);
	assert_success(doca_sync_event_stop(backed.event));
	assert_success(doca_sync_event_set_doca_buf(backed.event, buf));
	assert_success(doca_sync_event_start(backed.event));
	assert_int_equal(sync_event_number(backed.event), 0);
	assert_success(doca_sync_event_stop(backed.event));
	fixture_buf_put(buf);
	backed_fini(&backed);
}

static void data_of_a_buf_must_be_8_aligned_bytes(void **state)
{
	static const size_t rows[][2] = { { 0, 0 }, { 0, 7 }, { 0, 9 }, { 8, 16 },
					  { 4, 8 }, { 1, 8 }, { 63, 1 } };
	struct backed backed;

	(void)state;
	backed_init(&backed);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_buf *buf = backed_buf(&backed, backed.mmap, rows[i][0], rows[i][1]);

		assert_refused(doca_sync_event_set_doca_buf(backed.event, buf),
			       DOCA_ERROR_NOT_PERMITTED, "8 aligned bytes");
		fixture_buf_put(buf);
	}
	backed_fini(&backed);
}

static void buf_must_be_alone(void **state)
{
	struct doca_buf *first, *second;
	struct backed backed;

	(void)state;
	backed_init(&backed);
	first = backed_buf(&backed, backed.mmap, 0, 8);
	second = backed_buf(&backed, backed.mmap, 8, 8);
	assert_success(doca_buf_chain_list(first, second));
	assert_refused(doca_sync_event_set_doca_buf(backed.event, first), DOCA_ERROR_NOT_PERMITTED,
		       "in a list");
	assert_refused(doca_sync_event_set_doca_buf(backed.event, second), DOCA_ERROR_NOT_PERMITTED,
		       "in a list");
	fixture_buf_put(first);
	assert_refused(doca_sync_event_set_doca_buf(backed.event, first), DOCA_ERROR_NOT_PERMITTED,
		       "free");
	backed_fini(&backed);
}

static void free_buf_of_a_mmap_that_is_gone_is_refused(void **state)
{
	struct doca_mmap *mmap;
	struct backed backed;
	struct doca_buf *buf;

	(void)state;
	backed_init(&backed);
	mmap = fixture_mmap_create(backed.memory.dev, backed.memory.bytes, 64, ALL_RIGHTS);
	buf = backed_buf(&backed, mmap, 0, 8);
	fixture_buf_put(buf);
	fixture_mmap_destroy(mmap);
	assert_refused(doca_sync_event_set_doca_buf(backed.event, buf), DOCA_ERROR_NOT_PERMITTED,
		       "free");
	backed_fini(&backed);
}

static void mmap_of_a_buf_must_give_all_rights(void **state)
{
	/* Remote writes and atomics need the local right, so those sets do not exist. */
	static const uint32_t rights[] = { 0, 1, 2, 3, 5, 7, 9, 11, 13 };
	struct backed backed;

	(void)state;
	backed_init(&backed);
	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
		struct doca_mmap *mmap =
		    fixture_mmap_create(backed.memory.dev, backed.memory.bytes, 64, rights[i]);
		struct doca_buf *buf = backed_buf(&backed, mmap, 0, 8);

		assert_refused(doca_sync_event_set_doca_buf(backed.event, buf),
			       DOCA_ERROR_NOT_PERMITTED, "access");
		fixture_buf_put(buf);
		fixture_mmap_destroy(mmap);
	}
	backed_fini(&backed);
}

static void buf_of_an_imported_mmap_is_refused(void **state)
{
	struct doca_mmap *imported;
	struct backed backed;
	struct doca_buf *buf;
	const void *blob;
	size_t len;

	(void)state;
	backed_init(&backed);
	assert_success(doca_mmap_export_rdma(backed.mmap, backed.memory.dev, &blob, &len));
	assert_success(doca_mmap_create_from_export(NULL, blob, len, backed.memory.dev, &imported));
	buf = backed_buf(&backed, imported, 0, 8);
	assert_refused(doca_sync_event_set_doca_buf(backed.event, buf), DOCA_ERROR_INVALID_VALUE,
		       "imported");
	fixture_buf_put(buf);
	assert_success(doca_mmap_destroy(imported));
	backed_fini(&backed);
}

/* --- what devices can do --- */

static void software_devices_do_all_tasks_and_both_ways_over_the_network(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);

	(void)state;
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++)
		assert_success(sync_calls[kind].is_supported(info));
	assert_success(doca_sync_event_cap_is_export_to_remote_net_supported(info));
	assert_success(doca_sync_event_cap_remote_net_is_create_from_export_supported(info));
	assert_success(doca_dev_close(dev));
}

static void no_device_reaches_other_processors(void **state)
{
	doca_error_t (*const caps[])(const struct doca_devinfo *) = {
		doca_sync_event_cap_is_create_from_export_supported,
		doca_sync_event_cap_is_export_to_remote_pci_supported,
		doca_sync_event_cap_is_export_to_dpa_supported,
		doca_sync_event_cap_is_export_to_gpu_supported,
		doca_sync_event_cap_remote_net_is_export_to_dpa_supported,
		doca_sync_event_cap_remote_net_is_export_to_gpu_supported,
	};
	struct doca_dev *dev = fixture_dev_open();

	(void)state;
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++)
		assert_error(caps[i](doca_dev_as_devinfo(dev)), DOCA_ERROR_NOT_SUPPORTED);
	assert_success(doca_dev_close(dev));
}

static void ways_to_other_processors_are_not_supported(void **state)
{
	struct doca_sync_event *event, *made = NULL;
	struct doca_dev *dev = fixture_dev_open();
	doca_gpu_dev_sync_event_t *gpu_handle;
	doca_dpa_dev_sync_event_t dpa_handle;
	const uint8_t *data = NULL;
	size_t size;

	(void)state;
	event = sync_event_create(dev);
	assert_success(doca_sync_event_start(event));
	assert_refused(doca_sync_event_create_from_export(dev, (const uint8_t *)nothing, 8, &made),
		       DOCA_ERROR_NOT_SUPPORTED, "create_from_export");
	assert_refused(doca_sync_event_export_to_remote_pci(event, dev, &data, &size),
		       DOCA_ERROR_NOT_SUPPORTED, "remote_pci");
	assert_refused(doca_sync_event_get_dpa_handle(event, (void *)nothing, &dpa_handle),
		       DOCA_ERROR_NOT_SUPPORTED, "dpa");
	assert_refused(doca_sync_event_get_gpu_handle(event, (void *)nothing, &gpu_handle),
		       DOCA_ERROR_NOT_SUPPORTED, "gpu");
	assert_null(made);
	assert_null(data);
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(event_without_locations_is_made_and_destroyed),
		TEST(start_needs_a_publisher_and_a_subscriber),
		TEST(location_that_is_not_here_makes_starting_fail),
		TEST(peers_may_be_the_only_publishers),
		TEST(event_holds_the_devices_of_its_processors),
		TEST(first_start_decides_against_a_context),
		TEST(context_is_always_the_same_and_started_as_one_only),
		TEST(context_that_runs_is_not_destroyed),
		TEST(own_number_begins_at_0_with_every_start),
		TEST(number_lives_in_the_memory_that_was_given),
		TEST(address_must_be_a_multiple_of_8),
		TEST(number_lives_in_the_data_of_a_buf),
		TEST(last_memory_that_was_given_counts),
		TEST(data_of_a_buf_must_be_8_aligned_bytes),
		TEST(buf_must_be_alone),
		TEST(free_buf_of_a_mmap_that_is_gone_is_refused),
		TEST(mmap_of_a_buf_must_give_all_rights),
		TEST(buf_of_an_imported_mmap_is_refused),
		TEST(software_devices_do_all_tasks_and_both_ways_over_the_network),
		TEST(no_device_reaches_other_processors),
		TEST(ways_to_other_processors_are_not_supported),
	};

	return cmocka_run_group_tests_name("sync_event", tests, NULL, NULL);
}
