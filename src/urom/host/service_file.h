/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_SERVICE_FILE_H_
#define UROMH_SERVICE_FILE_H_

/*
 * The file that says where the service of a host and a device is. A line has five fields: host,
 * type "dpu", host of the service, PCI address of the device, network devices.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>

#include "urom/host/service_names.h"

#define UROMH_MAX_DEVICES 1023

struct uromh_location {
	char host[UROMH_MAX_HOST + 1]; /* name or address of the service's host */
	uint16_t port;
	char net_devices[UROMH_MAX_DEVICES + 1]; /* comma list, or "all" */
};

/*
 * Finds the line for this host and a device, in the file that DOCA_UROM_SERVICE_FILE names.
 * location: written on success only; its port is the line's, else DOCA_UROM_PORT's, else the
 * default.
 * Errors: BAD_CONFIG: the variable is not set, the file cannot be read or is none or too large, or
 * no line is usable. NOT_FOUND: none of them is for this host and device. All logged.
 */
doca_error_t uromh_service_file_find(const struct doca_devinfo *devinfo,
				     struct uromh_location *location);

/*
 * The same in a text of len bytes; path: for log lines. The text: untrusted, changed.
 */
doca_error_t uromh_service_file_search(char *text, size_t len, const char *path,
				       const struct doca_devinfo *devinfo,
				       struct uromh_location *location);

#endif /* UROMH_SERVICE_FILE_H_ */
