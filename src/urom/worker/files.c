/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Of the numbers below max, which is what the limit bounds; without that of the looking itself. */
static uint64_t count_open(DIR *dir, uint64_t max)
{
	const uint64_t own = (uint64_t)dirfd(dir);
	const struct dirent *entry;
	uint64_t count = 0;

	while ((entry = readdir(dir)) != NULL) {
		const uint64_t number = strtoull(entry->d_name, NULL, 10);

		count += entry->d_name[0] != '.' && number < max && number != own ? 1 : 0;
	}
	return count;
}

void uromw_files_count(struct uromw_files *files)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint64_t num_open = 0;
	DIR *dir;

	(void)getrlimit(RLIMIT_NOFILE, &limit); /* it cannot fail */
	dir = opendir("/proc/self/fd");
	if (dir != NULL) {
		num_open = count_open(dir, limit.rlim_cur);
		(void)closedir(dir); /* it is its own */
	} else if (errno == EMFILE) {
		num_open = limit.rlim_cur;
	}
	files->max = limit.rlim_cur;
	files->left = num_open < limit.rlim_cur ? limit.rlim_cur - num_open : 0;
}
