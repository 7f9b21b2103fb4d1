/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(SAMPLE::COMMON);

doca_error_t sample_check(const char *what, doca_error_t result)
{
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("cannot %s: %s", what, doca_error_get_descr(result));
	return result;
}

static void log_device(const struct doca_devinfo *info)
{
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "?";
	char interface[DOCA_DEVINFO_IFACE_NAME_SIZE] = "none";
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE] = "?";
	uint8_t ipv4[DOCA_DEVINFO_IPV4_ADDR_SIZE];
	char address[INET_ADDRSTRLEN] = "none";

	/* A device need not have all of these; what it has not stays as it is above. */
	(void)doca_devinfo_get_ibdev_name(info, name, sizeof(name));
	(void)doca_devinfo_get_iface_name(info, interface, sizeof(interface));
	(void)doca_devinfo_get_pci_addr_str(info, pci_addr);
	if (doca_devinfo_get_ipv4_addr(info, ipv4, sizeof(ipv4)) == DOCA_SUCCESS)
		(void)inet_ntop(AF_INET, ipv4, address, sizeof(address));
	DOCA_LOG_INFO("device %s: interface %s, PCI address %s, IPv4 address %s", name, interface,
		      pci_addr, address);
}

doca_error_t sample_list_devices(void)
{
	struct doca_devinfo **list;
	doca_error_t result;
	uint32_t count;

	result = sample_check("list the devices", doca_devinfo_create_list(&list, &count));
	if (result != DOCA_SUCCESS)
		return result;
	for (uint32_t i = 0; i < count; i++)
		log_device(list[i]);
	return doca_devinfo_destroy_list(list);
}

/* name: NULL for any device. */
static doca_error_t open_if_named(struct doca_devinfo *info, const char *name,
				  struct doca_dev **dev)
{
	char found[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	doca_error_t result;

	result = doca_devinfo_get_ibdev_name(info, found, sizeof(found));
	if (result != DOCA_SUCCESS)
		return result;
	if (name != NULL && strcmp(found, name) != 0)
		return DOCA_ERROR_NOT_FOUND;
	result = sample_check("open the device", doca_dev_open(info, dev));
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("device %s is open", found);
	return result;
}

doca_error_t sample_open_device(const char *name, struct doca_dev **dev)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	uint32_t count;

	if (sample_check("list the devices", doca_devinfo_create_list(&list, &count)) !=
	    DOCA_SUCCESS)
		return DOCA_ERROR_NOT_FOUND;
	for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++)
		result = open_if_named(list[i], name, dev);
	(void)doca_devinfo_destroy_list(list); /* an open device does not need it */
	if (result == DOCA_ERROR_NOT_FOUND)
		DOCA_LOG_ERR("there is no device %s: doca_caps lists those that there are",
			     name != NULL ? name : "at all");
	return result;
}

/*
 * One cycle of event mode: ask for a notification, sleep until it comes, take it back, then do all
 * that there is to do. What had happened before it was asked for makes the sleep end at once.
 */
static doca_error_t wait_once(struct doca_pe *pe, int epoll_fd)
{
	struct epoll_event event;
	doca_error_t result;

	result = doca_pe_request_notification(pe);
	if (result != DOCA_SUCCESS)
		return result;
	while (epoll_wait(epoll_fd, &event, 1, -1) < 0) {
		if (errno != EINTR)
			return DOCA_ERROR_OPERATING_SYSTEM;
	}
	result = doca_pe_clear_notification(pe, event.data.fd);
	while (doca_pe_progress(pe) != 0) {
	}
	return result;
}

doca_error_t sample_wait(struct doca_pe *pe, const bool *is_done)
{
	struct epoll_event event = { .events = EPOLLIN };
	doca_notification_handle_t handle;
	doca_error_t result;
	int epoll_fd;

	result = doca_pe_get_notification_handle(pe, &handle);
	if (result != DOCA_SUCCESS)
		return result;
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	event.data.fd = handle;
	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0)
		result = DOCA_ERROR_OPERATING_SYSTEM;
	while (result == DOCA_SUCCESS && !*is_done)
		result = wait_once(pe, epoll_fd);
	close(epoll_fd);
	return result;
}

doca_error_t sample_stop(struct doca_pe *pe, struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	doca_error_t result;

	result = doca_ctx_stop(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		return result;
	while (doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS && state != DOCA_CTX_STATE_IDLE)
		(void)doca_pe_progress(pe);
	return DOCA_SUCCESS;
}
