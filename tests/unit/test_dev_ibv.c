/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Verbs devices of a library that is not there: the linker gives dev_ibv.c our dlopen() and
 * dlsym(), which hand out the calls below. The kernel knows nothing of these devices. What real
 * ones do is shown in the virtual machine, by test_verbs_devices.
 */

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/dev.h"
#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

#define NUM_DEVICES 2

/* As in libibverbs, and as opaque there. */
struct ibv_device {
	const char *name;
};

/* Ours, exported by this program. A context and a domain are the device once more. */
struct ibv_device **ibv_get_device_list(int *count);
void ibv_free_device_list(struct ibv_device **list);
const char *ibv_get_device_name(struct ibv_device *device);
void *ibv_open_device(struct ibv_device *device);
int ibv_close_device(void *context);
void *ibv_alloc_pd(void *context);
int ibv_dealloc_pd(void *pd);

static struct {
	bool has_library;
	const char *library; /* what is opened for it; NULL: this program */
	int list_error;      /* 0: there are count devices */
	int count;
	bool opens;
	bool has_pd;
	int pd_error; /* of giving it back */
	int num_lists;
	int num_contexts;
	int num_pds;
	struct ibv_device devices[NUM_DEVICES];
	struct ibv_device *list[NUM_DEVICES + 1];
} fake;

struct ibv_device **ibv_get_device_list(int *count)
{
	errno = fake.list_error;
	if (fake.list_error != 0)
		return NULL;
	memset(fake.list, 0, sizeof(fake.list));
	for (int i = 0; i < fake.count; i++)
		fake.list[i] = &fake.devices[i];
	fake.num_lists++;
	*count = fake.count;
	return fake.list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	fake.num_lists -= list == fake.list;
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

void *ibv_open_device(struct ibv_device *device)
{
	errno = EACCES;
	if (!fake.opens)
		return NULL;
	fake.num_contexts++;
	return device;
}

int ibv_close_device(void *context)
{
	fake.num_contexts -= context != NULL;
	return 0;
}

void *ibv_alloc_pd(void *context)
{
	errno = ENOMEM;
	if (!fake.has_pd)
		return NULL;
	fake.num_pds++;
	return context;
}

int ibv_dealloc_pd(void *pd)
{
	if (fake.pd_error != 0)
		return fake.pd_error;
	fake.num_pds -= pd != NULL;
	return 0;
}

/* The linker's names: what dev_ibv.c calls dlopen(), and what that is for all others. */
void *__wrap_dlopen(const char *file, int mode);
void *__real_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	if (file == NULL || strcmp(file, "libibverbs.so.1") != 0)
		return __real_dlopen(file, mode);
	return fake.has_library ? __real_dlopen(fake.library, mode) : NULL;
}

static void fake_init(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.has_library = true;
	fake.count = NUM_DEVICES;
	fake.opens = true;
	fake.has_pd = true;
	fake.devices[0].name = "fake0";
	fake.devices[1].name = "fake1";
}

static void assert_nothing_open(void)
{
	assert_int_equal(fake.num_lists, 0);
	assert_int_equal(fake.num_contexts, 0);
	assert_int_equal(fake.num_pds, 0);
}

static struct doca_dev *open_fake(const char *name)
{
	struct doca_dev *dev = fixture_dev_open_named(name);

	assert_non_null(dev);
	return dev;
}

/* The verbs devices of a list that also has the loopback interface's; -1 without that one. */
static int num_verbs(void)
{
	struct doca_devinfo **list;
	bool has_lo = false;
	uint32_t count;
	int found = 0;

	if (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		found += list[i]->kind == CORE_DEV_VERBS;
		has_lo |= strcmp(list[i]->ibdev_name, "soft_lo") == 0;
	}
	if (doca_devinfo_destroy_list(list) != DOCA_SUCCESS || !has_lo)
		return -1;
	return found;
}

/* Lists in a process of its own: a process looks for the library once. */
static void check_without_verbs(unsigned int num_lines, const char *part)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		int good = num_verbs() == 0 && num_verbs() == 0 && test_num_logged() == num_lines;

		if (good && num_lines > 0)
			test_take_log(part);
		_exit(good ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- no verbs; these come first, while this process has not looked for the library --- */

/* rdma trap 64 */
static void without_the_library_only_software_is_listed(void **state)
{
	(void)state;
	fake_init();
	fake.has_library = false;
	check_without_verbs(0, NULL);
}

static void library_that_lacks_the_calls_is_not_used(void **state)
{
	(void)state;
	fake_init();
	fake.library = "libc.so.6"; /* it has none of them */
	check_without_verbs(1, "lacks ibv_get_device_list");
}

/* rdma trap 64 */
static void kernel_without_verbs_is_no_error(void **state)
{
	(void)state;
	fake_init();
	fake.list_error = ENOSYS;
	assert_int_equal(num_verbs(), 0);
}

static void no_device_is_no_error(void **state)
{
	(void)state;
	fake_init();
	fake.count = 0;
	assert_int_equal(num_verbs(), 0);
	assert_nothing_open();
}

/* --- devices --- */

static void verbs_devices_come_first(void **state)
{
	static const char *const names[] = { "fake0", "fake1" };
	struct doca_devinfo **list;
	uint32_t count;

	(void)state;
	fake_init();
	assert_success(doca_devinfo_create_list(&list, &count));
	assert_true(count > NUM_DEVICES);
	for (uint32_t i = 0; i < count; i++) {
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];

		assert_success(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		if (i < NUM_DEVICES)
			assert_string_equal(name, names[i]);
		assert_int_equal(list[i]->kind,
				 i < NUM_DEVICES ? CORE_DEV_VERBS : CORE_DEV_SOFTWARE);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(list[i]->vhca_id, list[j]->vhca_id);
	}
	assert_success(doca_devinfo_destroy_list(list));
	assert_nothing_open();
}

static void device_is_opened_once_for_all(void **state)
{
	struct doca_dev *dev, *again, *other;

	(void)state;
	fake_init();
	dev = open_fake("fake1");
	again = open_fake("fake1");
	other = open_fake("fake0");
	assert_ptr_equal(again, dev);
	assert_ptr_not_equal(other, dev);
	assert_int_equal(fake.num_contexts, 2);
	assert_int_equal(fake.num_pds, 2);

	assert_success(doca_dev_close(other));
	assert_success(doca_dev_close(dev));
	assert_int_equal(fake.num_contexts, 1);
	assert_success(doca_dev_close(again));
	assert_nothing_open();
}

static void device_that_does_not_open_is_refused(void **state)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	(void)state;
	fake_init();
	assert_success(doca_devinfo_create_list(&list, &count));
	fake.opens = false;
	assert_refused(doca_dev_open(list[1], &dev), DOCA_ERROR_NOT_CONNECTED, "fake1");
	fake_init();
	fake.has_pd = false;
	assert_refused(doca_dev_open(list[1], &dev), DOCA_ERROR_NO_MEMORY, "fake1");
	assert_nothing_open();
	fake_init();
	fake.count = 1;
	assert_refused(doca_dev_open(list[1], &dev), DOCA_ERROR_NOT_CONNECTED, "fake1");
	fake.list_error = ENOSYS;
	assert_refused(doca_dev_open(list[1], &dev), DOCA_ERROR_NOT_CONNECTED, "fake1");
	assert_null(dev);
	assert_nothing_open();

	fake_init();
	assert_success(doca_dev_open(list[1], &dev)); /* later it may */
	assert_success(doca_dev_close(dev));
	assert_success(doca_devinfo_destroy_list(list));
}

static void domain_that_stays_is_warned_about(void **state)
{
	struct doca_dev *dev;

	(void)state;
	fake_init();
	dev = open_fake("fake0");
	fake.pd_error = EBUSY;
	assert_success(doca_dev_close(dev));
	test_take_log("fake0");
	assert_int_equal(fake.num_contexts, 0);
}

static void what_the_kernel_does_not_tell_is_reported(void **state)
{
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	struct doca_devinfo *info;
	struct doca_dev *dev;
	uint8_t bytes[16], flag;
	uint64_t rate;
	uint16_t lid;

	(void)state;
	fake_init();
	dev = open_fake("fake0");
	info = doca_dev_as_devinfo(dev);
	assert_error(doca_devinfo_get_iface_name(info, text, sizeof(text)),
		     DOCA_ERROR_OPERATING_SYSTEM);
	assert_error(doca_devinfo_get_pci_addr_str(info, text), DOCA_ERROR_OPERATING_SYSTEM);
	assert_error(doca_devinfo_is_equal_pci_addr(info, "00:00.0", &flag),
		     DOCA_ERROR_OPERATING_SYSTEM);
	assert_error(doca_devinfo_get_ipv4_addr(info, bytes, 4), DOCA_ERROR_NOT_FOUND);
	assert_error(doca_devinfo_get_ipv6_addr(info, bytes, 16), DOCA_ERROR_OPERATING_SYSTEM);
	assert_error(doca_devinfo_get_mac_addr(info, bytes, 6), DOCA_ERROR_NOT_SUPPORTED);
	assert_error(doca_devinfo_get_lid(info, &lid), DOCA_ERROR_NOT_SUPPORTED);
	assert_error(doca_devinfo_get_active_rate(info, &rate), DOCA_ERROR_DRIVER);
	assert_success(doca_dev_close(dev));
}

static void software_device_cannot_take_a_verbs_name(void **state)
{
	struct doca_devinfo **list;
	uint32_t count;

	(void)state;
	fake_init();
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", "fake1@0000:00:00.0@lo", 1), 0);
	assert_refused(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND, "taken");
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
}

/* --- memory --- */

static void memory_is_not_exported_over_verbs(void **state)
{
	struct doca_mmap *mmap, *imported;
	struct doca_dev *dev, *soft;
	const void *blob;
	char bytes[8];
	size_t len;

	(void)state;
	fake_init();
	dev = open_fake("fake0");
	soft = fixture_dev_open();
	assert_success(doca_mmap_create(&mmap));
	assert_success(doca_mmap_set_memrange(mmap, bytes, sizeof(bytes)));
	assert_success(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	assert_success(doca_mmap_add_dev(mmap, dev));
	assert_success(doca_mmap_add_dev(mmap, soft));
	assert_success(doca_mmap_start(mmap));

	assert_refused(doca_mmap_export_rdma(mmap, dev, &blob, &len), DOCA_ERROR_NOT_SUPPORTED,
		       "fake0");
	assert_success(doca_mmap_export_rdma(mmap, soft, &blob, &len));
	assert_refused(doca_mmap_create_from_export(NULL, blob, len, dev, &imported),
		       DOCA_ERROR_NOT_SUPPORTED, "fake0");
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(dev));
	assert_success(doca_dev_close(soft));
	assert_nothing_open();
}

static void sync_events_do_all_but_leave_over_verbs(void **state)
{
	struct doca_sync_event_remote_net *remote = NULL;
	struct doca_sync_event *event;
	const struct doca_devinfo *info;
	struct doca_dev *dev, *soft;
	const uint8_t *blob = NULL;
	size_t len;

	(void)state;
	fake_init();
	dev = open_fake("fake0");
	soft = fixture_dev_open();
	info = doca_dev_as_devinfo(dev);
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++)
		assert_success(sync_calls[kind].is_supported(info));
	assert_error(doca_sync_event_cap_is_export_to_remote_net_supported(info),
		     DOCA_ERROR_NOT_SUPPORTED);
	assert_error(doca_sync_event_cap_remote_net_is_create_from_export_supported(info),
		     DOCA_ERROR_NOT_SUPPORTED);

	event = sync_event_create(dev);
	assert_success(doca_sync_event_add_publisher_location_remote_net(event));
	assert_success(doca_sync_event_start(event));
	assert_refused(doca_sync_event_export_to_remote_net(event, &blob, &len),
		       DOCA_ERROR_NOT_SUPPORTED, "fake0");
	assert_null(blob);
	assert_success(doca_sync_event_stop(event));
	assert_success(doca_sync_event_add_subscriber_location_cpu(event, soft));
	assert_success(doca_sync_event_start(event)); /* now there is a way for peers to come */
	assert_success(doca_sync_event_export_to_remote_net(event, &blob, &len));
	assert_refused(doca_sync_event_remote_net_create_from_export(dev, blob, len, &remote),
		       DOCA_ERROR_NOT_SUPPORTED, "fake0");
	assert_null(remote);
	assert_success(doca_sync_event_destroy(event));
	assert_success(doca_dev_close(dev));
	assert_success(doca_dev_close(soft));
	assert_nothing_open();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_the_library_only_software_is_listed),
		TEST(library_that_lacks_the_calls_is_not_used),
		TEST(kernel_without_verbs_is_no_error),
		TEST(no_device_is_no_error),
		TEST(verbs_devices_come_first),
		TEST(device_is_opened_once_for_all),
		TEST(device_that_does_not_open_is_refused),
		TEST(domain_that_stays_is_warned_about),
		TEST(what_the_kernel_does_not_tell_is_reported),
		TEST(software_device_cannot_take_a_verbs_name),
		TEST(memory_is_not_exported_over_verbs),
		TEST(sync_events_do_all_but_leave_over_verbs),
	};

	return cmocka_run_group_tests_name("dev_ibv", tests, NULL, NULL);
}
