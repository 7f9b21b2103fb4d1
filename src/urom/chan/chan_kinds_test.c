/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan.h"

/* Those of the static library that tests link. */
const struct chan_ops *const chan_kinds[CHAN_NUM_KINDS] = {
	[CHAN_UCX] = &chan_ucx_ops,
	[CHAN_TCP] = &chan_tcp_ops,
	[CHAN_PAIR] = &chan_pair_ops,
};
