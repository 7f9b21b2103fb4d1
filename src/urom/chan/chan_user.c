/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_user.h"

#include <sys/stat.h>
#include <unistd.h>

uint64_t chan_user_namespace(void)
{
	struct stat info;

	return stat("/proc/self/ns/user", &info) == 0 ? info.st_ino : 0;
}

bool chan_user_is_mine(uid_t uid, uint64_t user_ns)
{
	return uid == geteuid() && user_ns == chan_user_namespace();
}
