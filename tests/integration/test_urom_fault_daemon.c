/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A daemon that is killed or stopped, at each step of its hosts' lives. Killed, it takes its
 * workers along: starts fail, commands end with CONNECTION_RESET, and the service can be started
 * again when there is a daemon. Stopped, it hinders nobody who does not need it: running workers
 * serve, what asks it for something ends within its bound. The id is free afterwards.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "urom_fault.h"
#include "urom_procs.h"

#define NUM_HELD   3
#define SOME_TURNS 200
#define LOOK_MS    1
#define GROUP      5

/* An environment of nearly the megabyte that is the most. */
#define NUM_LARGE   8
#define LARGE_BYTES 120000
#define OTHER_ID    8

#define FAILS       "idle>starting starting>idle"

struct row {
	const char *point; /* NULL: none */
	/* Goes to the step, lets it happen, hears what comes of it. Returns: the worker; 0: none.
	 */
	pid_t (*run)(struct urom_fault *fault, enum urom_fault_act act);
	enum urom_fault_act act;
	const char *channel;
};

static void strike(struct urom_fault *fault, enum urom_fault_act act)
{
	const pid_t pid = fault->rig->daemon;

	assert_int_equal(kill(pid, act == UROM_FAULT_KILL ? SIGKILL : SIGSTOP), 0);
	if (act != UROM_FAULT_KILL)
		return;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	fault->rig->daemon = 0;
}

static void let_go_on(struct urom_fault *fault)
{
	assert_int_equal(kill(fault->rig->daemon, SIGCONT), 0);
}

static void turn_some(struct urom_fault *fault)
{
	for (unsigned int i = 0; i < SOME_TURNS; i++)
		(void)urom_fault_turn(fault);
}

static void stop_well(struct urom_fault *fault)
{
	urom_fault_stop(fault);
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
}

/* Strikes; lets it go on after a while if it is a pause. */
static void strike_a_while(struct urom_fault *fault, enum urom_fault_act act)
{
	strike(fault, act);
	if (act != UROM_FAULT_PAUSE)
		return;
	turn_some(fault);
	let_go_on(fault);
}

/* --- A service that starts --- */

/* A thread that strikes when it is time, for a service that starts blocks its own. */
struct striker {
	pthread_t thread;
	struct urom_fault *fault;
	enum urom_fault_act act;
	pid_t waiting; /* at the gate */
};

/* Has a connection been made to the daemon, and a word said, which it has not read? */
static bool is_hello_there(uint16_t daemon_port)
{
	FILE *file = fopen("/proc/net/tcp", "re");
	unsigned int port, state, unread;
	bool is_there = false;
	char line[256];

	assert_non_null(file);
	while (!is_there && fgets(line, sizeof(line), file) != NULL)
		is_there =
		    sscanf(line, "%*d: %*x:%x %*x:%*x %x %*x:%x", &port, &state, &unread) == 3 &&
		    port == daemon_port && state == 1 && unread > 0;
	fclose(file);
	return is_there;
}

static void *strike_at_hello(void *arg)
{
	struct striker *striker = arg;

	while (!is_hello_there(striker->fault->rig->port))
		(void)poll(NULL, 0, LOOK_MS);
	if (striker->act == UROM_FAULT_KILL)
		strike(striker->fault, UROM_FAULT_KILL);
	else if (striker->act == UROM_FAULT_PAUSE)
		let_go_on(striker->fault);
	return NULL;
}

/* The daemon has the HELLO, and looks at a new plugin. */
static void *strike_before_welcome(void *arg)
{
	struct striker *striker = arg;

	striker->waiting = urom_gate_wait(striker->fault->gate);
	strike(striker->fault, striker->act);
	if (striker->act == UROM_FAULT_PAUSE) {
		urom_gate_open(striker->fault->gate);
		let_go_on(striker->fault);
	}
	return NULL;
}

static void start_service(struct urom_fault *fault, struct striker *striker,
			  void *(*strike_in_time)(void *arg))
{
	assert_int_equal(pthread_create(&striker->thread, NULL, strike_in_time, striker), 0);
	urom_fault_begin(fault);
	if (striker->act == UROM_FAULT_STOP)
		assert_refused(doca_ctx_start(fault->host.service_ctx), DOCA_ERROR_TIME_OUT,
			       "does not answer");
	else if (striker->act == UROM_FAULT_KILL)
		assert_refused(doca_ctx_start(fault->host.service_ctx), DOCA_ERROR_NOT_CONNECTED,
			       "hangs up");
	else
		urom_host_start(&fault->host);
	assert_int_equal(pthread_join(striker->thread, NULL), 0);
	urom_fault_check_bound(fault);
}

static pid_t strike_before_hello(struct urom_fault *fault, enum urom_fault_act act)
{
	struct striker striker = { .fault = fault, .act = act };

	/* One that goes on may find the host gone, and a proof wanting. */
	if (act == UROM_FAULT_STOP)
		urom_logs_take_all(&fault->rig->logs, "it has left and not given the proof");
	strike(fault, UROM_FAULT_STOP);
	start_service(fault, &striker, strike_at_hello);
	/* When it goes on it greets a host that has given up. */
	if (act == UROM_FAULT_STOP)
		urom_logs_take_all(&fault->rig->logs, "it has left and not given the proof");
	return 0;
}

static pid_t strike_in_handshake(struct urom_fault *fault, enum urom_fault_act act)
{
	struct striker striker = { .fault = fault, .act = act };

	urom_rig_add_plugin(fault->rig, UROM_FAULT_LATE);
	urom_logs_take_all(&fault->rig->logs, UROM_FAULT_LATE);
	start_service(fault, &striker, strike_before_welcome);
	if (act == UROM_FAULT_STOP) {
		urom_gate_open(fault->gate);
		let_go_on(fault);
	}
	urom_fault_wait_gone(striker.waiting, UROM_FAULT_ORPHAN_NS);
	return 0;
}

/* --- A service that runs --- */

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct doca_task *base = doca_urom_service_get_workers_by_gid_task_as_task(task);

	heard_on_end(base, task_user_data, ctx_user_data);
}

static void ask_for_group(struct urom_fault *fault)
{
	struct doca_urom_service_get_workers_by_gid_task *task;

	assert_success(doca_urom_service_get_workers_by_gid_task_allocate_init(
	    fault->host.service, GROUP, on_group, &task));
	assert_success(doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(task)));
}

/* It has been asked for a group. */
static pid_t strike_with_question(struct urom_fault *fault, enum urom_fault_act act)
{
	urom_host_start(&fault->host);
	strike(fault, UROM_FAULT_STOP);
	ask_for_group(fault);
	turn_some(fault);
	assert_heard(&fault->host.heard, "");
	if (act == UROM_FAULT_STOP) {
		assert_error(doca_ctx_stop(fault->host.service_ctx), DOCA_ERROR_IN_PROGRESS);
		assert_hears(&fault->host.heard, fault->host.pe,
			     "running>stopping SHUTDOWN(0) stopping>idle");
		return 0;
	}
	if (act == UROM_FAULT_KILL)
		strike(fault, act);
	else
		let_go_on(fault);
	assert_hears(&fault->host.heard, fault->host.pe,
		     act == UROM_FAULT_KILL ? "CONNECTION_RESET(0)" : "ok(0)");
	return 0;
}

/* It has been asked for a worker, and has not heard it. */
static pid_t strike_with_request(struct urom_fault *fault, enum urom_fault_act act)
{
	urom_host_start(&fault->host);
	strike(fault, UROM_FAULT_STOP);
	urom_fault_start(fault);
	turn_some(fault);
	if (act == UROM_FAULT_KILL)
		strike(fault, act);
	else if (act == UROM_FAULT_PAUSE)
		let_go_on(fault);
	urom_fault_hear_moves(fault, act == UROM_FAULT_PAUSE ? UROM_WORKER_STARTS : FAILS);
	if (act == UROM_FAULT_PAUSE)
		stop_well(fault);
	return 0;
}

/* --- A worker that starts --- */

static pid_t strike_in_open(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid;

	urom_host_start(&fault->host);
	urom_fault_start(fault);
	while (!urom_gate_is_reached(fault->gate))
		(void)urom_fault_turn(fault);
	pid = urom_gate_wait(fault->gate);
	strike_a_while(fault, act);
	if (act == UROM_FAULT_PAUSE)
		urom_gate_open(fault->gate);
	urom_fault_hear_moves(fault, act == UROM_FAULT_PAUSE ? UROM_WORKER_STARTS : FAILS);
	if (act == UROM_FAULT_PAUSE)
		stop_well(fault);
	else if (act == UROM_FAULT_STOP)
		urom_gate_open(fault->gate);
	return pid;
}

static pid_t strike_before_attached(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid;

	urom_host_start(&fault->host);
	urom_fault_start(fault);
	urom_fault_get_mail(fault);
	pid = urom_fault_worker(fault);
	strike_a_while(fault, act);
	if (act == UROM_FAULT_KILL) {
		urom_fault_wait_gone(pid, UROM_FAULT_ORPHAN_NS);
		urom_fault_hear_moves(fault, FAILS);
		return pid;
	}
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
	urom_fault_echo(fault);
	stop_well(fault);
	return pid;
}

/* --- A worker that runs --- */

static pid_t run_worker(struct urom_fault *fault)
{
	urom_host_start(&fault->host);
	return urom_fault_run(fault);
}

/* Commands go on without the daemon, unless it has taken the worker along. */
static void hear_commands(struct urom_fault *fault, enum urom_fault_act act,
			  struct urom_fault_ends ends)
{
	urom_fault_begin(fault);
	if (act == UROM_FAULT_KILL) {
		ends.status = "CONNECTION_RESET";
		ends.tail = UROM_WORKER_STOPS;
	} else {
		ends.min_good = ends.max_good = ends.count;
	}
	urom_fault_hear_ends(fault, &ends);
	if (act != UROM_FAULT_KILL)
		stop_well(fault);
}

static pid_t strike_with_held_commands(struct urom_fault *fault, enum urom_fault_act act)
{
	struct urom_fault_ends ends = { .count = NUM_HELD };
	pid_t pid = run_worker(fault);

	urom_fault_hold(fault, NUM_HELD);
	strike_a_while(fault, act);
	if (act == UROM_FAULT_STOP)
		urom_fault_hear_nothing_while(fault, act);
	if (act != UROM_FAULT_KILL)
		urom_host_send(&fault->host, fault->worker, UROM_TEST_ANSWER_HELD, 0, ++ends.count);
	hear_commands(fault, act, ends);
	return pid;
}

static pid_t strike_with_full_window(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = run_worker(fault);

	urom_fault_fill_window(fault);
	urom_fault_hear_one(fault);
	strike_a_while(fault, act);
	hear_commands(fault, act,
		      (struct urom_fault_ends){ .count = UROM_FAULT_WINDOW,
						.min_good = 1,
						.max_good = UROM_FAULT_WINDOW });
	return pid;
}

/*
 * A request that the daemon's socket has no room for: it may be given up, but the connection is no
 * less alive for it, and neither is the worker that depends on it.
 */
static pid_t strike_with_large_request(struct urom_fault *fault, enum urom_fault_act act)
{
	static char variable[LARGE_BYTES] = "LARGE=";
	char *env[NUM_LARGE];
	pid_t pid = run_worker(fault);
	struct doca_urom_worker *other;

	memset(variable + strlen("LARGE="), 'x', sizeof(variable) - strlen("LARGE=") - 1);
	for (size_t i = 0; i < NUM_LARGE; i++)
		env[i] = variable;
	other = urom_host_worker_of(&fault->app, fault->host.service, OTHER_ID,
				    urom_host_plugin(&fault->host));
	assert_success(doca_urom_worker_set_env(other, env, NUM_LARGE));
	strike(fault, act);
	urom_fault_begin(fault);
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(other)), DOCA_ERROR_IN_PROGRESS);
	urom_fault_hear_moves(fault, FAILS);
	urom_fault_hear_nothing_while(fault, act);
	urom_fault_echo(fault);
	urom_host_destroy_worker(&fault->app, other);
	let_go_on(fault);
	stop_well(fault);
	return pid;
}

/* --- Teardown --- */

static pid_t strike_at_detach(struct urom_fault *fault, enum urom_fault_act act)
{
	static const struct urom_fault_ends ends = {
		.count = NUM_HELD,
		.middle = "running>stopping",
		.status = "SHUTDOWN",
		.tail = "stopping>idle",
	};
	pid_t pid = run_worker(fault);

	urom_fault_hold(fault, NUM_HELD);
	urom_fault_stop(fault);
	strike(fault, act);
	if (act == UROM_FAULT_PAUSE) {
		turn_some(fault);
		let_go_on(fault);
	}
	urom_fault_hear_ends(fault, &ends);
	return pid;
}

/* The worker closes its plugins, and the host waits for WORKER_STOPPED. */
static pid_t strike_in_close(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = run_worker(fault);

	urom_fault_stop(fault);
	while (!urom_gate_is_reached(fault->gate))
		(void)urom_fault_turn(fault);
	assert_int_equal(urom_gate_wait(fault->gate), pid);
	strike_a_while(fault, act);
	if (act == UROM_FAULT_PAUSE)
		urom_gate_open(fault->gate);
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
	if (act != UROM_FAULT_PAUSE)
		urom_gate_open(fault->gate);
	return pid;
}

/* The same, and it does not return from there: the worker makes an end of it by itself. */
static pid_t strike_in_endless_close(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = run_worker(fault);

	urom_fault_stop(fault);
	while (!urom_gate_is_reached(fault->gate))
		(void)urom_fault_turn(fault);
	strike(fault, act);
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
	urom_fault_wait_gone(pid, UROM_FAULT_CLOSING_NS);
	return pid;
}

/* --- The table --- */

/* There is a daemon again, and the service runs. Of the old one's workers none is left. */
static void revive(struct urom_fault *fault, enum urom_fault_act act, pid_t pid)
{
	if (act == UROM_FAULT_STOP)
		let_go_on(fault);
	if (pid != 0)
		urom_fault_wait_gone(pid, UROM_FAULT_ORPHAN_NS);
	if (act == UROM_FAULT_KILL) {
		if (urom_host_state(fault->host.service_ctx) == DOCA_CTX_STATE_RUNNING)
			urom_host_stop(&fault->host);
		urom_rig_start(fault->rig);
	}
	if (urom_host_state(fault->host.service_ctx) == DOCA_CTX_STATE_IDLE)
		urom_host_start(&fault->host);
}

static void run_row(void **state)
{
	const struct row *row = *state;
	const bool has_witness = row->act != UROM_FAULT_KILL;
	struct urom_fault fault;
	pid_t pid;

	urom_fault_init(&fault, row->point, row->channel);
	if (has_witness)
		urom_fault_begin_witness(&fault);

	pid = row->run(&fault, row->act);

	if (pid != 0)
		urom_fault_take_logs(&fault, pid);
	revive(&fault, row->act, pid);
	urom_fault_check_reuse(&fault, pid);
	urom_rig_wait_workers(fault.rig, has_witness ? 1 : 0);
	if (has_witness) {
		assert_int_equal(urom_rig_worker(fault.rig), fault.witness_worker);
		urom_fault_end_witness(&fault);
	}
	urom_fault_fini(&fault);
}

#define CELL(name, act, point, run) \
	UROM_FAULT_CELL(name, run_row, struct row, { point, run, act, "ucx" })

#define TCP(name, act, run) UROM_FAULT_CELL(name, run_row, struct row, { NULL, run, act, "tcp" })

int main(int argc, char **argv)
{
	const struct CMUnitTest cells[] = {
		CELL("daemon_stopped_before_hello_times_the_service_out", UROM_FAULT_STOP, NULL,
		     strike_before_hello),
		CELL("daemon_stopped_before_welcome_times_the_service_out", UROM_FAULT_STOP,
		     UROM_FAULT_LATE, strike_in_handshake),
		CELL("daemon_stopped_with_a_question_lets_the_service_stop", UROM_FAULT_STOP, NULL,
		     strike_with_question),
		CELL("daemon_stopped_before_it_is_asked_fails_the_start", UROM_FAULT_STOP, NULL,
		     strike_with_request),
		CELL("daemon_stopped_while_a_plugin_opens_fails_the_start", UROM_FAULT_STOP, "open",
		     strike_in_open),
		CELL("daemon_stopped_before_attached_hinders_no_start", UROM_FAULT_STOP, NULL,
		     strike_before_attached),
		CELL("daemon_stopped_with_commands_hinders_no_answer", UROM_FAULT_STOP, NULL,
		     strike_with_held_commands),
		CELL("daemon_stopped_with_a_full_window_hinders_no_answer", UROM_FAULT_STOP, NULL,
		     strike_with_full_window),
		CELL("daemon_stopped_with_a_large_request_keeps_running_workers", UROM_FAULT_STOP,
		     NULL, strike_with_large_request),
		CELL("daemon_stopped_at_detach_hinders_no_stop", UROM_FAULT_STOP, NULL,
		     strike_at_detach),
		CELL("daemon_stopped_in_close_hinders_no_stop", UROM_FAULT_STOP, "close",
		     strike_in_close),

		TCP("daemon_stopped_with_a_full_window_over_tcp_hinders_no_answer", UROM_FAULT_STOP,
		    strike_with_full_window),

		CELL("daemon_killed_before_hello_fails_the_service", UROM_FAULT_KILL, NULL,
		     strike_before_hello),
		CELL("daemon_killed_before_welcome_fails_the_service", UROM_FAULT_KILL,
		     UROM_FAULT_LATE, strike_in_handshake),
		CELL("daemon_killed_with_a_question_resets_it", UROM_FAULT_KILL, NULL,
		     strike_with_question),
		CELL("daemon_killed_before_it_is_asked_fails_the_start", UROM_FAULT_KILL, NULL,
		     strike_with_request),
		CELL("daemon_killed_while_a_plugin_opens_leaves_no_worker", UROM_FAULT_KILL, "open",
		     strike_in_open),
		CELL("daemon_killed_before_attached_fails_the_start", UROM_FAULT_KILL, NULL,
		     strike_before_attached),
		CELL("daemon_killed_with_commands_resets_them", UROM_FAULT_KILL, NULL,
		     strike_with_held_commands),
		CELL("daemon_killed_with_a_full_window_resets_the_rest", UROM_FAULT_KILL, NULL,
		     strike_with_full_window),
		CELL("daemon_killed_at_detach_ends_the_stop", UROM_FAULT_KILL, NULL,
		     strike_at_detach),
		CELL("daemon_killed_in_close_ends_the_stop", UROM_FAULT_KILL, "close",
		     strike_in_close),

		TCP("daemon_killed_with_a_full_window_over_tcp_resets_the_rest", UROM_FAULT_KILL,
		    strike_with_full_window),
		TCP("daemon_killed_at_detach_over_tcp_ends_the_stop", UROM_FAULT_KILL,
		    strike_at_detach),

		CELL("daemon_killed_while_close_does_not_return_leaves_no_worker", UROM_FAULT_KILL,
		     "close", strike_in_endless_close),

		CELL("daemon_paused_before_hello_welcomes_later", UROM_FAULT_PAUSE, NULL,
		     strike_before_hello),
		CELL("daemon_paused_before_welcome_welcomes_later", UROM_FAULT_PAUSE,
		     UROM_FAULT_LATE, strike_in_handshake),
		CELL("daemon_paused_with_a_question_answers_later", UROM_FAULT_PAUSE, NULL,
		     strike_with_question),
		CELL("daemon_paused_before_it_is_asked_starts_later", UROM_FAULT_PAUSE, NULL,
		     strike_with_request),
		CELL("daemon_paused_while_a_plugin_opens_starts_later", UROM_FAULT_PAUSE, "open",
		     strike_in_open),
		CELL("daemon_paused_before_attached_is_not_missed", UROM_FAULT_PAUSE, NULL,
		     strike_before_attached),
		CELL("daemon_paused_with_commands_is_not_missed", UROM_FAULT_PAUSE, NULL,
		     strike_with_held_commands),
		CELL("daemon_paused_with_a_full_window_is_not_missed", UROM_FAULT_PAUSE, NULL,
		     strike_with_full_window),
		CELL("daemon_paused_at_detach_stops_later", UROM_FAULT_PAUSE, NULL,
		     strike_at_detach),
		CELL("daemon_paused_in_close_stops_later", UROM_FAULT_PAUSE, "close",
		     strike_in_close),
	};

	return urom_fault_main(argc, argv, cells, sizeof(cells) / sizeof(cells[0]));
}
