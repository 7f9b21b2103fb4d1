/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions for the workers of a group, and their answers. */
#include "test.h"
#include "urom_fake.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NO_GROUP     UINT32_C(4711)
#define NUM_FAKE_IDS 600
#define LEN(array)   (sizeof(array) / sizeof((array)[0]))

/* trap 33 */
static void unknown_group_is_empty_and_no_error(void **state)
{
	struct urom_host host;
	uint64_t ids[4];

	(void)state;
	urom_host_init_running(&host);
	assert_int_equal(urom_host_group(&host, NO_GROUP, ids, LEN(ids)), 0);
	urom_host_fini(&host);
}

static void on_question(struct doca_urom_service_get_workers_by_gid_task *task,
			union doca_data task_user_data, union doca_data ctx_user_data)
{
	heard_on_end(doca_urom_service_get_workers_by_gid_task_as_task(task), task_user_data,
		     ctx_user_data);
}

static struct doca_urom_service_get_workers_by_gid_task *ask(struct urom_host *host,
							     uint64_t number)
{
	struct doca_urom_service_get_workers_by_gid_task *task;
	struct doca_task *as_task;

	assert_success(doca_urom_service_get_workers_by_gid_task_allocate(host->service, &task));
	as_task = doca_urom_service_get_workers_by_gid_task_as_task(task);
	assert_refused(doca_task_submit(as_task), DOCA_ERROR_INVALID_VALUE, "callback");
	doca_urom_service_get_workers_by_gid_task_set_cb(task, on_question);
	doca_urom_service_get_workers_by_gid_task_set_gid(task, NO_GROUP);
	doca_task_set_user_data(as_task, (union doca_data){ .u64 = number });
	assert_success(doca_task_submit(as_task));
	return task;
}

/* traps 2, 57, 60 */
static void question_in_flight_is_counted_and_kept(void **state)
{
	struct doca_urom_service_get_workers_by_gid_task *task;
	struct urom_host host;
	size_t count;

	(void)state;
	urom_host_init_running(&host);
	task = ask(&host, 1);
	(void)ask(&host, 2);

	assert_refused(doca_urom_service_get_workers_by_gid_task_release(task),
		       DOCA_ERROR_NOT_PERMITTED, "");
	assert_int_equal(doca_urom_service_get_workers_by_gid_task_get_workers_count(task), 0);
	assert_null(doca_urom_service_get_workers_by_gid_task_get_worker_ids(task));
	assert_success(doca_ctx_get_num_inflight_tasks(host.service_ctx, &count));
	assert_int_equal(count, 2);
	assert_success(doca_pe_get_num_inflight_tasks(host.pe, &count));
	assert_int_equal(count, 2);
	assert_hears(&host.heard, host.pe, "ok(1) ok(2)");
	assert_success(doca_ctx_get_num_inflight_tasks(host.service_ctx, &count));
	assert_int_equal(count, 0);
	urom_host_fini(&host);
}

/* trap 7 */
static void stop_ends_questions_with_shutdown(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	(void)ask(&host, 1);
	(void)ask(&host, 2);

	assert_error(doca_ctx_stop(host.service_ctx), DOCA_ERROR_IN_PROGRESS);

	assert_hears(&host.heard, host.pe,
		     "running>stopping SHUTDOWN(1) SHUTDOWN(2) stopping>idle");
	urom_host_fini(&host);
}

static void questions_are_limited(void **state)
{
	struct doca_urom_service_get_workers_by_gid_task *tasks[257];
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	for (size_t i = 0; i < 256; i++)
		assert_success(
		    doca_urom_service_get_workers_by_gid_task_allocate(host.service, &tasks[i]));
	assert_error(doca_urom_service_get_workers_by_gid_task_allocate(host.service, &tasks[256]),
		     DOCA_ERROR_NO_MEMORY);
	for (size_t i = 0; i < 256; i++)
		assert_success(doca_urom_service_get_workers_by_gid_task_release(tasks[i]));
	urom_host_fini(&host);
}

/* trap 33 */
static void group_has_those_that_were_put_into_it(void **state)
{
	struct doca_urom_worker *worker;
	struct urom_host host;
	uint64_t ids[4];
	uint32_t gid;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_run_worker(&host, 1);
	assert_error(doca_urom_worker_get_gid(worker, &gid), DOCA_ERROR_NOT_FOUND);
	for (uint64_t id = 30; id >= 10; id -= 10) {
		worker = urom_host_worker(&host, id);
		assert_success(doca_urom_worker_set_gid(worker, id == 20 ? 5 : 0));
		urom_host_start_worker(&host, worker);
		assert_success(doca_urom_worker_get_gid(worker, &gid));
		assert_int_equal(gid, id == 20 ? 5 : 0);
	}
	assert_int_equal(urom_host_group(&host, 0, ids, LEN(ids)), 2);
	assert_true(ids[0] == 10 && ids[1] == 30);
	assert_int_equal(urom_host_group(&host, 5, ids, LEN(ids)), 1);
	assert_int_equal(ids[0], 20);
	urom_host_stop_worker(&host, worker);
	assert_int_equal(urom_host_group(&host, 0, ids, LEN(ids)), 1);
	assert_int_equal(ids[0], 30);
	urom_host_fini(&host);
}

static void tell_many_ids(struct urom_fake *fake)
{
	uint64_t bytes[NUM_FAKE_IDS];
	struct wire_group group = { .worker_ids = { bytes, sizeof(bytes) } };
	struct wire_group_get wanted;
	uint64_t id;

	urom_fake_welcome(fake);
	id = urom_fake_receive(fake, WIRE_GROUP_GET, &wanted);
	assert_int_equal(wanted.group, 9);
	for (uint64_t i = 0; i < NUM_FAKE_IDS; i++)
		bytes[i] = 1000 + i; /* as they are on the wire, this being a little-endian host */
	urom_fake_send(fake, WIRE_GROUP, id, &group);
	urom_fake_receive_end(fake);
}

/* trap 34 */
static void group_may_be_larger_than_a_message(void **state)
{
	uint64_t ids[NUM_FAKE_IDS];
	struct urom_fake fake;
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	urom_fake_start(&fake, tell_many_ids, NULL);
	urom_rig_write_service(&rig, fake.address);
	urom_host_init_running(&host);
	assert_int_equal(urom_host_group(&host, 9, ids, LEN(ids)), NUM_FAKE_IDS);
	for (uint64_t i = 0; i < NUM_FAKE_IDS; i++)
		assert_int_equal(ids[i], 1000 + i);
	urom_host_fini(&host);
	urom_fake_stop(&fake);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(unknown_group_is_empty_and_no_error),
		UROM_TEST(question_in_flight_is_counted_and_kept),
		UROM_TEST(stop_ends_questions_with_shutdown),
		UROM_TEST(questions_are_limited),
		UROM_TEST(group_has_those_that_were_put_into_it),
		TEST(group_may_be_larger_than_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
