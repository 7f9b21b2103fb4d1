/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/dev_sysfs.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::DEV_NET);

#define SOFT_DEVICES_VARIABLE "DOCA_SOFT_DEVICES"

/* An interface whose speed the kernel does not know, such as lo, is taken for a 10 Gb/s one. */
#define DEFAULT_RATE    UINT64_C(10000000000)
#define BITS_PER_MBIT   UINT64_C(1000000)
#define MAX_SPEED_MBITS UINT64_C(10000000)

/* A device without a PCI function gets d0ca:BB:DD.F from the 16 low bits of the interface index. */
static void pci_addr_from_index(unsigned int index, char *addr)
{
	(void)snprintf(addr, DOCA_DEVINFO_PCI_ADDR_SIZE, "d0ca:%02x:%02x.%x", (index >> 8) & 0xff,
		       (index >> 3) & 0x1f, index & 0x7);
}

static void describe_ipv4(struct doca_devinfo *info, const struct sockaddr *addr)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)addr;

	if ((info->has & CORE_DEV_HAS_IPV4) != 0)
		return; /* the first one counts */
	memcpy(info->ipv4, &in->sin_addr, sizeof(info->ipv4));
	info->has |= CORE_DEV_HAS_IPV4;
}

/* fe80::/10 */
static bool is_link_local(const uint8_t *ipv6)
{
	return ipv6[0] == 0xfe && (ipv6[1] & 0xc0) == 0x80;
}

static void describe_ipv6(struct doca_devinfo *info, const struct sockaddr *addr)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)addr;

	/* The first one counts, but one that is of use on its link only gives way to a better one.
	 */
	if ((info->has & CORE_DEV_HAS_IPV6) != 0 && !is_link_local(info->ipv6))
		return;
	memcpy(info->ipv6, &in6->sin6_addr, sizeof(info->ipv6));
	info->has |= CORE_DEV_HAS_IPV6;
}

static void describe_mac(struct doca_devinfo *info, const struct sockaddr *addr)
{
	const struct sockaddr_ll *ll = (const struct sockaddr_ll *)(const void *)addr;

	if (ll->sll_halen != sizeof(info->mac))
		return;
	memcpy(info->mac, ll->sll_addr, sizeof(info->mac));
	info->has |= CORE_DEV_HAS_MAC;
}

static const struct {
	int family;
	void (*describe)(struct doca_devinfo *info, const struct sockaddr *addr);
} families[] = {
	{ AF_INET, describe_ipv4 },
	{ AF_INET6, describe_ipv6 },
	{ AF_PACKET, describe_mac },
};

static void describe_address(struct doca_devinfo *info, const struct sockaddr *addr)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(families); i++) {
		if (families[i].family == addr->sa_family)
			families[i].describe(info, addr);
	}
}

static void describe(struct doca_devinfo *info, const char *iface, const struct ifaddrs *addrs)
{
	unsigned int index = if_nametoindex(iface);
	uint64_t speed;

	(void)snprintf(info->iface_name, sizeof(info->iface_name), "%s", iface);
	info->has |= CORE_DEV_HAS_IFACE;
	info->func_type = DOCA_PCI_FUNC_TYPE_PF;
	info->active_rate = DEFAULT_RATE;
	if (core_sysfs_read_number("net", iface, "speed", MAX_SPEED_MBITS, &speed) && speed > 0)
		info->active_rate = speed * BITS_PER_MBIT;
	if (!core_sysfs_pci_addr("net", iface, info->pci_addr))
		pci_addr_from_index(index, info->pci_addr);
	for (const struct ifaddrs *at = addrs; at != NULL; at = at->ifa_next) {
		if (at->ifa_addr != NULL && strcmp(at->ifa_name, iface) == 0)
			describe_address(info, at->ifa_addr);
	}
}

/* In the place of the interface's name an IPv4 address has its label, "eth0:1", if it has one. */
static int addresses_get(struct ifaddrs **addrs)
{
	if (getifaddrs(addrs) != 0)
		return -1;
	for (struct ifaddrs *at = *addrs; at != NULL; at = at->ifa_next)
		at->ifa_name[strcspn(at->ifa_name, ":")] = '\0';
	return 0;
}

void core_dev_describe_iface(struct doca_devinfo *info, const char *iface)
{
	struct ifaddrs *addrs = NULL;

	if (addresses_get(&addrs) != 0)
		DOCA_LOG_WARN("the addresses of %s cannot be listed: %s", iface, strerror(errno));
	describe(info, iface, addrs);
	if (addrs != NULL)
		freeifaddrs(addrs);
}

static bool list_has_iface(const struct core_dev_list *list, uint32_t from, const char *iface)
{
	for (uint32_t i = from; i < list->count; i++) {
		if (strcmp(list->infos[i].iface_name, iface) == 0)
			return true;
	}
	return false;
}

static bool is_up_with_address(const struct ifaddrs *at)
{
	if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0)
		return false;
	return at->ifa_addr->sa_family == AF_INET || at->ifa_addr->sa_family == AF_INET6;
}

static doca_error_t find_ifaces(struct core_dev_list *list, const struct ifaddrs *addrs)
{
	uint32_t first = list->count;

	for (const struct ifaddrs *at = addrs; at != NULL; at = at->ifa_next) {
		struct doca_devinfo *info;

		if (!is_up_with_address(at) || list_has_iface(list, first, at->ifa_name))
			continue;
		info = core_dev_list_add(list);
		if (info == NULL)
			return DOCA_ERROR_NO_MEMORY;
		info->kind = CORE_DEV_SOFTWARE;
		(void)snprintf(info->ibdev_name, sizeof(info->ibdev_name), "soft_%s", at->ifa_name);
		describe(info, at->ifa_name, addrs);
	}
	return DOCA_SUCCESS;
}

static doca_error_t entry_error(const char *entry, const char *why)
{
	DOCA_LOG_ERR("%s: entry \"%.96s\" %s; it is name@pci@interface", SOFT_DEVICES_VARIABLE,
		     entry, why);
	return DOCA_ERROR_NOT_FOUND;
}

static bool list_has_name(const struct core_dev_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (strcmp(list->infos[i].ibdev_name, name) == 0)
			return true;
	}
	return false;
}

/* entry: name@pci@interface, taken apart in place. */
static doca_error_t find_entry(struct core_dev_list *list, char *entry, const struct ifaddrs *addrs)
{
	char whole[128];
	char *rest = entry;
	const char *name, *pci, *iface;
	struct doca_devinfo *info;

	(void)snprintf(whole, sizeof(whole), "%s", entry);
	name = strsep(&rest, "@");
	pci = strsep(&rest, "@");
	iface = strsep(&rest, "@");
	if (iface == NULL || rest != NULL)
		return entry_error(whole, "has not three fields");
	if (name[0] == '\0' || strlen(name) >= DOCA_DEVINFO_IBDEV_NAME_SIZE)
		return entry_error(whole, "has an empty or too long name");
	if (list_has_name(list, name))
		return entry_error(whole, "has a name that is taken");
	if (!core_pci_has_form(pci, CORE_PCI_ADDR_FORM))
		return entry_error(whole, "has no full PCI address");
	if (if_nametoindex(iface) == 0)
		return entry_error(whole, "names no interface of this machine");
	info = core_dev_list_add(list);
	if (info == NULL)
		return DOCA_ERROR_NO_MEMORY;
	info->kind = CORE_DEV_SOFTWARE;
	(void)snprintf(info->ibdev_name, sizeof(info->ibdev_name), "%s", name);
	describe(info, iface, addrs);
	memcpy(info->pci_addr, pci, sizeof(info->pci_addr));
	return DOCA_SUCCESS;
}

static doca_error_t find_entries(struct core_dev_list *list, const char *variable,
				 const struct ifaddrs *addrs)
{
	doca_error_t result = DOCA_SUCCESS;
	char *entries = strdup(variable);
	char *rest = entries;
	char *entry;

	if (entries == NULL)
		return DOCA_ERROR_NO_MEMORY;
	while (result == DOCA_SUCCESS && (entry = strsep(&rest, ",")) != NULL)
		result = find_entry(list, entry, addrs);
	free(entries);
	return result;
}

doca_error_t core_dev_net_find(struct core_dev_list *list)
{
	const char *variable = getenv(SOFT_DEVICES_VARIABLE);
	struct ifaddrs *addrs;
	doca_error_t result;

	if (addresses_get(&addrs) != 0) {
		DOCA_LOG_ERR("network interfaces cannot be listed: %s", strerror(errno));
		return DOCA_ERROR_NOT_FOUND;
	}
	if (variable != NULL && variable[0] != '\0')
		result = find_entries(list, variable, addrs);
	else
		result = find_ifaces(list, addrs);
	freeifaddrs(addrs);
	return result;
}
