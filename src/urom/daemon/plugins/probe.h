/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_PROBE_H_
#define UROMD_PROBE_H_

/*
 * One plugin, loaded by a process of its own to see what it is. Whatever it does there, the process
 * ends within a bound, and the event loop has not waited for it.
 */

#include <systemd/sd-event.h>

#include <doca_error.h>

#include "urom/daemon/plugins/answer.h"
#include "urom/daemon/process/account.h"

/* What loads a plugin, and who: code that nobody knows yet does not run as root. */
struct uromd_prober {
	const char *program;          /* the worker's */
	struct uromd_account account; /* looked up, or the daemon's own */
};

/* What is said of one that keeps the scan waiting, and of one that was killed. */
#define UROMD_LATE_REASON "it gave no answer within 2 s"

/* What is told from the event loop, never within a call here. */
struct uromd_probe_hooks {
	void (*late)(void *arg); /* before done, or not at all */
	/* Once. The probe is gone. answer: lent until it returns. */
	void (*done)(void *arg, const struct uromd_answer *answer);
};

struct uromd_probe;

/*
 * Starts the process. path: of the plugin. That, prober and hooks are borrowed until done. probe:
 * lent until done, or owned: uromd_probe_destroy(). Errors: as the system has them; errno tells
 * more. Nothing is logged.
 */
doca_error_t uromd_probe_start(sd_event *event, const struct uromd_prober *prober, const char *path,
			       const struct uromd_probe_hooks *hooks, void *arg,
			       struct uromd_probe **probe);

/* Kills the process and waits for its end, which is at once. No hook is called. Accepts NULL. */
void uromd_probe_destroy(struct uromd_probe *probe);

#endif /* UROMD_PROBE_H_ */
