/* SPDX-License-Identifier: BSD-3-Clause */

/* Descriptors of sync events: what they say, what is refused, and what an import is good for. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/dev.h"
#include "core/sync_event.h"
#include "core/sync_remote.h"
#include "dma_rig.h"
#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define MAX_BLOB_BYTES 4095 /* that fit the buffers of connection managers */

/* Where a descriptor has its number's address, and its checksum, which comes last. */
#define AT_ADDR  40
#define CRC_SIZE 4

struct blob {
	const uint8_t *bytes;
	size_t len;
};

static struct doca_dev *dev;
static struct doca_sync_event *event; /* of peers too, started */

static int begin(void **state)
{
	test_begin(state);
	dev = fixture_dev_open();
	event = sync_event_create(dev);
	assert_success(doca_sync_event_add_publisher_location_remote_net(event));
	assert_success(doca_sync_event_start(event));
	return 0;
}

static int end(void **state)
{
	if (event != NULL)
		assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
	return test_end(state);
}

static struct blob blob_of(struct doca_sync_event *exported)
{
	struct blob blob;

	assert_success(doca_sync_event_export_to_remote_net(exported, &blob.bytes, &blob.len));
	return blob;
}

static struct core_sync_record record_of(struct doca_sync_event *exported)
{
	struct blob blob = blob_of(exported);
	struct core_sync_record record;

	assert_success(core_sync_record_decode(blob.bytes, blob.len, &record));
	return record;
}

/* In memory of its own, at the end of which a sanitizer stands. owned: free(). */
static uint8_t *copy_of(struct blob blob, size_t len)
{
	uint8_t *copy = calloc(1, len);

	assert_non_null(copy);
	memcpy(copy, blob.bytes, len < blob.len ? len : blob.len);
	return copy;
}

static doca_error_t import(const uint8_t *bytes, size_t len,
			   struct doca_sync_event_remote_net **remote)
{
	return doca_sync_event_remote_net_create_from_export(dev, bytes, len, remote);
}

static void assert_no_import(const uint8_t *bytes, size_t len)
{
	struct doca_sync_event_remote_net *remote = NULL;

	assert_refused(import(bytes, len, &remote), DOCA_ERROR_INVALID_VALUE,
		       "sync event descriptor");
	assert_null(remote);
}

/* --- exporting --- */

static void descriptor_says_where_the_number_is(void **state)
{
	struct core_sync_record record;
	uint64_t cell = 0;

	(void)state;
	record = record_of(event);
	assert_int_equal(record.addr, (uintptr_t)&event->own_cell);
	assert_int_equal(record.device_id, dev->id);
	assert_success(doca_sync_event_stop(event));
	assert_success(doca_sync_event_set_addr(event, &cell));
	assert_success(doca_sync_event_start(event));
	record = record_of(event); /* and not where it was */
	assert_int_equal(record.addr, (uintptr_t)&cell);
	assert_success(doca_sync_event_stop(event));
}

static void second_export_is_the_same(void **state)
{
	struct blob first = blob_of(event), second;
	uint8_t *copy = copy_of(first, first.len);

	(void)state;
	for (int i = 0; i < 8; i++) {
		second = blob_of(event);
		assert_int_equal(second.len, first.len);
		assert_memory_equal(first.bytes, copy, first.len);
		assert_memory_equal(second.bytes, copy, first.len);
	}
	assert_in_range(first.len, 1, MAX_BLOB_BYTES);
	free(copy);
}

static void new_start_makes_old_exports_void(void **state)
{
	struct core_sync_record before = record_of(event), after;
	struct blob first = blob_of(event);

	(void)state;
	assert_success(doca_sync_event_stop(event));
	assert_success(doca_sync_event_start(event));
	after = record_of(event);
	assert_int_not_equal(before.key.index, after.key.index);
	assert_int_not_equal(before.key.tag, after.key.tag);
	assert_memory_equal(before.key.instance, after.key.instance, CORE_INSTANCE_SIZE);
	assert_true(first.bytes[0] != 0); /* lent until destroy: a sanitizer would tell */
}

static void events_over_one_address_have_keys_of_their_own(void **state)
{
	struct doca_sync_event *other = sync_event_create(dev);
	struct core_sync_record one, another;

	(void)state;
	assert_success(doca_sync_event_add_publisher_location_remote_net(other));
	assert_success(doca_sync_event_set_addr(other, &event->own_cell));
	assert_success(doca_sync_event_start(other));
	one = record_of(event);
	another = record_of(other);
	assert_int_equal(one.addr, another.addr);
	assert_int_not_equal(one.key.index, another.key.index);
	assert_int_not_equal(one.key.tag, another.key.tag);
	assert_success(doca_sync_event_destroy(other));
}

static void context_that_runs_can_be_exported(void **state)
{
	struct core_sync_record first, second;
	struct sync_rig rig;

	(void)state;
	sync_rig_init_idle(&rig, NULL);
	assert_success(doca_sync_event_add_publisher_location_remote_net(rig.event));
	assert_success(doca_ctx_start(rig.ctx));
	first = record_of(rig.event);
	assert_success(doca_ctx_stop(rig.ctx));
	assert_success(doca_ctx_start(rig.ctx));
	second = record_of(rig.event);
	assert_int_not_equal(first.key.tag, second.key.tag);
	sync_rig_fini(&rig);
}

static void event_that_is_not_for_peers_is_not_exported(void **state)
{
	struct doca_sync_event *local = sync_event_create(dev);
	struct blob blob = { .bytes = NULL, .len = 7 };

	(void)state;
	assert_success(doca_sync_event_start(local));
	assert_refused(doca_sync_event_export_to_remote_net(local, &blob.bytes, &blob.len),
		       DOCA_ERROR_NOT_SUPPORTED, "no remote net publisher");
	assert_null(blob.bytes);
	assert_int_equal(blob.len, 7);
	assert_success(doca_sync_event_destroy(local));
}

static void descriptor_can_be_sent_from_where_it_lies(void **state)
{
	struct blob blob = blob_of(event);
	void *bytes = (void *)(uintptr_t)blob.bytes;
	struct doca_mmap *wrapper;
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, MAX_BLOB_BYTES, 2, 1);
	wrapper =
	    fixture_mmap_create(rig.memory.dev, bytes, blob.len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	assert_success(doca_buf_inventory_buf_get_by_data(rig.memory.inventory, wrapper, bytes,
							  blob.len, &src));
	dst = fixture_buf(&rig.memory, 0, blob.len, 0, 0);
	dma_rig_copy(&rig, src, dst);
	assert_memory_equal(rig.memory.bytes, blob.bytes, blob.len);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	fixture_mmap_destroy(wrapper);
	dma_rig_fini(&rig);
}

/* --- importing --- */

static void import_is_what_was_exported(void **state)
{
	struct core_sync_record record = record_of(event);
	struct doca_sync_event_remote_net *remote;
	struct blob blob = blob_of(event);
	uint8_t *copy = copy_of(blob, blob.len);

	(void)state;
	assert_success(import(copy, blob.len, &remote));
	memset(copy, 0xaa, blob.len); /* it was copied */
	free(copy);
	assert_success(doca_sync_event_destroy(event)); /* and needs no exporter */
	event = NULL;

	assert_memory_equal(remote->record.key.instance, record.key.instance, CORE_INSTANCE_SIZE);
	assert_int_equal(remote->record.key.index, record.key.index);
	assert_int_equal(remote->record.key.tag, record.key.tag);
	assert_int_equal(remote->record.addr, record.addr);
	assert_int_equal(remote->record.device_id, record.device_id);
	assert_ptr_equal(remote->dev, dev);
	assert_success(doca_sync_event_remote_net_destroy(remote));
}

static void import_holds_its_device(void **state)
{
	struct doca_sync_event_remote_net *remotes[2];
	struct blob blob = blob_of(event);

	(void)state;
	assert_success(import(blob.bytes, blob.len, &remotes[0]));
	assert_success(import(blob.bytes, blob.len, &remotes[1]));
	assert_success(doca_sync_event_destroy(event));
	event = NULL;
	for (int i = 0; i < 2; i++) {
		assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "soft_lo");
		assert_success(doca_sync_event_remote_net_destroy(remotes[i]));
	}
}

static void import_goes_to_no_other_processor(void **state)
{
	doca_dpa_dev_sync_event_remote_net_t dpa_handle;
	doca_gpu_dev_sync_event_remote_net_t gpu_handle;
	struct doca_sync_event_remote_net *remote;
	struct blob blob = blob_of(event);
	char nothing;

	(void)state;
	assert_success(import(blob.bytes, blob.len, &remote));
	assert_refused(
	    doca_sync_event_remote_net_get_dpa_handle(remote, (void *)&nothing, &dpa_handle),
	    DOCA_ERROR_NOT_SUPPORTED, "dpa");
	assert_refused(
	    doca_sync_event_remote_net_get_gpu_handle(remote, (void *)&nothing, &gpu_handle),
	    DOCA_ERROR_NOT_SUPPORTED, "gpu");
	assert_success(doca_sync_event_remote_net_destroy(remote));
}

/* In another process: exports, sends the descriptor, and is gone. */
static void export_and_exit(int fd)
{
	struct blob blob;

	if (doca_sync_event_stop(event) == DOCA_SUCCESS &&
	    doca_sync_event_start(event) == DOCA_SUCCESS &&
	    doca_sync_event_export_to_remote_net(event, &blob.bytes, &blob.len) == DOCA_SUCCESS &&
	    write(fd, blob.bytes, blob.len) == (ssize_t)blob.len)
		_exit(0);
	_exit(1);
}

static void import_needs_no_living_exporter(void **state)
{
	struct core_sync_record parent = record_of(event);
	struct doca_sync_event_remote_net *remote;
	uint8_t bytes[MAX_BLOB_BYTES];
	int status, ends[2];
	ssize_t len;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		export_and_exit(ends[1]);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	len = read(ends[0], bytes, sizeof(bytes));
	assert_true(len > 0);
	close(ends[0]);
	close(ends[1]);

	assert_success(import(bytes, (size_t)len, &remote));
	assert_int_equal(remote->record.addr, parent.addr);
	assert_memory_not_equal(remote->record.key.instance, parent.key.instance,
				CORE_INSTANCE_SIZE);
	assert_success(doca_sync_event_remote_net_destroy(remote));
}

/* Made by another program. */
/* clang-format off */
static const uint8_t golden[] = {
	0x4f, 0x53, 0x45, 0x56, /* magic */
	0x01, 0x00, 0x34, 0x00, /* version, length */
	0x04, 0x03, 0x02, 0x01, /* device */
	0x08, 0x07, 0x06, 0x05, /* key index */
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, /* instance */
	0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, /* key tag */
	0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, /* address */
	0x8a, 0x99, 0x82, 0x8b, /* CRC-32 */
};
/* clang-format on */

static void decoder_reads_the_known_bytes(void **state)
{
	struct core_sync_record record;

	(void)state;
	assert_success(core_sync_record_decode(golden, sizeof(golden), &record));
	assert_int_equal(record.device_id, 0x01020304);
	assert_int_equal(record.key.index, 0x05060708);
	assert_memory_equal(record.key.instance, golden + 16, CORE_INSTANCE_SIZE);
	assert_int_equal(record.key.tag, 0x1112131415161718);
	assert_int_equal(record.addr, 0x2122232425262728);
	assert_int_equal(blob_of(event).len, sizeof(golden));
}

/* --- what is no descriptor --- */

static void descriptor_of_another_length_is_refused(void **state)
{
	struct blob blob = blob_of(event);

	(void)state;
	for (size_t len = 0; len <= 2 * blob.len; len++) {
		uint8_t *copy;

		if (len == blob.len)
			continue;
		copy = copy_of(blob, len > 0 ? len : 1);
		assert_no_import(copy, len);
		free(copy);
	}
}

static void descriptor_with_any_bit_changed_is_refused(void **state)
{
	struct blob blob = blob_of(event);
	uint8_t *copy = copy_of(blob, blob.len);

	(void)state;
	for (size_t bit = 0; bit < 8 * blob.len; bit++) {
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_no_import(copy, blob.len);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(copy);
}

static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void number_put(uint8_t *at, uint64_t value, size_t size)
{
	for (; size > 0; size--, value >>= 8)
		*at++ = (uint8_t)value;
}

static void address_that_no_number_can_have_is_refused(void **state)
{
	static const struct {
		uint64_t addr;
		int is_good;
	} rows[] = {
		{ 0, 0 },
		{ 8, 1 },
		{ 4, 0 },
		{ 9, 0 },
		{ UINT64_MAX, 0 },
		{ UINT64_MAX - 7, 1 }, /* its last 8 bytes */
		{ UINT64_C(1) << 63, 1 },
	};
	struct blob blob = blob_of(event);
	uint8_t *copy = copy_of(blob, blob.len);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_sync_event_remote_net *remote;
		const size_t crc_at = blob.len - CRC_SIZE;

		number_put(copy + AT_ADDR, rows[i].addr, 8);
		number_put(copy + crc_at, crc_of(copy, crc_at), CRC_SIZE);
		if (!rows[i].is_good) {
			assert_no_import(copy, blob.len);
			continue;
		}
		assert_success(import(copy, blob.len, &remote));
		assert_int_equal(remote->record.addr, rows[i].addr);
		assert_success(doca_sync_event_remote_net_destroy(remote));
	}
	free(copy);
}

static void descriptors_of_mmaps_and_events_are_not_mixed_up(void **state)
{
	struct doca_mmap *mmap, *imported = NULL;
	struct blob blob = blob_of(event);
	const void *mmap_blob;
	size_t mmap_len;
	char bytes[8];

	(void)state;
	mmap = fixture_mmap_create(dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
	assert_success(doca_mmap_export_rdma(mmap, dev, &mmap_blob, &mmap_len));
	assert_no_import(mmap_blob, mmap_len);
	assert_refused(doca_mmap_create_from_export(NULL, blob.bytes, blob.len, dev, &imported),
		       DOCA_ERROR_INVALID_VALUE, "mmap descriptor");
	fixture_mmap_destroy(mmap);
}

#define EXPORT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EXPORT_TEST(descriptor_says_where_the_number_is),
		EXPORT_TEST(second_export_is_the_same),
		EXPORT_TEST(new_start_makes_old_exports_void),
		EXPORT_TEST(events_over_one_address_have_keys_of_their_own),
		EXPORT_TEST(context_that_runs_can_be_exported),
		EXPORT_TEST(event_that_is_not_for_peers_is_not_exported),
		EXPORT_TEST(descriptor_can_be_sent_from_where_it_lies),
		EXPORT_TEST(import_is_what_was_exported),
		EXPORT_TEST(import_holds_its_device),
		EXPORT_TEST(import_goes_to_no_other_processor),
		EXPORT_TEST(import_needs_no_living_exporter),
		EXPORT_TEST(decoder_reads_the_known_bytes),
		EXPORT_TEST(descriptor_of_another_length_is_refused),
		EXPORT_TEST(descriptor_with_any_bit_changed_is_refused),
		EXPORT_TEST(address_that_no_number_can_have_is_refused),
		EXPORT_TEST(descriptors_of_mmaps_and_events_are_not_mixed_up),
	};

	return cmocka_run_group_tests_name("sync_event_export", tests, NULL, NULL);
}
