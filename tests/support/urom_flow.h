/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_FLOW_H_
#define UROM_FLOW_H_

/*
 * Numbered commands, several in flight, each of which must come back with its number and the tag of
 * the host that sent it, in the order of sending.
 */

#include "urom_host.h"

#define UROM_FLOW_MAX_IN_FLIGHT 32

/* Runs count commands to their ends; plugin: an id, or 0 for UROM_RIG_PLUGIN. */
void urom_flow_run(struct urom_host *host, struct doca_urom_worker *worker, uint64_t plugin,
		   uint64_t tag, uint64_t count, unsigned int num_in_flight);

#endif /* UROM_FLOW_H_ */
