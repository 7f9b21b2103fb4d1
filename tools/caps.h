/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CAPS_H_
#define CAPS_H_

/*
 * What doca_caps tells: a record of each device, and rows of capabilities that are asked of each.
 * caps_query.c finds it out, caps_print.c prints it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>

/* The longest text of an address, and of any other answer. */
#define CAPS_ADDR_SIZE   64
#define CAPS_ANSWER_SIZE 32

/* A device as it is shown; what it has not is an empty text. */
struct caps_dev {
	const struct doca_devinfo *info; /* borrowed from the list */
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char ipv4[CAPS_ADDR_SIZE];
	char ipv6[CAPS_ADDR_SIZE];
	char mac[CAPS_ADDR_SIZE];
	char rate_text[CAPS_ANSWER_SIZE];
	uint64_t rate; /* bits per second */
};

/* A capability: a yes or no, or a number. */
enum caps_kind {
	CAPS_BOOL,
	CAPS_NUMBER,
};

struct caps_answer {
	bool is_known; /* the device answered */
	uint64_t value;
};

/* One row: a library, what is asked of it, and how. */
struct caps_row {
	const char *library;
	const char *name;
	enum caps_kind kind;
	struct caps_answer (*ask)(const struct doca_devinfo *info);
};

extern const struct caps_row caps_rows[];
extern const size_t caps_num_rows;

/* Describes a device. info: borrowed. */
void caps_dev_describe(struct caps_dev *dev, const struct doca_devinfo *info);

/* Prints the devices and their capabilities to standard output. devs: n entries. */
void caps_print_table(const struct caps_dev *devs, size_t n);

/* The same as one JSON object. Errors: NO_MEMORY, also for a name that is no UTF-8. */
doca_error_t caps_print_json(const struct caps_dev *devs, size_t n);

/*
 * One line for the service file for each device; one that lacks what a line needs is named on
 * standard error instead. Errors: OPERATING_SYSTEM: no host name.
 */
doca_error_t caps_print_service_lines(const struct caps_dev *devs, size_t n);

#endif /* CAPS_H_ */
