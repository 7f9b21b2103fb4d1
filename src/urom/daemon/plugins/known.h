/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_KNOWN_H_
#define UROMD_KNOWN_H_

/*
 * What is known of files: whether each is a plugin. A file is probed when somebody asks for it the
 * first time, and its answer is kept as long as somebody holds it and the file stays what it is:
 * the same device, inode, size and times. Few probes run at a time.
 *
 * A file that is no plugin is probed again a minute later at the earliest, should somebody ask, but
 * nobody is kept waiting for that: what was missing may have come, what was slow be fast.
 */

#include <stdbool.h>
#include <sys/stat.h>

#include <systemd/sd-event.h>

#include <doca_error.h>

#include "urom/daemon/plugins/answer.h"

struct uromd_known;
struct uromd_file;
struct uromd_prober;

/*
 * prober: borrowed until uromd_known_destroy(). changed: called from the event loop after
 * something was learnt about some file. known: owned. Errors: NO_MEMORY.
 */
doca_error_t uromd_known_create(sd_event *event, const struct uromd_prober *prober,
				void (*changed)(void *arg), void *arg, struct uromd_known **known);

/* Kills the probes. The files must have been put. Accepts NULL. */
void uromd_known_destroy(struct uromd_known *known);

/*
 * The file, which is probed if need be. path: copied. stat: of now. file: held, uromd_file_put().
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_known_get(struct uromd_known *known, const char *path, const struct stat *stat,
			     struct uromd_file **file);

/* Gives a file back. */
void uromd_file_put(struct uromd_file *file);

/* Is there no answer yet, but one to be expected within UROMD_PROBE_LATE_S of the probe's start? */
bool uromd_file_is_awaited(const struct uromd_file *file);

/* What was found, lent as long as the file is held. It is no plugin as long as there is none. */
const struct uromd_answer *uromd_file_answer(const struct uromd_file *file);

#endif /* UROMD_KNOWN_H_ */
