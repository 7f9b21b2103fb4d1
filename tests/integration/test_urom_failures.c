/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugins that fail, and workers that die: what the host hears, and what is left. */
#include <signal.h>
#include <string.h>

#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static struct doca_urom_worker *begin(struct urom_host *host)
{
	urom_host_init_running(host);
	return urom_host_run_worker(host, 7);
}

/* --- plugins that cannot be opened --- */

static void check_no_start(const char *plugin, const char *part)
{
	const char *const plugins[] = { UROM_RIG_PLUGIN, plugin, NULL };
	const struct urom_rig_options options = { .plugins = plugins };
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct urom_rig rig;
	uint64_t ids;

	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	ids = urom_host_plugin(&host) | urom_host_plugin_named(&host, plugin);
	worker = urom_host_worker_of(&host, host.service, 7, ids);

	urom_host_fail_worker(&host, worker, part);

	/* As programs do: without any progress in between. */
	urom_host_destroy_worker(&host, worker);
	urom_logs_take(&rig.logs, part);
	urom_logs_take_all(&rig.logs, "worker 7 (pid");
	urom_logs_take_all(&rig.logs, plugin);
	urom_rig_wait_workers(&rig, 0);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 7));
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* traps 8, 41 */
static void plugin_whose_open_fails_leads_back_to_idle(void **state)
{
	(void)state;
	check_no_start("open_fails", "open_fails");
}

/* trap 8 */
static void plugin_that_dies_in_open_leads_back_to_idle(void **state)
{
	(void)state;
	check_no_start("open_dies", "worker");
}

/* --- commands that fail --- */

/* traps 42, 43 */
static void command_that_fails_ends_once_with_the_plugins_error(void **state)
{
	static const struct {
		enum urom_test_op op;
		size_t num_bytes; /* in the answer, of four */
	} rows[] = {
		{ UROM_TEST_FAIL, 0 },
		{ UROM_TEST_FAIL_LEFT, 0 },
		{ UROM_TEST_FAIL_AND_TELL, 4 },
		{ UROM_TEST_STATUS, 4 },
	};
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	(void)state;
	worker = begin(&host);
	for (size_t i = 0; i < LEN(rows); i++) {
		const struct urom_command command = {
			.op = rows[i].op, .arg = DOCA_ERROR_IN_USE, .bytes = "four", .len = 4
		};

		urom_host_ask(&host, worker, &command, &answer);
		assert_error(answer.status, DOCA_ERROR_IN_USE);
		assert_int_equal(answer.len, rows[i].num_bytes);
		assert_memory_equal(answer.bytes, "four", answer.len);
		urom_host_check_echo(&host, worker);
		for (unsigned int j = 0; j < 1000; j++)
			assert_int_equal(doca_pe_progress(host.pe), 0);
	}
	urom_host_fini(&host);
}

/* trap 42 */
static void command_that_the_plugin_does_not_know_ends_with_its_error(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct doca_buf *payload;
	struct urom_host host;
	void *data;

	(void)state;
	worker = begin(&host);
	urom_host_ask(&host, worker, &(struct urom_command){ .op = UROM_TEST_NUM_OPS }, &answer);
	assert_error(answer.status, DOCA_ERROR_NOT_SUPPORTED);
	for (size_t len = 0; len < sizeof(struct urom_test_cmd); len++) {
		task = urom_host_task(&host, worker, &(struct urom_command){ .number = 1 });
		payload = doca_urom_worker_cmd_task_get_payload(task);
		assert_success(doca_buf_get_data(payload, &data));
		assert_success(doca_buf_set_data(payload, data, len));
		assert_success(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)));
		assert_hears(&host.heard, host.pe, "INVALID_VALUE(1)");
	}
	urom_host_fini(&host);
}

/* trap 43 */
static void second_answer_is_dropped(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	urom_host_send(&host, worker, UROM_TEST_TWICE, 0, 1);
	assert_hears(&host.heard, host.pe, "ok(1)");
	urom_host_send(&host, worker, UROM_TEST_ECHO, 0, 2);
	assert_hears(&host.heard, host.pe, "ok(2)");
	urom_logs_take(&rig->logs, UROM_RIG_PLUGIN);
	urom_host_fini(&host);
}

/* trap 46 */
static void answer_for_nobody_is_dropped(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	urom_host_send(&host, worker, UROM_TEST_TO_NOBODY, 0, 1);
	urom_host_send(&host, worker, UROM_TEST_ECHO, 0, 2);
	assert_hears(&host.heard, host.pe, "ok(1) ok(2)");
	urom_logs_take_all(&rig->logs, UROM_RIG_PLUGIN);
	urom_host_fini(&host);
}

/* trap 48 */
static void answers_count_whatever_progress_returns(void **state)
{
	static const doca_error_t results[] = { DOCA_ERROR_EMPTY, DOCA_ERROR_IO_FAILED,
						DOCA_ERROR_AGAIN };
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	for (size_t i = 0; i < LEN(results); i++) {
		urom_host_send(&host, worker, UROM_TEST_ODD_PROGRESS, results[i], i);
		urom_host_send(&host, worker, UROM_TEST_ECHO, 0, 9);
	}
	assert_hears(&host.heard, host.pe, "ok(0) ok(9) ok(1) ok(9) ok(2) ok(9)");
	urom_logs_take_all(&rig->logs, UROM_RIG_PLUGIN);
	urom_host_fini(&host);
}

/* trap 47 */
static void lookups_answer_on_any_thread(void **state)
{
	const struct urom_command command = { .op = UROM_TEST_LOOK_UP, .arg = 100 };
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	(void)state;
	worker = begin(&host);
	urom_host_ask(&host, worker, &command, &answer);
	assert_success(answer.status);
	urom_host_fini(&host);
}

/* --- stopping --- */

/* trap 59 */
static void stop_ends_what_is_in_flight_and_late_answers_do_nothing(void **state)
{
	struct doca_urom_worker *worker, *other;
	struct urom_host host;

	(void)state;
	worker = begin(&host);
	other = urom_host_run_worker(&host, 7);
	for (uint64_t i = 1; i <= 3; i++)
		urom_host_send(&host, worker, UROM_TEST_HOLD, 0, i);
	urom_host_check_echo(&host, worker); /* so all of them are there */

	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&host.heard, host.pe,
		     "running>stopping SHUTDOWN(1) SHUTDOWN(2) SHUTDOWN(3) stopping>idle");
	urom_host_send(&host, other, UROM_TEST_ANSWER_HELD, 0, 4);
	assert_hears(&host.heard, host.pe, "ok(4)");
	urom_host_start_worker(&host, worker);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

static void stop_waits_no_longer_than_its_bound_for_close(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	urom_host_send(&host, worker, UROM_TEST_SPIN_CLOSE, 0, 1);
	assert_hears(&host.heard, host.pe, "ok(1)");
	urom_host_stop_worker(&host, worker);
	urom_host_hear_of(&host, "it was in close of plugin " UROM_RIG_PLUGIN);
	urom_rig_wait_workers(rig, 0);
	urom_logs_take_all(&rig->logs, "worker");
	urom_host_fini(&host);
}

static void plugin_that_dies_in_close_hinders_no_stop(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	urom_host_send(&host, worker, UROM_TEST_ABORT_CLOSE, 0, 1);
	assert_hears(&host.heard, host.pe, "ok(1)");
	urom_host_stop_worker(&host, worker);
	urom_host_hear_of(&host, "it was in close of plugin " UROM_RIG_PLUGIN);
	urom_rig_wait_workers(rig, 0);
	urom_logs_take_all(&rig->logs, "worker");
	urom_host_start_worker(&host, worker);
	urom_host_fini(&host);
}

/* --- workers that die --- */

/* As host plugins do, before they look at the status. */
static void use_response(struct heard *heard)
{
	struct doca_urom_worker_cmd_task *task = *(struct doca_urom_worker_cmd_task **)heard->owner;
	const void *data;
	size_t len = urom_host_response(task, &data);

	assert_int_equal(len, 0);
	assert_int_equal((uintptr_t)data % 16, 0);
	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(((const uint8_t *)data)[i], 0);
	memset((void *)(uintptr_t)data, 0xff, 64); /* some write pointers there */
	doca_task_free(heard->task);
}

/* trap 54 */
static void response_is_there_also_when_the_worker_is_gone(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	worker = begin(&host);
	host.heard.on_task = use_response;
	host.heard.owner = &task;
	for (unsigned int i = 0; i < 2; i++) {
		task = urom_host_submit(&host, worker,
					&(struct urom_command){
					    .op = i == 0 ? UROM_TEST_FAIL : UROM_TEST_ABORT,
					    .arg = DOCA_ERROR_IN_USE,
					    .number = 1,
					});
		if (i == 0)
			assert_hears(&host.heard, host.pe, "IN_USE(1)");
	}
	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	urom_logs_take_all(&rig->logs, "worker");
	urom_host_fini(&host);
	urom_host_take_losses();
}

/* Lets worker 7 die with three tasks in flight, and starts it again. */
static void check_death(struct urom_rig *rig, enum urom_test_op op, uint32_t arg)
{
	/* An exit in the midst of it all is no leak. */
	char leaks[] = "ASAN_OPTIONS=detect_leaks=0", *const env[] = { leaks };
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 7);
	assert_success(doca_urom_worker_set_env(worker, env, 1));
	urom_host_start_worker(&host, worker);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 1);
	urom_host_send(&host, worker, UROM_TEST_HOLD, 0, 2);
	if (op == UROM_TEST_NUM_OPS)
		assert_int_equal(kill(urom_rig_worker(rig), SIGKILL), 0);
	else
		urom_host_send(&host, worker, op, arg, 3);

	assert_hears(&host.heard, host.pe,
		     op == UROM_TEST_NUM_OPS
			 ? "CONNECTION_RESET(1) CONNECTION_RESET(2) running>stopping stopping>idle"
			 : "CONNECTION_RESET(1) CONNECTION_RESET(2) CONNECTION_RESET(3) "
			   "running>stopping stopping>idle");

	urom_rig_wait_workers(rig, 0);
	urom_host_start_worker(&host, worker);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
	urom_host_take_losses();
	urom_logs_take_all(&rig->logs, "worker");
}

/* trap 49 */
static void death_of_a_worker_ends_what_is_in_flight(void **state)
{
	check_death(*state, UROM_TEST_ABORT, 0);
}

/* trap 49 */
static void exit_of_a_worker_ends_what_is_in_flight(void **state)
{
	check_death(*state, UROM_TEST_EXIT, 0);
	check_death(*state, UROM_TEST_EXIT, 3);
}

/* trap 49 */
static void killed_worker_ends_what_is_in_flight(void **state)
{
	check_death(*state, UROM_TEST_NUM_OPS, 0);
}

static void plugin_that_never_comes_back_is_ended(void **state)
{
	static const char *const args[] = { "--plugin-timeout", "1", NULL };
	static const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_death(&rig, UROM_TEST_SPIN, 0);
	urom_rig_fini(&rig);
}

static void death_of_a_worker_is_told_to_each_host(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *first;
	struct urom_host host, other;

	first = begin(&host);
	urom_host_init_running(&other);
	(void)urom_host_run_worker(&other, 7);
	urom_host_send(&host, first, UROM_TEST_ABORT, 0, 1);
	assert_hears(&host.heard, host.pe, "CONNECTION_RESET(1) running>stopping stopping>idle");
	assert_hears(&other.heard, other.pe, UROM_WORKER_STOPS);
	urom_logs_take_all(&rig->logs, "worker");
	urom_host_fini(&other);
	urom_host_fini(&host);
	urom_host_take_losses();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plugin_whose_open_fails_leads_back_to_idle),
		TEST(plugin_that_dies_in_open_leads_back_to_idle),
		UROM_TEST(command_that_fails_ends_once_with_the_plugins_error),
		UROM_TEST(command_that_the_plugin_does_not_know_ends_with_its_error),
		UROM_TEST(second_answer_is_dropped),
		UROM_TEST(answer_for_nobody_is_dropped),
		UROM_TEST(answers_count_whatever_progress_returns),
		UROM_TEST(lookups_answer_on_any_thread),
		UROM_TEST(stop_ends_what_is_in_flight_and_late_answers_do_nothing),
		UROM_TEST(stop_waits_no_longer_than_its_bound_for_close),
		UROM_TEST(plugin_that_dies_in_close_hinders_no_stop),
		UROM_TEST(response_is_there_also_when_the_worker_is_gone),
		UROM_TEST(death_of_a_worker_ends_what_is_in_flight),
		UROM_TEST(exit_of_a_worker_ends_what_is_in_flight),
		UROM_TEST(killed_worker_ends_what_is_in_flight),
		TEST(plugin_that_never_comes_back_is_ended),
		UROM_TEST(death_of_a_worker_is_told_to_each_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
