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

#define UROMH_MAX_HOST    255
#define UROMH_MAX_DEVICES 1023

/* How long the resolver may take to say what this host's whole name is. */
#define UROMH_SELF_TIMEOUT_MS 3000

struct uromh_location {
	char host[UROMH_MAX_HOST + 1]; /* name or address of the service's host */
	uint16_t port;
	char net_devices[UROMH_MAX_DEVICES + 1]; /* comma list, or "all" */
};

/*
 * Finds the line for this host and a device, in the file that DOCA_UROM_SERVICE_FILE names.
 * location: written on success only; its port is the line's, else DOCA_UROM_PORT's, else the
 * default.
 * Errors: BAD_CONFIG: the variable is not set, the file cannot be read, or no line is usable.
 * NOT_FOUND: none of them is for this host and device. All logged.
 */
doca_error_t uromh_service_file_find(const struct doca_devinfo *devinfo,
				     struct uromh_location *location);

/*
 * The same in a text of len bytes; path: for log lines. The text: untrusted, changed.
 */
doca_error_t uromh_service_file_search(char *text, size_t len, const char *path,
				       const struct doca_devinfo *devinfo,
				       struct uromh_location *location);

/* What the resolver says of this host. Zeroed memory: it was not asked. */
struct uromh_self {
	bool is_asked;
	char whole_name[UROMH_MAX_HOST + 1]; /* "": it does not say */
};

/*
 * service_names.c: is name one of this host's: its name, short or whole, or one of its addresses?
 * self: for all questions of a search, since the resolver may let the first one wait: for
 * UROMH_SELF_TIMEOUT_MS, which is logged.
 */
bool uromh_name_is_ours(struct uromh_self *self, const char *name);

/* The name of this host, for log lines and for the daemon; of UROMH_MAX_HOST + 1 bytes. */
void uromh_name_of_host(char *name);

#endif /* UROMH_SERVICE_FILE_H_ */
