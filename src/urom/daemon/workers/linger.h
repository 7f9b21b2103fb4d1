/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LINGER_H_
#define UROMD_LINGER_H_

/*
 * Workers without hosts. One whose last host was lost, rather than that it stopped the worker, may
 * be wanted by that host's successor: it lingers for the grace time, or, with --keep-workers, until
 * the daemon ends. It is a worker like any other meanwhile: it counts, and its group lists it.
 */

#include "urom/daemon/workers/workers.h"

/* Its last host was lost: it lingers, or ends at once when that is what the daemon was told. */
void uromd_linger_begin(struct uromd_worker *worker);

/* Somebody attaches. Harmless for one that does not linger. */
void uromd_linger_end(struct uromd_worker *worker);

/*
 * A start that does not fit the worker is there, asked for by that user. True: the worker lingered,
 * and ends, so that the start can wait for its id. False: it stays, as it is kept, which failure
 * says then, or is another user's.
 */
bool uromd_linger_gives_way(struct uromd_worker *worker, const struct uromd_identity *asker,
			    struct uromd_failure *failure);

/*
 * There are as many workers as there may be, and a start wants one more: ends the one that has
 * lingered longest. Returns: it; NULL: none lingers.
 */
struct uromd_worker *uromd_linger_make_room(struct uromd_workers *workers);

#endif /* UROMD_LINGER_H_ */
