/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe_rig.h"

#include <string.h>

#include "fixture.h"

static void rig_init(struct probe_rig *rig, struct doca_pe *pe, bool frees_tasks)
{
	memset(rig, 0, sizeof(*rig));
	rig->owns_pe = pe == NULL;
	if (rig->owns_pe)
		assert_success(doca_pe_create(&pe));
	rig->pe = pe;
	rig->probe = probe_create(frees_tasks);
	rig->ctx = probe_as_ctx(rig->probe);
	rig->ops = *rig->ctx->ops;
	rig->ctx->ops = &rig->ops;
	heard_init(&rig->heard, rig->ctx);
	rig->heard.owner = rig;
	assert_success(
	    probe_set_conf(rig->probe, heard_on_success, heard_on_error, PROBE_RIG_NUM_TASKS));
	assert_success(doca_pe_connect_ctx(pe, rig->ctx));
}

void probe_rig_init(struct probe_rig *rig)
{
	rig_init(rig, NULL, false);
}

void probe_rig_init_freeing(struct probe_rig *rig)
{
	rig_init(rig, NULL, true);
}

void probe_rig_add(struct probe_rig *rig, const struct probe_rig *first)
{
	rig_init(rig, first->pe, false);
}

void probe_rig_destroy_probe(struct probe_rig *rig)
{
	assert_success(probe_destroy(rig->probe));
	rig->probe = NULL;
	rig->ctx = NULL;
}

static void rig_drive_to_idle(struct probe_rig *rig)
{
	struct probe *probe = rig->probe;

	probe->keeps_tasks = false;
	probe->stop_result = DOCA_SUCCESS;
	memset(rig->heard.on_state, 0, sizeof(rig->heard.on_state));
	rig->heard.on_task = NULL;
	(void)doca_ctx_stop(rig->ctx);
	/* What a stop of the test's own has left open. */
	while (!STAILQ_EMPTY(&probe->submitted))
		probe_complete(probe, DOCA_ERROR_IO_FAILED);
	if (rig->ctx->state == DOCA_CTX_STATE_STOPPING)
		core_ctx_closed(rig->ctx);
	fixture_progress_to(rig->pe, rig->ctx, DOCA_CTX_STATE_IDLE);
}

void probe_rig_fini(struct probe_rig *rig)
{
	if (rig->probe != NULL) {
		rig_drive_to_idle(rig);
		probe_rig_destroy_probe(rig);
	}
	if (rig->owns_pe)
		assert_success(doca_pe_destroy(rig->pe));
}

int probe_rig_begin(void **state)
{
	static struct probe_rig rig;

	test_begin(state);
	probe_rig_init(&rig);
	*state = &rig;
	return 0;
}

int probe_rig_begin_freeing(void **state)
{
	static struct probe_rig rig;

	test_begin(state);
	probe_rig_init_freeing(&rig);
	*state = &rig;
	return 0;
}

int probe_rig_end(void **state)
{
	probe_rig_fini(*state);
	return test_end(state);
}

void probe_rig_start(struct probe_rig *rig)
{
	rig->probe->start_result = DOCA_SUCCESS;
	assert_success(doca_ctx_start(rig->ctx));
	assert_heard(&rig->heard, "idle>running");
}

void probe_rig_begin_start(struct probe_rig *rig)
{
	rig->probe->start_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_start(rig->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(&rig->heard, "idle>starting");
}

void probe_rig_assert_state(const struct probe_rig *rig, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	assert_success(doca_ctx_get_state(rig->ctx, &now));
	assert_int_equal(now, state);
}

struct doca_task *probe_rig_alloc(struct probe_rig *rig, uint64_t number)
{
	struct doca_task *task = NULL;

	assert_success(probe_task_alloc(rig->probe, (union doca_data){ .u64 = number }, &task));
	return task;
}

void probe_rig_submit(struct probe_rig *rig, unsigned int num_tasks)
{
	assert_in_range(num_tasks, 1, PROBE_RIG_NUM_TASKS);
	for (unsigned int i = 0; i < num_tasks; i++)
		rig->tasks[i] = probe_rig_alloc(rig, i + 1);
	for (unsigned int i = 0; i < num_tasks; i++)
		assert_success(doca_task_submit(rig->tasks[i]));
}

int probe_rig_handle(const struct probe_rig *rig)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(rig->pe, &handle));
	return handle;
}

void probe_rig_arm(const struct probe_rig *rig)
{
	assert_success(doca_pe_request_notification(rig->pe));
}

void probe_rig_clear(const struct probe_rig *rig)
{
	assert_success(doca_pe_clear_notification(rig->pe, 0));
}

bool probe_rig_is_readable(const struct probe_rig *rig, int timeout_ms)
{
	return test_is_readable(probe_rig_handle(rig), timeout_ms);
}
