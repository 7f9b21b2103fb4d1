/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_WORKER_H_
#define UROMW_WORKER_H_

/* One worker process: the whole of it. All runs on one thread. */

#include <stdbool.h>
#include <stdint.h>

#include "urom/chan/chan.h"
#include "urom/chan/chan_stream.h"
#include "urom/worker/conns.h"
#include "urom/worker/limits.h"
#include "urom/worker/options.h"
#include "urom/worker/outstanding.h"
#include "urom/worker/plugin_host.h"
#include "urom/worker/room.h"
#include "urom/worker/wait.h"

struct uromw_worker {
	struct uromw_options options;
	struct chan_stream control; /* to the daemon */
	struct chan *chan;          /* owned; NULL until it listens */
	struct uromw_conns conns;
	struct uromw_outstanding outstanding;

	struct uromw_plugin plugins[UROMW_MAX_PLUGINS];
	unsigned int num_plugins;                              /* that are open */
	struct uromw_plugin *plugin_of_bit[UROMW_MAX_PLUGINS]; /* by the one bit of an id */

	struct uromw_room packed; /* for a notification of options.max_message bytes */
	struct uromw_wait wait;

	bool is_ending;
	enum uromw_exit status; /* that the process ends with */
};

/* The plugin of an id, which is a peer's word; NULL: not loaded. */
static inline struct uromw_plugin *uromw_plugin_find(struct uromw_worker *worker, uint64_t id)
{
	const unsigned int bit = id != 0 ? (unsigned int)__builtin_ctzll(id) : 0;

	if (bit >= UROMW_MAX_PLUGINS || id != UINT64_C(1) << bit)
		return NULL;
	return worker->plugin_of_bit[bit];
}

#endif /* UROMW_WORKER_H_ */
