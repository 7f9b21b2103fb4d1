/* SPDX-License-Identifier: BSD-3-Clause */

/* Lists of buffers: chaining, cutting, copying, and giving all of a list back. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "test.h"

#define NUM_BUFS  4
#define NUM_PARTS 8
#define BUF_LEN   16

/* Lone bufs, number i over [i * BUF_LEN, (i + 1) * BUF_LEN), its data i bytes after i bytes. */
struct scene {
	struct fixture_memory memory;
	struct doca_buf *bufs[NUM_PARTS];
	unsigned int num_bufs;
};

static void scene_init(struct scene *scene, unsigned int num_bufs)
{
	fixture_memory_init(&scene->memory, (size_t)NUM_PARTS * BUF_LEN, 2 * (size_t)NUM_PARTS);
	scene->num_bufs = num_bufs;
	for (unsigned int i = 0; i < num_bufs; i++)
		scene->bufs[i] = fixture_buf(&scene->memory, (size_t)i * BUF_LEN, BUF_LEN, i, i);
}

/* The same, chained in their order. */
static void scene_init_list(struct scene *scene)
{
	scene_init(scene, NUM_BUFS);
	for (unsigned int i = 1; i < NUM_BUFS; i++)
		assert_success(doca_buf_chain_list(scene->bufs[0], scene->bufs[i]));
}

static bool is_first(const struct doca_buf *buf)
{
	uint8_t first;

	assert_success(doca_buf_is_first_in_list(buf, &first));
	return first;
}

static void scene_fini(struct scene *scene)
{
	bool is_head[NUM_PARTS];

	for (unsigned int i = 0; i < scene->num_bufs; i++)
		is_head[i] = is_first(scene->bufs[i]);
	for (unsigned int i = 0; i < scene->num_bufs; i++) {
		if (is_head[i])
			fixture_buf_put(scene->bufs[i]);
	}
	fixture_memory_fini(&scene->memory);
}

static uint32_t num_free(const struct doca_buf_inventory *inventory)
{
	uint32_t count;

	assert_success(doca_buf_inventory_get_num_free_elements(inventory, &count));
	return count;
}

static uint32_t mmap_bufs(const struct doca_mmap *mmap)
{
	uint32_t count;

	assert_success(doca_mmap_get_num_bufs(mmap, &count));
	return count;
}

static uint16_t refcount_of(const struct doca_buf *buf)
{
	uint16_t refcount;

	assert_success(doca_buf_get_refcount(buf, &refcount));
	return refcount;
}

/* The list is exactly these elements, and every question about it is answered so. */
static void assert_list(struct doca_buf *const *bufs, unsigned int count)
{
	uint32_t len;

	assert_success(doca_buf_get_list_len(bufs[0], &len));
	assert_int_equal(len, count);
	for (unsigned int i = 0; i < count; i++) {
		struct doca_buf *next, *last;
		uint8_t is_last, in_list;

		assert_success(doca_buf_get_next_in_list(bufs[i], &next));
		assert_success(doca_buf_get_last_in_list(bufs[i], &last));
		assert_success(doca_buf_is_last_in_list(bufs[i], &is_last));
		assert_success(doca_buf_is_in_list(bufs[i], &in_list));
		assert_ptr_equal(next, i + 1 < count ? bufs[i + 1] : NULL);
		assert_ptr_equal(last, bufs[count - 1]);
		assert_int_equal(is_last, i + 1 == count);
		assert_int_equal(is_first(bufs[i]), i == 0);
		assert_int_equal(in_list, count > 1);
	}
}

/* --- chaining --- */

static void lone_buf_is_first_and_last_of_no_list(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, 1);
	assert_list(scene.bufs, 1);
	scene_fini(&scene);
}

static void chaining_appends_at_the_end(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, NUM_BUFS);
	assert_success(doca_buf_chain_list(scene.bufs[0], scene.bufs[1]));
	assert_list(scene.bufs, 2);
	assert_success(doca_buf_chain_list(scene.bufs[2], scene.bufs[3]));
	assert_list(scene.bufs + 2, 2);
	assert_success(doca_buf_chain_list(scene.bufs[0], scene.bufs[2]));
	assert_list(scene.bufs, 4);
	scene_fini(&scene);
}

static void chaining_by_the_tail_appends_there(void **state)
{
	struct doca_buf **bufs;
	struct scene scene;

	(void)state;
	scene_init(&scene, NUM_BUFS);
	bufs = scene.bufs;
	assert_success(doca_buf_chain_list_tail(bufs[0], bufs[0], bufs[1]));
	assert_success(doca_buf_chain_list_tail(bufs[0], bufs[1], bufs[2]));
	assert_list(bufs, 3);

	/* The head, an inner element and a stranger are no tail. */
	assert_refused(doca_buf_chain_list_tail(bufs[0], bufs[0], bufs[3]),
		       DOCA_ERROR_INVALID_VALUE, "not the last");
	assert_refused(doca_buf_chain_list_tail(bufs[0], bufs[1], bufs[3]),
		       DOCA_ERROR_INVALID_VALUE, "not the last");
	assert_refused(doca_buf_chain_list_tail(bufs[0], bufs[3], bufs[3]),
		       DOCA_ERROR_INVALID_VALUE, "not the last");
	assert_list(bufs, 3);
	assert_list(&bufs[3], 1);
	scene_fini(&scene);
}

static void list_never_gets_a_cycle(void **state)
{
	struct scene scene;

	(void)state;
	scene_init_list(&scene);
	for (unsigned int i = 0; i < NUM_BUFS; i++)
		for (unsigned int j = 0; j < NUM_BUFS; j++)
			assert_refused(doca_buf_chain_list(scene.bufs[i], scene.bufs[j]),
				       DOCA_ERROR_NOT_PERMITTED,
				       i == 0 && j == 0 ? "itself" : "not the first");
	assert_refused(
	    doca_buf_chain_list_tail(scene.bufs[0], scene.bufs[NUM_BUFS - 1], scene.bufs[0]),
	    DOCA_ERROR_NOT_PERMITTED, "itself");
	assert_list(scene.bufs, NUM_BUFS);
	scene_fini(&scene);
}

/* rdma trap 23 */
static void list_of_two_owners_is_not_chained_behind(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene, 2);
	assert_success(doca_buf_inc_refcount(scene.bufs[1], NULL));
	assert_refused(doca_buf_chain_list(scene.bufs[0], scene.bufs[1]), DOCA_ERROR_NOT_PERMITTED,
		       "one reference");
	assert_list(scene.bufs, 1);

	/* It may get others behind it, and counts for all of them. */
	assert_success(doca_buf_chain_list(scene.bufs[1], scene.bufs[0]));
	assert_int_equal(refcount_of(scene.bufs[1]), 2);
	fixture_buf_put(scene.bufs[1]);
	assert_int_equal(num_free(scene.memory.inventory), 2 * NUM_PARTS - 2);
	scene_fini(&scene);
}

/* rdma trap 23 */
static void only_the_head_counts_references(void **state)
{
	struct scene scene;
	uint16_t before = 7;
	uint32_t len;

	(void)state;
	scene_init_list(&scene);
	for (unsigned int i = 1; i < NUM_BUFS; i++) {
		assert_refused(doca_buf_inc_refcount(scene.bufs[i], &before),
			       DOCA_ERROR_NOT_PERMITTED, "inside a list");
		assert_refused(doca_buf_dec_refcount(scene.bufs[i], &before),
			       DOCA_ERROR_NOT_PERMITTED, "inside a list");
		assert_refused(doca_buf_get_list_len(scene.bufs[i], &len), DOCA_ERROR_NOT_PERMITTED,
			       "not the first");
		assert_int_equal(refcount_of(scene.bufs[i]), 1);
	}
	assert_int_equal(before, 7);
	assert_int_equal(mmap_bufs(scene.memory.mmap), NUM_BUFS);
	scene_fini(&scene);
}

/* --- cutting --- */

static void list_can_be_cut_at_each_place(void **state)
{
	(void)state;
	for (unsigned int cut = 1; cut < NUM_BUFS; cut++) {
		struct scene scene;

		scene_init_list(&scene);
		assert_success(doca_buf_inc_refcount(scene.bufs[0], NULL));
		assert_success(doca_buf_unchain_list(scene.bufs[0], scene.bufs[cut]));

		assert_list(scene.bufs, cut);
		assert_list(scene.bufs + cut, NUM_BUFS - cut);
		assert_int_equal(refcount_of(scene.bufs[0]), 2);
		assert_int_equal(refcount_of(scene.bufs[cut]), 1);
		/* Both parts grow where they now end. */
		assert_success(doca_buf_chain_list(scene.bufs[0], scene.bufs[cut]));
		assert_list(scene.bufs, NUM_BUFS);
		fixture_buf_put(scene.bufs[0]);
		scene_fini(&scene);
	}
}

static void cut_must_be_behind_the_head(void **state)
{
	struct doca_buf *lone;
	struct scene scene;

	(void)state;
	scene_init_list(&scene);
	lone = fixture_buf(&scene.memory, 0, 1, 0, 0);
	for (unsigned int i = 0; i < NUM_BUFS; i++) {
		assert_refused(doca_buf_unchain_list(scene.bufs[i], scene.bufs[0]),
			       DOCA_ERROR_INVALID_VALUE, "not behind");
		assert_refused(doca_buf_unchain_list(scene.bufs[i], lone), DOCA_ERROR_INVALID_VALUE,
			       "not behind");
		assert_refused(doca_buf_unchain_list(lone, scene.bufs[i]), DOCA_ERROR_INVALID_VALUE,
			       "not behind");
	}
	assert_refused(doca_buf_unchain_list(scene.bufs[1], scene.bufs[2]),
		       DOCA_ERROR_INVALID_VALUE, "not behind");
	assert_list(scene.bufs, NUM_BUFS);
	assert_list(&lone, 1);
	fixture_buf_put(lone);
	scene_fini(&scene);
}

/* A list is a row of numbers, a heap of lists a row of rows: the same operations on those. */
struct model {
	struct doca_buf *lists[NUM_PARTS][NUM_PARTS];
	unsigned int lens[NUM_PARTS];
};

static void model_find(const struct model *model, const struct doca_buf *buf, unsigned int *list,
		       unsigned int *at)
{
	for (*list = 0; *list < NUM_PARTS; ++*list)
		for (*at = 0; *at < model->lens[*list]; ++*at)
			if (model->lists[*list][*at] == buf)
				return;
	fail_msg("the model has lost a buf");
}

/* Moves what is at and behind it to the end of another list. */
static void model_move(struct model *model, unsigned int from, unsigned int at, unsigned int to)
{
	while (at < model->lens[from]) {
		model->lists[to][model->lens[to]++] = model->lists[from][at];
		memmove(&model->lists[from][at], &model->lists[from][at + 1],
			(model->lens[from] - at - 1) * sizeof(model->lists[0][0]));
		model->lens[from]--;
	}
}

static void check_chain(struct model *model, struct doca_buf *one, struct doca_buf *other)
{
	unsigned int list1, at1, list2, at2;

	model_find(model, one, &list1, &at1);
	model_find(model, other, &list2, &at2);
	if (at1 != 0 || at2 != 0 || list1 == list2) {
		assert_error(doca_buf_chain_list(one, other), DOCA_ERROR_NOT_PERMITTED);
		return;
	}
	assert_success(doca_buf_chain_list(one, other));
	model_move(model, list2, 0, list1);
}

static void check_unchain(struct model *model, struct doca_buf *one, struct doca_buf *other)
{
	unsigned int list1, at1, list2, at2, empty = 0;

	model_find(model, one, &list1, &at1);
	model_find(model, other, &list2, &at2);
	if (at1 != 0 || at2 == 0 || list1 != list2) {
		assert_error(doca_buf_unchain_list(one, other), DOCA_ERROR_INVALID_VALUE);
		return;
	}
	assert_success(doca_buf_unchain_list(one, other));
	while (model->lens[empty] > 0)
		empty++;
	model_move(model, list1, at2, empty);
}

static void lists_are_what_a_model_says(void **state)
{
	struct model model = { .lens = { 0 } };
	struct scene scene;
	unsigned int random = 1;

	(void)state;
	scene_init(&scene, NUM_PARTS);
	for (unsigned int i = 0; i < NUM_PARTS; i++) {
		model.lists[i][0] = scene.bufs[i];
		model.lens[i] = 1;
	}
	for (unsigned int step = 0; step < 5000; step++) {
		struct doca_buf *one, *other;

		random = random * 1103515245 + 12345; /* the same in every run */
		one = scene.bufs[random >> 16 & 7];
		other = scene.bufs[random >> 20 & 7];
		if ((random >> 24 & 3) == 0)
			check_chain(&model, one, other);
		else
			check_unchain(&model, one, other);
		test_drop_log();
		for (unsigned int i = 0; i < NUM_PARTS; i++)
			if (model.lens[i] > 0)
				assert_list(model.lists[i], model.lens[i]);
	}
	scene_fini(&scene);
}

/* --- the end of a list --- */

/* rdma trap 23 */
static void whole_list_goes_back_to_its_inventories_and_mmaps(void **state)
{
	struct scene scenes[3];
	struct doca_buf *head;
	uint16_t before = 0;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		scene_init(&scenes[i], 2);
	head = scenes[1].bufs[0];
	for (unsigned int i = 0; i < 6; i++)
		if (scenes[i % 3].bufs[i / 3] != head)
			assert_success(doca_buf_chain_list(head, scenes[i % 3].bufs[i / 3]));
	assert_success(doca_buf_inc_refcount(head, NULL));
	assert_success(doca_buf_dec_refcount(head, NULL));
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(mmap_bufs(scenes[i].memory.mmap), 2);

	assert_success(doca_buf_dec_refcount(head, &before));
	assert_int_equal(before, 1);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(mmap_bufs(scenes[i].memory.mmap), 0);
		assert_int_equal(num_free(scenes[i].memory.inventory), 2 * NUM_PARTS);
		fixture_memory_fini(&scenes[i].memory);
	}
}

/* --- copying --- */

static void copy_has_the_same_windows_and_its_own_elements(void **state)
{
	struct doca_buf *copies[NUM_BUFS];
	struct scene scene;

	(void)state;
	scene_init_list(&scene);
	assert_success(doca_buf_inc_refcount(scene.bufs[0], NULL));
	assert_success(
	    doca_buf_inventory_buf_dup(scene.memory.inventory, scene.bufs[0], &copies[0]));
	for (unsigned int i = 0; i < NUM_BUFS; i++) {
		void *head, *data;
		size_t len, data_len;

		if (i > 0)
			assert_success(doca_buf_get_next_in_list(copies[i - 1], &copies[i]));
		assert_success(doca_buf_get_head(copies[i], &head));
		assert_success(doca_buf_get_len(copies[i], &len));
		assert_success(doca_buf_get_data(copies[i], &data));
		assert_success(doca_buf_get_data_len(copies[i], &data_len));
		assert_ptr_equal(head, scene.memory.bytes + (size_t)i * BUF_LEN);
		assert_int_equal(len, BUF_LEN);
		assert_ptr_equal(data, (char *)head + i);
		assert_int_equal(data_len, i);
		assert_ptr_not_equal(copies[i], scene.bufs[i]);
	}
	assert_list(copies, NUM_BUFS);
	assert_list(scene.bufs, NUM_BUFS);
	assert_int_equal(refcount_of(copies[0]), 1);
	fixture_buf_put(copies[0]);
	fixture_buf_put(scene.bufs[0]);
	scene_fini(&scene);
}

static void list_is_copied_whole_or_not_at_all(void **state)
{
	(void)state;
	for (size_t room = 1; room <= NUM_BUFS + 1; room++) {
		struct doca_buf_inventory *inventory = fixture_inventory_create(room);
		struct doca_buf *copy = NULL, *other;
		struct scene scene, foreign;

		scene_init_list(&scene);
		scene_init(&foreign, 1);
		other = fixture_buf(&foreign.memory, 0, 1, 0, 0);
		assert_success(doca_buf_chain_list(scene.bufs[0], other));
		if (room > NUM_BUFS) {
			assert_success(doca_buf_inventory_buf_dup(inventory, scene.bufs[0], &copy));
			assert_int_equal(num_free(inventory), 0);
			assert_int_equal(mmap_bufs(scene.memory.mmap), 2 * NUM_BUFS);
			assert_int_equal(mmap_bufs(foreign.memory.mmap), 3);
			fixture_buf_put(copy);
		} else {
			assert_error(doca_buf_inventory_buf_dup(inventory, scene.bufs[0], &copy),
				     DOCA_ERROR_NO_MEMORY);
			assert_null(copy);
		}
		assert_int_equal(num_free(inventory), room);
		assert_int_equal(mmap_bufs(scene.memory.mmap), NUM_BUFS);
		assert_int_equal(mmap_bufs(foreign.memory.mmap), 2);
		scene_fini(&scene); /* and what is chained behind */
		scene_fini(&foreign);
		fixture_inventory_destroy(inventory);
	}
}

static void copy_is_refused_in_the_wrong_state(void **state)
{
	struct doca_buf_inventory *stopped;
	struct doca_mmap *ended;
	struct doca_buf *copy = NULL, *tail;
	struct scene scene;

	(void)state;
	scene_init_list(&scene);
	assert_refused(doca_buf_inventory_buf_dup(scene.memory.inventory, scene.bufs[1], &copy),
		       DOCA_ERROR_NOT_PERMITTED, "not the first");
	assert_success(doca_buf_inventory_create(NUM_BUFS, &stopped));
	assert_refused(doca_buf_inventory_buf_dup(stopped, scene.bufs[0], &copy),
		       DOCA_ERROR_BAD_STATE, "not started");

	/* Only a mmap that does not count its bufs can stop under them. */
	assert_success(doca_mmap_create(&ended));
	assert_success(doca_mmap_set_memrange(ended, scene.memory.bytes, 1));
	assert_success(doca_mmap_enable_thread_safety(ended));
	assert_success(doca_mmap_start(ended));
	assert_success(doca_buf_inventory_buf_get_by_addr(scene.memory.inventory, ended,
							  scene.memory.bytes, 1, &tail));
	assert_success(doca_buf_chain_list(scene.bufs[0], tail));
	assert_success(doca_mmap_stop(ended));
	assert_refused(doca_buf_inventory_buf_dup(scene.memory.inventory, scene.bufs[0], &copy),
		       DOCA_ERROR_BAD_STATE, "not started");
	assert_null(copy);
	assert_success(doca_buf_inventory_destroy(stopped));
	scene_fini(&scene);
	assert_success(doca_mmap_destroy(ended));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lone_buf_is_first_and_last_of_no_list),
		TEST(chaining_appends_at_the_end),
		TEST(chaining_by_the_tail_appends_there),
		TEST(list_never_gets_a_cycle),
		TEST(list_of_two_owners_is_not_chained_behind),
		TEST(only_the_head_counts_references),
		TEST(list_can_be_cut_at_each_place),
		TEST(cut_must_be_behind_the_head),
		TEST(lists_are_what_a_model_says),
		TEST(whole_list_goes_back_to_its_inventories_and_mmaps),
		TEST(copy_has_the_same_windows_and_its_own_elements),
		TEST(list_is_copied_whole_or_not_at_all),
		TEST(copy_is_refused_in_the_wrong_state),
	};

	return cmocka_run_group_tests_name("buf_list", tests, NULL, NULL);
}
