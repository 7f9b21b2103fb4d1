/* SPDX-License-Identifier: BSD-3-Clause */

/* What a devinfo tells, of the device of the loopback interface. */

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "fixture.h"
#include "test.h"

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

static void loopback_device_is_named_after_its_interface(void **state)
{
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE], iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_devinfo_get_ibdev_name(scene.info, name, sizeof(name)));
	assert_success(doca_devinfo_get_iface_name(scene.info, iface, sizeof(iface)));
	assert_string_equal(name, "soft_lo");
	assert_string_equal(iface, "lo");
	scene_fini(&scene);
}

/* The first address of that family on the loopback interface, or 0 bytes. */
static size_t loopback_address(int family, uint8_t *addr)
{
	struct ifaddrs *addrs;
	size_t size = 0;

	assert_int_equal(getifaddrs(&addrs), 0);
	for (struct ifaddrs *at = addrs; at != NULL && size == 0; at = at->ifa_next) {
		const void *found = at->ifa_addr;

		if (found == NULL || strcmp(at->ifa_name, "lo") != 0 ||
		    at->ifa_addr->sa_family != family)
			continue;
		size = family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
		memcpy(addr,
		       family == AF_INET
			   ? (const void *)&((const struct sockaddr_in *)found)->sin_addr
			   : (const void *)&((const struct sockaddr_in6 *)found)->sin6_addr,
		       size);
	}
	freeifaddrs(addrs);
	return size;
}

static void addresses_are_those_of_the_interface(void **state)
{
	static const uint8_t no_mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint8_t expected[16], ipv4[4], ipv6[16], mac[6];
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_int_equal(loopback_address(AF_INET, expected), sizeof(ipv4));
	assert_success(doca_devinfo_get_ipv4_addr(scene.info, ipv4, sizeof(ipv4)));
	assert_memory_equal(ipv4, expected, sizeof(ipv4));
	if (loopback_address(AF_INET6, expected) != 0) {
		assert_success(doca_devinfo_get_ipv6_addr(scene.info, ipv6, sizeof(ipv6)));
		assert_memory_equal(ipv6, expected, sizeof(ipv6));
	} else {
		assert_error(doca_devinfo_get_ipv6_addr(scene.info, ipv6, sizeof(ipv6)),
			     DOCA_ERROR_OPERATING_SYSTEM);
	}
	assert_success(doca_devinfo_get_mac_addr(scene.info, mac, sizeof(mac)));
	assert_memory_equal(mac, no_mac, sizeof(mac));
	scene_fini(&scene);
}

static void pci_address_comes_from_the_interface_index(void **state)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], expected[DOCA_DEVINFO_PCI_ADDR_SIZE];
	unsigned int index = if_nametoindex("lo");
	struct scene scene;

	(void)state;
	scene_init(&scene);
	assert_success(doca_devinfo_get_pci_addr_str(scene.info, pci));
	(void)snprintf(expected, sizeof(expected), "d0ca:%02x:%02x.%x", index >> 8 & 0xff,
		       index >> 3 & 0x1f, index & 7);
	assert_string_equal(pci, expected);
	scene_fini(&scene);
}

static void software_device_is_an_ethernet_function(void **state)
{
	enum doca_pci_func_type type = DOCA_PCI_FUNC_TYPE_SF;
	struct scene scene;
	uint64_t rate = 0;
	uint32_t sf_index;
	uint16_t lid;

	(void)state;
	scene_init(&scene);
	assert_success(doca_devinfo_get_pci_func_type(scene.info, &type));
	assert_int_equal(type, DOCA_PCI_FUNC_TYPE_PF);
	assert_success(doca_devinfo_get_active_rate(scene.info, &rate));
	assert_int_equal(rate, UINT64_C(10000000000));
	assert_error(doca_devinfo_get_lid(scene.info, &lid), DOCA_ERROR_NOT_SUPPORTED);
	assert_error(doca_devinfo_get_sf_index(scene.info, &sf_index), DOCA_ERROR_NOT_SUPPORTED);
	scene_fini(&scene);
}

/* Getters that copy into a buffer of the caller's, by one type. */
static doca_error_t get_name(const struct doca_devinfo *info, void *to, uint32_t size)
{
	return doca_devinfo_get_ibdev_name(info, to, size);
}

static doca_error_t get_iface(const struct doca_devinfo *info, void *to, uint32_t size)
{
	return doca_devinfo_get_iface_name(info, to, size);
}

static doca_error_t get_ipv4(const struct doca_devinfo *info, void *to, uint32_t size)
{
	return doca_devinfo_get_ipv4_addr(info, to, size);
}

static doca_error_t get_mac(const struct doca_devinfo *info, void *to, uint32_t size)
{
	return doca_devinfo_get_mac_addr(info, to, size);
}

static void buffers_of_the_exact_size_suffice(void **state)
{
	static const struct {
		doca_error_t (*get)(const struct doca_devinfo *info, void *to, uint32_t size);
		uint32_t size;
	} rows[] = {
		{ get_name, DOCA_DEVINFO_IBDEV_NAME_SIZE },
		{ get_iface, DOCA_DEVINFO_IFACE_NAME_SIZE },
		{ get_ipv4, DOCA_DEVINFO_IPV4_ADDR_SIZE },
		{ get_mac, DOCA_DEVINFO_MAC_ADDR_SIZE },
	};
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char buffer[512], untouched[sizeof(buffer)];

		memset(buffer, 0x5a, sizeof(buffer));
		memset(untouched, 0x5a, sizeof(untouched));
		assert_refused(rows[i].get(scene.info, buffer, rows[i].size - 1),
			       DOCA_ERROR_INVALID_VALUE, "bytes");
		assert_refused(rows[i].get(scene.info, buffer, 0), DOCA_ERROR_INVALID_VALUE,
			       "bytes");
		assert_memory_equal(buffer, untouched, sizeof(buffer));
		assert_success(rows[i].get(scene.info, buffer, rows[i].size));
		assert_memory_equal(buffer + rows[i].size, untouched,
				    sizeof(buffer) - rows[i].size);
		assert_success(rows[i].get(scene.info, buffer, UINT32_MAX));
		assert_memory_equal(buffer + rows[i].size, untouched,
				    sizeof(buffer) - rows[i].size);
	}
	scene_fini(&scene);
}

/* --- comparing PCI addresses --- */

static void pci_address_is_compared_in_every_form(void **state)
{
	static const struct {
		const char *address; /* of the device */
		const char *text;
		uint8_t expected;
	} rows[] = {
		{ "d0ca:1f:0b.7", "d0ca:1f:0b.7", 1 }, { "d0ca:1f:0b.7", "D0CA:1F:0B.7", 1 },
		{ "d0ca:1f:0b.7", "d0Ca:1F:0b.7", 1 }, { "d0ca:1f:0b.7", "1f:0b.7", 0 },
		{ "d0ca:1f:0b.7", "0000:1f:0b.7", 0 }, { "d0ca:1f:0b.7", "d0ca:1f:0b.6", 0 },
		{ "d0ca:1f:0b.7", "d0ca:0f:0b.7", 0 }, { "0000:af:00.1", "af:00.1", 1 },
		{ "0000:af:00.1", "AF:00.1", 1 },      { "0000:af:00.1", "0000:af:00.1", 1 },
		{ "0000:af:00.1", "0001:af:00.1", 0 }, { "0000:af:00.1", "af:00.0", 0 },
		{ "0000:AF:00.1", "0000:af:00.1", 1 }, { "0000:AF:00.1", "af:00.1", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct doca_devinfo **list;
		char variable[64];
		uint8_t is_equal = 7;
		uint32_t count;

		(void)snprintf(variable, sizeof(variable), "dev@%s@lo", rows[i].address);
		assert_int_equal(setenv("DOCA_SOFT_DEVICES", variable, 1), 0);
		assert_success(doca_devinfo_create_list(&list, &count));
		assert_success(
		    doca_devinfo_is_equal_pci_addr(list[count - 1], rows[i].text, &is_equal));
		if (is_equal != rows[i].expected)
			fail_msg("%s and %s: %u", rows[i].address, rows[i].text, is_equal);
		assert_success(doca_devinfo_destroy_list(list));
	}
	assert_int_equal(unsetenv("DOCA_SOFT_DEVICES"), 0);
}

static void text_that_is_no_pci_address_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"0",
		"00:00",
		"00:00.",
		"00:00:0",
		"0:00.0",
		"00:0.0",
		"00:00.00",
		"00:00.g",
		"00-00.0",
		"000:00:00.0",
		"0000:00:00",
		"0000:00:00.",
		"0000:00:00.00",
		"0000:00:00:0",
		"0000.00.00.0",
		"0000:0g:00.0",
		" 0000:00:00.0",
		"0000:00:00.0 ",
		"00000:00:00.0",
		"0000:00:00.0\t",
		"soft_lo",
		"0x00:00:00.0",
		"+000:00:00.0",
	};
	struct scene scene;

	(void)state;
	scene_init(&scene);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		uint8_t is_equal = 7;

		assert_refused(doca_devinfo_is_equal_pci_addr(scene.info, texts[i], &is_equal),
			       DOCA_ERROR_INVALID_VALUE, "not a PCI address");
		assert_int_equal(is_equal, 7);
	}
	scene_fini(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(loopback_device_is_named_after_its_interface),
		TEST(addresses_are_those_of_the_interface),
		TEST(pci_address_comes_from_the_interface_index),
		TEST(software_device_is_an_ethernet_function),
		TEST(buffers_of_the_exact_size_suffice),
		TEST(pci_address_is_compared_in_every_form),
		TEST(text_that_is_no_pci_address_is_refused),
	};

	return cmocka_run_group_tests_name("dev_info", tests, NULL, NULL);
}
