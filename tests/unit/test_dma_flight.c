/* SPDX-License-Identifier: BSD-3-Clause */

/* DMA tasks from submit to callback: order, slices, the engine they share, and stops. */

#include <doca_dma.h>

#include <string.h>

#include "dma_rig.h"
#include "probe.h"
#include "test.h"

#define KIB      1024u
#define SLICE    (256u * KIB)
#define BIG      (1024u * KIB)
#define NUM_BUFS 8

/* The first half of the memory is sources, the other one destinations. */
#define MEMORY (2u * BIG)

/* What a test begins with: a rig, a source of 8 bytes and a destination with much room. */
struct flight {
	struct dma_rig rig;
	struct heard *heard;
	struct doca_buf *src, *dst;
};

static void flight_init(struct flight *flight, uint32_t num_tasks)
{
	dma_rig_init(&flight->rig, MEMORY, NUM_BUFS, num_tasks);
	for (size_t i = 0; i < BIG; i++)
		flight->rig.memory.bytes[i] = (char)(i % 251);
	flight->heard = &flight->rig.heard;
	flight->src = fixture_buf(&flight->rig.memory, 0, 8, 0, 8);
	flight->dst = fixture_buf(&flight->rig.memory, BIG, BIG, 0, 0);
}

static void flight_fini(struct flight *flight)
{
	fixture_buf_put(flight->src);
	fixture_buf_put(flight->dst);
	dma_rig_fini(&flight->rig);
}

static void set_len(struct flight *flight, size_t len)
{
	char *bytes = flight->rig.memory.bytes;

	assert_success(doca_buf_inventory_buf_reuse_by_args(flight->src, bytes, len, bytes, len));
}

/* Submits a copy from the source to the destination. */
static struct doca_task *submit(struct flight *flight, uint64_t number)
{
	return dma_rig_submit(&flight->rig, flight->src, flight->dst, number);
}

static size_t num_inflight(const struct dma_rig *rig)
{
	size_t of_ctx, of_pe;

	assert_success(doca_ctx_get_num_inflight_tasks(rig->ctx, &of_ctx));
	assert_success(doca_pe_get_num_inflight_tasks(rig->pe, &of_pe));
	assert_int_equal(of_ctx, of_pe);
	return of_ctx;
}

static void nothing_completes_inside_submit(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	(void)submit(&flight, 1);
	assert_heard(flight.heard, "");
	assert_int_equal(num_inflight(&flight.rig), 1);
	assert_int_equal(dma_rig_data_len(flight.dst), 0);
	flight_fini(&flight);
}

static void each_progress_delivers_one_callback(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 3);
	for (uint64_t i = 1; i <= 3; i++)
		(void)submit(&flight, i);
	for (unsigned int i = 1; i <= 3; i++) {
		assert_int_equal(doca_pe_progress(flight.rig.pe), 1);
		assert_int_equal(flight.heard->num_words, i);
	}
	assert_int_equal(doca_pe_progress(flight.rig.pe), 0);
	flight_fini(&flight);
}

static void tasks_complete_in_the_order_of_submit(void **state)
{
	struct doca_buf *big;
	struct flight flight;

	(void)state;
	flight_init(&flight, 3);
	big = fixture_buf(&flight.rig.memory, 0, BIG / 2, 0, BIG / 2);
	(void)dma_rig_submit(&flight.rig, big, flight.dst, 1);
	(void)submit(&flight, 2);
	(void)submit(&flight, 3);
	assert_hears(flight.heard, flight.rig.pe, "ok(1) ok(2) ok(3)");
	fixture_buf_put(big);
	flight_fini(&flight);
}

static void task_without_the_flush_flag_completes_too(void **state)
{
	struct doca_task *task;
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	task = dma_rig_task(&flight.rig, flight.src, flight.dst, 1);
	assert_success(doca_task_submit_ex(task, DOCA_TASK_SUBMIT_FLAG_NONE));
	assert_hears(flight.heard, flight.rig.pe, "ok(1)");
	flight_fini(&flight);
}

static void task_in_flight_is_neither_submitted_nor_freed(void **state)
{
	struct doca_task *task;
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	task = submit(&flight, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "in flight");
	doca_task_free(task);
	test_take_log("in flight");
	assert_hears(flight.heard, flight.rig.pe, "ok(1)");
	flight_fini(&flight);
}

/* Copies once more, from what was copied to the next buf; after three copies it is enough. */
static void copy_on(struct heard *heard)
{
	struct doca_dma_task_memcpy *task = dma_rig_memcpy(heard->task);
	struct dma_rig *rig = heard->owner;
	struct doca_buf **bufs = rig->test;

	assert_int_equal(num_inflight(rig), 0);
	if (heard->num_words == 3) {
		doca_task_free(heard->task);
		return;
	}
	doca_dma_task_memcpy_set_src(task, doca_dma_task_memcpy_get_dst(task));
	doca_dma_task_memcpy_set_dst(task, bufs[heard->num_words]);
	assert_success(doca_task_submit(heard->task));
	assert_int_equal(num_inflight(rig), 1);
}

static void task_is_submitted_again_in_its_callback_with_other_bufs(void **state)
{
	struct doca_buf *bufs[3];
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	memcpy(flight.rig.memory.bytes, "relayed!", 8);
	for (size_t i = 0; i < 3; i++)
		bufs[i] = fixture_buf(&flight.rig.memory, 100 + 10 * i, 8, 0, 0);
	flight.rig.test = bufs;
	flight.heard->on_task = copy_on;
	(void)dma_rig_submit(&flight.rig, flight.src, bufs[0], 1);
	assert_hears(flight.heard, flight.rig.pe, "ok(1) ok(1) ok(1)");
	assert_memory_equal(flight.rig.memory.bytes + 120, "relayed!", 8);
	for (size_t i = 0; i < 3; i++)
		fixture_buf_put(bufs[i]);
	flight_fini(&flight);
}

/* The pool has one task: it can be had again only because it was given back. */
static void free_and_take_another(struct heard *heard)
{
	struct doca_dma_task_memcpy *task = dma_rig_memcpy(heard->task);

	doca_task_free(heard->task);
	if (heard->num_words < 3)
		(void)dma_rig_submit(heard->owner, doca_dma_task_memcpy_get_src(task),
				     doca_dma_task_memcpy_get_dst(task), heard->num_words);
}

static void task_is_freed_and_taken_again_in_its_callback(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	flight.heard->on_task = free_and_take_another;
	(void)submit(&flight, 0);
	assert_hears(flight.heard, flight.rig.pe, "ok(0) ok(1) ok(2)");
	assert_int_equal(dma_rig_data_len(flight.dst), 24);
	flight_fini(&flight);
}

static void progress_inside(struct heard *heard)
{
	const struct dma_rig *rig = heard->owner;

	assert_int_equal(doca_pe_progress(rig->pe), 0);
	test_take_log("in a callback");
	doca_task_free(heard->task);
}

static void progress_in_a_callback_does_nothing(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 2);
	flight.heard->on_task = progress_inside;
	(void)submit(&flight, 1);
	(void)submit(&flight, 2);
	(void)dma_rig_deliver(&flight.rig);
	assert_heard(flight.heard, "ok(1)");
	assert_hears(flight.heard, flight.rig.pe, "ok(2)");
	flight_fini(&flight);
}

static void copy_takes_a_call_for_each_slice(void **state)
{
	static const struct {
		size_t len;
		unsigned int calls;
	} rows[] = {
		{ 1, 1 },         { SLICE - 1, 1 }, { SLICE, 1 }, { SLICE + 1, 2 },
		{ 2 * SLICE, 2 }, { BIG - 1, 4 },   { BIG, 4 },
	};
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_len(&flight, rows[i].len);
		assert_success(doca_buf_reset_data_len(flight.dst));
		(void)submit(&flight, i);
		assert_int_equal(dma_rig_deliver(&flight.rig), rows[i].calls);
		assert_int_equal(dma_rig_data_len(flight.dst), rows[i].len);
		assert_memory_equal(flight.rig.memory.bytes + BIG, flight.rig.memory.bytes,
				    rows[i].len);
	}
	flight_fini(&flight);
}

static void slices_count_bytes_and_not_elements(void **state)
{
	struct doca_buf *src, *next;
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	src = fixture_buf(&flight.rig.memory, 0, 200 * KIB, 0, 200 * KIB);
	for (size_t i = 1; i < 3; i++) {
		next = fixture_buf(&flight.rig.memory, i * SLICE, SLICE, 0, 200 * KIB);
		assert_success(doca_buf_chain_list(src, next));
	}
	(void)dma_rig_submit(&flight.rig, src, flight.dst, 1);
	assert_int_equal(dma_rig_deliver(&flight.rig), 3);
	assert_int_equal(dma_rig_data_len(flight.dst), 600 * KIB);
	fixture_buf_put(src);
	flight_fini(&flight);
}

static void other_contexts_are_driven_between_slices(void **state)
{
	struct probe *probe = probe_create(false);
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	assert_success(doca_pe_connect_ctx(flight.rig.pe, probe_as_ctx(probe)));
	assert_success(doca_ctx_start(probe_as_ctx(probe)));
	set_len(&flight, BIG);
	(void)submit(&flight, 1);
	for (unsigned int calls = 1; calls < 4; calls++) {
		assert_int_equal(doca_pe_progress(flight.rig.pe), 0);
		assert_int_equal(probe->num_progresses, calls - 1); /* a slice ends a call */
	}
	assert_int_equal(doca_pe_progress(flight.rig.pe), 1);
	assert_success(doca_ctx_stop(probe_as_ctx(probe)));
	assert_success(probe_destroy(probe));
	flight_fini(&flight);
}

static void count_task(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	unsigned int *num_done = ctx_user_data.ptr;

	(void)task_user_data;
	++*num_done;
	doca_task_free(doca_dma_task_memcpy_as_task(task));
}

/* A second context on the rig's engine, which only counts its tasks. */
static struct doca_dma *other_create(struct dma_rig *rig, unsigned int *num_done)
{
	struct doca_dma *other;
	struct doca_ctx *ctx;

	assert_success(doca_dma_create(rig->memory.dev, &other));
	ctx = doca_dma_as_ctx(other);
	assert_success(doca_ctx_set_user_data(ctx, (union doca_data){ .ptr = num_done }));
	assert_success(doca_dma_task_memcpy_set_conf(other, count_task, count_task, 3));
	assert_success(doca_pe_connect_ctx(rig->pe, ctx));
	assert_success(doca_ctx_start(ctx));
	return other;
}

static void other_destroy(struct doca_dma *other)
{
	assert_success(doca_ctx_stop(doca_dma_as_ctx(other)));
	assert_success(doca_dma_destroy(other));
}

static void other_submit(struct doca_dma *other, const struct flight *flight)
{
	struct doca_dma_task_memcpy *task;

	assert_success(doca_dma_task_memcpy_alloc_init(other, flight->src, flight->dst,
						       (union doca_data){ .u64 = 0 }, &task));
	assert_success(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
}

static void tasks_of_two_contexts_take_turns(void **state)
{
	unsigned int num_other = 0;
	struct doca_dma *other;
	struct flight flight;

	(void)state;
	flight_init(&flight, 3);
	other = other_create(&flight.rig, &num_other);
	for (unsigned int i = 0; i < 3; i++) {
		(void)submit(&flight, i);
		other_submit(other, &flight);
	}
	for (unsigned int i = 1; i <= 3; i++) {
		(void)dma_rig_deliver(&flight.rig);
		(void)dma_rig_deliver(&flight.rig);
		assert_int_equal(flight.heard->num_words, i);
		assert_int_equal(num_other, i);
	}
	other_destroy(other);
	flight_fini(&flight);
}

static int handle_of(const struct dma_rig *rig)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(rig->pe, &handle));
	return handle;
}

static void unfinished_copy_makes_an_armed_handle_readable(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	set_len(&flight, BIG);
	(void)submit(&flight, 1);
	for (unsigned int calls = 1; calls <= 4; calls++) {
		assert_success(doca_pe_request_notification(flight.rig.pe));
		assert_true(test_is_readable(handle_of(&flight.rig), 0));
		assert_success(doca_pe_clear_notification(flight.rig.pe, 0));
		assert_int_equal(doca_pe_progress(flight.rig.pe), calls == 4);
	}
	assert_success(doca_pe_request_notification(flight.rig.pe));
	assert_false(test_is_readable(handle_of(&flight.rig), 0));
	flight_fini(&flight);
}

static void submit_after_arming_makes_the_handle_readable(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	assert_success(doca_pe_request_notification(flight.rig.pe));
	assert_false(test_is_readable(handle_of(&flight.rig), 0));
	(void)submit(&flight, 1);
	assert_true(test_is_readable(handle_of(&flight.rig), 0));
	flight_fini(&flight);
}

static void stop_with_nothing_left_ends_at_once(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	dma_rig_copy(&flight.rig, flight.src, flight.dst);
	assert_success(doca_ctx_stop(flight.rig.ctx));
	assert_heard(flight.heard, "running>stopping stopping>idle");
	flight_fini(&flight);
}

static void stop_flushes_what_is_in_flight_in_order(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 2);
	(void)submit(&flight, 1);
	(void)submit(&flight, 2);
	assert_error(doca_ctx_stop(flight.rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(flight.heard, "running>stopping");
	assert_hears(flight.heard, flight.rig.pe, "IO_FAILED(1) IO_FAILED(2) stopping>idle");
	flight_fini(&flight);
}

static void stop_in_the_middle_of_a_copy_flushes_it(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	set_len(&flight, BIG);
	(void)submit(&flight, 1);
	assert_int_equal(doca_pe_progress(flight.rig.pe), 0);
	assert_memory_equal(flight.rig.memory.bytes + BIG, flight.rig.memory.bytes, SLICE);
	assert_error(doca_ctx_stop(flight.rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(flight.heard, "running>stopping");
	assert_hears(flight.heard, flight.rig.pe, "IO_FAILED(1) stopping>idle");
	assert_int_equal(dma_rig_data_len(flight.dst), 0);
	flight_fini(&flight);
}

static void stop_in_the_last_callback_ends_later(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	flight.heard->on_task = heard_free_and_stop;
	(void)submit(&flight, 1);
	(void)dma_rig_deliver(&flight.rig);
	assert_error(flight.heard->result, DOCA_ERROR_IN_PROGRESS);
	assert_heard(flight.heard, "ok(1) +running>stopping");
	assert_hears(flight.heard, flight.rig.pe, "stopping>idle");
	flight_fini(&flight);
}

static void unfreed_task_holds_stopping_and_is_not_submitted(void **state)
{
	struct doca_task *task;
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	task = dma_rig_task(&flight.rig, flight.src, flight.dst, 1);
	assert_error(doca_ctx_stop(flight.rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_int_equal(doca_pe_progress(flight.rig.pe), 0);
	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "not running");
	doca_task_free(task);
	assert_heard(flight.heard, "running>stopping");
	assert_hears(flight.heard, flight.rig.pe, "stopping>idle");
	flight_fini(&flight);
}

static void destroy(struct heard *heard)
{
	struct dma_rig *rig = heard->owner;

	assert_success(doca_dma_destroy(rig->dma));
	rig->dma = NULL;
}

static void context_may_be_destroyed_when_it_says_that_it_is_idle(void **state)
{
	struct flight flight;

	(void)state;
	flight_init(&flight, 1);
	flight.heard->on_state[DOCA_CTX_STATE_IDLE] = destroy;
	(void)submit(&flight, 1);
	assert_error(doca_ctx_stop(flight.rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(flight.heard, "running>stopping");
	assert_hears(flight.heard, flight.rig.pe, "IO_FAILED(1) stopping>idle");
	assert_null(flight.rig.dma);
	flight_fini(&flight);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_completes_inside_submit),
		TEST(each_progress_delivers_one_callback),
		TEST(tasks_complete_in_the_order_of_submit),
		TEST(task_without_the_flush_flag_completes_too),
		TEST(task_in_flight_is_neither_submitted_nor_freed),
		TEST(task_is_submitted_again_in_its_callback_with_other_bufs),
		TEST(task_is_freed_and_taken_again_in_its_callback),
		TEST(progress_in_a_callback_does_nothing),
		TEST(copy_takes_a_call_for_each_slice),
		TEST(slices_count_bytes_and_not_elements),
		TEST(other_contexts_are_driven_between_slices),
		TEST(tasks_of_two_contexts_take_turns),
		TEST(unfinished_copy_makes_an_armed_handle_readable),
		TEST(submit_after_arming_makes_the_handle_readable),
		TEST(stop_with_nothing_left_ends_at_once),
		TEST(stop_flushes_what_is_in_flight_in_order),
		TEST(stop_in_the_middle_of_a_copy_flushes_it),
		TEST(stop_in_the_last_callback_ends_later),
		TEST(unfreed_task_holds_stopping_and_is_not_submitted),
		TEST(context_may_be_destroyed_when_it_says_that_it_is_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
