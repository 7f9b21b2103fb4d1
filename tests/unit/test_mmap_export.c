/* SPDX-License-Identifier: BSD-3-Clause */

/* Exporting a mmap, and what an imported one is good for. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mmap.h"
#include "dma_rig.h"
#include "fixture.h"
#include "test.h"

#define RANGE_LEN      64
#define MAX_BLOB_BYTES 4095 /* that fit the buffers of connection managers */
#define NUM_THREADS    4
#define NUM_KEYS       1000
#define NUM_EXPORTS    200 /* a thread */

#define TWO_DEVICES    "first@0000:01:00.0@lo,second@0000:01:00.1@lo"

static char bytes[RANGE_LEN];

struct blob {
	const void *bytes;
	size_t len;
};

static struct doca_mmap *exporter_create(struct doca_dev *dev)
{
	return fixture_mmap_create(dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
}

static struct blob blob_of(struct doca_mmap *mmap, const struct doca_dev *dev)
{
	struct blob blob;

	assert_success(doca_mmap_export_rdma(mmap, dev, &blob.bytes, &blob.len));
	return blob;
}

static struct core_mmap_record record_of(struct doca_mmap *mmap, const struct doca_dev *dev)
{
	struct blob blob = blob_of(mmap, dev);
	struct core_mmap_record record;

	assert_success(core_mmap_blob_decode(blob.bytes, blob.len, &record));
	return record;
}

static uint8_t is_exported(const struct doca_mmap *mmap)
{
	uint8_t exported;

	assert_success(doca_mmap_get_exported(mmap, &exported));
	return exported;
}

static struct doca_mmap *import(struct blob blob, struct doca_dev *dev)
{
	struct doca_mmap *mmap;

	assert_success(doca_mmap_create_from_export(NULL, blob.bytes, blob.len, dev, &mmap));
	return mmap;
}

/* Makes a mmap over bytes and imports it again. */
static struct doca_mmap *import_create(struct doca_dev *dev)
{
	struct doca_mmap *exporter = exporter_create(dev);
	struct doca_mmap *imported = import(blob_of(exporter, dev), dev);

	fixture_mmap_destroy(exporter);
	return imported;
}

/* --- exporting --- */

/* rdma trap 35 */
static void export_needs_a_right_for_peers(void **state)
{
	static const struct {
		uint32_t permissions;
		int exports;
	} rows[] = { { 0, 0 }, { 1, 0 }, { 16, 0 }, { 33, 0 }, { 64, 0 },
		     { 2, 1 }, { 3, 1 }, { 5, 1 },  { 9, 1 },  { 15, 1 } };
	struct doca_dev *dev = fixture_dev_open();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_mmap *mmap =
		    fixture_mmap_create(dev, bytes, sizeof(bytes), rows[i].permissions);
		struct blob blob = { .bytes = bytes, .len = 1 };

		if (rows[i].exports)
			assert_success(doca_mmap_export_rdma(mmap, dev, &blob.bytes, &blob.len));
		else
			assert_refused(doca_mmap_export_rdma(mmap, dev, &blob.bytes, &blob.len),
				       DOCA_ERROR_NOT_PERMITTED, "permits nothing");
		assert_int_equal(blob.bytes == bytes && blob.len == 1, !rows[i].exports);
		assert_int_equal(is_exported(mmap), rows[i].exports);
		fixture_mmap_destroy(mmap);
	}
	assert_success(doca_dev_close(dev));
}

static void descriptor_says_what_was_exported(void **state)
{
	const uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
				     DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_READ;
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = fixture_mmap_create(dev, bytes + 3, 33, permissions);
	struct core_mmap_record record = record_of(mmap, dev);

	(void)state;
	assert_int_equal(record.kind, CORE_MMAP_KIND_RDMA);
	assert_int_equal(record.addr, (uintptr_t)(bytes + 3));
	assert_int_equal(record.len, 33);
	assert_int_equal(record.permissions, permissions);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

static void second_export_is_the_same(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = exporter_create(dev);
	struct blob first = blob_of(mmap, dev);
	uint8_t *copy = malloc(first.len);
	struct blob second;

	(void)state;
	assert_non_null(copy);
	memcpy(copy, first.bytes, first.len);
	second = blob_of(mmap, dev);

	assert_int_equal(second.len, first.len);
	assert_memory_equal(first.bytes, copy, first.len);
	assert_memory_equal(second.bytes, copy, first.len);
	free(copy);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

static void each_device_has_a_key_of_its_own(void **state)
{
	struct core_mmap_record of_first, of_second;
	struct doca_dev *first, *second;
	struct doca_mmap *mmap;

	(void)state;
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", TWO_DEVICES, 1), 0);
	first = fixture_dev_open_named("first");
	second = fixture_dev_open_named("second");
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
	assert_true(first != NULL && second != NULL);
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	assert_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	assert_success(doca_mmap_add_dev(mmap, first));
	assert_success(doca_mmap_add_dev(mmap, second));
	assert_success(doca_mmap_start(mmap));
	of_first = record_of(mmap, first);
	of_second = record_of(mmap, second);

	assert_int_not_equal(of_first.device_id, of_second.device_id);
	assert_int_not_equal(of_first.key.index, of_second.key.index);
	assert_int_not_equal(of_first.key.tag, of_second.key.tag);
	assert_memory_equal(of_first.key.instance, of_second.key.instance,
			    sizeof(of_first.key.instance));
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(first));
	assert_success(doca_dev_close(second));
}

/* rdma trap 34 */
static void stop_ends_the_export_and_start_brings_a_new_key(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = exporter_create(dev);
	struct core_mmap_record before, after;

	(void)state;
	before = record_of(mmap, dev);
	assert_int_equal(is_exported(mmap), 1);
	assert_success(doca_mmap_stop(mmap));
	assert_int_equal(is_exported(mmap), 0);

	assert_success(doca_mmap_start(mmap));
	assert_int_equal(is_exported(mmap), 0);
	after = record_of(mmap, dev);
	assert_int_not_equal(before.key.index, after.key.index);
	assert_int_not_equal(before.key.tag, after.key.tag);
	assert_int_equal(before.addr, after.addr);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

static int compare_u64(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static void key_tags_are_random_in_every_byte(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	uint64_t tags[NUM_KEYS], set = 0, clear = 0;

	(void)state;
	for (int i = 0; i < NUM_KEYS; i++) {
		struct doca_mmap *mmap = exporter_create(dev);

		tags[i] = record_of(mmap, dev).key.tag;
		set |= tags[i];
		clear |= ~tags[i];
		fixture_mmap_destroy(mmap);
	}
	qsort(tags, NUM_KEYS, sizeof(tags[0]), compare_u64);

	assert_int_equal(set, UINT64_MAX);
	assert_int_equal(clear, UINT64_MAX);
	for (int i = 1; i < NUM_KEYS; i++)
		assert_int_not_equal(tags[i - 1], tags[i]);
	assert_success(doca_dev_close(dev));
}

/* rdma trap 66 */
static void descriptor_can_be_sent_from_where_it_lies(void **state)
{
	struct doca_buf *src, *dst;
	struct doca_mmap *mmap, *wrapper;
	struct dma_rig rig;
	struct blob blob;

	(void)state;
	dma_rig_init(&rig, MAX_BLOB_BYTES, 2, 1);
	mmap = exporter_create(rig.memory.dev);
	blob = blob_of(mmap, rig.memory.dev);
	assert_in_range(blob.len, 1, MAX_BLOB_BYTES);
	wrapper = fixture_mmap_create(rig.memory.dev, (void *)(uintptr_t)blob.bytes, blob.len,
				      DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	assert_success(doca_buf_inventory_buf_get_by_data(
	    rig.memory.inventory, wrapper, (void *)(uintptr_t)blob.bytes, blob.len, &src));
	dst = fixture_buf(&rig.memory, 0, blob.len, 0, 0);

	dma_rig_copy(&rig, src, dst);

	assert_memory_equal(rig.memory.bytes, blob.bytes, blob.len);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	fixture_mmap_destroy(wrapper);
	fixture_mmap_destroy(mmap);
	dma_rig_fini(&rig);
}

/* --- importing --- */

static void import_shows_the_exporters_range(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *imported = import_create(dev);
	uint8_t is_from_export;
	void *addr;
	size_t len;

	(void)state;
	assert_success(doca_mmap_get_memrange(imported, &addr, &len));
	assert_success(doca_mmap_get_from_export(imported, &is_from_export));

	assert_ptr_equal(addr, bytes);
	assert_int_equal(len, sizeof(bytes));
	assert_int_equal(is_from_export, 1);
	assert_int_equal(is_exported(imported), 0);
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
}

static void import_keeps_user_data(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = exporter_create(dev);
	struct blob blob = blob_of(mmap, dev);
	union doca_data data = { .u64 = 42 };
	struct doca_mmap *with, *without;

	(void)state;
	without = import(blob, dev);
	assert_success(doca_mmap_create_from_export(&data, blob.bytes, blob.len, dev, &with));
	data.u64 = 0;

	assert_success(doca_mmap_get_user_data(with, &data));
	assert_int_equal(data.u64, 42);
	assert_success(doca_mmap_get_user_data(without, &data));
	assert_int_equal(data.u64, 0);
	assert_success(doca_mmap_destroy(with));
	assert_success(doca_mmap_destroy(without));
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

static void import_copies_the_descriptor(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = exporter_create(dev);
	struct blob blob = blob_of(mmap, dev), copy = { .len = blob.len };
	uint8_t *heap = malloc(blob.len);
	struct doca_mmap *imported;
	void *addr;
	size_t len;

	(void)state;
	assert_non_null(heap);
	memcpy(heap, blob.bytes, blob.len);
	copy.bytes = heap;
	imported = import(copy, dev);
	memset(heap, 0xaa, blob.len);
	free(heap);
	fixture_mmap_destroy(mmap);

	assert_success(doca_mmap_get_memrange(imported, &addr, &len));
	assert_ptr_equal(addr, bytes);
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
}

/* In another process: exports a range that only it has, and is gone. */
static void export_and_exit(struct doca_dev *dev, int fd)
{
	struct core_mmap_record record = { .addr = 4096, .len = 8192 };
	struct doca_mmap *mmap;
	struct blob blob;

	if (doca_mmap_create(&mmap) == DOCA_SUCCESS &&
	    doca_mmap_set_memrange(mmap, (void *)(uintptr_t)record.addr, record.len) ==
		DOCA_SUCCESS &&
	    doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ) == DOCA_SUCCESS &&
	    doca_mmap_add_dev(mmap, dev) == DOCA_SUCCESS && doca_mmap_start(mmap) == DOCA_SUCCESS &&
	    doca_mmap_export_rdma(mmap, dev, &blob.bytes, &blob.len) == DOCA_SUCCESS &&
	    write(fd, blob.bytes, blob.len) == (ssize_t)blob.len)
		_exit(0);
	_exit(1);
}

/* The descriptor that a process made which has ended. */
static size_t blob_of_the_dead(struct doca_dev *dev, uint8_t *blob, size_t size)
{
	int status, ends[2];
	ssize_t len;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		export_and_exit(dev, ends[1]);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	len = read(ends[0], blob, size);
	assert_true(len > 0);
	close(ends[0]);
	close(ends[1]);
	return (size_t)len;
}

/* rdma trap 36 */
static void import_needs_no_living_exporter(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	uint8_t heap[MAX_BLOB_BYTES];
	struct blob blob = { .bytes = heap, .len = blob_of_the_dead(dev, heap, sizeof(heap)) };
	struct doca_mmap *imported = import(blob, dev);
	void *addr;
	size_t len;

	(void)state;
	assert_success(doca_mmap_get_memrange(imported, &addr, &len));
	assert_int_equal((uintptr_t)addr, 4096);
	assert_int_equal(len, 8192);
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
}

static void forked_process_exports_as_itself(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = exporter_create(dev);
	struct core_mmap_record parent = record_of(mmap, dev), child;
	uint8_t heap[MAX_BLOB_BYTES];
	size_t len = blob_of_the_dead(dev, heap, sizeof(heap));

	(void)state;
	assert_success(core_mmap_blob_decode(heap, len, &child));
	assert_memory_not_equal(parent.key.instance, child.key.instance,
				sizeof(parent.key.instance));
	assert_int_not_equal(parent.key.tag, child.key.tag);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

static void import_holds_its_device(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *imported = import_create(dev);

	(void)state;
	assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
}

static void import_stays_usable_after_stop(void **state)
{
	struct doca_buf_inventory *inventory = fixture_inventory_create(1);
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *imported = import_create(dev);
	struct doca_buf *buf;

	(void)state;
	assert_success(doca_mmap_stop(imported));
	assert_success(
	    doca_buf_inventory_buf_get_by_data(inventory, imported, bytes, sizeof(bytes), &buf));

	assert_refused(doca_mmap_stop(imported), DOCA_ERROR_NOT_PERMITTED, "bufs");
	assert_refused(doca_mmap_destroy(imported), DOCA_ERROR_NOT_PERMITTED, "bufs");
	fixture_buf_put(buf);
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
	fixture_inventory_destroy(inventory);
}

/* --- many threads --- */

struct sharer {
	pthread_t thread;
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *kept;
	unsigned int failures;
};

static void *share(void *argument)
{
	struct sharer *sharer = argument;

	for (int i = 0; i < 10000; i++) {
		struct doca_buf *buf;

		if (doca_buf_inventory_buf_get_by_data(sharer->inventory, sharer->mmap, bytes, 8,
						       &buf) != DOCA_SUCCESS ||
		    doca_buf_dec_refcount(buf, NULL) != DOCA_SUCCESS)
			sharer->failures++;
	}
	if (doca_buf_inventory_buf_get_by_addr(sharer->inventory, sharer->mmap, bytes, 8,
					       &sharer->kept) != DOCA_SUCCESS)
		sharer->failures++;
	return NULL;
}

static void threads_may_share_an_import(void **state)
{
	struct sharer sharers[NUM_THREADS] = { 0 };
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *imported = import_create(dev);
	uint32_t num_bufs;

	(void)state;
	for (int i = 0; i < NUM_THREADS; i++) {
		sharers[i].mmap = imported;
		sharers[i].inventory = fixture_inventory_create(2);
		assert_int_equal(pthread_create(&sharers[i].thread, NULL, share, &sharers[i]), 0);
	}
	for (int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(sharers[i].thread, NULL), 0);
		assert_int_equal(sharers[i].failures, 0);
	}

	assert_success(doca_mmap_get_num_bufs(imported, &num_bufs));
	assert_int_equal(num_bufs, NUM_THREADS);
	for (int i = 0; i < NUM_THREADS; i++) {
		fixture_buf_put(sharers[i].kept);
		fixture_inventory_destroy(sharers[i].inventory);
	}
	assert_success(doca_mmap_destroy(imported));
	assert_success(doca_dev_close(dev));
}

struct exporter {
	pthread_t thread;
	struct doca_dev *dev;
	uint64_t keys[NUM_EXPORTS];
	unsigned int failures;
};

/* One export more; 0 when it did not work. */
static uint64_t export_key(struct doca_dev *dev)
{
	struct core_mmap_record record = { .key.index = 0 };
	struct doca_mmap *mmap;
	const void *blob;
	size_t len;

	if (doca_mmap_create(&mmap) != DOCA_SUCCESS)
		return 0;
	if (doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)) == DOCA_SUCCESS &&
	    doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ) == DOCA_SUCCESS &&
	    doca_mmap_add_dev(mmap, dev) == DOCA_SUCCESS && doca_mmap_start(mmap) == DOCA_SUCCESS &&
	    doca_mmap_export_rdma(mmap, dev, &blob, &len) == DOCA_SUCCESS)
		(void)core_mmap_blob_decode(blob, len, &record);
	(void)doca_mmap_destroy(mmap);
	return record.key.index;
}

static void *export_many(void *argument)
{
	struct exporter *exporter = argument;

	for (int i = 0; i < NUM_EXPORTS; i++) {
		exporter->keys[i] = export_key(exporter->dev);
		exporter->failures += exporter->keys[i] == 0;
	}
	return NULL;
}

static void threads_export_under_different_keys(void **state)
{
	struct exporter exporters[NUM_THREADS] = { 0 };
	uint64_t keys[NUM_THREADS * NUM_EXPORTS];
	struct doca_dev *dev = fixture_dev_open();

	(void)state;
	for (int i = 0; i < NUM_THREADS; i++) {
		exporters[i].dev = dev;
		assert_int_equal(
		    pthread_create(&exporters[i].thread, NULL, export_many, &exporters[i]), 0);
	}
	for (int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(exporters[i].thread, NULL), 0);
		assert_int_equal(exporters[i].failures, 0);
		memcpy(&keys[i * NUM_EXPORTS], exporters[i].keys, sizeof(exporters[i].keys));
	}

	qsort(keys, NUM_THREADS * NUM_EXPORTS, sizeof(keys[0]), compare_u64);
	for (int i = 1; i < NUM_THREADS * NUM_EXPORTS; i++)
		assert_int_not_equal(keys[i - 1], keys[i]);
	assert_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(export_needs_a_right_for_peers),
		TEST(descriptor_says_what_was_exported),
		TEST(second_export_is_the_same),
		TEST(each_device_has_a_key_of_its_own),
		TEST(stop_ends_the_export_and_start_brings_a_new_key),
		TEST(key_tags_are_random_in_every_byte),
		TEST(descriptor_can_be_sent_from_where_it_lies),
		TEST(import_shows_the_exporters_range),
		TEST(import_keeps_user_data),
		TEST(import_copies_the_descriptor),
		TEST(import_needs_no_living_exporter),
		TEST(forked_process_exports_as_itself),
		TEST(import_holds_its_device),
		TEST(import_stays_usable_after_stop),
		TEST(threads_may_share_an_import),
		TEST(threads_export_under_different_keys),
	};

	return cmocka_run_group_tests_name("mmap_export", tests, NULL, NULL);
}
