/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which software devices are listed: one for each network interface that is up and has an address,
 * or what DOCA_SOFT_DEVICES says. The program runs in a network namespace of its own, in which the
 * loopback interface is whatever a test makes of it.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ipv6.h>

#include "core/dev.h"
#include "fixture.h"
#include "test.h"

#define VARIABLE         "DOCA_SOFT_DEVICES"

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* --- the namespace --- */

static void lo_set_up(int is_up)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = is_up ? IFF_UP : 0 };

	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
	close(fd);
}

/* label: the interface or, for a second address, "lo:NUMBER". ipv4: "0.0.0.0" takes it away. */
static void lo_set_ipv4(const char *label, const char *ipv4)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct ifreq request;

	memset(&request, 0, sizeof(request));
	(void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", label);
	assert_int_equal(inet_pton(AF_INET, ipv4, &addr.sin_addr), 1);
	memcpy(&request.ifr_addr, &addr, sizeof(addr));
	assert_int_equal(ioctl(fd, SIOCSIFADDR, &request), 0);
	close(fd);
}

static void lo_drop_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct in6_ifreq request = { .ifr6_prefixlen = 128 };

	if (fd < 0)
		return; /* a kernel without it */
	request.ifr6_ifindex = (int)if_nametoindex("lo");
	request.ifr6_addr.s6_addr[15] = 1;
	assert_true(ioctl(fd, SIOCDIFADDR, &request) == 0 || errno == EADDRNOTAVAIL);
	close(fd);
}

/* The loopback interface up, with that address and no other. */
static void lo_reset(const char *ipv4)
{
	lo_set_up(1);
	lo_set_ipv4("lo", ipv4);
	lo_drop_ipv6();
	assert_int_equal(unsetenv(VARIABLE), 0);
}

/* --- lists --- */

struct list {
	struct doca_devinfo **all;
	struct doca_devinfo **soft; /* behind the verbs devices, where there are any */
	uint32_t num_soft;
};

static void list_init(struct list *list)
{
	uint32_t count, first = 0;

	assert_success(doca_devinfo_create_list(&list->all, &count));
	while (first < count && list->all[first]->kind != CORE_DEV_SOFTWARE)
		first++;
	list->soft = list->all + first;
	list->num_soft = count - first;
}

static void list_fini(struct list *list)
{
	assert_success(doca_devinfo_destroy_list(list->all));
}

static void assert_name(const struct doca_devinfo *info, const char *expected)
{
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];

	assert_success(doca_devinfo_get_ibdev_name(info, name, sizeof(name)));
	assert_string_equal(name, expected);
}

static void assert_iface(const struct doca_devinfo *info, const char *expected)
{
	char name[DOCA_DEVINFO_IFACE_NAME_SIZE];

	assert_success(doca_devinfo_get_iface_name(info, name, sizeof(name)));
	assert_string_equal(name, expected);
}

static void assert_pci(const struct doca_devinfo *info, const char *expected)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];

	assert_success(doca_devinfo_get_pci_addr_str(info, pci));
	assert_string_equal(pci, expected);
}

static void assert_ipv4(const struct doca_devinfo *info, const char *expected)
{
	uint8_t addr[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	char text[INET_ADDRSTRLEN];

	assert_success(doca_devinfo_get_ipv4_addr(info, addr, sizeof(addr)));
	assert_string_equal(inet_ntop(AF_INET, addr, text, sizeof(text)), expected);
}

/* --- network interfaces --- */

static void interface_that_is_down_is_not_listed(void **state)
{
	struct list list;

	(void)state;
	lo_reset("127.0.0.1");
	lo_set_up(0);
	list_init(&list);
	assert_int_equal(list.num_soft, 0); /* and that is no error */
	assert_null(list.soft[0]);
	list_fini(&list);
}

static void interface_without_an_address_is_not_listed(void **state)
{
	struct list list;

	(void)state;
	lo_reset("0.0.0.0");
	list_init(&list);
	assert_int_equal(list.num_soft, 0);
	list_fini(&list);
}

static void interface_is_listed_once_for_all_of_its_addresses(void **state)
{
	struct list list;

	(void)state;
	lo_reset("127.0.0.1");
	lo_set_ipv4("lo:1", "127.0.0.2");
	lo_set_ipv4("lo:2", "10.1.1.1");
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_name(list.soft[0], "soft_lo");
	assert_iface(list.soft[0], "lo");
	list_fini(&list);
	lo_set_ipv4("lo:1", "0.0.0.0");
	lo_set_ipv4("lo:2", "0.0.0.0");
}

static void interface_has_the_address_of_its_label(void **state)
{
	struct list list;

	(void)state;
	lo_reset("0.0.0.0");
	lo_set_ipv4("lo:7", "10.1.1.7");
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_name(list.soft[0], "soft_lo");
	assert_ipv4(list.soft[0], "10.1.1.7");
	list_fini(&list);
	lo_set_ipv4("lo:7", "0.0.0.0");
}

static void missing_ipv6_address_is_reported(void **state)
{
	uint8_t addr[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	struct list list;

	(void)state;
	lo_reset("10.2.0.1");
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_ipv4(list.soft[0], "10.2.0.1");
	assert_error(doca_devinfo_get_ipv6_addr(list.soft[0], addr, sizeof(addr)),
		     DOCA_ERROR_OPERATING_SYSTEM);
	list_fini(&list);
}

static void missing_ipv4_address_is_reported(void **state)
{
	uint8_t addr[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	struct list list;

	(void)state;
	lo_reset("0.0.0.0");
	assert_int_equal(setenv(VARIABLE, "dev@0000:00:00.0@lo", 1), 0);
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_error(doca_devinfo_get_ipv4_addr(list.soft[0], addr, sizeof(addr)),
		     DOCA_ERROR_NOT_FOUND);
	list_fini(&list);
}

/* --- the variable --- */

static void variable_replaces_the_interfaces(void **state)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1", "x" };
	static const char *const pcis[] = { "0000:03:00.0", "0000:03:00.1", "abcd:EF:1f.7" };
	struct list list;

	(void)state;
	lo_reset("127.0.0.1");
	assert_int_equal(setenv(VARIABLE,
				"mlx5_0@0000:03:00.0@lo,mlx5_1@0000:03:00.1@lo,"
				"x@abcd:EF:1f.7@lo",
				1),
			 0);
	list_init(&list);
	assert_int_equal(list.num_soft, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_name(list.soft[i], names[i]);
		assert_pci(list.soft[i], pcis[i]);
		assert_iface(list.soft[i], "lo");
		assert_ipv4(list.soft[i], "127.0.0.1");
	}
	assert_null(list.soft[3]);
	list_fini(&list);
}

static void empty_variable_is_none(void **state)
{
	struct list list;

	(void)state;
	lo_reset("127.0.0.1");
	assert_int_equal(setenv(VARIABLE, "", 1), 0);
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_name(list.soft[0], "soft_lo");
	list_fini(&list);
}

static void devices_over_one_interface_are_different_ones(void **state)
{
	struct doca_dev *one, *other;
	uint16_t id_of_one, id_of_other;

	(void)state;
	lo_reset("127.0.0.1");
	assert_int_equal(setenv(VARIABLE, "one@0000:03:00.0@lo,other@0000:03:00.1@lo", 1), 0);
	one = fixture_dev_open_named("one");
	other = fixture_dev_open_named("other");
	assert_success(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(one), &id_of_one));
	assert_success(doca_devinfo_get_vhca_id(doca_dev_as_devinfo(other), &id_of_other));

	assert_ptr_not_equal(one, other);
	assert_int_not_equal(id_of_one, id_of_other);
	assert_success(doca_dev_close(one));
	assert_success(doca_dev_close(other));
}

static void open_device_survives_another_variable(void **state)
{
	struct doca_dev *dev;

	(void)state;
	lo_reset("127.0.0.1");
	assert_int_equal(setenv(VARIABLE, "one@0000:03:00.0@lo", 1), 0);
	dev = fixture_dev_open_named("one");
	assert_non_null(dev);
	assert_int_equal(setenv(VARIABLE, "other@0000:03:00.1@lo", 1), 0);
	assert_null(fixture_dev_open_named("one"));

	assert_name(doca_dev_as_devinfo(dev), "one");
	assert_pci(doca_dev_as_devinfo(dev), "0000:03:00.0");
	assert_success(doca_dev_close(dev));
}

#define NAME_OF_63 "n23456789012345678901234567890123456789012345678901234567890123"

static void longest_name_has_63_bytes(void **state)
{
	struct list list;

	(void)state;
	lo_reset("127.0.0.1");
	assert_int_equal(setenv(VARIABLE, NAME_OF_63 "@0000:00:00.0@lo", 1), 0);
	list_init(&list);
	assert_int_equal(list.num_soft, 1);
	assert_name(list.soft[0], NAME_OF_63);
	list_fini(&list);
}

static void malformed_entry_is_named_and_nothing_is_listed(void **state)
{
	static const struct {
		const char *entry;
		const char *why;
	} rows[] = {
		{ "", "three fields" },
		{ "name", "three fields" },
		{ "@", "three fields" },
		{ "name@0000:00:00.0", "three fields" },
		{ "name@0000:00:00.0@lo@more", "three fields" },
		{ "name@0000:00:00.0@lo@", "three fields" },
		{ "@0000:00:00.0@lo", "name" },
		{ NAME_OF_63 "4@0000:00:00.0@lo", "too long name" },
		{ "good@0000:00:00.1@lo", "taken" },
		{ "name@00:00.0@lo", "PCI address" },
		{ "name@@lo", "PCI address" },
		{ "name@0000:00:00.g@lo", "PCI address" },
		{ "name@0000:00:00.00@lo", "PCI address" },
		{ "name@ 0000:00:00.0@lo", "PCI address" },
		{ "name@0000:00:00.0@", "no interface" },
		{ "name@0000:00:00.0@lo ", "no interface" },
		{ "name@0000:00:00.0@nowhere0", "no interface" },
		{ "name@0000:00:00.0@an_interface_of_so_long_a_name", "no interface" },
	};
	static const char *const ends[] = { "", ",last@0000:00:00.2@lo" };

	(void)state;
	lo_reset("127.0.0.1");
	for (size_t i = 0; i < ARRAY_LEN(rows) * ARRAY_LEN(ends); i++) {
		const char *entry = rows[i / ARRAY_LEN(ends)].entry;
		struct doca_devinfo **list = NULL;
		char variable[512], quoted[512];
		uint32_t count = 77;

		(void)snprintf(quoted, sizeof(quoted), "\"%s\"", entry);
		(void)snprintf(variable, sizeof(variable), "good@0000:00:00.0@lo,%s%s", entry,
			       ends[i % ARRAY_LEN(ends)]);
		assert_int_equal(setenv(VARIABLE, variable, 1), 0);
		assert_refused(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND,
			       quoted);
		assert_refused(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND,
			       rows[i / ARRAY_LEN(ends)].why);
		assert_null(list);
		assert_int_equal(count, 77);
	}
}

static void entry_of_any_length_is_refused_by_one_line(void **state)
{
	struct doca_devinfo **list;
	char variable[5000];
	uint32_t count;

	(void)state;
	lo_reset("127.0.0.1");
	for (size_t len = 1; len < sizeof(variable); len += 13) {
		memset(variable, 'x', len);
		variable[len] = '\0';
		assert_int_equal(setenv(VARIABLE, variable, 1), 0);
		assert_refused(doca_devinfo_create_list(&list, &count), DOCA_ERROR_NOT_FOUND,
			       "three fields");
	}
}

/* --- */

/* Gives the process a network of its own, or tells why it cannot and fails. */
static void enter_namespace(void)
{
	char self[4096] = "";

	if (getenv("TEST_HAS_NAMESPACE") != NULL || unshare(CLONE_NEWNET) == 0)
		return;
	/* Not root: the tool makes it root of a user namespace, which threads would forbid here. */
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0 &&
	    setenv("TEST_HAS_NAMESPACE", "1", 1) == 0)
		(void)execlp("unshare", "unshare", "-rn", self, (char *)NULL);
	perror("a network namespace is needed, and neither root nor user namespaces are there");
	exit(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(interface_that_is_down_is_not_listed),
		TEST(interface_without_an_address_is_not_listed),
		TEST(interface_is_listed_once_for_all_of_its_addresses),
		TEST(interface_has_the_address_of_its_label),
		TEST(missing_ipv6_address_is_reported),
		TEST(missing_ipv4_address_is_reported),
		TEST(variable_replaces_the_interfaces),
		TEST(empty_variable_is_none),
		TEST(devices_over_one_interface_are_different_ones),
		TEST(open_device_survives_another_variable),
		TEST(longest_name_has_63_bytes),
		TEST(malformed_entry_is_named_and_nothing_is_listed),
		TEST(entry_of_any_length_is_refused_by_one_line),
	};

	enter_namespace();
	return cmocka_run_group_tests_name("dev_soft", tests, NULL, NULL);
}
