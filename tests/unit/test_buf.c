/* SPDX-License-Identifier: BSD-3-Clause */

/* Lone buffers: the window in the mmap, the data in the window, and who owns a reference. */

#include <string.h>

#include "core/buf.h"
#include "fixture.h"
#include "test.h"

#define RANGE_LEN        64
#define BUF_LEN          32

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* A lone buf over the first half of the memory, its data [8, 8 + 4). */
struct scene {
	struct fixture_memory memory;
	struct doca_buf *buf;
};

/* What can be seen of a buf. */
struct view {
	void *head;
	size_t len;
	void *data;
	size_t data_len;
	uint16_t refcount;
};

static void scene_init(struct scene *scene)
{
	fixture_memory_init(&scene->memory, RANGE_LEN, 4);
	scene->buf = fixture_buf(&scene->memory, 0, BUF_LEN, 8, 4);
}

/* Leaves the buf to those who have given it back. */
static void scene_fini(struct scene *scene)
{
	if (scene->buf != NULL)
		fixture_buf_put(scene->buf);
	fixture_memory_fini(&scene->memory);
}

static struct view view_of(const struct doca_buf *buf)
{
	struct view view;

	memset(&view, 0, sizeof(view));
	assert_success(doca_buf_get_head(buf, &view.head));
	assert_success(doca_buf_get_len(buf, &view.len));
	assert_success(doca_buf_get_data(buf, &view.data));
	assert_success(doca_buf_get_data_len(buf, &view.data_len));
	assert_success(doca_buf_get_refcount(buf, &view.refcount));
	return view;
}

static void assert_view(const struct doca_buf *buf, const char *head, size_t len, const char *data,
			size_t data_len)
{
	struct view view = view_of(buf);

	assert_ptr_equal(view.head, head);
	assert_int_equal(view.len, len);
	assert_ptr_equal(view.data, data);
	assert_int_equal(view.data_len, data_len);
}

static void assert_view_is(const struct doca_buf *buf, const struct view *before)
{
	struct view now = view_of(buf);

	assert_memory_equal(&now, before, sizeof(now));
}

/* --- the window --- */

/* Offsets from the start of a range of RANGE_LEN bytes; part: of the refusal, NULL for success. */
static const struct {
	intptr_t at;
	size_t len;
	intptr_t data;
	size_t data_len;
	const char *part;
} windows[] = {
	{ 0, 64, 0, 0, NULL },
	{ 0, 64, 0, 64, NULL },
	{ 0, 64, 64, 0, NULL },
	{ 63, 1, 63, 1, NULL },
	{ 64, 0, 64, 0, NULL },
	{ 10, 0, 10, 0, NULL },
	{ 10, 20, 15, 15, NULL },
	{ 63, 2, 63, 1, "outside mmap" },
	{ 64, 1, 64, 0, "outside mmap" },
	{ 65, 0, 65, 0, "outside mmap" },
	{ -1, 1, -1, 0, "outside mmap" },
	{ -1, 65, 0, 1, "outside mmap" },
	{ 0, 65, 0, 1, "outside mmap" },
	{ 0, SIZE_MAX, 0, 1, "outside mmap" },
	{ 1, SIZE_MAX, 1, 1, "outside mmap" },
	{ 63, SIZE_MAX - 62, 63, 1, "outside mmap" },
	{ 10, 20, 9, 1, "outside its buffer" },
	{ 10, 20, 9, 0, "outside its buffer" },
	{ 10, 20, 31, 0, "outside its buffer" },
	{ 10, 20, 30, 1, "outside its buffer" },
	{ 10, 20, 10, 21, "outside its buffer" },
	{ 10, 20, 15, 16, "outside its buffer" },
	{ 10, 20, 15, SIZE_MAX, "outside its buffer" },
	{ 10, 20, 15, SIZE_MAX - 4, "outside its buffer" },
	{ 10, 0, 10, 1, "outside its buffer" },
};

static void check_windows(struct doca_buf_inventory *inventory, struct doca_mmap *mmap,
			  uintptr_t base)
{
	for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
		char *head = (char *)(base + windows[i].at); /* never followed */
		char *data = (char *)(base + windows[i].data);
		struct doca_buf *buf = NULL;

		if (windows[i].part != NULL) {
			assert_refused(doca_buf_inventory_buf_get_by_args(
					   inventory, mmap, head, windows[i].len, data,
					   windows[i].data_len, &buf),
				       DOCA_ERROR_INVALID_VALUE, windows[i].part);
			assert_null(buf);
			continue;
		}
		assert_success(doca_buf_inventory_buf_get_by_args(
		    inventory, mmap, head, windows[i].len, data, windows[i].data_len, &buf));
		assert_view(buf, head, windows[i].len, data, windows[i].data_len);
		fixture_buf_put(buf);
	}
}

static void window_lies_in_the_mmap_and_data_in_the_window(void **state)
{
	/* In the middle, and at both ends of the address space. */
	static const uintptr_t bases[] = { 2, UINT64_C(0x7f0000000000),
					   UINTPTR_MAX - RANGE_LEN - 1 };
	struct doca_buf_inventory *inventory = fixture_inventory_create(1);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		struct doca_mmap *mmap = fixture_mmap_create(NULL, (void *)bases[i], RANGE_LEN, 0);

		check_windows(inventory, mmap, bases[i]);
		fixture_mmap_destroy(mmap);
	}
	fixture_inventory_destroy(inventory);
}

static void address_near_the_end_of_memory_is_outside(void **state)
{
	static const struct {
		uintptr_t addr;
		size_t len;
	} rows[] = {
		{ UINTPTR_MAX, 1 },        { UINTPTR_MAX, 0 },
		{ UINTPTR_MAX - 1, 2 },    { UINTPTR_MAX - 7, SIZE_MAX },
		{ UINTPTR_MAX, SIZE_MAX }, { 1, SIZE_MAX },
	};
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct doca_buf *buf;

		assert_refused(
		    doca_buf_inventory_buf_get_by_addr(scene.memory.inventory, scene.memory.mmap,
						       (void *)rows[i].addr, rows[i].len, &buf),
		    DOCA_ERROR_INVALID_VALUE, "outside mmap");
	}
	scene_fini(&scene);
}

static void buf_by_address_is_empty_and_by_data_is_full(void **state)
{
	struct doca_buf *empty, *full;
	struct scene scene;
	char *at;

	(void)state;
	scene_init(&scene);
	at = scene.memory.bytes + 3;
	assert_success(doca_buf_inventory_buf_get_by_addr(scene.memory.inventory, scene.memory.mmap,
							  at, 10, &empty));
	assert_success(doca_buf_inventory_buf_get_by_data(scene.memory.inventory, scene.memory.mmap,
							  at, 10, &full));

	assert_view(empty, at, 10, at, 0);
	assert_view(full, at, 10, at, 10);
	assert_int_equal(core_buf_room(empty), 10);
	assert_int_equal(core_buf_room(full), 0);
	fixture_buf_put(empty);
	fixture_buf_put(full);
	scene_fini(&scene);
}

static void mmap_must_be_started(void **state)
{
	struct doca_buf *buf;
	struct scene scene;
	struct doca_mmap *stopped;

	(void)state;
	scene_init(&scene);
	stopped = fixture_mmap_create(NULL, scene.memory.bytes, RANGE_LEN, 0);
	assert_success(doca_mmap_stop(stopped));
	assert_refused(doca_buf_inventory_buf_get_by_addr(scene.memory.inventory, stopped,
							  scene.memory.bytes, 1, &buf),
		       DOCA_ERROR_BAD_STATE, "not started");
	assert_success(doca_mmap_destroy(stopped));
	scene_fini(&scene);
}

/* --- the data --- */

/* From the head of a buf of BUF_LEN bytes. */
static const struct {
	intptr_t at;
	size_t len;
	doca_error_t expected;
} sections[] = {
	{ 0, 0, DOCA_SUCCESS },
	{ 0, 32, DOCA_SUCCESS },
	{ 31, 1, DOCA_SUCCESS },
	{ 32, 0, DOCA_SUCCESS },
	{ 5, 27, DOCA_SUCCESS },
	{ 0, 33, DOCA_ERROR_INVALID_VALUE },
	{ 5, 28, DOCA_ERROR_INVALID_VALUE },
	{ 32, 1, DOCA_ERROR_INVALID_VALUE },
	{ 33, 0, DOCA_ERROR_INVALID_VALUE }, /* in the mmap, but behind the buf */
	{ -1, 1, DOCA_ERROR_INVALID_VALUE },
	{ -1, 0, DOCA_ERROR_INVALID_VALUE },
	{ 1, SIZE_MAX, DOCA_ERROR_INVALID_VALUE },
	{ 8, SIZE_MAX - 7, DOCA_ERROR_INVALID_VALUE },
	{ INTPTR_MIN, 1, DOCA_ERROR_INVALID_VALUE },
};

static void data_can_be_set_within_the_buffer_only(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		char *data = (char *)((uintptr_t)scene.memory.bytes + sections[i].at);
		struct view before = view_of(scene.buf);

		if (sections[i].expected == DOCA_SUCCESS) {
			assert_success(doca_buf_set_data(scene.buf, data, sections[i].len));
			assert_view(scene.buf, scene.memory.bytes, BUF_LEN, data, sections[i].len);
			continue;
		}
		assert_refused(doca_buf_set_data(scene.buf, data, sections[i].len),
			       sections[i].expected, "outside");
		assert_view_is(scene.buf, &before);
	}
	assert_refused(doca_buf_set_data(scene.buf, NULL, 0), DOCA_ERROR_INVALID_VALUE, "outside");
	scene_fini(&scene);
}

static void data_length_is_counted_from_the_data(void **state)
{
	static const struct {
		size_t len;
		doca_error_t expected;
	} rows[] = {
		{ 0, DOCA_SUCCESS },
		{ 24, DOCA_SUCCESS },
		{ 25, DOCA_ERROR_INVALID_VALUE },
		{ 32, DOCA_ERROR_INVALID_VALUE },
		{ SIZE_MAX, DOCA_ERROR_INVALID_VALUE },
		{ SIZE_MAX - 7, DOCA_ERROR_INVALID_VALUE },
	};
	struct scene scene;

	(void)state;
	scene_init(&scene); /* the data is at 8 of 32 */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct view before = view_of(scene.buf);

		if (rows[i].expected == DOCA_SUCCESS) {
			assert_success(doca_buf_set_data_len(scene.buf, rows[i].len));
			assert_int_equal(core_buf_room(scene.buf), 24 - rows[i].len);
			continue;
		}
		assert_refused(doca_buf_set_data_len(scene.buf, rows[i].len), rows[i].expected,
			       "outside");
		assert_view_is(scene.buf, &before);
	}
	scene_fini(&scene);
}

static void reset_keeps_where_the_data_begins(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_buf_reset_data_len(scene.buf));

	assert_view(scene.buf, scene.memory.bytes, BUF_LEN, scene.memory.bytes + 8, 0);
	assert_int_equal(core_buf_room(scene.buf), 24);
	scene_fini(&scene);
}

/* --- another window --- */

static void reuse_moves_the_window_and_keeps_the_references(void **state)
{
	struct scene scene;
	char *bytes;

	(void)state;
	scene_init(&scene);
	bytes = scene.memory.bytes;
	assert_success(doca_buf_inc_refcount(scene.buf, NULL));

	assert_success(doca_buf_inventory_buf_reuse_by_addr(scene.buf, bytes + 40, 24));
	assert_view(scene.buf, bytes + 40, 24, bytes + 40, 0);
	assert_success(doca_buf_inventory_buf_reuse_by_data(scene.buf, bytes + 50, 14));
	assert_view(scene.buf, bytes + 50, 14, bytes + 50, 14);
	assert_success(
	    doca_buf_inventory_buf_reuse_by_args(scene.buf, bytes, RANGE_LEN, bytes + 60, 4));
	assert_view(scene.buf, bytes, RANGE_LEN, bytes + 60, 4);

	assert_int_equal(view_of(scene.buf).refcount, 2);
	fixture_buf_put(scene.buf);
	scene_fini(&scene);
}

static void reuse_obeys_the_same_bounds(void **state)
{
	struct scene scene;
	uintptr_t base;

	(void)state;
	scene_init(&scene);
	base = (uintptr_t)scene.memory.bytes;
	for (size_t i = 0; i < ARRAY_LEN(windows); i++) {
		char *head = (char *)(base + windows[i].at);
		char *data = (char *)(base + windows[i].data);
		struct view before = view_of(scene.buf);

		if (windows[i].part == NULL) {
			assert_success(doca_buf_inventory_buf_reuse_by_args(
			    scene.buf, head, windows[i].len, data, windows[i].data_len));
			assert_view(scene.buf, head, windows[i].len, data, windows[i].data_len);
			continue;
		}
		assert_refused(doca_buf_inventory_buf_reuse_by_args(scene.buf, head, windows[i].len,
								    data, windows[i].data_len),
			       DOCA_ERROR_INVALID_VALUE, windows[i].part);
		assert_view_is(scene.buf, &before);
	}
	scene_fini(&scene);
}

static void buf_in_a_list_is_not_reused(void **state)
{
	struct doca_buf *second;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	second = fixture_buf(&scene.memory, 32, 8, 0, 0);
	assert_success(doca_buf_chain_list(scene.buf, second));

	assert_refused(doca_buf_inventory_buf_reuse_by_addr(scene.buf, scene.memory.bytes, 1),
		       DOCA_ERROR_NOT_PERMITTED, "in a list");
	assert_refused(doca_buf_inventory_buf_reuse_by_data(second, scene.memory.bytes, 1),
		       DOCA_ERROR_NOT_PERMITTED, "in a list");
	assert_view(second, scene.memory.bytes + 32, 8, scene.memory.bytes + 32, 0);
	scene_fini(&scene);
}

/* --- references --- */

/* rdma trap 23 */
static void references_are_counted_up_to_65535(void **state)
{
	static const struct {
		uint16_t count;
		doca_error_t expected;
	} rows[] = {
		{ 1, DOCA_SUCCESS },
		{ 2, DOCA_SUCCESS },
		{ 255, DOCA_SUCCESS },
		{ 256, DOCA_SUCCESS },
		{ UINT16_MAX - 1, DOCA_SUCCESS },
		{ UINT16_MAX, DOCA_ERROR_TOO_BIG },
	};
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint16_t before = 0;

		while (view_of(scene.buf).refcount < rows[i].count)
			assert_success(doca_buf_inc_refcount(scene.buf, NULL));
		if (rows[i].expected == DOCA_SUCCESS) {
			assert_success(doca_buf_inc_refcount(scene.buf, &before));
			assert_int_equal(before, rows[i].count);
			assert_success(doca_buf_dec_refcount(scene.buf, &before));
			assert_int_equal(before, rows[i].count + 1);
		} else {
			assert_refused(doca_buf_inc_refcount(scene.buf, &before), rows[i].expected,
				       "as many");
			assert_int_equal(before, 0);
		}
		assert_int_equal(view_of(scene.buf).refcount, rows[i].count);
	}
	while (view_of(scene.buf).refcount > 1)
		fixture_buf_put(scene.buf);
	scene_fini(&scene);
}

static void last_reference_gives_the_buf_back(void **state)
{
	struct scene scene;
	uint32_t num_bufs, num_free;
	uint16_t before = 0;

	(void)state;
	scene_init(&scene);
	assert_success(doca_buf_inc_refcount(scene.buf, NULL));
	assert_success(doca_buf_dec_refcount(scene.buf, &before));
	assert_int_equal(before, 2);
	assert_success(doca_mmap_get_num_bufs(scene.memory.mmap, &num_bufs));
	assert_int_equal(num_bufs, 1);

	assert_success(doca_buf_dec_refcount(scene.buf, &before));
	assert_int_equal(before, 1);
	assert_success(doca_mmap_get_num_bufs(scene.memory.mmap, &num_bufs));
	assert_int_equal(num_bufs, 0);
	assert_success(doca_buf_inventory_get_num_free_elements(scene.memory.inventory, &num_free));
	assert_int_equal(num_free, 4);
	scene.buf = NULL;
	scene_fini(&scene);
}

static void buf_that_was_given_back_is_refused(void **state)
{
	struct doca_buf *gone, *other, *copy;
	struct scene scene;
	uint16_t refcount = 7;

	(void)state;
	scene_init(&scene);
	other = fixture_buf(&scene.memory, 0, 1, 0, 0);
	gone = scene.buf;
	fixture_buf_put(gone);

	assert_refused(doca_buf_dec_refcount(gone, &refcount), DOCA_ERROR_BAD_STATE, "free");
	assert_refused(doca_buf_inc_refcount(gone, &refcount), DOCA_ERROR_BAD_STATE, "free");
	assert_int_equal(refcount, 7);
	assert_int_equal(view_of(gone).refcount, 0);
	assert_refused(doca_buf_inventory_buf_reuse_by_addr(gone, scene.memory.bytes, 1),
		       DOCA_ERROR_BAD_STATE, "free");
	assert_refused(doca_buf_chain_list(other, gone), DOCA_ERROR_NOT_PERMITTED, "not the first");
	assert_refused(doca_buf_chain_list(gone, other), DOCA_ERROR_NOT_PERMITTED, "not the first");
	assert_refused(doca_buf_unchain_list(other, gone), DOCA_ERROR_INVALID_VALUE, "behind");
	assert_refused(doca_buf_inventory_buf_dup(scene.memory.inventory, gone, &copy),
		       DOCA_ERROR_NOT_PERMITTED, "not the first");
	fixture_buf_put(other);
	scene.buf = NULL;
	scene_fini(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_lies_in_the_mmap_and_data_in_the_window),
		TEST(address_near_the_end_of_memory_is_outside),
		TEST(buf_by_address_is_empty_and_by_data_is_full),
		TEST(mmap_must_be_started),
		TEST(data_can_be_set_within_the_buffer_only),
		TEST(data_length_is_counted_from_the_data),
		TEST(reset_keeps_where_the_data_begins),
		TEST(reuse_moves_the_window_and_keeps_the_references),
		TEST(reuse_obeys_the_same_bounds),
		TEST(buf_in_a_list_is_not_reused),
		TEST(references_are_counted_up_to_65535),
		TEST(last_reference_gives_the_buf_back),
		TEST(buf_that_was_given_back_is_refused),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
