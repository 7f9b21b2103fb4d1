/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a message waits for a receive, when it does not for ever. */
#include "rdma_rig.h"

#define RETRY_NS    (UINT64_C(100) * 1000000)
#define PATIENCE_NS (UINT64_C(10) * 1000000000)

/* How long it takes until a send over a lane that is open has failed. */
static uint64_t time_to_fail(uint8_t count)
{
	const struct rdma_conf conf = { .rnr_retry_count = count, .has_rnr = true };
	struct rdma_pair pair;
	uint64_t begin_ns, end_ns;

	rdma_pair_init(&pair, &conf);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 0));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 0));
	rdma_hears(&pair.a, "ok(0)");
	rdma_hears(&pair.b, "ok(0)");

	begin_ns = test_now_ns();
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 1));
	rdma_hears(&pair.a, "IO_FAILED(1)");
	end_ns = test_now_ns();

	test_take_log("no receive in time");
	rdma_pair_fini(&pair);
	return end_ns - begin_ns;
}

/* Never sooner; nor later, but a machine that is busy may keep one of the tries from being so. */
static void assert_fails_after(uint8_t count)
{
	uint64_t end_ns = test_now_ns() + PATIENCE_NS, least_ns = UINT64_MAX;

	while (least_ns >= (count + 1) * RETRY_NS && test_now_ns() < end_ns) {
		uint64_t took_ns = time_to_fail(count);

		assert_true(took_ns >= count * RETRY_NS);
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	assert_true(least_ns < (count + 1) * RETRY_NS);
}

static void without_retries_it_fails_at_once(void **state)
{
	(void)state;
	assert_fails_after(0);
}

static void one_retry_lasts_a_tenth_of_a_second(void **state)
{
	(void)state;
	assert_fails_after(1);
}

static void three_retries_last_three_of_them(void **state)
{
	(void)state;
	assert_fails_after(3);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(without_retries_it_fails_at_once),
		RDMA_TEST(one_retry_lasts_a_tenth_of_a_second),
		RDMA_TEST(three_retries_last_three_of_them),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
