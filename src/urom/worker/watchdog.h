/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_WATCHDOG_H_
#define UROMW_WATCHDOG_H_

/*
 * Who looks whether the worker comes back from its plugins: a thread of its own, which a plugin
 * cannot shut out by blocking signals or by handlers for them. Once a second it sees whether the
 * worker's thread is in the same call as before. It also sees the parent go. One a process.
 *
 * Which call it is stands in a word that the daemon may have mapped, too; see wire_call.h.
 */

#include <stdint.h>

#include <doca_error.h>

#include "core/export.h"
#include "urom/wire/wire_call.h"

/* The call into a plugin that the worker's thread is in; written by that one alone. */
struct uromw_watched {
	const char *plugin; /* borrowed, must outlive the call */
	uint32_t *word;     /* of wire_call_word() */
	uint32_t turn;      /* another one for each call */
};

extern CORE_HIDDEN struct uromw_watched uromw_watched;

/*
 * Around each call into a plugin. plugin: its name, borrowed until the call is over. bit: of its
 * id.
 */
static inline void uromw_watch_begin(const char *plugin, unsigned int bit, enum wire_call call)
{
	__atomic_store_n(&uromw_watched.plugin, plugin, __ATOMIC_RELAXED);
	__atomic_store_n(&uromw_watched.turn, uromw_watched.turn + 1, __ATOMIC_RELAXED);
	__atomic_store_n(uromw_watched.word, wire_call_word(call, bit), __ATOMIC_RELEASE);
}

/* The call goes on, after another one in its midst: its time runs from its beginning. */
static inline void uromw_watch_again(unsigned int bit, enum wire_call call)
{
	__atomic_store_n(uromw_watched.word, wire_call_word(call, bit), __ATOMIC_RELEASE);
}

static inline void uromw_watch_end(void)
{
	__atomic_store_n(uromw_watched.word, wire_call_word(WIRE_CALL_NONE, 0), __ATOMIC_RELEASE);
}

/*
 * Begins. A call that takes timeout_s (0: any time) ends the process with UROMW_EXIT_STUCK, and so
 * does an end that takes over UROMW_CLOSE_S; a parent that goes while a call lasts ends it with
 * UROMW_EXIT_ORPHAN. What is about to be done stands in the log first.
 * log_level: below which a line is not written. page_fd: of the page for the word, taken; -1: none.
 * Errors: as the system has them: no thread, no such page.
 */
doca_error_t uromw_watchdog_start(unsigned int timeout_s, uint32_t log_level, int page_fd);

/* From here on the process is ending. */
void uromw_watchdog_end_begins(void);

/* For tests: the settings without the thread, and one look, which gives the status to end with or
 * -1.
 */
void uromw_watchdog_set(unsigned int timeout_s, uint32_t log_level);
int uromw_watchdog_look(void);

#endif /* UROMW_WATCHDOG_H_ */
