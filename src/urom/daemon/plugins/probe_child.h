/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_PROBE_CHILD_H_
#define UROMD_PROBE_CHILD_H_

#include "urom/daemon/plugins/probe.h"

/*
 * Starts the process that loads a plugin, leader of a group of its own. It has the daemon's
 * environment as a worker of its user has it, and dies with the daemon.
 * path: of the plugin. out, err: what become its standard output and error; copied. pid: written as
 * soon as there is a process, also when that has failed; to be waited for.
 * Returns 0, or an errno: it does not run its program.
 */
int uromd_probe_child_start(const struct uromd_prober *prober, const char *path, int out, int err,
			    pid_t *pid);

#endif /* UROMD_PROBE_CHILD_H_ */
