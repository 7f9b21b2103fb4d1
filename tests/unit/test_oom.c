/* SPDX-License-Identifier: BSD-3-Clause */
/* Without memory: an error, everything as it was, and it works when there is memory again. */
#include <errno.h>
#include <stdlib.h>

#include <doca_dma.h>

#include "fixture.h"
#include "probe_rig.h"

/* The linker brings the libraries' allocations here; none of them succeeds while this is set. */
static bool has_no_memory;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
	return has_no_memory ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return has_no_memory ? NULL : __real_calloc(count, size);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	return has_no_memory ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

static void engine_cannot_be_created(void **state)
{
	struct doca_pe *pe = NULL;
	doca_error_t result;

	(void)state;
	has_no_memory = true;
	result = doca_pe_create(&pe);
	has_no_memory = false;

	assert_error(result, DOCA_ERROR_NO_MEMORY);
	assert_null(pe);
	assert_success(doca_pe_create(&pe));
	assert_success(doca_pe_destroy(pe));
}

static void dma_context_cannot_be_created(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_dma *dma = NULL;
	doca_error_t result;

	(void)state;
	has_no_memory = true;
	result = doca_dma_create(dev, &dma);
	has_no_memory = false;

	assert_error(result, DOCA_ERROR_NO_MEMORY);
	assert_null(dma);
	assert_success(doca_dev_close(dev)); /* which nobody holds */
}

static doca_error_t start_without_memory(struct probe_rig *rig)
{
	doca_error_t result;

	has_no_memory = true;
	result = doca_ctx_start(rig->ctx);
	has_no_memory = false;
	return result;
}

static void start_stays_idle_and_can_be_tried_again(void **state)
{
	struct probe_rig *rig = *state;

	assert_refused(start_without_memory(rig), DOCA_ERROR_NO_MEMORY, "no memory for 8");

	assert_heard(&rig->heard, "");
	probe_rig_assert_state(rig, DOCA_CTX_STATE_IDLE);
	probe_rig_start(rig);
	probe_rig_submit(rig, PROBE_RIG_NUM_TASKS);
}

static void restart_needs_no_memory(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	assert_success(doca_ctx_stop(rig->ctx));

	assert_success(start_without_memory(rig));

	assert_heard(&rig->heard, "running>stopping stopping>idle idle>running");
}

static void larger_pool_leaves_the_old_one_in_force(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	assert_success(doca_ctx_stop(rig->ctx));
	assert_success(probe_set_conf(rig->probe, heard_on_success, heard_on_error, 100));
	assert_heard(&rig->heard, "running>stopping stopping>idle");

	assert_refused(start_without_memory(rig), DOCA_ERROR_NO_MEMORY, "no memory for 100");

	assert_success(
	    probe_set_conf(rig->probe, heard_on_success, heard_on_error, PROBE_RIG_NUM_TASKS));
	assert_success(start_without_memory(rig));
	assert_heard(&rig->heard, "idle>running");
	probe_rig_submit(rig, PROBE_RIG_NUM_TASKS);
}

static void tasks_and_their_callbacks_need_no_memory(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	has_no_memory = true;

	probe_rig_submit(rig, PROBE_RIG_NUM_TASKS);
	for (unsigned int i = 0; i < PROBE_RIG_NUM_TASKS; i++)
		probe_complete(rig->probe, DOCA_SUCCESS);
	assert_success(doca_pe_request_notification(rig->pe));
	assert_hears(&rig->heard, rig->pe, "ok(1) ok(2) ok(3) ok(4) ok(5) ok(6) ok(7) ok(8)");
	assert_success(doca_ctx_stop(rig->ctx));

	has_no_memory = false;
	assert_heard(&rig->heard, "running>stopping stopping>idle");
}

/* Even when a test has failed, the teardown must find memory. */
static int oom_end(void **state)
{
	has_no_memory = false;
	return probe_rig_end(state);
}

#define OOM_TEST(name) cmocka_unit_test_setup_teardown(name, probe_rig_begin, oom_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(engine_cannot_be_created),
		TEST(dma_context_cannot_be_created),
		OOM_TEST(start_stays_idle_and_can_be_tried_again),
		OOM_TEST(restart_needs_no_memory),
		OOM_TEST(larger_pool_leaves_the_old_one_in_force),
		OOM_TEST(tasks_and_their_callbacks_need_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
