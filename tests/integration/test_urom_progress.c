/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call of progress brings, of which context, and what it returns. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define KEEPALIVES_S 6 /* more than five intervals */
#define PATIENCE_NS  UINT64_C(10000000000)
#define PATIENCE_MS  10000
#define MAX_FDS      1024
#define SETTLE_NS    UINT64_C(1000000000)
#define FLOOD_TASKS  16
#define FLOOD_EVENTS 2000

/*
 * Of progress, until an answer that is there is delivered: a turn of the worker before that of the
 * service, and an event of the worker that is heard before; and as many again.
 */
#define MAX_CALLS 6

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

/* The connection of this process to the daemon. */
static int find_control_path(const struct urom_rig *rig)
{
	for (int fd = 0; fd < MAX_FDS; fd++) {
		struct sockaddr_in peer = { 0 };
		socklen_t len = sizeof(peer);

		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
		    peer.sin_family == AF_INET && ntohs(peer.sin_port) == rig->port)
			return fd;
	}
	fail_msg("there is no connection to the daemon");
	return -1;
}

static void note_answer(struct doca_urom_service_get_workers_by_gid_task *task,
			union doca_data task_user_data, union doca_data ctx_user_data)
{
	(void)ctx_user_data;
	*(bool *)task_user_data.ptr = true;
	assert_success(
	    doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task)));
	assert_success(doca_urom_service_get_workers_by_gid_task_release(task));
}

/* Asks for a group, and waits without progress until the answer is there. */
static void ask_for_group(const struct urom_rig *rig, struct urom_host *host, bool *is_over)
{
	struct doca_urom_service_get_workers_by_gid_task *task;
	struct doca_task *as_task;

	assert_success(doca_urom_service_get_workers_by_gid_task_allocate_init(host->service, 1,
									       note_answer, &task));
	as_task = doca_urom_service_get_workers_by_gid_task_as_task(task);
	doca_task_set_user_data(as_task, (union doca_data){ .ptr = is_over });
	assert_success(doca_task_submit(as_task));
	assert_true(test_is_readable(find_control_path(rig), PATIENCE_MS));
}

/* trap 17 */
static void busy_worker_leaves_its_service_a_turn(void **state)
{
	struct doca_urom_worker *worker;
	uint64_t end = test_now_ns() + PATIENCE_NS;
	unsigned int num_events = 0, num_calls = 0;
	bool is_over = false;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 3);
	host.heard.on_task = submit_for_ever;
	host.heard.owner = &num_events;
	for (unsigned int i = 0; i < FLOOD_TASKS; i++)
		urom_host_send(&host, worker, UROM_TEST_ECHO, 0, i);
	for (unsigned int i = 0; i < FLOOD_EVENTS; i += doca_pe_progress(host.pe))
		assert_true(test_now_ns() < end);

	/* What the worker has answered meanwhile is more than as many calls can deliver. */
	ask_for_group(*state, &host, &is_over);
	num_events = 0;
	while (!is_over && num_calls < FLOOD_TASKS) {
		(void)doca_pe_progress(host.pe);
		num_calls++;
	}
	if (num_calls > MAX_CALLS)
		fail_msg("its answer took %u calls, with %u events of the worker", num_calls,
			 num_events);
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
