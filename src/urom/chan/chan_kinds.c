/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan.h"

/* Those that are installed. */
const struct chan_ops *const chan_kinds[CHAN_NUM_KINDS] = {
	[CHAN_UCX] = &chan_ucx_ops,
	[CHAN_TCP] = &chan_tcp_ops,
};
