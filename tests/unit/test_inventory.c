/* SPDX-License-Identifier: BSD-3-Clause */

/* The store of buffer descriptors: when it hands out, takes back, grows and ends. */

#include <pthread.h>

#include "fixture.h"
#include "test.h"

#define NUM_BUFS    4
#define NUM_BLOCKS  5
#define NUM_THREADS 4

static char bytes[64];

/* An inventory of NUM_BUFS, started, and a mmap without a device to take bufs of. */
struct scene {
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
};

static void scene_init(struct scene *scene)
{
	scene->inventory = fixture_inventory_create(NUM_BUFS);
	scene->mmap = fixture_mmap_create(NULL, bytes, sizeof(bytes), 0);
}

static void scene_fini(struct scene *scene)
{
	fixture_inventory_destroy(scene->inventory);
	fixture_mmap_destroy(scene->mmap);
}

static doca_error_t get(struct scene *scene, struct doca_buf **buf)
{
	return doca_buf_inventory_buf_get_by_addr(scene->inventory, scene->mmap, bytes, 8, buf);
}

static void assert_counts(const struct doca_buf_inventory *inventory, uint32_t all, uint32_t free)
{
	uint32_t num_elements, num_free;

	assert_success(doca_buf_inventory_get_num_elements(inventory, &num_elements));
	assert_success(doca_buf_inventory_get_num_free_elements(inventory, &num_free));
	assert_int_equal(num_elements, all);
	assert_int_equal(num_free, free);
}

static void number_of_elements_is_bounded(void **state)
{
	static const size_t numbers[] = { 0, (size_t)UINT32_MAX + 1, SIZE_MAX };
	struct doca_buf_inventory *inventory = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_refused(doca_buf_inventory_create(numbers[i], &inventory),
			       DOCA_ERROR_INVALID_VALUE, "elements");
	assert_null(inventory);
}

/* --- states --- */

static void hands_out_only_while_started(void **state)
{
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap = fixture_mmap_create(NULL, bytes, sizeof(bytes), 0);
	struct doca_buf *buf;

	(void)state;
	assert_success(doca_buf_inventory_create(1, &inventory));
	assert_refused(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 8, &buf),
		       DOCA_ERROR_BAD_STATE, "not started");
	assert_success(doca_buf_inventory_start(inventory));
	assert_success(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 8, &buf));
	fixture_buf_put(buf);
	assert_success(doca_buf_inventory_stop(inventory));
	assert_refused(doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, 8, &buf),
		       DOCA_ERROR_BAD_STATE, "not started");
	assert_counts(inventory, 1, 1);
	assert_success(doca_buf_inventory_destroy(inventory));
	fixture_mmap_destroy(mmap);
}

static void second_start_is_refused_and_second_stop_is_not(void **state)
{
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_refused(doca_buf_inventory_start(scene.inventory), DOCA_ERROR_BAD_STATE,
		       "started already");
	assert_success(doca_buf_inventory_stop(scene.inventory));
	assert_success(doca_buf_inventory_stop(scene.inventory));
	scene_fini(&scene);
}

static void takes_back_when_stopped_and_serves_again_when_started(void **state)
{
	struct doca_buf *bufs[2];
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(get(&scene, &bufs[0]));
	assert_success(get(&scene, &bufs[1]));
	assert_success(doca_buf_inventory_stop(scene.inventory));
	assert_success(doca_buf_set_data(bufs[0], bytes, 8)); /* stays good */
	fixture_buf_put(bufs[0]);
	assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS - 1);

	assert_success(doca_buf_inventory_start(scene.inventory));
	assert_success(get(&scene, &bufs[0]));
	assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS - 2);
	fixture_buf_put(bufs[0]);
	fixture_buf_put(bufs[1]);
	scene_fini(&scene);
}

static void destroy_waits_for_the_last_buf(void **state)
{
	struct doca_buf *buf;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(get(&scene, &buf));
	assert_refused(doca_buf_inventory_destroy(scene.inventory), DOCA_ERROR_IN_USE, "1 bufs");
	assert_success(doca_buf_inventory_stop(scene.inventory));
	assert_refused(doca_buf_inventory_destroy(scene.inventory), DOCA_ERROR_IN_USE, "1 bufs");

	fixture_buf_put(buf);
	assert_success(doca_buf_inventory_start(scene.inventory));
	assert_success(doca_buf_inventory_destroy(scene.inventory)); /* without a stop */
	fixture_mmap_destroy(scene.mmap);
}

static void stopped_inventory_answers_but_changes_nothing(void **state)
{
	union doca_data data = { .u64 = 5 };
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_buf_inventory_set_user_data(scene.inventory, data));
	assert_success(doca_buf_inventory_stop(scene.inventory));
	data.u64 = 6;
	assert_refused(doca_buf_inventory_set_user_data(scene.inventory, data),
		       DOCA_ERROR_BAD_STATE, "not started");
	assert_refused(doca_buf_inventory_expand(scene.inventory, 1), DOCA_ERROR_BAD_STATE,
		       "not started");

	assert_success(doca_buf_inventory_get_user_data(scene.inventory, &data));
	assert_int_equal(data.u64, 5);
	assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS);
	scene_fini(&scene);
}

static void user_data_is_zero_at_first(void **state)
{
	union doca_data data = { .u64 = 5 };
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_buf_inventory_get_user_data(scene.inventory, &data));
	assert_int_equal(data.u64, 0);
	scene_fini(&scene);
}

/* --- elements --- */

static void hands_out_each_element_once(void **state)
{
	struct doca_buf *bufs[NUM_BUFS], *more = NULL;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (uint32_t i = 0; i < NUM_BUFS; i++) {
		assert_success(get(&scene, &bufs[i]));
		assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS - i - 1);
		for (uint32_t j = 0; j < i; j++)
			assert_ptr_not_equal(bufs[i], bufs[j]);
	}
	assert_error(get(&scene, &more), DOCA_ERROR_NO_MEMORY);
	assert_null(more);

	fixture_buf_put(bufs[2]);
	assert_success(get(&scene, &bufs[2]));
	for (uint32_t i = 0; i < NUM_BUFS; i++)
		fixture_buf_put(bufs[i]);
	assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS);
	scene_fini(&scene);
}

/* Takes every element, number i over [i % 64, i % 64 + 1). */
static void take_all(struct scene *scene, struct doca_buf **bufs, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		assert_success(doca_buf_inventory_buf_get_by_data(
		    scene->inventory, scene->mmap, bytes + i % sizeof(bytes), 1, &bufs[i]));
}

static void growing_moves_no_element(void **state)
{
	struct doca_buf *bufs[NUM_BUFS << NUM_BLOCKS];
	uint32_t all = NUM_BUFS;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	take_all(&scene, bufs, 0, all);
	for (int block = 0; block < NUM_BLOCKS; block++) {
		assert_success(doca_buf_inventory_expand(scene.inventory, all));
		assert_counts(scene.inventory, 2 * all, all);
		take_all(&scene, bufs, all, 2 * all);
		all *= 2;
	}
	for (uint32_t i = 0; i < all; i++) {
		size_t len;
		void *data;

		assert_success(doca_buf_get_data(bufs[i], &data));
		assert_success(doca_buf_get_data_len(bufs[i], &len));
		assert_ptr_equal(data, bytes + i % sizeof(bytes));
		assert_int_equal(len, 1);
		fixture_buf_put(bufs[i]);
	}
	assert_counts(scene.inventory, all, all);
	scene_fini(&scene);
}

static void growth_is_bounded(void **state)
{
	static const uint32_t numbers[] = { 0, UINT32_MAX, UINT32_MAX - NUM_BUFS + 1 };
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_refused(doca_buf_inventory_expand(scene.inventory, numbers[i]),
			       DOCA_ERROR_INVALID_VALUE, "more elements");
	assert_counts(scene.inventory, NUM_BUFS, NUM_BUFS);
	scene_fini(&scene);
}

/* --- threads --- */

struct worker {
	pthread_t thread;
	struct scene scene; /* an inventory of its own, a mmap of all */
	unsigned int failures;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct doca_buf *bufs[NUM_BUFS];

	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < NUM_BUFS; i++) {
			worker->failures += get(&worker->scene, &bufs[i]) != DOCA_SUCCESS;
			if (i > 0)
				worker->failures +=
				    doca_buf_chain_list(bufs[0], bufs[i]) != DOCA_SUCCESS;
		}
		worker->failures += doca_buf_dec_refcount(bufs[0], NULL) != DOCA_SUCCESS;
	}
	return NULL;
}

static void threads_with_inventories_share_a_thread_safe_mmap(void **state)
{
	struct worker workers[NUM_THREADS] = { 0 };
	struct doca_mmap *mmap;

	(void)state;
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	assert_success(doca_mmap_enable_thread_safety(mmap));
	assert_success(doca_mmap_start(mmap));
	for (int i = 0; i < NUM_THREADS; i++) {
		workers[i].scene.inventory = fixture_inventory_create(NUM_BUFS);
		workers[i].scene.mmap = mmap;
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		assert_int_equal(workers[i].failures, 0);
		fixture_inventory_destroy(workers[i].scene.inventory);
	}
	fixture_mmap_destroy(mmap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(number_of_elements_is_bounded),
		TEST(hands_out_only_while_started),
		TEST(second_start_is_refused_and_second_stop_is_not),
		TEST(takes_back_when_stopped_and_serves_again_when_started),
		TEST(destroy_waits_for_the_last_buf),
		TEST(stopped_inventory_answers_but_changes_nothing),
		TEST(user_data_is_zero_at_first),
		TEST(hands_out_each_element_once),
		TEST(growing_moves_no_element),
		TEST(growth_is_bounded),
		TEST(threads_with_inventories_share_a_thread_safe_mmap),
	};

	return cmocka_run_group_tests_name("inventory", tests, NULL, NULL);
}
