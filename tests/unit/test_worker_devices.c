/* SPDX-License-Identifier: BSD-3-Clause */
/* The devices on which a worker's channel may be reached. */
#include "urom/worker/devices.h"

#include <arpa/inet.h>
#include <glob.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define PORT_FILE(device, port) "/sys/class/infiniband/" device "/ports/" port "/gid_attrs/ndevs/0"

/* The RDMA ports of the machine, as tests have them. */
static const struct {
	const char *path;
	const char *interface; /* NULL: the port has none */
} ports[] = {
	{ PORT_FILE("mlx5_0", "1"), "eth7\n" }, { PORT_FILE("mlx5_0", "2"), "lo\n" },
	{ PORT_FILE("mlx5_1", "1"), NULL },     { PORT_FILE("mlx5_2", "1"), "lo2\n" },
	{ PORT_FILE("rxe_lo", "1"), "lo\n" },
};
#define NUM_PORTS (sizeof(ports) / sizeof(ports[0]))

static bool has_rdma;

/* By the names that large files give them. */

int __wrap_glob64(const char *pattern, int flags, int (*on_error)(const char *, int),
		  glob_t *found);
void __wrap_globfree64(glob_t *found);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

int __wrap_glob64(const char *pattern, int flags, int (*on_error)(const char *, int), glob_t *found)
{
	static char *paths[NUM_PORTS];

	assert_string_equal(pattern, PORT_FILE("*", "*"));
	assert_int_equal(flags, 0);
	assert_null(on_error);
	if (!has_rdma)
		return GLOB_NOMATCH;
	for (size_t i = 0; i < NUM_PORTS; i++)
		paths[i] = (char *)(uintptr_t)ports[i].path; /* nobody writes there */
	found->gl_pathc = NUM_PORTS;
	found->gl_pathv = paths;
	return 0;
}

void __wrap_globfree64(glob_t *found)
{
	found->gl_pathc = 0;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	for (size_t i = 0; i < NUM_PORTS; i++) {
		if (strcmp(path, ports[i].path) != 0)
			continue;
		if (ports[i].interface == NULL)
			return NULL;
		return fmemopen((char *)(uintptr_t)ports[i].interface, strlen(ports[i].interface),
				"r");
	}
	return __real_fopen64(path, mode);
}

static bool find(const char *text, char *devices)
{
	struct sockaddr_storage addr = { 0 };
	struct sockaddr_in *v4 = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&addr;

	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		addr.ss_family = AF_INET;
	} else {
		assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
		addr.ss_family = AF_INET6;
	}
	return uromw_devices_find((const struct sockaddr *)&addr, devices);
}

static void an_address_leads_to_its_interface(void **state)
{
	char devices[UROMW_MAX_DEVICES];

	(void)state;
	has_rdma = false;
	assert_true(find("127.0.0.1", devices));
	assert_string_equal(devices, "lo");
	assert_true(find("127.8.9.10", devices));
	assert_string_equal(devices, "lo");
}

static void an_address_of_nobody_leads_nowhere(void **state)
{
	char devices[UROMW_MAX_DEVICES];

	(void)state;
	has_rdma = true;
	assert_false(find("198.51.100.77", devices));
	assert_false(find("2001:db8::77", devices));
	assert_false(find("0.0.0.0", devices));
}

static void every_address_of_this_machine_is_found(void **state)
{
	struct ifaddrs *addrs;

	(void)state;
	has_rdma = false;
	assert_int_equal(getifaddrs(&addrs), 0);
	for (const struct ifaddrs *at = addrs; at != NULL; at = at->ifa_next) {
		char devices[UROMW_MAX_DEVICES];

		if (at->ifa_addr == NULL ||
		    (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6))
			continue;
		assert_true(uromw_devices_find(at->ifa_addr, devices));
		assert_int_equal(strncmp(at->ifa_name, devices, strlen(devices)), 0);
	}
	freeifaddrs(addrs);
}

static void ports_of_rdma_devices_come_with_their_interface(void **state)
{
	char devices[UROMW_MAX_DEVICES];

	(void)state;
	has_rdma = true;
	assert_true(find("127.0.0.1", devices));
	assert_string_equal(devices, "lo,mlx5_0:2,rxe_lo:1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_address_leads_to_its_interface),
		TEST(an_address_of_nobody_leads_nowhere),
		TEST(every_address_of_this_machine_is_found),
		TEST(ports_of_rdma_devices_come_with_their_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
