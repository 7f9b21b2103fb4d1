/* SPDX-License-Identifier: BSD-3-Clause */
/* Both halves of the graph plugin, with a real daemon and worker between them. */
#include <signal.h>
#include <string.h>

#include "test.h"
#include "urom_graph.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"
#include "worker_graph.h"

#define NUM_LOOPBACKS 10000u
#define MAX_INFLIGHT  16u
#define PATIENCE_NS   UINT64_C(60000000000)

/* A daemon with the graph plugin, a host with a service, a worker that is RUNNING. */
struct graph_rig {
	struct urom_rig rig;
	struct urom_host host;
	struct doca_urom_worker *worker;
	uint64_t plugin;
};

/* Loopbacks that are numbered from 0 on, as they end. */
struct flow {
	struct doca_urom_worker *worker;
	uint64_t num_submitted;
	uint64_t num_wanted;
	uint64_t num_ended;
	doca_error_t result; /* of all of them */
};

static uint64_t data_of(uint64_t number)
{
	return number * UINT64_C(0x9e3779b97f4a7c15); /* all bytes of it are in use */
}

static void graph_rig_init(struct graph_rig *graph)
{
	urom_rig_init_stopped(&graph->rig, NULL);
	urom_rig_copy(&graph->rig, WORKER_GRAPH, "plugins/worker_graph.so");
	urom_rig_start(&graph->rig);
	urom_host_init_running(&graph->host);
	graph->plugin = urom_host_plugin_named(&graph->host, "worker_graph");
	assert_success(urom_graph_init(graph->plugin, UROM_WORKER_GRAPH_VERSION));
	graph->worker = urom_host_worker_of(&graph->host, graph->host.service, 1, graph->plugin);
	assert_success(doca_urom_worker_set_max_inflight_tasks(graph->worker, MAX_INFLIGHT));
	urom_host_start_worker(&graph->host, graph->worker);
}

static void graph_rig_fini(struct graph_rig *graph)
{
	urom_host_fini(&graph->host);
	urom_rig_fini(&graph->rig);
}

static void submit_next(struct flow *flow);

/* Submits the next one, as hosts do that keep a worker busy. */
static void on_looped_back(doca_error_t result, union doca_data cookie, uint64_t data)
{
	struct flow *flow = cookie.ptr;

	assert_int_equal(result, flow->result);
	assert_int_equal(data, result == DOCA_SUCCESS ? data_of(flow->num_ended) : 0);
	flow->num_ended++;
	if (result == DOCA_SUCCESS && flow->num_submitted < flow->num_wanted)
		submit_next(flow);
}

static void submit_next(struct flow *flow)
{
	assert_success(urom_graph_task_loopback(flow->worker, (union doca_data){ .ptr = flow },
						data_of(flow->num_submitted), on_looped_back));
	flow->num_submitted++;
}

/* Drives until so many have ended, one a progress call that returns 1. */
static void drive(struct graph_rig *graph, struct flow *flow, uint64_t num_ended)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;

	while (flow->num_ended < num_ended) {
		uint64_t before = flow->num_ended;

		if (doca_pe_progress(graph->host.pe) != 0)
			assert_int_equal(flow->num_ended, before + 1);
		else
			assert_int_equal(flow->num_ended, before);
		assert_true(test_now_ns() < deadline);
	}
}

/* traps 37 and 58 */
static void ten_thousand_loopbacks_end_in_their_order(void **state)
{
	struct flow flow = { .num_wanted = NUM_LOOPBACKS };
	struct graph_rig graph;

	(void)state;
	graph_rig_init(&graph);
	flow.worker = graph.worker;
	for (unsigned int i = 0; i < MAX_INFLIGHT; i++)
		submit_next(&flow);
	drive(&graph, &flow, NUM_LOOPBACKS);
	graph_rig_fini(&graph);
}

static void loopback_beyond_the_number_in_flight_is_refused(void **state)
{
	struct flow flow = { .num_wanted = MAX_INFLIGHT };
	struct graph_rig graph;

	(void)state;
	graph_rig_init(&graph);
	flow.worker = graph.worker;
	for (unsigned int round = 0; round < 10; round++) {
		for (unsigned int i = 0; i < MAX_INFLIGHT; i++)
			submit_next(&flow);
		assert_error(urom_graph_task_loopback(graph.worker, (union doca_data){ 0 }, 0,
						      on_looped_back),
			     DOCA_ERROR_AGAIN);
		drive(&graph, &flow, flow.num_submitted);
	}
	graph_rig_fini(&graph);
}

static void loopback_without_worker_or_callback_is_refused(void **state)
{
	const union doca_data cookie = { 0 };
	struct graph_rig graph;

	(void)state;
	graph_rig_init(&graph);
	assert_error(urom_graph_task_loopback(graph.worker, cookie, 0, NULL),
		     DOCA_ERROR_INVALID_VALUE);
	assert_refused(urom_graph_task_loopback(NULL, cookie, 0, on_looped_back),
		       DOCA_ERROR_INVALID_VALUE, "NULL");
	urom_host_stop_worker(&graph.host, graph.worker);
	assert_refused(urom_graph_task_loopback(graph.worker, cookie, 0, on_looped_back),
		       DOCA_ERROR_BAD_STATE, "");
	graph_rig_fini(&graph);
}

static void plugin_of_another_version_is_refused(void **state)
{
	(void)state;
	assert_error(urom_graph_init(1, UROM_WORKER_GRAPH_VERSION + 1),
		     DOCA_ERROR_UNSUPPORTED_VERSION);
	assert_error(urom_graph_init(1, 0), DOCA_ERROR_UNSUPPORTED_VERSION);
}

/* trap 42, and 49 for a plugin that frees once: the worker goes on */
static void command_that_is_none_ends_with_an_error(void **state)
{
	const uint64_t zero[2] = { 0 };
	const struct urom_command commands[] = {
		{ .op = 1, .bytes = zero, .len = 8 },  /* unknown type */
		{ .arg = 1, .bytes = zero, .len = 8 }, /* in its upper half */
		{ .bytes = zero, .len = 0 },           { .bytes = zero, .len = 7 },  /* too short */
		{ .bytes = zero, .len = 9 },           { .bytes = zero, .len = 16 }, /* too long */
	};
	struct flow flow = { .num_wanted = 1 };
	struct graph_rig graph;
	struct urom_answer answer;
	pid_t pid;

	(void)state;
	graph_rig_init(&graph);
	flow.worker = graph.worker;
	pid = urom_rig_worker(&graph.rig);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct urom_command command = commands[i];

		command.plugin = graph.plugin;
		urom_host_ask(&graph.host, graph.worker, &command, &answer);
		assert_int_equal(answer.status, DOCA_ERROR_INVALID_VALUE);
		assert_int_equal(answer.len, 0);
		urom_logs_take(&graph.rig.logs, "a command of ");
	}
	submit_next(&flow);
	drive(&graph, &flow, 1);
	assert_int_equal(urom_rig_worker(&graph.rig), pid);
	graph_rig_fini(&graph);
}

static void loopbacks_of_a_worker_that_dies_end_with_an_error(void **state)
{
	struct flow flow = { .num_wanted = MAX_INFLIGHT, .result = DOCA_ERROR_CONNECTION_RESET };
	struct graph_rig graph;
	pid_t pid;

	(void)state;
	graph_rig_init(&graph);
	flow.worker = graph.worker;
	pid = urom_rig_worker(&graph.rig);
	assert_int_equal(kill(pid, SIGSTOP), 0); /* so that it answers none of them */
	for (unsigned int i = 0; i < MAX_INFLIGHT; i++)
		submit_next(&flow);
	assert_int_equal(kill(pid, SIGKILL), 0);
	drive(&graph, &flow, MAX_INFLIGHT);
	urom_logs_take_all(&graph.rig.logs, "worker");
	graph_rig_fini(&graph);
	assert_true(test_num_logged() > 0);
	test_drop_log(); /* of its channel, of the daemon, or of both */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ten_thousand_loopbacks_end_in_their_order),
		TEST(loopback_beyond_the_number_in_flight_is_refused),
		TEST(loopback_without_worker_or_callback_is_refused),
		TEST(plugin_of_another_version_is_refused),
		TEST(command_that_is_none_ends_with_an_error),
		TEST(loopbacks_of_a_worker_that_dies_end_with_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
