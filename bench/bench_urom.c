/* SPDX-License-Identifier: BSD-3-Clause */

/* What a command through a UROM worker costs above the UCX messages that carry it. */

#include <stdlib.h>
#include <string.h>

#include <doca_buf.h>

#include <urom_graph.h>

#include "bench.h"
#include "bench_urom.h"

#define KIB    ((size_t)1024)
#define MIB    (1024 * KIB)
#define WINDOW 64

/* Before a command that finds everybody asleep; the worker spins for 100 us. */
#define SILENCE_NS UINT64_C(10000000)

/* An echo's message has more around it than its bytes. */
#define OVERHEAD 128

struct state {
	struct urom_rig rig;
	struct ucx_peer *peer;
	size_t bytes;
	uint64_t window;
	uint64_t num_done;
	bool is_blocking;
};

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail(what, doca_error_get_descr(result));
}

static struct state *state_create(struct bench_case *one, const char *transports, uint64_t window,
				  bool is_blocking)
{
	struct state *state = calloc(1, sizeof(*state));

	if (state == NULL)
		bench_fail("memory", "none");
	state->bytes = one->bytes;
	state->window = window;
	state->is_blocking = is_blocking;
	/* Before the rig, whose threads and descriptors a child would inherit. */
	state->peer = ucx_peer_create(transports, one->bytes, is_blocking);
	urom_rig_init(&state->rig, transports, 4096 + one->bytes + OVERHEAD, WINDOW);
	one->transport = state->rig.transport;
	if (transports == NULL && strcmp(one->transport, "tcp") == 0)
		bench_fail("transport", "shared memory is not used");
	return state;
}

static void *setup_shared(struct bench_case *one)
{
	return state_create(one, NULL, 1, false);
}

static void *setup_shared_window(struct bench_case *one)
{
	return state_create(one, NULL, WINDOW, false);
}

static void *setup_shared_event(struct bench_case *one)
{
	return state_create(one, NULL, 1, true);
}

static void *setup_tcp(struct bench_case *one)
{
	return state_create(one, "tcp", 1, false);
}

static void *setup_tcp_event(struct bench_case *one)
{
	return state_create(one, "tcp", 1, true);
}

static void teardown(void *arg)
{
	struct state *state = arg;

	urom_rig_fini(&state->rig);
	ucx_peer_destroy(state->peer);
	free(state);
}

static void wait_for(struct state *state, uint64_t goal)
{
	if (state->is_blocking)
		urom_rig_sleep(&state->rig, &state->num_done, goal);
	else
		urom_rig_poll(&state->rig, &state->num_done, goal);
}

static void on_looped(doca_error_t result, union doca_data cookie, uint64_t data)
{
	struct state *state = cookie.ptr;

	check(result, "loopback");
	if (data != state->num_done)
		bench_fail("loopback", "another number has come back");
	state->num_done++;
}

static void run_graph(void *arg, uint64_t count)
{
	struct state *state = arg;
	const union doca_data cookie = { .ptr = state };
	uint64_t sent = state->num_done, goal = state->num_done + count;

	while (state->num_done < goal) {
		while (sent < goal && sent - state->num_done < state->window) {
			check(urom_graph_task_loopback(state->rig.worker, cookie, sent, on_looped),
			      "loopback");
			sent++;
		}
		wait_for(state, state->num_done + 1);
	}
}

/* What wakes those who have gone to sleep meanwhile, on both sides. */
static void run_graph_rarely(void *arg, uint64_t count)
{
	struct state *state = arg;
	const union doca_data cookie = { .ptr = state };

	for (; count > 0; count--) {
		bench_silence(SILENCE_NS);
		check(
		    urom_graph_task_loopback(state->rig.worker, cookie, state->num_done, on_looped),
		    "loopback");
		wait_for(state, state->num_done + 1);
	}
}

static void run_ucx_rarely(void *arg, uint64_t count)
{
	struct state *state = arg;

	ucx_peer_run_rarely(state->peer, state->bytes, count, SILENCE_NS);
}

static void on_echoed(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct state *state = task_user_data.ptr;

	(void)ctx_user_data;
	check(doca_task_get_status(doca_urom_worker_cmd_task_as_task(task)), "echo");
	check(doca_urom_worker_cmd_task_release(task), "echo");
	state->num_done++;
}

static void echo(struct state *state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_buf *payload;
	void *data;

	check(doca_urom_worker_cmd_task_allocate_init(state->rig.worker, state->rig.echo_id, &task),
	      "echo");
	payload = doca_urom_worker_cmd_task_get_payload(task);
	check(doca_buf_get_data(payload, &data), "payload");
	check(doca_buf_set_data(payload, data, state->bytes), "payload");
	doca_urom_worker_cmd_task_set_cb(task, on_echoed);
	doca_task_set_user_data(doca_urom_worker_cmd_task_as_task(task),
				(union doca_data){ .ptr = state });
	check(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)), "echo");
}

static void run_echo(void *arg, uint64_t count)
{
	struct state *state = arg;

	for (; count > 0; count--) {
		echo(state);
		wait_for(state, state->num_done + 1);
	}
}

static void run_ucx(void *arg, uint64_t count)
{
	struct state *state = arg;

	ucx_peer_run(state->peer, state->bytes, count, state->window);
}

#define GRAPH(case_name, case_setup, ...)                                                     \
	{                                                                                     \
		.name = (case_name), .peer = "ucx", .unit = BENCH_NS, .clock = BENCH_ELAPSED, \
		.bytes = 8, .limit = { __VA_ARGS__ }, .setup = (case_setup),                  \
		.run_ours = run_graph, .run_peer = run_ucx, .teardown = teardown              \
	}

/* A command after a silence, against a message of UCX that wakes its peer. */
#define FIRST(case_name, case_setup)                                                             \
	{                                                                                        \
		.name = (case_name), .peer = "ucx", .unit = BENCH_NS, .clock = BENCH_ELAPSED,    \
		.bytes = 8, .limit = { .kind = BENCH_AT_MOST_MORE, .value = 50000 },             \
		.setup = (case_setup), .run_ours = run_graph_rarely, .run_peer = run_ucx_rarely, \
		.teardown = teardown                                                             \
	}

#define ECHO(case_name, case_setup, case_bytes)                                               \
	{                                                                                     \
		.name = (case_name), .peer = "ucx", .unit = BENCH_NS, .clock = BENCH_ELAPSED, \
		.bytes = (case_bytes), .setup = (case_setup), .run_ours = run_echo,           \
		.run_peer = run_ucx, .teardown = teardown                                     \
	}

static struct bench_case cases[] = {
	GRAPH("graph_8b", setup_shared, .kind = BENCH_AT_MOST_RATIO, .value = 1.5, .more = 1000),
	GRAPH("graph_8b_tcp", setup_tcp, .kind = BENCH_AT_MOST_RATIO, .value = 1.3),
	GRAPH("graph_8b_64_in_flight", setup_shared_window, .kind = BENCH_AT_MOST, .value = 1000),
	GRAPH("graph_8b_event", setup_shared_event, .kind = BENCH_UNLIMITED),
	GRAPH("graph_8b_tcp_event", setup_tcp_event, .kind = BENCH_UNLIMITED),
	FIRST("graph_8b_first", setup_shared_event),
	FIRST("graph_8b_tcp_first", setup_tcp_event),
	ECHO("echo_8b", setup_shared, 8),
	ECHO("echo_1kib", setup_shared, KIB),
	ECHO("echo_4kib", setup_shared, 4 * KIB),
	ECHO("echo_64kib", setup_shared, 64 * KIB),
	ECHO("echo_1mib", setup_shared, MIB),
	ECHO("echo_64kib_tcp", setup_tcp, 64 * KIB),
};

int main(int argc, char **argv)
{
	const struct bench_program program = {
		.name = "bench_urom",
		.num_cores = 2,
		.cases = cases,
		.num_cases = sizeof(cases) / sizeof(cases[0]),
	};

	return bench_main(&program, argc, argv);
}
