/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A verbs device of the kernel's: Soft-RoCE, named rxe0, over the interface d0 with the address
 * 10.99.0.1, as scripts/soft-roce-vm.sh makes it. Without it every test here fails.
 */

#include <arpa/inet.h>
#include <dirent.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_dma.h>

#include "core/dev.h"
#include "fixture.h"
#include "test.h"

#define DEVICE    "rxe0"
#define INTERFACE "d0"
#define ADDRESS   "10.99.0.1"
#define NODES     "/dev/infiniband"
#define NO_ACCESS "--without-access"

#define COPY_LEN  1000

static struct doca_dev *open_rxe0(void)
{
	struct doca_dev *dev = fixture_dev_open_named(DEVICE);

	if (dev == NULL)
		fail_msg("there is no verbs device " DEVICE ": run scripts/test_vm.sh");
	return dev;
}

/* Descriptors of this process that are open device nodes of verbs devices. */
static unsigned int num_verbs_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char path[300], target[300] = "";

		(void)snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (readlink(path, target, sizeof(target) - 1) > 0)
			count += strstr(target, "uverbs") != NULL;
	}
	closedir(dir);
	return count;
}

/* --- the list --- */

static void verbs_device_is_listed_before_software_devices(void **state)
{
	struct doca_devinfo **list;
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	uint32_t count;

	(void)state;
	assert_success(doca_devinfo_create_list(&list, &count));
	assert_true(count >= 3); /* rxe0, soft_lo and soft_d0 */
	assert_success(doca_devinfo_get_ibdev_name(list[0], name, sizeof(name)));
	assert_string_equal(name, DEVICE);
	assert_int_equal(list[0]->kind, CORE_DEV_VERBS);
	for (uint32_t i = 1; i < count; i++)
		assert_int_equal(list[i]->kind, CORE_DEV_SOFTWARE);
	assert_success(doca_devinfo_destroy_list(list));
	assert_int_equal(num_verbs_fds(), 0);
}

static void devices_over_one_interface_are_told_apart(void **state)
{
	struct doca_dev *verbs = open_rxe0();
	struct doca_dev *soft = fixture_dev_open_named("soft_" INTERFACE);
	uint16_t id_of_verbs, id_of_soft;

	(void)state;
	assert_non_null(soft);
	assert_success(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(verbs), &id_of_verbs));
	assert_success(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(soft), &id_of_soft));
	assert_int_not_equal(id_of_verbs, id_of_soft);
	assert_success(doca_dev_close(verbs));
	assert_success(doca_dev_close(soft));
}

static void variable_keeps_the_verbs_devices(void **state)
{
	struct doca_devinfo **list;
	uint32_t count;

	(void)state;
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", "card@0000:03:00.0@lo", 1), 0);
	assert_success(doca_devinfo_create_list(&list, &count));
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
	assert_int_equal(count, 2);
	assert_string_equal(list[0]->ibdev_name, DEVICE);
	assert_string_equal(list[1]->ibdev_name, "card");
	assert_success(doca_devinfo_destroy_list(list));
}

/* --- properties --- */

static void addresses_are_those_of_the_interface(void **state)
{
	struct doca_dev *dev = open_rxe0();
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE], text[INET_ADDRSTRLEN], hex[32] = "";
	uint8_t ipv4[4], mac[6], ipv6[16];
	FILE *file;

	(void)state;
	assert_success(doca_devinfo_get_iface_name(info, iface, sizeof(iface)));
	assert_string_equal(iface, INTERFACE);
	assert_success(doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)));
	assert_string_equal(inet_ntop(AF_INET, ipv4, text, sizeof(text)), ADDRESS);
	assert_success(doca_devinfo_get_ipv6_addr(info, ipv6, sizeof(ipv6)));
	assert_int_equal(ipv6[0], 0xfe); /* link-local */

	file = fopen("/sys/class/net/" INTERFACE "/address", "re");
	assert_non_null(file);
	assert_non_null(fgets(hex, sizeof(hex), file));
	assert_int_equal(fclose(file), 0);
	assert_success(doca_devinfo_get_mac_addr(info, mac, sizeof(mac)));
	for (size_t i = 0; i < sizeof(mac); i++)
		assert_int_equal(mac[i], strtoul(hex + 3 * i, NULL, 16));
	assert_success(doca_dev_close(dev));
}

static void pci_address_is_that_of_the_interface(void **state)
{
	struct doca_dev *dev = open_rxe0();
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], expected[sizeof(pci)];
	unsigned int index = if_nametoindex(INTERFACE);
	uint8_t is_equal = 0;

	(void)state;
	(void)snprintf(expected, sizeof(expected), "d0ca:%02x:%02x.%x", index >> 8 & 0xff,
		       index >> 3 & 0x1f, index & 7);
	assert_success(doca_devinfo_get_pci_addr_str(info, pci));
	assert_string_equal(pci, expected);
	assert_success(doca_devinfo_is_equal_pci_addr(info, expected, &is_equal));
	assert_int_equal(is_equal, 1);
	assert_success(doca_dev_close(dev));
}

static void port_is_an_ethernet_one_with_a_rate(void **state)
{
	struct doca_dev *dev = open_rxe0();
	struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
	uint64_t rate = 0;
	uint32_t sf_index;
	uint16_t lid;

	(void)state;
	assert_error(doca_devinfo_get_lid(info, &lid), DOCA_ERROR_NOT_SUPPORTED);
	assert_success(doca_devinfo_get_active_rate(info, &rate));
	assert_true(rate >= UINT64_C(1000000000));
	assert_success(doca_devinfo_get_pci_func_type(info, &type));
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_PF);
	assert_error(doca_devinfo_get_sf_index(info, &sf_index), DOCA_ERROR_NOT_SUPPORTED);
	assert_success(doca_dev_close(dev));
}

/* --- use --- */

static void device_is_open_in_the_kernel_until_the_last_close(void **state)
{
	struct doca_dev *dev = open_rxe0();
	unsigned int num_fds = num_verbs_fds();
	struct doca_dev *again = open_rxe0();

	(void)state;
	assert_ptr_equal(again, dev);
	assert_int_equal(num_fds, 1);
	assert_int_equal(num_verbs_fds(), 1);
	assert_success(doca_dev_close(dev));
	assert_int_equal(num_verbs_fds(), 1);
	assert_success(doca_dev_close(again));
	assert_int_equal(num_verbs_fds(), 0);
}

static void device_opens_again_and_again(void **state)
{
	unsigned int num_fds = test_num_fds();

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_success(doca_dev_close(open_rxe0()));
	assert_int_equal(test_num_fds(), num_fds);
}

static void memory_is_mapped_but_not_exported(void **state)
{
	struct doca_dev *verbs = open_rxe0(), *soft = fixture_dev_open();
	struct doca_mmap *mmap, *imported;
	char bytes[64];
	const void *blob;
	size_t len;

	(void)state;
	mmap = fixture_mmap_create(verbs, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
	assert_refused(doca_dev_close(verbs), DOCA_ERROR_IN_USE, DEVICE);
	assert_refused(doca_mmap_export_rdma(mmap, verbs, &blob, &len), DOCA_ERROR_NOT_SUPPORTED,
		       DEVICE);
	fixture_mmap_destroy(mmap);

	mmap = fixture_mmap_create(soft, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_RDMA_READ);
	assert_success(doca_mmap_export_rdma(mmap, soft, &blob, &len));
	assert_refused(doca_mmap_create_from_export(NULL, blob, len, verbs, &imported),
		       DOCA_ERROR_NOT_SUPPORTED, DEVICE);
	fixture_mmap_destroy(mmap);
	assert_success(doca_dev_close(verbs));
	assert_success(doca_dev_close(soft));
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_data,
		      union doca_data ctx_data)
{
	(void)ctx_data;
	*(doca_error_t *)task_data.ptr = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* Copies the first half of the memory to the second by a DMA context of the device. */
static void copy_halves(struct doca_dev *dev, struct doca_mmap *mmap,
			struct doca_buf_inventory *inventory, char *bytes)
{
	doca_error_t status = DOCA_ERROR_IN_PROGRESS;
	union doca_data data = { .ptr = &status };
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	struct doca_dma *dma;
	struct doca_pe *pe;

	assert_success(doca_pe_create(&pe));
	assert_success(doca_dma_create(dev, &dma));
	assert_success(doca_dma_task_memcpy_set_conf(dma, on_copied, on_copied, 1));
	assert_success(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
	assert_success(doca_ctx_start(doca_dma_as_ctx(dma)));
	assert_success(doca_buf_inventory_buf_get_by_data(inventory, mmap, bytes, COPY_LEN, &src));
	assert_success(
	    doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes + COPY_LEN, COPY_LEN, &dst));
	assert_success(doca_dma_task_memcpy_alloc_init(dma, src, dst, data, &task));
	assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
	for (int i = 0; i < 1000 && status == DOCA_ERROR_IN_PROGRESS; i++)
		(void)doca_pe_progress(pe);
	assert_success(status);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	assert_success(doca_ctx_stop(doca_dma_as_ctx(dma)));
	assert_success(doca_dma_destroy(dma));
	assert_success(doca_pe_destroy(pe));
}

static void check_copy(struct doca_dev *dev)
{
	struct doca_buf_inventory *inventory = fixture_inventory_create(2);
	char bytes[2 * COPY_LEN] = { 0 };
	struct doca_mmap *mmap;

	mmap = fixture_mmap_create(dev, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	for (int i = 0; i < COPY_LEN; i++)
		bytes[i] = (char)(i * 7);
	copy_halves(dev, mmap, inventory, bytes);
	assert_memory_equal(bytes, bytes + COPY_LEN, COPY_LEN);
	fixture_mmap_destroy(mmap);
	fixture_inventory_destroy(inventory);
}

static void memory_is_copied_with_a_verbs_device(void **state)
{
	struct doca_dev *dev = open_rxe0();

	(void)state;
	check_copy(dev);
	assert_success(doca_dev_close(dev));
}

/* --- a process that may not use the device, such as one in a container --- */

static void device_without_access_is_listed_or_not_but_never_opens(void **state)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t count;

	(void)state;
	assert_success(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count; i++) {
		if (list[i]->kind == CORE_DEV_VERBS)
			assert_refused(doca_dev_open(list[i], &dev), DOCA_ERROR_NOT_CONNECTED,
				       DEVICE);
	}
	assert_null(dev);
	assert_success(doca_devinfo_destroy_list(list));
}

static void software_device_works_without_access_to_the_other(void **state)
{
	struct doca_dev *dev = fixture_dev_open();

	(void)state;
	check_copy(dev);
	assert_success(doca_dev_close(dev));
}

static int run_without_access(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_without_access_is_listed_or_not_but_never_opens),
		TEST(software_device_works_without_access_to_the_other),
	};

	return cmocka_run_group_tests_name("no_access", tests, NULL, NULL);
}

/* Runs this program where the device nodes are hidden; what it prints goes to standard error. */
static void exec_without_access(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("none", NODES, "tmpfs", 0, NULL) == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		(void)execl("/proc/self/exe", "test", NO_ACCESS, (char *)NULL);
	perror("the device nodes cannot be hidden, which needs root");
	_exit(1);
}

static void process_without_access_still_works(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_success(doca_dev_close(open_rxe0())); /* with access it opens */
	pid = fork();
	if (pid == 0)
		exec_without_access();
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs_device_is_listed_before_software_devices),
		TEST(devices_over_one_interface_are_told_apart),
		TEST(variable_keeps_the_verbs_devices),
		TEST(addresses_are_those_of_the_interface),
		TEST(pci_address_is_that_of_the_interface),
		TEST(port_is_an_ethernet_one_with_a_rate),
		TEST(device_is_open_in_the_kernel_until_the_last_close),
		TEST(device_opens_again_and_again),
		TEST(memory_is_mapped_but_not_exported),
		TEST(memory_is_copied_with_a_verbs_device),
		TEST(process_without_access_still_works),
	};

	if (argc == 2 && strcmp(argv[1], NO_ACCESS) == 0)
		return run_without_access();
	return cmocka_run_group_tests_name("verbs_devices", tests, NULL, NULL);
}
