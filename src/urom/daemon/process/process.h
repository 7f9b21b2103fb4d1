/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_PROCESS_H_
#define UROMD_PROCESS_H_

/*
 * What a new process of the daemon's does to itself, between fork() and execve(). Nothing here asks
 * anybody outside of this machine's kernel.
 */

#include "urom/daemon/process/account.h"

/* Signals as in a process that nobody has prepared. */
void uromd_process_reset_signals(void);

/*
 * Has the kernel send that signal when the daemon dies, which is parent; ends the process when it
 * has died already. A change of the user undoes it. False: errno tells.
 */
bool uromd_process_tie(pid_t parent, int signal_number);

/*
 * Becomes an account that is another's and looked up: its user, its groups, no capability, root's
 * working directory and the usual mask of new files. There is no way back. Until execve() nobody
 * may look into the process, whose memory still is the daemon's.
 * what: on failure the step that failed, static. False: errno tells; the process is to end.
 */
bool uromd_process_become(const struct uromd_account *account, const char **what);

/* Whatever it runs has no more rights than it has itself. False: errno tells. */
bool uromd_process_forgo_privileges(void);

#endif /* UROMD_PROCESS_H_ */
