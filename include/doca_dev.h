/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A devinfo tells about a device, a dev is a device in use. Life: create a list, look at its
 * entries, open one, destroy the list (the dev stays), close. Listed are the verbs devices, if
 * there are any, and one software device, "soft_<interface>", for each network interface that is up
 * and has an address; the environment variable DOCA_SOFT_DEVICES="name@pci@interface[,...]"
 * replaces the software ones. Representors are devices that stand for functions of a host on its
 * DPU; no device here has any, so the _rep calls have nothing to work on.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;
struct doca_devinfo_rep;
struct doca_dev;
struct doca_dev_rep;

/* Which representors to list: bits, joined by OR. */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 2,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 4,
};

/*
 * doca_devinfo_create_list() - the devices of this moment; none at all is a success.
 * dev_list: owned, nb_devs entries, free with doca_devinfo_destroy_list(). The entries are lent
 * until then.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory. NOT_FOUND: DOCA_SOFT_DEVICES is
 * malformed, names no interface of this machine or a device twice; interfaces cannot be listed.
 * Thread: any. Source: DOCA 3.0 Core API; DOCA_SOFT_DEVICES ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/*
 * doca_devinfo_destroy_list() - free a list and its entries; devices opened from it stay good.
 * Errors: INVALID_VALUE: dev_list NULL.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/*
 * doca_devinfo_rep_create_list() - not available: no device has representors.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep);

/*
 * doca_devinfo_rep_destroy_list() - not available: no such list exists.
 * Errors: INVALID_VALUE: dev_list_rep NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/*
 * doca_dev_open() - use a device; opening it again gives the same dev with one more reference.
 * devinfo: borrowed for the call. dev: owned, free with doca_dev_close(), once for each open.
 * Errors: INVALID_VALUE: a NULL argument. NO_MEMORY: no memory. NOT_CONNECTED: the system did not
 * open the device.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/*
 * doca_dev_close() - drop one reference; the last closes the device.
 * Errors: INVALID_VALUE: dev NULL. IN_USE: the last reference, and contexts, mmaps or
 * sync events use the device; it stays open.
 * Thread: any. Source: DOCA 3.0 Core API; IN_USE condition ours.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/*
 * doca_dev_accelerate_resource_reclaim() - not available: there is nothing to speed up.
 * Errors: INVALID_VALUE: dev NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/*
 * doca_dev_rep_open() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);

/*
 * doca_dev_rep_close() - not available: no representor exists.
 * Errors: INVALID_VALUE: dev NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/*
 * doca_dev_as_devinfo() - what can be asked of an open device.
 * Returns: lent until the last doca_dev_close(), also after its list was destroyed; NULL for NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/*
 * doca_dev_rep_as_devinfo() - always NULL: no representor exists.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/* Bytes that a buffer for the property needs; those of text include its NUL. */
#define DOCA_DEVINFO_VUID_SIZE       128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE  4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE  16
#define DOCA_DEVINFO_MAC_ADDR_SIZE   6
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
#define DOCA_DEVINFO_PCI_ADDR_SIZE   13 /* "XXXX:XX:XX.X" */
#define DOCA_DEVINFO_PCI_BDF_SIZE    8  /* "XX:XX.X" */

/*
 * doca_devinfo_get_pci_addr_str() - "dddd:bb:dd.f" in hexadecimal.
 * pci_addr_str: at least DOCA_DEVINFO_PCI_ADDR_SIZE bytes. No PCI: domain d0ca.
 * Errors: INVALID_VALUE: a NULL argument. OPERATING_SYSTEM: the system did not tell the address.
 * Thread: any. Source: DOCA 3.0 Core API; d0ca ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/*
 * doca_devinfo_is_equal_pci_addr() - 1 when the device has this address, else 0.
 * pci_addr_str: "dddd:bb:dd.f", or "bb:dd.f" for domain 0000.
 * Errors: INVALID_VALUE: a NULL argument, or text of neither form. OPERATING_SYSTEM: the system did
 * not tell the address.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal);

/*
 * doca_devinfo_get_ipv4_addr() - an address of the device's interface, in network order.
 * ipv4_addr: size bytes, at least DOCA_DEVINFO_IPV4_ADDR_SIZE.
 * Errors: INVALID_VALUE: a NULL argument, size too small. NOT_FOUND: the interface has none.
 * OPERATING_SYSTEM: the system did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size);

/*
 * doca_devinfo_get_ipv6_addr() - an address of the device's interface, in network order.
 * ipv6_addr: size bytes, at least DOCA_DEVINFO_IPV6_ADDR_SIZE.
 * Errors: INVALID_VALUE: a NULL argument, size too small. OPERATING_SYSTEM: the interface has none,
 * or the system did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
					uint32_t size);

/*
 * doca_devinfo_get_mac_addr() - the Ethernet address of the device's interface; zeros for lo.
 * mac_addr: size bytes, at least DOCA_DEVINFO_MAC_ADDR_SIZE.
 * Errors: INVALID_VALUE: a NULL argument, size too small. NOT_SUPPORTED: not an Ethernet link.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
				       uint32_t size);

/*
 * doca_devinfo_get_iface_name() - the system's name of the network interface.
 * iface_name: size bytes, at least DOCA_DEVINFO_IFACE_NAME_SIZE; with its NUL.
 * Errors: INVALID_VALUE: a NULL argument, size too small. OPERATING_SYSTEM: the device has none, or
 * the system did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size);

/*
 * doca_devinfo_get_ibdev_name() - the device's own name, by which programs choose it; unique.
 * ibdev_name: size bytes, at least DOCA_DEVINFO_IBDEV_NAME_SIZE; with its NUL.
 * Errors: INVALID_VALUE: a NULL argument, size too small.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size);

/*
 * doca_devinfo_get_lid() - the address on an InfiniBand subnet.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: an Ethernet link, which a software device
 * always has. DRIVER: the device did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/*
 * doca_devinfo_get_active_rate() - speed of the link in bits per second.
 * A software device has the speed of its interface, 10 Gb/s where the kernel knows none.
 * Errors: INVALID_VALUE: a NULL argument. DRIVER: the device did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
					  uint64_t *active_rate);

/*
 * doca_devinfo_get_vhca_id() - a small number that tells the devices of this machine apart.
 * Errors: INVALID_VALUE: a NULL argument. DRIVER: the device did not tell.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/*
 * doca_devinfo_cap_is_hotplug_manager_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager);

/*
 * doca_devinfo_cap_is_notification_moderation_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);

/*
 * doca_devinfo_rep_cap_is_filter_all_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported);

/*
 * doca_devinfo_rep_cap_is_filter_net_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported);

/*
 * doca_devinfo_rep_cap_is_filter_emulated_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported);

/*
 * doca_devinfo_cap_is_accelerate_resource_reclaim_supported() - always 0.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.0 Core API; the value ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim);

/* The same for representors. */
#define DOCA_DEVINFO_REP_VUID_SIZE     128
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13 /* "XXXX:XX:XX.X" */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE  8  /* "XX:XX.X" */

/*
 * doca_devinfo_rep_get_vuid() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size);

/*
 * doca_devinfo_rep_get_pci_addr_str() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str);

/*
 * doca_devinfo_rep_get_pci_func_type() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
						enum doca_pci_func_type *pci_func_type);

/*
 * doca_devinfo_rep_get_is_hotplug() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
					     uint8_t *is_hotplug);

/*
 * doca_devinfo_rep_get_iface_name() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size);

/*
 * doca_devinfo_rep_get_vhca_id() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
					  uint16_t *vhca_id);

/*
 * doca_devinfo_rep_is_equal_pci_addr() - not available: no representor exists.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
						const char *pci_addr_str, uint8_t *is_equal);

/*
 * doca_devinfo_get_pci_func_type() - which kind of function the device is; software devices: PF.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: any. Source: DOCA 3.3 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type);

/*
 * doca_devinfo_get_sf_index() - the number of a scalable function; no software device is one.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: not a scalable function.
 * Thread: any. Source: DOCA 3.3 Core API; error codes ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
