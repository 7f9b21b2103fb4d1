/* SPDX-License-Identifier: BSD-3-Clause */
/* Without memory: an error, everything as it was, and it works when there is memory again. */
#include <stdbool.h>
#include <stdlib.h>

#include "fixture.h"
#include "rdma/rdma.h"
#include "rdma_rig.h"

/* How many allocations of this thread, the test's, go well before one fails; negative: all do. */
static _Thread_local int num_good = -1;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool fails_now(void)
{
	if (num_good < 0)
		return false;
	return num_good-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails_now() ? NULL : __real_calloc(count, size);
}

static void fail_after(int good)
{
	num_good = good;
}

/* Had all allocations been made before the one that was to fail? Then there was none. */
static bool nothing_failed(void)
{
	bool is_over = num_good >= 0;

	num_good = -1;
	return is_over;
}

static void context_is_not_created(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_rdma *rdma = NULL;
	doca_error_t result;

	(void)state;
	fail_after(0);
	result = doca_rdma_create(dev, &rdma);
	assert_false(nothing_failed());
	assert_error(result, DOCA_ERROR_NO_MEMORY);
	assert_null(rdma);
	assert_success(doca_dev_close(dev)); /* which nobody holds */
}

static void start_stays_idle_and_can_be_tried_again(void **state)
{
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	for (int good = 0;; good++) {
		doca_error_t result;

		fail_after(good);
		result = doca_ctx_start(side.ctx);
		if (nothing_failed()) {
			assert_success(result);
			break;
		}
		if (result != DOCA_ERROR_INITIALIZATION)
			assert_error(result, DOCA_ERROR_NO_MEMORY);
		assert_true(test_num_logged() > 0);
		test_drop_log();
		rdma_heard(&side, "");
	}
	rdma_heard(&side, "idle>running");
	rdma_side_fini(&side);
}

static void export_and_connect_can_be_tried_again(void **state)
{
	struct rdma_side side;
	const void *blob = NULL;
	size_t len = 0;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	for (int good = 0;; good++) {
		doca_error_t result;

		fail_after(good);
		result = doca_rdma_export(side.rdma, &blob, &len, &side.conn);
		if (nothing_failed() && result == DOCA_SUCCESS)
			break;
		if (result == DOCA_SUCCESS) { /* it did without, as the C library may */
			assert_success(doca_rdma_connection_disconnect(side.conn));
			continue;
		}
		assert_error(result, DOCA_ERROR_CONNECTION_ABORTED);
		assert_true(test_num_logged() > 0);
		test_drop_log();
	}
	for (int good = 0;; good++) {
		doca_error_t result;

		fail_after(good);
		result = doca_rdma_connect(side.rdma, blob, len, side.conn);
		if (result == DOCA_SUCCESS)
			break;
		assert_false(nothing_failed());
		assert_error(result, DOCA_ERROR_CONNECTION_ABORTED);
		test_take_log("no memory");
	}
	num_good = -1;
	rdma_submit(&side, rdma_receive_task(&side, NULL, 1));
	rdma_submit(&side, rdma_send_task(&side, NULL, 2));
	rdma_hears(&side, "ok(1) ok(2)");
	rdma_side_fini(&side);
}

/* The object that it would have used again is still one that has ended. */
static void failed_export_leaves_ended_connections(void **state)
{
	struct doca_rdma_connection *ended[DRDMA_NUM_ENDED + 1];
	unsigned int num_failed = 0;
	struct rdma_blob blob;
	struct rdma_side side;

	(void)state;
	rdma_side_init(&side, NULL);
	rdma_side_start(&side);
	for (size_t i = 0; i < DRDMA_NUM_ENDED + 1; i++) {
		rdma_export(&side, &blob, &ended[i]);
		assert_success(doca_rdma_connection_disconnect(ended[i]));
	}

	for (int good = 0; good < 3; good++) {
		const void *bytes;
		size_t len;

		fail_after(good);
		if (doca_rdma_export(side.rdma, &bytes, &len, &side.conn) == DOCA_SUCCESS)
			assert_success(doca_rdma_connection_disconnect(side.conn));
		else
			num_failed++;
		num_good = -1;
	}

	assert_true(num_failed > 1);
	test_drop_log();
	for (size_t i = 0; i < DRDMA_NUM_ENDED + 1; i++)
		assert_refused(rdma_connect_to(&side, &blob, ended[i]), DOCA_ERROR_BAD_STATE,
			       "has ended");
	rdma_side_fini(&side);
}

static void tasks_need_no_memory(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *src;

	(void)state;
	rdma_pair_init(&pair, NULL);
	src = rdma_data(&pair.a, 0, 10000);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 0));
	rdma_submit(&pair.b, rdma_write_task(&pair.b, NULL, NULL, 0));
	rdma_hears(&pair.a, "ok(0)"); /* they are connected */
	rdma_hears(&pair.b, "ok(0)");
	fail_after(0);

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 10000), 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, src, 2));
	rdma_drive(&pair, &pair.a, 1);
	rdma_drive(&pair, &pair.b, 1);

	assert_true(nothing_failed());
	rdma_heard(&pair.a, "ok(2)");
	rdma_heard(&pair.b, "ok(1)");
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(context_is_not_created),
		RDMA_TEST(start_stays_idle_and_can_be_tried_again),
		RDMA_TEST(export_and_connect_can_be_tried_again),
		RDMA_TEST_ALONE(failed_export_leaves_ended_connections),
		RDMA_TEST(tasks_need_no_memory),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
