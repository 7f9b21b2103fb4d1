/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PROBE_RIG_H_
#define PROBE_RIG_H_

/* A probe with a listener on an engine. */

#include "heard.h"
#include "probe.h"
#include "test.h"

#define PROBE_RIG_NUM_TASKS 8

struct probe_rig {
	struct doca_pe *pe;
	bool owns_pe;
	struct probe *probe; /* NULL: the test has destroyed it */
	struct doca_ctx *ctx;
	struct heard heard;      /* its owner is the rig */
	struct core_ctx_ops ops; /* the probe's own: a test may replace some of them */
	struct doca_task *tasks[PROBE_RIG_NUM_TASKS];
};

/* A test that finds a rig in *state; what it leaves open is ended. */
#define PROBE_TEST(name) cmocka_unit_test_setup_teardown(name, probe_rig_begin, probe_rig_end)
#define PROBE_TEST_FREEING(name) \
	cmocka_unit_test_setup_teardown(name, probe_rig_begin_freeing, probe_rig_end)

int probe_rig_begin(void **state);
int probe_rig_begin_freeing(void **state);
int probe_rig_end(void **state);

/* An IDLE probe that is configured and on an engine of its own, or on the one of first. */
void probe_rig_init(struct probe_rig *rig);
void probe_rig_init_freeing(struct probe_rig *rig);
void probe_rig_add(struct probe_rig *rig, const struct probe_rig *first);

/* Ends whatever is going on, drives the probe to IDLE and destroys all. */
void probe_rig_fini(struct probe_rig *rig);

/* The probe's destroy, which must succeed. */
void probe_rig_destroy_probe(struct probe_rig *rig);

/* Starts it, to RUNNING, and forgets the words. */
void probe_rig_start(struct probe_rig *rig);

/* Starts it with a start that is IN_PROGRESS, to STARTING, and forgets the words. */
void probe_rig_begin_start(struct probe_rig *rig);

void probe_rig_assert_state(const struct probe_rig *rig, enum doca_ctx_states state);

/* A task whose number is its user data. */
struct doca_task *probe_rig_alloc(struct probe_rig *rig, uint64_t number);

/* Allocates the tasks 1 to num_tasks as tasks[0] and on, and submits them in this order. */
void probe_rig_submit(struct probe_rig *rig, unsigned int num_tasks);

/* The engine's notification: its handle, arming, clearing, and a look at it. */
int probe_rig_handle(const struct probe_rig *rig);
void probe_rig_arm(const struct probe_rig *rig);
void probe_rig_clear(const struct probe_rig *rig);
bool probe_rig_is_readable(const struct probe_rig *rig, int timeout_ms);

#endif /* PROBE_RIG_H_ */
