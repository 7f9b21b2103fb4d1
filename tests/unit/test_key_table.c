/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys and the memory that they stand for: who may reach it, and how that ends. */
#include <pthread.h>
#include <stdbool.h>

#include "core/key.h"
#include "core/mmap.h"
#include "fixture.h"
#include "test.h"

static char bytes[64];

static struct core_key added_key(void)
{
	const struct core_key_range range = { .addr = bytes,
					      .len = sizeof(bytes),
					      .permissions = 7 };
	struct core_key key;

	assert_success(core_key_make(&key));
	assert_success(core_key_add(&key, &range));
	return key;
}

static void range_is_reached_by_its_key(void **state)
{
	struct core_key key = added_key();
	struct core_key_range range;

	(void)state;
	assert_true(core_key_acquire(key.index, key.tag, &range));
	assert_ptr_equal(range.addr, bytes);
	assert_int_equal(range.len, sizeof(bytes));
	assert_int_equal(range.permissions, 7);
	core_key_release(key.index);
	core_key_remove(&key);
}

static void wrong_index_or_tag_reaches_nothing(void **state)
{
	struct core_key key = added_key();
	struct core_key_range range;

	(void)state;
	assert_false(core_key_acquire(key.index + 1, key.tag, &range));
	assert_false(core_key_acquire(key.index + 256, key.tag, &range)); /* in the same bucket */
	assert_false(core_key_acquire(key.index, key.tag ^ 1, &range));
	core_key_remove(&key);
	assert_false(core_key_acquire(key.index, key.tag, &range));
	core_key_remove(&key); /* which is not there any more */
}

static void many_keys_are_told_apart(void **state)
{
	struct core_key keys[600];
	struct core_key_range range;

	(void)state;
	for (int i = 0; i < 600; i++)
		keys[i] = added_key();
	for (int i = 0; i < 600; i += 2)
		core_key_remove(&keys[i]);
	for (int i = 0; i < 600; i++) {
		bool is_there = core_key_acquire(keys[i].index, keys[i].tag, &range);

		assert_int_equal(is_there, i % 2);
		if (is_there)
			core_key_release(keys[i].index);
	}
	for (int i = 1; i < 600; i += 2)
		core_key_remove(&keys[i]);
}

static struct {
	struct core_key key;
	bool is_removing; /* atomic */
	bool is_removed;  /* atomic */
} revocation;

static void *revoke(void *unused)
{
	(void)unused;
	__atomic_store_n(&revocation.is_removing, true, __ATOMIC_SEQ_CST);
	core_key_remove(&revocation.key);
	__atomic_store_n(&revocation.is_removed, true, __ATOMIC_SEQ_CST);
	return NULL;
}

static void removal_waits_for_accesses(void **state)
{
	struct core_key_range range;
	pthread_t thread;

	(void)state;
	revocation.key = added_key();
	revocation.is_removing = revocation.is_removed = false;
	assert_true(core_key_acquire(revocation.key.index, revocation.key.tag, &range));
	assert_true(core_key_acquire(revocation.key.index, revocation.key.tag, &range));
	assert_int_equal(pthread_create(&thread, NULL, revoke, NULL), 0);
	/* Once the key is void, the removal is waiting. */
	while (core_key_acquire(revocation.key.index, revocation.key.tag, &range))
		core_key_release(revocation.key.index);
	assert_true(__atomic_load_n(&revocation.is_removing, __ATOMIC_SEQ_CST));
	core_key_release(revocation.key.index);
	assert_false(__atomic_load_n(&revocation.is_removed, __ATOMIC_SEQ_CST));
	core_key_release(revocation.key.index);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(revocation.is_removed);
}

/* The descriptor of a mmap is good until it is stopped; the next export has another key. */
static void stopped_mmap_is_reached_no_more(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = fixture_mmap_create(dev, bytes, sizeof(bytes), 7);
	struct core_mmap_record first, second;
	struct core_key_range range;
	const void *blob;
	size_t len;

	(void)state;
	assert_success(doca_mmap_export_rdma(mmap, dev, &blob, &len));
	assert_success(core_mmap_blob_decode(blob, len, &first));
	assert_true(core_key_acquire(first.key.index, first.key.tag, &range));
	assert_ptr_equal(range.dev, dev);
	core_key_release(first.key.index);
	assert_success(doca_mmap_stop(mmap));
	assert_false(core_key_acquire(first.key.index, first.key.tag, &range));
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_mmap_export_rdma(mmap, dev, &blob, &len));
	assert_success(core_mmap_blob_decode(blob, len, &second));
	assert_int_not_equal(first.key.index, second.key.index);
	assert_true(core_key_acquire(second.key.index, second.key.tag, &range));
	core_key_release(second.key.index);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(range_is_reached_by_its_key),     TEST(wrong_index_or_tag_reaches_nothing),
		TEST(many_keys_are_told_apart),        TEST(removal_waits_for_accesses),
		TEST(stopped_mmap_is_reached_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
