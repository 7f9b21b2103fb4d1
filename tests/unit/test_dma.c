/* SPDX-License-Identifier: BSD-3-Clause */

/* A DMA context as an object: made, configured, asked, and what it gives as a task. */

#include <doca_dma.h>

#include "dma_rig.h"
#include "test.h"

#define LEN 64

static const union doca_data no_data;

static void ignore_task(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* A source of 8 bytes at the start of the memory and a place for them behind it. */
static struct doca_buf *make_src(struct dma_rig *rig)
{
	return fixture_buf(&rig->memory, 0, 8, 0, 8);
}

static struct doca_buf *make_dst(struct dma_rig *rig)
{
	return fixture_buf(&rig->memory, 8, LEN - 8, 0, 0);
}

static void create_and_destroy_want_arguments(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_dma *dma;

	(void)state;
	assert_refused(doca_dma_create(NULL, &dma), DOCA_ERROR_INVALID_VALUE, "doca_dma_create");
	assert_refused(doca_dma_create(dev, NULL), DOCA_ERROR_INVALID_VALUE, "doca_dma_create");
	assert_refused(doca_dma_destroy(NULL), DOCA_ERROR_INVALID_VALUE, "doca_dma_destroy");
	assert_success(doca_dev_close(dev));
}

static void context_view_is_always_the_same(void **state)
{
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 1);
	assert_non_null(rig.ctx);
	assert_ptr_equal(doca_dma_as_ctx(rig.dma), rig.ctx);
	assert_null(doca_dma_as_ctx(NULL));
	test_take_log("doca_dma_as_ctx");
	dma_rig_fini(&rig);
}

static void every_device_copies(void **state)
{
	struct doca_devinfo **list;
	uint32_t count, list_len;
	uint64_t size;

	(void)state;
	assert_success(doca_devinfo_create_list(&list, &count));
	assert_true(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		assert_success(doca_dma_cap_task_memcpy_is_supported(list[i]));
		assert_success(doca_dma_cap_task_memcpy_get_max_buf_list_len(list[i], &list_len));
		assert_success(doca_dma_cap_task_memcpy_get_max_buf_size(list[i], &size));
		assert_int_equal(list_len, 64);
		assert_true(size == UINT64_C(1) << 31);
	}
	assert_success(doca_devinfo_destroy_list(list));
}

static void capabilities_want_arguments(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	const struct doca_devinfo *info = doca_dev_as_devinfo(dev);
	uint32_t list_len;
	uint64_t size;

	(void)state;
	assert_refused(doca_dma_cap_task_memcpy_is_supported(NULL), DOCA_ERROR_INVALID_VALUE,
		       "is_supported");
	assert_refused(doca_dma_cap_task_memcpy_get_max_buf_list_len(NULL, &list_len),
		       DOCA_ERROR_INVALID_VALUE, "max_buf_list_len");
	assert_refused(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, NULL),
		       DOCA_ERROR_INVALID_VALUE, "max_buf_list_len");
	assert_refused(doca_dma_cap_task_memcpy_get_max_buf_size(NULL, &size),
		       DOCA_ERROR_INVALID_VALUE, "max_buf_size");
	assert_refused(doca_dma_cap_task_memcpy_get_max_buf_size(info, NULL),
		       DOCA_ERROR_INVALID_VALUE, "max_buf_size");
	assert_success(doca_dev_close(dev));
}

static void max_num_tasks_is_what_set_conf_takes(void **state)
{
	struct dma_rig rig;
	uint32_t max;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 1);
	assert_success(doca_dma_cap_get_max_num_tasks(rig.dma, &max));
	assert_success(doca_dma_task_memcpy_set_conf(rig.dma, ignore_task, ignore_task, max));
	assert_success(doca_ctx_start(rig.ctx));
	assert_refused(doca_dma_cap_get_max_num_tasks(NULL, &max), DOCA_ERROR_INVALID_VALUE,
		       "max_num_tasks");
	assert_refused(doca_dma_cap_get_max_num_tasks(rig.dma, NULL), DOCA_ERROR_INVALID_VALUE,
		       "max_num_tasks");
	dma_rig_fini(&rig);
}

static void there_is_no_gpu_handle(void **state)
{
	struct doca_gpu_dma *gpu_dma;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 1, 1);
	assert_refused(doca_dma_get_gpu_handle(rig.dma, &gpu_dma), DOCA_ERROR_BAD_STATE, "GPU");
	assert_refused(doca_dma_get_gpu_handle(NULL, &gpu_dma), DOCA_ERROR_INVALID_VALUE,
		       "gpu_handle");
	assert_refused(doca_dma_get_gpu_handle(rig.dma, NULL), DOCA_ERROR_INVALID_VALUE,
		       "gpu_handle");
	dma_rig_fini(&rig);
}

static void set_conf_wants_callbacks_and_a_number_in_range(void **state)
{
	static const struct {
		doca_dma_task_memcpy_completion_cb_t success_cb, error_cb;
		uint32_t num_tasks;
		const char *part;
	} rows[] = {
		{ NULL, ignore_task, 1, "callbacks" },
		{ ignore_task, NULL, 1, "callbacks" },
		{ ignore_task, ignore_task, 0, "1..65536" },
		{ ignore_task, ignore_task, 65537, "1..65536" },
		{ ignore_task, ignore_task, UINT32_MAX, "1..65536" },
	};
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(doca_dma_task_memcpy_set_conf(rig.dma, rows[i].success_cb,
							     rows[i].error_cb, rows[i].num_tasks),
			       DOCA_ERROR_INVALID_VALUE, rows[i].part);
	assert_refused(doca_dma_task_memcpy_set_conf(NULL, ignore_task, ignore_task, 1),
		       DOCA_ERROR_INVALID_VALUE, "set_conf");
	dma_rig_fini(&rig);
}

static void set_conf_and_destroy_are_refused_unless_idle(void **state)
{
	struct doca_task *task;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 1, 1);
	task = dma_rig_task(&rig, NULL, NULL, 0);
	for (int is_stopping = 0; is_stopping < 2; is_stopping++) {
		const char *part = is_stopping ? "stopping" : "running";

		if (is_stopping)
			assert_error(doca_ctx_stop(rig.ctx), DOCA_ERROR_IN_PROGRESS);
		assert_refused(doca_dma_task_memcpy_set_conf(rig.dma, ignore_task, ignore_task, 1),
			       DOCA_ERROR_BAD_STATE, part);
		assert_refused(doca_dma_destroy(rig.dma), DOCA_ERROR_IN_USE, part);
	}
	doca_task_free(task);
	dma_rig_fini(&rig);
}

static void last_set_conf_wins(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 2, 5);
	assert_success(doca_dma_task_memcpy_set_conf(rig.dma, ignore_task, ignore_task, 1));
	assert_success(doca_ctx_start(rig.ctx));
	src = make_src(&rig);
	dst = make_dst(&rig);
	(void)dma_rig_submit(&rig, src, dst, 1);
	assert_error(doca_dma_task_memcpy_alloc_init(rig.dma, src, dst, no_data, &task),
		     DOCA_ERROR_NO_MEMORY);
	(void)dma_rig_deliver(&rig);
	assert_heard(&rig.heard, "idle>running");
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void tasks_are_allocated_only_while_running(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct doca_task *kept;
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 2);
	assert_refused(doca_dma_task_memcpy_alloc_init(rig.dma, NULL, NULL, no_data, &task),
		       DOCA_ERROR_BAD_STATE, "not running");
	assert_success(doca_ctx_start(rig.ctx));
	kept = dma_rig_task(&rig, NULL, NULL, 0);
	assert_error(doca_ctx_stop(rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_refused(doca_dma_task_memcpy_alloc_init(rig.dma, NULL, NULL, no_data, &task),
		       DOCA_ERROR_BAD_STATE, "not running");
	doca_task_free(kept);
	dma_rig_fini(&rig);
}

static void context_without_set_conf_starts_and_has_no_tasks(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct doca_dma *dma;
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 1);
	assert_success(doca_dma_create(rig.memory.dev, &dma));
	assert_success(doca_pe_connect_ctx(rig.pe, doca_dma_as_ctx(dma)));
	assert_success(doca_ctx_start(doca_dma_as_ctx(dma)));
	assert_refused(doca_dma_task_memcpy_alloc_init(dma, NULL, NULL, no_data, &task),
		       DOCA_ERROR_BAD_STATE, "set_conf");
	assert_success(doca_ctx_stop(doca_dma_as_ctx(dma)));
	assert_success(doca_dma_destroy(dma));
	dma_rig_fini(&rig);
}

static void pool_gives_as_many_tasks_as_configured(void **state)
{
	struct doca_dma_task_memcpy *more;
	struct doca_task *tasks[3];
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 1, 3);
	for (uint64_t i = 0; i < 3; i++)
		tasks[i] = dma_rig_task(&rig, NULL, NULL, i);
	assert_error(doca_dma_task_memcpy_alloc_init(rig.dma, NULL, NULL, no_data, &more),
		     DOCA_ERROR_NO_MEMORY);
	doca_task_free(tasks[1]);
	tasks[1] = dma_rig_task(&rig, NULL, NULL, 4);
	for (uint64_t i = 0; i < 3; i++)
		doca_task_free(tasks[i]);
	dma_rig_fini(&rig);
}

static void task_functions_want_arguments(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 1, 1);
	assert_refused(doca_dma_task_memcpy_alloc_init(NULL, NULL, NULL, no_data, &task),
		       DOCA_ERROR_INVALID_VALUE, "alloc_init");
	assert_refused(doca_dma_task_memcpy_alloc_init(rig.dma, NULL, NULL, no_data, NULL),
		       DOCA_ERROR_INVALID_VALUE, "alloc_init");
	assert_null(doca_dma_task_memcpy_as_task(NULL));
	assert_null(doca_dma_task_memcpy_get_src(NULL));
	assert_null(doca_dma_task_memcpy_get_dst(NULL));
	doca_dma_task_memcpy_set_src(NULL, NULL);
	doca_dma_task_memcpy_set_dst(NULL, NULL);
	test_take_log("as_task");
	test_take_log("get_src");
	test_take_log("get_dst");
	test_take_log("set_src");
	test_take_log("set_dst");
	dma_rig_fini(&rig);
}

static void task_fields_stay_readable_after_free(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 2, 1);
	src = make_src(&rig);
	dst = make_dst(&rig);
	task = dma_rig_memcpy(dma_rig_task(&rig, src, NULL, 7));
	doca_dma_task_memcpy_set_dst(task, dst);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	assert_ptr_equal(doca_dma_task_memcpy_get_src(task), src);
	assert_ptr_equal(doca_dma_task_memcpy_get_dst(task), dst);
	assert_int_equal(doca_task_get_user_data(doca_dma_task_memcpy_as_task(task)).u64, 7);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void task_is_its_own_base(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 1, 1);
	assert_success(doca_dma_task_memcpy_alloc_init(rig.dma, NULL, NULL, no_data, &task));
	assert_ptr_equal(doca_dma_task_memcpy_as_task(task), task);
	assert_ptr_equal(doca_task_get_ctx(doca_dma_task_memcpy_as_task(task)), rig.ctx);
	doca_task_free(doca_dma_task_memcpy_as_task(task));
	dma_rig_fini(&rig);
}

static void setters_leave_a_task_in_flight_or_free_alone(void **state)
{
	struct doca_dma_task_memcpy *task;
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 2, 1);
	src = make_src(&rig);
	dst = make_dst(&rig);
	task = dma_rig_memcpy(dma_rig_submit(&rig, src, dst, 1));
	for (int is_free = 0; is_free < 2; is_free++) {
		doca_dma_task_memcpy_set_src(task, dst);
		test_take_log("doca_dma_task_memcpy_set_src");
		doca_dma_task_memcpy_set_dst(task, NULL);
		test_take_log("doca_dma_task_memcpy_set_dst");
		assert_ptr_equal(doca_dma_task_memcpy_get_src(task), src);
		assert_ptr_equal(doca_dma_task_memcpy_get_dst(task), dst);
		if (!is_free)
			(void)dma_rig_deliver(&rig);
	}
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void device_is_not_closed_while_a_context_is_there(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_dma *dma;

	(void)state;
	assert_success(doca_dma_create(dev, &dma));
	assert_refused(doca_dev_close(dev), DOCA_ERROR_IN_USE, "contexts");
	assert_success(doca_dma_destroy(dma));
	assert_success(doca_dev_close(dev));
}

static void engine_is_not_destroyed_while_a_context_is_there(void **state)
{
	struct dma_rig rig;

	(void)state;
	dma_rig_init_idle(&rig, LEN, 1, 1);
	assert_refused(doca_pe_destroy(rig.pe), DOCA_ERROR_IN_USE, "1 contexts");
	dma_rig_fini(&rig);
}

static void context_can_be_configured_anew_and_started_again(void **state)
{
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	dma_rig_init(&rig, LEN, 2, 2);
	src = make_src(&rig);
	dst = make_dst(&rig);
	dma_rig_copy(&rig, src, dst);
	assert_success(doca_ctx_stop(rig.ctx));
	assert_success(doca_dma_task_memcpy_set_conf(rig.dma, ignore_task, ignore_task, 9));
	assert_success(doca_ctx_start(rig.ctx));
	for (uint64_t i = 0; i < 5; i++)
		(void)dma_rig_submit(&rig, src, dst, i);
	for (unsigned int i = 0; i < 5; i++)
		(void)dma_rig_deliver(&rig);
	assert_int_equal(dma_rig_data_len(dst), 48);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(create_and_destroy_want_arguments),
		TEST(context_view_is_always_the_same),
		TEST(every_device_copies),
		TEST(capabilities_want_arguments),
		TEST(max_num_tasks_is_what_set_conf_takes),
		TEST(there_is_no_gpu_handle),
		TEST(set_conf_wants_callbacks_and_a_number_in_range),
		TEST(set_conf_and_destroy_are_refused_unless_idle),
		TEST(last_set_conf_wins),
		TEST(tasks_are_allocated_only_while_running),
		TEST(context_without_set_conf_starts_and_has_no_tasks),
		TEST(pool_gives_as_many_tasks_as_configured),
		TEST(task_functions_want_arguments),
		TEST(task_fields_stay_readable_after_free),
		TEST(task_is_its_own_base),
		TEST(setters_leave_a_task_in_flight_or_free_alone),
		TEST(device_is_not_closed_while_a_context_is_there),
		TEST(engine_is_not_destroyed_while_a_context_is_there),
		TEST(context_can_be_configured_anew_and_started_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
