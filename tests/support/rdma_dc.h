/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_DC_H_
#define RDMA_DC_H_

/*
 * A target of DC and its initiators. The target is in the other process when the test has one; the
 * initiators are contexts of this one.
 */

#include <stddef.h>

#include "rdma_rig.h"

#define RDMA_DC_MAX 6 /* more than are looked at directly */

struct rdma_dc {
	struct rdma_side target;
	struct rdma_blob blob; /* of its connection */
	struct rdma_side initiators[RDMA_DC_MAX];
	size_t num_initiators;
};

/*
 * All connected, with the target's memory imported. conf: the target's; its transport is set here.
 * The initiators have the defaults.
 */
void rdma_dc_init(struct rdma_dc *dc, size_t num_initiators, const struct rdma_conf *conf);
void rdma_dc_fini(struct rdma_dc *dc);

/* One side that uses DC and runs; conf as above. */
void rdma_dc_side_init(struct rdma_side *side, const struct rdma_conf *conf);

/* A connection of that side, which is then that of its tasks, to a target. */
void rdma_dc_connect(struct rdma_side *initiator, const struct rdma_blob *target);

/* Posts receives at a side, each with room for len bytes behind the one before. */
void rdma_dc_receive(struct rdma_side *side, size_t count, size_t len);

/* Drives a side until it has heard so many words, of which none is about a failure. */
void rdma_dc_drive(struct rdma_side *side, unsigned int num_words);

/*
 * A target does not let that initiator in, which knows it before its first task or by it, and logs
 * one line. The connection is disconnected then.
 */
void rdma_dc_is_refused(struct rdma_side *initiator);

#endif /* RDMA_DC_H_ */
