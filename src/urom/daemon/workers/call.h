/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_CALL_H_
#define UROMD_CALL_H_

/* Which of its plugins a worker is in, as it tells by the page of wire_call.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uromd_plugins;

/* Bytes for such a text, its NUL included. */
#define UROMD_CALL_TEXT 320

/* Zeroed memory has no page. */
struct uromd_call {
	const uint32_t *word; /* owned; NULL: none */
};

/*
 * Makes the page. Returns: a descriptor of it for the worker, owned by the caller; -1: there is no
 * page, and the worker ends untold.
 */
int uromd_call_init(struct uromd_call *call);
void uromd_call_fini(struct uromd_call *call);

/* Is it, or was it at its end, in a call from which it comes back? */
bool uromd_call_is_inside(const struct uromd_call *call);

/* Has the worker ended itself because a call did not return? */
bool uromd_call_is_late(const struct uromd_call *call);

/*
 * Writes where it is or was, such as "it was in progress of plugin x". bits: of the plugins that
 * it has. Returns text.
 */
const char *uromd_call_text(const struct uromd_call *call, const struct uromd_plugins *plugins,
			    uint64_t bits, char text[UROMD_CALL_TEXT]);

#endif /* UROMD_CALL_H_ */
