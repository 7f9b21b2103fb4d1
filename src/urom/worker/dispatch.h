/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_DISPATCH_H_
#define UROMW_DISPATCH_H_

/* From hosts to plugins. */

#include "urom/chan/chan.h"

struct uromw_host;
struct uromw_worker;

/*
 * Gives a COMMAND of a host that is attached to its plugin, or tells the host why not. The host
 * may be disconnected on return.
 * Errors: CONNECTION_ABORTED: it is no message that the host may send.
 */
doca_error_t uromw_dispatch(struct uromw_worker *worker, struct uromw_host *host,
			    const struct chan_message *message);

#endif /* UROMW_DISPATCH_H_ */
