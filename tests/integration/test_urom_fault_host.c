/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host program that is killed or stopped, at each step of its life. Its worker ends when it is
 * killed and no other host has it; while it is only stopped the worker stays, and the program gets
 * all that is its own when it goes on. Nobody else feels it: neither the witness nor another host
 * of the same worker. The id is free afterwards.
 */
#include <signal.h>
#include <string.h>

#include "urom_fault.h"
#include "urom_procs.h"
#include "urom_victim.h"

struct row {
	const char *point; /* where a process waits meanwhile; NULL: none does */
	const char *step;  /* of the victim */
	enum urom_fault_act act;
	bool is_shared; /* another host has the same worker */
	const char *channel;
};

static bool is_late(const struct row *row)
{
	return row->point != NULL && strcmp(row->point, UROM_FAULT_LATE) == 0;
}

/* Waits until the victim is at its step. */
static void start_victim(struct urom_fault *fault, const struct row *row,
			 struct urom_program *victim)
{
	const char *const args[] = { UROM_VICTIM_ROLE, row->step,
				     row->point != NULL && !is_late(row) ? fault->gate->variable
									 : NULL,
				     NULL };
	char line[UROM_PROGRAM_LINE];

	if (is_late(row))
		urom_rig_add_plugin(fault->rig, UROM_FAULT_LATE);
	urom_program_start(victim, args);
	if (row->point != NULL)
		(void)urom_gate_wait(fault->gate);
	else
		urom_program_read(victim, line);
}

/* The worker of the victim; 0: it has none yet. */
static pid_t find_worker(struct urom_fault *fault, const struct row *row)
{
	return is_late(row) || strcmp(row->step, "welcome") == 0 ? 0 : urom_fault_worker(fault);
}

/* Time passes; the other host of the worker is served. */
static void let_time_pass(struct urom_fault *fault, const struct row *row)
{
	if (row->is_shared)
		urom_fault_echo(fault);
	urom_fault_hear_nothing_while(fault, row->act);
	if (row->is_shared)
		urom_fault_echo(fault);
}

static void strike(struct urom_fault *fault, const struct row *row, struct urom_program *victim)
{
	char line[UROM_PROGRAM_LINE];

	if (row->act != UROM_FAULT_KILL) {
		assert_int_equal(kill(victim->pid, SIGSTOP), 0);
		let_time_pass(fault, row);
	}
	if (row->act != UROM_FAULT_PAUSE) {
		urom_program_kill(victim);
		return;
	}
	if (row->point != NULL)
		urom_gate_open(fault->gate);
	assert_int_equal(kill(victim->pid, SIGCONT), 0);
	if (row->point != NULL)
		urom_program_read(victim, line);
	urom_program_go_on(victim);
	urom_program_finish(victim);
}

/* A worker that is in open does not hear that nobody wants it any more. */
static void check_worker(struct urom_fault *fault, const struct row *row, pid_t pid)
{
	const bool is_opening = row->point != NULL && strcmp(row->point, "open") == 0;

	if (row->is_shared) {
		urom_fault_echo(fault);
		assert_int_equal(urom_fault_worker(fault), pid);
		urom_fault_stop(fault);
		urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
	}
	if (row->point != NULL && !is_opening && row->act != UROM_FAULT_PAUSE)
		urom_gate_open(fault->gate);
	if (pid != 0)
		urom_fault_wait_gone(pid,
				     is_opening ? UROM_FAULT_CLOSING_NS : UROM_FAULT_ORPHAN_NS);
}

static void run_row(void **state)
{
	const struct row *row = *state;
	struct urom_program victim;
	struct urom_fault fault;
	pid_t pid;

	urom_fault_init(&fault, row->point, row->channel);
	urom_fault_begin_witness(&fault);
	urom_host_start(&fault.host);
	fault.variable = NULL; /* it is the victim's */
	if (row->is_shared)
		(void)urom_fault_run(&fault);
	start_victim(&fault, row, &victim);
	pid = find_worker(&fault, row);

	strike(&fault, row, &victim);

	check_worker(&fault, row, pid);
	if (pid != 0)
		urom_fault_take_logs(&fault, pid);
	if (is_late(row))
		urom_logs_take_all(&fault.rig->logs, UROM_FAULT_LATE);
	urom_fault_check_reuse(&fault, pid);
	assert_int_equal(urom_rig_worker(fault.rig), fault.witness_worker);
	urom_fault_end_witness(&fault);
	urom_fault_fini(&fault);
}

#define CELL(name, act, point, step) \
	UROM_FAULT_CELL(name, run_row, struct row, { point, step, act, false, "ucx" })

#define SHARED(name, act, step) \
	UROM_FAULT_CELL(name, run_row, struct row, { NULL, step, act, true, "ucx" })

#define SHARED_TCP(name, act, step) \
	UROM_FAULT_CELL(name, run_row, struct row, { NULL, step, act, true, "tcp" })

int main(int argc, char **argv)
{
	const struct CMUnitTest cells[] = {
		CELL("host_killed_while_a_plugin_opens_leaves_no_worker", UROM_FAULT_KILL, "open",
		     "start"),
		CELL("host_stopped_while_a_plugin_opens_can_be_killed", UROM_FAULT_STOP, "open",
		     "start"),
		CELL("host_killed_before_welcome_leaves_nothing", UROM_FAULT_KILL, UROM_FAULT_LATE,
		     "welcome"),
		CELL("host_killed_after_welcome_leaves_nothing", UROM_FAULT_KILL, NULL, "welcome"),
		CELL("host_killed_before_attach_leaves_no_worker", UROM_FAULT_KILL, NULL, "mail"),
		CELL("host_killed_after_attach_leaves_no_worker", UROM_FAULT_KILL, NULL, "start"),
		CELL("host_killed_with_commands_leaves_no_worker", UROM_FAULT_KILL, NULL, "held"),
		CELL("host_killed_while_it_is_answered_leaves_no_worker", UROM_FAULT_KILL, NULL,
		     "answers"),
		CELL("host_killed_after_detach_leaves_no_worker", UROM_FAULT_KILL, NULL, "detach"),
		CELL("host_killed_while_its_worker_closes_leaves_no_worker", UROM_FAULT_KILL,
		     "close", "stop"),

		CELL("host_stopped_before_welcome_hinders_nobody", UROM_FAULT_STOP, UROM_FAULT_LATE,
		     "welcome"),
		CELL("host_stopped_after_welcome_hinders_nobody", UROM_FAULT_STOP, NULL, "welcome"),
		CELL("host_stopped_before_attach_hinders_nobody", UROM_FAULT_STOP, NULL, "mail"),
		CELL("host_stopped_after_attach_hinders_nobody", UROM_FAULT_STOP, NULL, "start"),
		CELL("host_stopped_with_commands_hinders_nobody", UROM_FAULT_STOP, NULL, "held"),
		CELL("host_stopped_while_it_is_answered_hinders_nobody", UROM_FAULT_STOP, NULL,
		     "answers"),
		CELL("host_stopped_after_detach_hinders_nobody", UROM_FAULT_STOP, NULL, "detach"),
		CELL("host_stopped_while_its_worker_closes_hinders_nobody", UROM_FAULT_STOP,
		     "close", "stop"),

		CELL("host_paused_before_welcome_goes_on", UROM_FAULT_PAUSE, UROM_FAULT_LATE,
		     "welcome"),
		CELL("host_paused_after_welcome_goes_on", UROM_FAULT_PAUSE, NULL, "welcome"),
		CELL("host_paused_while_a_plugin_opens_goes_on", UROM_FAULT_PAUSE, "open", "start"),
		CELL("host_paused_before_attach_goes_on", UROM_FAULT_PAUSE, NULL, "mail"),
		CELL("host_paused_after_attach_goes_on", UROM_FAULT_PAUSE, NULL, "start"),
		CELL("host_paused_with_commands_gets_their_answers", UROM_FAULT_PAUSE, NULL,
		     "held"),
		CELL("host_paused_while_it_is_answered_gets_all_answers", UROM_FAULT_PAUSE, NULL,
		     "answers"),
		CELL("host_paused_after_detach_goes_on", UROM_FAULT_PAUSE, NULL, "detach"),
		CELL("host_paused_while_its_worker_closes_goes_on", UROM_FAULT_PAUSE, "close",
		     "stop"),

		SHARED("host_killed_before_attach_leaves_the_worker_to_others", UROM_FAULT_KILL,
		       "mail"),
		SHARED("host_killed_with_commands_leaves_the_worker_to_others", UROM_FAULT_KILL,
		       "held"),
		SHARED("host_killed_while_it_is_answered_leaves_the_worker_to_others",
		       UROM_FAULT_KILL, "answers"),
		SHARED("host_killed_after_detach_leaves_the_worker_to_others", UROM_FAULT_KILL,
		       "detach"),
		SHARED("host_stopped_before_attach_leaves_the_worker_to_others", UROM_FAULT_STOP,
		       "mail"),
		SHARED("host_stopped_with_commands_leaves_the_worker_to_others", UROM_FAULT_STOP,
		       "held"),
		SHARED("host_stopped_while_it_is_answered_leaves_the_worker_to_others",
		       UROM_FAULT_STOP, "answers"),
		SHARED("host_stopped_after_detach_leaves_the_worker_to_others", UROM_FAULT_STOP,
		       "detach"),
		SHARED_TCP("host_killed_while_it_is_answered_over_tcp_leaves_the_worker_to_others",
			   UROM_FAULT_KILL, "answers"),
		SHARED_TCP("host_stopped_while_it_is_answered_over_tcp_leaves_the_worker_to_others",
			   UROM_FAULT_STOP, "answers"),
		SHARED_TCP("host_paused_while_it_is_answered_over_tcp_gets_all_answers",
			   UROM_FAULT_PAUSE, "answers"),
		SHARED("host_paused_while_it_is_answered_shares_its_worker_again", UROM_FAULT_PAUSE,
		       "answers"),
	};

	return urom_fault_main(argc, argv, cells, sizeof(cells) / sizeof(cells[0]));
}
