/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_WATCHDOG_H_
#define UROMW_WATCHDOG_H_

/*
 * Who looks whether the worker comes back from its plugins. A timer's signal interrupts the
 * process's one thread once a second and sees whether it is in the same call as before. It also
 * sees the parent go. One a process.
 */

#include <stdint.h>

#include <doca_error.h>

#include "core/export.h"

/* The call into a plugin that the thread is in; written by that thread, read by its signal. */
struct uromw_watched {
	const char *volatile plugin; /* borrowed, must outlive the call */
	const char *volatile call;   /* NULL: none */
	volatile uint32_t turn;      /* another one for each call */
};

extern CORE_HIDDEN struct uromw_watched uromw_watched;

/* Around each call into a plugin. plugin, call: names, borrowed until the call is over. */
static inline void uromw_watch_begin(const char *plugin, const char *call)
{
	uromw_watched.plugin = plugin;
	uromw_watched.turn++;
	uromw_watched.call = call;
}

static inline void uromw_watch_end(void)
{
	uromw_watched.call = NULL;
}

/*
 * Begins. A call that takes timeout_s (0: any time) ends the process with UROMW_EXIT_STUCK, and so
 * does an end that takes over UROMW_CLOSE_S; a parent that goes while a call lasts ends it with
 * UROMW_EXIT_ORPHAN. What is about to be done stands in the log first.
 * log_level: below which a line is not written.
 * Errors: OPERATING_SYSTEM: no timer.
 */
doca_error_t uromw_watchdog_start(unsigned int timeout_s, uint32_t log_level);

/* From here on the process is ending. */
void uromw_watchdog_end_begins(void);

/* For tests: the settings without the timer, and one look, which gives the status to end with or
 * -1.
 */
void uromw_watchdog_set(unsigned int timeout_s, uint32_t log_level);
int uromw_watchdog_look(void);

#endif /* UROMW_WATCHDOG_H_ */
