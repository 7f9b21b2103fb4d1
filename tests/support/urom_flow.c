/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_flow.h"

#include <string.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(90000000000)

struct stamp {
	uint64_t tag;
	uint64_t number;
};

struct flow {
	struct doca_urom_worker_cmd_task *tasks[UROM_FLOW_MAX_IN_FLIGHT];
	unsigned int num_tasks;
	struct stamp next;
	uint64_t count;
	uint64_t num_answered;
};

static void send_next(struct flow *flow, struct doca_urom_worker_cmd_task *task)
{
	struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
	void *data;

	assert_success(doca_buf_get_data(payload, &data));
	memcpy((char *)data + sizeof(struct urom_test_cmd), &flow->next, sizeof(flow->next));
	flow->next.number++;
	assert_success(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)));
}

static void check_next(struct heard *heard)
{
	struct flow *flow = heard->owner;
	struct doca_urom_worker_cmd_task *task = flow->tasks[flow->num_answered % flow->num_tasks];
	const void *data;
	struct stamp got;

	assert_success(doca_task_get_status(heard->task));
	assert_ptr_equal(heard->task, doca_urom_worker_cmd_task_as_task(task));
	assert_int_equal(urom_host_response(task, &data), sizeof(got));
	memcpy(&got, data, sizeof(got));
	assert_int_equal(got.tag, flow->next.tag);
	assert_int_equal(got.number, flow->num_answered);
	flow->num_answered++;
	heard->text[0] = '\0';
	heard->num_words = 0;
	if (flow->next.number < flow->count)
		send_next(flow, task);
}

void urom_flow_run(struct urom_host *host, struct doca_urom_worker *worker, uint64_t plugin,
		   uint64_t tag, uint64_t count, unsigned int num_in_flight)
{
	struct flow flow = { .num_tasks = num_in_flight, .next.tag = tag, .count = count };
	const struct urom_command command = { .plugin = plugin,
					      .bytes = &flow.next,
					      .len = sizeof(flow.next) };
	uint64_t end = test_now_ns() + PATIENCE_NS;

	assert_in_range(num_in_flight, 1, UROM_FLOW_MAX_IN_FLIGHT);
	assert_true(count >= num_in_flight);
	assert_heard(&host->heard, "");
	host->heard.on_task = check_next;
	host->heard.owner = &flow;
	for (unsigned int i = 0; i < num_in_flight; i++)
		flow.tasks[i] = urom_host_task(host, worker, &command);
	for (unsigned int i = 0; i < num_in_flight; i++)
		send_next(&flow, flow.tasks[i]);
	while (flow.num_answered < count) {
		if (test_now_ns() > end)
			fail_msg("only %u commands were answered", (unsigned int)flow.num_answered);
		(void)doca_pe_progress(host->pe);
	}
	for (unsigned int i = 0; i < num_in_flight; i++)
		assert_success(doca_urom_worker_cmd_task_release(flow.tasks[i]));
	host->heard.on_task = NULL;
}
