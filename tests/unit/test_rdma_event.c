/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeping on the engine's handle, and targets whose application does nothing at all. */
#include <string.h>

#include "fixture.h"
#include "rdma_rig.h"

#define NUM_ROUNDS 2000

static int handle_of(struct rdma_side *side)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(side->pe, &handle));
	return handle;
}

struct readable_args {
	int timeout_ms;
	int is_readable;
};

static void readable_step(struct rdma_side *side, void *args)
{
	struct readable_args *of = args;

	of->is_readable = test_is_readable(handle_of(side), of->timeout_ms);
}

static int is_readable(struct rdma_side *side, int timeout_ms)
{
	struct readable_args args = { .timeout_ms = timeout_ms };

	rdma_at(side, readable_step, &args, sizeof(args));
	return args.is_readable;
}

static void arm_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	assert_success(doca_pe_request_notification(side->pe));
}

static void arm(struct rdma_side *side)
{
	rdma_at(side, arm_step, NULL, 0);
}

/* One cycle of event mode; fails when the handle stays silent. */
static void sleep_once(struct rdma_side *side)
{
	assert_success(doca_pe_request_notification(side->pe));
	assert_true(test_is_readable(handle_of(side), 10000));
	assert_success(doca_pe_clear_notification(side->pe, 0));
	while (doca_pe_progress(side->pe) != 0)
		continue;
}

static void sleep_step(struct rdma_side *side, void *args)
{
	while (side->heard.num_words < *(unsigned int *)args)
		sleep_once(side);
}

static void sleep_until(struct rdma_side *side, unsigned int num_words)
{
	rdma_at(side, sleep_step, &num_words, sizeof(num_words));
}

/* rdma trap 6 */
static void completion_before_arming_wakes(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
	rdma_hears(&pair.a, "ok(2)"); /* so it has completed at b */

	sleep_until(&pair.b, 1); /* the engine's thread may still have the lease, and wakes again */

	rdma_heard(&pair.b, "ok(1)");
	rdma_pair_fini(&pair);
}

/* rdma trap 7 */
static void drained_engine_is_silent(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
	sleep_until(&pair.b, 1);
	assert_false(is_readable(&pair.b, 0));
	rdma_pair_fini(&pair);
}

/* rdma trap 6. Ping-pong by events in one thread: whatever drives a side, no wake-up is lost. */
static void no_wake_up_is_lost(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (unsigned int i = 0; i < NUM_ROUNDS; i++) {
		struct rdma_side *from = i % 2 == 0 ? &pair.a : &pair.b;
		struct rdma_side *to = i % 2 == 0 ? &pair.b : &pair.a;

		rdma_submit(to, rdma_receive_task(to, NULL, 1));
		rdma_submit(from, rdma_send_task(from, NULL, 2));
		if (i % 200 == 0) /* the engine takes its sockets back meanwhile */
			assert_false(is_readable(from, 3));
		sleep_until(to, 1);
		sleep_until(from, 1);
		rdma_heard(to, "ok(1)");
		rdma_heard(from, "ok(2)");
	}
	rdma_pair_fini(&pair);
}

/* rdma trap 1 */
static void target_may_be_asleep(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memcpy(pair.a.bytes, "passive", 7);
	for (unsigned int i = 0; i < 200; i++) {
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 7),
					    rdma_remote_buf(&pair.a, &pair.b, 0, 7, 0), 1));
		rdma_submit(&pair.a,
			    rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 7, 7),
					   rdma_room(&pair.a, 100, 7), 2));
		rdma_hears(&pair.a, "ok(1) ok(2)");
		rdma_put_bufs(&pair.a);
	}
	assert_memory_equal(pair.a.bytes + 100, "passive", 7);
	rdma_pair_fini(&pair);
}

/* rdma traps 1, 7. An armed engine whose application sleeps elsewhere is served too, and not woken
 * for nothing. */
static void armed_target_is_served(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 0));
	rdma_submit(&pair.b, rdma_write_task(&pair.b, NULL, NULL, 0));
	rdma_hears(&pair.a, "ok(0)");
	rdma_hears(&pair.b, "ok(0)"); /* it has the lease */
	arm(&pair.b);
	assert_false(is_readable(&pair.b, 20)); /* and has lost it */
	memcpy(pair.a.bytes, "armed", 5);

	rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 5),
					     rdma_remote_buf(&pair.a, &pair.b, 0, 5, 0), 1));

	rdma_hears(&pair.a, "ok(1)");
	assert_memory_equal(pair.b.bytes, "armed", 5);
	assert_false(is_readable(&pair.b, 0));
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 3));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 4));
	assert_true(is_readable(&pair.b, 10000));
	sleep_until(&pair.b, 1);
	rdma_heard(&pair.b, "ok(3)");
	rdma_hears(&pair.a, "ok(4)");
	rdma_pair_fini(&pair);
}

/* rdma trap 6 */
static void end_of_a_connection_wakes(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_write_task(&pair.a, NULL, NULL, 0));
	rdma_hears(&pair.a, "ok(0)");
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	arm(&pair.a);

	assert_success(rdma_stop(&pair.b));

	assert_true(is_readable(&pair.a, 10000));
	sleep_until(&pair.a, 1);
	rdma_heard(&pair.a, "IO_FAILED(1)");
	test_take_log("gone");
	rdma_pair_fini(&pair);
}

/* rdma trap 6 */
static void retry_timer_wakes(void **state)
{
	const struct rdma_conf conf = { .rnr_retry_count = 1, .has_rnr = true };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));

	sleep_until(&pair.a, 1);

	rdma_heard(&pair.a, "IO_FAILED(1)");
	test_take_log("in time");
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(completion_before_arming_wakes),
		RDMA_TEST(drained_engine_is_silent),
		RDMA_TEST(no_wake_up_is_lost),
		RDMA_TEST(target_may_be_asleep),
		RDMA_TEST(armed_target_is_served),
		RDMA_TEST(end_of_a_connection_wakes),
		RDMA_TEST(retry_timer_wakes),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
