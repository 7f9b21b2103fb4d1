/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/segments.h"

#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>

/* Of a line of /proc/sysvipc/shm: key, id, mode, size, maker's pid, last user's, who is attached.
 */
#define LINE_FORMAT "%d %d %*o %*u %d %*d %lu"

void uromd_segments_remove(pid_t pid)
{
	FILE *file = fopen("/proc/sysvipc/shm", "re");
	unsigned long num_attached;
	int key, id, maker, num_read;
	char line[512];

	if (file == NULL)
		return; /* a system without such memory */
	while (fgets(line, sizeof(line), file) != NULL) {
		/* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers fit; its heading has none */
		num_read = sscanf(line, LINE_FORMAT, &key, &id, &maker, &num_attached);
		if (num_read == 4 && key == IPC_PRIVATE && maker == pid && num_attached == 0)
			(void)shmctl(id, IPC_RMID, NULL); /* or it is another user's by now */
	}
	(void)fclose(file);
}
