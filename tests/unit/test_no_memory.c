/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Devices, mmaps, inventories, pools and sync events without memory: each call is tried with its
 * first allocation failing, then with its second, until it succeeds. It must say NO_MEMORY until
 * then, and leave nothing behind that is seen by the next try, by a device that would not close or
 * by a sanitizer.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <doca_buf_pool.h>

#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define MAX_ALLOCATIONS 50

static char bytes[64];

/* The allocations until the one that fails; negative: none does. */
static int num_left = -1;
static bool has_random = true;

/* The linker's names for what the libraries call, and for what that is. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
char *__real_strdup(const char *text);
ssize_t __real_getrandom(void *to, size_t size, unsigned int flags);

static bool is_failing(void)
{
	return num_left >= 0 && num_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return is_failing() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_failing() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return is_failing() ? NULL : __real_reallocarray(old, count, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	return is_failing() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

char *__wrap_strdup(const char *text)
{
	return is_failing() ? NULL : __real_strdup(text);
}

ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags)
{
	errno = ENOSYS;
	return has_random ? __real_getrandom(to, size, flags) : -1;
}

struct scene {
	struct doca_dev *dev;
	struct doca_mmap *mmap; /* without dev */
	struct doca_buf_inventory *inventory;
	const void *blob;
	size_t len;
	struct doca_mmap *exporter;
	const uint8_t *sync_blob;
	size_t sync_len;
	struct doca_sync_event *sync_exporter;
};

/* --- what is tried; on success it is undone --- */

static doca_error_t try_list(struct scene *scene)
{
	struct doca_devinfo **list = NULL;
	uint32_t count = 0;
	doca_error_t result = doca_devinfo_create_list(&list, &count);

	(void)scene;
	if (result != DOCA_SUCCESS) {
		assert_null(list);
		return result;
	}
	return doca_devinfo_destroy_list(list);
}

static doca_error_t try_open(struct scene *scene)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	int num_left_here = num_left;
	doca_error_t result;
	uint32_t count;

	(void)scene;
	num_left = -1;
	assert_success(doca_devinfo_create_list(&list, &count));
	num_left = num_left_here;
	result = doca_dev_open(list[count - 1], &dev);
	num_left = -1;
	assert_success(doca_devinfo_destroy_list(list));
	return result == DOCA_SUCCESS ? doca_dev_close(dev) : result;
}

static doca_error_t try_mmap(struct scene *scene)
{
	struct doca_mmap *mmap = NULL;
	doca_error_t result = doca_mmap_create(&mmap);

	(void)scene;
	if (result != DOCA_SUCCESS) {
		assert_null(mmap);
		return result;
	}
	return doca_mmap_destroy(mmap);
}

static doca_error_t try_add_dev(struct scene *scene)
{
	doca_error_t result = doca_mmap_add_dev(scene->mmap, scene->dev);

	return result == DOCA_SUCCESS ? doca_mmap_rm_dev(scene->mmap, scene->dev) : result;
}

static doca_error_t try_export(struct scene *scene)
{
	const void *blob;
	doca_error_t result;
	uint8_t is_exported;
	size_t len;

	result = doca_mmap_export_rdma(scene->exporter, scene->dev, &blob, &len);
	assert_success(doca_mmap_get_exported(scene->exporter, &is_exported));
	assert_int_equal(is_exported, result == DOCA_SUCCESS);
	if (result != DOCA_SUCCESS)
		return result;
	assert_success(doca_mmap_stop(scene->exporter));
	return doca_mmap_start(scene->exporter);
}

static doca_error_t try_import(struct scene *scene)
{
	struct doca_mmap *mmap = NULL;
	doca_error_t result;

	result = doca_mmap_create_from_export(NULL, scene->blob, scene->len, scene->dev, &mmap);
	if (result != DOCA_SUCCESS) {
		assert_null(mmap);
		return result;
	}
	return doca_mmap_destroy(mmap);
}

static doca_error_t try_inventory(struct scene *scene)
{
	struct doca_buf_inventory *inventory = NULL;
	doca_error_t result = doca_buf_inventory_create(3, &inventory);

	(void)scene;
	if (result != DOCA_SUCCESS) {
		assert_null(inventory);
		return result;
	}
	return doca_buf_inventory_destroy(inventory);
}

static doca_error_t try_expand(struct scene *scene)
{
	doca_error_t result = doca_buf_inventory_expand(scene->inventory, 2);
	uint32_t num_elements, num_free;

	num_left = -1;
	assert_success(doca_buf_inventory_get_num_elements(scene->inventory, &num_elements));
	assert_success(doca_buf_inventory_get_num_free_elements(scene->inventory, &num_free));
	assert_int_equal(num_elements, result == DOCA_SUCCESS ? 3 : 1);
	assert_int_equal(num_free, num_elements);
	return result;
}

static doca_error_t try_pool(struct scene *scene)
{
	struct doca_buf_pool *pool = NULL;
	doca_error_t result = doca_buf_pool_create(3, 8, scene->mmap, &pool);

	if (result != DOCA_SUCCESS) {
		assert_null(pool);
		return result;
	}
	return doca_buf_pool_destroy(pool);
}

/* An event with its locations, as sync_event_create() makes one that has memory. */
static doca_error_t try_sync_event(struct scene *scene)
{
	struct doca_sync_event *event = NULL;
	doca_error_t result = doca_sync_event_create(&event);

	if (result != DOCA_SUCCESS) {
		assert_null(event);
		return result;
	}
	result = doca_sync_event_add_publisher_location_cpu(event, scene->dev);
	if (result == DOCA_SUCCESS)
		result = doca_sync_event_add_subscriber_location_cpu(event, scene->dev);
	num_left = -1;
	if (result != DOCA_SUCCESS) /* so the location was not added */
		assert_refused(doca_sync_event_start(event), DOCA_ERROR_BAD_STATE, "location");
	assert_success(doca_sync_event_destroy(event));
	return result;
}

static doca_error_t try_sync_export(struct scene *scene)
{
	int num_left_here = num_left;
	struct doca_sync_event *event;
	const uint8_t *blob = NULL;
	doca_error_t result;
	size_t len;

	num_left = -1;
	event = sync_event_create(scene->dev);
	assert_success(doca_sync_event_add_publisher_location_remote_net(event));
	assert_success(doca_sync_event_start(event));
	num_left = num_left_here;
	result = doca_sync_event_export_to_remote_net(event, &blob, &len);
	num_left = -1;
	assert_true((blob != NULL) == (result == DOCA_SUCCESS));
	assert_success(doca_sync_event_export_to_remote_net(event, &blob, &len));
	assert_success(doca_sync_event_destroy(event));
	return result;
}

static doca_error_t try_sync_import(struct scene *scene)
{
	struct doca_sync_event_remote_net *remote = NULL;
	doca_error_t result = doca_sync_event_remote_net_create_from_export(
	    scene->dev, scene->sync_blob, scene->sync_len, &remote);

	if (result != DOCA_SUCCESS) {
		assert_null(remote);
		return result;
	}
	return doca_sync_event_remote_net_destroy(remote);
}

/* With tasks of all five kinds. */
static doca_error_t try_sync_start(struct scene *scene)
{
	int num_left_here = num_left;
	struct sync_rig rig;
	doca_error_t result;

	(void)scene;
	num_left = -1;
	sync_rig_init_idle(&rig, NULL);
	num_left = num_left_here;
	result = doca_ctx_start(rig.ctx);
	num_left = -1;
	if (result != DOCA_SUCCESS) {
		assert_heard(&rig.heard, "");
		assert_success(doca_ctx_start(rig.ctx)); /* what it got is of use to the next */
	}
	sync_rig_wait(&rig, 0, 1);
	assert_hears(&rig.heard, rig.pe, "idle>running ok(1)");
	sync_rig_fini(&rig);
	return result;
}

/* --- trying --- */

static void scene_init(struct scene *scene)
{
	struct doca_mmap *lent;

	assert_success(doca_mmap_create(&scene->mmap));
	assert_success(doca_mmap_set_memrange(scene->mmap, bytes, sizeof(bytes)));
	scene->dev = fixture_dev_open();
	scene->inventory = fixture_inventory_create(1);
	scene->exporter =
	    fixture_mmap_create(scene->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
	lent = fixture_mmap_create(scene->dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
	assert_success(doca_mmap_export_rdma(lent, scene->dev, &scene->blob, &scene->len));
	scene->blob = memcpy(malloc(scene->len), scene->blob, scene->len);
	fixture_mmap_destroy(lent);
	scene->sync_exporter = sync_event_create(scene->dev);
	assert_success(doca_sync_event_add_publisher_location_remote_net(scene->sync_exporter));
	assert_success(doca_sync_event_start(scene->sync_exporter));
	assert_success(doca_sync_event_export_to_remote_net(scene->sync_exporter, &scene->sync_blob,
							    &scene->sync_len));
}

static void scene_fini(struct scene *scene)
{
	free((void *)(uintptr_t)scene->blob);
	assert_success(doca_sync_event_destroy(scene->sync_exporter));
	assert_success(doca_mmap_destroy(scene->mmap));
	fixture_mmap_destroy(scene->exporter);
	fixture_inventory_destroy(scene->inventory);
	assert_success(doca_dev_close(scene->dev)); /* nothing holds it */
}

/* Lets allocation after allocation fail; the calls that were needed for a success. */
static int try_until_success(struct scene *scene, doca_error_t (*attempt)(struct scene *scene))
{
	for (int allowed = 0; allowed < MAX_ALLOCATIONS; allowed++) {
		doca_error_t result;

		num_left = allowed;
		result = attempt(scene);
		num_left = -1;
		assert_true(test_num_logged() <= 1);
		test_drop_log();
		if (result == DOCA_SUCCESS)
			return allowed;
		assert_error(result, DOCA_ERROR_NO_MEMORY);
	}
	fail_msg("it does not succeed at all");
	return -1;
}

static void check_attempt(doca_error_t (*attempt)(struct scene *scene), int min_allocations)
{
	struct scene scene;

	scene_init(&scene);
	assert_true(try_until_success(&scene, attempt) >= min_allocations);
	scene_fini(&scene);
}

static void list_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_list, 2);
}

static void list_from_the_variable_is_made_whole_or_not_at_all(void **state)
{
	char variable[1024] = "d@0000:00:00.0@lo";

	(void)state;
	for (int i = 0; i < 20; i++) /* more than one step of the list's growth */
		(void)snprintf(variable + strlen(variable), sizeof(variable) - strlen(variable),
			       ",d%d@0000:00:00.0@lo", i);
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", variable, 1), 0);
	assert_true(try_until_success(NULL, try_list) >= 5);
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
}

static void device_is_opened_whole_or_not_at_all(void **state)
{
	(void)state;
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", "d@0000:00:00.0@lo", 1), 0);
	assert_true(try_until_success(NULL, try_open) >= 1);
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
}

static void mmap_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_mmap, 1);
}

static void device_that_was_not_added_is_not_held(void **state)
{
	(void)state;
	check_attempt(try_add_dev, 1);
}

static void export_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_export, 1);
}

static void import_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_import, 2);
}

static void inventory_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_inventory, 2);
}

static void inventory_grows_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_expand, 1);
}

static void pool_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_pool, 1);
}

static void sync_event_is_made_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_sync_event, 3);
}

static void sync_event_is_exported_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_sync_export, 1);
}

static void sync_event_is_imported_whole_or_not_at_all(void **state)
{
	(void)state;
	check_attempt(try_sync_import, 1);
}

static void sync_event_that_found_no_memory_for_tasks_stays_idle(void **state)
{
	(void)state;
	check_attempt(try_sync_start, 5);
}

static void no_sync_event_is_exported_without_random_bytes(void **state)
{
	struct doca_sync_event *event;
	struct scene scene;
	const uint8_t *blob = NULL;
	size_t len = 7;

	(void)state;
	scene_init(&scene);
	event = sync_event_create(scene.dev);
	assert_success(doca_sync_event_add_publisher_location_remote_net(event));
	assert_success(doca_sync_event_start(event));
	has_random = false;
	assert_refused(doca_sync_event_export_to_remote_net(event, &blob, &len),
		       DOCA_ERROR_OPERATING_SYSTEM, "random");
	has_random = true;
	assert_null(blob);
	assert_int_equal(len, 7);
	assert_success(doca_sync_event_export_to_remote_net(event, &blob, &len));
	assert_success(doca_sync_event_destroy(event));
	scene_fini(&scene);
}

static void nothing_is_exported_without_random_bytes(void **state)
{
	struct scene scene;
	const void *blob = bytes;
	size_t len = 7;

	(void)state;
	scene_init(&scene);
	has_random = false;
	assert_refused(doca_mmap_export_rdma(scene.exporter, scene.dev, &blob, &len),
		       DOCA_ERROR_OPERATING_SYSTEM, "random");
	has_random = true;
	assert_ptr_equal(blob, bytes);
	assert_int_equal(len, 7);
	assert_success(doca_mmap_export_rdma(scene.exporter, scene.dev, &blob, &len));
	scene_fini(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_is_made_whole_or_not_at_all),
		TEST(list_from_the_variable_is_made_whole_or_not_at_all),
		TEST(device_is_opened_whole_or_not_at_all),
		TEST(mmap_is_made_whole_or_not_at_all),
		TEST(device_that_was_not_added_is_not_held),
		TEST(export_is_made_whole_or_not_at_all),
		TEST(import_is_made_whole_or_not_at_all),
		TEST(inventory_is_made_whole_or_not_at_all),
		TEST(inventory_grows_whole_or_not_at_all),
		TEST(pool_is_made_whole_or_not_at_all),
		TEST(sync_event_is_made_whole_or_not_at_all),
		TEST(sync_event_is_exported_whole_or_not_at_all),
		TEST(sync_event_is_imported_whole_or_not_at_all),
		TEST(sync_event_that_found_no_memory_for_tasks_stays_idle),
		TEST(no_sync_event_is_exported_without_random_bytes),
		TEST(nothing_is_exported_without_random_bytes),
	};

	return cmocka_run_group_tests_name("no_memory", tests, NULL, NULL);
}
