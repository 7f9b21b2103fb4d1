/* SPDX-License-Identifier: BSD-3-Clause */

/* DMA tasks that are refused, and those that fail and take their context with them. */

#include <doca_dma.h>

#include <stdbool.h>
#include <string.h>

#include "dma_rig.h"
#include "test.h"

#define LEN      4096u
#define NUM_BUFS 160
#define GIB      (1024u * 1024 * 1024)

/* A rig with a source of 8 bytes, a destination with room for them, and a source without data. */
struct errors {
	struct dma_rig rig;
	struct heard *heard;
	struct doca_buf *src, *dst, *empty;
};

static void errors_init(struct errors *errors)
{
	dma_rig_init(&errors->rig, LEN, NUM_BUFS, 4);
	errors->heard = &errors->rig.heard;
	errors->src = fixture_buf(&errors->rig.memory, 0, 8, 0, 8);
	errors->dst = fixture_buf(&errors->rig.memory, 64, 64, 0, 0);
	errors->empty = fixture_buf(&errors->rig.memory, 0, 8, 0, 0);
}

static void errors_fini(struct errors *errors)
{
	fixture_buf_put(errors->src);
	fixture_buf_put(errors->dst);
	fixture_buf_put(errors->empty);
	dma_rig_fini(&errors->rig);
}

static void assert_copies(struct errors *errors)
{
	assert_success(doca_buf_reset_data_len(errors->dst));
	dma_rig_copy(&errors->rig, errors->src, errors->dst);
	assert_int_equal(dma_rig_data_len(errors->dst), 8);
}

/*
 * Both ways to submit refuse the task with one line, and nothing has changed: the task can still be
 * set, the context copies.
 */
static void assert_task_refused(struct errors *errors, const struct doca_buf *src,
				struct doca_buf *dst, doca_error_t error, const char *part)
{
	struct doca_task *task = dma_rig_task(&errors->rig, src, dst, 0);
	size_t num_inflight;

	assert_refused(doca_task_submit(task), error, part);
	assert_refused(doca_task_try_submit(task), error, part);
	assert_success(doca_ctx_get_num_inflight_tasks(errors->rig.ctx, &num_inflight));
	assert_int_equal(num_inflight, 0);
	assert_int_equal(doca_pe_progress(errors->rig.pe), 0);
	doca_dma_task_memcpy_set_src(dma_rig_memcpy(task), errors->src);
	doca_dma_task_memcpy_set_dst(dma_rig_memcpy(task), errors->dst);
	doca_task_free(task);
	assert_copies(errors);
}

/* The same for a buf that is as bad a source as it is a destination. */
static void assert_buf_refused(struct errors *errors, struct doca_buf *buf, doca_error_t error,
			       const char *part)
{
	assert_task_refused(errors, buf, errors->dst, error, part);
	assert_task_refused(errors, errors->src, buf, error, part);
}

static struct doca_buf *buf_in(struct errors *errors, struct doca_mmap *mmap, void *addr,
			       size_t len, size_t data_len)
{
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(errors->rig.memory.inventory, mmap, addr,
							  len, addr, data_len, &buf));
	return buf;
}

static void unset_buf_is_refused(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	assert_task_refused(&errors, NULL, errors.dst, DOCA_ERROR_INVALID_VALUE,
			    "source is not set");
	assert_task_refused(&errors, errors.src, NULL, DOCA_ERROR_INVALID_VALUE,
			    "destination is not set");
	errors_fini(&errors);
}

static void buf_that_was_unset_again_is_refused(void **state)
{
	struct doca_task *task;
	struct errors errors;

	(void)state;
	errors_init(&errors);
	task = dma_rig_task(&errors.rig, errors.src, errors.dst, 0);
	doca_dma_task_memcpy_set_src(dma_rig_memcpy(task), NULL);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "source is not set");
	doca_dma_task_memcpy_set_src(dma_rig_memcpy(task), errors.src);
	doca_dma_task_memcpy_set_dst(dma_rig_memcpy(task), NULL);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "destination is not set");
	doca_task_free(task);
	errors_fini(&errors);
}

static void buf_that_was_given_back_is_refused(void **state)
{
	struct errors errors;
	struct doca_buf *buf;

	(void)state;
	errors_init(&errors);
	buf = fixture_buf(&errors.rig.memory, 128, 64, 0, 8);
	fixture_buf_put(buf);
	assert_buf_refused(&errors, buf, DOCA_ERROR_INVALID_VALUE, "free");
	errors_fini(&errors);
}

static void element_inside_a_list_is_refused(void **state)
{
	struct doca_buf *list, *inner;
	struct errors errors;

	(void)state;
	errors_init(&errors);
	list = fixture_buf(&errors.rig.memory, 128, 64, 0, 8);
	inner = fixture_buf(&errors.rig.memory, 192, 64, 0, 8);
	assert_success(doca_buf_chain_list(list, inner));
	assert_buf_refused(&errors, inner, DOCA_ERROR_INVALID_VALUE, "not the first");
	fixture_buf_put(list);
	errors_fini(&errors);
}

static void list_of_65_elements_is_refused(void **state)
{
	struct errors errors;
	struct doca_buf *list;

	(void)state;
	errors_init(&errors);
	list = fixture_buf(&errors.rig.memory, 128, 2, 0, 1);
	for (size_t i = 1; i < 65; i++)
		assert_success(doca_buf_chain_list(
		    list, fixture_buf(&errors.rig.memory, 128 + 2 * i, 2, 0, 1)));
	assert_buf_refused(&errors, list, DOCA_ERROR_INVALID_VALUE, "too long");
	fixture_buf_put(list);
	errors_fini(&errors);
}

static void imported_mmap_is_refused(void **state)
{
	const uint32_t permissions = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
				     DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE;
	struct doca_mmap *exported, *imported;
	const void *blob;
	size_t blob_len;
	struct errors errors;
	char bytes[64];
	struct doca_buf *buf;

	(void)state;
	errors_init(&errors);
	exported = fixture_mmap_create(errors.rig.memory.dev, bytes, sizeof(bytes), permissions);
	assert_success(doca_mmap_export_rdma(exported, errors.rig.memory.dev, &blob, &blob_len));
	assert_success(
	    doca_mmap_create_from_export(NULL, blob, blob_len, errors.rig.memory.dev, &imported));
	buf = buf_in(&errors, imported, bytes, sizeof(bytes), 8);
	assert_buf_refused(&errors, buf, DOCA_ERROR_INVALID_VALUE, "imported");
	fixture_buf_put(buf);
	assert_success(doca_mmap_destroy(imported));
	fixture_mmap_destroy(exported);
	errors_fini(&errors);
}

static void mmap_without_the_device_is_refused(void **state)
{
	struct errors errors;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	char bytes[64];

	(void)state;
	errors_init(&errors);
	mmap = fixture_mmap_create(NULL, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	buf = buf_in(&errors, mmap, bytes, sizeof(bytes), 8);
	assert_buf_refused(&errors, buf, DOCA_ERROR_INVALID_VALUE, "without this device");
	fixture_buf_put(buf);
	fixture_mmap_destroy(mmap);
	errors_fini(&errors);
}

static void later_element_of_a_foreign_mmap_is_refused(void **state)
{
	struct errors errors;
	struct doca_mmap *mmap;
	struct doca_buf *list;
	char bytes[64];

	(void)state;
	errors_init(&errors);
	mmap = fixture_mmap_create(NULL, bytes, sizeof(bytes), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	list = fixture_buf(&errors.rig.memory, 128, 64, 0, 8);
	assert_success(doca_buf_chain_list(list, buf_in(&errors, mmap, bytes, sizeof(bytes), 8)));
	assert_buf_refused(&errors, list, DOCA_ERROR_INVALID_VALUE, "without this device");
	fixture_buf_put(list);
	fixture_mmap_destroy(mmap);
	errors_fini(&errors);
}

static void read_only_mmap_is_a_source_and_no_destination(void **state)
{
	char bytes[64] = "readable";
	struct errors errors;
	struct doca_mmap *mmap;
	struct doca_buf *buf, *list;

	(void)state;
	errors_init(&errors);
	mmap = fixture_mmap_create(errors.rig.memory.dev, bytes, sizeof(bytes),
				   DOCA_ACCESS_FLAG_LOCAL_READ_ONLY);
	buf = buf_in(&errors, mmap, bytes, sizeof(bytes), 8);
	assert_task_refused(&errors, errors.src, buf, DOCA_ERROR_NOT_PERMITTED,
			    "without local write");
	assert_success(doca_buf_reset_data_len(errors.dst));
	dma_rig_copy(&errors.rig, buf, errors.dst);
	assert_memory_equal(errors.rig.memory.bytes + 64, "readable", 8);
	list = fixture_buf(&errors.rig.memory, 128, 64, 0, 8);
	assert_success(doca_buf_chain_list(list, buf));
	assert_task_refused(&errors, errors.src, list, DOCA_ERROR_NOT_PERMITTED,
			    "without local write");
	fixture_buf_put(list);
	fixture_mmap_destroy(mmap);
	errors_fini(&errors);
}

/* With thread safety a mmap does not count its bufs, so it can be stopped under them. */
static void mmap_that_was_stopped_is_refused(void **state)
{
	struct errors errors;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	char bytes[64];

	(void)state;
	errors_init(&errors);
	mmap = fixture_mmap_create(errors.rig.memory.dev, bytes, sizeof(bytes),
				   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	assert_success(doca_mmap_stop(mmap));
	assert_success(doca_mmap_enable_thread_safety(mmap));
	assert_success(doca_mmap_start(mmap));
	buf = buf_in(&errors, mmap, bytes, sizeof(bytes), 8);
	assert_success(doca_mmap_stop(mmap));
	assert_buf_refused(&errors, buf, DOCA_ERROR_BAD_STATE, "not started");
	fixture_buf_put(buf);
	assert_success(doca_mmap_destroy(mmap));
	errors_fini(&errors);
}

/* The range is never touched: a number for its address is enough. */
static void copy_of_more_than_2_gib_is_refused(void **state)
{
	char *base = (char *)(uintptr_t)0x10000;
	struct doca_buf *first, *src, *dst;
	struct doca_mmap *mmap;
	struct errors errors;
	struct doca_task *task;

	(void)state;
	errors_init(&errors);
	mmap = fixture_mmap_create(errors.rig.memory.dev, base, 8 * (size_t)GIB,
				   DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	first = buf_in(&errors, mmap, base, GIB, GIB);
	src = buf_in(&errors, mmap, base + GIB, GIB + 1, GIB);
	dst = buf_in(&errors, mmap, base + 4 * (size_t)GIB, 3 * (size_t)GIB, 0);
	assert_success(doca_buf_chain_list(first, src));
	task = dma_rig_task(&errors.rig, first, dst, 1);
	assert_success(doca_buf_set_data_len(src, GIB + 1));
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "too big");
	assert_success(doca_buf_set_data_len(src, GIB));
	assert_success(doca_task_submit(task));
	assert_error(doca_ctx_stop(errors.rig.ctx), DOCA_ERROR_IN_PROGRESS);
	assert_heard(errors.heard, "running>stopping");
	assert_hears(errors.heard, errors.rig.pe, "IO_FAILED(1) stopping>idle");
	fixture_buf_put(first);
	fixture_buf_put(dst);
	fixture_mmap_destroy(mmap);
	errors_fini(&errors);
}

/* What only the contents of the bufs show: each row makes one task that cannot be done. */
struct flaw {
	const char *part;
	size_t src_data_len;
	size_t dst_len, dst_data_len;
};

static const struct flaw flaws[] = {
	{ "no data", 0, 64, 0 },     /* nothing to copy */
	{ "too little", 8, 7, 0 },   /* a byte too few */
	{ "too little", 8, 16, 16 }, /* such as get_by_data gives a destination: full */
	{ "too little", 8, 0, 0 },
};

#define NUM_FLAWS (sizeof(flaws) / sizeof(flaws[0]))

static struct doca_task *flawed_task(struct errors *errors, const struct flaw *flaw,
				     uint64_t number)
{
	char *at = errors->rig.memory.bytes + 64;

	assert_success(doca_buf_set_data_len(errors->src, flaw->src_data_len));
	assert_success(doca_buf_inventory_buf_reuse_by_args(errors->dst, at, flaw->dst_len, at,
							    flaw->dst_data_len));
	return dma_rig_task(&errors->rig, errors->src, errors->dst, number);
}

static void try_submit_refuses_what_would_fail_and_harms_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_FLAWS; i++) {
		struct errors errors;
		struct doca_task *task;

		errors_init(&errors);
		task = flawed_task(&errors, &flaws[i], 0);
		assert_refused(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE, flaws[i].part);
		assert_int_equal(doca_pe_progress(errors.rig.pe), 0);
		doca_task_free(task);
		assert_success(doca_buf_set_data_len(errors.src, 8));
		assert_success(doca_buf_inventory_buf_reuse_by_addr(
		    errors.dst, errors.rig.memory.bytes + 64, 64));
		assert_copies(&errors);
		errors_fini(&errors);
	}
}

static void failed_task_stops_its_context_in_a_later_call(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_FLAWS; i++) {
		struct errors errors;

		errors_init(&errors);
		assert_success(doca_task_submit(flawed_task(&errors, &flaws[i], 1)));
		assert_hears(errors.heard, errors.rig.pe, "INVALID_VALUE(1)");
		test_take_log(flaws[i].part);
		assert_int_equal(doca_pe_progress(errors.rig.pe), 1);
		assert_heard(errors.heard, "running>stopping");
		assert_hears(errors.heard, errors.rig.pe, "stopping>idle");
		assert_int_equal(dma_rig_data_len(errors.dst), flaws[i].dst_data_len);
		errors_fini(&errors);
	}
}

static void submit_three_the_second_flawed(struct errors *errors)
{
	(void)dma_rig_submit(&errors->rig, errors->src, errors->dst, 1);
	(void)dma_rig_submit(&errors->rig, errors->empty, errors->dst, 2);
	(void)dma_rig_submit(&errors->rig, errors->src, errors->dst, 3);
}

static void tasks_behind_a_failed_one_are_flushed(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	submit_three_the_second_flawed(&errors);
	assert_hears(errors.heard, errors.rig.pe,
		     "ok(1) INVALID_VALUE(2) running>stopping IO_FAILED(3) stopping>idle");
	test_take_log("no data");
	assert_int_equal(dma_rig_data_len(errors.dst), 8);
	errors_fini(&errors);
}

static void failed_context_is_idle_only_when_each_task_is_freed(void **state)
{
	struct doca_task *kept;
	struct errors errors;

	(void)state;
	errors_init(&errors);
	kept = dma_rig_task(&errors.rig, NULL, NULL, 4);
	submit_three_the_second_flawed(&errors);
	assert_hears(errors.heard, errors.rig.pe,
		     "ok(1) INVALID_VALUE(2) running>stopping IO_FAILED(3)");
	test_take_log("no data");
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(doca_pe_progress(errors.rig.pe), 0);
	doca_task_free(kept);
	assert_hears(errors.heard, errors.rig.pe, "stopping>idle");
	errors_fini(&errors);
}

static void failed_context_can_be_started_again(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	submit_three_the_second_flawed(&errors);
	fixture_progress_to(errors.rig.pe, errors.rig.ctx, DOCA_CTX_STATE_IDLE);
	test_take_log("no data");
	assert_success(doca_ctx_start(errors.rig.ctx));
	assert_heard(errors.heard,
		     "ok(1) INVALID_VALUE(2) running>stopping IO_FAILED(3) stopping>idle "
		     "idle>running");
	assert_copies(&errors);
	errors_fini(&errors);
}

static void task_submitted_in_the_error_callback_is_flushed(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	errors.heard->on_task = heard_submit_again;
	(void)dma_rig_submit(&errors.rig, errors.empty, errors.dst, 1);
	assert_hears(errors.heard, errors.rig.pe, "INVALID_VALUE(1) running>stopping");
	assert_success(errors.heard->result);
	test_take_log("no data");
	errors.heard->on_task = NULL;
	assert_hears(errors.heard, errors.rig.pe, "IO_FAILED(1) stopping>idle");
	errors_fini(&errors);
}

static void stop_in_the_error_callback_is_the_only_stop(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	errors.heard->on_task = heard_free_and_stop;
	assert_success(doca_task_submit(flawed_task(&errors, &flaws[0], 1)));
	assert_hears(errors.heard, errors.rig.pe, "INVALID_VALUE(1) +running>stopping");
	assert_error(errors.heard->result, DOCA_ERROR_IN_PROGRESS);
	test_take_log("no data");
	assert_hears(errors.heard, errors.rig.pe, "stopping>idle");
	errors_fini(&errors);
}

static void task_fails_when_one_before_it_has_filled_its_destination(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	assert_success(
	    doca_buf_inventory_buf_reuse_by_addr(errors.dst, errors.rig.memory.bytes + 64, 15));
	(void)dma_rig_submit(&errors.rig, errors.src, errors.dst, 1);
	(void)dma_rig_submit(&errors.rig, errors.src, errors.dst, 2);
	assert_hears(errors.heard, errors.rig.pe,
		     "ok(1) INVALID_VALUE(2) running>stopping stopping>idle");
	test_take_log("too little room");
	assert_int_equal(dma_rig_data_len(errors.dst), 8);
	assert_int_equal(errors.rig.memory.bytes[64 + 15], 0);
	errors_fini(&errors);
}

/* As a pipeline does, whose earlier callback takes what is in the buffer. */
static void room_counts_when_the_turn_of_the_task_comes(void **state)
{
	struct errors errors;

	(void)state;
	errors_init(&errors);
	assert_success(doca_buf_set_data_len(errors.dst, 64));
	(void)dma_rig_submit(&errors.rig, errors.src, errors.dst, 1);
	assert_success(doca_buf_reset_data_len(errors.dst));
	assert_hears(errors.heard, errors.rig.pe, "ok(1)");
	assert_int_equal(dma_rig_data_len(errors.dst), 8);
	errors_fini(&errors);
}

#define PATTERN_TASKS 255
#define PATTERN_BYTES 1024

struct pattern {
	struct dma_rig rig;
	struct doca_buf *src[PATTERN_TASKS], *dst[PATTERN_TASKS];
};

static void pattern_init(struct pattern *pattern)
{
	size_t total = 2u * PATTERN_TASKS * PATTERN_BYTES;

	dma_rig_init(&pattern->rig, total, 2u * PATTERN_TASKS, PATTERN_TASKS);
	for (size_t i = 0; i < PATTERN_TASKS; i++) {
		size_t at = 2 * i * PATTERN_BYTES;

		memset(pattern->rig.memory.bytes + at, (int)i, PATTERN_BYTES);
		pattern->src[i] = fixture_buf(&pattern->rig.memory, at, PATTERN_BYTES, 0,
					      i == 2 ? 0 : PATTERN_BYTES);
		pattern->dst[i] =
		    fixture_buf(&pattern->rig.memory, at + PATTERN_BYTES, PATTERN_BYTES, 0, 0);
	}
}

/* As the public sample has it: all are submitted, and nothing is driven in between. */
static void one_of_255_copies_without_data_ends_the_rest(void **state)
{
	struct pattern pattern;

	(void)state;
	pattern_init(&pattern);
	for (size_t i = 0; i < PATTERN_TASKS; i++)
		(void)dma_rig_submit(&pattern.rig, pattern.src[i], pattern.dst[i], i);
	assert_hears(&pattern.rig.heard, pattern.rig.pe,
		     "ok(0) ok(1) INVALID_VALUE(2) running>stopping IO_FAILED(3) IO_FAILED(4)");
	test_take_log("no data");
	fixture_progress_to(pattern.rig.pe, pattern.rig.ctx, DOCA_CTX_STATE_IDLE);
	assert_int_equal(pattern.rig.heard.num_words, PATTERN_TASKS - 5 + 1);
	for (size_t i = 0; i < PATTERN_TASKS; i++) {
		assert_int_equal(dma_rig_data_len(pattern.dst[i]), i < 2 ? PATTERN_BYTES : 0);
		fixture_buf_put(pattern.src[i]);
		fixture_buf_put(pattern.dst[i]);
	}
	dma_rig_fini(&pattern.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unset_buf_is_refused),
		TEST(buf_that_was_unset_again_is_refused),
		TEST(buf_that_was_given_back_is_refused),
		TEST(element_inside_a_list_is_refused),
		TEST(list_of_65_elements_is_refused),
		TEST(imported_mmap_is_refused),
		TEST(mmap_without_the_device_is_refused),
		TEST(later_element_of_a_foreign_mmap_is_refused),
		TEST(read_only_mmap_is_a_source_and_no_destination),
		TEST(mmap_that_was_stopped_is_refused),
		TEST(copy_of_more_than_2_gib_is_refused),
		TEST(try_submit_refuses_what_would_fail_and_harms_nothing),
		TEST(failed_task_stops_its_context_in_a_later_call),
		TEST(tasks_behind_a_failed_one_are_flushed),
		TEST(failed_context_is_idle_only_when_each_task_is_freed),
		TEST(failed_context_can_be_started_again),
		TEST(task_submitted_in_the_error_callback_is_flushed),
		TEST(stop_in_the_error_callback_is_the_only_stop),
		TEST(task_fails_when_one_before_it_has_filled_its_destination),
		TEST(room_counts_when_the_turn_of_the_task_comes),
		TEST(one_of_255_copies_without_data_ends_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
