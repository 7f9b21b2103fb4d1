/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_ATTACH_H_
#define UROMW_ATTACH_H_

/* The data path's connections: who comes, shows a ticket, speaks, says goodbye. */

#include "urom/chan/chan.h"

struct uromw_host;
struct uromw_worker;

/* For the channel; its arg is the worker. */
extern const struct chan_handler uromw_attach_handler;

/* The longest message of a connection that has not shown its ticket, in bytes. */
#define UROMW_MAX_GUEST_BODY 64

/* Disconnects a host, if it is connected, and forgets its commands. Its ticket stays spent. */
void uromw_attach_drop(struct uromw_worker *worker, struct uromw_host *host);

/* The same, and forgets the host too. */
void uromw_attach_forget(struct uromw_worker *worker, struct uromw_host *host);

#endif /* UROMW_ATTACH_H_ */
