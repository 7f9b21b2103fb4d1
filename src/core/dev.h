/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_DEV_H_
#define CORE_DEV_H_

/*
 * Devices. A devinfo is a finding of one enumeration, plain data; a dev is an open device, one for
 * all who opened it. Sources of findings: dev_net.c (software devices, one a network interface)
 * and dev_ibv.c (verbs devices); dev_sysfs.c reads what the kernel says of either.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_dev.h>

#include "core/export.h"

enum core_dev_kind {
	CORE_DEV_SOFTWARE,
	CORE_DEV_VERBS,
};

/* What a devinfo knows besides its names. */
#define CORE_DEV_HAS_IPV4  (1u << 0)
#define CORE_DEV_HAS_IPV6  (1u << 1)
#define CORE_DEV_HAS_MAC   (1u << 2)
#define CORE_DEV_HAS_IFACE (1u << 3)
#define CORE_DEV_HAS_LID   (1u << 4)
#define CORE_DEV_HAS_SF    (1u << 5)

struct doca_devinfo {
	enum core_dev_kind kind;
	unsigned int has; /* CORE_DEV_HAS_ bits */
	char ibdev_name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface_name[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	uint8_t ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];
	uint16_t lid;
	uint16_t vhca_id;
	uint32_t sf_index;
	uint64_t active_rate; /* bits per second */
	enum doca_pci_func_type func_type;
};

struct doca_dev {
	struct doca_devinfo info;
	LIST_ENTRY(doca_dev) link;
	unsigned int num_opens;
	unsigned int num_users; /* contexts and mmaps */
	uint32_t id;            /* unique in the process, never used again */
	void *verbs;            /* owned; struct core_ibv_dev of a verbs device, else NULL */
};

/* A growing array of findings. */
struct core_dev_list {
	struct doca_devinfo *infos;
	uint32_t count;
	uint32_t capacity;
};

/*
 * Adds a finding that is zeroed but for its vhca_id, and returns it (lent until the next add), or
 * NULL without memory.
 */
struct doca_devinfo *core_dev_list_add(struct core_dev_list *list);

/* A user of an open device, which closing it must wait for. Thread: any. */
CORE_EXPORT void core_dev_hold(struct doca_dev *dev);
CORE_EXPORT void core_dev_release(struct doca_dev *dev);

/*
 * Adds the software devices: those of DOCA_SOFT_DEVICES when it is set, else one for each network
 * interface that is up and has an address.
 * Errors: NO_MEMORY. NOT_FOUND: the variable is malformed, or the system lists no interfaces.
 */
doca_error_t core_dev_net_find(struct core_dev_list *list);

/* Adds the verbs devices. No library, no support in the kernel, no device: SUCCESS and none. */
doca_error_t core_dev_ibv_find(struct core_dev_list *list);

/* Opens and closes the verbs half of a device. Errors: NOT_CONNECTED. NO_MEMORY. */
doca_error_t core_dev_ibv_open(struct doca_dev *dev);
void core_dev_ibv_close(struct doca_dev *dev);

/*
 * Fills in what is known of a network interface: addresses, MAC, rate, PCI address.
 * iface: copied. Unknown interfaces leave info with the name alone.
 */
void core_dev_describe_iface(struct doca_devinfo *info, const char *iface);

#endif /* CORE_DEV_H_ */
