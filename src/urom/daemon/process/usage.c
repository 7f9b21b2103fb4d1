/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of /proc/PID/stat: fields 14, 15, 23 and 24, behind the name, which ends with the last ')'. */
#define STAT_FORMAT                                                                    \
	" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d" \
	" %*u %lu %lu"

static bool read_stat(pid_t pid, char *text, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, size - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* 0, when that cannot be seen. */
static uint64_t count_files(pid_t pid)
{
	const struct dirent *entry;
	uint64_t count = 0;
	char path[64];
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL)
		count += entry->d_name[0] != '.' ? 1 : 0;
	closedir(dir);
	return count;
}

bool uromd_usage_read(pid_t pid, struct uromd_usage *usage)
{
	unsigned long user, system, memory, num_pages;
	const char *behind_name;
	char text[1024];

	if (!read_stat(pid, text, sizeof(text)))
		return false;
	behind_name = strrchr(text, ')');
	if (behind_name == NULL)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): these are the kernel's numbers, which fit */
	if (sscanf(behind_name + 1, STAT_FORMAT, &user, &system, &memory, &num_pages) != 4)
		return false;
	usage->cpu_s = (user + system) / (unsigned long)sysconf(_SC_CLK_TCK);
	if (memory == 0)
		return true;
	usage->memory_bytes = memory;
	usage->filled_bytes = num_pages * (unsigned long)sysconf(_SC_PAGESIZE);
	usage->num_files = count_files(pid);
	return true;
}
