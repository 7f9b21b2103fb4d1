/* SPDX-License-Identifier: BSD-3-Clause */
/* Which worker, which plugin, which processors. */
#include <string.h>

#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

/* --- plugins --- */

/* trap 18 */
static void worker_has_the_plugins_that_were_chosen(void **state)
{
	static const char *const plugins[] = { "first", "second", "third", NULL };
	static const struct urom_rig_options options = { .plugins = plugins };
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;
	struct urom_rig rig;
	uint64_t ids[3];

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	for (size_t i = 0; i < LEN(ids); i++) {
		ids[i] = urom_host_plugin_named(&host, plugins[i]);
		assert_true(ids[i] != 0 && (ids[i] & (ids[i] - 1)) == 0);
	}
	assert_true(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
	worker = urom_host_worker_of(&host, host.service, 1, ids[0] | ids[2]);
	urom_host_start_worker(&host, worker);

	urom_host_ask(&host, worker, &(struct urom_command){ .plugin = ids[0] }, &answer);
	assert_success(answer.status);
	urom_host_ask(&host, worker, &(struct urom_command){ .plugin = ids[2] }, &answer);
	assert_success(answer.status);
	task = urom_host_task(&host, worker, &(struct urom_command){ .plugin = ids[1] });
	assert_refused(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)),
		       DOCA_ERROR_NOT_SUPPORTED, "plugin");
	assert_success(doca_urom_worker_cmd_task_release(task));
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* trap 24 */
static void new_plugin_does_not_renumber_the_others(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host, later;
	uint64_t id;

	urom_host_init_running(&host);
	id = urom_host_plugin(&host);
	worker = urom_host_run_worker(&host, 1);
	urom_rig_add_plugin(rig, "a_first_one");

	urom_host_init_running(&later);

	assert_int_equal(urom_host_plugin(&later), id);
	assert_int_not_equal(urom_host_plugin_named(&later, "a_first_one"), id);
	urom_host_check_echo(&host, worker);
	urom_host_fini(&later);
	urom_host_fini(&host);
}

static void plugin_that_the_service_does_not_have_fails_the_start(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	urom_host_init_running(&host);
	worker = urom_host_worker_of(&host, host.service, 1,
				     urom_host_plugin(&host) | UINT64_C(1) << 61);
	urom_host_fail_worker(&host, worker, "plugin");
	urom_logs_take(&rig->logs, "plugin");
	urom_host_fini(&host);
}

/* --- ids --- */

/* trap 30 */
static void id_that_was_set_is_the_workers(void **state)
{
	static const uint64_t ids[] = { 0, 1, UINT64_MAX - 1 };
	struct urom_test_report report;
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init_running(&host);
	for (size_t i = 0; i < LEN(ids); i++) {
		struct doca_urom_worker *worker = urom_host_worker(&host, ids[i]);

		assert_int_equal(urom_host_worker_id(worker), ids[i]);
		urom_host_start_worker(&host, worker);
		assert_int_equal(urom_host_worker_id(worker), ids[i]);
		urom_host_report(&host, worker, &report);
		assert_int_equal(urom_procs_state((pid_t)report.pid) == '\0', 0);
	}
	urom_rig_wait_workers(rig, LEN(ids));
	urom_host_fini(&host);
}

/* trap 30 */
static void any_id_is_a_new_one_each_time(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	uint64_t ids[4];

	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 0);
	for (size_t i = 0; i < LEN(ids); i++) {
		struct doca_urom_worker *worker = urom_host_worker(&host, DOCA_UROM_WORKER_ID_ANY);

		assert_int_equal(urom_host_worker_id(worker), DOCA_UROM_WORKER_ID_ANY);
		urom_host_start_worker(&host, worker);
		ids[i] = urom_host_worker_id(worker);
		assert_true(ids[i] != DOCA_UROM_WORKER_ID_ANY && ids[i] != 0);
		for (size_t j = 0; j < i; j++)
			assert_true(ids[i] != ids[j]);
	}
	urom_rig_wait_workers(rig, 1 + LEN(ids));
	urom_host_fini(&host);
}

/* traps 28, 46 */
static void running_id_is_joined(void **state)
{
	struct doca_urom_worker *first, *second;
	struct urom_test_report one, two;
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init_running(&host);
	first = urom_host_run_worker(&host, 7);
	second = urom_host_run_worker(&host, 7);
	urom_host_report(&host, first, &one);
	urom_host_report(&host, second, &two);
	assert_int_equal(one.pid, two.pid);
	assert_int_equal(one.pid, urom_rig_worker(rig));
	assert_true(one.dest_id != two.dest_id);
	assert_int_equal(two.num_commands, 2);

	urom_host_stop_worker(&host, first);
	urom_host_report(&host, second, &two);
	assert_int_equal(two.pid, one.pid);
	urom_host_stop_worker(&host, second);
	urom_rig_wait_workers(rig, 0);
	urom_host_fini(&host);
}

/* Tries to join worker 7 with something that it does not have; part: of the reason. */
static void check_not_joined(struct urom_rig *rig, struct urom_host *host,
			     struct doca_urom_worker *worker, const char *part)
{
	urom_host_fail_worker(host, worker, part);
	urom_logs_take(&rig->logs, part);
	urom_host_destroy_worker(host, worker);
}

/* trap 28 */
static void running_id_is_not_joined_by_who_wants_another_worker(void **state)
{
	char text[] = "NEW=1", *const env[] = { text };
	static const char *const plugins[] = { UROM_RIG_PLUGIN, "other", NULL };
	static const char *const args[] = { "--cpuset", "0-7", NULL };
	static const struct urom_rig_options options = { .plugins = plugins, .args = args };
	struct doca_urom_worker *first, *more;
	doca_cpu_set_t cpus;
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	first = urom_host_worker(&host, 7);
	assert_success(doca_urom_worker_set_gid(first, 1));
	urom_host_start_worker(&host, first);

	more = urom_host_worker(&host, 7);
	assert_success(doca_urom_worker_set_env(more, env, 1));
	check_not_joined(&rig, &host, more, "environment");
	more = urom_host_worker(&host, 7);
	assert_success(doca_urom_worker_set_gid(more, 2));
	check_not_joined(&rig, &host, more, "group");
	more = urom_host_worker(&host, 7);
	DOCA_CPU_ZERO(&cpus);
	DOCA_CPU_SET(1, &cpus);
	assert_success(doca_urom_worker_set_cpuset(more, cpus));
	check_not_joined(&rig, &host, more, "processor");
	more = urom_host_worker_of(&host, host.service, 7, urom_host_plugin_named(&host, "other"));
	check_not_joined(&rig, &host, more, "plugins 0x");

	more = urom_host_worker(&host, 7);
	assert_success(doca_urom_worker_set_gid(more, 1));
	urom_host_start_worker(&host, more);
	urom_host_check_echo(&host, first);
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* An id whose process is still closing is waited for. */
static void id_is_free_again_after_a_stop(void **state)
{
	struct urom_test_report one, two;
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 7);
	urom_host_report(&host, worker, &one);
	urom_host_stop_worker(&host, worker);
	urom_host_start_worker(&host, worker);
	urom_host_report(&host, worker, &two);
	assert_true(one.pid != two.pid);
	assert_true(one.dest_id != two.dest_id);
	urom_host_fini(&host);
}

/* --- processors --- */

/* The set that a logical one is on this machine: the n-th allowed, modulo their number. */
static void map_cpus(const doca_cpu_set_t *logical, cpu_set_t *real)
{
	cpu_set_t allowed;
	int list[CPU_SETSIZE], count = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &allowed))
			list[count++] = i;
	}
	CPU_ZERO(real);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (doca_cpu_is_set(i, logical))
			CPU_SET(list[i % count], real);
	}
}

/* trap 31 */
static void worker_runs_on_its_processors(void **state)
{
	static const char *const args[] = { "--cpuset", "0-7", NULL };
	static const struct urom_rig_options options = { .args = args };
	doca_cpu_set_t offered, wanted;
	struct urom_test_report report;
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct urom_rig rig;
	cpu_set_t real;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	assert_success(doca_urom_service_get_cpuset(host.service, &offered));
	for (int i = 0; i < 1024; i++)
		assert_int_equal(doca_cpu_is_set(i, &offered) != 0, i < 8);
	for (int i = 0; i < 8; i += 3) {
		worker = urom_host_worker(&host, (uint64_t)i);
		DOCA_CPU_ZERO(&wanted);
		DOCA_CPU_SET(i, &wanted);
		map_cpus(&wanted, &real);
		assert_success(doca_urom_worker_set_cpuset(worker, wanted));
		urom_host_start_worker(&host, worker);
		urom_host_report(&host, worker, &report);
		assert_memory_equal(report.cpus, &real, sizeof(report.cpus));
	}
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

/* trap 31 */
static void processors_that_are_not_offered_are_refused(void **state)
{
	struct doca_urom_worker *worker, *other;
	doca_cpu_set_t wanted;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 1);
	DOCA_CPU_ZERO(&wanted);
	assert_refused(doca_urom_worker_set_cpuset(worker, wanted), DOCA_ERROR_INVALID_VALUE, "");
	DOCA_CPU_SET(1023, &wanted);
	assert_refused(doca_urom_worker_set_cpuset(worker, wanted), DOCA_ERROR_INVALID_VALUE, "");

	/* Without a service to ask, the start finds out. */
	assert_success(doca_urom_worker_create(&other));
	assert_success(doca_urom_worker_set_cpuset(other, wanted));
	assert_success(doca_urom_worker_set_service(other, host.service));
	assert_success(doca_urom_worker_set_plugins(other, urom_host_plugin(&host)));
	assert_success(doca_pe_connect_ctx(host.pe, doca_urom_worker_as_ctx(other)));
	assert_refused(doca_ctx_start(doca_urom_worker_as_ctx(other)), DOCA_ERROR_INVALID_VALUE,
		       "processor");
	assert_success(doca_urom_worker_destroy(other));
	urom_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(worker_has_the_plugins_that_were_chosen),
		UROM_TEST(new_plugin_does_not_renumber_the_others),
		UROM_TEST(plugin_that_the_service_does_not_have_fails_the_start),
		UROM_TEST(id_that_was_set_is_the_workers),
		UROM_TEST(any_id_is_a_new_one_each_time),
		UROM_TEST(running_id_is_joined),
		TEST(running_id_is_not_joined_by_who_wants_another_worker),
		UROM_TEST(id_is_free_again_after_a_stop),
		TEST(worker_runs_on_its_processors),
		UROM_TEST(processors_that_are_not_offered_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
