/* SPDX-License-Identifier: BSD-3-Clause */

/* What an application may ask of a devinfo: each answer is a field that enumeration filled in. */

#include <string.h>

#include "core/dev.h"
#include "core/dev_sysfs.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::DEV_INFO);

/* "0000:", which a short PCI address leaves out. */
#define PCI_DOMAIN_LEN (DOCA_DEVINFO_PCI_ADDR_SIZE - DOCA_DEVINFO_PCI_BDF_SIZE)

/* Copies len bytes out, into room for at least min_size. */
static doca_error_t info_copy(const char *what, const void *from, size_t len, void *to,
			      uint32_t size, uint32_t min_size)
{
	if (size < min_size) {
		DOCA_LOG_ERR("%s needs %u bytes, not %u", what, min_size, size);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(to, from, len);
	return DOCA_SUCCESS;
}

/*
 * Is a part of the description there? missing: what to answer when it is not, which is nobody's
 * fault, so that it is no error in the log.
 */
static doca_error_t info_has(const struct doca_devinfo *info, unsigned int part, const char *what,
			     doca_error_t missing)
{
	if ((info->has & part) != 0)
		return DOCA_SUCCESS;
	DOCA_LOG_DBG("device %s has no %s", info->ibdev_name, what);
	return missing;
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size)
{
	if (devinfo == NULL || ibdev_name == NULL)
		return core_null_argument(__func__);
	return info_copy("a device name", devinfo->ibdev_name, sizeof(devinfo->ibdev_name),
			 ibdev_name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size)
{
	doca_error_t result;

	if (devinfo == NULL || iface_name == NULL)
		return core_null_argument(__func__);
	result =
	    info_has(devinfo, CORE_DEV_HAS_IFACE, "network interface", DOCA_ERROR_OPERATING_SYSTEM);
	if (result != DOCA_SUCCESS)
		return result;
	return info_copy("an interface name", devinfo->iface_name, sizeof(devinfo->iface_name),
			 iface_name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
					uint32_t size)
{
	doca_error_t result;

	if (devinfo == NULL || ipv4_addr == NULL)
		return core_null_argument(__func__);
	result = info_has(devinfo, CORE_DEV_HAS_IPV4, "IPv4 address", DOCA_ERROR_NOT_FOUND);
	if (result != DOCA_SUCCESS)
		return result;
	return info_copy("an IPv4 address", devinfo->ipv4, sizeof(devinfo->ipv4), ipv4_addr, size,
			 DOCA_DEVINFO_IPV4_ADDR_SIZE);
}

doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
					uint32_t size)
{
	doca_error_t result;

	if (devinfo == NULL || ipv6_addr == NULL)
		return core_null_argument(__func__);
	result = info_has(devinfo, CORE_DEV_HAS_IPV6, "IPv6 address", DOCA_ERROR_OPERATING_SYSTEM);
	if (result != DOCA_SUCCESS)
		return result;
	return info_copy("an IPv6 address", devinfo->ipv6, sizeof(devinfo->ipv6), ipv6_addr, size,
			 DOCA_DEVINFO_IPV6_ADDR_SIZE);
}

doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
				       uint32_t size)
{
	doca_error_t result;

	if (devinfo == NULL || mac_addr == NULL)
		return core_null_argument(__func__);
	result = info_has(devinfo, CORE_DEV_HAS_MAC, "MAC address", DOCA_ERROR_NOT_SUPPORTED);
	if (result != DOCA_SUCCESS)
		return result;
	return info_copy("a MAC address", devinfo->mac, sizeof(devinfo->mac), mac_addr, size,
			 DOCA_DEVINFO_MAC_ADDR_SIZE);
}

/* A verbs device may have neither a PCI function nor an interface that this process can see. */
static doca_error_t check_pci_addr(const struct doca_devinfo *info)
{
	if (info->pci_addr[0] != '\0')
		return DOCA_SUCCESS;
	DOCA_LOG_DBG("device %s has no PCI address", info->ibdev_name);
	return DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
	doca_error_t result;

	if (devinfo == NULL || pci_addr_str == NULL)
		return core_null_argument(__func__);
	result = check_pci_addr(devinfo);
	if (result != DOCA_SUCCESS)
		return result;
	memcpy(pci_addr_str, devinfo->pci_addr, sizeof(devinfo->pci_addr));
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr_str, uint8_t *is_equal)
{
	const char *domain = "0000:";
	const char *rest = pci_addr_str;
	doca_error_t result;

	if (devinfo == NULL || pci_addr_str == NULL || is_equal == NULL)
		return core_null_argument(__func__);
	if (core_pci_has_form(pci_addr_str, CORE_PCI_ADDR_FORM)) {
		domain = pci_addr_str;
		rest = pci_addr_str + PCI_DOMAIN_LEN;
	} else if (!core_pci_has_form(pci_addr_str, CORE_PCI_BDF_FORM)) {
		DOCA_LOG_ERR("\"%.32s\" is not a PCI address", pci_addr_str);
		return DOCA_ERROR_INVALID_VALUE;
	}
	result = check_pci_addr(devinfo);
	if (result != DOCA_SUCCESS)
		return result;
	*is_equal = strncasecmp(devinfo->pci_addr, domain, PCI_DOMAIN_LEN) == 0 &&
		    strcasecmp(devinfo->pci_addr + PCI_DOMAIN_LEN, rest) == 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	doca_error_t result;

	if (devinfo == NULL || lid == NULL)
		return core_null_argument(__func__);
	result = info_has(devinfo, CORE_DEV_HAS_LID, "LID", DOCA_ERROR_NOT_SUPPORTED);
	if (result == DOCA_SUCCESS)
		*lid = devinfo->lid;
	return result;
}

doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, uint64_t *active_rate)
{
	if (devinfo == NULL || active_rate == NULL)
		return core_null_argument(__func__);
	if (devinfo->active_rate == 0) {
		DOCA_LOG_DBG("device %s does not tell its rate", devinfo->ibdev_name);
		return DOCA_ERROR_DRIVER;
	}
	*active_rate = devinfo->active_rate;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id)
{
	if (devinfo == NULL || vhca_id == NULL)
		return core_null_argument(__func__);
	*vhca_id = devinfo->vhca_id;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *pci_func_type)
{
	if (devinfo == NULL || pci_func_type == NULL)
		return core_null_argument(__func__);
	*pci_func_type = devinfo->func_type;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	doca_error_t result;

	if (devinfo == NULL || sf_index == NULL)
		return core_null_argument(__func__);
	result = info_has(devinfo, CORE_DEV_HAS_SF, "sub-function", DOCA_ERROR_NOT_SUPPORTED);
	if (result == DOCA_SUCCESS)
		*sf_index = devinfo->sf_index;
	return result;
}

/* Capabilities that come with special hardware: no device here has them. */
static doca_error_t cap_absent(const struct doca_devinfo *devinfo, uint8_t *is_supported,
			       const char *func)
{
	if (devinfo == NULL || is_supported == NULL)
		return core_null_argument(func);
	*is_supported = 0;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
							   uint8_t *is_hotplug_manager)
{
	return cap_absent(devinfo, is_hotplug_manager, __func__);
}

doca_error_t
doca_devinfo_cap_is_notification_moderation_supported(const struct doca_devinfo *devinfo,
						      uint8_t *is_notification_moderation_supported)
{
	return cap_absent(devinfo, is_notification_moderation_supported, __func__);
}

doca_error_t
doca_devinfo_cap_is_accelerate_resource_reclaim_supported(const struct doca_devinfo *devinfo,
							  uint8_t *is_accelerate_resource_reclaim)
{
	return cap_absent(devinfo, is_accelerate_resource_reclaim, __func__);
}

doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_all_supported)
{
	return cap_absent(devinfo, filter_all_supported, __func__);
}

doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
							  uint8_t *filter_net_supported)
{
	return cap_absent(devinfo, filter_net_supported, __func__);
}

doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
							       uint8_t *filter_emulated_supported)
{
	return cap_absent(devinfo, filter_emulated_supported, __func__);
}
