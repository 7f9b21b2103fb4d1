/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_DEV_SYSFS_H_
#define CORE_DEV_SYSFS_H_

/* What the kernel says of a device in /sys. Nothing found is no error: the outputs stay. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_dev.h>

/* Forms of a PCI address; x stands for a hexadecimal digit. */
#define CORE_PCI_ADDR_FORM "xxxx:xx:xx.x"
#define CORE_PCI_BDF_FORM  "xx:xx.x"

/* Has the whole of text one of these forms? */
bool core_pci_has_form(const char *text, const char *form);

/*
 * Finds the PCI function behind /sys/class/<class>/<name>.
 * addr: DOCA_DEVINFO_PCI_ADDR_SIZE bytes, written when there is one.
 */
bool core_sysfs_pci_addr(const char *class, const char *name, char *addr);

/* Does the file exist below /sys/class/<class>/<name>? */
bool core_sysfs_exists(const char *class, const char *name, const char *file);

/*
 * Reads the first line of /sys/class/<class>/<name>/<file>, without its newline.
 * line: size bytes, NUL-terminated, written when the file can be read.
 */
bool core_sysfs_read(const char *class, const char *name, const char *file, char *line,
		     size_t size);

/* The same for a file that holds a number, decimal or 0x; at most limit. */
bool core_sysfs_read_number(const char *class, const char *name, const char *file, uint64_t limit,
			    uint64_t *number);

#endif /* CORE_DEV_SYSFS_H_ */
