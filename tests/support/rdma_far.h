/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_FAR_H_
#define RDMA_FAR_H_

/*
 * The other process of a test that runs in two: forked when the test begins, before any object is
 * there, it runs the steps that it is given, one at a time, and is a test of its own: its log and
 * its descriptors are looked at too, and what fails there fails here, with its text. As it is a
 * fork, a function has the same address in both, and so has the memory from rdma_far_alloc().
 */

#include <stdbool.h>
#include <stddef.h>

#define RDMA_FAR_ARGS_BYTES 8192

struct rdma_side;

/* What a side is asked to do; args are the caller's, and changes of them come back to it. */
typedef void (*rdma_step_t)(struct rdma_side *side, void *args);

/* Starts it. Once a test, after test_begin(). */
void rdma_far_begin(void);

/* Ends it; it must have ended well. Before test_end(); nothing when there is none. */
void rdma_far_end(void);

/* Is there one? */
bool rdma_far_is_there(void);

/* Shared by both, zeroed, given back at the end of the test. */
void *rdma_far_alloc(size_t len);

/* Runs a step there. args: len bytes, at most RDMA_FAR_ARGS_BYTES, copied to there and back. */
void rdma_far_call(struct rdma_side *side, rdma_step_t step, void *args, size_t len);

/* Its two halves: the step runs while the caller goes on. wait: args as above. */
void rdma_far_start(struct rdma_side *side, rdma_step_t step, const void *args, size_t len);
void rdma_far_wait(void *args, size_t len);

#endif /* RDMA_FAR_H_ */
