/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of commands: what they carry, how many there may be, and their order. */
#include <string.h>

#include "test.h"
#include "urom_flow.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NUM_ORDERED   10000
#define NUM_IN_FLIGHT 16
#define USER_BYTES    32

/* A host with worker 1 RUNNING, with that number of tasks in flight. */
static struct doca_urom_worker *begin_with_inflight(struct urom_host *host, uint32_t max_tasks)
{
	struct doca_urom_worker *worker;

	urom_host_init_running(host);
	worker = urom_host_worker(host, 1);
	assert_success(doca_urom_worker_set_max_inflight_tasks(worker, max_tasks));
	urom_host_start_worker(host, worker);
	return worker;
}

static struct doca_task *as_task(struct doca_urom_worker_cmd_task *task)
{
	return doca_urom_worker_cmd_task_as_task(task);
}

/* --- what a task carries --- */

static void check_user_area(struct heard *heard)
{
	struct doca_urom_worker_cmd_task *task = *(struct doca_urom_worker_cmd_task **)heard->owner;
	const uint8_t *area = doca_urom_worker_cmd_task_get_user_data(task);

	for (size_t i = 0; i < USER_BYTES; i++)
		assert_int_equal(area[i], 0xc0 + i);
	memset(doca_urom_worker_cmd_task_get_user_data(task), 0xff, USER_BYTES);
	doca_task_free(heard->task);
}

/* trap 55 */
static void user_area_and_user_data_are_kept_apart(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 8);
	host.heard.on_task = check_user_area;
	host.heard.owner = &task;
	for (unsigned int i = 0; i < 3; i++) {
		uint8_t *area;

		task = urom_host_task(&host, worker, &(struct urom_command){ .number = 77 });
		area = doca_urom_worker_cmd_task_get_user_data(task);
		assert_int_equal((uintptr_t)area % 16, 0);
		for (size_t j = 0; j < USER_BYTES; j++) {
			assert_int_equal(area[j], 0);
			area[j] = (uint8_t)(0xc0 + j);
		}
		assert_success(doca_task_submit(as_task(task)));
		assert_hears(&host.heard, host.pe, "ok(77)");
	}
	urom_host_fini(&host);
}

static void task_without_callback_is_refused(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 8);
	assert_success(
	    doca_urom_worker_cmd_task_allocate_init(worker, urom_host_plugin(&host), &task));
	assert_refused(doca_task_submit(as_task(task)), DOCA_ERROR_INVALID_VALUE, "callback");
	assert_success(doca_urom_worker_cmd_task_release(task));
	urom_host_fini(&host);
}

/* --- how many --- */

static size_t in_flight(const struct doca_ctx *ctx)
{
	size_t count;

	assert_success(doca_ctx_get_num_inflight_tasks(ctx, &count));
	return count;
}

/* traps 56, 60 */
static void one_more_than_may_be_in_flight_can_be_submitted_later(void **state)
{
	struct doca_urom_worker_cmd_task *third;
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct doca_ctx *ctx;
	size_t of_engine;

	(void)state;
	worker = begin_with_inflight(&host, 2);
	ctx = doca_urom_worker_as_ctx(worker);
	assert_int_equal(in_flight(ctx), 0);
	urom_host_send(&host, worker, UROM_TEST_ECHO, 0, 1);
	urom_host_send(&host, worker, UROM_TEST_ECHO, 0, 2);
	third = urom_host_task(&host, worker, &(struct urom_command){ .number = 3 });

	assert_error(doca_task_submit(as_task(third)), DOCA_ERROR_AGAIN);

	assert_int_equal(in_flight(ctx), 2);
	assert_success(doca_pe_get_num_inflight_tasks(host.pe, &of_engine));
	assert_int_equal(of_engine, 2);
	assert_hears(&host.heard, host.pe, "ok(1)");
	assert_int_equal(in_flight(ctx), 1);
	assert_success(doca_task_submit(as_task(third)));
	assert_hears(&host.heard, host.pe, "ok(2) ok(3)");
	assert_int_equal(in_flight(ctx), 0);
	urom_host_fini(&host);
}

/* trap 36 */
static void number_in_flight_is_rounded_up_to_a_power_of_two(void **state)
{
	struct doca_urom_worker_cmd_task *fifth;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 3);
	for (uint64_t i = 1; i <= 4; i++)
		urom_host_send(&host, worker, UROM_TEST_ECHO_TOGETHER, 4, i);
	fifth = urom_host_task(&host, worker, &(struct urom_command){ .number = 5 });
	assert_error(doca_task_submit(as_task(fifth)), DOCA_ERROR_AGAIN);
	assert_success(doca_urom_worker_cmd_task_release(fifth));
	assert_hears(&host.heard, host.pe, "ok(1) ok(2) ok(3) ok(4)");
	urom_host_fini(&host);
}

static void four_times_as_many_can_be_allocated(void **state)
{
	struct doca_urom_worker_cmd_task *tasks[17];
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 4);
	for (size_t i = 0; i < 16; i++)
		assert_success(doca_urom_worker_cmd_task_allocate(worker, &tasks[i]));
	assert_error(doca_urom_worker_cmd_task_allocate(worker, &tasks[16]), DOCA_ERROR_NO_MEMORY);
	for (size_t i = 0; i < 16; i++)
		assert_success(doca_urom_worker_cmd_task_release(tasks[i]));
	assert_success(doca_urom_worker_cmd_task_allocate(worker, &tasks[0]));
	doca_task_free(as_task(tasks[0]));
	urom_host_fini(&host);
}

static void number_in_flight_may_change_between_starts(void **state)
{
	static const uint32_t numbers[] = { 8, 1, 2 };
	struct doca_urom_worker_cmd_task *more;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 2);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		urom_host_stop_worker(&host, worker);
		assert_success(doca_urom_worker_set_max_inflight_tasks(worker, numbers[i]));
		urom_host_start_worker(&host, worker);
		for (uint32_t j = 0; j < numbers[i]; j++)
			urom_host_send(&host, worker, UROM_TEST_ECHO_TOGETHER, numbers[i], 1);
		more = urom_host_task(&host, worker, &(struct urom_command){ .number = 2 });
		assert_error(doca_task_submit(as_task(more)), DOCA_ERROR_AGAIN);
		assert_success(doca_urom_worker_cmd_task_release(more));
		for (uint32_t j = 0; j < numbers[i]; j++)
			assert_hears(&host.heard, host.pe, "ok(1)");
	}
	urom_host_fini(&host);
}

static void task_that_is_kept_goes_on_after_a_start(void **state)
{
	struct doca_urom_worker_cmd_task *kept;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 2);
	kept = urom_host_task(&host, worker, &(struct urom_command){ .number = 1 });
	urom_host_stop_worker(&host, worker);
	assert_refused(doca_task_submit(as_task(kept)), DOCA_ERROR_BAD_STATE, "not running");

	/* Their number cannot change under it. */
	assert_success(doca_urom_worker_set_max_inflight_tasks(worker, 16));
	assert_refused(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_BAD_STATE,
		       "not freed");
	assert_success(doca_urom_worker_set_max_inflight_tasks(worker, 2));
	urom_host_start_worker(&host, worker);
	assert_success(doca_task_submit(as_task(kept)));
	assert_hears(&host.heard, host.pe, "ok(1)");

	/* And once it is given back, it can. */
	urom_host_stop_worker(&host, worker);
	assert_success(doca_urom_worker_set_max_inflight_tasks(worker, 16));
	urom_host_start_worker(&host, worker);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

static void submit_twice_more(struct heard *heard)
{
	unsigned int *num_left = heard->owner;

	if ((*num_left)-- == 0)
		doca_task_free(heard->task);
	else
		assert_success(doca_task_submit(heard->task));
}

/* trap 57 */
static void task_in_flight_is_not_released_and_can_go_again(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	unsigned int num_left = 2;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, 8);
	host.heard.on_task = submit_twice_more;
	host.heard.owner = &num_left;
	task = urom_host_submit(&host, worker, &(struct urom_command){ .number = 1 });
	assert_refused(doca_urom_worker_cmd_task_release(task), DOCA_ERROR_NOT_PERMITTED, "");
	assert_hears(&host.heard, host.pe, "ok(1) ok(1) ok(1)");
	assert_int_equal(in_flight(doca_urom_worker_as_ctx(worker)), 0);
	urom_host_fini(&host);
}

/* traps 37, 58 */
static void many_commands_in_flight_keep_their_order(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	worker = begin_with_inflight(&host, NUM_IN_FLIGHT);
	urom_flow_run(&host, worker, 0, 1, NUM_ORDERED, NUM_IN_FLIGHT);
	urom_host_fini(&host);
}

static void order_is_kept_over_framed_tcp_as_well(void **state)
{
	static const char *const args[] = { "--channel", "tcp", NULL };
	static const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	urom_rig_init(&rig, &options);
	many_commands_in_flight_keep_their_order(state);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(user_area_and_user_data_are_kept_apart),
		UROM_TEST(task_without_callback_is_refused),
		UROM_TEST(one_more_than_may_be_in_flight_can_be_submitted_later),
		UROM_TEST(number_in_flight_is_rounded_up_to_a_power_of_two),
		UROM_TEST(four_times_as_many_can_be_allocated),
		UROM_TEST(number_in_flight_may_change_between_starts),
		UROM_TEST(task_that_is_kept_goes_on_after_a_start),
		UROM_TEST(task_in_flight_is_not_released_and_can_go_again),
		UROM_TEST(many_commands_in_flight_keep_their_order),
		TEST(order_is_kept_over_framed_tcp_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
