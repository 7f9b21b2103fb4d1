/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_host.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "test.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define NO_ID       UINT64_C(0)

void urom_host_init_bare(struct urom_host *host)
{
	memset(host, 0, sizeof(*host));
	host->heard.thread = pthread_self();
	assert_success(doca_pe_create(&host->pe));
}

void urom_host_init(struct urom_host *host)
{
	urom_host_init_bare(host);
	host->dev = fixture_dev_open_named(UROM_RIG_DEVICE);
	assert_non_null(host->dev);
	assert_success(doca_urom_service_create(&host->service));
	host->service_ctx = doca_urom_service_as_ctx(host->service);
	heard_add(&host->heard, host->service_ctx);
	assert_success(doca_pe_connect_ctx(host->pe, host->service_ctx));
	assert_success(doca_urom_service_set_dev(host->service, host->dev));
}

void urom_host_start(struct urom_host *host)
{
	assert_success(doca_ctx_start(host->service_ctx));
	assert_heard(&host->heard, "idle>running");
}

void urom_host_stop(struct urom_host *host)
{
	assert_success(doca_ctx_stop(host->service_ctx));
	assert_heard(&host->heard, "running>stopping stopping>idle");
}

void urom_host_init_running(struct urom_host *host)
{
	urom_host_init(host);
	urom_host_start(host);
}

static void end_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);

	if (doca_ctx_stop(ctx) != DOCA_SUCCESS)
		fixture_progress_to(host->pe, ctx, DOCA_CTX_STATE_IDLE);
	assert_success(doca_urom_worker_destroy(worker));
}

void urom_host_fini(struct urom_host *host)
{
	/* What the reactions work on may be gone with the function of the test. */
	memset(host->heard.on_state, 0, sizeof(host->heard.on_state));
	host->heard.on_task = NULL;
	for (size_t i = 0; i < UROM_HOST_MAX_WORKERS; i++) {
		if (host->workers[i] != NULL)
			end_worker(host, host->workers[i]);
	}
	if (host->service != NULL) {
		if (doca_ctx_stop(host->service_ctx) != DOCA_SUCCESS)
			fixture_progress_to(host->pe, host->service_ctx, DOCA_CTX_STATE_IDLE);
		assert_success(doca_urom_service_destroy(host->service));
	}
	assert_success(doca_pe_destroy(host->pe));
	if (host->dev != NULL)
		assert_success(doca_dev_close(host->dev));
}

uint64_t urom_host_plugin_named(struct urom_host *host, const char *name)
{
	const struct doca_urom_service_plugin_info *plugins;
	size_t count;

	assert_success(doca_urom_service_get_plugins_list(host->service, &plugins, &count));
	for (size_t i = 0; i < count; i++) {
		if (strcmp(plugins[i].plugin_name, name) == 0)
			return plugins[i].id;
	}
	fail_msg("the service has no plugin %s", name);
	return NO_ID;
}

uint64_t urom_host_plugin(struct urom_host *host)
{
	return urom_host_plugin_named(host, UROM_RIG_PLUGIN);
}

static void keep_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	for (size_t i = 0; i < UROM_HOST_MAX_WORKERS; i++) {
		if (host->workers[i] == NULL) {
			host->workers[i] = worker;
			return;
		}
	}
	fail_msg("a host has %d workers at most", UROM_HOST_MAX_WORKERS);
}

struct doca_urom_worker *urom_host_worker_of(struct urom_host *host,
					     struct doca_urom_service *service, uint64_t id,
					     uint64_t plugins)
{
	struct doca_urom_worker *worker;
	struct doca_ctx *ctx;

	assert_success(doca_urom_worker_create(&worker));
	ctx = doca_urom_worker_as_ctx(worker);
	keep_worker(host, worker);
	heard_add(&host->heard, ctx);
	/* In the order of the programs that there are: the service before the engine. */
	assert_success(doca_urom_worker_set_service(worker, service));
	assert_success(doca_pe_connect_ctx(host->pe, ctx));
	assert_success(doca_urom_worker_set_id(worker, id));
	assert_success(doca_urom_worker_set_plugins(worker, plugins));
	return worker;
}

struct doca_urom_worker *urom_host_worker(struct urom_host *host, uint64_t id)
{
	return urom_host_worker_of(host, host->service, id, urom_host_plugin(host));
}

struct doca_urom_worker *urom_host_run_worker(struct urom_host *host, uint64_t id)
{
	struct doca_urom_worker *worker = urom_host_worker(host, id);

	urom_host_start_worker(host, worker);
	return worker;
}

void urom_host_start_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&host->heard, host->pe, UROM_WORKER_STARTS);
}

void urom_host_stop_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&host->heard, host->pe, UROM_WORKER_STOPS);
}

void urom_host_fail_worker(struct urom_host *host, struct doca_urom_worker *worker,
			   const char *part)
{
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(worker)), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&host->heard, host->pe, "idle>starting starting>idle");
	test_take_log(part);
	assert_int_equal(urom_host_worker_state(worker), DOCA_CTX_STATE_IDLE);
}

void urom_host_take_losses(void)
{
	assert_true(test_num_logged() > 0);
	while (test_num_logged() > 0)
		test_take_log("worker");
}

void urom_host_hear_of(struct urom_host *host, const char *part)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (!test_has_logged(part)) {
		if (test_now_ns() > end)
			fail_msg("the host's log does not say \"%s\"", part);
		(void)fixture_turn(host->pe);
	}
	test_drop_log();
}

void urom_host_destroy_worker(struct urom_host *host, struct doca_urom_worker *worker)
{
	assert_success(doca_urom_worker_destroy(worker));
	for (size_t i = 0; i < UROM_HOST_MAX_WORKERS; i++) {
		if (host->workers[i] == worker)
			host->workers[i] = NULL;
	}
}

enum doca_ctx_states urom_host_state(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	assert_success(doca_ctx_get_state(ctx, &state));
	return state;
}

enum doca_ctx_states urom_host_worker_state(struct doca_urom_worker *worker)
{
	return urom_host_state(doca_urom_worker_as_ctx(worker));
}

uint64_t urom_host_worker_id(struct doca_urom_worker *worker)
{
	uint64_t id;

	assert_success(doca_urom_worker_get_id(worker, &id));
	return id;
}

void urom_host_on_task(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	heard_on_end(doca_urom_worker_cmd_task_as_task(task), task_user_data, ctx_user_data);
}

struct doca_urom_worker_cmd_task *urom_host_task(struct urom_host *host,
						 struct doca_urom_worker *worker,
						 const struct urom_command *command)
{
	const struct urom_test_cmd head = { .op = command->op, .arg = command->arg };
	uint64_t plugin = command->plugin != 0 ? command->plugin : urom_host_plugin(host);
	struct doca_urom_worker_cmd_task *task;
	struct doca_buf *payload;
	size_t room;
	void *data;

	assert_success(doca_urom_worker_cmd_task_allocate_init(worker, plugin, &task));
	payload = doca_urom_worker_cmd_task_get_payload(task);
	assert_success(doca_buf_get_data(payload, &data));
	assert_success(doca_buf_get_data_len(payload, &room));
	assert_true(sizeof(head) + command->len <= room);
	memcpy(data, &head, sizeof(head));
	if (command->len > 0)
		memcpy((char *)data + sizeof(head), command->bytes, command->len);
	assert_success(doca_buf_set_data(payload, data, sizeof(head) + command->len));
	doca_urom_worker_cmd_task_set_cb(task, urom_host_on_task);
	doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
				(union doca_data){ .u64 = command->number });
	return task;
}

struct doca_urom_worker_cmd_task *urom_host_submit(struct urom_host *host,
						   struct doca_urom_worker *worker,
						   const struct urom_command *command)
{
	struct doca_urom_worker_cmd_task *task = urom_host_task(host, worker, command);

	assert_success(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)));
	return task;
}

void urom_host_send(struct urom_host *host, struct doca_urom_worker *worker, enum urom_test_op op,
		    uint32_t arg, uint64_t number)
{
	const struct urom_command command = { .op = op, .arg = arg, .number = number };

	(void)urom_host_submit(host, worker, &command);
}

size_t urom_host_response(struct doca_urom_worker_cmd_task *task, const void **data)
{
	struct doca_buf *response = doca_urom_worker_cmd_task_get_response(task);
	size_t len;
	void *found;

	assert_non_null(response);
	assert_success(doca_buf_get_data(response, &found));
	assert_success(doca_buf_get_data_len(response, &len));
	*data = found;
	return len;
}

void urom_host_ask(struct urom_host *host, struct doca_urom_worker *worker,
		   const struct urom_command *command, struct urom_answer *answer)
{
	struct doca_urom_worker_cmd_task *task = urom_host_submit(host, worker, command);
	heard_reaction_t reaction = host->heard.on_task;
	uint64_t end = test_now_ns() + PATIENCE_NS;
	unsigned int before = host->heard.num_words;
	const void *data;

	host->heard.on_task = heard_keep_task;
	while (host->heard.num_words == before) {
		if (test_now_ns() > end)
			fail_msg("a command is not answered; heard: \"%s\"", host->heard.text);
		(void)fixture_turn(host->pe);
	}
	host->heard.on_task = reaction;
	host->heard.num_words = before;
	host->heard.text[0] = '\0';
	memset(answer, 0, sizeof(*answer));
	answer->status = doca_task_get_status(doca_urom_worker_cmd_task_as_task(task));
	answer->len = urom_host_response(task, &data);
	memcpy(answer->bytes, data,
	       answer->len < sizeof(answer->bytes) ? answer->len : sizeof(answer->bytes));
	assert_success(doca_urom_worker_cmd_task_release(task));
}

void urom_host_report(struct urom_host *host, struct doca_urom_worker *worker,
		      struct urom_test_report *report)
{
	const struct urom_command command = { .op = UROM_TEST_REPORT };
	struct urom_answer answer;

	urom_host_ask(host, worker, &command, &answer);
	assert_success(answer.status);
	assert_int_equal(answer.len, sizeof(*report));
	memcpy(report, answer.bytes, sizeof(*report));
}

void urom_host_check_echo(struct urom_host *host, struct doca_urom_worker *worker)
{
	static const char text[] = "is somebody there?";
	const struct urom_command command = { .bytes = text, .len = sizeof(text) };
	struct urom_answer answer;

	urom_host_ask(host, worker, &command, &answer);
	assert_success(answer.status);
	assert_int_equal(answer.len, sizeof(text));
	assert_memory_equal(answer.bytes, text, sizeof(text));
}

/* What a query has brought. */
struct group {
	bool is_over;
	doca_error_t status;
	size_t count;
	size_t max;
	uint64_t *ids;
};

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct group *group = task_user_data.ptr;
	const uint64_t *ids = doca_urom_service_get_workers_by_gid_task_get_worker_ids(task);

	(void)ctx_user_data;
	group->is_over = true;
	group->status =
	    doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task));
	group->count = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
	assert_true(group->count <= group->max);
	if (group->count > 0)
		memcpy(group->ids, ids, group->count * sizeof(*ids));
	else
		assert_null(ids);
	assert_success(doca_urom_service_get_workers_by_gid_task_release(task));
}

size_t urom_host_group(struct urom_host *host, uint32_t gid, uint64_t *ids, size_t max)
{
	struct group group = { .max = max, .ids = ids };
	struct doca_urom_service_get_workers_by_gid_task *task;
	uint64_t end = test_now_ns() + PATIENCE_NS;
	struct doca_task *as_task;

	assert_success(doca_urom_service_get_workers_by_gid_task_allocate_init(host->service, gid,
									       on_group, &task));
	as_task = doca_urom_service_get_workers_by_gid_task_as_task(task);
	doca_task_set_user_data(as_task, (union doca_data){ .ptr = &group });
	assert_success(doca_task_submit(as_task));
	while (!group.is_over) {
		if (test_now_ns() > end)
			fail_msg("no answer for the group %u", gid);
		(void)fixture_turn(host->pe);
	}
	assert_success(group.status);
	return group.count;
}
