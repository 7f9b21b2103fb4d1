/* SPDX-License-Identifier: BSD-3-Clause */
#include "caps.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_sync_event.h>

static struct caps_answer answer_bool(doca_error_t result)
{
	return (struct caps_answer){
		.is_known = result == DOCA_SUCCESS || result == DOCA_ERROR_NOT_SUPPORTED,
		.value = result == DOCA_SUCCESS,
	};
}

static struct caps_answer answer_number(doca_error_t result, uint64_t value)
{
	return (struct caps_answer){ .is_known = result == DOCA_SUCCESS, .value = value };
}

static struct caps_answer ask_export_pci(const struct doca_devinfo *info)
{
	uint8_t value = 0;
	doca_error_t result = doca_mmap_cap_is_export_pci_supported(info, &value);

	return answer_number(result, value);
}

static struct caps_answer ask_create_from_export_pci(const struct doca_devinfo *info)
{
	uint8_t value = 0;
	doca_error_t result = doca_mmap_cap_is_create_from_export_pci_supported(info, &value);

	return answer_number(result, value);
}

static struct caps_answer ask_sync_get(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_task_get_is_supported(info));
}

static struct caps_answer ask_sync_set(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_task_notify_set_is_supported(info));
}

static struct caps_answer ask_sync_add(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_task_notify_add_is_supported(info));
}

static struct caps_answer ask_sync_wait_eq(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_task_wait_eq_is_supported(info));
}

static struct caps_answer ask_sync_wait_neq(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_task_wait_neq_is_supported(info));
}

static struct caps_answer ask_sync_export_net(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_is_export_to_remote_net_supported(info));
}

static struct caps_answer ask_sync_import_net(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_remote_net_is_create_from_export_supported(info));
}

static struct caps_answer ask_sync_export_pci(const struct doca_devinfo *info)
{
	return answer_bool(doca_sync_event_cap_is_export_to_remote_pci_supported(info));
}

static struct caps_answer ask_dma_memcpy(const struct doca_devinfo *info)
{
	return answer_bool(doca_dma_cap_task_memcpy_is_supported(info));
}

static struct caps_answer ask_dma_list_len(const struct doca_devinfo *info)
{
	uint32_t value = 0;
	doca_error_t result = doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &value);

	return answer_number(result, value);
}

static struct caps_answer ask_dma_size(const struct doca_devinfo *info)
{
	uint64_t value = 0;
	doca_error_t result = doca_dma_cap_task_memcpy_get_max_buf_size(info, &value);

	return answer_number(result, value);
}

const struct caps_row caps_rows[] = {
	{ "common", "mmap export over PCI", CAPS_BOOL, ask_export_pci },
	{ "common", "mmap import over PCI", CAPS_BOOL, ask_create_from_export_pci },
	{ "common", "sync event get task", CAPS_BOOL, ask_sync_get },
	{ "common", "sync event notify set task", CAPS_BOOL, ask_sync_set },
	{ "common", "sync event notify add task", CAPS_BOOL, ask_sync_add },
	{ "common", "sync event wait eq task", CAPS_BOOL, ask_sync_wait_eq },
	{ "common", "sync event wait neq task", CAPS_BOOL, ask_sync_wait_neq },
	{ "common", "sync event export to remote net", CAPS_BOOL, ask_sync_export_net },
	{ "common", "sync event import from remote net", CAPS_BOOL, ask_sync_import_net },
	{ "common", "sync event export to remote PCI", CAPS_BOOL, ask_sync_export_pci },
	{ "dma", "memcpy task", CAPS_BOOL, ask_dma_memcpy },
	{ "dma", "memcpy task max buf list len", CAPS_NUMBER, ask_dma_list_len },
	{ "dma", "memcpy task max buf size", CAPS_NUMBER, ask_dma_size },
};
const size_t caps_num_rows = sizeof(caps_rows) / sizeof(caps_rows[0]);

void caps_dev_describe(struct caps_dev *dev, const struct doca_devinfo *info)
{
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	uint8_t ipv6[DOCA_DEVINFO_IPV6_ADDR_SIZE];
	uint8_t mac[DOCA_DEVINFO_MAC_ADDR_SIZE];

	/* What a device has not stays empty; a call that says so leaves its output alone. */
	memset(dev, 0, sizeof(*dev));
	dev->info = info;
	(void)doca_devinfo_get_ibdev_name(info, dev->name, sizeof(dev->name));
	(void)doca_devinfo_get_iface_name(info, dev->iface, sizeof(dev->iface));
	(void)doca_devinfo_get_pci_addr_str(info, dev->pci);
	if (doca_devinfo_get_active_rate(info, &dev->rate) == DOCA_SUCCESS)
		(void)snprintf(dev->rate_text, sizeof(dev->rate_text), "%g Gb/s",
			       (double)dev->rate / 1e9);
	if (doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)) == DOCA_SUCCESS)
		(void)inet_ntop(AF_INET, ipv4, dev->ipv4, sizeof(dev->ipv4));
	if (doca_devinfo_get_ipv6_addr(info, ipv6, sizeof(ipv6)) == DOCA_SUCCESS)
		(void)inet_ntop(AF_INET6, ipv6, dev->ipv6, sizeof(dev->ipv6));
	if (doca_devinfo_get_mac_addr(info, mac, sizeof(mac)) == DOCA_SUCCESS)
		(void)snprintf(dev->mac, sizeof(dev->mac), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
			       mac[1], mac[2], mac[3], mac[4], mac[5]);
}
