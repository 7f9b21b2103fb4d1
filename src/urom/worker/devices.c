/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/devices.h"

#include <glob.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* The interface that the first address of an RDMA port belongs to. */
#define RDMA_ROOT "/sys/class/infiniband/"
#define RDMA_PATH RDMA_ROOT "*/ports/*/gid_attrs/ndevs/0"

static bool is_same_ip(const struct sockaddr *one, const struct sockaddr *other)
{
	const struct sockaddr_in *v4 = (const void *)one, *other_v4 = (const void *)other;
	const struct sockaddr_in6 *v6 = (const void *)one, *other_v6 = (const void *)other;

	if (one->sa_family != other->sa_family)
		return false;
	if (one->sa_family == AF_INET)
		return v4->sin_addr.s_addr == other_v4->sin_addr.s_addr;
	/* Link-local addresses are those of many interfaces. */
	return one->sa_family == AF_INET6 &&
	       memcmp(&v6->sin6_addr, &other_v6->sin6_addr, sizeof(v6->sin6_addr)) == 0 &&
	       (v6->sin6_scope_id == 0 || v6->sin6_scope_id == other_v6->sin6_scope_id);
}

/* All of 127.0.0.0/8 is the loopback interface's, whatever its address. */
static bool is_in_loopback(const struct sockaddr *ip, const struct ifaddrs *interface)
{
	const struct sockaddr_in *v4 = (const void *)ip;

	return ip->sa_family == AF_INET && (interface->ifa_flags & IFF_LOOPBACK) != 0 &&
	       ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* interface: of IF_NAMESIZE bytes. */
static bool find_interface(const struct sockaddr *ip, char *interface)
{
	struct ifaddrs *addrs;
	bool is_found = false;

	if (getifaddrs(&addrs) != 0)
		return false;
	for (const struct ifaddrs *at = addrs; at != NULL && !is_found; at = at->ifa_next) {
		if (at->ifa_addr == NULL ||
		    !(is_same_ip(ip, at->ifa_addr) || is_in_loopback(ip, at)))
			continue;
		/* A second address may be labelled, as "eth0:1". */
		(void)snprintf(interface, IF_NAMESIZE, "%.*s", (int)strcspn(at->ifa_name, ":"),
			       at->ifa_name);
		is_found = true;
	}
	freeifaddrs(addrs);
	return is_found;
}

/* Is that the only line of a file? */
static bool file_says(const char *path, const char *text)
{
	char line[IF_NAMESIZE + 1] = "";
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return false;
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	(void)fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return strcmp(line, text) == 0;
}

/* Adds the port of a path like RDMA_PATH to the list, if it fits. */
static void add_port(char *devices, const char *path)
{
	const char *name = path + strlen(RDMA_ROOT);
	const size_t name_len = strcspn(name, "/");
	const char *port = name + name_len + strlen("/ports/");
	const size_t used = strlen(devices);
	char item[128];
	int len = snprintf(item, sizeof(item), ",%.*s:%.*s", (int)name_len, name,
			   (int)strcspn(port, "/"), port);

	if (len > 0 && (size_t)len < sizeof(item) && used + (size_t)len < UROMW_MAX_DEVICES)
		memcpy(devices + used, item, (size_t)len + 1);
}

bool uromw_devices_find(const struct sockaddr *ip, char *devices)
{
	char interface[IF_NAMESIZE];
	glob_t ports;

	if (!find_interface(ip, interface))
		return false;
	(void)snprintf(devices, UROMW_MAX_DEVICES, "%s", interface);
	if (glob(RDMA_PATH, 0, NULL, &ports) != 0)
		return true; /* no RDMA, as on most machines */
	for (size_t i = 0; i < ports.gl_pathc; i++) {
		if (file_says(ports.gl_pathv[i], interface))
			add_port(devices, ports.gl_pathv[i]);
	}
	globfree(&ports);
	return true;
}
