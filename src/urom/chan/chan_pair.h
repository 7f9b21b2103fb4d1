/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_PAIR_H_
#define CHAN_CHAN_PAIR_H_

/*
 * Faults of a network, for tests of whoever uses channels. Only for channels of the kind CHAN_PAIR.
 * Thread: any, as long as the channel or the connection is there.
 */

#include "urom/chan/chan.h"

/* Nothing reaches the channel until chan_pair_release(); then all of it does, in order. */
void chan_pair_hold(struct chan *base);
void chan_pair_release(struct chan *base);

/* Loses the connection: both ends hear CONNECTION_RESET, and nothing of what is on its way. */
void chan_pair_cut(struct chan_conn *base);

/*
 * Has the channel's process die, as its peers see it: they hear CONNECTION_RESET and cannot connect
 * any more. The channel itself hears nothing from then on; it is closed as any other.
 */
void chan_pair_drop(struct chan *base);

#endif /* CHAN_CHAN_PAIR_H_ */
