/* SPDX-License-Identifier: BSD-3-Clause */

/* Pools of buffers: where the elements lie, who has them, and when the pool may be changed. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <doca_buf_pool.h>

#include "fixture.h"
#include "test.h"

#define RANGE_LEN 4096
#define MAX_BUFS  64

/* A range of which we know the address: it begins at a page. */
static _Alignas(4096) char range[RANGE_LEN];

static struct doca_mmap *mmap_over(size_t offset, size_t len)
{
	return fixture_mmap_create(NULL, range + offset, len, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
}

/* A pool that is not started. */
static struct doca_buf_pool *pool_create(const struct doca_mmap *mmap, size_t num_elements,
					 size_t element_size, size_t alignment)
{
	struct doca_buf_pool *pool;

	assert_success(doca_buf_pool_create(num_elements, element_size, mmap, &pool));
	assert_success(doca_buf_pool_set_element_alignment(pool, alignment));
	return pool;
}

static struct doca_buf *take(struct doca_buf_pool *pool)
{
	struct doca_buf *buf;

	assert_success(doca_buf_pool_buf_alloc(pool, &buf));
	return buf;
}

static char *head_of(const struct doca_buf *buf)
{
	void *head;

	assert_success(doca_buf_get_head(buf, &head));
	return head;
}

static uint32_t num_free(const struct doca_buf_pool *pool)
{
	uint32_t count;

	assert_success(doca_buf_pool_get_num_free_elements(pool, &count));
	return count;
}

static int compare_bufs(const void *one, const void *other)
{
	const char *a = head_of(*(struct doca_buf *const *)one);
	const char *b = head_of(*(struct doca_buf *const *)other);

	return (a > b) - (a < b);
}

/* Takes all elements, in the order of their addresses. */
static void take_all(struct doca_buf_pool *pool, struct doca_buf **bufs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bufs[i] = take(pool);
	qsort(bufs, n, sizeof(bufs[0]), compare_bufs);
}

static void put_all(struct doca_buf **bufs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fixture_buf_put(bufs[i]);
}

/* --- layout --- */

/* The range is [offset, offset + len) from the page's begin on. */
static const struct layout {
	size_t offset, len, num_elements, element_size, alignment;
} layouts[] = {
	{ 0, 64, 1, 64, 1 },        { 0, 64, 64, 1, 1 },        { 3, 60, 6, 10, 1 },
	{ 0, 64, 4, 16, 16 },       { 0, 58, 4, 10, 16 }, /* no padding behind the last */
	{ 1, 15 + 58, 4, 10, 16 },                        /* the first is 15 bytes into the range */
	{ 15, 1 + 58, 4, 10, 16 },  { 16, 58, 4, 10, 16 },      { 0, 33, 2, 1, 32 },
	{ 1, 7 + 8, 1, 8, 8 },      { 1, 4095, 3, 1000, 1024 }, /* 1024, 2048, 3072 */
	{ 0, 4096, 4, 1024, 1024 }, { 0, 4096, 1, 4096, 4096 }, { 100, 3996, 2, 500, 2 },
	{ 101, 3995, 39, 99, 2 },
};
#define NUM_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static void elements_are_aligned_apart_and_in_the_range(void **state)
{
	(void)state;
	for (size_t row = 0; row < NUM_LAYOUTS; row++) {
		const struct layout *layout = &layouts[row];
		struct doca_mmap *mmap = mmap_over(layout->offset, layout->len);
		struct doca_buf_pool *pool = pool_create(mmap, layout->num_elements,
							 layout->element_size, layout->alignment);
		const char *end = range + layout->offset; /* of what is used so far */
		struct doca_buf *bufs[MAX_BUFS];

		assert_success(doca_buf_pool_start(pool));
		take_all(pool, bufs, layout->num_elements);
		for (size_t i = 0; i < layout->num_elements; i++) {
			const char *head = head_of(bufs[i]);
			size_t len;

			assert_true(head >= end);
			assert_int_equal((uintptr_t)head % layout->alignment, 0);
			assert_success(doca_buf_get_len(bufs[i], &len));
			assert_int_equal(len, layout->element_size);
			end = head + len;
		}
		assert_true(end <= range + layout->offset + layout->len);
		put_all(bufs, layout->num_elements);
		assert_success(doca_buf_pool_destroy(pool));
		fixture_mmap_destroy(mmap);
	}
}

/* The bytes that a layout needs, reckoned one element after the other. */
static size_t bytes_needed(const struct layout *layout)
{
	size_t at = layout->offset;

	for (size_t i = 0; i < layout->num_elements; i++) {
		while (at % layout->alignment != 0)
			at++;
		at += layout->element_size;
	}
	return at - layout->offset;
}

static void range_is_big_enough_to_the_byte(void **state)
{
	(void)state;
	for (size_t row = 0; row < NUM_LAYOUTS; row++) {
		const struct layout *layout = &layouts[row];
		const size_t needed = bytes_needed(layout);

		for (size_t len = needed - 1; len <= needed; len++) {
			struct doca_buf_pool *pool;
			struct doca_mmap *mmap;

			if (len == 0)
				continue;
			mmap = mmap_over(layout->offset, len);
			pool = pool_create(mmap, layout->num_elements, layout->element_size,
					   layout->alignment);
			if (len == needed)
				assert_success(doca_buf_pool_start(pool));
			else
				assert_refused(doca_buf_pool_start(pool), DOCA_ERROR_INITIALIZATION,
					       "need more");
			assert_success(doca_buf_pool_destroy(pool));
			fixture_mmap_destroy(mmap);
		}
	}
}

static void sizes_that_overflow_do_not_fit(void **state)
{
	static const struct {
		size_t num_elements, element_size, alignment;
	} rows[] = {
		{ 1, SIZE_MAX, 1 },
		{ 1, SIZE_MAX, SIZE_MAX / 2 + 1 },
		{ 1, SIZE_MAX - 4094, 4096 },
		{ 2, SIZE_MAX / 2 + 1, 1 },
		{ 3, SIZE_MAX / 2, 2 },
		{ 2, 1, SIZE_MAX / 2 + 1 },
		{ 1000, SIZE_MAX / 1000 + 2, 1 },
		{ 256, (size_t)1 << 56, 1 },
	};
	struct doca_mmap *mmap = mmap_over(0, RANGE_LEN);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_buf_pool *pool = pool_create(mmap, rows[i].num_elements,
							 rows[i].element_size, rows[i].alignment);

		assert_refused(doca_buf_pool_start(pool), DOCA_ERROR_INITIALIZATION, "need more");
		assert_success(doca_buf_pool_destroy(pool));
	}
	fixture_mmap_destroy(mmap);
}

static void start_that_failed_can_be_mended(void **state)
{
	struct doca_mmap *mmap = mmap_over(0, 64);
	struct doca_buf_pool *pool = pool_create(mmap, 4, 10, 32);
	struct doca_buf *bufs[4];

	(void)state;
	assert_refused(doca_buf_pool_start(pool), DOCA_ERROR_INITIALIZATION, "need more");
	assert_success(doca_buf_pool_set_element_alignment(pool, 16));
	assert_success(doca_buf_pool_start(pool));
	take_all(pool, bufs, 4);
	assert_ptr_equal(head_of(bufs[3]), range + 48);
	put_all(bufs, 4);
	assert_success(doca_buf_pool_stop(pool));
	assert_success(doca_buf_pool_set_element_alignment(pool, 1));
	assert_success(doca_buf_pool_start(pool));
	take_all(pool, bufs, 4);
	for (size_t i = 1; i < 4; i++)
		assert_true(head_of(bufs[i]) >= head_of(bufs[i - 1]) + 10);
	put_all(bufs, 4);
	assert_success(doca_buf_pool_destroy(pool));
	fixture_mmap_destroy(mmap);
}

/* --- elements --- */

static struct doca_mmap *map;
static struct doca_buf_pool *four; /* started, of four elements of 16 bytes */

static int begin(void **state)
{
	test_begin(state);
	map = mmap_over(0, 64);
	four = pool_create(map, 4, 16, 1);
	assert_success(doca_buf_pool_start(four));
	return 0;
}

static int end(void **state)
{
	assert_success(doca_buf_pool_destroy(four));
	fixture_mmap_destroy(map);
	return test_end(state);
}

static void element_is_a_lone_empty_buffer_and_its_memory_is_left_alone(void **state)
{
	struct doca_buf *buf;
	uint8_t is_in_list;
	uint16_t refcount;
	void *data;
	size_t len;

	(void)state;
	memset(range, 0x5a, 64);
	buf = take(four);
	assert_success(doca_buf_get_data(buf, &data));
	assert_ptr_equal(data, head_of(buf));
	assert_success(doca_buf_get_data_len(buf, &len));
	assert_int_equal(len, 0);
	assert_success(doca_buf_get_refcount(buf, &refcount));
	assert_int_equal(refcount, 1);
	assert_success(doca_buf_is_in_list(buf, &is_in_list));
	assert_int_equal(is_in_list, 0);
	for (int i = 0; i < 16; i++)
		assert_int_equal(head_of(buf)[i], 0x5a);
	fixture_buf_put(buf);
}

static void pool_that_is_empty_says_so(void **state)
{
	struct doca_buf *bufs[4], *more = NULL;
	uint32_t count;

	(void)state;
	take_all(four, bufs, 4);
	assert_int_equal(num_free(four), 0);
	assert_error(doca_buf_pool_buf_alloc(four, &more), DOCA_ERROR_EMPTY);
	assert_null(more);
	fixture_buf_put(bufs[2]);
	assert_int_equal(num_free(four), 1);
	bufs[2] = take(four);
	assert_ptr_equal(head_of(bufs[2]), range + 32); /* the only one that is free */
	put_all(bufs, 4);
	assert_int_equal(num_free(four), 4);
	assert_success(doca_buf_pool_get_num_elements(four, &count));
	assert_int_equal(count, 4);
}

static void element_that_was_moved_comes_back_to_its_place(void **state)
{
	struct doca_buf *bufs[4];

	(void)state;
	take_all(four, bufs, 4);
	assert_success(doca_buf_set_data(bufs[0], range + 3, 5));
	/* The window can be anywhere in the mmap; so two of them may be the same. */
	assert_success(doca_buf_inventory_buf_reuse_by_args(bufs[1], range, 64, range + 60, 4));
	assert_success(doca_buf_inventory_buf_reuse_by_addr(bufs[2], range + 63, 1));
	assert_success(doca_buf_chain_list(bufs[1], bufs[3]));
	fixture_buf_put(bufs[0]);
	fixture_buf_put(bufs[1]);
	fixture_buf_put(bufs[2]);
	assert_int_equal(num_free(four), 4);

	take_all(four, bufs, 4);
	for (int i = 0; i < 4; i++) {
		size_t len, data_len;

		assert_ptr_equal(head_of(bufs[i]), range + 16 * i);
		assert_success(doca_buf_get_len(bufs[i], &len));
		assert_int_equal(len, 16);
		assert_success(doca_buf_get_data_len(bufs[i], &data_len));
		assert_int_equal(data_len, 0);
	}
	put_all(bufs, 4);
}

static void element_is_out_as_long_as_it_has_a_reference(void **state)
{
	struct doca_buf *buf;

	(void)state;
	buf = take(four);
	assert_success(doca_buf_inc_refcount(buf, NULL));
	fixture_buf_put(buf);
	assert_int_equal(num_free(four), 3);
	fixture_buf_put(buf);
	assert_int_equal(num_free(four), 4);
	assert_refused(doca_buf_dec_refcount(buf, NULL), DOCA_ERROR_BAD_STATE, "free already");
	assert_int_equal(num_free(four), 4);
}

static void elements_and_bufs_of_an_inventory_make_one_list(void **state)
{
	struct doca_buf_inventory *inventory = fixture_inventory_create(1);
	struct doca_buf *first, *second;
	uint32_t count;

	(void)state;
	first = take(four);
	assert_success(doca_buf_inventory_buf_get_by_data(inventory, map, range, 8, &second));
	assert_success(doca_buf_chain_list(first, second));
	fixture_buf_put(first); /* each goes back where it came from */
	assert_int_equal(num_free(four), 4);
	assert_success(doca_buf_inventory_get_num_free_elements(inventory, &count));
	assert_int_equal(count, 1);
	fixture_inventory_destroy(inventory);
}

static void pool_with_an_element_out_neither_stops_nor_goes(void **state)
{
	struct doca_buf *buf, *other;

	(void)state;
	buf = take(four);
	assert_refused(doca_buf_pool_stop(four), DOCA_ERROR_IN_USE, "1 bufs");
	assert_refused(doca_buf_pool_destroy(four), DOCA_ERROR_IN_USE, "1 bufs");
	other = take(four); /* it stays started */
	fixture_buf_put(other);
	fixture_buf_put(buf);
	assert_success(doca_buf_pool_stop(four));
}

static void mmap_counts_the_elements_that_are_out(void **state)
{
	struct doca_buf *bufs[4];
	uint32_t count;

	(void)state;
	assert_success(doca_mmap_get_num_bufs(map, &count));
	assert_int_equal(count, 0); /* the pool itself is none */
	take_all(four, bufs, 4);
	assert_success(doca_mmap_get_num_bufs(map, &count));
	assert_int_equal(count, 4);
	assert_refused(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED, "bufs");
	put_all(bufs, 4);
	assert_success(doca_mmap_get_num_bufs(map, &count));
	assert_int_equal(count, 0);
}

/* --- states --- */

static void mmap_that_has_stopped_gives_no_elements(void **state)
{
	struct doca_buf *buf = NULL;

	(void)state;
	assert_success(doca_mmap_stop(map));
	assert_refused(doca_buf_pool_buf_alloc(four, &buf), DOCA_ERROR_BAD_STATE, "not started");
	assert_null(buf);
	assert_success(doca_buf_pool_stop(four));
	assert_refused(doca_buf_pool_start(four), DOCA_ERROR_BAD_STATE, "its mmap is not");
	assert_success(doca_mmap_start(map));
	assert_success(doca_buf_pool_start(four));
	fixture_buf_put(take(four));
}

static void pool_is_changed_and_used_in_different_states(void **state)
{
	const union doca_data data = { .u64 = 77 };
	struct doca_buf *buf = NULL;

	(void)state;
	assert_refused(doca_buf_pool_start(four), DOCA_ERROR_BAD_STATE, "already");
	assert_refused(doca_buf_pool_set_user_data(four, data), DOCA_ERROR_BAD_STATE, "user_data");
	assert_refused(doca_buf_pool_set_element_alignment(four, 2), DOCA_ERROR_BAD_STATE,
		       "alignment");
	assert_refused(doca_buf_pool_set_element_alignment(four, 3), DOCA_ERROR_BAD_STATE,
		       "alignment");
	for (int i = 0; i < 2; i++) /* also when it is stopped already */
		assert_success(doca_buf_pool_stop(four));
	assert_refused(doca_buf_pool_buf_alloc(four, &buf), DOCA_ERROR_BAD_STATE, "not started");
	assert_null(buf);
	assert_int_equal(num_free(four), 4);
	assert_success(doca_buf_pool_set_user_data(four, data));
	assert_success(doca_buf_pool_set_element_alignment(four, 2));
}

static void alignment_is_a_power_of_two(void **state)
{
	static const size_t bad[] = { 0, 3, 5, 6, 12, 4095, SIZE_MAX, SIZE_MAX / 2 };
	size_t alignment;

	(void)state;
	assert_success(doca_buf_pool_stop(four));
	for (unsigned int bit = 0; bit < 64; bit++) {
		assert_success(doca_buf_pool_set_element_alignment(four, (size_t)1 << bit));
		assert_success(doca_buf_pool_get_element_alignment(four, &alignment));
		assert_int_equal(alignment, (size_t)1 << bit);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(doca_buf_pool_set_element_alignment(four, bad[i]),
			       DOCA_ERROR_INVALID_VALUE, "power of two");
	assert_success(doca_buf_pool_get_element_alignment(four, &alignment));
	assert_int_equal(alignment, (size_t)1 << 63);
}

static void new_pool_has_no_user_data_and_no_alignment(void **state)
{
	union doca_data data = { .u64 = 5 };
	struct doca_buf_pool *pool;
	size_t alignment;
	uint32_t count;

	(void)state;
	assert_success(doca_buf_pool_create(3, 5, map, &pool));
	assert_success(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(data.u64, 0);
	assert_success(doca_buf_pool_get_element_alignment(pool, &alignment));
	assert_int_equal(alignment, 1);
	assert_success(doca_buf_pool_get_num_elements(pool, &count));
	assert_int_equal(count, 3);
	assert_int_equal(num_free(pool), 3);
	data.u64 = 77;
	assert_success(doca_buf_pool_set_user_data(pool, data));
	data.u64 = 0;
	assert_success(doca_buf_pool_get_user_data(pool, &data));
	assert_int_equal(data.u64, 77);
	assert_success(doca_buf_pool_destroy(pool)); /* that was never started */
}

static void pool_needs_elements_and_a_range(void **state)
{
	static const struct {
		size_t num_elements, element_size;
	} rows[] = { { 0, 1 }, { 1, 0 }, { 0, 0 }, { (size_t)UINT32_MAX + 1, 1 }, { SIZE_MAX, 1 } };
	struct doca_buf_pool *pool = NULL;
	struct doca_mmap *empty;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(
		    doca_buf_pool_create(rows[i].num_elements, rows[i].element_size, map, &pool),
		    DOCA_ERROR_INVALID_VALUE, "elements");
	assert_success(doca_mmap_create(&empty));
	assert_refused(doca_buf_pool_create(1, 1, empty, &pool), DOCA_ERROR_INVALID_VALUE,
		       "in 0 bytes");
	assert_null(pool);
	assert_success(doca_mmap_destroy(empty));
}

/* --- other mmaps --- */

static void pool_may_be_made_before_its_mmap_starts(void **state)
{
	struct doca_buf_pool *pool;
	struct doca_mmap *mmap;

	(void)state;
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, range, 64));
	assert_success(doca_buf_pool_create(1, 64, mmap, &pool));
	assert_refused(doca_buf_pool_start(pool), DOCA_ERROR_BAD_STATE, "its mmap is not");
	assert_success(doca_mmap_start(mmap));
	assert_success(doca_buf_pool_start(pool));
	fixture_buf_put(take(pool));
	assert_success(doca_buf_pool_destroy(pool));
	fixture_mmap_destroy(mmap);
}

static void imported_mmap_can_be_cut_as_well(void **state)
{
	struct doca_mmap *exporter, *imported;
	struct doca_dev *dev = fixture_dev_open();
	struct doca_buf_pool *pool;
	struct doca_buf *bufs[4];
	const void *blob;
	size_t len;

	(void)state;
	exporter = fixture_mmap_create(dev, range, 64, DOCA_ACCESS_FLAG_RDMA_READ);
	assert_success(doca_mmap_export_rdma(exporter, dev, &blob, &len));
	assert_success(doca_mmap_create_from_export(NULL, blob, len, dev, &imported));
	pool = pool_create(imported, 4, 16, 16);
	assert_success(doca_buf_pool_start(pool));
	take_all(pool, bufs, 4);
	assert_ptr_equal(head_of(bufs[0]), range);
	assert_ptr_equal(head_of(bufs[3]), range + 48);
	assert_refused(doca_mmap_destroy(imported), DOCA_ERROR_NOT_PERMITTED, "bufs");
	put_all(bufs, 4);
	assert_success(doca_buf_pool_destroy(pool));
	assert_success(doca_mmap_destroy(imported));
	fixture_mmap_destroy(exporter);
	assert_success(doca_dev_close(dev));
}

static void thread_safe_mmap_does_not_count_elements(void **state)
{
	struct doca_buf_pool *pool;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	(void)state;
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, range, 64));
	assert_success(doca_mmap_enable_thread_safety(mmap));
	assert_success(doca_mmap_start(mmap));
	pool = pool_create(mmap, 1, 64, 1);
	assert_success(doca_buf_pool_start(pool));
	buf = take(pool);
	assert_success(doca_mmap_stop(mmap));
	fixture_buf_put(buf);
	assert_refused(doca_buf_pool_buf_alloc(pool, &buf), DOCA_ERROR_BAD_STATE, "not started");
	assert_success(doca_buf_pool_destroy(pool));
	assert_success(doca_mmap_destroy(mmap));
}

#define POOL_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(elements_are_aligned_apart_and_in_the_range),
		TEST(range_is_big_enough_to_the_byte),
		TEST(sizes_that_overflow_do_not_fit),
		TEST(start_that_failed_can_be_mended),
		POOL_TEST(element_is_a_lone_empty_buffer_and_its_memory_is_left_alone),
		POOL_TEST(pool_that_is_empty_says_so),
		POOL_TEST(element_that_was_moved_comes_back_to_its_place),
		POOL_TEST(element_is_out_as_long_as_it_has_a_reference),
		POOL_TEST(elements_and_bufs_of_an_inventory_make_one_list),
		POOL_TEST(pool_with_an_element_out_neither_stops_nor_goes),
		POOL_TEST(mmap_counts_the_elements_that_are_out),
		POOL_TEST(mmap_that_has_stopped_gives_no_elements),
		POOL_TEST(pool_is_changed_and_used_in_different_states),
		POOL_TEST(alignment_is_a_power_of_two),
		POOL_TEST(new_pool_has_no_user_data_and_no_alignment),
		POOL_TEST(pool_needs_elements_and_a_range),
		TEST(pool_may_be_made_before_its_mmap_starts),
		TEST(imported_mmap_can_be_cut_as_well),
		TEST(thread_safe_mmap_does_not_count_elements),
	};

	return cmocka_run_group_tests_name("buf_pool", tests, NULL, NULL);
}
