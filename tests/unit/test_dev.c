/* SPDX-License-Identifier: BSD-3-Clause */

/* Devices: the list, opening and closing, and what no device here has. */

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include <doca_dma.h>

#include "fixture.h"
#include "test.h"

#define NUM_THREADS      4
#define NUM_ROUNDS       300

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
	struct doca_dev *dev;
	struct doca_devinfo *info; /* of dev */
};

static void scene_init(struct scene *scene)
{
	scene->dev = fixture_dev_open();
	scene->info = doca_dev_as_devinfo(scene->dev);
	assert_non_null(scene->info);
}

static void scene_fini(struct scene *scene)
{
	assert_success(doca_dev_close(scene->dev));
}

static void name_of(const struct doca_devinfo *info, char *name)
{
	assert_success(doca_devinfo_get_ibdev_name(info, name, DOCA_DEVINFO_IBDEV_NAME_SIZE));
}

/* --- lists --- */

static void list_ends_after_its_devices(void **state)
{
	struct doca_devinfo **list = NULL;
	uint32_t count = 0;

	(void)state;
	assert_success(doca_devinfo_create_list(&list, &count));
	assert_true(count > 0);
	for (uint32_t i = 0; i < count; i++)
		assert_non_null(list[i]);
	assert_null(list[count]);
	assert_success(doca_devinfo_destroy_list(list));
}

static void names_and_numbers_are_unique(void **state)
{
	struct doca_devinfo **list;
	uint32_t count;

	(void)state;
	assert_success(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < i; j++) {
			char one[DOCA_DEVINFO_IBDEV_NAME_SIZE], other[sizeof(one)];
			uint16_t id_of_one, id_of_other;

			name_of(list[i], one);
			name_of(list[j], other);
			assert_string_not_equal(one, other);
			assert_success(doca_devinfo_get_vhca_id(list[i], &id_of_one));
			assert_success(doca_devinfo_get_vhca_id(list[j], &id_of_other));
			assert_int_not_equal(id_of_one, id_of_other);
		}
	}
	assert_success(doca_devinfo_destroy_list(list));
}

static void list_without_descriptors_is_refused(void **state)
{
	struct rlimit limit, none;
	struct doca_devinfo **list = NULL;
	uint32_t count = 77;
	doca_error_t result;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	result = doca_devinfo_create_list(&list, &count);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);

	assert_error(result, DOCA_ERROR_NOT_FOUND);
	test_take_log("cannot be listed");
	assert_null(list);
	assert_int_equal(count, 77);
}

/* --- open and close --- */

static void second_open_gives_the_same_device(void **state)
{
	struct doca_dev *again, *by_another_list;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_dev_open(scene.info, &again));
	by_another_list = fixture_dev_open();

	assert_ptr_equal(again, scene.dev);
	assert_ptr_equal(by_another_list, scene.dev);
	assert_success(doca_dev_close(again));
	assert_success(doca_dev_close(by_another_list));
	scene_fini(&scene);
}

static void open_device_tells_of_itself_without_its_list(void **state)
{
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_dev *again;
	struct scene scene;

	(void)state;
	scene_init(&scene); /* its list is gone */
	assert_success(doca_dev_open(scene.info, &again));
	assert_success(doca_dev_close(again)); /* not the last one */

	assert_ptr_equal(doca_dev_as_devinfo(scene.dev), scene.info);
	name_of(scene.info, name);
	assert_string_equal(name, "soft_lo");
	scene_fini(&scene);
}

static void only_the_last_close_waits_for_users(void **state)
{
	struct doca_mmap *mmap;
	struct doca_dev *again;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_dev_open(scene.info, &again));
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_add_dev(mmap, scene.dev));

	assert_success(doca_dev_close(again));
	assert_refused(doca_dev_close(scene.dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_refused(doca_dev_close(scene.dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_mmap_destroy(mmap));
	scene_fini(&scene);
}

static void context_keeps_its_device_open(void **state)
{
	struct doca_dma *dma;
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_dma_create(scene.dev, &dma));
	assert_refused(doca_dev_close(scene.dev), DOCA_ERROR_IN_USE, "soft_lo");
	assert_success(doca_dma_destroy(dma));
	scene_fini(&scene);
}

/* The device of the loopback interface, for threads, which may not fail by themselves. */
static struct doca_dev *open_quietly(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	if (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < count && dev == NULL; i++) {
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";

		(void)doca_devinfo_get_ibdev_name(list[i], name, sizeof(name));
		if (strcmp(name, "soft_lo") == 0 && doca_dev_open(list[i], &dev) != DOCA_SUCCESS)
			dev = NULL;
	}
	(void)doca_devinfo_destroy_list(list);
	return dev;
}

static void *open_and_close(void *argument)
{
	unsigned int *failures = argument;

	for (int round = 0; round < NUM_ROUNDS; round++) {
		struct doca_dev *dev = open_quietly();
		struct doca_dev *again;

		if (dev == NULL || doca_dev_open(doca_dev_as_devinfo(dev), &again) != 0 ||
		    again != dev || doca_dev_close(again) != DOCA_SUCCESS ||
		    doca_dev_close(dev) != DOCA_SUCCESS)
			++*failures;
	}
	return NULL;
}

static void threads_may_open_and_close_at_once(void **state)
{
	unsigned int failures[NUM_THREADS] = { 0 };
	pthread_t threads[NUM_THREADS];
	struct scene scene;

	(void)state;
	for (int i = 0; i < NUM_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_close, &failures[i]),
				 0);
	for (int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(failures[i], 0);
	}
	scene_init(&scene);
	scene_fini(&scene);
}

/* --- what no device here has --- */

static void capabilities_of_hardware_are_absent(void **state)
{
	static doca_error_t (*const caps[])(const struct doca_devinfo *info, uint8_t *flag) = {
		doca_devinfo_cap_is_hotplug_manager_supported,
		doca_devinfo_cap_is_notification_moderation_supported,
		doca_devinfo_cap_is_accelerate_resource_reclaim_supported,
		doca_devinfo_rep_cap_is_filter_all_supported,
		doca_devinfo_rep_cap_is_filter_net_supported,
		doca_devinfo_rep_cap_is_filter_emulated_supported,
	};
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(caps); i++) {
		uint8_t flag = 1;

		assert_success(caps[i](scene.info, &flag));
		assert_int_equal(flag, 0);
	}
	assert_refused(doca_dev_accelerate_resource_reclaim(scene.dev), DOCA_ERROR_NOT_SUPPORTED,
		       "reclaim");
	scene_fini(&scene);
}

#define UNSUPPORTED(expression) \
	assert_refused((expression), DOCA_ERROR_NOT_SUPPORTED, "representors")

static void representors_are_not_supported(void **state)
{
	struct doca_devinfo_rep *info = (struct doca_devinfo_rep *)(void *)state; /* none exists */
	struct doca_dev_rep *dev = (struct doca_dev_rep *)(void *)state;
	struct doca_devinfo_rep **list = &info;
	enum doca_pci_func_type type;
	struct scene scene;
	uint32_t count;
	uint16_t number;
	uint8_t flag;
	char text[256];

	scene_init(&scene);
	UNSUPPORTED(
	    doca_devinfo_rep_create_list(scene.dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &count));
	UNSUPPORTED(doca_devinfo_rep_destroy_list(list));
	UNSUPPORTED(doca_dev_rep_open(info, &dev));
	UNSUPPORTED(doca_dev_rep_close(dev));
	UNSUPPORTED(doca_devinfo_rep_get_vuid(info, text, sizeof(text)));
	UNSUPPORTED(doca_devinfo_rep_get_pci_addr_str(info, text));
	UNSUPPORTED(doca_devinfo_rep_get_pci_func_type(info, &type));
	UNSUPPORTED(doca_devinfo_rep_get_is_hotplug(info, &flag));
	UNSUPPORTED(doca_devinfo_rep_get_iface_name(info, text, sizeof(text)));
	UNSUPPORTED(doca_devinfo_rep_get_vhca_id(info, &number));
	UNSUPPORTED(doca_devinfo_rep_is_equal_pci_addr(info, "00:00.0", &flag));
	assert_null(doca_dev_rep_as_devinfo(dev));
	test_take_log("representors");
	scene_fini(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_ends_after_its_devices),
		TEST(names_and_numbers_are_unique),
		TEST(list_without_descriptors_is_refused),
		TEST(second_open_gives_the_same_device),
		TEST(open_device_tells_of_itself_without_its_list),
		TEST(only_the_last_close_waits_for_users),
		TEST(context_keeps_its_device_open),
		TEST(threads_may_open_and_close_at_once),
		TEST(capabilities_of_hardware_are_absent),
		TEST(representors_are_not_supported),
	};

	return cmocka_run_group_tests_name("dev", tests, NULL, NULL);
}
