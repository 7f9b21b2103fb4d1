/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine as an object: its life, its callbacks, its descriptors. */
#include <sys/resource.h>
#include <unistd.h>

#include "probe_rig.h"

static void engine_without_contexts_has_nothing_to_do(void **state)
{
	struct doca_pe *pe;
	size_t num_inflight = 1;

	(void)state;
	assert_success(doca_pe_create(&pe));

	assert_int_equal(doca_pe_progress(pe), 0);

	assert_success(doca_pe_get_num_inflight_tasks(pe, &num_inflight));
	assert_int_equal(num_inflight, 0);
	assert_success(doca_pe_destroy(pe));
}

static void destroy_engine(struct heard *heard)
{
	struct probe_rig *rig = heard->owner;
	struct doca_pe *pe = rig->pe;

	probe_rig_destroy_probe(rig);
	heard->result = doca_pe_destroy(pe);
}

static void engine_is_not_destroyed_in_its_callback(void **state)
{
	struct probe_rig *rig = *state;

	probe_rig_start(rig);
	rig->heard.on_state[DOCA_CTX_STATE_IDLE] = destroy_engine;

	assert_success(doca_ctx_stop(rig->ctx));

	assert_int_equal(rig->heard.result, DOCA_ERROR_IN_USE);
	test_take_log("is in use");
}

static void progress_other(struct heard *heard)
{
	struct probe_rig *other = heard->owner;

	heard->result = doca_pe_progress(other->pe);
	doca_task_free(heard->task);
}

static void callback_of_one_engine_may_drive_another(void **state)
{
	struct probe_rig *rig = *state;
	static struct probe_rig other;

	probe_rig_init(&other);
	probe_rig_start(rig);
	probe_rig_start(&other);
	probe_rig_submit(rig, 1);
	probe_rig_submit(&other, 1);
	probe_complete(rig->probe, DOCA_SUCCESS);
	probe_complete(other.probe, DOCA_SUCCESS);
	rig->heard.on_task = progress_other;
	rig->heard.owner = &other;

	assert_hears(&rig->heard, rig->pe, "ok(1)");

	assert_int_equal(rig->heard.result, 1);
	assert_heard(&other.heard, "ok(1)");
	probe_rig_fini(&other);
}

/* The lowest descriptor that is free, which is also the number of those below it. */
static rlim_t first_free_fd(void)
{
	int fd = dup(0);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	return (rlim_t)fd;
}

static void engine_without_descriptors_is_refused(void **state)
{
	struct rlimit before;
	struct rlimit tight;
	struct doca_pe *pe = NULL;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t spare = 0; spare < 3; spare++) {
		tight = before;
		tight.rlim_cur = first_free_fd() + spare;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);

		doca_error_t result = doca_pe_create(&pe);

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_error(result, DOCA_ERROR_NO_MEMORY);
		assert_null(pe);
		test_take_log("no descriptor");
	}
	assert_success(doca_pe_create(&pe));
	assert_success(doca_pe_destroy(pe));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(engine_without_contexts_has_nothing_to_do),
		PROBE_TEST(engine_is_not_destroyed_in_its_callback),
		PROBE_TEST(callback_of_one_engine_may_drive_another),
		TEST(engine_without_descriptors_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
