/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker process that is killed or stopped, at each step of its life. A start that fails ends in
 * IDLE in one step; commands end once, with CONNECTION_RESET when the process is dead, and with
 * SHUTDOWN when the application stops a worker that does not answer, for which they wait until
 * then. Each move has the bound of its state, the witness feels nothing, and the id is free
 * afterwards.
 */
#include <signal.h>

#include "urom_fault.h"
#include "urom_procs.h"

#define NUM_HELD   3
#define SOME_TURNS 200

#define FAILS      "idle>starting starting>idle"

struct row {
	const char *point; /* NULL: none */
	/* Goes to the step, lets it happen, and hears what comes of it. Returns: the process. */
	pid_t (*run)(struct urom_fault *fault, enum urom_fault_act act);
	enum urom_fault_act act;
	const char *channel;
};

static void send_signal(pid_t pid, int number)
{
	assert_int_equal(kill(pid, number), 0);
}

static void strike(pid_t pid, enum urom_fault_act act)
{
	send_signal(pid, act == UROM_FAULT_KILL ? SIGKILL : SIGSTOP);
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

/* --- Bring-up --- */

/* It waits at a point of its own. */
static pid_t strike_at_point(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid;

	urom_fault_start(fault);
	while (!urom_gate_is_reached(fault->gate))
		(void)urom_fault_turn(fault);
	pid = urom_gate_wait(fault->gate);
	strike(pid, act);
	if (act != UROM_FAULT_PAUSE) {
		urom_fault_hear_moves(fault, FAILS);
		return pid;
	}
	urom_gate_open(fault->gate);
	turn_some(fault);
	send_signal(pid, SIGCONT);
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
	stop_well(fault);
	return pid;
}

/* The host has the daemon's answer, and has not attached. */
static pid_t strike_before_attached(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid;

	urom_fault_start(fault);
	urom_fault_get_mail(fault);
	pid = urom_fault_worker(fault);
	strike(pid, act);
	if (act != UROM_FAULT_PAUSE) {
		urom_fault_hear_moves(fault, FAILS);
		return pid;
	}
	turn_some(fault);
	send_signal(pid, SIGCONT);
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
	stop_well(fault);
	return pid;
}

/* --- RUNNING --- */

/* What becomes of the commands of one that was struck; pauses end with last, which is answered. */
static void hear_commands(struct urom_fault *fault, pid_t pid, enum urom_fault_act act,
			  struct urom_fault_ends ends)
{
	urom_fault_begin(fault);
	if (act == UROM_FAULT_KILL) {
		ends.status = "CONNECTION_RESET";
		ends.tail = UROM_WORKER_STOPS;
	} else if (act == UROM_FAULT_STOP) {
		urom_fault_stop(fault);
		ends.middle = "running>stopping";
		ends.status = "SHUTDOWN";
		ends.tail = "stopping>idle";
	} else {
		send_signal(pid, SIGCONT);
		ends.min_good = ends.max_good = ends.count;
	}
	urom_fault_hear_ends(fault, &ends);
	if (act == UROM_FAULT_PAUSE)
		stop_well(fault);
}

static pid_t strike_idle(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = urom_fault_run(fault);

	strike(pid, act);
	if (act != UROM_FAULT_KILL)
		urom_fault_hear_nothing_while(fault, act);
	hear_commands(fault, pid, act, (struct urom_fault_ends){ 0 });
	return pid;
}

static pid_t strike_with_held_commands(struct urom_fault *fault, enum urom_fault_act act)
{
	struct urom_fault_ends ends = { .count = NUM_HELD };
	pid_t pid = urom_fault_run(fault);

	urom_fault_hold(fault, NUM_HELD);
	strike(pid, act);
	if (act != UROM_FAULT_KILL)
		urom_fault_hear_nothing_while(fault, act);
	if (act == UROM_FAULT_PAUSE)
		urom_host_send(&fault->host, fault->worker, UROM_TEST_ANSWER_HELD, 0, ++ends.count);
	hear_commands(fault, pid, act, ends);
	return pid;
}

/* They were sent to it when it was stopped already. */
static pid_t strike_with_full_window(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = urom_fault_run(fault);

	send_signal(pid, SIGSTOP);
	urom_fault_fill_window(fault);
	urom_fault_hear_nothing_while(fault, act);
	strike(pid, act);
	hear_commands(fault, pid, act, (struct urom_fault_ends){ .count = UROM_FAULT_WINDOW });
	return pid;
}

static pid_t strike_while_it_answers(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = urom_fault_run(fault);

	urom_fault_fill_window(fault);
	urom_fault_hear_one(fault);
	strike(pid, act);
	if (act == UROM_FAULT_STOP)
		turn_some(
		    fault); /* what it has answered is heard before the application stops it */
	hear_commands(fault, pid, act,
		      (struct urom_fault_ends){ .count = UROM_FAULT_WINDOW,
						.min_good = 1,
						.max_good = UROM_FAULT_WINDOW });
	return pid;
}

/* --- Teardown --- */

/* DETACH was sent to it when it was stopped already. */
static pid_t strike_at_detach(struct urom_fault *fault, enum urom_fault_act act)
{
	static const struct urom_fault_ends ends = {
		.count = NUM_HELD,
		.middle = "running>stopping",
		.status = "SHUTDOWN",
		.tail = "stopping>idle",
	};
	pid_t pid = urom_fault_run(fault);

	urom_fault_hold(fault, NUM_HELD);
	send_signal(pid, SIGSTOP);
	urom_fault_stop(fault);
	turn_some(fault);
	if (act != UROM_FAULT_STOP)
		send_signal(pid, act == UROM_FAULT_KILL ? SIGKILL : SIGCONT);
	urom_fault_hear_ends(fault, &ends);
	return pid;
}

/* It is in a plugin's close, and the host waits for WORKER_STOPPED. */
static pid_t strike_in_close(struct urom_fault *fault, enum urom_fault_act act)
{
	pid_t pid = urom_fault_run(fault);

	urom_fault_stop(fault);
	while (!urom_gate_is_reached(fault->gate))
		(void)urom_fault_turn(fault);
	assert_int_equal(urom_gate_wait(fault->gate), pid);
	strike(pid, act);
	if (act == UROM_FAULT_PAUSE) {
		urom_gate_open(fault->gate);
		turn_some(fault);
		send_signal(pid, SIGCONT);
	}
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
	return pid;
}

/* --- The table --- */

static void run_row(void **state)
{
	const struct row *row = *state;
	struct urom_fault fault;
	pid_t pid;

	urom_fault_init(&fault, row->point, row->channel);
	urom_fault_begin_witness(&fault);
	urom_host_start(&fault.host);

	pid = row->run(&fault, row->act);

	urom_fault_take_logs(&fault, pid);
	urom_fault_check_reuse(&fault, pid);
	urom_fault_wait_gone(pid, UROM_FAULT_ORPHAN_NS);
	urom_rig_wait_workers(fault.rig, 1);
	assert_int_equal(urom_rig_worker(fault.rig), fault.witness_worker);
	urom_fault_end_witness(&fault);
	urom_fault_fini(&fault);
}

#define CELL(name, act, point, run) \
	UROM_FAULT_CELL(name, run_row, struct row, { point, run, act, "ucx" })

#define TCP(name, act, run) UROM_FAULT_CELL(name, run_row, struct row, { NULL, run, act, "tcp" })

int main(int argc, char **argv)
{
	const struct CMUnitTest cells[] = {
		CELL("worker_stopped_before_hello_fails_the_start", UROM_FAULT_STOP, "exec",
		     strike_at_point),
		CELL("worker_stopped_while_it_loads_a_plugin_fails_the_start", UROM_FAULT_STOP,
		     "load", strike_at_point),
		CELL("worker_stopped_in_open_fails_the_start", UROM_FAULT_STOP, "open",
		     strike_at_point),
		CELL("worker_stopped_in_addr_fails_the_start", UROM_FAULT_STOP, "addr",
		     strike_at_point),
		CELL("worker_stopped_before_it_knows_the_ticket_fails_the_start", UROM_FAULT_STOP,
		     "progress", strike_at_point),
		CELL("worker_stopped_before_attached_fails_the_start", UROM_FAULT_STOP, NULL,
		     strike_before_attached),
		CELL("worker_stopped_without_commands_is_stopped_in_time", UROM_FAULT_STOP, NULL,
		     strike_idle),
		CELL("worker_stopped_with_commands_keeps_them_until_stop", UROM_FAULT_STOP, NULL,
		     strike_with_held_commands),
		CELL("worker_stopped_with_a_full_window_keeps_it_until_stop", UROM_FAULT_STOP, NULL,
		     strike_with_full_window),
		CELL("worker_stopped_while_it_answers_keeps_the_rest_until_stop", UROM_FAULT_STOP,
		     NULL, strike_while_it_answers),
		CELL("worker_stopped_at_detach_is_not_waited_for", UROM_FAULT_STOP, NULL,
		     strike_at_detach),
		CELL("worker_stopped_in_close_is_killed", UROM_FAULT_STOP, "close",
		     strike_in_close),

		TCP("worker_stopped_with_a_full_window_over_tcp_keeps_it_until_stop",
		    UROM_FAULT_STOP, strike_with_full_window),
		TCP("worker_stopped_while_it_answers_over_tcp_keeps_the_rest_until_stop",
		    UROM_FAULT_STOP, strike_while_it_answers),
		TCP("worker_stopped_before_attached_over_tcp_fails_the_start", UROM_FAULT_STOP,
		    strike_before_attached),
		TCP("worker_stopped_at_detach_over_tcp_is_not_waited_for", UROM_FAULT_STOP,
		    strike_at_detach),

		CELL("worker_killed_before_hello_fails_the_start", UROM_FAULT_KILL, "exec",
		     strike_at_point),
		CELL("worker_killed_while_it_loads_a_plugin_fails_the_start", UROM_FAULT_KILL,
		     "load", strike_at_point),
		CELL("worker_killed_in_open_fails_the_start", UROM_FAULT_KILL, "open",
		     strike_at_point),
		CELL("worker_killed_in_addr_fails_the_start", UROM_FAULT_KILL, "addr",
		     strike_at_point),
		CELL("worker_killed_before_it_knows_the_ticket_fails_the_start", UROM_FAULT_KILL,
		     "progress", strike_at_point),
		CELL("worker_killed_before_attached_fails_the_start", UROM_FAULT_KILL, NULL,
		     strike_before_attached),
		CELL("worker_killed_without_commands_is_lost", UROM_FAULT_KILL, NULL, strike_idle),
		CELL("worker_killed_with_commands_resets_them", UROM_FAULT_KILL, NULL,
		     strike_with_held_commands),
		CELL("worker_killed_with_a_full_window_resets_it", UROM_FAULT_KILL, NULL,
		     strike_with_full_window),
		CELL("worker_killed_while_it_answers_resets_the_rest", UROM_FAULT_KILL, NULL,
		     strike_while_it_answers),
		CELL("worker_killed_at_detach_ends_the_stop", UROM_FAULT_KILL, NULL,
		     strike_at_detach),
		CELL("worker_killed_in_close_ends_the_stop", UROM_FAULT_KILL, "close",
		     strike_in_close),

		TCP("worker_killed_with_a_full_window_over_tcp_resets_it", UROM_FAULT_KILL,
		    strike_with_full_window),
		TCP("worker_killed_while_it_answers_over_tcp_resets_the_rest", UROM_FAULT_KILL,
		    strike_while_it_answers),
		TCP("worker_killed_before_attached_over_tcp_fails_the_start", UROM_FAULT_KILL,
		    strike_before_attached),
		TCP("worker_killed_at_detach_over_tcp_ends_the_stop", UROM_FAULT_KILL,
		    strike_at_detach),
		TCP("worker_paused_with_a_full_window_over_tcp_answers_it_later", UROM_FAULT_PAUSE,
		    strike_with_full_window),

		CELL("worker_paused_before_hello_starts_all_the_same", UROM_FAULT_PAUSE, "exec",
		     strike_at_point),
		CELL("worker_paused_while_it_loads_a_plugin_starts_all_the_same", UROM_FAULT_PAUSE,
		     "load", strike_at_point),
		CELL("worker_paused_in_open_starts_all_the_same", UROM_FAULT_PAUSE, "open",
		     strike_at_point),
		CELL("worker_paused_in_addr_starts_all_the_same", UROM_FAULT_PAUSE, "addr",
		     strike_at_point),
		CELL("worker_paused_before_it_knows_the_ticket_starts_all_the_same",
		     UROM_FAULT_PAUSE, "progress", strike_at_point),
		CELL("worker_paused_before_attached_starts_all_the_same", UROM_FAULT_PAUSE, NULL,
		     strike_before_attached),
		CELL("worker_paused_without_commands_goes_on", UROM_FAULT_PAUSE, NULL, strike_idle),
		CELL("worker_paused_with_commands_answers_them_later", UROM_FAULT_PAUSE, NULL,
		     strike_with_held_commands),
		CELL("worker_paused_with_a_full_window_answers_it_later", UROM_FAULT_PAUSE, NULL,
		     strike_with_full_window),
		CELL("worker_paused_while_it_answers_answers_the_rest_later", UROM_FAULT_PAUSE,
		     NULL, strike_while_it_answers),
		CELL("worker_paused_at_detach_stops_all_the_same", UROM_FAULT_PAUSE, NULL,
		     strike_at_detach),
		CELL("worker_paused_in_close_stops_all_the_same", UROM_FAULT_PAUSE, "close",
		     strike_in_close),
	};

	return urom_fault_main(argc, argv, cells, sizeof(cells) / sizeof(cells[0]));
}
