/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call of progress brings, of which context, and what it returns. */
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define KEEPALIVES_S 6 /* more than five intervals */
#define PATIENCE_NS  UINT64_C(10000000000)
#define SETTLE_NS    UINT64_C(1000000000)
#define FLOOD_TASKS  16
#define FLOOD_EVENTS 2000
#define LEN(array)   (sizeof(array) / sizeof((array)[0]))

/* trap 1 */
static void progress_counts_what_it_delivers_and_nothing_else(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);

	urom_host_send(&host, worker, UROM_TEST_ECHO_LATER, 200, 1);

	/* Each call returns what was heard in it. */
	assert_hears(&host.heard, host.pe, "ok(1)");
	for (unsigned int i = 0; i < 10000; i++)
		assert_int_equal(doca_pe_progress(host.pe), 0);
	urom_host_fini(&host);
}

/* trap 2 */
static void answers_of_one_turn_are_events_of_their_own(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);
	for (uint64_t i = 1; i <= 4; i++)
		urom_host_send(&host, worker, UROM_TEST_ECHO_TOGETHER, 4, i);
	assert_hears(&host.heard, host.pe, "ok(1) ok(2) ok(3) ok(4)");
	urom_host_fini(&host);
}

/* trap 3 */
static void nothing_completes_inside_submit(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);
	for (uint64_t i = 1; i <= 8; i++) {
		urom_host_send(&host, worker, UROM_TEST_ECHO, 0, i);
		usleep(2000); /* so that the answers of those before are there */
		assert_heard(&host.heard, "");
	}
	assert_hears(&host.heard, host.pe, "ok(1) ok(2) ok(3) ok(4) ok(5) ok(6) ok(7) ok(8)");
	urom_host_fini(&host);
}

/* trap 4 */
static void state_moves_on_the_workers_own_engine(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host, own;
	struct doca_ctx *ctx;
	unsigned int sum = 0;
	uint64_t end;

	(void)state;
	urom_host_init_running(&host);
	urom_host_init_bare(&own);
	worker = urom_host_worker_of(&own, host.service, 3, urom_host_plugin(&host));
	ctx = doca_urom_worker_as_ctx(worker);
	assert_error(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	/* The daemon's answer comes, and the service's engine has nothing to tell. */
	for (end = test_now_ns() + SETTLE_NS; test_now_ns() < end;) {
		assert_int_equal(doca_pe_progress(host.pe), 0);
		assert_int_equal(urom_host_state(ctx), DOCA_CTX_STATE_STARTING);
	}
	for (end = test_now_ns() + PATIENCE_NS; urom_host_state(ctx) == DOCA_CTX_STATE_STARTING;) {
		assert_true(test_now_ns() < end);
		sum += doca_pe_progress(own.pe);
	}
	assert_int_equal(sum, 1);
	assert_heard(&own.heard, UROM_WORKER_STARTS);

	assert_error(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
	for (end = test_now_ns() + PATIENCE_NS, sum = 0;
	     urom_host_state(ctx) != DOCA_CTX_STATE_IDLE;) {
		assert_true(test_now_ns() < end);
		assert_int_equal(doca_pe_progress(host.pe), 0);
		sum += doca_pe_progress(own.pe);
	}
	assert_int_equal(sum, 1);
	assert_heard(&own.heard, UROM_WORKER_STOPS);
	urom_host_fini(&own);
	urom_host_fini(&host);
}

/* trap 16 */
static void worker_lives_on_while_nobody_drives_it(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);
	sleep(KEEPALIVES_S);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

static void submit_for_ever(struct heard *heard)
{
	*(unsigned int *)heard->owner += 1;
	heard->num_words = 0;
	heard->text[0] = '\0';
	assert_success(doca_task_submit(heard->task));
}

/* trap 17 */
static void busy_worker_leaves_its_service_a_turn(void **state)
{
	struct doca_urom_worker *worker;
	uint64_t end = test_now_ns() + PATIENCE_NS;
	unsigned int num_events = 0;
	struct urom_host host;
	uint64_t ids[4];

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);
	host.heard.on_task = submit_for_ever;
	host.heard.owner = &num_events;
	for (unsigned int i = 0; i < FLOOD_TASKS; i++)
		urom_host_send(&host, worker, UROM_TEST_ECHO, 0, i);
	for (unsigned int i = 0; i < FLOOD_EVENTS; i += doca_pe_progress(host.pe))
		assert_true(test_now_ns() < end);
	num_events = 0;

	assert_int_equal(urom_host_group(&host, 1, ids, LEN(ids)), 0);

	/* The daemon needs its time too, but the flood of some seconds it may not take. */
	assert_true(num_events < 100 * FLOOD_EVENTS);
	urom_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(progress_counts_what_it_delivers_and_nothing_else),
		UROM_TEST(answers_of_one_turn_are_events_of_their_own),
		UROM_TEST(nothing_completes_inside_submit),
		UROM_TEST(state_moves_on_the_workers_own_engine),
		UROM_TEST(worker_lives_on_while_nobody_drives_it),
		UROM_TEST(busy_worker_leaves_its_service_a_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
