/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev_sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSFS_NUMBER_SIZE 32

bool core_pci_has_form(const char *text, const char *form)
{
	for (; *form != '\0'; text++, form++) {
		if (*form == 'x' ? !isxdigit((unsigned char)*text) : *text != *form)
			return false;
	}
	return *text == '\0';
}

static bool sysfs_path(const char *class, const char *name, const char *file, char *path)
{
	int len = snprintf(path, PATH_MAX, "/sys/class/%s/%s/%s", class, name, file);

	return len > 0 && len < PATH_MAX;
}

/* A virtio or auxiliary device hangs below its PCI function: the last address on the way counts. */
bool core_sysfs_pci_addr(const char *class, const char *name, char *addr)
{
	char path[PATH_MAX], real[PATH_MAX];
	char *slash;

	if (!sysfs_path(class, name, "device", path) || realpath(path, real) == NULL)
		return false;
	while ((slash = strrchr(real, '/')) != NULL) {
		if (core_pci_has_form(slash + 1, CORE_PCI_ADDR_FORM)) {
			memcpy(addr, slash + 1, DOCA_DEVINFO_PCI_ADDR_SIZE);
			return true;
		}
		*slash = '\0';
	}
	return false;
}

bool core_sysfs_exists(const char *class, const char *name, const char *file)
{
	char path[PATH_MAX];

	return sysfs_path(class, name, file, path) && access(path, F_OK) == 0;
}

bool core_sysfs_read(const char *class, const char *name, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];
	ssize_t len;
	int fd;

	if (!sysfs_path(class, name, file, path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, line, size - 1);
	close(fd);
	if (len < 0)
		return false;
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return true;
}

bool core_sysfs_read_number(const char *class, const char *name, const char *file, uint64_t limit,
			    uint64_t *number)
{
	char line[SYSFS_NUMBER_SIZE];
	unsigned long long value;
	char *end;

	if (!core_sysfs_read(class, name, file, line, sizeof(line)))
		return false;
	if (!isdigit((unsigned char)line[0])) /* a rate that is not known reads -1 */
		return false;
	errno = 0;
	value = strtoull(line, &end, 0);
	if (errno != 0 || end == line || value > limit)
		return false;
	*number = value;
	return true;
}
